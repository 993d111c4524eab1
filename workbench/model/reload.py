"""What came and what went when a robot was read again, or another one took its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.model.description import Joint, RobotDescription


@dataclass(frozen=True)
class ReloadChanges:
    """The difference between two robots, by names.

    Attributes:
        joints_kept: Joints that both have, in the new order.
        joints_came: Joints that only the new one has.
        joints_went: Joints that only the old one had.
        joints_changed: Joints that both have with another kind or other limits.
        tools_kept: Tool frames that both have, in the new order.
        tools_came: Tool frames that only the new one has.
        tools_went: Tool frames that only the old one had.
        file_changed: Whether the URDF's bytes differ.
    """

    joints_kept: tuple[str, ...]
    joints_came: tuple[str, ...]
    joints_went: tuple[str, ...]
    joints_changed: tuple[str, ...]
    tools_kept: tuple[str, ...]
    tools_came: tuple[str, ...]
    tools_went: tuple[str, ...]
    file_changed: bool

    @property
    def sentences(self) -> tuple[str, ...]:
        """What there is to say, one sentence a kind of change; empty when nothing differs."""
        lists = (
            ("New joints", self.joints_came),
            ("Joints that are gone", self.joints_went),
            ("Joints with other limits", self.joints_changed),
            ("New tool frames", self.tools_came),
            ("Tool frames that are gone", self.tools_went),
        )
        said = [f"{title}: {', '.join(names)}." for title, names in lists if names]
        if not said and self.file_changed:
            said = ["The URDF has changed; joints, limits and tool frames are the same."]
        return tuple(said)

    @property
    def sentence(self) -> str:
        """All of :attr:`sentences` in a row; says so when nothing differs."""
        return " ".join(self.sentences) or "Nothing has changed."


def compare(old: RobotDescription, new: RobotDescription) -> ReloadChanges:
    """Compare two robots by the names of their joints and tool frames."""
    joints = {joint.name: joint for joint in old.joints}
    kept, came, went = _compared(old.joint_names, new.joint_names)
    tools_kept, tools_came, tools_went = _compared(old.tool_frames, new.tool_frames)
    return ReloadChanges(
        joints_kept=kept,
        joints_came=came,
        joints_went=went,
        joints_changed=tuple(name for name in kept if joints[name] != new.joint(name)),
        tools_kept=tools_kept,
        tools_came=tools_came,
        tools_went=tools_went,
        file_changed=old.urdf_sha256 != new.urdf_sha256,
    )


def kept_positions(positions: Mapping[str, float], new: RobotDescription) -> dict[str, float]:
    """Return the positions that a reloaded robot starts from, rad or m, by joint name.

    Args:
        positions: Where the old robot's joints are.
        new: The robot that takes over. Joints that the old one did not have start at its home, and
            those whose limits have moved are brought inside.
    """
    return {
        joint.name: _inside(joint, positions.get(joint.name, new.home[joint.name]))
        for joint in new.joints
    }


def _compared(
    old: tuple[str, ...], new: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the names that were kept, came and went."""
    return (
        tuple(name for name in new if name in old),
        tuple(name for name in new if name not in old),
        tuple(name for name in old if name not in new),
    )


def _inside(joint: Joint, position: float) -> float:
    if joint.lower is not None:
        position = max(position, joint.lower)
    if joint.upper is not None:
        position = min(position, joint.upper)
    return position
