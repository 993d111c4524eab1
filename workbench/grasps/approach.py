"""The straight way to a grasp, in streaming mode: does the gripper stay on the line and arrive?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.streaming import StreamingConfig
from workbench.grasps.arm import ReachingArm, rotation_angle
from workbench.grasps.reach_rules import ReachRules
from workbench.grasps.reach_types import GraspTarget, ReachSettings, SelfCollision
from workbench.ik.listed_step import ListedStep
from workbench.ik.pose_tasks import PoseTasks, PostureShape
from workbench.ik.streaming import NextPositions, StreamingSolver
from workbench.ik.streaming_types import StreamingStep
from workbench.ik.types import SolveStatus, TickInputs
from workbench.poses import Pose, angle_between

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

LARGEST_DEVIATION_M = 5e-3
LARGEST_DEVIATION_RAD = math.radians(3.0)
ARRIVED_M = 1e-3
ARRIVED_RAD = 1e-2
LONGEST_SETTLING_S = 1.0

_TICKS_BETWEEN_COLLISION_CHECKS = 5
_SAME_RAD = 1e-9
_AT_BOUND_SHARE = 0.999


@dataclass(frozen=True, eq=False)
class Approach:
    """How an approach went.

    Attributes:
        positions: Joints at its end, rad or m, shape (n,).
        share: Share of the way that was done, from 0 to 1.
        time_s: How long it took.
        cause: Why it failed, as the rest of a sentence; empty when it arrived.
        path: Joints at the end of every tick, like :attr:`positions`.
    """

    positions: Vector
    share: float
    time_s: float
    cause: str = ""
    path: tuple[Vector, ...] = ()


class Line:
    """The straight way between two poses; most have the same orientation all along."""

    def __init__(self, start: Pose, end: Pose) -> None:
        """Precompute what every tick needs."""
        self._start, self._end = start, end
        self._along = end.translation - start.translation
        self._squared = float(self._along @ self._along)
        self._numbers = end.xyz_xyzw.copy()
        self._turns = angle_between(start.wxyz, end.wxyz) > _SAME_RAD
        self._rotation = end.rotation
        self.length_m = math.sqrt(self._squared)

    def at(self, share: float) -> Pose:
        """Return the pose at a share of the way, from 0 to 1."""
        if self._turns:
            return self._start.interpolate(self._end, share)
        self._numbers[:3] = self._start.translation + share * self._along
        return Pose.from_trusted_xyz_xyzw(self._numbers)

    def deviation(self, rotation: Matrix, translation: Vector) -> tuple[float, float, float]:
        """Return the share of the way done, and how far off the line a frame is, m and rad."""
        gone = translation - self._start.translation
        squared = self._squared
        share = min(max(float(gone @ self._along) / squared, 0.0), 1.0) if squared > 0.0 else 1.0
        deviation_m = math.dist(gone.tolist(), (share * self._along).tolist())
        on_line = self.at(share).rotation if self._turns else self._rotation
        return share, deviation_m, rotation_angle(rotation, on_line)


class ApproachRunner:
    """Drives one robot along straight lines. Used by one thread at a time."""

    def __init__(
        self,
        arm: ReachingArm,
        config: PinkKinematicsConfig,
        *,
        streaming: StreamingConfig,
        shape: PostureShape,
        settings: ReachSettings,
        rules: ReachRules,
        make_listed: Callable[[], ListedStep] | None = None,
        touching: SelfCollision | None = None,
    ) -> None:
        """Build the solver.

        Args:
            arm: The robot and the frame that goes.
            config: The twelve settings.
            streaming: Bounds of the commands.
            shape: What the robot's own tuning changes about the posture.
            settings: Speed and rate.
            rules: Held joints, caps, and the lists.
            make_listed: Makes what takes a step with the lists; None leaves the lists out.
            touching: Tells whether links touch; None does not look.

        Raises:
            ConfigError: If the bounds do not fit the robot.
            SolverError: If a joint shall be held outside its limits.
            RobotError: If there is no such joint.
        """
        self._arm = arm
        self._solver = StreamingSolver(arm.robot, config, streaming, shape)
        self._solver.configure(
            config, streaming, held=rules.held_joints, velocity_limits=rules.velocity_caps
        )
        self._tasks = PoseTasks(arm.robot, config, shape, "fast")
        self._tasks.set_velocity_limits(rules.velocity_caps)
        self._tasks.hold(rules.held_joints)
        self._make_listed = make_listed if rules.has_lists else None
        self._inputs = TickInputs(
            config, 1.0 / settings.rate_hz, targets={}, held_joints=rules.held_joints,
            velocity_caps=rules.velocity_caps, tasks=rules.tasks, limits=rules.limits,
            barriers=rules.barriers, home=rules.home, home_base=rules.home_base,
        )  # fmt: skip
        self._velocity_limits = np.array(arm.robot.velocity_limits)
        for name, cap in rules.velocity_caps.items():
            self._velocity_limits[arm.robot.joint_index(name)] = cap
        self._settings = settings
        self._touching = touching
        self._setpoint = Pose()
        self._last_step: tuple[Vector, Vector | None] = arm.robot.home, None

    def run(self, target: GraspTarget, start: Vector) -> Approach:
        """Go from the pregrasp pose to the grasp.

        Args:
            target: Both poses.
            start: Joints at the pregrasp pose, rad or m, shape (n,).
        """
        self._solver.reset()
        next_positions = self._next_positions()

        def solve(start: Vector) -> tuple[Vector | None, SolveStatus]:
            candidate, status = next_positions(start)
            self._last_step = start, candidate
            return candidate, status

        arm, line = self._arm, Line(target.pregrasp, target.grasp)
        period = 1.0 / self._settings.rate_hz
        duration = line.length_m / self._settings.speed_m_s
        last = math.ceil(round((duration + LONGEST_SETTLING_S) / period, 6))
        positions, done, last_step = start, 0.0, StreamingStep(SolveStatus())
        path: list[Vector] = []
        for tick in range(1, last + 1):
            time = tick * period
            share = min(time / duration, 1.0) if duration > 0.0 else 1.0
            self._setpoint = line.at(share)
            step = self._solver.step({arm.frame: self._setpoint}, positions, period, solve)
            if step.command is None:
                return Approach(positions, done, time, step.status.cause)
            positions, last_step = step.command, step
            path.append(positions)
            rotation, translation = arm.placement(positions)
            done, deviation_m, deviation_rad = line.deviation(rotation, translation)
            if deviation_m > LARGEST_DEVIATION_M or deviation_rad > LARGEST_DEVIATION_RAD:
                lag_m = math.dist(translation.tolist(), self._setpoint.translation.tolist())
                cause = (
                    f"it leaves the line by {1000 * deviation_m:.1f} mm and "
                    f"{math.degrees(deviation_rad):.1f} degrees, {1000 * lag_m:.0f} mm behind its "
                    f"setpoint{self._what_holds(step)}"
                )
                return Approach(positions, done, time, cause)
            has_arrived = share == 1.0 and self._has_arrived(positions, target.grasp)
            if has_arrived or tick % _TICKS_BETWEEN_COLLISION_CHECKS == 0:
                links = None if self._touching is None else self._touching(positions)
                if links is not None:
                    cause = f"{links[0]} touches {links[1]}"
                    return Approach(positions, done, time, cause)
            if has_arrived:
                return Approach(positions, 1.0, time, path=tuple(path))
        error_m, error_rad = arm.errors(positions, target.grasp)
        cause = (
            f"it is still {1000 * error_m:.1f} mm and {1000 * error_rad:.0f} mrad off "
            f"{LONGEST_SETTLING_S:g} s after it should be there{self._what_holds(last_step)}"
        )
        return Approach(positions, done, last * period, cause)

    def _next_positions(self) -> NextPositions:
        if self._make_listed is None:
            return self._solve
        # A new one each time: limits and tasks that look back shall not see another approach.
        listed, frame = self._make_listed(), self._arm.frame

        def solve(start: Vector) -> tuple[Vector | None, SolveStatus]:
            inputs = replace(self._inputs, targets={frame: self._setpoint})
            return listed.next_positions(start, inputs, inputs.home_base)

        return solve

    def _solve(self, start: Vector) -> tuple[Vector | None, SolveStatus]:
        tasks, robot = self._tasks, self._arm.robot
        tasks.aim({self._arm.frame: self._setpoint})
        tasks.configuration.update(robot.q_from_positions(start))
        tasks.follow_posture(tasks.configuration.q)
        q, status = tasks.step(1.0 / self._settings.rate_hz)
        return (None if q is None else robot.positions_from_q(q)), status

    def _what_holds(self, step: StreamingStep) -> str:
        """Return which bounds a step has come to, or that none has, as the end of a sentence."""
        fastest = tuple(dict.fromkeys((*self._fastest(), *step.at_velocity_step)))
        reasons = (
            ("velocity bound", fastest),
            ("tracking window", step.at_tracking_window),
            ("inward margin", step.at_margin),
        )
        told = "".join(
            f"; {', '.join(names)} at {'its' if len(names) == 1 else 'their'} {bound}"
            for bound, names in reasons
            if names
        )
        return told or "; no bound is in its way: these weights follow slowly there"

    def _fastest(self) -> list[str]:
        """Return the joints that step as far as they may, before a filter shortens the step."""
        start, end = self._last_step
        if end is None:
            return []
        largest_step = self._velocity_limits / self._settings.rate_hz
        is_at_bound = np.abs(end - start) >= _AT_BOUND_SHARE * largest_step
        return np.array(self._arm.robot.joint_names)[is_at_bound].tolist()

    def _has_arrived(self, positions: Vector, grasp: Pose) -> bool:
        error_m, error_rad = self._arm.errors(positions, grasp)
        return error_m <= ARRIVED_M and error_rad <= ARRIVED_RAD
