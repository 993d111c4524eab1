from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.live.pacing import Pacer


def test_deadlines_do_not_drift_when_every_tick_begins_late():
    pacer = Pacer(100.0, 0.01)
    for tick in range(1000):
        due_s = 100.0 + 0.01 * tick
        assert pacer.remaining_s(due_s) == pytest.approx(0.0, abs=1e-9)
        pacer.begin(due_s + 0.002)
    assert pacer.missed == 0


def test_a_stall_skips_the_ticks_that_passed_and_counts_them():
    pacer = Pacer(0.0, 0.01)
    pacer.begin(0.0)
    pacer.begin(0.0453)
    assert pacer.missed == 3
    assert pacer.remaining_s(0.0453) == pytest.approx(0.0047)


def test_after_a_rest_the_next_tick_is_due_at_once_and_nothing_was_missed():
    pacer = Pacer(0.0, 0.1)
    pacer.begin(0.0)
    pacer.restart(0.03)
    assert pacer.remaining_s(0.03) == 0.0
    pacer.set_period(0.005, 0.03)
    pacer.begin(0.03)
    assert pacer.remaining_s(0.03) == pytest.approx(0.005)
    assert pacer.missed == 0


def test_a_higher_rate_counts_from_the_last_deadline_and_misses_nothing():
    pacer = Pacer(0.0, 0.1)
    pacer.begin(0.0)
    pacer.set_period(0.002, 0.05)
    assert pacer.remaining_s(0.05) == 0.0
    pacer.begin(0.05)
    assert pacer.missed == 0


@settings(deadline=None)
@given(
    st.floats(0.002, 0.1),
    st.lists(st.tuples(st.floats(0.0, 0.5), st.floats(0.0, 0.5)), max_size=40),
)
def test_taken_and_missed_ticks_add_up_to_the_deadlines_that_passed(
    period_s: float, delays: list[tuple[float, float]]
):
    """However late ticks begin and end: no burst, no drift, nothing uncounted."""
    pacer = Pacer(0.0, period_s)
    now_s, taken = 0.0, 0
    for late_s, work_s in delays:
        now_s += max(pacer.remaining_s(now_s), 0.0) + late_s
        pacer.begin(now_s)
        taken += 1
        assert -1e-9 < pacer.remaining_s(now_s) <= period_s + 1e-9
        deadline_s = now_s + pacer.remaining_s(now_s)
        assert deadline_s == pytest.approx((taken + pacer.missed) * period_s)
        now_s += work_s
