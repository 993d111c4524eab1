"""The kinematic content of a URDF as plain, checked values.

:func:`workbench.model.urdf_check.check_urdf` makes these; what it lets through has one root, no
loop, unique names and finite numbers, so nobody downstream checks again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal
from xml.etree.ElementTree import Element

import numpy as np

from workbench.model.description import JointKind
from workbench.model.xml_file import XmlFile

UrdfJointType = Literal["revolute", "continuous", "prismatic", "fixed"]


@dataclass(frozen=True)
class UrdfLimit:
    """A ``<limit>`` as written; lower and upper default to 0, as the specification says.

    Attributes:
        lower: Lower position limit, rad or m.
        upper: Upper position limit, rad or m.
        velocity: Largest speed, rad/s or m/s; None where it is not given.
        has_range: Whether the file gives lower or upper at all.
    """

    lower: float
    upper: float
    velocity: float | None
    has_range: bool


@dataclass(frozen=True)
class UrdfMimic:
    """A ``<mimic>``: ``position = multiplier * leader + offset``."""

    leader: str
    multiplier: float
    offset: float


@dataclass(frozen=True, eq=False)
class UrdfJoint:
    """A ``<joint>``.

    Attributes:
        name: Its name.
        type: Its type.
        parent: Name of the parent link.
        child: Name of the child link.
        xyz: Origin in the parent link's frame, m.
        rpy: Fixed-axis roll, pitch, yaw of the origin, rad.
        axis: Unit axis in the joint's frame.
        limit: Its ``<limit>``, None where there is none.
        mimic: Its ``<mimic>``, None where there is none.
        element: Where it was read from, for messages.
    """

    name: str
    type: UrdfJointType
    parent: str
    child: str
    xyz: tuple[float, float, float]
    rpy: tuple[float, float, float]
    axis: tuple[float, float, float]
    limit: UrdfLimit | None
    mimic: UrdfMimic | None
    element: Element = field(repr=False)

    @property
    def kind(self) -> JointKind:
        """The type of a joint that moves."""
        if self.type == "fixed":
            raise ValueError(f"{self.name} is a fixed joint")
        return self.type


@dataclass(frozen=True, eq=False)
class Urdf:
    """A robot whose kinematic tree makes sense.

    Attributes:
        file: The file, for messages and for the looks.
        name: Name of the ``<robot>``, or of the file where it has none.
        links: Names of all links, in the file's order.
        joints: All joints, in the file's order.
        root: Name of the root link.
    """

    file: XmlFile
    name: str
    links: tuple[str, ...]
    joints: tuple[UrdfJoint, ...]
    root: str

    @property
    def element(self) -> Element:
        """The ``<robot>`` element."""
        return self.file.root

    @cached_property
    def moving_joints(self) -> dict[str, UrdfJoint]:
        """All joints that are not fixed, by name, in the file's order."""
        return {joint.name: joint for joint in self.joints if joint.type != "fixed"}

    @cached_property
    def joint_above(self) -> dict[str, UrdfJoint]:
        """The joint that carries each link, by link name; the root has none."""
        return {joint.child: joint for joint in self.joints}

    @cached_property
    def joints_below(self) -> dict[str, tuple[UrdfJoint, ...]]:
        """The joints that hang on each link, by link name."""
        below: dict[str, list[UrdfJoint]] = {link: [] for link in self.links}
        for joint in self.joints:
            below[joint.parent].append(joint)
        return {link: tuple(joints) for link, joints in below.items()}

    def joints_to(self, link: str) -> tuple[UrdfJoint, ...]:
        """Return the joints from the root down to a link."""
        path: list[UrdfJoint] = []
        while (joint := self.joint_above.get(link)) is not None:
            path.append(joint)
            link = joint.parent
        return tuple(reversed(path))

    @cached_property
    def reach_m(self) -> float:
        """Longest sum of distances between consecutive joints, in m: the kinematic length."""
        lengths = {self.root: 0.0}
        pending = [self.root]
        while pending:
            link = pending.pop()
            for joint in self.joints_below[link]:
                lengths[joint.child] = lengths[link] + float(np.linalg.norm(joint.xyz))
                pending.append(joint.child)
        return max(lengths.values())
