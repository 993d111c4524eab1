"""What comes out of planning; no Pink here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

PlanStatus = Literal["SUCCESS", "NO_SOLUTION", "JOINT_LIMITS", "CANCELLED"]
"""How a plan ended: DimOS's names, and ``CANCELLED``."""


@dataclass(frozen=True, eq=False)
class PlanResult:
    """How a plan went.

    Attributes:
        status: How it ended.
        message: The same in one sentence.
        iterations: Iterations of the attempt that is reported; 1 means that the seed was there.
        attempts: Attempts that were made.
        attempt: The attempt that is reported, from 1: the one that succeeded, else the first.
        position_error_m: Largest distance of a frame from its target, before the last step of an
            attempt that failed.
        orientation_error_rad: Largest angle of a frame to its target, likewise.
        positions: Where the plan ends, in the order of commands, rad or m, shape (n,), read-only;
            None unless it succeeded.
        path: Positions of the reported attempt from its start on, one entry an iteration.
    """

    status: PlanStatus
    message: str
    iterations: int
    attempts: int
    attempt: int
    position_error_m: float
    orientation_error_rad: float
    positions: Vector | None
    path: tuple[Vector, ...]

    @property
    def succeeded(self) -> bool:
        """Whether the plan arrived."""
        return self.status == "SUCCESS"
