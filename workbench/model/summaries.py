"""What ``workbench robots`` says of each profile, without building models or reading meshes."""

from __future__ import annotations

from typing import TypedDict

from workbench.model.catalog import profile_names
from workbench.model.joint_plan import plan_joints
from workbench.model.joint_wishes import joint_wishes
from workbench.model.pinocchio_model import joint_order
from workbench.model.request import RobotRequest
from workbench.model.sources import find_source
from workbench.model.urdf_check import check_urdf


class ProfileSummary(TypedDict):
    """One profile in plain JSON values."""

    name: str
    title: str
    joints: list[str]
    tool_frames: list[str]
    source: str


def profile_summaries() -> list[ProfileSummary]:
    """Return a summary of every profile, sorted by name.

    Raises:
        WorkbenchError: If a profile cannot be used.
    """
    return [_summary(name) for name in profile_names()]


def _summary(name: str) -> ProfileSummary:
    source = find_source(RobotRequest(source=name))
    profile = source.profile
    assert profile is not None
    urdf = check_urdf(source.file)
    wishes = joint_wishes(urdf, profile, source.srdf, {})
    plan = plan_joints(
        urdf, order=joint_order(urdf), hold=wishes.hold, home=wishes.home,
        floating_base=profile.floating_base,
    )  # fmt: skip
    return ProfileSummary(
        name=name,
        title=profile.title,
        joints=[joint.name for joint in plan.joints],
        tool_frames=[frame.name for frame in profile.tool_frames],
        source=source.text,
    )
