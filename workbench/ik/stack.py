"""The task stack: Pink's tasks, limits and constraint, built once and updated in place.

The stack means what DimOS means with the same config: a frame task for each tool, a posture task
whose target is the present configuration moved inward from the limits (gain 1, no
Levenberg-Marquardt damping, left out at cost 0), Pink's configuration and velocity limits, and
held joints as a hard constraint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pink
import pinocchio
from numpy.typing import NDArray
from pink.tasks import FrameTask, LinearHolonomicTask, Task

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.errors import SolverError, did_you_mean
from workbench.ik.bounds import LIMIT_TOLERANCE, JointBounds
from workbench.ik.configuration import IndexedConfiguration
from workbench.ik.posture import PresentPostureTask
from workbench.ik.solvers import is_sparse_only, quiet_exit_warnings, solve
from workbench.ik.types import TickInputs
from workbench.poses import Pose

if TYPE_CHECKING:
    from workbench.model.robot import Robot

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class HeldJointRow:
    """A row of the hard constraint.

    Attributes:
        name: Name of the joint.
        index: Its place in the description's order.
        idx_v: Its tangent coordinate.
        position: Where it is held, rad or m.
        wraps: True for a continuous joint, which goes the shorter way round.
    """

    name: str
    index: int
    idx_v: int
    position: float
    wraps: bool


class TaskStack:
    """Pink's view of a robot at a configuration, with everything that a solve needs.

    Attributes:
        robot: The robot.
        configuration: Pink's configuration; the stack owns its data.
        bounds: Joint and velocity limits in force.
        tangent_names: Name of the joint behind each tangent coordinate.
        invalid_targets: Names of the frames whose target is no pose.
        outside_hold: A held joint whose position lies outside its limits, or None.
    """

    def __init__(self, robot: Robot, q: Vector) -> None:
        """Build the tasks for every tool frame.

        Args:
            robot: The robot.
            q: Configuration to start from, shape (nq,).
        """
        quiet_exit_warnings()
        # Pink hangs attributes on its model, and robots are shared between threads.
        model = robot.model.copy()
        self.robot = robot
        names = robot.description.tool_frames
        self.bounds = JointBounds(model, robot.velocity_caps)
        self.configuration = IndexedConfiguration(model, q, names, self.bounds)
        self.tangent_names = _tangent_names(robot)
        self.invalid_targets: list[str] = []
        self.outside_hold: HeldJointRow | None = None
        self._frame_tasks = {name: FrameTask(name, 0.0, 0.0) for name in names}
        self._posture = PresentPostureTask(self.bounds)
        self._config: PinkKinematicsConfig | None = None
        self._solver_is_sparse = False
        self._seen_targets: dict[str, Pose | None] = {}
        self._targets: dict[str, Pose | None] = {}
        self._active: list[Task] = []
        self._limits = [self.bounds]
        self._held: Mapping[str, float] = {}
        self._held_rows: tuple[HeldJointRow, ...] = ()
        self._hold: LinearHolonomicTask | None = None
        self._caps: Mapping[str, float] = {}

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks of the next solve: those of the enabled frames, then the posture."""
        return tuple(self._active)

    def update(self, inputs: TickInputs) -> None:
        """Bring the tasks in line with the inputs; costs nothing where nothing has changed.

        Raises:
            SolverError: If the inputs name a frame or joint that the robot does not have.
        """
        changed = inputs.config is not self._config
        if changed:
            self._update_config(inputs.config)
        if self._update_targets(inputs.targets) or changed:
            self._active = [
                task
                for name, task in self._frame_tasks.items()
                if self._targets.get(name) is not None
            ]
            if inputs.config.posture_cost > 0.0:
                self._active.append(self._posture)
        if inputs.held_joints != self._held:
            self._update_held(inputs.held_joints)
        if inputs.velocity_caps != self._caps:
            self._update_caps(inputs.velocity_caps)

    def follow_posture(self) -> None:
        """Make the present configuration, moved inward from the limits, the posture's target."""
        self._posture.follow(self.configuration)

    def target(self, name: str) -> Pose | None:
        """Return the target of an enabled frame; None when it is disabled or invalid."""
        return self._targets.get(name)

    def solve(self, dt: float) -> Vector:
        """Return the velocity of one step, shape (nv,), from Pink.

        Args:
            dt: Step in s, finite and positive.

        Raises:
            pink.PinkError: If the configuration is outside its limits or no solution was found.
            qpsolvers.QPError: If the solver refuses the problem.
        """
        config = self._config
        assert config is not None, "update() comes first"
        constraints = self._constraints(dt)
        if not self._active and not constraints:
            return np.zeros(self.configuration.model.nv)
        if self._solver_is_sparse:
            return self._solve_sparse(config, dt, constraints)
        return pink.solve_ik(
            self.configuration,
            self._active,
            dt,
            solver=config.solver,
            damping=config.damping,
            limits=self._limits,
            constraints=constraints,
            safety_break=config.safety_break,
        )

    def _solve_sparse(
        self, config: PinkKinematicsConfig, dt: float, constraints: list[Task] | None
    ) -> Vector:
        """Do what ``pink.solve_ik`` does, and hand over sparse matrices."""
        self.configuration.check_limits(safety_break=config.safety_break)
        problem = pink.build_ik(
            self.configuration,
            self._active,
            dt,
            damping=config.damping,
            limits=self._limits,
            constraints=constraints,
        )
        solution = solve(problem, config.solver)
        if not solution.found or solution.x is None:
            raise pink.exceptions.NoSolutionFound(problem, solution)
        return solution.x / dt

    def _update_config(self, config: PinkKinematicsConfig) -> None:
        for task in self._frame_tasks.values():
            task.set_position_cost(float(config.position_cost))
            task.set_orientation_cost(float(config.orientation_cost))
            task.gain = float(config.gain)
            task.lm_damping = float(config.lm_damping)
        self._posture.set_cost(config.posture_cost, self.configuration)
        self._posture.set_margin(config.joint_limit_posture_margin)
        self._solver_is_sparse = is_sparse_only(config.solver)
        self._config = config

    def _update_targets(self, targets: Mapping[str, Pose | None]) -> bool:
        """Take over new targets; True when a frame was enabled or disabled."""
        seen = self._seen_targets
        if len(targets) == len(seen) and all(
            pose is seen.get(name, self) for name, pose in targets.items()
        ):
            return False
        if not targets.keys() <= self._frame_tasks.keys():
            name = next(iter(targets.keys() - self._frame_tasks.keys()))
            raise SolverError(
                "there is no such tool frame", field=name,
                expected=did_you_mean(name, self._frame_tasks),
            )  # fmt: skip
        valid: dict[str, Pose | None] = {}
        for name, pose in targets.items():
            numbers = None if pose is None else pose.xyz_xyzw
            if numbers is None or not np.isfinite(numbers).all():
                valid[name] = None
                continue
            valid[name] = pose
            if pose is not seen.get(name):
                placement = pinocchio.XYZQUATToSE3(numbers)
                self._frame_tasks[name].transform_target_to_world = placement
        before = {name for name, pose in self._targets.items() if pose is not None}
        now = {name for name, pose in valid.items() if pose is not None}
        self._seen_targets = dict(targets)
        self._targets = valid
        self.invalid_targets = [name for name in valid if name not in now]
        return now != before

    def _update_held(self, held: Mapping[str, float]) -> None:
        description = self.robot.description
        rows = []
        self.outside_hold = None
        for name, position in held.items():
            index = self._joint_index(name)
            joint = description.joints[index]
            idx_v = int(self.robot.idx_v[index])
            row = HeldJointRow(name, index, idx_v, float(position), joint.kind == "continuous")
            rows.append(row)
            if joint.lower is not None and position < joint.lower - LIMIT_TOLERANCE:
                self.outside_hold = row
            if joint.upper is not None and position > joint.upper + LIMIT_TOLERANCE:
                self.outside_hold = row
        matrix = np.zeros((len(rows), self.configuration.model.nv))
        for number, row in enumerate(rows):
            matrix[number, row.idx_v] = 1.0
        self._held = dict(held)
        self._held_rows = tuple(rows)
        self._hold = (
            LinearHolonomicTask(matrix, np.zeros(len(rows)), self.configuration.q) if rows else None
        )

    def _update_caps(self, caps: Mapping[str, float]) -> None:
        velocity_caps = np.array(self.robot.velocity_caps, dtype=np.float64)
        for name, cap in caps.items():
            velocity_caps[self.robot.idx_v[self._joint_index(name)]] = float(cap)
        self.bounds.set_velocity_caps(velocity_caps)
        self._caps = dict(caps)

    def _joint_index(self, name: str) -> int:
        names = self.robot.description.joint_names
        if name not in names:
            raise SolverError(
                "there is no such joint", field=name, expected=did_you_mean(name, names)
            )
        return names.index(name)

    def _constraints(self, dt: float) -> list[Task] | None:
        """Return the hard constraint that keeps held joints, or brings them, where they belong.

        A joint that is not there yet goes there within its bounds: asking for the whole way at
        once would leave the QP no solution.
        """
        if self._hold is None:
            return None
        q = self.configuration.q
        positions = self.robot.positions_from_q(q)
        lower, upper = self.bounds.box(self.configuration, dt)
        for number, row in enumerate(self._held_rows):
            step = row.position - float(positions[row.index])
            if row.wraps:
                step = float(np.arctan2(np.sin(step), np.cos(step)))
            step = min(max(step, float(lower[row.idx_v])), float(upper[row.idx_v]))
            self._hold.b[number] = step
        self._hold.q_0 = q
        return [self._hold]


def _tangent_names(robot: Robot) -> tuple[str, ...]:
    names = ["the floating base"] * robot.model.nv
    for name, idx_v in zip(robot.description.joint_names, robot.idx_v, strict=True):
        names[idx_v] = name
    return tuple(names)
