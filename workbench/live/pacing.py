"""When the next tick is due: absolute deadlines, no drift, no burst after a stall. Pure."""

from __future__ import annotations

import math


class Pacer:
    """Keeps the deadlines of a periodic loop.

    Ticks are due at ``start + k * period``. A tick that begins late leaves later deadlines where
    they are; deadlines that passed altogether are skipped and counted.
    """

    def __init__(self, now_s: float, period_s: float) -> None:
        """Make the first tick due now.

        Args:
            now_s: Time in s.
            period_s: Time between ticks in s.
        """
        self.missed = 0
        self._period_s = period_s
        self._due_s = now_s

    def restart(self, now_s: float) -> None:
        """Make a tick due now and count deadlines from here on (after a rest)."""
        self._due_s = now_s

    def set_period(self, period_s: float, now_s: float) -> None:
        """Change the time between ticks, counted from the last deadline, but not into the past."""
        if period_s != self._period_s:
            self._due_s = max(self._due_s + period_s - self._period_s, now_s)
            self._period_s = period_s

    def remaining_s(self, now_s: float) -> float:
        """Return the time until the next deadline, zero or less when it has come."""
        return self._due_s - now_s

    def begin(self, now_s: float) -> None:
        """Note that the due tick begins now, and set the next deadline."""
        late_periods = math.floor((now_s - self._due_s) / self._period_s)
        skipped = max(late_periods, 0)
        self.missed += skipped
        self._due_s += (skipped + 1) * self._period_s
