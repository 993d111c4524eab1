"""The live engine: one tick is one solve, integrated and checked.

Whatever the numbers, a tick returns: on a failure q stays the last good one, the velocity is zero
and the status says what happened and what would help. The next tick starts afresh, so the engine
recovers by itself as soon as the inputs do.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pinocchio
from numpy.typing import NDArray

from workbench.errors import SolverError, did_you_mean
from workbench.ik import failures
from workbench.ik.bounds import LIMIT_TOLERANCE
from workbench.ik.stack import TaskStack
from workbench.ik.types import SolveStatus, TickInputs, TickResult, ToolResult
from workbench.poses import Pose, frozen_array

if TYPE_CHECKING:
    from workbench.model.robot import Robot

Vector = NDArray[np.float64]

AT_LIMIT_SHARE = 0.02
"""A joint is "at" a limit within this share of its range."""

_SATURATED_SHARE = 0.999
_ROUNDING = 1e-9
_LAX_STEP = 2e-3
"""A step may exceed the velocity limits by this much (rad or m) and is then scaled back: osqp and
proxqp satisfy constraints to about 1e-3 by default. More than this is a failure."""

_OK = SolveStatus()


class LiveEngine:
    """Follows the targets of a robot's tool frames, one Pink solve a tick.

    Used by one thread at a time. Everything that a tick returns is frozen.
    """

    def __init__(self, robot: Robot) -> None:
        """Start at the robot's home.

        Args:
            robot: The robot; its model is shared, its data are the engine's own.
        """
        self._robot = robot
        self._stack = TaskStack(robot, np.array(robot.home_q, dtype=np.float64))
        self._placements = self._stack.configuration.data.oMf
        self._still = frozen_array(np.zeros(len(robot.description.joints)))
        self._floating = robot.description.floating_base
        self._base = robot.base_pose(self.q)
        self._names = robot.description.joint_names
        self._near_lower, self._near_upper = _near_limits(robot)
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

    def set_positions(self, positions: Mapping[str, float]) -> None:
        """Put joints, by name, at positions in rad or m, clamped into the limits.

        Unnamed joints and a floating base stay where they are.

        Raises:
            SolverError: If there is no such joint or a position is not finite; nothing has moved.
        """
        stack = self._stack
        values = np.array(self._robot.positions_from_q(self.q), dtype=np.float64)
        for name, position in positions.items():
            if name not in self._names:
                raise SolverError(
                    "there is no such joint", field=name, expected=did_you_mean(name, self._names)
                )
            if not math.isfinite(position):
                raise SolverError("is not a finite position", field=name, value=position)
            values[self._names.index(name)] = position
        base = self._robot.base_pose(self.q) if self._floating else None
        q = self._robot.q_from_positions(values, base)
        stack.configuration.update(stack.bounds.clamp(q))
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
        status = self._refusal(inputs)
        velocity = None
        if status is None:
            stack.follow_posture()
            status, velocity = self._step(inputs.dt, inputs.config.solver)
        return self._result(status, velocity, started)

    def observe(self, inputs: TickInputs) -> TickResult:
        """Return the present state and errors without moving.

        Raises:
            SolverError: As :meth:`tick` does.
        """
        started = time.perf_counter()
        self._stack.update(inputs)
        return self._result(self._refusal(inputs) or _OK, None, started)

    def step_towards(self, inputs: TickInputs) -> tuple[SolveStatus, tuple[float, float]]:
        """Take one step with the posture's target as it is; :meth:`observe` comes first.

        Returns:
            How the solve went, and :meth:`largest_errors` after the step.
        """
        status = self._refusal(inputs)
        if status is None:
            status, _ = self._step(inputs.dt, inputs.config.solver)
        return status, self.largest_errors()

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
        held = stack.outside_hold
        if held is not None:
            joint = self._robot.description.joints[held.index]
            assert joint.lower is not None and joint.upper is not None
            return failures.hold_refused(held.name, held.position, joint.lower, joint.upper)
        return None

    def _step(self, dt: float, solver: str) -> tuple[SolveStatus, Vector | None]:
        """Solve, check and integrate; the velocity is None when nothing has moved."""
        if self._may_be_outside:
            recovery = self._recover(dt)
            if recovery is not None:
                return recovery
        status, velocity = self._solve(dt, solver)
        if velocity is None:
            return status, None
        stack = self._stack
        q = pinocchio.integrate(self._robot.model, stack.configuration.q, velocity * dt)
        # Solvers meet limits to a tolerance; the rest is rounding that would add up.
        stack.configuration.update(stack.bounds.clamp(q))
        return status, velocity

    def _solve(self, dt: float, solver: str) -> tuple[SolveStatus, Vector | None]:
        """Return a velocity that is finite and within the velocity limits, or None."""
        stack, model = self._stack, self._robot.model
        try:
            # A target at 1e300 m overflows inside Pink; the check below tells, not the terminal.
            with np.errstate(all="ignore"):
                velocity = stack.solve(dt)
        except failures.SOLVER_FAILURES as error:
            return failures.solver_failure(error, model, solver, dt), None
        if not velocity.size:
            return _OK, velocity
        # NaN compares as false, so that this also finds what is not finite.
        load = np.abs(velocity) / stack.bounds.velocity_caps
        largest = float(load.max())
        if not largest < math.inf:
            return failures.not_finite(solver), None
        if largest > 1.0 + _ROUNDING:
            worst = int(load.argmax())
            speed, cap = abs(float(velocity[worst])), float(stack.bounds.velocity_caps[worst])
            if (speed - cap) * dt > _LAX_STEP:
                name = failures.joint_of_tangent(model, worst)
                return failures.velocity_exceeded(name, speed, cap, solver), None
            velocity = velocity / largest
        return _OK, velocity

    def _recover(self, dt: float) -> tuple[SolveStatus, Vector] | None:
        """Move joints that are outside their limits back inside, at most at their velocity limit.

        Pink's bounds ask such a joint to come back faster than its velocity limit may allow; the
        QP then has no solution. Nothing else moves meanwhile.
        """
        stack, model = self._stack, self._robot.model
        q, bounds = stack.configuration.q, stack.bounds
        inside = bounds.clamp(q)
        outside_by = np.abs(inside - q)
        worst = int(outside_by.argmax()) if outside_by.size else 0
        if not outside_by.size or outside_by[worst] <= LIMIT_TOLERANCE:
            if outside_by.any():
                stack.configuration.update(inside)
            self._may_be_outside = False
            return None
        velocity = np.zeros(model.nv)
        joint_name = ""
        for joint_id in range(1, model.njoints):
            joint = model.joints[joint_id]
            if joint.nq == 1 and joint.nv == 1:
                cap = bounds.velocity_caps[joint.idx_v]
                way = (inside[joint.idx_q] - q[joint.idx_q]) / dt
                velocity[joint.idx_v] = min(max(way, -cap), cap)
                if joint.idx_q == worst:
                    joint_name = str(model.names[joint_id])
        status = failures.outside_limits(
            joint_name, float(q[worst]), float(bounds.q_lower[worst]), float(bounds.q_upper[worst])
        )
        stack.configuration.update(pinocchio.integrate(model, q, velocity * dt))
        return status, velocity

    def _result(self, status: SolveStatus, velocity: Vector | None, started: float) -> TickResult:
        robot, q = self._robot, self.q
        positions = robot.positions_from_q(q)
        saturated: tuple[str, ...] = ()
        if velocity is None:
            velocities = self._still
        else:
            velocities = robot.velocities_from_v(velocity)
            caps = self._stack.bounds.velocity_caps
            fast = np.abs(velocity) >= _SATURATED_SHARE * caps
            if fast.any():
                saturated = tuple(
                    failures.joint_of_tangent(robot.model, int(index))
                    for index in np.flatnonzero(fast)
                )
        near = (positions <= self._near_lower) | (positions >= self._near_upper)
        at_limit = tuple(self._names[index] for index in np.flatnonzero(near)) if near.any() else ()
        return TickResult(
            status=status,
            q=q,
            positions=positions,
            velocities=velocities,
            transform_base_to_world=robot.base_pose(q) if self._floating else self._base,
            tools=self._tools(),
            solve_time_s=time.perf_counter() - started,
            saturated_velocity=saturated,
            at_limit=at_limit,
        )

    def _tools(self) -> tuple[ToolResult, ...]:
        results = []
        for tool in self._stack.tools:
            numbers = pinocchio.SE3ToXYZQUAT(self._placements[tool.frame_id])
            pose = Pose.from_trusted_xyz_xyzw(numbers)
            target = self._stack.target(tool.name)
            position_error_m, orientation_error_rad = (
                (None, None) if target is None else pose.distance_to(target)
            )
            results.append(
                ToolResult(tool.name, pose, target, position_error_m, orientation_error_rad)
            )
        return tuple(results)


def _near_limits(robot: Robot) -> tuple[Vector, Vector]:
    """Return the positions below and above which a joint counts as at its limit, shapes (n,)."""
    joints = robot.description.joints
    lower, upper = np.full(len(joints), -np.inf), np.full(len(joints), np.inf)
    for index, joint in enumerate(joints):
        if joint.lower is not None and joint.upper is not None:
            margin = AT_LIMIT_SHARE * (joint.upper - joint.lower)
            lower[index], upper[index] = joint.lower + margin, joint.upper - margin
    return lower, upper
