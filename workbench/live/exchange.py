"""The two things through which threads hand each other values: one slot, and a ring of numbers.

Both copy references or numbers under a lock of their own that is held for microseconds and never
while another lock is held.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.poses import Vector

T = TypeVar("T")


class Latest(Generic[T]):
    """A slot for one frozen value: the newest wins, nobody queues.

    A slow reader skips values and never delays the writer.
    """

    def __init__(self) -> None:
        """Start empty, at version 0."""
        self._condition = threading.Condition(threading.Lock())
        self._value: T | None = None
        self._version = 0

    @property
    def version(self) -> int:
        """How many values have been put so far."""
        return self._version

    def put(self, value: T) -> int:
        """Replace the value, wake everybody who waits, and return the new version."""
        with self._condition:
            self._value = value
            self._version += 1
            self._condition.notify_all()
            return self._version

    def get(self) -> T | None:
        """Return the newest value, or None before the first."""
        return self._value

    def versioned(self) -> tuple[int, T | None]:
        """Return the version and its value, as one."""
        with self._condition:
            return self._version, self._value

    def wait(self, after: int, timeout_s: float | None = None) -> tuple[int, T | None]:
        """Wait for a value newer than version ``after``.

        Args:
            after: Version that the caller has seen; 0 for none.
            timeout_s: Longest wait in s, None for no limit.

        Returns:
            The newest version and value; the version is ``after`` when the time ran out.
        """
        with self._condition:
            self._condition.wait_for(lambda: self._version > after, timeout_s)
            return self._version, self._value


@dataclass(frozen=True, eq=False)
class Records:
    """Numbers of the last ticks, oldest first; arrays of shape (n,), read-only.

    Attributes:
        time_s: The loop clock's time at the start of the tick.
        position_error_m: Largest position error of the enabled tools; NaN without any.
        orientation_error_rad: Largest orientation error of the enabled tools; NaN without any.
        tick_time_s: How long the tick took.
        period_s: Time since the tick before; NaN for the first.
    """

    time_s: Vector
    position_error_m: Vector
    orientation_error_rad: Vector
    tick_time_s: Vector
    period_s: Vector

    def __len__(self) -> int:
        """Return the number of ticks."""
        return len(self.time_s)


_COLUMNS = 5


class RecordRing:
    """The numbers of the last ticks, written by one thread and read by any."""

    def __init__(self, capacity: int = 8192) -> None:
        """Start empty.

        Args:
            capacity: Ticks kept; 8192 are 16 s at 500 Hz and 82 s at 100 Hz.
        """
        self._lock = threading.Lock()
        self._rows: NDArray[np.float64] = np.full((capacity, _COLUMNS), math.nan)
        self._count = 0

    def __len__(self) -> int:
        """Return the number of ticks that are kept."""
        return min(self._count, len(self._rows))

    def append(
        self,
        time_s: float,
        position_error_m: float,
        orientation_error_rad: float,
        tick_time_s: float,
        period_s: float,
    ) -> None:
        """Write one tick; see :class:`Records` for the numbers."""
        row = (time_s, position_error_m, orientation_error_rad, tick_time_s, period_s)
        with self._lock:
            self._rows[self._count % len(self._rows)] = row
            self._count += 1

    def last(self, ticks: int | None = None, *, seconds: float | None = None) -> Records:
        """Return the last ticks as a consistent copy.

        Args:
            ticks: At most this many; None for all that are kept.
            seconds: Of these only the ones at most this much older than the newest.
        """
        capacity = len(self._rows)
        with self._lock:
            wanted = min(self._count, capacity if ticks is None else ticks, capacity)
            # NumPy may let other threads run inside a copy, hence the lock around it.
            rows = self._rows[np.arange(self._count - wanted, self._count) % capacity]
        if seconds is not None and len(rows):
            rows = rows[rows[:, 0] >= rows[-1, 0] - seconds]
        rows.setflags(write=False)
        return Records(*rows.T)
