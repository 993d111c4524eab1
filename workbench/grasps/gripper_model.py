"""A gripper cut out of a URDF: its links, its joints, and where they are in its own frame.

It is either part of the loaded robot or a URDF of its own. The part of the tree that is the gripper
begins at the frame that grasps are relative to, or above it at the first link, still fixed to it,
below which something moves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.errors import GraspError, did_you_mean
from workbench.grasps.glyphs import GlyphShape
from workbench.grasps.gripper import FingerJoint
from workbench.model.description import Follower, Shape
from workbench.model.looks import load_looks
from workbench.model.picture import LinkPicture
from workbench.model.request import RobotRequest
from workbench.model.structure import Structure, read_structure
from workbench.model.urdf import Urdf, UrdfJoint
from workbench.poses import Pose

_OPENING_STEP = 0.5e-3
"""Finger positions that differ by less, in rad or m, are drawn with the same opening."""

_TIP_SHARE = 0.25
"""Share of a finger's length, from its end, that counts as its tip."""


class GripperModel:
    """Places the links of one gripper. Never changes; any thread may use it.

    Attributes:
        name: Name of the robot or gripper.
        frame: The link that grasps are relative to.
        links: Names of its links, parents before children.
        fingers: Its joints.
        shapes: Its visual shapes.
    """

    def __init__(self, name: str, urdf: Urdf, frame: str, shapes: Iterable[Shape]) -> None:
        """Cut the gripper out.

        Args:
            name: What to call it.
            urdf: The tree that it is part of.
            frame: Link that grasps are relative to.
            shapes: Visual shapes of the whole tree.

        Raises:
            GraspError: If there is no such link.
        """
        if frame not in urdf.links:
            raise GraspError(
                "there is no such link", field="gripper frame", value=frame, path=urdf.file.path,
                expected=did_you_mean(frame, urdf.links),
            )  # fmt: skip
        self.name = name
        self.frame = frame
        first = _first_link(urdf, frame)
        joints = _joints_below(urdf, first)
        moving = [joint for joint in joints if joint.type != "fixed"]
        names = {joint.name for joint in moving}
        self.links = (first, *(joint.child for joint in joints))
        self.fingers = tuple(_finger(joint, names) for joint in moving)
        self._tips = [
            joint.child
            for joint in moving
            if all(below.type == "fixed" for below in _joints_below(urdf, joint.child))
        ]
        self.shapes = tuple(shape for shape in shapes if shape.link in self.links)
        self._leaders = [finger for finger in self.fingers if finger.leader is None]
        self._picture = LinkPicture(
            urdf.element,
            [finger.name for finger in self._leaders],
            {},
            [
                Follower(f.name, f.leader, f.multiplier, f.offset, in_model=False)
                for f in self.fingers
                if f.leader is not None
            ],
        )
        self._rows = {link: row for row, link in enumerate(self._picture.link_names)}

    def link_poses(self, positions: Mapping[str, float]) -> dict[str, Pose]:
        """Return where each link is in the gripper frame.

        Args:
            positions: Positions of joints that move by themselves, by name, rad or m. Others are
                at zero, or at the limit nearest to it; names that the gripper does not have are
                ignored.
        """
        values = [positions.get(finger.name, finger.clamped(0.0)) for finger in self._leaders]
        matrices = self._picture.world_placements(np.array(values, dtype=np.float64))
        to_frame = np.linalg.inv(matrices[self._rows[self.frame]])
        return {
            link: Pose.from_matrix(to_frame @ matrices[self._rows[link]]) for link in self.links
        }

    def glyph_shape(self, positions: Mapping[str, float]) -> GlyphShape:
        """Return lines that stand for this gripper with its fingers at some positions.

        The two links that end the tree and lie farthest apart are its fingers. Without two such
        links the shape is that of a common two-finger hand.
        """
        poses = self.link_poses(positions)
        clouds = [self._points_of(link, poses[link]) for link in self._tips]
        pair = _farthest_pair([cloud for cloud in clouds if len(cloud)])
        if pair is None:
            return GlyphShape()
        first, second = (_tip_of(cloud) for cloud in pair)
        across = (second.mean(axis=0) - first.mean(axis=0))[:2]
        distance = float(np.linalg.norm(across))
        axis = across / distance if distance > 0.0 else np.array([0.0, 1.0])
        gap = float((second[:, :2] @ axis).min() - (first[:, :2] @ axis).max())
        tip = float(min(cloud[:, 2].max() for cloud in pair))
        return GlyphShape(
            palm_m=float(min(cloud[:, 2].min() for cloud in pair)), tip_m=tip,
            half_opening_m=max(0.5 * gap, 0.0), closing_axis=(float(axis[0]), float(axis[1])),
        )  # fmt: skip

    def half_openings(self, many_positions: Sequence[Mapping[str, float]]) -> NDArray[np.float64]:
        """Return half the gap between the fingertips for each of many finger positions, in m.

        Args:
            many_positions: Finger positions, one mapping a grasp; a joint that is not named is at
                zero, or at the limit nearest to it.
        """
        if not many_positions or not self._leaders:
            return np.full(len(many_positions), self.glyph_shape({}).half_opening_m)
        rows = np.array(
            [
                [positions.get(finger.name, finger.clamped(0.0)) for finger in self._leaders]
                for positions in many_positions
            ],
            dtype=np.float64,
        )
        # Ten thousand grasps have a few hundred openings that the eye can tell apart.
        steps = np.round(rows / _OPENING_STEP) * _OPENING_STEP
        distinct, which = np.unique(steps, axis=0, return_inverse=True)
        names = [finger.name for finger in self._leaders]
        gaps = [
            self.glyph_shape(dict(zip(names, row.tolist(), strict=True))).half_opening_m
            for row in distinct
        ]
        return np.array(gaps, dtype=np.float64)[which.ravel()]

    def _points_of(self, link: str, pose: Pose) -> NDArray[np.float64]:
        """Return the vertices of a link in the gripper frame, shape (n, 3)."""
        points = [
            pose.act(shape.pose.act(shape.vertices)) for shape in self.shapes if shape.link == link
        ]
        return np.concatenate(points) if points else np.zeros((0, 3))


