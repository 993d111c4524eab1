"""From one entry of the task list to its Pink task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

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
    JointLimitTask,
    SteadyManipulabilityTask,
)
from workbench.ik.posture import inward_limits
from workbench.poses import Pose

if TYPE_CHECKING:
    from workbench.model.robot import Robot

Vector = NDArray[np.float64]


class TaskFactory:
    """Makes Pink's tasks for entries, for one home.

    Attributes:
        home: Joint positions of the home posture, by name, rad or m.
        home_base: Pose of the root link there.
        root_nv: Tangent coordinates of the floating base, which come first.
    """

    def __init__(
        self,
        robot: Robot,
        configuration: pink.Configuration,
        bounds: JointBounds,
        home: Mapping[str, float],
        home_base: Pose,
    ) -> None:
        """Take over where home is.

        Args:
            robot: The robot.
            configuration: Where it is; it is read, and so is its model.
            bounds: Limits of the model.
            home: Joint positions of the home posture, by name, rad or m.
            home_base: Pose of the root link there.
        """
        self._robot = robot
        self._configuration = configuration
        self._bounds = bounds
        self.home = home
        self.home_base = home_base
        self.root_nv = get_root_joint_dim(configuration.model)[1]
        self._home_data: tuple[Vector, pinocchio.Data] | None = None

    def make(self, spec: TaskSpec) -> Task:
        """Return the task of an entry.

        Raises:
            SolverError: If the entry names a frame or joint that the robot does not have.
        """
        return _MAKERS[type(spec)](self, spec)

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
            self.set_posture(task, spec, self._configuration.q)
            return task
        wanted = dict(self.home)
        if isinstance(spec.target, Mapping):
            self._require_joints(spec, spec.target)
            wanted.update(spec.target)
        self.set_posture(task, spec, self._robot.q_from_positions(wanted))
        return task

    def set_posture(self, task: Task, spec: PostureTaskSpec, q: Vector) -> None:
        """Make q, moved inward from the limits, the target of a posture task."""
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
        return self._wheel(OmniwheelTask, spec)

    def _rolling(self, spec: RollingTaskSpec) -> Task:
        return self._wheel(RollingTask, spec)

    def _wheel(
        self,
        make: type[OmniwheelTask] | type[RollingTask],
        spec: OmniwheelTaskSpec | RollingTaskSpec,
    ) -> Task:
        self._require_frames(spec, spec.hub_frame, spec.floor_frame)
        return make(
            spec.hub_frame, spec.floor_frame, spec.wheel_radius_m, _cost(spec.cost),
            gain=spec.gain, lm_damping=spec.lm_damping,
        )  # fmt: skip

    def _joint_limit(self, spec: JointLimitTaskSpec) -> Task:
        cost = self._joint_cost(spec.cost)
        if isinstance(cost, np.ndarray):
            cost = cost[self._bounds.limited_v - self.root_nv]
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
            q = self._robot.q_from_positions(self.home, self.home_base)
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
        return self.joint_vector(cost, 0.0)

    def joint_vector(self, values: Mapping[str, float], default: float) -> Vector:
        """Return numbers by joint in tangent order, without the base's; shape (nv - root,)."""
        vector = np.full(self._configuration.model.nv, default)
        for name, value in values.items():
            vector[self._robot.idx_v[self._robot.joint_index(name)]] = value
        return vector[self.root_nv :]


def tool_task_cost(spec: FrameTaskSpec) -> Vector:
    """Return the six weights of a frame entry."""
    return np.concatenate((_axes(spec.position_cost), _axes(spec.orientation_cost)))


def _cost(cost: AxisCost | tuple[float, float]) -> float | list[float]:
    return list(cost) if isinstance(cost, tuple) else float(cost)


def _axes(cost: AxisCost) -> Vector:
    return np.array(np.broadcast_to(np.asarray(cost, dtype=np.float64), 3))


def _placement(pose: Pose) -> pinocchio.SE3:
    return pinocchio.XYZQUATToSE3(pose.xyz_xyzw)


_MAKERS: dict[type[TaskSpec], Callable[[TaskFactory, Any], Task]] = {
    FrameTaskSpec: TaskFactory._frame,
    RelativeFrameTaskSpec: TaskFactory._relative_frame,
    PostureTaskSpec: TaskFactory._posture,
    ComTaskSpec: TaskFactory._com,
    DampingTaskSpec: TaskFactory._damping,
    LowAccelerationTaskSpec: TaskFactory._low_acceleration,
    ManipulabilityTaskSpec: TaskFactory._manipulability,
    JointVelocityTaskSpec: TaskFactory._joint_velocity,
    JointCouplingTaskSpec: TaskFactory._joint_coupling,
    LinearHolonomicTaskSpec: TaskFactory._linear_holonomic,
    OmniwheelTaskSpec: TaskFactory._omniwheel,
    RollingTaskSpec: TaskFactory._rolling,
    JointLimitTaskSpec: TaskFactory._joint_limit,
    ClosedChainTaskSpec: TaskFactory._closed_chain,
}
