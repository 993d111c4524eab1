"""The way to a grasp, point by point: before it, open, straight in, close."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from workbench.grasps.gripper import FingerJoint
from workbench.grasps.reach_types import ReachResult
from workbench.live.grasping import GoPhase
from workbench.live.state import SessionState
from workbench.model.description import RobotDescription

STEP_S = 0.01
FINGERS_S = 0.6
FINGER_STEPS = 15
SHORTEST_MOVE_S = 0.5
SHARE_OF_SPEED = 0.4
"""How fast the move before the grasp is at most, of each joint's velocity limit."""

Point = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Way:
    """A path, point by point.

    Attributes:
        name: The grasp that it leads to.
        epoch: Number of the robot.
        points: Joint positions by name, rad or m.
        phases: What the robot does at each point.
        closed: How far the gripper is closed at each point, from 0 to 1.
        fingers: The gripper's joints.
    """

    name: str
    epoch: int
    points: tuple[Point, ...]
    phases: tuple[GoPhase, ...]
    closed: tuple[float, ...]
    fingers: tuple[FingerJoint, ...] = ()


def way_to(
    name: str,
    state: SessionState,
    corners: Sequence[Point],
    result: ReachResult,
    *,
    closed_at_first: float,
) -> Way:
    """Return the whole way to a grasp.

    Args:
        name: The grasp.
        state: The robot.
        corners: From where the robot is to where the approach begins, joint positions by name;
            straight in joint space from one to the next.
        result: A reached grasp, with the path of its approach.
        closed_at_first: How far the gripper is closed, from 0 to 1.
    """
    names = state.description.joint_names
    move = [
        point
        for start, end in pairwise(corners)
        for point in move_between(start, end, state.description)
    ]
    rest = max(round(FINGERS_S / STEP_S), 1)
    approach = [
        dict(zip(names, map(float, row), strict=True))
        for row in result.approach_path or (result.positions,)
    ]
    # Steps that the eye cannot tell apart would only cost messages.
    shares = [
        math.ceil(FINGER_STEPS * (number + 1) / rest) / FINGER_STEPS for number in range(rest)
    ]
    closed = [
        *[closed_at_first] * len(move),
        *[closed_at_first * (1.0 - share) for share in shares],
        *[0.0] * len(approach),
        *shares,
    ]
    phases: list[GoPhase] = [
        *["moving"] * len(move), *["opening"] * rest, *["approaching"] * len(approach),
        *["closing"] * rest,
    ]  # type: ignore[list-item]  # fmt: skip
    points = (*move, *[move[-1]] * rest, *approach, *[approach[-1]] * rest)
    return Way(name, state.epoch, points, tuple(phases), tuple(closed))


def move_between(start: Point, end: Point, description: RobotDescription) -> list[Point]:
    """Return points from one posture to another, every joint along a smooth step."""
    names = description.joint_names
    first, last = (np.array([point[name] for name in names]) for point in (start, end))
    difference = last - first
    turning = np.array([joint.kind == "continuous" for joint in description.joints])
    # A joint without end takes the shorter way round.
    difference[turning] = (difference[turning] + np.pi) % (2.0 * np.pi) - np.pi
    speeds = SHARE_OF_SPEED * np.array([joint.velocity_limit for joint in description.joints])
    # The smooth step 3 s^2 - 2 s^3 is at most half as fast again as a uniform one.
    duration = max(float(np.max(1.5 * np.abs(difference) / speeds)), SHORTEST_MOVE_S)
    count = max(round(duration / STEP_S), 1)
    shares = np.linspace(0.0, 1.0, count + 1)[1:]
    smooth = shares * shares * (3.0 - 2.0 * shares)
    rows = (first + smooth[:, None] * difference).tolist()
    return [dict(zip(names, row, strict=True)) for row in rows]
