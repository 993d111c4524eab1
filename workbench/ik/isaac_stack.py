"""Pink's objects behind the Isaac-shaped controller.

The stack is that of Isaac Sim's Pink extension: one frame task, a posture task with the same gain,
Pink's own default limits, and whatever the user adds to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pink
from numpy.typing import NDArray
from pink.exceptions import NoSolutionFound, NotWithinConfigurationLimits, PinkError
from pink.tasks import FrameTask, PostureTask, Task

from workbench.ik.failures import SOLVER_FAILURES
from workbench.ik.solvers import quiet_exit_warnings, solve

if TYPE_CHECKING:
    import pinocchio as pin

Vector = NDArray[np.float64]

SOLVE_FAILURES: tuple[type[Exception], ...] = (PinkError, *SOLVER_FAILURES)
"""What :meth:`IsaacStack.solve` raises where there is no step: a configuration outside its limits,
a QP without a solution, a solver that is not there or cannot cope, a task without a target."""

OutsideLimits = NotWithinConfigurationLimits
"""The one of them for a configuration outside its limits, with joint, value and both limits."""


@dataclass(frozen=True)
class IsaacCosts:
    """The numbers of the stack, under the names of the controller's arguments.

    All are finite and none is negative: Pink does not look.

    Attributes:
        position_cost: cost/m; one number or one for each axis of the frame.
        orientation_cost: cost/rad; one number or one for each axis of the frame.
        posture_cost: cost/rad; None or 0 leaves the task out.
        damping: Tikhonov regularisation of the QP.
        gain: Share of the error that a step removes, of frame and posture task.
        lm_damping: Levenberg-Marquardt damping of the frame task.
        solver: QP solver.
    """

    position_cost: float | Sequence[float] = 1.0
    orientation_cost: float | Sequence[float] = 1.0
    posture_cost: float | None = 1e-3
    damping: float = 1e-12
    gain: float = 1.0
    lm_damping: float = 0.0
    solver: str = "osqp"


class IsaacStack:
    """The tasks of one controller, and Pink's configuration once it has been started.

    Attributes:
        frame_task: Pulls the tool frame to its target.
        posture_task: Pulls the joints to the posture; None when it is left out.
        configuration: Where the robot is; None before :meth:`start`.
    """

    def __init__(
        self,
        tool_frame: str,
        costs: IsaacCosts,
        extra_tasks: Iterable[Any] = (),
        extra_limits: Iterable[Any] = (),
        extra_barriers: Iterable[Any] = (),
    ) -> None:
        """Build the tasks.

        Args:
            tool_frame: Name of the frame.
            costs: The numbers.
            extra_tasks: Pink tasks that are solved for as well.
            extra_limits: Pink limits on top of position and velocity limits.
            extra_barriers: Pink barriers.
        """
        quiet_exit_warnings()
        self._costs = costs
        self.frame_task = FrameTask(
            tool_frame, costs.position_cost, costs.orientation_cost,
            lm_damping=costs.lm_damping, gain=costs.gain,
        )  # fmt: skip
        self.posture_task: PostureTask | None = None
        if costs.posture_cost is not None and costs.posture_cost > 0.0:
            self.posture_task = PostureTask(cost=costs.posture_cost, gain=costs.gain)
        self.configuration: pink.Configuration | None = None
        self._extra_tasks = list(extra_tasks)
        self._extra_limits = list(extra_limits)
        self._extra_barriers = list(extra_barriers)

    def start(
        self,
        model: pin.Model,
        data: pin.Data,
        q: Vector,
        collision_model: pin.GeometryModel | None = None,
        collision_data: pin.GeometryData | None = None,
    ) -> None:
        """Begin at a configuration: it and its tool pose become the targets."""
        self.configuration = pink.Configuration(
            model, data, q, collision_model=collision_model, collision_data=collision_data
        )
        self.frame_task.set_target_from_configuration(self.configuration)
        if self.posture_task is not None:
            self.posture_task.set_target_from_configuration(self.configuration)

    def solve(self, dt: float) -> Vector:
        """Return the velocity of one step, shape (nv,); :meth:`start` comes first.

        Args:
            dt: Length of the step, s.

        Raises:
            Exception: One of :data:`SOLVE_FAILURES`.
        """
        configuration = self.configuration
        assert configuration is not None, "start() comes first"
        configuration.check_limits()
        tasks: list[Task] = [self.frame_task]
        if self.posture_task is not None:
            tasks.append(self.posture_task)
        with np.errstate(all="ignore"):
            problem = pink.build_ik(
                configuration, [*tasks, *self._extra_tasks], dt, damping=self._costs.damping,
                limits=self._limits(configuration.model), barriers=self._extra_barriers or None,
            )  # fmt: skip
            solution = solve(problem, self._costs.solver)
        if not solution.found or solution.x is None:
            raise NoSolutionFound(problem, solution)
        if not np.isfinite(solution.x).all():
            raise ArithmeticError(f"{self._costs.solver} returned numbers that are not finite")
        return solution.x / dt

    def _limits(self, model: Any) -> list[Any] | None:
        """Return Pink's default limits and the extra ones; None means the defaults alone."""
        if not self._extra_limits:
            return None
        defaults = [model.configuration_limit, model.velocity_limit]
        if model.floating_base_velocity_limit is not None:
            defaults.append(model.floating_base_velocity_limit)
        return [*defaults, *self._extra_limits]
