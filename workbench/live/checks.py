"""Whether settings and joint positions fit a robot: names that exist, numbers inside limits."""

from __future__ import annotations

import math
from collections.abc import Mapping

from workbench.config.settings import Settings
from workbench.config.streaming import StreamingConfig
from workbench.errors import ConfigError, did_you_mean
from workbench.ik.task_checks import check_barriers, check_limits, check_tasks
from workbench.model.description import Joint, RobotDescription

_LIMIT_TOLERANCE = 1e-6
"""Slack in rad or m: a joint that rests on its limit may be read a rounding error beyond."""


def checked_positions(
    positions: Mapping[str, float], description: RobotDescription
) -> dict[str, float]:
    """Return joint positions clamped into the robot's limits.

    Raises:
        ConfigError: For a joint that the robot does not have, or a number that is not finite.
    """
    joints = {joint.name: joint for joint in description.joints}
    clamped = {}
    for name, position in positions.items():
        joint = joints.get(name)
        if joint is None:
            raise unknown_joint(name, description)
        if not math.isfinite(position):
            raise ConfigError("is not a finite number", field=name, value=position)
        low = -math.inf if joint.lower is None else joint.lower
        high = math.inf if joint.upper is None else joint.upper
        clamped[name] = min(max(float(position), low), high)
    return clamped


def check_settings(settings: Settings, description: RobotDescription) -> None:
    """Check that settings name this robot's frames and joints, and stay inside their limits.

    Raises:
        ConfigError: With the field, its value and what would be right.
    """
    for frame in settings.targets:
        if frame not in description.tool_frames:
            raise unknown_frame(frame, description)
    for frame in description.tool_frames:
        if frame not in settings.targets:
            raise ConfigError("has no target", field=frame)
    joints = {joint.name: joint for joint in description.joints}
    for group in ("home", "held_joints", "velocity_caps"):
        for name in getattr(settings, group):
            if name not in joints:
                raise unknown_joint(name, description, group)
    for group in ("home", "held_joints"):
        for name, position in getattr(settings, group).items():
            joint = joints[name]
            low = -math.inf if joint.lower is None else joint.lower
            high = math.inf if joint.upper is None else joint.upper
            if not low - _LIMIT_TOLERANCE <= position <= high + _LIMIT_TOLERANCE:
                raise ConfigError(
                    "is outside the joint's limits",
                    field=f"{group}.{name}",
                    value=position,
                    expected=f"a number in [{low:g}, {high:g}] {joint.unit}",
                )
    scene = settings.grasp_scene
    if scene is not None and scene.gripper_frame not in (None, *description.frames):
        raise ConfigError(
            "there is no such link", field="gripper frame", value=scene.gripper_frame,
            expected=did_you_mean(scene.gripper_frame or "", description.frames),
        )  # fmt: skip
    settings.streaming.check_joints(description.joint_names)
    _check_command_margin(settings, description)
    check_tasks(settings.tasks, description)
    check_limits(settings.limits, description)
    check_barriers(settings.barriers, description)


def joint_without_room(margin: float, description: RobotDescription) -> Joint | None:
    """Return the first joint that a margin inside both limits leaves no room; None without one.

    Args:
        margin: How far inside its limits a joint has to stay, rad or m.
        description: The robot.
    """
    for joint in description.joints:
        if joint.lower is not None and joint.upper is not None:
            if 2.0 * margin >= joint.upper - joint.lower:
                return joint
    return None


def _check_command_margin(settings: Settings, description: RobotDescription) -> None:
    """Raise ConfigError where the commands' margin leaves a joint no room between its limits."""
    margin = settings.streaming.command_limit_margin
    # A robot with a joint that even the default leaves no room shall open, though it cannot stream.
    if settings.mode != "streaming" and margin == StreamingConfig().command_limit_margin:
        return
    joint = joint_without_room(margin, description)
    if joint is not None and joint.lower is not None and joint.upper is not None:
        raise ConfigError(
            f"leaves joint {joint.name} no room between its limits",
            field="streaming.command_limit_margin", value=margin,
            expected=f"less than {0.5 * (joint.upper - joint.lower):.6g} {joint.unit}, half of "
            "that joint's range",
        )  # fmt: skip


def unknown_joint(name: str, description: RobotDescription, group: str = "") -> ConfigError:
    """Return the error for a joint that the robot does not have, with the nearest names."""
    return ConfigError(
        "there is no such joint",
        field=f"{group}.{name}" if group else name,
        expected=did_you_mean(name, description.joint_names),
    )


def unknown_frame(name: str, description: RobotDescription) -> ConfigError:
    """Return the error for a frame that is no tool frame, with the nearest names."""
    return ConfigError(
        "there is no such tool frame",
        field=name,
        expected=did_you_mean(name, description.tool_frames),
    )
