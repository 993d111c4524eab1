"""From the entries of the task list to Pink's tasks, built once and kept while they are the same.

The twelve fields' own tasks are not here but in :mod:`workbench.ik.stack`; this says which of them
an entry takes the place of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import pink
import pinocchio
from numpy.typing import NDArray
from pink.tasks import (
    ComTask,
    DampingTask,
    FrameTask,
    JointCouplingTask,
    JointVelocityTask,
    LinearHolonomicTask,
    LowAccelerationTask,
    OmniwheelTask,
    PostureTask,
    RelativeFrameTask,
    RollingTask,
    Task,
)
from pink.utils import get_root_joint_dim

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.tasks import (
    ClosedChainTaskSpec,
    ComTaskSpec,
    DampingTaskSpec,
    FrameTaskSpec,
    JointCouplingTaskSpec,
    JointLimitTaskSpec,
    JointVelocityTaskSpec,
    LinearHolonomicTaskSpec,
    LowAccelerationTaskSpec,
    ManipulabilityTaskSpec,
    OmniwheelTaskSpec,
    PostureTaskSpec,
    RelativeFrameTaskSpec,
    RollingTaskSpec,
    TaskSpec,
)
from workbench.config.tasks_values_joints import JointCost
from workbench.config.tasks_values_space import AxisCost
from workbench.errors import SolverError, did_you_mean
from workbench.ik.bounds import JointBounds
from workbench.ik.extra_tasks import (
    ClosedChainTask,
    HardTask,
    JointLimitTask,
    SteadyManipulabilityTask,
)
from workbench.ik.posture import inward_limits
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
        self._root_nv = get_root_joint_dim(configuration.model)[1]
        self._tools = frozenset(robot.description.tool_frames)
        self._specs: tuple[TaskSpec, ...] = ()
        self._config: PinkKinematicsConfig | None = None
        self._home: Mapping[str, float] | None = None
        self._home_base: Pose | None = None
        self._home_data: tuple[Vector, pinocchio.Data] | None = None
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
        home_moved = home is not self._home or home_base is not self._home_base
        if specs is self._specs and config is self._config and not home_moved:
            return False
        kept: dict[str, BuiltTask] = {}
        before = self._home, self._home_base, self._home_data
        if not home_moved or (home == self._home and home_base == self._home_base):
            kept = {built.spec.name: built for built in self.built}
        else:
            self._home_data = None
        self._home, self._home_base = home, home_base
        enabled = [spec for spec in specs if spec.enabled]
        tool_specs = {spec.frame: spec for spec in enabled if self._is_tool_spec(spec)}
        try:
            result = [
                kept[spec.name]
                if spec.name in kept and kept[spec.name].spec is spec
                else self._build(spec)
                for spec in enabled
                if not self._is_tool_spec(spec)
            ]
        except SolverError:
            self._home, self._home_base, self._home_data = before
            raise
        for built in result:
            _share(built, config)
        self._specs, self._config = specs, config
        self.built = tuple(result)
        self.tool_specs = tool_specs
        self.replaces_posture = any(isinstance(spec, PostureTaskSpec) for spec in enabled)
        return True

    def follow_posture(self) -> None:
        """Make the present configuration the target of the posture tasks that mean it."""
        for built in self.built:
            if isinstance(built.spec, PostureTaskSpec) and built.spec.target == "present":
                self._set_posture(built.task, built.spec, self._configuration.q)

    def prepare(self, dt: float) -> None:
        """Tell the tasks that depend on it how long the next step is, in s."""
        for built in self.built:
            if built.hard is not None:
                built.hard.dt = dt
            if isinstance(built.task, LowAccelerationTask):
                # Pink's error has the base's rows as well, its Jacobian has not.
                built.task.set_last_integration(self._velocity[self._root_nv :], dt)
            elif isinstance(built.spec, JointVelocityTaskSpec):
                assert isinstance(built.task, JointVelocityTask)
                # Pink removes the error that it is given, so that the target enters with a minus.
                built.task.set_target(-self._joint_vector(built.spec.velocities, 0.0), dt)

    def moved(self, velocity: Vector | None) -> None:
        """Remember the velocity of the last step, shape (nv,); None when the robot stood still."""
        if velocity is None:
            self._velocity = np.zeros_like(self._velocity)
        else:
            self._velocity = velocity

    def _is_tool_spec(self, spec: TaskSpec) -> TypeGuard[FrameTaskSpec]:
        return isinstance(spec, FrameTaskSpec) and spec.frame in self._tools

    # Building ------------------------------------------------------------------------------

    def _build(self, spec: TaskSpec) -> BuiltTask:
        task = _BUILDERS[type(spec)](self, spec)
        if not spec.constrains:
            return BuiltTask(spec, task)
        rows, speeds = _hard_rows(spec, task)
        return BuiltTask(spec, task, HardTask(spec.name, task, rows, speeds))

    def _frame(self, spec: FrameTaskSpec) -> Task:
        self._require_frames(spec, spec.frame)
        task = FrameTask(spec.frame, _cost(spec.position_cost), _cost(spec.orientation_cost))
        task.transform_target_to_world = (
            self._at_home(spec.frame) if spec.target is None else _placement(spec.target)
        )
        return task

    def _relative_frame(self, spec: RelativeFrameTaskSpec) -> Task:
        self._require_frames(spec, spec.frame, spec.root)
        task = RelativeFrameTask(
            spec.frame, spec.root, _cost(spec.position_cost), _cost(spec.orientation_cost)
        )
        task.transform_target_to_root = (
            self._at_home(spec.root).actInv(self._at_home(spec.frame))
            if spec.target is None
            else _placement(spec.target)
        )
        return task

    def _posture(self, spec: PostureTaskSpec) -> Task:
        task = PostureTask(cost=0.0, lm_damping=spec.lm_damping, gain=spec.gain)
        task.cost = self._joint_cost(spec.cost)
        if spec.target == "present":
            self._set_posture(task, spec, self._configuration.q)
            return task
        wanted = dict(self._home or {})
        if isinstance(spec.target, Mapping):
            self._require_joints(spec, spec.target)
            wanted.update(spec.target)
        self._set_posture(task, spec, self._robot.q_from_positions(wanted))
        return task

    def _set_posture(self, task: Task, spec: PostureTaskSpec, q: Vector) -> None:
        assert isinstance(task, PostureTask)
        if spec.margin > 0.0:
            lower, upper = inward_limits(self._bounds.q_lower, self._bounds.q_upper, spec.margin)
            q = np.minimum(np.maximum(q, lower), upper)
        task.target_q = q

    def _com(self, spec: ComTaskSpec) -> Task:
        task = ComTask(cost=_cost(spec.cost))
        if spec.target is None:
            q, data = self._home_kinematics()
            task.target_com = pinocchio.centerOfMass(self._configuration.model, data, q).copy()
        else:
            task.target_com = np.array(spec.target)
        return task

    def _damping(self, spec: DampingTaskSpec) -> Task:
        task = DampingTask(cost=0.0)
        task.cost = self._joint_cost(spec.cost)
        return task

    def _low_acceleration(self, spec: LowAccelerationTaskSpec) -> Task:
        task = LowAccelerationTask(cost=0.0)
        task.cost = self._joint_cost(spec.cost)
        return task

    def _manipulability(self, spec: ManipulabilityTaskSpec) -> Task:
        self._require_frames(spec, spec.frame)
        world = spec.reference == "world"
        try:
            return SteadyManipulabilityTask(
                spec.frame,
                self._configuration.model,
                cost=spec.cost,
                lm_damping=spec.lm_damping,
                gain=spec.gain,
                reference_frame=(
                    pinocchio.ReferenceFrame.WORLD if world else pinocchio.ReferenceFrame.LOCAL
                ),
                manipulability_rate=spec.rate,
                mask=None if spec.axes == "all" else spec.axes,  # type: ignore[arg-type]
            )
        except ValueError as error:
            raise SolverError(str(error), field=f"tasks.{spec.name}.frame") from error

    def _joint_velocity(self, spec: JointVelocityTaskSpec) -> Task:
        self._require_joints(spec, spec.velocities)
        task = JointVelocityTask(cost=0.0)
        task.cost = self._joint_cost(spec.cost)
        return task

    def _joint_coupling(self, spec: JointCouplingTaskSpec) -> Task:
        self._require_joints(spec, spec.ratios)
        return JointCouplingTask(
            list(spec.ratios), list(spec.ratios.values()), spec.cost, self._configuration,
            lm_damping=spec.lm_damping, gain=spec.gain,
        )  # fmt: skip

    def _linear_holonomic(self, spec: LinearHolonomicTaskSpec) -> Task:
        model = self._configuration.model
        matrix = np.zeros((len(spec.equations), model.nv))
        for row, equation in zip(matrix, spec.equations, strict=True):
            self._require_joints(spec, equation.coefficients)
            for name, number in equation.coefficients.items():
                row[self._robot.idx_v[self._robot.joint_index(name)]] = number
        values = np.array([equation.value for equation in spec.equations])
        return LinearHolonomicTask(
            matrix, values, pinocchio.neutral(model), cost=spec.cost,
            lm_damping=spec.lm_damping, gain=spec.gain,
        )  # fmt: skip

    def _omniwheel(self, spec: OmniwheelTaskSpec) -> Task:
        self._require_frames(spec, spec.hub_frame, spec.floor_frame)
        return OmniwheelTask(
            spec.hub_frame, spec.floor_frame, spec.wheel_radius_m, _cost(spec.cost),
            gain=spec.gain, lm_damping=spec.lm_damping,
        )  # fmt: skip

    def _rolling(self, spec: RollingTaskSpec) -> Task:
        self._require_frames(spec, spec.hub_frame, spec.floor_frame)
        return RollingTask(
            spec.hub_frame, spec.floor_frame, spec.wheel_radius_m, _cost(spec.cost),
            gain=spec.gain, lm_damping=spec.lm_damping,
        )  # fmt: skip

    def _joint_limit(self, spec: JointLimitTaskSpec) -> Task:
        cost = self._joint_cost(spec.cost)
        if isinstance(cost, np.ndarray):
            cost = cost[self._bounds.limited_v - self._root_nv]
        return JointLimitTask(
            self._bounds, cost, spec.margin, lm_damping=spec.lm_damping, gain=spec.gain
        )

    def _closed_chain(self, spec: ClosedChainTaskSpec) -> Task:
        self._require_frames(spec, spec.frame, spec.other_frame)
        cost = _axes(spec.position_cost)
        if spec.holds == "pose":
            cost = np.concatenate((cost, _axes(spec.orientation_cost)))
        return ClosedChainTask(spec.frame, spec.other_frame, _placement(spec.offset), cost=cost)

    # Parts -----------------------------------------------------------------------------------

    def _home_kinematics(self) -> tuple[Vector, pinocchio.Data]:
        """Return the home configuration, and data with the frames' placements there."""
        if self._home_data is None:
            model = self._configuration.model
            q = self._robot.q_from_positions(self._home or {}, self._home_base)
            data = model.createData()
            pinocchio.framesForwardKinematics(model, data, q)
            self._home_data = q, data
        return self._home_data

    def _at_home(self, frame: str) -> pinocchio.SE3:
        _, data = self._home_kinematics()
        return data.oMf[self._configuration.model.getFrameId(frame)].copy()

    def _require_frames(self, spec: TaskSpec, *frames: str) -> None:
        model = self._configuration.model
        for name in frames:
            if not model.existFrame(name):
                raise SolverError(
                    "there is no such frame", field=f"tasks.{spec.name}", value=name,
                    expected=did_you_mean(name, self._robot.description.frames),
                )  # fmt: skip

    def _require_joints(self, spec: TaskSpec, joints: Mapping[str, float]) -> None:
        known = self._robot.description.joint_names
        for name in joints:
            if name not in known:
                raise SolverError(
                    "there is no such joint", field=f"tasks.{spec.name}", value=name,
                    expected=did_you_mean(name, known),
                )  # fmt: skip

    def _joint_cost(self, cost: JointCost) -> float | Vector:
        """Return one cost, or one for each tangent coordinate that is not the base's."""
        if not isinstance(cost, Mapping):
            return float(cost)
        return self._joint_vector(cost, 0.0)

    def _joint_vector(self, values: Mapping[str, float], default: float) -> Vector:
        """Return numbers by joint in tangent order, without the base's; shape (nv - root,)."""
        vector = np.full(self._configuration.model.nv, default)
        for name, value in values.items():
            vector[self._robot.idx_v[self._robot.joint_index(name)]] = value
        return vector[self._root_nv :]


