"""What a check of the QP solvers found; no Pink here."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class HealthRow:
    """How one solver did at one rate.

    Attributes:
        solver: Name of the solver.
        rate_hz: Ticks per second.
        ticks: Ticks that were taken.
        failures: Ticks without a step.
        first_cause: Why the first of them failed; empty without failures.
        p50_ms: Median duration of a tick.
        p99_ms: Duration that 99 % of the ticks stay below.
        largest_difference: Largest distance of a joint from where the reference solver had it at
            the same tick, rad or m; 0 for the reference itself.
    """

    solver: str
    rate_hz: float
    ticks: int
    failures: int
    first_cause: str
    p50_ms: float
    p99_ms: float
    largest_difference: float

    @property
    def steady(self) -> bool:
        """Whether every tick had a step, and half of them had time for it.

        The slowest ticks tell as much of what else the machine did.
        """
        return self.failures == 0 and self.p50_ms < 1e3 / self.rate_hz


@dataclass(frozen=True)
class HealthTable:
    """The rows, rate by rate, solvers in alphabetical order.

    Attributes:
        rows: One for each solver and rate.
        complete: False when it was ended early.
    """

    rows: tuple[HealthRow, ...]
    complete: bool = True

    def row(self, solver: str, rate_hz: float) -> HealthRow | None:
        """Return a solver's row at the tested rate that is nearest to a rate, or None."""
        found = [row for row in self.rows if row.solver == solver]
        # Rates compare by their ratio: 150 Hz is nearer to 200 Hz than to 100 Hz.
        return min(found, key=lambda row: abs(math.log(row.rate_hz / rate_hz)), default=None)

    def warning(self, solver: str, rate_hz: float) -> str:
        """Return what to tell a user of a solver at a rate; empty where it did well."""
        row = self.row(solver, rate_hz)
        if row is None or row.steady:
            return ""
        if row.failures:
            return (
                f"{solver} failed in {row.failures} of {row.ticks} ticks at {row.rate_hz:g} Hz:"
                f" {row.first_cause}"
            )
        return f"{solver} takes {row.p50_ms:.1f} ms for a tick: too long for {row.rate_hz:g} Hz"
