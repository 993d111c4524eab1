"""Reads everything about a robot except its looks: tree, joints, tool frames."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.config.profile import MeshUpAxis, RobotProfile, ToolFrame
from workbench.model.description import Remark
from workbench.model.joint_plan import JointPlan, plan_joints
from workbench.model.joint_wishes import joint_wishes
from workbench.model.limits import BASE_VELOCITY_M_S, BASE_VELOCITY_RAD_S
from workbench.model.packages import FileFinder
from workbench.model.pinocchio_model import joint_order
from workbench.model.request import RobotRequest
from workbench.model.sources import RobotSource, find_source
from workbench.model.tool_frames import choose_tool_frames, parse_tool_frame
from workbench.model.urdf import Urdf
from workbench.model.urdf_check import check_urdf


@dataclass(frozen=True, eq=False)
class Structure:
    """A robot as its files and the request describe it; no model and no meshes yet.

    Attributes:
        source: Its files.
        urdf: Its kinematic tree.
        files: Finds its meshes.
        plan: What becomes of every joint.
        tools: Its tool frames.
        gripper_joints: Joints that open and close a gripper.
        floating_base: Whether the root link floats.
        mesh_up_axis: ``y`` when COLLADA files mean what their ``<up_axis>`` says.
        remarks: What there is to say about all that.
    """

    source: RobotSource
    urdf: Urdf
    files: FileFinder
    plan: JointPlan
    tools: tuple[ToolFrame, ...]
    gripper_joints: tuple[str, ...]
    floating_base: bool
    mesh_up_axis: MeshUpAxis
    remarks: tuple[Remark, ...]

    @property
    def name(self) -> str:
        """Name of the profile, or of the URDF's ``<robot>``."""
        return self.source.name or self.urdf.name

    @property
    def title(self) -> str:
        """Name for people."""
        return self.source.profile.title if self.source.profile is not None else self.name


def read_structure(request: RobotRequest) -> Structure:
    """Read and check a robot's files, and decide about its joints and tool frames.

    Raises:
        RobotError: If the robot cannot be loaded, in one sentence.
        UsageError: If there is no such profile, or an option does not fit.
        ConfigError: If the profile cannot be used.
    """
    source = find_source(request)
    profile = source.profile
    urdf = check_urdf(source.file)
    floating_base = request.floating_base or (profile is not None and profile.floating_base)
    wishes = joint_wishes(urdf, profile, source.srdf, request.hold)
    plan = plan_joints(
        urdf, order=joint_order(urdf), hold=wishes.hold, home=wishes.home,
        floating_base=floating_base,
    )  # fmt: skip
    tools = choose_tool_frames(
        urdf, _asked_for(request, profile, urdf), plan.moving, floating_base=floating_base
    )
    return Structure(
        source=source,
        urdf=urdf,
        files=FileFinder(source.file.path, source.package_dirs),
        plan=plan,
        tools=tools,
        gripper_joints=wishes.gripper_joints,
        floating_base=floating_base,
        mesh_up_axis=request.mesh_up_axis or (profile.mesh_up_axis if profile else "z"),
        remarks=(
            *wishes.remarks,
            *plan.remarks,
            *_tool_remarks(urdf, plan, tools),
            *_base_remarks(floating_base),
        ),
    )


def _asked_for(
    request: RobotRequest, profile: RobotProfile | None, urdf: Urdf
) -> tuple[ToolFrame, ...]:
    if request.tool_frames:
        return tuple(parse_tool_frame(text, urdf.links) for text in request.tool_frames)
    return profile.tool_frames if profile is not None else ()


def _tool_remarks(urdf: Urdf, plan: JointPlan, tools: tuple[ToolFrame, ...]) -> list[Remark]:
    """Say which tool frames move in the picture in a way that the solver does not know of."""
    out_of_model = {follower.name for follower in plan.followers if not follower.in_model}
    return [
        Remark(
            "tool_on_held_mimic",
            f"{tool.name} hangs on the mimic joint {joint.name}, which the solver takes for fixed: "
            f"picture and target will disagree when {joint.name} moves.",
            "warning",
            tool.name,
        )
        for tool in tools
        for joint in urdf.joints_to(tool.link)
        if joint.name in out_of_model
    ]


def _base_remarks(floating_base: bool) -> list[Remark]:
    if not floating_base:
        return []
    return [
        Remark(
            "base_velocity_default",
            f"The base floats: {BASE_VELOCITY_M_S:g} m/s and {BASE_VELOCITY_RAD_S:g} rad/s stand "
            "in for its velocity limits, which no URDF gives.",
        )
    ]
