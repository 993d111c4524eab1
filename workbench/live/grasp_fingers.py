"""Finger positions of a grasp, and between before it and in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.config.frozen import frozen_mapping
from workbench.grasps.grasp import Grasp
from workbench.grasps.gripper import FingerJoint, match_fingers
from workbench.live.grasping import GraspView
from workbench.model.description import RobotDescription


def finger_positions(
    grasp: Grasp, fingers: Iterable[FingerJoint], closed: float
) -> Mapping[str, float]:
    """Return where the fingers are between before the grasp (0) and in it (1), by name.

    Where the file gives one of the two only, they stay there. Followers are named as well.

    Args:
        grasp: The grasp.
        fingers: The gripper's joints.
        closed: From 0 to 1.
    """
    fingers = tuple(fingers)
    before = match_fingers(grasp.pregrasp_cspace_position, fingers).positions
    there = match_fingers(grasp.cspace_position, fingers).positions
    leaders = {
        name: (1.0 - closed) * before.get(name, there.get(name, 0.0))
        + closed * there.get(name, before.get(name, 0.0))
        for name in dict.fromkeys((*before, *there))
    }
    return with_followers(leaders, fingers)


def present_fingers(
    fingers: Iterable[FingerJoint],
    description: RobotDescription,
    view: GraspView,
    positions: Mapping[str, float],
) -> Mapping[str, float]:
    """Return where the robot's own fingers are, for those that move by themselves, by name.

    Args:
        fingers: The gripper's joints.
        description: The robot.
        view: Where fingers are shown that nobody solves for.
        positions: Where the robot's joints are, by name, rad or m.
    """
    held = {joint.name: joint.position for joint in description.held_joints}
    known = {**held, **view.fingers, **positions}
    return frozen_mapping(
        {
            finger.name: known.get(finger.name, finger.clamped(0.0))
            for finger in fingers
            if finger.leader is None
        }
    )


def with_followers(
    positions: Mapping[str, float], fingers: Iterable[FingerJoint]
) -> Mapping[str, float]:
    """Return positions of joints that move by themselves, and of those that follow them."""
    followers = {
        finger.name: finger.multiplier * positions[finger.leader] + finger.offset
        for finger in fingers
        if finger.leader is not None and finger.leader in positions
    }
    return frozen_mapping({**positions, **followers})
