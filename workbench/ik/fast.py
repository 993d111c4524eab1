"""A second way to solve a step: the same QP as Pink's, given to daqp directly.

What Pink and qpsolvers do in Python around a QP of a few variables takes several times as long as
solving it. Planning, reachability checks and tuning take hundreds of thousands of steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import daqp
import numpy as np
import pink
from numpy.typing import NDArray
from pink.barriers import Barrier
from pink.limits import Limit
from pink.tasks import Task

from workbench.ik.bounds import JointBounds
from workbench.ik.configuration import IndexedConfiguration
from workbench.ik.quadratic_program import KeptProgram, supports

if TYPE_CHECKING:
    import pinocchio

Vector = NDArray[np.float64]

_DIRECT_SOLVER = "daqp"
_INEQUALITY, _EQUALITY = 0, 5
"""daqp's words for the two kinds of row."""


class FastSolver:
    """Does what ``pink.solve_ik`` does, faster where it can and by calling it where it cannot.

    Fast are any number of frame tasks, posture and damping tasks, within
    :class:`~workbench.ik.bounds.JointBounds`, with or without hard constraints, solved by daqp.
    Other tasks, limits, barriers and solvers go to Pink, and so does every step that daqp finds
    no answer for, so that errors are Pink's own. The answers are Pink's to the last bits.

    Keeps arrays for the tasks that it saw last; used by one thread at a time.
    """

    def __init__(self) -> None:
        """Start without arrays."""
        self._data: pinocchio.Data | None = None
        self._tasks: list[Task] = []
        self._program: KeptProgram | None = None
        self._identity = np.zeros((0, 0))
        self._inequalities = np.zeros(0, dtype=np.int32)

    def solve_ik(
        self,
        configuration: pink.Configuration,
        tasks: Iterable[Task],
        dt: float,
        solver: str,
        *,
        damping: float = 1e-12,
        limits: Iterable[Limit] | None = None,
        barriers: Iterable[Barrier] | None = None,
        constraints: Iterable[Task] | None = None,
        safety_break: bool = True,
    ) -> Vector:
        """Return the velocity of one step, shape (nv,).

        Args:
            configuration: Where the robot is; its data are up to date.
            tasks: Tasks with their targets.
            dt: Step in s.
            solver: Name of the QP solver.
            damping: Tikhonov damping in [cost]^2 / [tangent].
            limits: Limits; Pink's defaults where None.
            barriers: Barriers.
            constraints: Tasks to be fulfilled exactly.
            safety_break: Whether to raise, rather than warn, outside the limits.

        Raises:
            pink.PinkError: If the configuration is outside its limits or no solution was found.
            qpsolvers.QPError: If the solver refuses the problem.
        """
        tasks = list(tasks)
        bounds = _only_bounds(limits)
        if bounds is not None and solver == _DIRECT_SOLVER and not barriers:
            program = self._program_for(configuration, tasks)
            if program is not None and _is_inside(configuration, bounds):
                program.assemble(bounds, dt, damping)
                step = self._solve(program, configuration, constraints)
                if step is not None:
                    return step / dt
        return pink.solve_ik(
            configuration, tasks, dt, solver=solver, damping=damping, limits=limits,
            barriers=barriers, constraints=constraints, safety_break=safety_break,
        )  # fmt: skip

    def _program_for(
        self, configuration: pink.Configuration, tasks: list[Task]
    ) -> KeptProgram | None:
        """Return the arrays for these tasks, or None where only Pink will do."""
        if configuration.data is not self._data or tasks != self._tasks:
            model = configuration.model
            self._data, self._tasks = configuration.data, tasks
            self._program = KeptProgram(configuration, tasks) if supports(model, tasks) else None
            # daqp has simple bounds as well, which it treats in another order: the answer would
            # then be Pink's only to what the conditioning of the QP allows.
            self._identity = np.eye(model.nv)
            self._inequalities = np.full(model.nv, _INEQUALITY, dtype=np.int32)
        return self._program

    def _solve(
        self,
        program: KeptProgram,
        configuration: pink.Configuration,
        constraints: Iterable[Task] | None,
    ) -> Vector | None:
        """Return the step, shape (nv,), or None if daqp finds none."""
        rows, lower, upper, kinds = (
            self._identity, program.lower, program.upper, self._inequalities,
        )  # fmt: skip
        if constraints:
            equal, values = _equalities(configuration, constraints)
            rows = np.vstack((rows, equal))
            lower, upper = np.concatenate((lower, values)), np.concatenate((upper, values))
            kinds = np.concatenate((kinds, np.full(len(values), _EQUALITY, dtype=np.int32)))
        step, _, exit_flag, _ = daqp.solve(
            program.hessian, program.gradient, rows, upper, lower, kinds
        )
        return step if exit_flag > 0 else None


def _only_bounds(limits: Iterable[Limit] | None) -> JointBounds | None:
    """Return our own bounds if they are all the limits there are."""
    if isinstance(limits, list) and len(limits) == 1 and type(limits[0]) is JointBounds:
        return limits[0]
    return None


def _is_inside(configuration: pink.Configuration, bounds: JointBounds) -> bool:
    """Tell whether Pink would start from here without a word; if not, it shall say so itself."""
    if isinstance(configuration, IndexedConfiguration):
        return configuration.is_inside()
    return bounds.contains(configuration.q)


def _equalities(
    configuration: pink.Configuration, constraints: Iterable[Task]
) -> tuple[Vector, Vector]:
    """Return ``(A, b)`` with ``A dq = b``, shapes (m, nv) and (m,), as Pink does."""
    matrices, values = [], []
    for task in constraints:
        matrices.append(task.compute_jacobian(configuration))
        values.append(-task.gain * task.compute_error(configuration))
    return np.vstack(matrices), np.concatenate(values)
