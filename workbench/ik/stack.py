"""The task stack: Pink's tasks, limits and constraint, built once and updated in place.

The stack means what DimOS means with the same config: a frame task for each tool, a posture task
whose target is the present configuration moved inward from the limits (gain 1, no
Levenberg-Marquardt damping, left out at cost 0), Pink's configuration and velocity limits, and
held joints as a hard constraint. The lists of tasks, limits and barriers add to that; where they
are empty, nothing of them is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pink
import pinocchio
import qpsolvers
from numpy.typing import NDArray
from pink.barriers import Barrier
from pink.limits import Limit
from pink.tasks import FrameTask, Task

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.settings import SolveWith
from workbench.errors import SolverError, did_you_mean
from workbench.ik.bounds import JointBounds
from workbench.ik.configuration import IndexedConfiguration
from workbench.ik.constraints import CombinedConstraint, ConstraintRows, largest_share
from workbench.ik.entries import ListedEntries
from workbench.ik.extra_tasks import HardTask
from workbench.ik.fast import FastSolver
from workbench.ik.held_joints import HeldJoints, joint_index
from workbench.ik.look_ahead import solve_apart
from workbench.ik.posture import PresentPostureTask
from workbench.ik.solvers import is_built_by_hand, quiet_exit_warnings, solve
from workbench.ik.task_builder import hard_frame
from workbench.ik.task_factory import tool_task_cost
from workbench.ik.types import TickInputs
from workbench.poses import Pose

if TYPE_CHECKING:
    from workbench.model.robot import Robot

Vector = NDArray[np.float64]


class TaskStack:
    """Pink's view of a robot at a configuration, with everything that a solve needs.

    Attributes:
        robot: The robot.
        configuration: Pink's configuration; the stack owns its data.
        bounds: Joint and velocity limits in force.
        tangent_names: Name of the joint behind each tangent coordinate.
        invalid_targets: Names of the frames whose target is no pose.
        held: The held joints.
        entries: What the lists of tasks, limits and barriers add.
        constraint_rows: What the hard constraints of the last solve asked for; None without any.
        share: The share of that which the last solve took.
    """

    def __init__(self, robot: Robot, q: Vector, solve_with: SolveWith = "pink") -> None:
        """Build the tasks for every tool frame.

        Args:
            robot: The robot.
            q: Configuration to start from, shape (nq,).
            solve_with: Who solves: the answer is the same.
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
        self._frame_tasks = {name: FrameTask(name, 0.0, 0.0) for name in names}
        self._posture = PresentPostureTask(self.bounds)
        self._solve_ik = FastSolver().solve_ik if solve_with == "fast" else pink.solve_ik
        self._config: PinkKinematicsConfig | None = None
        self._builds_by_hand = False
        self._seen_targets: dict[str, Pose | None] = {}
        self._targets: dict[str, Pose | None] = {}
        self._names: list[str] = []
        self._active: list[Task] = []
        self._hard: list[tuple[str, HardTask]] = []
        self._hard_tools: list[HardTask] = []
        self._limits: list[Limit] = [self.bounds]
        self._barriers: list[Barrier] | None = None
        self.entries = ListedEntries(robot, self.configuration, self.bounds)
        self.constraint_rows: ConstraintRows | None = None
        self.share = 1.0
        self.held = HeldJoints(robot, self.configuration, self.bounds)
        self._caps: Mapping[str, float] = {}

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks of the next solve: enabled frames, posture, then those of the list."""
        return tuple(self._active)

    @property
    def named_tasks(self) -> tuple[tuple[str, Task], ...]:
        """The tasks of the next solve with the names of their frames or entries."""
        return tuple(zip(self._names, self._active, strict=True))

    @property
    def hard_tasks(self) -> tuple[HardTask, ...]:
        """The tasks that the next solve holds exactly, as they are before they are combined."""
        return tuple(task for _, task in self._hard)

    def update(self, inputs: TickInputs) -> None:
        """Bring the tasks in line with the inputs; costs nothing where nothing has changed.

        Raises:
            SolverError: If the inputs name a frame or joint that the robot does not have.
        """
        relisted = False
        if inputs.tasks or inputs.limits or inputs.barriers or self.entries.present:
            relisted = self.entries.update(inputs)
        changed = inputs.config is not self._config
        if changed:
            self._update_config(inputs.config)
        if changed or relisted:
            self._update_tool_tasks(inputs.config)
        if self._update_targets(inputs.targets) or changed or relisted:
            self._collect(inputs.config)
        self.held.update(inputs.held_joints)
        if inputs.velocity_caps != self._caps or relisted:
            self._update_caps(inputs.velocity_caps)

    def follow_posture(self) -> None:
        """Make the present configuration, moved inward from the limits, the posture's target."""
        self._posture.follow(self.configuration)
        if self.entries.present:
            self.entries.follow_posture()

    def target(self, name: str) -> Pose | None:
        """Return the target of an enabled frame; None when it is disabled or invalid."""
        return self._targets.get(name)

    def solve(self, dt: float) -> Vector:
        """Return the velocity of one step, shape (nv,).

        Args:
            dt: Step in s, finite and positive.

        Raises:
            pink.PinkError: If the configuration is outside its limits or no solution was found.
            qpsolvers.QPError: If the solver refuses the problem.
        """
        config = self._config
        assert config is not None, "update() comes first"
        self.share = 1.0
        if self.entries.present:
            self.entries.prepare(dt)
        constraints = self._constraints(dt)
        if not self._active and not constraints and not self._barriers:
            return np.zeros(self.configuration.model.nv)
        try:
            return self._solve_safely(config, dt, constraints)
        except pink.exceptions.NoSolutionFound as error:
            slower = self._slower(error.problem, dt)
            if slower is None:
                raise
            return self._solve_safely(config, dt, slower)

    def _slower(self, problem: qpsolvers.Problem, dt: float) -> list[Task] | None:
        """Return hard constraints that ask for as much of their way as a step can take.

        Limited velocities and accelerations may not allow the whole. None where not even a part
        of it can be had.
        """
        if self.constraint_rows is None:
            return None
        share = largest_share(problem, self.constraint_rows)
        if share is None:
            return None
        self.share = share
        return self._constraints(dt)

    def _solve_safely(
        self, config: PinkKinematicsConfig, dt: float, constraints: list[Task] | None
    ) -> Vector:
        if self._barriers and self.entries.self_collision is not None:
            return solve_apart(
                lambda: self._solve_once(config, dt, constraints),
                self.configuration, self._barriers, dt,
            )  # fmt: skip
        return self._solve_once(config, dt, constraints)

    def _solve_once(
        self, config: PinkKinematicsConfig, dt: float, constraints: list[Task] | None
    ) -> Vector:
        if self._builds_by_hand:
            return self._solve_built(config, dt, constraints)
        return self._solve_ik(
            self.configuration,
            self._active,
            dt,
            solver=config.solver,
            damping=config.damping,
            limits=self._limits,
            barriers=self._barriers,
            constraints=constraints,
            safety_break=config.safety_break,
        )

    def build(self, dt: float) -> qpsolvers.Problem:
        """Return the QP of one step as Pink builds it.

        Raises:
            ContradictoryConstraintsError: If the hard constraints contradict each other.
        """
        self.share = 1.0
        if self.entries.present:
            self.entries.prepare(dt)
        return self._build(dt, self._constraints(dt))

    def build_slower(self, problem: qpsolvers.Problem, dt: float) -> qpsolvers.Problem | None:
        """Return the QP of a step that goes as far towards hard targets as it can.

        Args:
            problem: What :meth:`build` returned, without solution.
            dt: Step in s.

        Returns:
            None where nothing of the way can be had.
        """
        slower = self._slower(problem, dt)
        return None if slower is None else self._build(dt, slower)

    def _build(self, dt: float, constraints: list[Task] | None) -> qpsolvers.Problem:
        assert self._config is not None, "update() comes first"
        return pink.build_ik(
            self.configuration,
            self._active,
            dt,
            damping=self._config.damping,
            limits=self._limits,
            barriers=self._barriers,
            constraints=constraints,
        )

    def _solve_built(
        self, config: PinkKinematicsConfig, dt: float, constraints: list[Task] | None
    ) -> Vector:
        """Do what ``pink.solve_ik`` does, and hand the matrices over as the solver wants them."""
        self.configuration.check_limits(safety_break=config.safety_break)
        problem = self._build(dt, constraints)
        solution = solve(problem, config.solver)
        if not solution.found or solution.x is None:
            raise pink.exceptions.NoSolutionFound(problem, solution)
        return solution.x / dt

    def _collect(self, config: PinkKinematicsConfig) -> None:
        """Put together the tasks, limits and barriers of the next solves."""
        entries = self.entries
        tools = [name for name in self._frame_tasks if self._targets.get(name) is not None]
        hard_specs = {name: spec for name, spec in entries.tool_specs.items() if spec.hard}
        named: list[tuple[str, Task]] = [
            (name, self._frame_tasks[name]) for name in tools if name not in hard_specs
        ]
        if config.posture_cost > 0.0 and not entries.replaces_posture:
            named.append(("posture", self._posture))
        named += entries.soft
        self._names = [name for name, _ in named]
        self._active = [task for _, task in named]
        self._hard_tools = [
            hard_frame(hard_specs[name], self._frame_tasks[name])
            for name in tools
            if name in hard_specs
        ]
        self._hard = [(task.name, task) for task in self._hard_tools]
        self._hard += entries.hard
        self._limits = entries.pink_limits
        self._barriers = entries.pink_barriers

    def _update_config(self, config: PinkKinematicsConfig) -> None:
        self._posture.set_cost(config.posture_cost, self.configuration)
        self._posture.set_margin(config.joint_limit_posture_margin)
        self._builds_by_hand = is_built_by_hand(config.solver)
        self._config = config

    def _update_tool_tasks(self, config: PinkKinematicsConfig) -> None:
        for name, task in self._frame_tasks.items():
            gain, lm_damping = config.gain, config.lm_damping
            spec = self.entries.tool_specs.get(name)
            if spec is None:
                task.set_position_cost(float(config.position_cost))
                task.set_orientation_cost(float(config.orientation_cost))
            else:
                task.cost = tool_task_cost(spec)
                gain = gain if spec.gain is None else spec.gain
                lm_damping = lm_damping if spec.lm_damping is None else spec.lm_damping
            task.gain = float(gain)
            task.lm_damping = float(lm_damping)

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

    def _update_caps(self, caps: Mapping[str, float]) -> None:
        velocity_caps = np.array(self.robot.velocity_caps, dtype=np.float64)
        for name, cap in caps.items():
            velocity_caps[self.robot.idx_v[joint_index(self.robot, name)]] = float(cap)
        velocity_caps *= self.entries.velocity_share
        self.bounds.set_velocity_caps(velocity_caps)
        self._caps = dict(caps)

    def _constraints(self, dt: float) -> list[Task] | None:
        """Return held joints and hard tasks as one constraint."""
        self.constraint_rows = None
        hold = self.held.constraint(dt)
        if not self._hard:
            return None if hold is None else [hold]
        for task in self._hard_tools:
            task.dt = dt
        constraints: list[tuple[str | Sequence[str], Task]] = list(self._hard)
        if hold is not None:
            constraints.append(([f"the held joint {row.name}" for row in self.held.rows], hold))
        combined = CombinedConstraint(constraints, self.configuration, self.share)
        self.constraint_rows = combined.rows
        return [combined]


def _tangent_names(robot: Robot) -> tuple[str, ...]:
    names = ["the floating base"] * robot.model.nv
    for name, idx_v in zip(robot.description.joint_names, robot.idx_v, strict=True):
        names[idx_v] = name
    return tuple(names)
