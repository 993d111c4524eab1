"""The lists of tasks, limits and barriers as Pink's objects, ready for a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pink
from numpy.typing import NDArray
from pink.barriers import Barrier
from pink.limits import Limit
from pink.tasks import Task

from workbench.ik.bounds import PINK_POSITION_GAIN, JointBounds
from workbench.ik.limit_builder import BuiltBarrier, BuiltLimit, LimitBuilder
from workbench.ik.task_builder import TaskBuilder
from workbench.ik.types import TickInputs

if TYPE_CHECKING:
    from workbench.config.tasks import FrameTaskSpec
    from workbench.ik.extra_tasks import HardTask
    from workbench.ik.self_collision import HullDistanceBarrier
    from workbench.model.collision import CollisionModel
    from workbench.model.robot import Robot

Vector = NDArray[np.float64]


class ListedEntries:
    """What the three lists add to the plain stack.

    Attributes:
        present: False while all lists are empty; nothing else here matters then.
    """

    def __init__(
        self, robot: Robot, configuration: pink.Configuration, bounds: JointBounds
    ) -> None:
        """Start with empty lists.

        Args:
            robot: The robot.
            configuration: Where it is.
            bounds: Position and velocity limits in force.
        """
        self._bounds = bounds
        self._tasks = TaskBuilder(robot, configuration, bounds)
        self._limits = LimitBuilder(robot, configuration, bounds)
        self.present = False
        # True from an update that failed half-way until one that did not.
        self._stale = False

    @property
    def tool_specs(self) -> dict[str, FrameTaskSpec]:
        """The entries that stand in for a tool's own frame task, by frame."""
        return self._tasks.tool_specs

    @property
    def replaces_posture(self) -> bool:
        """Whether an entry stands in for the plain posture task."""
        return self._tasks.replaces_posture

    @property
    def soft(self) -> list[tuple[str, Task]]:
        """Names and tasks of the entries that are costs."""
        return [(item.spec.name, item.task) for item in self._tasks.built if item.hard is None]

    @property
    def hard(self) -> list[tuple[str, HardTask]]:
        """Names and tasks of the entries that are constraints."""
        return [(item.spec.name, item.hard) for item in self._tasks.built if item.hard is not None]

    @property
    def limits(self) -> tuple[BuiltLimit, ...]:
        """Limits on top of those of positions and velocities."""
        return self._limits.limits

    @property
    def barriers(self) -> tuple[BuiltBarrier, ...]:
        """Barriers."""
        return self._limits.barriers

    @property
    def acceleration_limits(self) -> dict[int, str]:
        """Name of the acceleration limit of each tangent coordinate that has one."""
        return {
            index: built.spec.name
            for built in self.limits
            if built.spec.kind == "acceleration"
            for index, _ in built.rows
        }

    @property
    def pink_limits(self) -> list[Limit]:
        """All limits as Pink takes them."""
        return [self._bounds, *(item.limit for item in self._limits.limits)]

    @property
    def pink_barriers(self) -> list[Barrier] | None:
        """All barriers as Pink takes them."""
        return [item.barrier for item in self._limits.barriers] or None

    @property
    def velocity_share(self) -> float:
        """Share of the velocity limits that may be used."""
        return self._limits.velocity_share

    @property
    def missing(self) -> str:
        """Why an entry cannot have effect yet, one sentence; empty where all can."""
        return self._limits.missing

    @property
    def self_collision(self) -> HullDistanceBarrier | None:
        """The barrier that keeps the robot's links apart, None where there is none."""
        return self._limits.self_collision

    def set_collision(self, collision: CollisionModel | None) -> None:
        """Hand over the hulls of the robot's links; :meth:`update` comes next."""
        self._limits.set_collision(collision)

    def update(self, inputs: TickInputs) -> bool:
        """Bring everything in line with the lists; True when anything changed.

        Raises:
            SolverError: If an entry names a frame or joint that the robot does not have, or asks
                for what this robot cannot have.
        """
        changed, self._stale = self._stale, True
        changed |= self._limits.update(inputs.limits, inputs.barriers)
        changed |= self._tasks.update(inputs.tasks, inputs.config, inputs.home, inputs.home_base)
        self._stale = False
        if changed:
            gain = self._limits.configuration_gain
            self._bounds.set_position_gain(PINK_POSITION_GAIN if gain is None else gain)
        self.present = bool(inputs.tasks or inputs.limits or inputs.barriers)
        return changed

    def follow_posture(self) -> None:
        """Make the present configuration the target of the posture tasks that mean it."""
        self._tasks.follow_posture()

    def prepare(self, dt: float) -> None:
        """Tell what depends on it how long the next step is, in s."""
        self._tasks.prepare(dt)
        self._limits.prepare(dt)

    def moved(self, velocity: Vector | None) -> None:
        """Remember the velocity of the last step, shape (nv,); None when the robot stood still."""
        self._tasks.moved(velocity)
        self._limits.moved(velocity)
