"""The description of a robot for an export: everything but its looks, so that no mesh is read."""

from __future__ import annotations

from workbench.config.frozen import frozen_mapping
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.model.description import RobotDescription
from workbench.model.links import build_links
from workbench.model.request import RobotRequest
from workbench.model.structure import read_structure


def describe_robot(request: RobotRequest) -> RobotDescription:
    """Return what a request means.

    Raises:
        RobotError: If the robot cannot be loaded, in one sentence.
        UsageError: If there is no such profile, or an option does not fit.
        ConfigError: If the profile cannot be used.
    """
    structure = read_structure(request)
    urdf, plan, source = structure.urdf, structure.plan, structure.source
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
        defaults=source.profile.kinematics if source.profile else PinkKinematicsConfig(),
        floating_base=structure.floating_base,
        links=build_links(urdf.element, plan.moving, structure.floating_base, {}),
        remarks=structure.remarks,
        defined_tools=tuple(tool for tool in structure.tools if not tool.is_link_frame),
        srdf_path=None if source.srdf is None else str(source.srdf),
    )
