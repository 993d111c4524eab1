"""Hard tasks and held joints as one constraint, and which of them contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pink
import qpsolvers
import scipy.optimize
from numpy.typing import NDArray
from pink.tasks import Task

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

_RANK_TOLERANCE = 1e-7
"""Rows count as dependent below this singular value; Jacobians are of the order of 1."""

_SAME_STEP = 1e-6
"""Two constraints agree when what they ask of the same motion differs by less, rad or m."""

_SMALLEST_SHARE = 1e-3
_OFF_THE_EDGE = 0.98

_SLACK = 1e-7
"""A constraint that misses by more than this (rad or m) in a step is not met."""


class ContradictoryConstraintsError(ValueError):
    """Hard constraints that no joint motion meets, whatever the limits.

    Attributes:
        names: Names of the constraints.
    """

    def __init__(self, names: Sequence[str]) -> None:
        """Name the constraints."""
        super().__init__(", ".join(names))
        self.names = tuple(names)


@dataclass(frozen=True, eq=False)
class ConstraintRows:
    """The rows of all hard constraints at a configuration: ``matrix @ step = target``.

    Attributes:
        names: Name of the constraint behind each row.
        matrix: Shape (k, nv).
        target: Shape (k,).
    """

    names: tuple[str, ...]
    matrix: Matrix
    target: Vector


class CombinedConstraint(Task):
    """All hard constraints of a step as one Pink task with independent rows.

    A closed chain in a plane, or a foot that stands twice, has rows that say the same. Solvers take
    such rows for a contradiction as soon as rounding makes them differ.

    Attributes:
        rows: What the constraints ask for, row by row, before dependent rows were merged.
    """

    def __init__(
        self,
        constraints: Sequence[tuple[str | Sequence[str], Task]],
        configuration: pink.Configuration,
        share: float = 1.0,
    ) -> None:
        """Evaluate the constraints.

        Args:
            constraints: Names and tasks: one name for a whole task, or one for each of its rows.
            configuration: Where the robot is.
            share: How much of the steps that they ask for is asked of the QP.

        Raises:
            ContradictoryConstraintsError: If no motion meets all of them.
        """
        super().__init__(cost=None, gain=1.0, lm_damping=0.0)
        names: list[str] = []
        matrices, targets = [], []
        for name, task in constraints:
            matrices.append(task.compute_jacobian(configuration))
            targets.append(-task.gain * task.compute_error(configuration))
            names += [name] * len(targets[-1]) if isinstance(name, str) else name
        self.rows = ConstraintRows(tuple(names), np.vstack(matrices), share * np.hstack(targets))
        self._matrix, self._target = _independent(self.rows)

    def compute_error(self, configuration: pink.Configuration) -> Vector:
        """Return minus the step that is asked for, shape (k,)."""
        return -self._target

    def compute_jacobian(self, configuration: pink.Configuration) -> Matrix:
        """Return the rows, shape (k, nv)."""
        return self._matrix

    def multipliers(self, duals: Vector) -> Vector:
        """Return the forces on the joints, shape (nv,), of the multipliers of these rows."""
        return self._matrix.T @ duals

    def __repr__(self) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return a readable text."""
        return f"CombinedConstraint({', '.join(dict.fromkeys(self.rows.names))})"


def _independent(rows: ConstraintRows) -> tuple[Matrix, Vector]:
    """Return equivalent rows of full rank.

    Raises:
        ContradictoryConstraintsError: If dependent rows ask for different steps.
    """
    left, values, _ = np.linalg.svd(rows.matrix, full_matrices=False)
    rank = int(np.count_nonzero(values > _RANK_TOLERANCE))
    if rank == len(rows.target):
        return rows.matrix, rows.target
    basis = left[:, :rank]
    target = basis.T @ rows.target
    residual = np.abs(rows.target - basis @ target)
    worst = float(residual.max(initial=0.0))
    if worst > _SAME_STEP:
        involved = [
            name for name, value in zip(rows.names, residual, strict=True) if value > 0.01 * worst
        ]
        raise ContradictoryConstraintsError(tuple(dict.fromkeys(involved)))
    return basis.T @ rows.matrix, target


