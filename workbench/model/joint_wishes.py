"""What command line, profile and SRDF ask of the joints, put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.config.profile import RobotProfile
from workbench.errors import RobotError, did_you_mean
from workbench.model.description import Remark
from workbench.model.srdf import home_state, read_group_states
from workbench.model.urdf import Urdf


@dataclass(frozen=True)
class JointWishes:
    """What is asked of the joints.

    Attributes:
        hold: Joints to take out of the model: position in rad or m, and who asks, by name.
        home: Where joints start, by name, rad or m.
        gripper_joints: Joints that open and close a gripper.
        remarks: What there is to say about it.
    """

    hold: Mapping[str, tuple[float, str]]
    home: Mapping[str, float]
    gripper_joints: tuple[str, ...]
    remarks: tuple[Remark, ...]


def joint_wishes(
    urdf: Urdf, profile: RobotProfile | None, srdf: Path | None, hold: Mapping[str, float]
) -> JointWishes:
    """Put together what is asked: the command line before the profile, that before the SRDF.

    The SRDF's home posture counts where the profile gives none.

    Args:
        urdf: The robot.
        profile: Its profile.
        srdf: Its SRDF.
        hold: Joints that the command line holds, with their positions, rad or m.

    Raises:
        RobotError: If the SRDF cannot be used, or a gripper joint does not exist.
    """
    held: dict[str, tuple[float, str]] = {}
    home: dict[str, float] = {}
    remarks: list[Remark] = []
    states = {} if srdf is None else read_group_states(srdf)
    state = home_state(states)
    if state is not None and (profile is None or not profile.home):
        name, positions = state
        home.update({n: p for n, p in positions.items() if n in urdf.moving_joints})
        remarks.append(_state_remark(name, [n for n in positions if n not in home]))
    if profile is not None:
        held.update({n: (p, "held by the profile") for n, p in profile.held_joints.items()})
        home.update(profile.home)
    held.update({n: (float(p), "held on the command line") for n, p in hold.items()})
    return JointWishes(held, home, _gripper_joints(urdf, profile), tuple(remarks))


def _state_remark(name: str, unknown: list[str]) -> Remark:
    text = f"The robot starts in the SRDF's group state {name}"
    if unknown:
        text += f"; joints in it that do not move here: {', '.join(unknown[:8])}"
    return Remark("srdf_home", f"{text}.", "info", name)


def _gripper_joints(urdf: Urdf, profile: RobotProfile | None) -> tuple[str, ...]:
    names = () if profile is None else profile.gripper_joints
    for name in names:
        if name not in urdf.moving_joints:
            raise RobotError(
                "there is no such joint", path=urdf.file.path, field=f"gripper joint {name}",
                expected=did_you_mean(name, urdf.moving_joints),
            )  # fmt: skip
    return names
