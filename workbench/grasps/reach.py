"""Which grasps a robot reaches, with the present settings.

A grasp is planned to in the planning mode, first from home, then from random postures. From where
the plan ends, the pose before the grasp is planned to, and the straight way between the two is
driven in streaming mode. What counts at the end is forward kinematics.
"""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.planning import PlanningConfig
from workbench.config.streaming import StreamingConfig
from workbench.grasps.approach import Approach, ApproachRunner
from workbench.grasps.arm import ReachingArm
from workbench.grasps.reach_rules import ReachRules
from workbench.grasps.reach_types import GraspTarget, ReachResult, ReachSettings, SelfCollision
from workbench.ik.listed_step import ListedStep
from workbench.ik.planning import Planner
from workbench.ik.pose_tasks import PostureShape
from workbench.model.controlled import ControlledRobot
from workbench.poses import Pose

Vector = NDArray[np.float64]

_PLAIN = PostureShape()
_NO_RULES = ReachRules()
_ENDLESS = 2.0 * math.pi

_PATIENCE = 8
"""Iterations in a row without hope after which an attempt is given up."""

_OPTIMISM = 1.5
"""How much faster than now an attempt may become later."""


class ReachChecker:
    """Checks grasps of one robot. Used by one thread at a time."""

    def __init__(
        self,
        robot: ControlledRobot,
        config: PinkKinematicsConfig,
        frame: str,
        settings: ReachSettings | None = None,
        *,
        streaming: StreamingConfig | None = None,
        shape: PostureShape = _PLAIN,
        rules: ReachRules = _NO_RULES,
        make_listed: Callable[[], ListedStep] | None = None,
        touching: SelfCollision | None = None,
    ) -> None:
        """Build the planner and the solver of approaches.

        Args:
            robot: The robot; attributes are hung on its model.
            config: The twelve settings.
            frame: The frame that goes to the targets.
            settings: How grasps are tried.
            streaming: Bounds of the commands of an approach.
            shape: What the robot's own tuning changes about the posture.
            rules: What a session adds: home, held joints, caps, lists.
            make_listed: Makes what takes a step of an approach with the lists; None leaves them
                out.
            touching: Tells whether links touch each other; None does not look.

        Raises:
            RobotError: If there is no such frame, or the shape or the rules name a joint that is
                not there.
            ConfigError: If the bounds do not fit the robot.
            SolverError: If a joint shall be held outside its limits.
        """
        self._settings = settings or ReachSettings()
        self._rules = rules
        self._arm = ReachingArm(robot, frame, frozenset(rules.held_joints))
        planning = PlanningConfig(
            position_tolerance_m=self._settings.position_tolerance_m,
            orientation_tolerance_rad=self._settings.orientation_tolerance_rad,
            max_attempts=1,
        )
        self._planner = Planner(robot, config, planning, shape)
        self._runner = ApproachRunner(
            self._arm, config, streaming=streaming or StreamingConfig(), shape=shape,
            settings=self._settings, rules=rules, make_listed=make_listed, touching=touching,
        )  # fmt: skip
        self._home = np.minimum(np.maximum(robot.vector(rules.home), robot.lower), robot.upper)
        self._max_iterations = config.max_iterations
        self._touching = touching

    def check(self, target: GraspTarget, *, with_path: bool = False) -> ReachResult:
        """Try one grasp. The same arguments give the same result, whatever was tried before.

        Args:
            target: Where the frame must go.
            with_path: Whether the result tells the way of the approach.
        """
        began = time.perf_counter()
        random = np.random.default_rng([self._settings.seed, zlib.crc32(target.name.encode())])
        best: ReachResult | None = None
        attempts = self._settings.max_attempts
        for attempt in range(1, attempts + 1):
            result = self._attempt(target, self._start(attempt, random), attempt)
            if best is None or _is_better(result, best):
                best = result
            if result.is_reached:
                attempts = attempt
                break
        assert best is not None, "there is at least one attempt"
        if not with_path:
            best = replace(best, approach_path=())
        return replace(best, attempts=attempts, solve_s=time.perf_counter() - began)

    def _start(self, attempt: int, random: np.random.Generator) -> Vector:
        robot = self._arm.robot
        if attempt == 1:
            return np.array(self._home)
        is_endless = robot.is_continuous | ~robot.is_bounded
        lower = np.where(is_endless, self._home - 0.5 * _ENDLESS, robot.lower)
        upper = np.where(is_endless, self._home + 0.5 * _ENDLESS, robot.upper)
        return random.uniform(np.maximum(lower, robot.lower), np.minimum(upper, robot.upper))

    def _attempt(self, target: GraspTarget, start: Vector, attempt: int) -> ReachResult:
        found, why = self._plan(target.grasp, start)
        if why:
            return self._not_reached(target, found, why)
        # From the grasp backwards, so that the arm need not change its posture on the way.
        before, why = self._plan(target.pregrasp, found)
        if why:
            _, left = self._left(before, target.pregrasp, why)
            approach = Approach(before, 0.0, 0.0, f"where it would begin is not reached, {left}")
            return self._approach_fails(target, approach, target.pregrasp)
        approach = self._runner.run(target, before)
        if approach.cause:
            failed = self._approach_fails(target, approach, target.grasp)
            return replace(failed, pregrasp_positions=tuple(before.tolist()))
        error_m, error_rad = self._arm.errors(approach.positions, target.grasp)
        return ReachResult(
            target.name, "reached" if attempt == 1 else "reached_with_retry",
            "Reached." if attempt == 1 else f"Reached in attempt {attempt}.", attempt,
            error_m, error_rad, None,
            self._arm.limit_margin(approach.positions),
            self._arm.manipulability(approach.positions), 1.0, approach.time_s,
            tuple(approach.positions.tolist()), tuple(before.tolist()),
            approach_path=tuple(tuple(point.tolist()) for point in approach.path),
        )  # fmt: skip

    def _plan(self, pose: Pose, start: Vector) -> tuple[Vector, str]:
        """Return where a plan ends, and why that is not the pose; nothing where it is."""
        hope = _Hope(self._max_iterations, self._settings)
        plan = self._planner.plan(
            {self._arm.frame: pose}, start, held=self._rules.held_joints,
            velocity_limits=self._rules.velocity_caps, is_promising=hope,
        )  # fmt: skip
        end = np.array(plan.path[-1])
        if plan.positions is None:
            holds = None
            if plan.iterations > 0:  # else the solver has failed, and says itself why
                holds = self._arm.what_holds(end, pose)
            return end, holds or plan.message
        links = None if self._touching is None else self._touching(end)
        return end, "" if links is None else f"{links[0]} touches {links[1]} there."

    def _left(self, positions: Vector, pose: Pose, why: str) -> tuple[str | None, str]:
        """Return the joint that holds the robot back, and what is left and why, as text."""
        error_m, error_rad = self._arm.errors(positions, pose)
        if self._is_there(error_m, error_rad):
            return None, f"it cannot be held: {why}"
        joint = self._arm.limiting_joint(positions, pose)
        holds = why if joint is None else f"joint {joint} is at its limit."
        return (
            joint,
            f"{1000 * error_m:.0f} mm and {math.degrees(error_rad):.1f} degrees left: {holds}",
        )

    def _not_reached(self, target: GraspTarget, positions: Vector, why: str) -> ReachResult:
        error_m, error_rad = self._arm.errors(positions, target.grasp)
        joint, text = self._left(positions, target.grasp, why)
        return ReachResult(
            target.name, "not_reached", text[0].upper() + text[1:], 1, error_m, error_rad, joint,
            self._arm.limit_margin(positions), self._arm.manipulability(positions),
            positions=tuple(positions.tolist()),
        )  # fmt: skip

    def _is_there(self, error_m: float, error_rad: float) -> bool:
        settings = self._settings
        return (
            error_m <= settings.position_tolerance_m
            and error_rad <= settings.orientation_tolerance_rad
        )

    def _approach_fails(
        self, target: GraspTarget, approach: Approach, aimed_at: Pose
    ) -> ReachResult:
        positions = approach.positions
        error_m, error_rad = self._arm.errors(positions, target.grasp)
        joint = self._arm.limiting_joint(positions, aimed_at)
        text = f"The approach fails after {100 * approach.share:.0f} %: {approach.cause}"
        if joint is not None and joint not in approach.cause:
            text = f"{text.rstrip('.')}; joint {joint} is at its limit"
        return ReachResult(
            target.name, "approach_fails", f"{text.rstrip('.')}.", 1, error_m, error_rad, joint,
            self._arm.limit_margin(positions), self._arm.manipulability(positions),
            approach.share, approach.time_s, tuple(positions.tolist()),
        )  # fmt: skip


