"""One side of the comparison: a library's own objects, and a robot that they move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import qpsolvers
from numpy.typing import NDArray
from pink.utils import get_root_joint_dim

from workbench.config.tasks import PostureTaskSpec
from workbench.ik.constraints import CombinedConstraint, largest_share
from workbench.ik.extra_tasks import HardTask
from workbench.ik.fast import FastSolver
from workbench.ik.parity_library import Library
from workbench.ik.parity_tasks import remade_barrier, remade_bounds, remade_limit, remade_task
from workbench.ik.posture import PresentPostureTask, inward_limits
from workbench.ik.quadratic_program import supports
from workbench.ik.solvers import is_built_by_hand, solve
from workbench.ik.stack import TaskStack
from workbench.ik.types import TickInputs

Vector = NDArray[np.float64]


class Side:
    """What one library makes of a stack, and where its robot is.

    Attributes:
        library: The library.
        configuration: Its configuration.
        velocity: Velocity of the last step, shape (nv,); zero where there was none.
    """

    def __init__(
        self, library: Library, model: Any, stack: TaskStack, inputs: TickInputs, q: Vector
    ) -> None:
        """Make the library's own tasks, limits and barriers.

        Args:
            library: The library.
            model: The library's model of the robot, on which Pink hangs attributes of its own.
            stack: The stack whose numbers are taken; it is up to date with the inputs.
            inputs: Settings and step.
            q: Where the robot starts, shape (nq,).
        """
        self.library = library
        self.configuration = library.configuration(model, q)
        self.velocity = np.zeros(model.nv)
        self._dt = inputs.dt
        self._config = inputs.config
        self._bounds = stack.bounds
        _, self._root_nv = get_root_joint_dim(stack.configuration.model)
        ours, home = stack.configuration, self.configuration
        named = [
            (name, task, remade_task(task, library, home, ours)) for name, task in stack.named_tasks
        ]
        hard: list[HardTask] = [remade_task(task, library, home, ours) for task in stack.hard_tasks]
        for task in hard:
            task.dt = inputs.dt
        self.tasks = [made for _, _, made in named]
        self._hard = hard
        self._still: list[Any] = []
        rows = [row.idx_v for row in stack.held.rows]
        if rows:
            still = library.package.tasks.LinearHolonomicTask
            self._still = [still(np.eye(model.nv)[rows], np.zeros(len(rows)), q)]
        inner: list[Any] = [task.task for task in hard]
        self._targeted = [
            made
            for made in (*self.tasks, *inner)
            if isinstance(made, library.package.tasks.FrameTask) and made.frame in inputs.targets
        ]
        self._following = list(_following(named, inputs, stack))
        self._limits = remade_bounds(stack.bounds, library, model)
        more = [remade_limit(item.limit, library, model) for item in stack.entries.limits]
        self._limits += more
        self._barriers = [remade_barrier(item.barrier, library) for item in stack.entries.barriers]
        tasks, limits = library.package.tasks, library.package.limits
        self._looking_back = [
            (made, self._root_nv)
            for made in self.tasks
            if isinstance(made, tasks.LowAccelerationTask)
        ] + [(limit, 0) for limit in more if isinstance(limit, limits.AccelerationLimit)]
        self._solve_ik: Callable[..., Vector] = library.package.solve_ik
        self._builds_by_hand = is_built_by_hand(inputs.config.solver)
        self.place(q, self.velocity)

    def solve_fast(self) -> bool:
        """Solve from now on as the workbench's fast way does; False where that would be Pink."""
        model = self.configuration.model
        only_bounds = not self._barriers and len(self._limits) == 2
        if not (self._config.solver == "daqp" and only_bounds and supports(model, self.tasks)):
            return False
        self._limits = [self._bounds]
        self._solve_ik = FastSolver().solve_ik
        return True

    def place(self, q: Vector, velocity: Vector) -> None:
        """Put the robot somewhere, shape (nq,), where a velocity of shape (nv,) has brought it."""
        self.configuration.update(q)
        self._moved(velocity)

    def set_targets(self, placements: Mapping[str, Any]) -> None:
        """Set the targets of the tool frames, as transforms of this library."""
        for task in self._targeted:
            task.set_target(placements[task.frame])

    def build(self) -> qpsolvers.Problem:
        """Return the QP of the next step."""
        self._follow()
        with np.errstate(all="ignore"):  # costs of 1e200 overflow, on both sides alike
            return self._build([*self._hard, *self._still])

    def step(self) -> bool:
        """Take a step; False where there is none: the robot stays then."""
        self._follow()
        try:
            with np.errstate(all="ignore"):
                velocity = self._solve()
        except self.library.failures:
            velocity = np.array([np.nan])
        if not np.isfinite(velocity).all():
            self._moved(np.zeros_like(self.velocity))
            return False
        configuration = self.configuration
        q = self.library.kinematics.integrate(
            configuration.model, configuration.q, velocity * self._dt
        )
        # Solvers meet limits to a tolerance; the rest would add up.
        configuration.update(self._bounds.clamp(q))
        self._moved(velocity)
        return True

    def _solve(self) -> Vector:
        """Return the velocity of a step, which goes as far towards hard targets as it can.

        Limited velocities may not allow the whole of it: then the stack asks for less.
        """
        if not self._hard:
            return self._solve_once(self._still)
        named = [(task.name, task) for task in self._hard]
        named += [("held joints", task) for task in self._still]
        combined = CombinedConstraint(named, self.configuration)
        try:
            return self._solve_once([combined])
        except self.library.package.exceptions.NoSolutionFound as error:
            share = largest_share(error.problem, combined.rows)
            if share is None:
                raise
            return self._solve_once([CombinedConstraint(named, self.configuration, share)])

    def _solve_once(self, constraints: list[Any]) -> Vector:
        config = self._config
        if not self._builds_by_hand:
            return self._solve_ik(
                self.configuration, self.tasks, self._dt, solver=config.solver,
                damping=config.damping, limits=self._limits, barriers=self._barriers or None,
                constraints=constraints or None, safety_break=config.safety_break,
            )  # fmt: skip
        self.configuration.check_limits(safety_break=config.safety_break)
        problem = self._build(constraints)
        solution = solve(problem, config.solver)
        if not solution.found or solution.x is None:
            raise self.library.package.exceptions.NoSolutionFound(problem, solution)
        return np.asarray(solution.x) / self._dt

    def _build(self, constraints: list[Any]) -> qpsolvers.Problem:
        return self.library.package.build_ik(
            self.configuration, self.tasks, self._dt, damping=self._config.damping,
            limits=self._limits, barriers=self._barriers or None, constraints=constraints or None,
        )  # fmt: skip

    def _follow(self) -> None:
        """Make the present configuration the target of the postures that mean it."""
        q = self.configuration.q
        for task, lower, upper in self._following:
            task.set_target(np.minimum(np.maximum(q, lower), upper))

    def _moved(self, velocity: Vector) -> None:
        self.velocity = velocity
        for item, first in self._looking_back:
            # Both libraries' low acceleration has the base's rows in its error only.
            item.set_last_integration(velocity[first:], self._dt)


def _following(
    named: list[tuple[str, Any, Any]], inputs: TickInputs, stack: TaskStack
) -> list[tuple[Any, Vector, Vector]]:
    """Return the posture tasks that follow the robot, and between which bounds they do."""
    lower, upper = stack.bounds.q_lower, stack.bounds.q_upper
    margins = {
        spec.name: spec.margin
        for spec in inputs.tasks
        if isinstance(spec, PostureTaskSpec) and spec.target == "present"
    }
    found = []
    for name, task, made in named:
        if isinstance(task, PresentPostureTask):
            margin = inputs.config.joint_limit_posture_margin
        elif hasattr(task, "target_q") and name in margins:
            margin = margins[name]
        else:
            continue
        inward = inward_limits(lower, upper, margin) if margin > 0.0 else (lower, upper)
        found.append((made, *inward))
    return found
