"""The objective that both of DimOS's modes share: frame tasks, a posture, hard bounds, held joints.

Streaming and planning differ in how they use it; :class:`PoseTasks` builds Pink's objects once
and updates them in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pink
import pinocchio
from numpy.typing import NDArray
from pink.exceptions import NotWithinConfigurationLimits
from pink.tasks import FrameTask, LinearHolonomicTask, PostureTask, Task

from workbench.config.frozen import frozen_mapping
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.settings import SolveWith
from workbench.errors import SolverError
from workbench.ik import failures
from workbench.ik.bounds import LIMIT_TOLERANCE, JointBounds
from workbench.ik.fast import FastSolver
from workbench.ik.posture import inward_limits
from workbench.ik.solvers import is_built_by_hand, quiet_exit_warnings, solve
from workbench.ik.types import SolveStatus
from workbench.model.controlled import ControlledRobot
from workbench.poses import Pose

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class PostureShape:
    """What a robot's own tuning changes about the posture task.

    Attributes:
        weights: Factors on the posture cost, by joint name; 1 for joints that are not named.
        target: Positions that the posture pulls to, by joint name, rad or m, instead of the
            present ones; joints that are not named keep the present position.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    target: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Freeze the mappings."""
        for name in ("weights", "target"):
            object.__setattr__(self, name, frozen_mapping(getattr(self, name)))


class PoseTasks:
    """Pink's objects for a robot, kept up to date.

    Attributes:
        robot: The robot.
        configuration: Pink's configuration.
    """

    def __init__(
        self,
        robot: ControlledRobot,
        config: PinkKinematicsConfig,
        shape: PostureShape,
        solve_with: SolveWith = "pink",
    ) -> None:
        """Build what does not depend on targets.

        Args:
            robot: The robot; attributes are hung on its model.
            config: The twelve settings.
            shape: What its tuning changes about the posture.
            solve_with: Who solves: the answer is the same.

        Raises:
            RobotError: If the shape names a joint that is not controlled.
        """
        quiet_exit_warnings()
        self._solve_ik = FastSolver().solve_ik if solve_with == "fast" else pink.solve_ik
        self.robot = robot
        model = robot.model
        self.configuration = pink.Configuration(
            model, model.createData(), pinocchio.neutral(model), copy_data=False
        )
        self._velocity_limits = _usable(np.array(model.upperVelocityLimit, dtype=np.float64))
        self._bounds = JointBounds(model, self._velocity_limits)
        self._frame_tasks: dict[str, FrameTask] = {}
        self._frames: tuple[str, ...] = ()
        self._shape = shape
        self._weights = np.ones(model.nv)
        for name, weight in shape.weights.items():
            self._weights[robot.idx_v[robot.joint_index(name)]] = weight
        for name in shape.target:
            robot.joint_index(name)
        self._tangent_names = ["a joint that is not controlled"] * model.nv
        for name, at in zip(robot.joint_names, robot.idx_v, strict=True):
            self._tangent_names[at] = name
        self._held: dict[int, float] = {}
        self._hold: LinearHolonomicTask | None = None
        self.configure(config)

    def configure(self, config: PinkKinematicsConfig) -> None:
        """Take over settings."""
        self.config = config
        self._inward: tuple[Vector, Vector] | None = None
        model = self.robot.model
        if config.joint_limit_posture_margin > 0.0:
            self._inward = inward_limits(
                np.array(model.lowerPositionLimit), np.array(model.upperPositionLimit),
                config.joint_limit_posture_margin,
            )  # fmt: skip
        for task in self._frame_tasks.values():
            task.set_position_cost(config.position_cost)
            task.set_orientation_cost(config.orientation_cost)
            task.gain, task.lm_damping = config.gain, config.lm_damping
        self._posture: PostureTask | None = None
        if config.posture_cost > 0.0:
            self._posture = PostureTask(cost=config.posture_cost)
            if self._shape.weights:
                self._posture.cost = config.posture_cost * self._weights

    def set_velocity_limits(self, limits: Mapping[str, float]) -> None:
        """Replace the robot's own velocity limits in the QP, by joint name, rad/s or m/s.

        Raises:
            RobotError: If there is no such joint.
        """
        values = self._velocity_limits.copy()
        for name, limit in limits.items():
            values[self.robot.idx_v[self.robot.joint_index(name)]] = limit
        self._bounds.set_velocity_caps(values)

    def aim(self, targets: Mapping[str, Pose]) -> None:
        """Set the targets; frames that are not among them have no task.

        Raises:
            RobotError: If there is no such frame.
        """
        for name, pose in targets.items():
            if name not in self._frame_tasks:
                self.robot.require_frame(name)
                config = self.config
                self._frame_tasks[name] = FrameTask(
                    name, config.position_cost, config.orientation_cost, config.lm_damping,
                    config.gain,
                )  # fmt: skip
            placement = pinocchio.SE3(pose.rotation, pose.translation)
            self._frame_tasks[name].transform_target_to_world = placement
        self._frames = tuple(targets)

    def follow_posture(self, q: Vector) -> None:
        """Make q, moved inward from the limits and shaped, the target of the posture."""
        if self._posture is None:
            return
        target = q.copy()
        if self._inward is not None:
            target = np.minimum(np.maximum(target, self._inward[0]), self._inward[1])
        if self._shape.target:
            positions = self.robot.positions_from_q(target)
            for name, position in self._shape.target.items():
                positions[self.robot.joint_index(name)] = position
            target = self.robot.q_from_positions(positions)
        self._posture.set_target(target)

    def hold(self, held: Mapping[str, float]) -> None:
        """Hold joints by a hard constraint, by name, in rad or m; they go there within bounds.

        Raises:
            SolverError: If a joint shall be held outside its limits.
            RobotError: If there is no such joint.
        """
        robot = self.robot
        rows: dict[int, float] = {}
        for name, position in held.items():
            index = robot.joint_index(name)
            lower, upper = float(robot.lower[index]), float(robot.upper[index])
            if not lower - LIMIT_TOLERANCE <= position <= upper + LIMIT_TOLERANCE:
                raise SolverError(
                    "cannot be held outside its limits", field=name, value=position,
                    expected=f"a position in [{lower:.6g}, {upper:.6g}]",
                )  # fmt: skip
            rows[index] = float(position)
        matrix = np.zeros((len(rows), robot.model.nv))
        for row, index in enumerate(rows):
            matrix[row, robot.idx_v[index]] = 1.0
        self._held = rows
        self._hold = None
        if rows:
            self._hold = LinearHolonomicTask(matrix, np.zeros(len(rows)), self.configuration.q)

    def step(self, dt: float) -> tuple[Vector | None, SolveStatus]:
        """Solve from the present configuration; returns the new q, or None and why.

        The configuration stays where it is.

        Args:
            dt: Length of the step in s, finite and positive.
        """
        config = self.config
        try:
            # A far target overflows inside Pink; the check below tells, not the terminal.
            with np.errstate(all="ignore"):
                velocity = self._solve(config, dt)
        except NotWithinConfigurationLimits as error:
            return None, outside_limits(self.robot, self.configuration.q, error)
        except failures.SOLVER_FAILURES as error:
            return None, failures.solver_failure(error, self._tangent_names, config.solver, dt)
        if not np.isfinite(velocity).all():
            return None, failures.not_finite(config.solver)
        q = pinocchio.integrate(self.robot.model, self.configuration.q, velocity * dt)
        return q, SolveStatus()

    def _solve(self, config: PinkKinematicsConfig, dt: float) -> Vector:
        tasks: list[Task] = [self._frame_tasks[name] for name in self._frames]
        if self._posture is not None:
            tasks.append(self._posture)
        limits, constraints = [self._bounds], self._constraints(dt)
        if not is_built_by_hand(config.solver):
            return self._solve_ik(
                self.configuration, tasks, dt, solver=config.solver, damping=config.damping,
                limits=limits, constraints=constraints, safety_break=config.safety_break,
            )  # fmt: skip
        self.configuration.check_limits(safety_break=config.safety_break)
        problem = pink.build_ik(
            self.configuration, tasks, dt, damping=config.damping, limits=limits,
            constraints=constraints,
        )  # fmt: skip
        solution = solve(problem, config.solver)
        if not solution.found or solution.x is None:
            raise pink.exceptions.NoSolutionFound(problem, solution)
        return solution.x / dt

    def _constraints(self, dt: float) -> list[Task] | None:
        if self._hold is None:
            return None
        q = self.configuration.q
        positions = self.robot.positions_from_q(q)
        lower, upper = self._bounds.box(self.configuration, dt)
        for row, (index, position) in enumerate(self._held.items()):
            step = position - float(positions[index])
            if self.robot.is_continuous[index]:
                step = float(np.arctan2(np.sin(step), np.cos(step)))
            at = self.robot.idx_v[index]
            self._hold.b[row] = min(max(step, float(lower[at])), float(upper[at]))
        self._hold.q_0 = q
        return [self._hold]


def _usable(velocity_limits: Vector) -> Vector:
    """Return limits with infinity where Pink takes them for none: at 0 and absurdly large ones."""
    none = (velocity_limits <= 1e-10) | (velocity_limits >= 1e20)
    return np.where(none, np.inf, velocity_limits)


def outside_limits(
    robot: ControlledRobot, q: Vector, error: NotWithinConfigurationLimits
) -> SolveStatus:
    """Return the status of a solve that Pink refuses from outside the limits."""
    found = robot.outside_limits(robot.positions_from_q(q), LIMIT_TOLERANCE)
    if found is None:
        return SolveStatus("outside_limits", str(error), "Start inside the limits.")
    name, position, lower, upper = found
    return SolveStatus(
        "outside_limits",
        f"Joint {name} is at {position:.6g}, outside its limits [{lower:.6g}, {upper:.6g}].",
        "Start inside the limits.",
    )
