"""The live engine: one tick is one solve, integrated and checked.

Whatever the numbers, a tick returns: on a failure q stays the last good one, the velocity is zero
and the status says what happened and what would help. The next tick starts afresh, so the engine
recovers by itself as soon as the inputs do.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pinocchio
from numpy.typing import NDArray

from workbench.config.settings import SolveWith
from workbench.ik import failures
from workbench.ik.bounds import LIMIT_TOLERANCE
from workbench.ik.conflicts import ConflictFinder
from workbench.ik.explain import explain_step
from workbench.ik.explanation import Explanation
from workbench.ik.hard_progress import HardProgress
from workbench.ik.readings import AT_LIMIT_SHARE, placed, tool_result
from workbench.ik.stack import TaskStack
from workbench.ik.types import SolveStatus, TickInputs, TickResult, ToolResult
from workbench.model.collision_pairs import ClosestPair
from workbench.poses import Pose, frozen_array

if TYPE_CHECKING:
    from workbench.model.collision import CollisionModel
    from workbench.model.robot import Robot

Vector = NDArray[np.float64]

_SATURATED_SHARE = 0.999
_ROUNDING = 1e-9
_LAX_STEP = 2e-3
"""A step may exceed the velocity limits by this much (rad or m) and is then scaled back: osqp and
proxqp satisfy constraints to about 1e-3 by default. More than this is a failure."""

_OK = SolveStatus()


class _Step(NamedTuple):
    """What a step did: the velocity is None when nothing has moved."""

    status: SolveStatus = _OK
    velocity: Vector | None = None
    saturated: tuple[str, ...] = ()


class LiveEngine:
    """Follows the targets of a robot's tool frames, one solve a tick.

    Used by one thread at a time. Everything that a tick returns is frozen.
    """

    def __init__(self, robot: Robot, solve_with: SolveWith = "pink") -> None:
        """Start at the robot's home.

        Args:
            robot: The robot; its model is shared, its data are the engine's own.
            solve_with: Who solves the steps: ``fast`` takes a third of the time or less where it
                can, and leaves to Pink what it cannot do.
        """
        self._robot = robot
        home_q = np.array(robot.home_q, dtype=np.float64)
        self._conflicts = ConflictFinder()
        self._progress = HardProgress()
        self._stack = TaskStack(robot, home_q, solve_with)
        self._still = frozen_array(np.zeros(len(robot.description.joints)))
        self._floating = robot.description.floating_base
        self._base = robot.base_pose(self.q)
        self._names = robot.description.joint_names
        self._middle, self._near_limit = _near_limits(robot)
        # Ticks keep q inside; only a start posture can lie outside.
        self._may_be_outside = True

    @property
    def robot(self) -> Robot:
        """The robot that this engine moves."""
        return self._robot

    @property
    def q(self) -> Vector:
        """Present configuration, shape (nq,), read-only."""
        return self._stack.configuration.q

    @property
    def stack(self) -> TaskStack:
        """The Pink objects that the ticks use."""
        return self._stack

    def set_collision(self, collision: CollisionModel | None) -> None:
        """Hand over the hulls of the robot's links, which self-collision barriers need.

        Args:
            collision: Made from the robot in a job; None while there are none.
        """
        self._stack.entries.set_collision(collision)

    def set_positions(
        self, positions: Mapping[str, float], transform_base_to_world: Pose | None = None
    ) -> None:
        """Put joints, by name, at positions in rad or m, clamped into the limits.

        Args:
            positions: Joints that are not named stay where they are.
            transform_base_to_world: Where a floating base goes; None leaves it where it is.

        Raises:
            SolverError: If there is no such joint or a position is not finite; nothing has moved.
        """
        stack = self._stack
        values = placed(self._names, self._robot.positions_from_q(self.q), positions)
        base = transform_base_to_world
        if base is None and self._floating:
            base = self._robot.base_pose(self.q)
        q = self._robot.q_from_positions(values, base)
        stack.configuration.update_inside(q)
        stack.entries.moved(None)
        self._may_be_outside = False

    def tick(self, inputs: TickInputs) -> TickResult:
        """Take one step from the present configuration towards the targets.

        Args:
            inputs: Config, step, targets and constraints of this tick.

        Raises:
            SolverError: If the inputs name a frame or a joint that the robot does not have.
        """
        started = time.perf_counter()
        stack = self._stack
        stack.update(inputs)
        refusal = self._refusal(inputs)
        if refusal is not None:
            stack.entries.moved(None)
            return self._result(_Step(refusal), started)
        stack.follow_posture()
        return self._result(self._remembered_step(inputs), started)

    def observe(self, inputs: TickInputs) -> TickResult:
        """Return the present state and errors without moving.

        Raises:
            SolverError: As :meth:`tick` does.
        """
        started = time.perf_counter()
        self._stack.update(inputs)
        return self._result(_Step(self._refusal(inputs) or _OK), started)

    def step_towards(self, inputs: TickInputs) -> tuple[SolveStatus, tuple[float, float]]:
        """Take one step with the posture's target as it is; :meth:`observe` comes first.

        Returns:
            How the solve went, and :meth:`largest_errors` after the step.
        """
        status = self._refusal(inputs)
        if status is None:
            status = self._remembered_step(inputs).status
        return status, self.largest_errors()

    def explain(self, inputs: TickInputs) -> Explanation:
        """Return why the next step from here is what it is; nothing moves.

        Takes several times as long as a tick: to be asked for now and then.

        Raises:
            SolverError: As :meth:`tick` does.
        """
        stack, config = self._stack, inputs.config
        stack.update(inputs)
        refusal = self._refusal(inputs)
        if refusal is not None:
            return Explanation(status=refusal)
        stack.follow_posture()
        try:
            with np.errstate(all="ignore"):
                return explain_step(stack, inputs.dt, config.solver, config.damping)
        except failures.SOLVER_FAILURES as error:
            status = self._conflicts.explain(error, stack) or failures.solver_failure(
                error, stack.tangent_names, config.solver, inputs.dt,
                stack.entries.acceleration_limits,
            )  # fmt: skip
            return Explanation(status=status)

    def largest_errors(self) -> tuple[float, float]:
        """Return the largest position error in m and orientation error in rad of the targets."""
        position_error_m = orientation_error_rad = 0.0
        for tool in self._tools():
            if tool.position_error_m is not None and tool.orientation_error_rad is not None:
                position_error_m = max(position_error_m, tool.position_error_m)
                orientation_error_rad = max(orientation_error_rad, tool.orientation_error_rad)
        return position_error_m, orientation_error_rad

    def _refusal(self, inputs: TickInputs) -> SolveStatus | None:
        """Return why these inputs cannot be solved for at all, or None."""
        if not 0.0 < inputs.dt < math.inf:
            return failures.step_refused(inputs.dt)
        stack = self._stack
        if stack.invalid_targets:
            return failures.targets_refused(stack.invalid_targets)
        held = stack.held.outside
        if held is not None:
            joint = self._robot.description.joints[held.index]
            return failures.hold_refused(held.name, held.position, joint.lower, joint.upper)
        if stack.entries.missing:
            return failures.entry_refused(stack.entries.missing)
        hard = stack.hard_tasks
        if hard and self._progress.is_stuck(hard, stack.configuration, _circumstances(inputs)):
            return failures.no_nearer([task.name for task in hard])
        return None

    def _remembered_step(self, inputs: TickInputs) -> _Step:
        """Step, and let the tasks and limits that look back know how."""
        step = self._step(inputs.dt, inputs.config.solver)
        if self._stack.entries.present:
            self._stack.entries.moved(step.velocity)
        return step

    def _step(self, dt: float, solver: str) -> _Step:
        """Solve, check and integrate."""
        if self._may_be_outside:
            recovery = self._recover(dt)
            if recovery is not None:
                return recovery
        step = self._solve(dt, solver)
        if step.velocity is None:
            return step
        configuration, hard = self._stack.configuration, self._stack.hard_tasks
        if hard:
            self._progress.begin(hard, self._stack.share, configuration)
        # Solvers meet limits to a tolerance; the rest is rounding that would add up.
        configuration.update_inside(
            pinocchio.integrate(self._robot.model, configuration.q, step.velocity * dt)
        )
        if hard:
            self._progress.end(hard, configuration)
        return step

    def _solve(self, dt: float, solver: str) -> _Step:
        """Solve for a velocity that is finite and within the velocity limits."""
        stack = self._stack
        try:
            # A target at 1e300 m overflows inside Pink; the check below tells, not the terminal.
            with np.errstate(all="ignore"):
                velocity = stack.solve(dt)
        except failures.SOLVER_FAILURES as error:
            conflict = self._conflicts.explain(error, stack)
            accelerations = stack.entries.acceleration_limits
            return _Step(
                conflict
                or failures.solver_failure(error, stack.tangent_names, solver, dt, accelerations)
            )
        if not velocity.size:
            return _Step(_OK, velocity)
        load = np.abs(velocity) / stack.bounds.velocity_caps
        largest = float(load.max())
        # NaN compares as false, so that this also finds what is no number.
        if not largest < math.inf:
            return _Step(failures.not_finite(solver))
        if largest < _SATURATED_SHARE:
            return _Step(_OK, velocity)
        if largest > 1.0 + _ROUNDING:
            worst = int(load.argmax())
            speed, cap = abs(float(velocity[worst])), float(stack.bounds.velocity_caps[worst])
            if (speed - cap) * dt > _LAX_STEP:
                name = stack.tangent_names[worst]
                return _Step(failures.velocity_exceeded(name, speed, cap, solver))
            velocity = velocity / largest
        saturated = np.flatnonzero(load >= _SATURATED_SHARE)
        names = dict.fromkeys(stack.tangent_names[int(index)] for index in saturated)
        return _Step(_OK, velocity, tuple(names))

    def _recover(self, dt: float) -> _Step | None:
        """Move joints that are outside their limits back inside, at most at their velocity limit.

        Pink's bounds ask such a joint to come back faster than its velocity limit may allow; the
        QP then has no solution. Nothing else moves meanwhile.
        """
        stack, robot = self._stack, self._robot
        q, bounds = self.q, stack.bounds
        way_back = bounds.clamp(q) - q
        if not np.abs(way_back).max(initial=0.0) > LIMIT_TOLERANCE:
            stack.configuration.update_inside(q)
            self._may_be_outside = False
            return None
        # Only scalar joints have limits; the way back is zero for all other entries of q.
        joint_ways, caps = way_back[robot.idx_q], bounds.velocity_caps[robot.idx_v]
        velocity = np.zeros(robot.model.nv)
        velocity[robot.idx_v] = np.clip(joint_ways / dt, -caps, caps)
        worst = int(np.abs(joint_ways).argmax())
        entry = int(robot.idx_q[worst])
        status = failures.outside_limits(
            self._names[worst], float(q[entry]), float(bounds.q_lower[entry]),
            float(bounds.q_upper[entry]),
        )  # fmt: skip
        stack.configuration.update(pinocchio.integrate(robot.model, q, velocity * dt))
        return _Step(status, velocity)

    def _result(self, step: _Step, started: float) -> TickResult:
        robot, q = self._robot, self.q
        positions = robot.positions_from_q(q)
        positions.setflags(write=False)
        velocities = self._still
        if step.velocity is not None:
            velocities = robot.velocities_from_v(step.velocity)
            velocities.setflags(write=False)
        return TickResult(
            status=step.status,
            q=q,
            positions=positions,
            velocities=velocities,
            transform_base_to_world=robot.base_pose(q) if self._floating else self._base,
            tools=self._tools(),
            solve_time_s=time.perf_counter() - started,
            saturated_velocity=step.saturated,
            at_limit=self._at_limit(positions),
            closest_pair=self._closest_pair(),
        )

    def _closest_pair(self) -> ClosestPair | None:
        barrier = self._stack.entries.self_collision
        return None if barrier is None else barrier.closest_pair(self._stack.configuration)

    def _at_limit(self, positions: Vector) -> tuple[str, ...]:
        near = np.abs(positions - self._middle) >= self._near_limit
        if not near.any():
            return ()
        return tuple(self._names[int(index)] for index in np.flatnonzero(near))

    def _tools(self) -> tuple[ToolResult, ...]:
        results = []
        configuration, stack = self._stack.configuration, self._stack
        for name in configuration.frame_ids:
            pose = Pose.from_trusted_xyz_xyzw(configuration.frame_numbers(name))
            results.append(tool_result(name, pose, stack.target(name)))
        return tuple(results)


def _circumstances(inputs: TickInputs) -> tuple[object, ...]:
    """Return what decides, besides targets and posture, how far a step may go."""
    return (
        inputs.dt, inputs.tasks, inputs.limits, inputs.barriers, inputs.held_joints,
        inputs.velocity_caps,
    )  # fmt: skip


def _near_limits(robot: Robot) -> tuple[Vector, Vector]:
    """Return each joint's middle, and how far from it a joint counts as at a limit; shapes (n,)."""
    joints = robot.description.joints
    middle, distance = np.zeros(len(joints)), np.full(len(joints), np.inf)
    for index, joint in enumerate(joints):
        if joint.lower is not None and joint.upper is not None:
            middle[index] = 0.5 * (joint.lower + joint.upper)
            distance[index] = (0.5 - AT_LIMIT_SHARE) * (joint.upper - joint.lower)
    return middle, distance
