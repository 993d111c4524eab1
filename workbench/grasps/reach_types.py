"""What a reach check is asked and what it answers, in values that cross processes; no Pink here."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from workbench.errors import GraspError
from workbench.grasps.spec import GraspSpec
from workbench.poses import Pose

ReachState = Literal["reached", "reached_with_retry", "approach_fails", "not_reached"]
"""How a check ended. ``reached_with_retry`` took more than the first attempt, from home."""

SelfCollision = Callable[[np.ndarray], "tuple[str, str] | None"]
"""From joint positions in the order of commands to two links that touch, or None."""


@dataclass(frozen=True)
class ReachSettings:
    """How a grasp is tried.

    Attributes:
        standoff_m: How far before the grasp the straight approach begins, where the file gives no
            pregrasp pose of its own.
        approach: Direction of the approach in the gripper frame; any length but zero.
        max_attempts: Attempts at most: the first from home, each further one from a random
            posture.
        seed: Of the random postures.
        speed_m_s: Speed of the approach.
        rate_hz: Ticks per second of the approach.
        position_tolerance_m: A plan has arrived when it is this near.
        orientation_tolerance_rad: Likewise.

    Raises:
        GraspError: If a number is out of range.
    """

    standoff_m: float = 0.1
    approach: tuple[float, float, float] = (0.0, 0.0, 1.0)
    max_attempts: int = 5
    seed: int = 0
    speed_m_s: float = 0.25
    rate_hz: float = 100.0
    position_tolerance_m: float = 1e-3
    orientation_tolerance_rad: float = 1e-2

    def __post_init__(self) -> None:
        """Check the numbers."""
        positive = (
            "max_attempts", "speed_m_s", "rate_hz", "position_tolerance_m",
            "orientation_tolerance_rad",
        )  # fmt: skip
        for name in positive:
            value = getattr(self, name)
            if not 0.0 < value < math.inf:
                raise GraspError("is out of range", field=name, value=value, expected="above 0")
        if self.seed < 0:
            raise GraspError("is out of range", field="seed", value=self.seed, expected="0 or more")
        if not 0.0 <= self.standoff_m < math.inf:
            raise GraspError(
                "is out of range", field="standoff_m", value=self.standoff_m, expected="0 or more"
            )
        if not (math.isfinite(sum(self.approach)) and any(self.approach)):
            raise GraspError(
                "is no direction", field="approach", value=self.approach,
                expected="three numbers that are not all zero",
            )  # fmt: skip

    @property
    def retreat(self) -> Pose:
        """From the grasp to the beginning of the approach, in the gripper frame."""
        direction = np.array(self.approach) / np.linalg.norm(self.approach)
        return Pose(-self.standoff_m * direction)


@dataclass(frozen=True)
class GraspTarget:
    """Where a frame of the robot must go for one grasp.

    Attributes:
        name: Name of the grasp.
        grasp: Pose of the frame in the world when the object is held.
        pregrasp: Its pose where the straight approach begins.
    """

    name: str
    grasp: Pose
    pregrasp: Pose


@dataclass(frozen=True)
class ReachResult:
    """How a robot reaches one grasp. Errors are those of forward kinematics, not of the planner.

    Attributes:
        name: Name of the grasp.
        state: How the check ended.
        text: The same in one sentence.
        attempts: Attempts that were made.
        position_error_m: Distance left: at the end of the approach; of the plan where none was
            found.
        orientation_error_rad: Angle left, likewise.
        limiting_joint: The joint whose limit holds the robot back; None where none does.
        limit_margin: Smallest distance of a joint from a limit at the end, as a share of its
            range; None without limits.
        manipulability: Product of the singular values of the frame's Jacobian at the end
            (Yoshikawa, 1985), in units of m and rad.
        approach_share: Share of the approach that was done, from 0 to 1; None where there was
            none.
        approach_s: How long the approach took, in the robot's time.
        positions: Joints at the end, in the order of commands, rad or m.
        pregrasp_positions: Joints where the approach begins; empty without a plan.
        solve_s: Computing time; does not count for equality.
        approach_path: Joints along the approach at every tick of ``ReachSettings.rate_hz``, like
            :attr:`positions`; only where it was asked for, and of one that arrived.
    """

    name: str
    state: ReachState
    text: str
    attempts: int
    position_error_m: float
    orientation_error_rad: float
    limiting_joint: str | None = None
    limit_margin: float | None = None
    manipulability: float = 0.0
    approach_share: float | None = None
    approach_s: float = 0.0
    positions: tuple[float, ...] = ()
    pregrasp_positions: tuple[float, ...] = ()
    solve_s: float = field(default=0.0, compare=False)
    approach_path: tuple[tuple[float, ...], ...] = field(default=(), compare=False, repr=False)

    @property
    def is_reached(self) -> bool:
        """Whether the robot gets there, at the first attempt or a later one."""
        return self.state in ("reached", "reached_with_retry")


def grasp_targets(
    spec: GraspSpec,
    transform_object_to_world: Pose,
    settings: ReachSettings,
    transform_frame_to_gripper: Pose | None = None,
) -> tuple[GraspTarget, ...]:
    """Return where a frame of the robot must go for every grasp, best grasp first.

    Args:
        spec: The grasps.
        transform_object_to_world: Where the object is.
        settings: How far back, and in which direction, the approach begins.
        transform_frame_to_gripper: The robot's frame in the file's gripper frame; identity where
            they are the same.
    """
    to_gripper = transform_frame_to_gripper or Pose()
    targets = []
    for name in spec.ranking:
        grasp = spec[name]
        gripper = transform_object_to_world @ grasp.pose
        pregrasp = grasp.pregrasp_pose
        before = (
            gripper @ settings.retreat if pregrasp is None else transform_object_to_world @ pregrasp
        )
        targets.append(GraspTarget(name, gripper @ to_gripper, before @ to_gripper))
    return tuple(targets)
