"""What a loaded robot is, in plain values that every room may read.

No Pinocchio here: the page and the session know a robot by its names, limits, links and looks.
The model itself stays behind :class:`workbench.model.robot.Robot`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.profile import ToolFrame
from workbench.config.profile_examples import ProfileExample
from workbench.poses import Pose

JointKind = Literal["revolute", "continuous", "prismatic"]
PrimitiveKind = Literal["box", "sphere", "cylinder", "capsule"]
Severity = Literal["info", "warning"]


@dataclass(frozen=True)
class Joint:
    """One scalar joint that is solved for. A floating base is not among them.

    Attributes:
        name: Name in the URDF.
        kind: ``continuous`` joints have no position limits and take two entries of q.
        lower: Lower position limit, rad or m; None where there is none.
        upper: Upper position limit, rad or m; None where there is none.
        velocity_limit: Cap on the joint's speed in rad/s or m/s, always positive and finite.
        velocity_limit_is_default: True when the URDF gave none (or zero) and a default stands in.
    """

    name: str
    kind: JointKind
    lower: float | None
    upper: float | None
    velocity_limit: float
    velocity_limit_is_default: bool = False

    @property
    def unit(self) -> str:
        """``rad`` or ``m``."""
        return "m" if self.kind == "prismatic" else "rad"

    @property
    def has_limits(self) -> bool:
        """Whether the joint has position limits at both ends."""
        return self.lower is not None and self.upper is not None

    def limit_margin(self, position: float) -> float | None:
        """Return the distance to the nearer limit as a share of the range, or None without."""
        if self.lower is None or self.upper is None:
            return None
        return min(position - self.lower, self.upper - position) / (self.upper - self.lower)


@dataclass(frozen=True)
class HeldJoint:
    """A joint that was taken out of the model and stays where it is.

    Attributes:
        name: Name in the URDF.
        position: Where it is held, rad or m.
        neutral: Where DimOS, which holds such joints at neutral, would hold it.
        reason: In words, for the page.
    """

    name: str
    position: float
    neutral: float
    reason: str


@dataclass(frozen=True)
class Follower:
    """A mimic joint: ``position = multiplier * leader + offset``.

    Attributes:
        name: The follower's name.
        leader: Name of the joint that it follows.
        multiplier: Factor, unitless (or m/rad where kinds differ).
        offset: Offset in rad or m.
        in_model: True when Pinocchio's own mimic joint carries it, so that its links' tasks and
            Jacobians know of it; False when it is held in the model and moved in the picture only.
    """

    name: str
    leader: str
    multiplier: float
    offset: float
    in_model: bool


@dataclass(frozen=True)
class Remark:
    """Something that loading decided or found, and that the page must say.

    Attributes:
        code: Short kind, such as ``velocity_default``, ``zero_range_held``, ``missing_mesh``,
            ``mimic_held``, ``home_clamped``.
        text: One sentence for the user.
        severity: How loudly.
        subject: Joint, link or file that is meant.
    """

    code: str
    text: str
    severity: Severity = "info"
    subject: str = ""


@dataclass(frozen=True)
class Primitive:
    """What a shape is exactly, where its triangles only come close.

    Attributes:
        kind: Its centre is the origin of the shape's pose, its axis z.
        sizes: In m. Box: side lengths along x, y and z; sphere: radius; cylinder: radius and
            length; capsule: radius and length of the straight part.
    """

    kind: PrimitiveKind
    sizes: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Shape:
    """A triangle mesh that hangs on a link, ready to draw.

    Attributes:
        link: Name of the link.
        pose: Pose of the shape in its link's frame.
        vertices: Vertices in metres, scale already applied, shape (n, 3) float32, read-only.
        faces: Triangles as vertex indices, counter-clockwise seen from outside, shape (m, 3)
            uint32, read-only.
        rgba: Colour, four numbers in [0, 1].
        vertex_colors: One RGB colour a vertex, shape (n, 3) uint8, or None for ``rgba`` alone.
        primitive: The primitive that the triangles stand for; None for a mesh file.
        element: Which ``<visual>`` or ``<collision>`` of its link this is, counted from 0; a mesh
            file of several colours gives several shapes with the same number.
    """

    link: str
    pose: Pose
    vertices: NDArray[np.float32]
    faces: NDArray[np.uint32]
    rgba: tuple[float, float, float, float] = (0.7, 0.7, 0.7, 1.0)
    vertex_colors: NDArray[np.uint8] | None = None
    primitive: Primitive | None = None
    element: int = 0


@dataclass(frozen=True)
class Link:
    """A node of the picture's tree: one link and how it hangs on its parent.

    Attributes:
        name: Name in the URDF.
        parent: Name of the parent link, None for the root.
        joint: Name of the joint between them, None for the root.
        moves: False for a fixed or held joint: its placement never changes.
        translates: True when the placement's translation changes as well as its rotation
            (prismatic joints, the floating base).
        missing_files: Mesh files that were not found; the link is drawn as a small frame.
        origin: Pose of the joint in the parent link's frame: where the link is at position zero.
    """

    name: str
    parent: str | None
    joint: str | None
    moves: bool
    translates: bool
    missing_files: tuple[str, ...] = ()
    origin: Pose = field(default_factory=Pose)


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """Everything about a loaded robot that is not a Pinocchio object.

    Attributes:
        name: Name of the profile, or of the URDF's ``<robot>``.
        title: Name for people.
        source: Where it came from, in words (package and path, or path).
        urdf_path: The URDF file.
        urdf_sha256: Digest of the URDF's bytes, in hex.
        joints: The joints that are solved for, in the model's order.
        held_joints: Joints taken out of the model.
        followers: Mimic joints.
        gripper_joints: Names of joints that open and close a gripper; may be held ones.
        tool_frames: Names of the frames that get a gizmo and a frame task.
        frames: Names of all links, for choosers.
        home: Home position of every joint in ``joints``, by name; inside the limits.
        defaults: The profile's tuned config.
        floating_base: Whether the root link floats.
        links: The picture's tree, parents before children; the first is the root.
        visuals: Visual shapes.
        collisions: Collision shapes.
        remarks: What loading decided and found.
        size_m: Rough extent of the robot at home, for cameras and gizmos.
        defined_tools: Those tool frames that are not links of the URDF but defined by the profile
            or the command line.
        examples: Name and title of the profile's example sessions.
        example: The example that was loaded, whose lists a session starts with; None for the plain
            robot.
        mass_kg: Mass of all that moves: without it there is no centre of mass.
    """

    name: str
    title: str
    source: str
    urdf_path: str
    urdf_sha256: str
    joints: tuple[Joint, ...]
    held_joints: tuple[HeldJoint, ...]
    followers: tuple[Follower, ...]
    gripper_joints: tuple[str, ...]
    tool_frames: tuple[str, ...]
    frames: tuple[str, ...]
    home: Mapping[str, float]
    defaults: PinkKinematicsConfig
    floating_base: bool
    links: tuple[Link, ...]
    visuals: tuple[Shape, ...] = ()
    collisions: tuple[Shape, ...] = ()
    remarks: tuple[Remark, ...] = ()
    size_m: float = 1.0
    defined_tools: tuple[ToolFrame, ...] = ()
    examples: tuple[tuple[str, str], ...] = ()
    example: ProfileExample | None = None
    mass_kg: float = 0.0
    srdf_path: str | None = None

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of :attr:`joints`, in order."""
        return tuple(joint.name for joint in self.joints)

    def joint(self, name: str) -> Joint:
        """Return the joint of that name; raises KeyError."""
        for joint in self.joints:
            if joint.name == name:
                return joint
        raise KeyError(name)

    def joints_before(self, frame: str) -> frozenset[str]:
        """Return the names of the joints that move a tool frame: those between it and the root.

        A mimic joint on the way counts as its leader. Empty for a frame that is not there.
        """
        defined = {tool.name: tool.link for tool in self.defined_tools}
        by_name = {link.name: link for link in self.links}
        leaders = {follower.name: follower.leader for follower in self.followers}
        names = set()
        link = by_name.get(defined.get(frame, frame))
        while link is not None:
            if link.joint is not None:
                names.add(leaders.get(link.joint, link.joint))
            link = None if link.parent is None else by_name[link.parent]
        return frozenset(names.intersection(self.joint_names))
