"""A robot in plain values, without its looks: no mesh is read for it."""

from __future__ import annotations

from workbench.config.frozen import frozen_mapping
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.profile import RobotProfile
from workbench.model.description import RobotDescription
from workbench.model.links import build_links
from workbench.model.request import RobotRequest
from workbench.model.structure import Structure, read_structure

_BARE_URDF_DEFAULTS = PinkKinematicsConfig(solver="daqp", lm_damping=3.0, damping=3e-3)
"""For a robot that nobody has tuned: DimOS's values, but calm at the end of the robot's reach."""


def describe_robot(request: RobotRequest) -> RobotDescription:
    """Return what a request means.

    Raises:
        RobotError: If the robot cannot be loaded, in one sentence.
        UsageError: If there is no such profile, or an option does not fit.
        ConfigError: If the profile cannot be used.
    """
    return description_of(read_structure(request))


def description_of(structure: Structure) -> RobotDescription:
    """Return the description of a robot whose files have been read; its looks are missing."""
    urdf, plan, source = structure.urdf, structure.plan, structure.source
    profile = source.profile
    return RobotDescription(
        name=structure.name,
        title=structure.title,
        source=source.text,
        urdf_path=str(source.file.path),
        urdf_sha256=source.file.sha256,
        joints=plan.joints,
        held_joints=plan.held,
        followers=plan.followers,
        gripper_joints=structure.gripper_joints,
        tool_frames=tuple(tool.name for tool in structure.tools),
        frames=urdf.links,
        home=frozen_mapping(plan.home),
        defaults=default_kinematics(profile),
        floating_base=structure.floating_base,
        links=build_links(urdf.element, plan.moving, structure.floating_base, {}),
        remarks=structure.remarks,
        defined_tools=tuple(tool for tool in structure.tools if not tool.is_link_frame),
        examples=(
            ()
            if profile is None
            else tuple((example.name, example.title) for example in profile.examples)
        ),
        example=None if profile is None else profile.example,
        srdf_path=None if source.srdf is None else str(source.srdf),
    )


def default_kinematics(profile: RobotProfile | None) -> PinkKinematicsConfig:
    """Return the settings that a robot starts with: its profile's, or those of a bare URDF."""
    return _BARE_URDF_DEFAULTS if profile is None else profile.kinematics
