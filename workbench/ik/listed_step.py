"""One step with everything on the task list, for streaming: DimOS's subclasses add tasks as well.

The plain config is solved as DimOS solves it, to the last bit; where the lists of tasks, limits
and barriers add to it, the live engine's own stack takes the step instead. No command moves a
floating base, so that it is limited to standing still.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.config.limits import FloatingBaseVelocityLimitSpec, LimitSpec
from workbench.ik.tick import LiveEngine
from workbench.ik.types import SolveStatus, TickInputs
from workbench.poses import Pose

if TYPE_CHECKING:
    from workbench.model.collision import CollisionModel
    from workbench.model.robot import Robot

Vector = NDArray[np.float64]

_STILL_BASE = FloatingBaseVelocityLimitSpec(
    name="the base stands still", linear_m_s=0.0, angular_rad_s=0.0
)


def has_lists(inputs: TickInputs) -> bool:
    """Tell whether a task list, limits or barriers add to the plain config."""
    return bool(inputs.tasks or inputs.limits or inputs.barriers)


class ListedStep:
    """Takes single steps from given positions. Used by one thread at a time."""

    def __init__(self, robot: Robot, collision: CollisionModel | None) -> None:
        """Build the stack.

        Args:
            robot: The robot.
            collision: Hulls of its links; None while there are none.
        """
        self._robot = robot
        self._engine = LiveEngine(robot)
        self._engine.set_collision(collision)
        self._given_limits: tuple[LimitSpec, ...] = ()
        self._limits: tuple[LimitSpec, ...] = (_STILL_BASE,)

    def set_collision(self, collision: CollisionModel | None) -> None:
        """Hand over the hulls of the robot's links, which self-collision barriers need."""
        self._engine.set_collision(collision)

    def next_positions(
        self, start: Vector, inputs: TickInputs, transform_base_to_world: Pose
    ) -> tuple[Vector | None, SolveStatus]:
        """Return where one step leads, in the description's order, or None and why it failed.

        Args:
            start: Positions to step from, inside the limits, in the description's order.
            inputs: What the step depends on.
            transform_base_to_world: Where a floating base is, and stays.

        Raises:
            SolverError: If the lists name something that the robot does not have.
        """
        if self._robot.description.floating_base:
            inputs = replace(inputs, limits=self._with_still_base(inputs.limits))
        # Not set_positions(): tasks and limits that look back shall remember the last step.
        q = self._robot.q_from_positions(start, transform_base_to_world)
        self._engine.stack.configuration.update_inside(q)
        result = self._engine.tick(inputs)
        return (result.positions if result.status.ok else None), result.status

    def _with_still_base(self, limits: tuple[LimitSpec, ...]) -> tuple[LimitSpec, ...]:
        """Return the limits, that of the base's velocity replaced; the same for the same."""
        if limits is not self._given_limits:
            others = (one for one in limits if not isinstance(one, FloatingBaseVelocityLimitSpec))
            self._given_limits, self._limits = limits, (*others, _STILL_BASE)
        return self._limits
