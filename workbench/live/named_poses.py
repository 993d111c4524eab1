"""Where a robot can be sent by name: poses that were saved, the mirror image, a random posture.

Each is one step of the undo history. Held joints stay where they are held, everything is brought
inside the joint limits, and the targets come along, so that the robot stays where it was sent.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from workbench.config.robot_pose import RobotPose
from workbench.config.settings import Settings
from workbench.errors import ConfigError, did_you_mean
from workbench.live.mirror import joints_stopped, mirror_of, mirrored_base
from workbench.live.session import Session
from workbench.model.description import RobotDescription

LONGEST_NAME = 40
RANDOM_MARGIN = 0.05
"""Share of a joint's range that a random posture keeps away from each limit."""


def checked_pose_name(name: str) -> str:
    """Return a name for a pose, without blanks around it.

    Raises:
        ConfigError: If it is empty, too long, or holds characters that one cannot see.
    """
    stripped = name.strip()
    if not stripped:
        raise ConfigError("a pose needs a name", expected="such as ready")
    if len(stripped) > LONGEST_NAME or not stripped.isprintable():
        raise ConfigError(
            "is no name for a pose", value=stripped,
            expected=f"one line of at most {LONGEST_NAME} characters",
        )  # fmt: skip
    return stripped


def save_pose(session: Session, name: str, *, epoch: int | None = None) -> str:
    """Give the present pose a name, in the place of one that has the name already.

    Args:
        session: The session.
        name: Any text of one line.
        epoch: The robot that is meant; nothing happens when another one has come.

    Returns:
        The name as it was saved.

    Raises:
        ConfigError: If it is no name.
    """
    name = checked_pose_name(name)
    pose = session.present_pose()
    session.edit(
        None,
        lambda settings: replace(settings, named_poses={**settings.named_poses, name: pose}),
        epoch=epoch,
    )
    return name


def delete_pose(session: Session, name: str, *, epoch: int | None = None) -> None:
    """Forget a named pose.

    Raises:
        ConfigError: If there is none of that name.
    """

    def change(settings: Settings) -> Settings:
        _pose_of(settings, name)
        kept = {key: pose for key, pose in settings.named_poses.items() if key != name}
        return replace(settings, named_poses=kept)

    session.edit(None, change, epoch=epoch)


def rename_pose(session: Session, name: str, new_name: str, *, epoch: int | None = None) -> str:
    """Give a named pose another name, at the same place in the list.

    Returns:
        The new name as it was saved.

    Raises:
        ConfigError: If there is no such pose, or the new name is none or is taken.
    """
    new_name = checked_pose_name(new_name)

    def change(settings: Settings) -> Settings:
        _pose_of(settings, name)
        if new_name != name and new_name in settings.named_poses:
            raise ConfigError("another pose has that name", value=new_name)
        renamed = {
            new_name if key == name else key: pose for key, pose in settings.named_poses.items()
        }
        return replace(settings, named_poses=renamed)

    session.edit(f"rename pose {name} to {new_name}", change, epoch=epoch)
    return new_name


def go_to_pose(session: Session, name: str, *, epoch: int | None = None) -> None:
    """Send the robot to a named pose.

    Joints that the pose does not know (the robot was read again since) stay where they are.

    Raises:
        ConfigError: If there is no such pose, or it knows none of the robot's joints.
    """
    state = session.state
    pose = _pose_of(state.settings, name)
    known = {
        joint: pose.positions[joint]
        for joint in state.description.joint_names
        if joint in pose.positions
    }
    if not known:
        raise ConfigError("this pose is of another robot", value=name)
    session.command_positions(
        f"go to pose {name}",
        known,
        epoch=state.epoch if epoch is None else epoch,
        transform_base_to_world=pose.transform_base_to_world,
    )


def go_to_mirror_image(session: Session, *, epoch: int | None = None) -> tuple[str, ...]:
    """Send the robot to the mirror image of where it is.

    Returns:
        Joints that stop at a limit short of it.

    Raises:
        ConfigError: For a robot without two sides, or whose sides are no mirror images.
    """
    state = session.state
    mirror, pose = mirror_of(state.bundle), session.present_pose()
    positions = mirror.positions(pose.positions)
    session.command_positions(
        "mirror the pose",
        positions,
        epoch=state.epoch if epoch is None else epoch,
        transform_base_to_world=mirrored_base(pose.transform_base_to_world),
    )
    return tuple(
        joint
        for joint in joints_stopped(positions, state.description)
        if joint not in state.settings.held_joints
    )


def go_to_random_posture(session: Session, seed: int, *, epoch: int | None = None) -> None:
    """Send the robot to a random posture; the same seed gives the same one again."""
    state = session.state
    session.command_positions(
        f"random posture {seed}",
        random_positions(state.description, seed=seed),
        epoch=state.epoch if epoch is None else epoch,
    )


def random_positions(
    description: RobotDescription, *, seed: int, margin: float = RANDOM_MARGIN
) -> dict[str, float]:
    """Return random joint positions inside the limits, by name, in rad or m.

    Joints without limits lie in [-pi, pi] rad; a prismatic one without limits is left out. On a
    floating base only the joints that move a tool frame are named: the legs stay under the robot.

    Args:
        description: The robot.
        seed: The same seed gives the same positions.
        margin: Share of its range that each joint keeps away from either limit, in [0, 0.5].
    """
    generator = np.random.default_rng(seed)
    moved = set(description.joint_names)
    if description.floating_base:
        tools = (description.joints_before(frame) for frame in description.tool_frames)
        moved = set().union(*tools)
    positions = {}
    for joint in description.joints:
        # Drawn for every joint, so that a joint's number does not depend on which others move.
        share = margin + (1.0 - 2.0 * margin) * float(generator.random())
        if joint.lower is not None and joint.upper is not None:
            position = joint.lower + share * (joint.upper - joint.lower)
        elif joint.unit == "rad":
            position = math.pi * (2.0 * share - 1.0)
        else:
            continue
        if joint.name in moved:
            positions[joint.name] = position
    return positions


def _pose_of(settings: Settings, name: str) -> RobotPose:
    pose = settings.named_poses.get(name)
    if pose is None:
        raise ConfigError(
            "there is no such pose", value=name, expected=did_you_mean(name, settings.named_poses)
        )
    return pose
