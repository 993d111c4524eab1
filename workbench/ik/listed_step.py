"""One step with everything on the task list, for streaming: DimOS's subclasses add tasks as well.

The plain config is solved as DimOS solves it, to the last bit; where the lists of tasks, limits
and barriers add to it, the live engine's own stack takes the step instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.errors import SolverError
from workbench.ik.tick import LiveEngine
from workbench.ik.types import SolveStatus, TickInputs

if TYPE_CHECKING:
    from workbench.model.collision import CollisionModel
    from workbench.model.robot import Robot

Vector = NDArray[np.float64]


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

    def set_collision(self, collision: CollisionModel | None) -> None:
        """Hand over the hulls of the robot's links, which self-collision barriers need."""
        self._engine.set_collision(collision)

    def next_positions(
        self, start: Vector, inputs: TickInputs
    ) -> tuple[Vector | None, SolveStatus]:
        """Return where one step leads, in the description's order, or None and why it failed.

        Args:
            start: Positions to step from, inside the limits, in the description's order.
            inputs: What the step depends on.

        Raises:
            SolverError: If the lists name something that the robot does not have, or its base
                floats, which no command can move.
        """
        if self._robot.description.floating_base:
            raise SolverError(
                "streaming commands no floating base, and the lists do not hold it",
                field="tasks", expected="empty lists, or a robot with a fixed base",
            )  # fmt: skip
        # Not set_positions(): tasks and limits that look back shall remember the last step.
        self._engine.stack.configuration.update_inside(self._robot.q_from_positions(start))
        result = self._engine.tick(inputs)
        return (result.positions if result.status.ok else None), result.status
