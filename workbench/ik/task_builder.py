"""From the entries of the task list to Pink's tasks, built once and kept while they are the same.

The twelve fields' own tasks are not here but in :mod:`workbench.ik.stack`; this says which of them
an entry takes the place of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import pink
from numpy.typing import NDArray
from pink.tasks import (
    FrameTask,
    JointVelocityTask,
    LowAccelerationTask,
    Task,
)

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.tasks import (
    ClosedChainTaskSpec,
    ComTaskSpec,
    FrameTaskSpec,
    JointCouplingTaskSpec,
    JointVelocityTaskSpec,
    LinearHolonomicTaskSpec,
    OmniwheelTaskSpec,
    PostureTaskSpec,
    RelativeFrameTaskSpec,
    RollingTaskSpec,
    TaskSpec,
)
from workbench.ik.bounds import JointBounds
from workbench.ik.extra_tasks import (
    HardTask,
)
from workbench.ik.task_factory import TaskFactory
from workbench.poses import Pose

if TYPE_CHECKING:
    from workbench.model.robot import Robot

Vector = NDArray[np.float64]

HARD_SPEED_M_S = 0.25
HARD_SPEED_RAD_S = 0.5
"""Largest speeds at which a hard task removes its error."""


@dataclass(frozen=True, eq=False)
class BuiltTask:
    """An entry and its Pink task.

    Attributes:
        spec: The entry.
        task: Its task.
        hard: The same as a constraint; None for a soft task.
    """

    spec: TaskSpec
    task: Task
    hard: HardTask | None = None


class TaskBuilder:
    """Keeps the tasks of the list's enabled entries.

    Attributes:
        built: The enabled entries with their tasks, in the list's order. Entries that stand in
            for a tool's own task have no part in it.
        tool_specs: The entry that stands in for a tool's frame task, by frame.
        replaces_posture: Whether an entry stands in for the plain posture task.
    """

    def __init__(
        self, robot: Robot, configuration: pink.Configuration, bounds: JointBounds
    ) -> None:
        """Start with no entry.

        Args:
            robot: The robot.
            configuration: Where it is; the builder reads it, and its model.
            bounds: Limits of the model.
        """
        self._robot = robot
        self._configuration = configuration
        self._bounds = bounds
        self._factory = TaskFactory(robot, configuration, bounds, {}, Pose())
        self._tools = frozenset(robot.description.tool_frames)
        self._specs: tuple[TaskSpec, ...] = ()
        self._config: PinkKinematicsConfig | None = None
        self._velocity = np.zeros(configuration.model.nv)
        self.built: tuple[BuiltTask, ...] = ()
        self.tool_specs: dict[str, FrameTaskSpec] = {}
        self.replaces_posture = False

    def update(
        self,
        specs: tuple[TaskSpec, ...],
        config: PinkKinematicsConfig,
        home: Mapping[str, float],
        home_base: Pose,
    ) -> bool:
        """Bring the tasks in line with the list; True when anything changed.

        Args:
            specs: The list.
            config: The twelve fields, whose gain and LM damping an entry may take over.
            home: Joint positions of the home posture, by name, rad or m.
            home_base: Pose of the root link there.

        Raises:
            SolverError: If an entry names a frame or joint that the robot does not have; the
                tasks are then those of before.
        """
        factory = self._factory
        home_moved = home is not factory.home or home_base is not factory.home_base
        if specs is self._specs and config is self._config and not home_moved:
            return False
        kept = {built.spec.name: built for built in self.built}
        if home_moved:
            if home != factory.home or home_base != factory.home_base:
                kept = {}
            factory = TaskFactory(self._robot, self._configuration, self._bounds, home, home_base)
        enabled = [spec for spec in specs if spec.enabled]
        tool_specs = {spec.frame: spec for spec in enabled if self._is_tool_spec(spec)}
        result = [
            kept[spec.name]
            if spec.name in kept and kept[spec.name].spec is spec
            else _build(factory, spec)
            for spec in enabled
            if not self._is_tool_spec(spec)
        ]
        for built in result:
            _share(built, config)
        self._specs, self._config, self._factory = specs, config, factory
        self.built = tuple(result)
        self.tool_specs = tool_specs
        self.replaces_posture = any(isinstance(spec, PostureTaskSpec) for spec in enabled)
        return True

    def follow_posture(self) -> None:
        """Make the present configuration the target of the posture tasks that mean it."""
        for built in self.built:
            if isinstance(built.spec, PostureTaskSpec) and built.spec.target == "present":
                self._factory.set_posture(built.task, built.spec, self._configuration.q)

    def prepare(self, dt: float) -> None:
        """Tell the tasks that depend on it how long the next step is, in s."""
        for built in self.built:
            if built.hard is not None:
                built.hard.dt = dt
            if isinstance(built.task, LowAccelerationTask):
                # Pink's error has the base's rows as well, its Jacobian has not.
                built.task.set_last_integration(self._velocity[self._factory.root_nv :], dt)
            elif isinstance(built.spec, JointVelocityTaskSpec):
                assert isinstance(built.task, JointVelocityTask)
                # Pink removes the error that it is given, so that the target enters with a minus.
                built.task.set_target(-self._factory.joint_vector(built.spec.velocities, 0.0), dt)

    def moved(self, velocity: Vector | None) -> None:
        """Remember the velocity of the last step, shape (nv,); None when the robot stood still."""
        if velocity is None:
            self._velocity = np.zeros_like(self._velocity)
        else:
            self._velocity = velocity

    def _is_tool_spec(self, spec: TaskSpec) -> TypeGuard[FrameTaskSpec]:
        return isinstance(spec, FrameTaskSpec) and spec.frame in self._tools


def hard_frame(spec: FrameTaskSpec, task: FrameTask) -> HardTask:
    """Return a tool's frame task as a constraint."""
    rows, speeds = _hard_rows(spec, task)
    return HardTask(spec.name, task, rows, speeds)


