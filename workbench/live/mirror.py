"""The mirror image of a posture, for robots with a left and a right side.

Which joints belong together is told by their names; which way each of them turns in the mirror is
told by the robot's geometry. Seen from the root link, a joint moves all that hangs on it by some
rigid motion; the mirror image of that motion is what the counterpart does, or undoes. When that
holds for every joint in one posture that is its own mirror image, it holds in all postures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from workbench.config.robot_pose import RobotPose
from workbench.errors import ConfigError
from workbench.live.bundle import RobotBundle
from workbench.model.description import RobotDescription
from workbench.poses import Pose

_SIDE: Final = re.compile(
    r"(?i:left|right)"  # arm_left_1_joint, LeftElbow
    r"|(?<![A-Za-z0-9])[lrLR](?![A-Za-z0-9])"  # l_elbow, hip_r_yaw
    r"|^[LR](?=[A-Z])"  # LElbowYaw
)
_OTHER_SIDE: Final = {"left": "right", "right": "left", "l": "r", "r": "l"}

_STEP: Final = 0.5
"""How far a joint is moved to see which way it moves things, rad or m: the directions differ by
far more than a robot's asymmetry."""

_TOLERANCE_M: Final = 1e-2
_TOLERANCE_RAD: Final = 2e-2
"""How far a joint's motion by a step may be from the mirror image of its counterpart's: the two
sides of a real robot differ by some millimetres."""


@dataclass(frozen=True, eq=False)
class Mirror:
    """Maps postures to their mirror images about the root link's plane y = 0.

    Attributes:
        counterparts: For every joint, the joint of the other side; itself for one in the middle.
        signs: For every joint, whether its counterpart goes the same way (1) or the other (-1).
        reference: A posture that is its own mirror image, by joint name, rad or m.
    """

    counterparts: Mapping[str, str]
    signs: Mapping[str, int]
    reference: Mapping[str, float]

    def positions(self, positions: Mapping[str, float]) -> dict[str, float]:
        """Return the mirror image of joint positions, rad or m.

        It is not brought inside the joint limits: the mirror image of the mirror image is the
        posture itself.

        Args:
            positions: By name; joints that are not named stay unnamed, on their other side.
        """
        return {
            counterpart: self.reference[counterpart]
            + self.signs[name] * (positions[name] - self.reference[name])
            for name, counterpart in self.counterparts.items()
            if name in positions
        }


def counterpart_name(name: str) -> str:
    """Return a joint's or frame's name with left and right exchanged; itself without a side."""
    return _SIDE.sub(_other_side, name)


def mirrored_pose(pose: Pose) -> Pose:
    """Return a rigid motion as it looks in a mirror that lies in the plane y = 0."""
    return Pose(
        pose.translation * np.array([1.0, -1.0, 1.0]),
        pose.wxyz * np.array([1.0, -1.0, 1.0, -1.0]),
    )


def mirrored_base(transform_base_to_world: Pose) -> Pose:
    """Return where a floating base goes: it leans to the other side, place and heading stay."""
    roll, pitch, yaw = transform_base_to_world.rpy.tolist()
    return Pose.from_xyz_rpy(transform_base_to_world.translation, (-roll, pitch, yaw))


def mirror_of(bundle: RobotBundle) -> Mirror:
    """Find out how a robot's postures are mirrored.

    Raises:
        ConfigError: For a robot without two sides, or whose sides are no mirror images.
    """
    description = bundle.description
    names = description.joint_names
    counterparts = {
        name: other if (other := counterpart_name(name)) in names else name for name in names
    }
    if all(name == other for name, other in counterparts.items()):
        raise ConfigError(
            "has no left and right joints to exchange", field=description.name,
            expected="joints in pairs, such as left_elbow and right_elbow, or l_elbow and r_elbow",
        )  # fmt: skip
    problem = ""
    for reference in (dict.fromkeys(names, 0.0), dict(description.home)):
        motions = _motions(bundle, reference)
        signs = {name: _sign(motions, name, other) for name, other in counterparts.items()}
        asymmetric = [name for name, sign in signs.items() if sign == 0]
        if not asymmetric:
            return Mirror(counterparts, signs, reference)
        problem = problem or asymmetric[0]
    other = counterparts[problem]
    raise ConfigError(
        "is not its own mirror image" if problem == other else f"is no mirror image of {other}",
        field=problem, expected="a robot that is symmetric about the plane y = 0 of its root link",
    )  # fmt: skip


def _other_side(match: re.Match[str]) -> str:
    found = match.group()
    other = _OTHER_SIDE[found.lower()]
    if found.isupper():
        return other.upper()
    return other.capitalize() if found[0].isupper() else other


def _motions(bundle: RobotBundle, reference: Mapping[str, float]) -> dict[str, Pose]:
    """Return what each joint's step does to all that hangs on it, in the root link's frame."""
    links = {
        link.joint: link.name
        for link in bundle.description.links
        if link.joint in bundle.description.joint_names
    }
    before = bundle.frame_poses(RobotPose(reference), tuple(links.values()))
    motions = {}
    for joint, link in links.items():
        stepped = RobotPose({**reference, joint: reference[joint] + _STEP})
        after = bundle.frame_poses(stepped, (link,))
        motions[joint] = after[link] @ before[link].inverse()
    return motions


def _sign(motions: Mapping[str, Pose], name: str, other: str) -> int:
    """Return 1 or -1 for a counterpart that goes along or against; 0 for one that does neither."""
    if name == other and counterpart_name(name) != name:
        return 1  # a joint of one side that the other side lacks stays where it is
    wanted = mirrored_pose(motions[name])
    for sign, motion in ((1, motions[other]), (-1, motions[other].inverse())):
        metres, radians = motion.distance_to(wanted)
        if metres <= _TOLERANCE_M and radians <= _TOLERANCE_RAD:
            return sign
    return 0


def joints_stopped(positions: Mapping[str, float], description: RobotDescription) -> list[str]:
    """Return the joints whose positions lie beyond their limits (by more than 1e-6 rad or m)."""
    return [
        joint.name
        for joint in description.joints
        if (position := positions.get(joint.name)) is not None
        and not (
            (joint.lower is None or position >= joint.lower - 1e-6)
            and (joint.upper is None or position <= joint.upper + 1e-6)
        )
    ]
