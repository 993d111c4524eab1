from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.live.exchange import Latest, RecordRing


def test_the_newest_value_wins_and_counts_the_versions():
    slot: Latest[str] = Latest()
    assert slot.versioned() == (0, None)
    assert slot.put("first") == 1
    assert slot.put("second") == 2
    assert slot.get() == "second"
    assert slot.versioned() == (2, "second")


def test_waiting_returns_at_once_when_a_newer_value_is_there():
    slot: Latest[str] = Latest()
    slot.put("here")
    assert slot.wait(after=0) == (1, "here")


def test_waiting_in_vain_returns_the_version_that_was_known():
    slot: Latest[str] = Latest()
    slot.put("old")
    assert slot.wait(after=1, timeout_s=0.0) == (1, "old")


def test_a_waiting_thread_is_woken_by_a_put():
    slot: Latest[int] = Latest()
    seen: list[tuple[int, int | None]] = []
    waiter = threading.Thread(target=lambda: seen.append(slot.wait(after=0)))
    waiter.start()
    slot.put(7)
    waiter.join(10)
    assert seen == [(1, 7)]


def test_the_ring_gives_the_last_ticks_oldest_first():
    ring = RecordRing(capacity=4)
    for tick in range(6):
        ring.append(tick, 10.0 * tick, 20.0 * tick, 0.001, 0.01)
    last = ring.last()
    assert last.time_s.tolist() == [2, 3, 4, 5]
    assert last.position_error_m.tolist() == [20, 30, 40, 50]
    assert ring.last(2).orientation_error_rad.tolist() == [80, 100]
    assert len(ring) == len(last) == 4


def test_the_ring_gives_the_last_seconds():
    ring = RecordRing(capacity=100)
    for tick in range(50):
        ring.append(0.25 * tick, 0.0, 0.0, 0.0, 0.25)
    assert ring.last(seconds=1.0).time_s.tolist() == [11.25, 11.5, 11.75, 12.0, 12.25]


def test_an_empty_ring_gives_empty_records():
    records = RecordRing().last(10, seconds=1.0)
    assert len(records) == 0
    assert records.period_s.shape == (0,)


def test_records_stay_as_they_were_read_and_nobody_can_write_them():
    ring = RecordRing(capacity=2)
    ring.append(1.0, math.nan, 0.0, 0.0, math.nan)
    records = ring.last()
    ring.append(2.0, 0.0, 0.0, 0.0, 0.0)
    ring.append(3.0, 0.0, 0.0, 0.0, 0.0)
    assert records.time_s.tolist() == [1.0]
    assert np.isnan(records.position_error_m).all()
    with pytest.raises(ValueError, match="read-only"):
        records.time_s[0] = 5.0


@settings(deadline=None)
@given(capacity=st.integers(1, 9), count=st.integers(0, 30), ticks=st.integers(0, 40))
def test_whatever_its_size_the_ring_keeps_the_tail(capacity: int, count: int, ticks: int):
    ring = RecordRing(capacity)
    for tick in range(count):
        ring.append(tick, 0, 0, 0, 0)
    everything = list(range(count))
    kept = everything[max(0, count - min(capacity, ticks)) :] if ticks else []
    assert ring.last(ticks).time_s.tolist() == kept


def test_a_reader_never_sees_half_a_row():
    ring = RecordRing(capacity=16)
    finished = threading.Event()

    def write() -> None:
        for tick in range(5000):
            ring.append(tick, tick, tick, tick, tick)
        finished.set()

    writer = threading.Thread(target=write)
    writer.start()
    torn = 0
    while not finished.is_set():
        records = ring.last()
        rows = np.stack([records.time_s, records.position_error_m, records.period_s])
        torn += int((rows != rows[0]).any() or (np.diff(records.time_s) != 1).any())
    writer.join(10)
    assert torn == 0