def tool_task_cost(spec: FrameTaskSpec) -> Vector:
    """Return the six weights of a frame entry."""
    return np.concatenate((_axes(spec.position_cost), _axes(spec.orientation_cost)))


def hard_frame(spec: FrameTaskSpec, task: FrameTask) -> HardTask:
    """Return a tool's frame task as a constraint."""
    rows, speeds = _hard_rows(spec, task)
    return HardTask(spec.name, task, rows, speeds)


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


def _cost(cost: AxisCost | tuple[float, float]) -> float | list[float]:
    return list(cost) if isinstance(cost, tuple) else float(cost)


def _axes(cost: AxisCost) -> Vector:
    return np.array(np.broadcast_to(np.asarray(cost, dtype=np.float64), 3))


def _placement(pose: Pose) -> pinocchio.SE3:
    return pinocchio.XYZQUATToSE3(pose.xyz_xyzw)


_BUILDERS: dict[type[TaskSpec], Callable[[TaskBuilder, Any], Task]] = {
    FrameTaskSpec: TaskBuilder._frame,
    RelativeFrameTaskSpec: TaskBuilder._relative_frame,
    PostureTaskSpec: TaskBuilder._posture,
    ComTaskSpec: TaskBuilder._com,
    DampingTaskSpec: TaskBuilder._damping,
    LowAccelerationTaskSpec: TaskBuilder._low_acceleration,
    ManipulabilityTaskSpec: TaskBuilder._manipulability,
    JointVelocityTaskSpec: TaskBuilder._joint_velocity,
    JointCouplingTaskSpec: TaskBuilder._joint_coupling,
    LinearHolonomicTaskSpec: TaskBuilder._linear_holonomic,
    OmniwheelTaskSpec: TaskBuilder._omniwheel,
    RollingTaskSpec: TaskBuilder._rolling,
    JointLimitTaskSpec: TaskBuilder._joint_limit,
    ClosedChainTaskSpec: TaskBuilder._closed_chain,
}