def largest_share(problem: qpsolvers.Problem, rows: ConstraintRows) -> float | None:
    """Return how much of what its hard constraints ask for a QP can take, a little less than all.

    Args:
        problem: A QP without solution.
        rows: Its hard constraints.

    Returns:
        A share in (0, 1); None where not even a thousandth of it can be had.
    """
    size = len(problem.q)
    if problem.G is None or problem.h is None or not np.abs(rows.target).max(initial=0.0) > 0.0:
        return None
    matrix, bound = np.asarray(problem.G), np.asarray(problem.h)
    finite = np.isfinite(bound)
    if not (np.isfinite(matrix).all() and np.isfinite(rows.matrix).all()) or np.isnan(bound).any():
        return None
    result = scipy.optimize.linprog(
        np.concatenate((np.zeros(size), [-1.0])),
        A_ub=np.hstack((matrix[finite], np.zeros((int(finite.sum()), 1)))),
        b_ub=bound[finite],
        A_eq=np.hstack((rows.matrix, -rows.target[:, None])),
        b_eq=np.zeros(len(rows.target)),
        bounds=[(None, None)] * size + [(0.0, 1.0)],
        method="highs",
    )
    if result.status != 0 or result.x is None or result.x[-1] < _SMALLEST_SHARE:
        return None
    # Not to the very edge, where rounding would decide whether there is a solution.
    return _OFF_THE_EDGE * float(result.x[-1])


@dataclass(frozen=True)
class Conflict:
    """Why a QP has no solution.

    Attributes:
        given_up: Names of the constraints and barriers that would have to give way.
        others: Names of the other ones.
        limits: Tangent coordinates of the joints whose limits stand in the way.
    """

    given_up: tuple[str, ...]
    others: tuple[str, ...]
    limits: tuple[int, ...]


def find_conflict(
    problem: qpsolvers.Problem, rows: ConstraintRows | None, barrier_names: Sequence[str]
) -> Conflict | None:
    """Return which constraints and barriers a QP cannot meet within its limits.

    A linear program gives every constraint and barrier slack and asks for as little of it as
    possible; what needs slack is what cannot be met.

    Args:
        problem: The QP; the rows of its barriers are the last ones of its inequality.
        rows: Its hard constraints.
        barrier_names: Name of the barrier behind each of its last rows.

    Returns:
        None if everything can be met, or if the limits alone leave no step.
    """
    size = len(problem.q)
    names = list(dict.fromkeys([*(rows.names if rows else ()), *barrier_names]))
    if not names or problem.G is None or problem.h is None:
        return None
    inequalities = np.asarray(problem.G)
    matrices = [np.hstack((inequalities, np.zeros((len(inequalities), len(names)))))]
    bounds = [np.asarray(problem.h)]
    first_barrier = len(inequalities) - len(barrier_names)
    for number, name in enumerate(barrier_names):
        row = matrices[0][first_barrier + number]
        # A barrier's row is a velocity; in units of its own size its slack compares with steps.
        scale = max(float(np.abs(row[:size]).max()), 1e-9)
        row[:size] /= scale
        bounds[0] = bounds[0].copy()
        bounds[0][first_barrier + number] /= scale
        row[size + names.index(name)] = -1.0
    if rows is not None:
        slack = np.zeros((len(rows.target), len(names)))
        slack[np.arange(len(rows.target)), [names.index(name) for name in rows.names]] = -1.0
        matrices += [np.hstack((rows.matrix, slack)), np.hstack((-rows.matrix, slack))]
        bounds += [rows.target, -rows.target]
    matrix, bound = np.vstack(matrices), np.hstack(bounds)
    finite = np.isfinite(bound)
    if not np.isfinite(matrix).all() or np.isnan(bound).any():
        return None
    result = scipy.optimize.linprog(
        np.concatenate((np.zeros(size), np.ones(len(names)))),
        A_ub=matrix[finite],
        b_ub=bound[finite],
        bounds=[(None, None)] * size + [(0.0, None)] * len(names),
        method="highs",
    )
    if result.status != 0 or result.x is None:
        return None
    slacks = result.x[size:]
    given_up = tuple(name for name, slack in zip(names, slacks, strict=True) if slack > _SLACK)
    if not given_up:
        return None
    active = np.abs(inequalities[:first_barrier] @ result.x[:size] - problem.h[:first_barrier])
    limiting = {
        int(np.abs(row).argmax())
        for row, gap in zip(inequalities[:first_barrier], active, strict=True)
        if gap < _SLACK
    }
    others = tuple(name for name in names if name not in given_up)
    return Conflict(given_up, others, tuple(sorted(limiting)))
