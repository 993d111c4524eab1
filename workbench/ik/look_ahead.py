"""Solves that look ahead: the step of a solution must not bring links too close.

What is nearest now need not be what comes too close within a step; see
:class:`workbench.ik.self_collision.HullDistanceBarrier`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pink
from numpy.typing import NDArray
from pink.barriers import Barrier
from pink.exceptions import NoSolutionFound

from workbench.ik.self_collision import HullDistanceBarrier

Vector = NDArray[np.float64]

_FURTHER_SOLVES = 3
"""How often a solve is repeated with rows for what was foreseen."""

_SHARES_OF_STEP = (1.0, 0.5, 0.25, 0.125)
"""How much of the last solution's step is tried, one after the other, before none is taken."""


def solve_apart(
    solve: Callable[[], Vector],
    configuration: pink.Configuration,
    barriers: Iterable[Barrier],
    dt: float,
) -> Vector:
    """Solve for a velocity whose step keeps links apart, shape (nv,).

    Where the step of a solution brings links too close, the solve is repeated with rows for what
    was foreseen; at last the step is shortened.

    Args:
        solve: Calls Pink with the barriers.
        configuration: Where the robot is.
        barriers: The barriers; others than self-collision ones are left alone.
        dt: Time step, s.

    Raises:
        pink.exceptions.NoSolutionFound: If there is no solution.
    """
    watching = [barrier for barrier in barriers if isinstance(barrier, HullDistanceBarrier)]
    try:
        velocity = _solve_giving_way(solve, watching)
        for _ in range(_FURTHER_SOLVES):
            if _are_safe(watching, configuration, velocity * dt):
                return velocity
            try:
                velocity = _solve_giving_way(solve, watching)
            except NoSolutionFound:
                break  # the step without these rows is one, if a shorter one
        for share in _SHARES_OF_STEP:
            if _are_safe(watching, configuration, share * velocity * dt):
                return share * velocity
        return np.zeros_like(velocity)
    finally:
        for barrier in watching:
            barrier.forget_foreseen()


def _are_safe(
    barriers: list[HullDistanceBarrier], configuration: pink.Configuration, displacement: Vector
) -> bool:
    if not np.isfinite(displacement).all():
        return True  # nowhere to look; whoever called tells the user
    # A list: every barrier has to look.
    return all([barrier.foresee(configuration, displacement) for barrier in barriers])


def _solve_giving_way(solve: Callable[[], Vector], barriers: list[HullDistanceBarrier]) -> Vector:
    """Solve, and once more where that fails because links that are too close cannot part.

    The second time they only must not come closer: bounds and barriers then allow standing still,
    so that a robot is never stuck for having been put into a bad posture.
    """
    try:
        return solve()
    except NoSolutionFound:
        pressing = [barrier for barrier in barriers if barrier.is_pressing]
        if not pressing:
            raise
    for barrier in pressing:
        barrier.demand_recovery = False
    try:
        return solve()
    finally:
        for barrier in pressing:
            barrier.demand_recovery = True