def _build(factory: TaskFactory, spec: TaskSpec) -> BuiltTask:
    task = factory.make(spec)
    if not spec.constrains:
        return BuiltTask(spec, task)
    rows, speeds = _hard_rows(spec, task)
    return BuiltTask(spec, task, HardTask(spec.name, task, rows, speeds))


def _share(built: BuiltTask, config: PinkKinematicsConfig) -> None:
    """Give a task the config's gain and LM damping where its entry leaves them open."""
    spec: Any = built.spec
    if isinstance(spec, FrameTaskSpec | RelativeFrameTaskSpec | ComTaskSpec | ClosedChainTaskSpec):
        built.task.gain = float(config.gain if spec.gain is None else spec.gain)
        built.task.lm_damping = float(
            config.lm_damping if spec.lm_damping is None else spec.lm_damping
        )


def _hard_rows(spec: TaskSpec, task: Task) -> tuple[NDArray[np.int64], Vector]:
    """Return the rows of a hard task that are held, and the largest speed of each."""
    cost = task.cost
    if isinstance(spec, JointCouplingTaskSpec | LinearHolonomicTaskSpec):
        size = 1 if isinstance(spec, JointCouplingTaskSpec) else len(spec.equations)
        return np.arange(size), np.full(size, HARD_SPEED_RAD_S)
    if isinstance(spec, RollingTaskSpec | OmniwheelTaskSpec):
        size = 3 if isinstance(spec, RollingTaskSpec) else 2
        weights = np.broadcast_to(np.asarray(cost, dtype=np.float64), size)
    else:
        weights = np.asarray(cost, dtype=np.float64)
    speeds = np.full(len(weights), HARD_SPEED_M_S)
    speeds[3:] = HARD_SPEED_RAD_S
    rows = np.flatnonzero(weights)
    return rows, speeds[rows]