class _Hope:
    """Tells when an attempt has come to rest short of its target.

    An attempt is given up when the present pace, kept up for all iterations that are left, would
    not get there, and that for several iterations in a row. It saves four of five iterations where
    nothing is to be found.
    """

    def __init__(self, max_iterations: int, settings: ReachSettings) -> None:
        self._max_iterations = max_iterations
        self._tolerances = (settings.position_tolerance_m, settings.orientation_tolerance_rad)
        self._last = (math.inf, math.inf)
        self._hopeless = 0

    def __call__(
        self, iteration: int, position_error_m: float, orientation_error_rad: float
    ) -> bool:
        errors = (position_error_m, orientation_error_rad)
        left = self._max_iterations - iteration
        is_short = any(
            error - tolerance > _OPTIMISM * left * abs(last - error)
            for error, last, tolerance in zip(errors, self._last, self._tolerances, strict=True)
        )
        self._hopeless = self._hopeless + 1 if is_short else 0
        self._last = errors
        return self._hopeless < _PATIENCE


def check_grasp(
    robot: ControlledRobot,
    config: PinkKinematicsConfig,
    frame: str,
    target: GraspTarget,
    settings: ReachSettings | None = None,
) -> ReachResult:
    """Try one grasp with a checker of its own; see :class:`ReachChecker`."""
    return ReachChecker(robot, config, frame, settings).check(target)


def check_grasps(checker: ReachChecker, targets: Iterable[GraspTarget]) -> Iterator[ReachResult]:
    """Yield the result of each grasp, in order; stop asking to cancel."""
    for target in targets:
        yield checker.check(target)


def _is_better(result: ReachResult, other: ReachResult) -> bool:
    """Tell whether a result of one attempt says more about the grasp than another's."""
    order = ("not_reached", "approach_fails", "reached_with_retry", "reached")
    if result.state != other.state:
        return order.index(result.state) > order.index(other.state)
    if result.state == "approach_fails":
        return (result.approach_share or 0.0) > (other.approach_share or 0.0)
    return result.position_error_m < other.position_error_m
