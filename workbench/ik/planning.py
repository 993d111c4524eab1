"""Planning as DimOS does it: iterate to the target, from the seed first, then from random postures.

The rules are those of DimOS 0.0.15's ``PinkIK``: at most ``max_iterations`` steps of ``dt``, the
posture's target is where the attempt began, and an attempt ends without a solution when a joint
leaves its limits. A retry begins at a random posture inside the limits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pinocchio
from numpy.typing import NDArray

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.planning import PlanningConfig
from workbench.config.settings import SolveWith
from workbench.errors import SolverError
from workbench.ik.plan_types import PlanResult, PlanStatus
from workbench.ik.pose_tasks import PoseTasks, PostureShape
from workbench.model.controlled import ControlledRobot
from workbench.poses import Pose, frozen_array

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

LIMITS_TOLERANCE = 1e-8
"""How far outside its limits, in rad or m, a joint of a plan may be."""

_LARGEST_RANGE = 1e3

_ROUNDING_M = 1e-12
_ROUNDING_RAD = 1e-7
"""An angle this small is rounding alone when it is taken from a trace."""

_ErrorsOf = Callable[[Vector, Matrix, pinocchio.SE3], tuple[float, float]]

_PLAIN = PostureShape()


class Planner:
    """Plans for one robot. Used by one thread at a time."""

    def __init__(
        self,
        robot: ControlledRobot,
        config: PinkKinematicsConfig,
        planning: PlanningConfig,
        shape: PostureShape = _PLAIN,
        solve_with: SolveWith = "fast",
    ) -> None:
        """Build Pink's objects.

        Args:
            robot: The robot; attributes are hung on its model.
            config: The twelve settings.
            planning: Tolerances, attempts and seed.
            shape: What the robot's own tuning changes about the posture.
            solve_with: Who solves: the answer is the same, and nobody looks on here.

        Raises:
            RobotError: If the shape names a joint that is not controlled.
        """
        self._robot = robot
        self._config = config
        self._planning = planning
        self._tasks = PoseTasks(robot, config, shape, solve_with)

    def plan(
        self,
        targets: Mapping[str, Pose],
        seed: Vector,
        *,
        held: Mapping[str, float] | None = None,
        velocity_limits: Mapping[str, float] | None = None,
        keep_going: Callable[[int, int], bool] | None = None,
        is_promising: Callable[[int, float, float], bool] | None = None,
    ) -> PlanResult:
        """Search for positions that bring every frame to its target.

        Args:
            targets: Target pose in the world by frame name; at least one.
            seed: Where the first attempt starts, in the order of commands, rad or m, shape (n,).
            held: Joints that are held by a hard constraint, by name, with their position.
            velocity_limits: Velocity limits that replace the robot's, by joint name.
            keep_going: Called with attempt (from 1) and iterations done before each step; the
                search ends when it returns False.
            is_promising: Called with the iterations done and the errors left, in m and rad, before
                each step; the attempt ends without a solution when it returns False. DimOS goes
                on to ``max_iterations``.

        Raises:
            SolverError: If there is no target, the seed is not finite, or a joint shall be held
                outside its limits.
            RobotError: If there is no such frame or joint.
        """
        if not targets:
            raise SolverError("there is no target to plan for", expected="at least one frame")
        if not np.isfinite(seed).all():
            raise SolverError("is not finite", field="seed", value=seed.tolist())
        held = held or {}
        self._tasks.set_velocity_limits(velocity_limits or {})
        self._tasks.hold(held)
        self._tasks.aim(targets)
        random = np.random.default_rng(self._planning.seed)
        reported: PlanResult | None = None
        for attempt in range(1, self._planning.max_attempts + 1):
            start = self._start(seed, held, random, attempt)
            result = self._attempt(targets, start, attempt, keep_going, is_promising)
            if result.status in ("SUCCESS", "CANCELLED"):
                return result
            reported = replace(reported or result, attempts=attempt)
        assert reported is not None, "max_attempts is at least 1"
        return reported

    def _start(
        self,
        seed: Vector,
        held: Mapping[str, float],
        random: np.random.Generator,
        attempt: int,
    ) -> Vector:
        """Return where an attempt starts: the seed, or random positions inside the limits."""
        robot = self._robot
        start = np.array(seed, dtype=np.float64)
        if attempt > 1:
            # Without limits worth the name, the range doubles with every attempt.
            endless = ~(robot.upper - robot.lower < _LARGEST_RANGE)
            reach = np.where(robot.is_continuous, np.pi, 2.0 ** min(attempt - 2, 10))
            middle = np.where(robot.is_continuous, 0.0, seed)
            lower = np.where(endless, np.maximum(robot.lower, middle - reach), robot.lower)
            upper = np.where(endless, np.minimum(robot.upper, middle + reach), robot.upper)
            start = random.uniform(lower, np.maximum(lower, upper))
        for name, position in held.items():
            start[robot.joint_index(name)] = position
        return start

    def _attempt(
        self,
        targets: Mapping[str, Pose],
        start: Vector,
        attempt: int,
        keep_going: Callable[[int, int], bool] | None,
        is_promising: Callable[[int, float, float], bool] | None,
    ) -> PlanResult:
        robot, tasks, planning = self._robot, self._tasks, self._planning
        path: list[Vector] = []

        def result(status: PlanStatus, message: str, iterations: int) -> PlanResult:
            return PlanResult(
                status, message, iterations, attempt, attempt, *errors,
                path[-1] if status == "SUCCESS" else None, tuple(path),
            )  # fmt: skip

        goals = [
            (robot.model.getFrameId(name), target.translation, target.rotation)
            for name, target in targets.items()
        ]
        tasks.configuration.update(robot.q_from_positions(start))
        tasks.follow_posture(tasks.configuration.q)
        path.append(frozen_array(start))
        errors = (math.inf, math.inf)
        for iteration in range(self._config.max_iterations):
            errors = self._largest_errors(goals, _errors)
            if self._is_close(errors):
                errors = self._largest_errors(goals, _errors_to_the_last_bit)
            if (
                errors[0] <= planning.position_tolerance_m
                and errors[1] <= planning.orientation_tolerance_rad
            ):
                path[-1] = frozen_array(robot.positions_from_q(tasks.configuration.q))
                return result("SUCCESS", "Every frame is at its target.", iteration + 1)
            if keep_going is not None and not keep_going(attempt, iteration):
                return result("CANCELLED", "The search was cancelled.", iteration)
            if is_promising is not None and not is_promising(iteration, *errors):
                return result("NO_SOLUTION", "No step brings it nearer.", iteration)
            q, solve = tasks.step(self._config.dt)
            if q is None:
                # DimOS reports such an attempt as one without iterations and errors.
                errors = (0.0, 0.0)
                return result("NO_SOLUTION", f"{solve.cause} {solve.remedy}".strip(), 0)
            tasks.configuration.update(q)
            path.append(frozen_array(robot.positions_from_q(q)))
            left = self._left_limits(path[-1])
            if left is not None:
                return result("JOINT_LIMITS", f"Joint {left} leaves its limits.", iteration + 1)
        steps = self._config.max_iterations
        return result("NO_SOLUTION", f"The target is not reached in {steps} iterations.", steps)

    def _is_close(self, errors: tuple[float, float]) -> bool:
        """Tell whether rounding may decide if the errors are within the tolerances."""
        planning = self._planning
        return (
            errors[0] <= planning.position_tolerance_m + _ROUNDING_M
            and errors[1] <= planning.orientation_tolerance_rad + _ROUNDING_RAD
        )

    def _largest_errors(
        self, goals: Sequence[tuple[int, Vector, Matrix]], errors_of: _ErrorsOf
    ) -> tuple[float, float]:
        """Return the largest position error in m and orientation error in rad.

        Args:
            goals: Index of each frame, and its target's translation and rotation.
            errors_of: Computes both for one frame.
        """
        data = self._tasks.configuration.data
        position_error_m = orientation_error_rad = 0.0
        for frame_id, translation, rotation in goals:
            distance, angle = errors_of(translation, rotation, data.oMf[frame_id])
            position_error_m = max(position_error_m, distance)
            orientation_error_rad = max(orientation_error_rad, angle)
        return position_error_m, orientation_error_rad

    def _left_limits(self, positions: Vector) -> str | None:
        robot = self._robot
        outside = (positions < robot.lower - LIMITS_TOLERANCE) | (
            positions > robot.upper + LIMITS_TOLERANCE
        )
        return robot.joint_names[int(np.flatnonzero(outside)[0])] if outside.any() else None


def _errors(translation: Vector, rotation: Matrix, placement: pinocchio.SE3) -> tuple[float, float]:
    """Return the distance in m and the angle in rad of a frame to its target.

    The angle is taken from the trace of the rotation between the two, as DimOS takes it.
    """
    distance = math.dist(translation.tolist(), placement.translation.tolist())
    # The trace of A B^T is the sum of the products of their entries.
    trace = float(np.vdot(rotation, placement.rotation))
    return distance, math.acos(min(max(0.5 * (trace - 1.0), -1.0), 1.0))


def _errors_to_the_last_bit(
    translation: Vector, rotation: Matrix, placement: pinocchio.SE3
) -> tuple[float, float]:
    """Return the same, rounded as DimOS rounds, which takes several times as long."""
    distance = float(np.linalg.norm(translation - placement.translation))
    trace = np.trace(rotation @ placement.rotation.T)
    return distance, float(np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0)))
