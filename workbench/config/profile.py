"""A robot's profile: where its URDF comes from, what is tuned on it, and from where it starts.

One YAML file a robot. Only the file is checked here; whether its joints and links exist is known
when the robot is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, cast

from workbench.config.frozen import frozen_mapping
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.kinematics_file import kinematics_from_section
from workbench.config.profile_examples import ProfileExample, read_examples
from workbench.config.sections import Section
from workbench.config.yaml_io import load_yaml
from workbench.errors import UsageError, did_you_mean
from workbench.poses import Pose

MeshUpAxis = Literal["z", "y"]

PACKAGES = ("example-robot-data",)
"""Packages that a profile's URDF may come from."""

_KEYS = (
    "title", "source", "tool_frames", "home", "held_joints", "gripper_joints", "mesh_up_axis",
    "floating_base", "kinematics", "examples",
)  # fmt: skip


@dataclass(frozen=True)
class ProfileSource:
    """Where a robot's files are.

    Attributes:
        package: ``example-robot-data``, whose ``share/example-robot-data/robots`` the paths are
            relative to and may not leave; None when they are relative to the profile's own folder,
            or absolute.
        urdf: Path of the URDF.
        srdf: Path of the SRDF, None where there is none.
    """

    package: str | None
    urdf: str
    srdf: str | None = None


@dataclass(frozen=True)
class ToolFrame:
    """A frame that gets a gizmo and a frame task.

    Attributes:
        name: Its name; that of its link when it is the link's own frame.
        link: The link that it is fixed to.
        pose: Its pose in the link's frame.
    """

    name: str
    link: str
    pose: Pose = field(default_factory=Pose)

    @property
    def is_link_frame(self) -> bool:
        """Whether it is the link's own frame, under the link's own name."""
        return self.name == self.link and self.pose == Pose()


@dataclass(frozen=True)
class RobotProfile:
    """What a profile says.

    Attributes:
        name: Name of the file without its suffix.
        title: Name for people.
        source: Where the robot's files are.
        tool_frames: Frames to be tuned; empty means the ends of the chains.
        home: Joint positions by name, rad or m.
        held_joints: Joints taken out of the model, with the position at which they stay, rad or m.
        gripper_joints: Joints that open and close a gripper.
        mesh_up_axis: ``y`` when the DAE files mean what their ``<up_axis>`` says; ``z`` ignores it.
        floating_base: Whether the root link floats.
        kinematics: The tuned defaults.
        examples: Example sessions.
        example: The example that this is the profile of; None for the plain robot.
        folder: Folder of the profile, as an absolute path.
    """

    name: str
    title: str
    source: ProfileSource
    tool_frames: tuple[ToolFrame, ...] = ()
    home: Mapping[str, float] = field(default_factory=dict)
    held_joints: Mapping[str, float] = field(default_factory=dict)
    gripper_joints: tuple[str, ...] = ()
    mesh_up_axis: MeshUpAxis = "z"
    floating_base: bool = False
    kinematics: PinkKinematicsConfig = field(default_factory=PinkKinematicsConfig)
    examples: tuple[ProfileExample, ...] = ()
    example: ProfileExample | None = None
    folder: str = ""

    def __post_init__(self) -> None:
        """Freeze the mappings."""
        object.__setattr__(self, "home", frozen_mapping(self.home))
        object.__setattr__(self, "held_joints", frozen_mapping(self.held_joints))

    def for_example(self, name: str) -> RobotProfile:
        """Return the profile as one of its examples has it.

        Raises:
            UsageError: If there is no such example.
        """
        for example in self.examples:
            if example.name == name:
                held = {
                    joint: position
                    for joint, position in self.held_joints.items()
                    if joint not in example.free_joints
                }
                return replace(
                    self,
                    floating_base=self.floating_base or example.floating_base,
                    held_joints=held,
                    home={**self.home, **example.home},
                    example=example,
                )
        raise UsageError(
            f"{self.name} has no such example", field="example", value=name,
            expected=did_you_mean(name, [example.name for example in self.examples]),
        )  # fmt: skip


def read_profile(path: Path) -> RobotProfile:
    """Read a profile.

    Raises:
        ConfigError: With path, line, key, value and what would be right.
    """
    top = Section(load_yaml(path, name=str(path)))
    top.refuse_unknown(_KEYS)
    name = path.name.removesuffix(".yaml").removesuffix(".yml")
    held_joints = _read_held_joints(top)
    profile = RobotProfile(
        name=name,
        title=top.text("title", default=name),
        source=_read_source(top.section("source")),
        tool_frames=_read_tool_frames(top),
        home=top.numbers_by_name("home"),
        held_joints=held_joints,
        gripper_joints=top.texts("gripper_joints"),
        mesh_up_axis=cast(MeshUpAxis, top.choice("mesh_up_axis", ("z", "y"), "z")),
        floating_base=top.switch("floating_base", False),
        kinematics=(
            kinematics_from_section(top.section("kinematics"))
            if "kinematics" in top
            else PinkKinematicsConfig()
        ),
        examples=read_examples(top, "examples", held_joints),
        folder=str(path.resolve().parent),
    )
    for joint in profile.home:
        if joint in profile.held_joints:
            raise top.error(
                "has a home although the joint is held", "home", joint,
                expected="the position under held_joints",
            )  # fmt: skip
    return profile


def _read_source(section: Section) -> ProfileSource:
    section.refuse_unknown(("package", "urdf", "srdf"))
    package = section.optional_text("package")
    if package is not None and package not in PACKAGES:
        raise section.error(
            "is not a package of robots", "package", value=package,
            expected=" or ".join(PACKAGES),
        )  # fmt: skip
    source = ProfileSource(package, section.text("urdf"), section.optional_text("srdf"))
    for key, value in (("urdf", source.urdf), ("srdf", source.srdf)):
        if package is None or value is None:
            continue
        if Path(value).is_absolute() or ".." in Path(value).parts:
            raise section.error(
                "leaves its package", key, value=value, expected="a relative path without .."
            )
    return source


def _read_tool_frames(top: Section) -> tuple[ToolFrame, ...]:
    frames: list[ToolFrame] = []
    for index, item in enumerate(top.items("tool_frames")):
        if isinstance(item, str):
            frame = ToolFrame(str(item), str(item))
        elif not isinstance(item, dict):
            raise top.error(
                "is no tool frame", "tool_frames", index, value=item,
                expected="a link's name, or name, link, xyz and rpy",
            )  # fmt: skip
        else:
            section = Section(top.document, ("tool_frames", index))
            section.refuse_unknown(("name", "link", "xyz", "rpy"))
            pose = Pose.from_xyz_rpy(
                section.vector("xyz", 3, (0.0, 0.0, 0.0)), section.vector("rpy", 3, (0.0, 0.0, 0.0))
            )
            frame = ToolFrame(section.text("name"), section.text("link"), pose)
        if any(frame.name == other.name for other in frames):
            raise top.error("is listed twice", "tool_frames", index, value=frame.name)
        frames.append(frame)
    return tuple(frames)


def _read_held_joints(top: Section) -> dict[str, float]:
    """A list of names holds them at neutral, which is zero for every scalar joint."""
    if isinstance(top.mapping.get("held_joints"), list):
        return dict.fromkeys(top.texts("held_joints"), 0.0)
    return top.numbers_by_name("held_joints")
