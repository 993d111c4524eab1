"""Edits that depend on where the robot is: home, pose commands, held joints, target to tool.

Pure functions of the session's state and of what the loop published last.

What people drag is a tool frame's target, by the frame's name, or the object that grasps are on,
under the name :data:`OBJECT`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from workbench.config.robot_pose import RobotPose
from workbench.config.settings import Settings
from workbench.errors import ConfigError
from workbench.live.checks import checked_positions, unknown_frame, unknown_joint
from workbench.live.state import SessionState
from workbench.poses import Pose

OBJECT = "the grasps' object"
"""Stands for the object among the names of tool frames; no link of a URDF is called so."""


@dataclass(frozen=True, eq=False)
class Whereabouts:
    """Where a robot is, or is just being sent.

    Attributes:
        state: The session's state.
        pose: Position of every joint, by name, and of a floating base.
    """

    state: SessionState
    pose: RobotPose

    @property
    def positions(self) -> Mapping[str, float]:
        """Position of every joint, by name, in rad or m."""
        return self.pose.positions

    def tool_poses(self, pose: RobotPose) -> Mapping[str, Pose]:
        """Return the tool frames' poses in the world with the robot elsewhere."""
        poses = self.state.bundle.tool_poses(pose.positions)
        if not self.state.description.floating_base:
            return poses
        # The bundle's kinematics leave a floating base at the origin of the world.
        return {name: pose.transform_base_to_world @ tool for name, tool in poses.items()}


def goal_of(
    here: Whereabouts,
    positions: Mapping[str, float],
    transform_base_to_world: Pose | None = None,
) -> RobotPose:
    """Return where the robot goes when some joints are sent.

    Args:
        here: Where it is; joints that are not named stay, and held joints where they are held.
        positions: Clamped into the limits.
        transform_base_to_world: Where a floating base goes; None leaves it.

    Raises:
        ConfigError: For a joint that the robot does not have, or a number that is not finite.
    """
    sent = checked_positions(positions, here.state.description)
    base = here.pose.transform_base_to_world
    if transform_base_to_world is not None and here.state.description.floating_base:
        base = transform_base_to_world
    return RobotPose({**here.positions, **sent, **here.state.settings.held_joints}, base)


def with_targets_at(here: Whereabouts, goal: RobotPose) -> Settings:
    """Return the settings with every target where its tool will be."""
    poses = here.tool_poses(goal)
    settings = here.state.settings
    for frame, pose in poses.items():
        settings = settings.with_target(frame, pose)
    return settings


def with_target_at_tool(here: Whereabouts, frame: str) -> Settings:
    """Return the settings with one target where its tool is.

    Raises:
        ConfigError: If there is no such frame.
    """
    settings = here.state.settings
    if frame not in settings.targets:
        raise unknown_frame(frame, here.state.description)
    return settings.with_target(frame, here.tool_poses(here.pose)[frame])


def with_home_here(here: Whereabouts) -> Settings:
    """Return the settings with the present pose, clamped into the limits, as home."""
    home = checked_positions(here.positions, here.state.description)
    return replace(here.state.settings, home=home, home_base=here.pose.transform_base_to_world)


def with_joint_held(here: Whereabouts, joint: str, held: bool) -> Settings:
    """Return the settings with a joint held where it is, or let go.

    Raises:
        ConfigError: If there is no such joint.
    """
    if joint not in here.positions:
        raise unknown_joint(joint, here.state.description, "held_joints")
    settings = here.state.settings
    joints = {name: at for name, at in settings.held_joints.items() if name != joint}
    if held:
        joints.update(checked_positions({joint: here.positions[joint]}, here.state.description))
    return replace(settings, held_joints=joints)


def dragged_pose(settings: Settings, name: str) -> Pose | None:
    """Return where something is that people drag; None where it is not there."""
    if name == OBJECT:
        scene = settings.grasp_scene
        return None if scene is None else scene.transform_object_to_world
    target = settings.targets.get(name)
    return None if target is None else target.transform_target_to_world


def with_dragged_at(settings: Settings, name: str, pose: Pose | None) -> Settings:
    """Return the settings with something that people drag elsewhere, as far as it is there.

    Raises:
        ConfigError: If it is too far away.
    """
    if pose is None or dragged_pose(settings, name) is None:
        return settings
    if name != OBJECT:
        return settings.with_target(name, pose)
    assert settings.grasp_scene is not None
    return replace(settings, grasp_scene=settings.grasp_scene.with_object_at(pose))


def with_poses_of(settings: Settings, source: Settings, names: Mapping[str, object]) -> Settings:
    """Return the settings with the poses of what is dragged taken from others."""
    for name in names:
        settings = with_dragged_at(settings, name, dragged_pose(source, name))
    return settings


def refuse_to_move_dragged(wanted: Settings, state: SessionState) -> None:
    """Refuse an edit that would do nothing but move what somebody drags.

    Raises:
        ConfigError: If it would.
    """
    kept = with_poses_of(wanted, state.settings, state.drags)
    if kept == state.settings and wanted != kept:
        name = next(
            name for name in state.drags if dragged_pose(wanted, name) != dragged_pose(kept, name)
        )
        what = "the object" if name == OBJECT else "the target"
        raise ConfigError(f"{what} is being dragged", field=None if name == OBJECT else name)
