"""What went wrong in a solve, in words: a cause and a remedy for each kind of failure.

A failed solve is data. These functions turn what Pink and the QP solvers report into a
:class:`~workbench.ik.types.SolveStatus`; none of them raises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import qpsolvers
from pink.exceptions import NoSolutionFound

from workbench.errors import shortened
from workbench.ik.solvers import installed_solvers
from workbench.ik.types import SolveStatus

SOLVER_FAILURES: tuple[type[Exception], ...] = (
    NoSolutionFound,
    qpsolvers.QPError,
    ArithmeticError,
    np.linalg.LinAlgError,
    ValueError,
    Warning,
)
"""What a QP solver may raise for numbers that it cannot handle; all else is a fault of ours.

Solvers say ``ValueError`` for a matrix that they take for non-convex, and warn of their own exit
status, which ``python -W error`` turns into an exception.
"""

_STEADY_SOLVER = "daqp"


def step_refused(dt: float) -> SolveStatus:
    """Return the status of a tick whose length is not a positive finite time."""
    return SolveStatus(
        "solver_failed",
        f"A step of {shortened(dt)} s cannot be integrated.",
        "Set a rate (or dt) that is finite and greater than zero.",
    )


def targets_refused(frames: list[str]) -> SolveStatus:
    """Return the status of a tick where the targets of some frames are no poses."""
    names = ", ".join(frames)
    plural = len(frames) > 1
    return SolveStatus(
        "target_invalid",
        f"The target{'s' if plural else ''} of {names} {'are' if plural else 'is'} not a pose:"
        " a number is missing or not finite.",
        "Send a finite position and a quaternion that is not zero; the arm holds until then.",
    )


def hold_refused(
    joint: str, position: float, lower: float | None, upper: float | None
) -> SolveStatus:
    """Return the status of a tick that shall hold a joint outside its limits."""
    below = lower is not None and position < lower
    limit, side = (lower, "below its lower") if below else (upper, "above its upper")
    return SolveStatus(
        "infeasible",
        f"Joint {joint} is to be held at {position:.4g}, {side} limit {limit:.4g}.",
        "Hold it inside its limits or let it go.",
    )


def entry_refused(reason: str) -> SolveStatus:
    """Return the status of a tick with an entry that cannot have effect yet."""
    return SolveStatus(
        "infeasible",
        f"{reason}; the arm holds.",
        "Wait until it can, or switch the entry off.",
    )


def no_nearer(names: Sequence[str]) -> SolveStatus:
    """Return the status of a tick whose hard tasks no step brings nearer."""
    one = len(names) == 1
    subject = f"The hard task {names[0]}" if one else f"The hard tasks {', '.join(names)}"
    return SolveStatus(
        "infeasible",
        f"{subject} cannot be met from here: no step brings {'it' if one else 'them'} nearer;"
        " the arm holds.",
        f"Move {'its' if one else 'a'} target into reach, make {'it' if one else 'one'} soft, or"
        f" switch {'it' if one else 'one'} off.",
    )


def outside_limits(joint: str, value: float, lower: float, upper: float) -> SolveStatus:
    """Return the status of a tick that brings a joint back inside its limits."""
    limit, side = (lower, "below its lower") if value < lower else (upper, "above its upper")
    return SolveStatus(
        "outside_limits",
        f"Joint {joint} is at {value:.6g}, {side} limit {limit:.6g}.",
        "It is being brought back inside at no more than its velocity limit; the target is"
        " followed again afterwards.",
    )


def velocity_exceeded(joint: str, speed: float, cap: float, solver: str) -> SolveStatus:
    """Return the status of a step that a solver made larger than its velocity limits allow."""
    return SolveStatus(
        "velocity_exceeded",
        f"{solver} asked joint {joint} for {speed:.4g}, above its velocity limit"
        f" {cap:.4g}; the arm holds.",
        _other_solver(solver),
    )


def not_finite(solver: str) -> SolveStatus:
    """Return the status of a solve that came back with NaN or infinite numbers."""
    return SolveStatus(
        "solver_failed",
        f"{solver} returned numbers that are not finite; the arm holds.",
        "Bring the target near the robot, lower the costs, or raise damping.",
    )


def solver_failure(
    error: Exception,
    tangent_names: Sequence[str],
    solver: str,
    dt: float,
    acceleration_limits: Mapping[int, str] | None = None,
) -> SolveStatus:
    """Turn what a solver raised into a status.

    A QP is called infeasible only if its bounds leave some joint no step at all, which is looked
    up in the problem itself: daqp does not say why it failed, and a lax solver may be wrong.

    Args:
        error: One of :data:`SOLVER_FAILURES`.
        tangent_names: Name of the joint behind each tangent coordinate.
        solver: Name of the solver.
        dt: Step in s.
        acceleration_limits: Name of the acceleration limit of each tangent coordinate that has one.
    """
    accelerations = acceleration_limits or {}
    if isinstance(error, qpsolvers.SolverNotFound):
        return SolveStatus(
            "solver_failed",
            f"The solver {shortened(solver)} is not installed here.",
            "Choose one of " + ", ".join(installed_solvers()) + ".",
        )
    if not isinstance(error, NoSolutionFound):
        return SolveStatus(
            "solver_failed",
            f"{solver} refused the problem: {shortened(str(error), 160)}",
            _other_solver(solver),
        )
    empty = empty_bounds(error.problem)
    if empty is not None:
        index, lower, upper = empty
        return SolveStatus(
            "infeasible",
            f"Joint {tangent_names[index]} has no step that respects all its limits: it"
            f" would have to move by at least {lower:.3g} and by at most {upper:.3g} in"
            f" {1e3 * dt:.3g} ms.",
            _raise_acceleration(accelerations.get(index))
            + "Raise its velocity limit, lower the rate, or hold it elsewhere.",
        )
    words = exit_words(error.results)
    return SolveStatus(
        "solver_failed",
        f"{solver} found no step" + (f": {words}." if words else ", and does not say why."),
        _raise_acceleration(next(iter(accelerations.values()), None)) + _other_solver(solver),
    )


def empty_bounds(problem: qpsolvers.Problem) -> tuple[int, float, float] | None:
    """Return the tangent coordinate that a QP's bounds leave no value, or None.

    Only rows with a single coefficient are read; Pink's limits and our held joints have no other.

    Returns:
        Index, largest of the lower bounds and smallest of the upper bounds, of the coordinate
        whose bounds contradict each other most.
    """
    size = len(problem.q)
    lower, upper = np.full(size, -np.inf), np.full(size, np.inf)
    for matrix, bound, is_equality in (
        (problem.G, problem.h, False),
        (problem.A, problem.b, True),
    ):
        if matrix is None or bound is None:
            continue
        rows = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
        single = np.count_nonzero(rows, axis=1) == 1
        for row, limit in zip(rows[single], bound[single], strict=True):
            index = int(np.flatnonzero(row)[0])
            value = float(limit / row[index])
            if is_equality or row[index] > 0:
                upper[index] = min(upper[index], value)
            if is_equality or row[index] < 0:
                lower[index] = max(lower[index], value)
    gap = lower - upper
    worst = int(np.argmax(gap)) if size else 0
    if not size or not gap[worst] > 0:
        return None
    return worst, float(lower[worst]), float(upper[worst])


def exit_words(results: qpsolvers.Solution) -> str:
    """Return how a solver says that it ended, in lower case; empty where it does not say."""
    status = getattr(results.extras.get("info"), "status", None)
    if status is None:
        return ""
    words = str(status).rsplit(".", maxsplit=1)[-1].removeprefix("PROXQP_")
    return words.replace("_", " ").strip().lower()


def _raise_acceleration(name: str | None) -> str:
    """Return a sentence about the acceleration limit in force; empty where there is none."""
    if name is None:
        return ""
    return f"Raise the acceleration limit {shortened(name)} or switch it off. "


def _other_solver(solver: str) -> str:
    if solver == _STEADY_SOLVER:
        return "Raise damping or posture_cost, so that every joint's motion has some weight."
    return f"Choose {_STEADY_SOLVER}, which is steady on such small problems, or raise damping."