def load_gripper(request: RobotRequest, frame: str | None = None) -> GripperModel:
    """Read a gripper from a URDF of its own.

    Args:
        request: The URDF, as for a robot.
        frame: Link that grasps are relative to; the root by default.

    Raises:
        GraspError: If there is no such link.
        RobotError: If the URDF cannot be loaded.
        UsageError: If there is no such profile.
    """
    structure = read_structure(request)
    looks = load_looks(
        structure.urdf, structure.files, structure.mesh_up_axis, lambda share, text: None
    )
    return _cut_out(structure, frame or structure.urdf.root, looks.visuals)


def gripper_of_robot(request: RobotRequest, frame: str, visuals: Iterable[Shape]) -> GripperModel:
    """Cut the gripper out of a robot that is loaded already.

    Args:
        request: What the robot was loaded from.
        frame: Link that grasps are relative to.
        visuals: The robot's visual shapes.

    Raises:
        GraspError: If there is no such link.
        RobotError: If the robot's files can no longer be read.
    """
    return _cut_out(read_structure(request), frame, visuals)


def _cut_out(structure: Structure, frame: str, shapes: Iterable[Shape]) -> GripperModel:
    return GripperModel(structure.title, structure.urdf, frame, shapes)


def _first_link(urdf: Urdf, frame: str) -> str:
    """Return the link at which the gripper begins."""
    link = frame
    while not any(joint.type != "fixed" for joint in _joints_below(urdf, link)):
        above = urdf.joint_above.get(link)
        if above is None or above.type != "fixed":
            # Nothing moves below: a tool without fingers.
            return frame
        link = above.parent
    return link


def _joints_below(urdf: Urdf, link: str) -> list[UrdfJoint]:
    """Return all joints below a link, parents before children."""
    joints = list(urdf.joints_below[link])
    for joint in joints:
        joints.extend(urdf.joints_below[joint.child])
    return joints


def _finger(joint: UrdfJoint, names: Collection[str]) -> FingerJoint:
    lower = upper = None
    if joint.limit is not None and joint.type != "continuous":
        lower, upper = joint.limit.lower, joint.limit.upper
    law = joint.mimic
    if law is None or law.leader not in names:
        return FingerJoint(joint.name, lower, upper)
    return FingerJoint(joint.name, lower, upper, law.leader, law.multiplier, law.offset)


def _farthest_pair(
    clouds: Sequence[NDArray[np.float64]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return the two clouds whose middles lie farthest apart; None for fewer than two."""
    pairs = list(combinations(clouds, 2))
    if not pairs:
        return None
    return max(pairs, key=lambda pair: np.linalg.norm(pair[0].mean(axis=0) - pair[1].mean(axis=0)))


def _tip_of(cloud: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = cloud[:, 2].min(), cloud[:, 2].max()
    return cloud[cloud[:, 2] >= high - _TIP_SHARE * (high - low)]
