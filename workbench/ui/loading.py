"""From a request to a robot bundle that the session can run: where the rooms are joined.

The session and the loop know a robot by its bundle alone; here is the one place that puts
``model/`` and ``ik/`` into it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from workbench.config.grasp_scene import GraspScene
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.robot_pose import RobotPose
from workbench.config.settings import Settings, ToolTarget
from workbench.config.streaming import StreamingConfig
from workbench.config.tasks_spec import Spec
from workbench.errors import ConfigError
from workbench.grasps.free_move import FreeMoves
from workbench.grasps.gripper_model import gripper_of_robot
from workbench.grasps.reach_worker import start_reach_work
from workbench.ik.convergence import solve_to_convergence
from workbench.ik.forward import centre_of_mass, frame_poses, tool_poses
from workbench.ik.health import check_health
from workbench.ik.robot_plan import plan_for_robot
from workbench.ik.streaming_engine import StreamingEngine
from workbench.ik.task_checks import check_barriers, check_limits, check_tasks
from workbench.ik.tick import LiveEngine
from workbench.ik.types import Engine, EngineKind
from workbench.isaac.engine import IsaacEngine
from workbench.live.bundle import Gripper, RobotBundle
from workbench.live.checks import joint_without_room
from workbench.live.grasp_edits import scene_for
from workbench.model.collision import build_collision_model
from workbench.model.description import RobotDescription
from workbench.model.reload import kept_positions
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot

Progress = Callable[[float, str], None]

_S = TypeVar("_S", bound=Spec)


def load_bundle(
    request: RobotRequest, progress: Progress | None = None, *, gripper: Gripper | None = None
) -> RobotBundle:
    """Load a robot and build everything that runs it.

    Args:
        request: What to load.
        progress: Told the share done, in [0, 1], and what is being done; may raise to cancel.
        gripper: A gripper that the robot does not have, in the place of its own.

    Raises:
        WorkbenchError: If it cannot be loaded; nothing is left behind.
    """
    robot = load_robot(request, progress=progress)

    def gripper_at(frame: str) -> Gripper:
        return gripper or gripper_of_robot(request, frame, robot.description.visuals)

    return RobotBundle(
        description=robot.description,
        engine=LiveEngine(robot),
        make_engine=partial(_make_engine, robot),
        picture=robot.picture,
        tool_poses=partial(tool_poses, robot),
        converge=partial(solve_to_convergence, robot),
        plan=partial(plan_for_robot, robot),
        check_health=partial(check_health, robot),
        make_hulls=lambda report: build_collision_model(robot, progress=report),
        frame_poses=partial(frame_poses, robot),
        centre_of_mass=partial(centre_of_mass, robot),
        start_reach=partial(start_reach_work, request),
        gripper=gripper_at,
        free_move=FreeMoves(robot),
    )


def _make_engine(robot: Robot, kind: EngineKind) -> Engine:
    if kind == "streaming":
        return StreamingEngine(robot)
    if kind == "isaac":
        return IsaacEngine(robot)
    return LiveEngine(robot, kind)


def initial_settings(
    bundle: RobotBundle,
    *,
    kinematics: PinkKinematicsConfig | None = None,
    rate_hz: float | None = None,
    start_from: Settings | None = None,
    grasp_scene: GraspScene | None = None,
) -> Settings:
    """Return the settings that a robot starts with: at home, every target on its tool.

    Those of an example session start with its lists of tasks, limits and barriers.

    Args:
        bundle: The robot.
        kinematics: Config to start with instead of the profile's.
        rate_hz: Rate to start with instead of 100 Hz.
        start_from: Settings of a session that fit the robot, in place of its defaults.
        grasp_scene: Grasps that are there already; their gripper is looked for on this robot.

    Raises:
        ConfigError: If the rate is out of range.
    """
    home = bundle.description.home
    example = bundle.description.example
    settings = start_from or Settings(
        kinematics=bundle.defaults,
        targets=_targets_at(bundle, home),
        home=home,
        tasks=() if example is None else example.tasks,
        limits=() if example is None else example.limits,
        barriers=() if example is None else example.barriers,
    )
    if kinematics is not None:
        settings = replace(settings, kinematics=kinematics)
    if grasp_scene is not None:
        settings = replace(settings, grasp_scene=scene_for(grasp_scene, bundle.description))
    return settings if rate_hz is None else replace(settings, rate_hz=rate_hz)


def carried_over(
    bundle: RobotBundle, pose: RobotPose
) -> tuple[RobotPose, Callable[[Settings], Settings]]:
    """Carry a robot's state over to that robot as it was read again: what has a name is kept.

    Args:
        bundle: The robot as it is now.
        pose: Where it was before.

    Returns:
        Where it starts, and a function that makes settings from before fit; tool frames that are
        new get their targets where their tools are.
    """
    description = bundle.description
    kept = RobotPose(kept_positions(pose.positions, description), pose.transform_base_to_world)
    targets_at_tools = _targets_at(bundle, kept.positions)

    def carry(old: Settings) -> Settings:
        targets = {**targets_at_tools}
        targets.update({name: old.targets[name] for name in targets if name in old.targets})
        return replace(
            old,
            targets=targets,
            home=kept_positions(old.home, description),
            held_joints=_kept_joints(old.held_joints, description),
            velocity_caps=_kept_joints(old.velocity_caps, description, inside=False),
            named_poses={
                name: replace(pose, positions=kept_positions(pose.positions, description))
                for name, pose in old.named_poses.items()
            },
            **_kept_streaming(old, description),
            tasks=_fitting(old.tasks, lambda spec: check_tasks((spec,), description)),
            limits=_fitting(old.limits, lambda spec: check_limits((spec,), description)),
            barriers=_fitting(old.barriers, lambda spec: check_barriers((spec,), description)),
            grasp_scene=scene_for(old.grasp_scene, description),
        )

    return kept, carry


def _kept_streaming(old: Settings, description: RobotDescription) -> dict[str, Any]:
    """Return the streaming bounds, and the mode, that a robot with other limits can have."""
    default_margin = StreamingConfig().command_limit_margin
    margin, mode = old.streaming.command_limit_margin, old.mode
    if joint_without_room(margin, description) is not None:
        margin = default_margin
        if mode == "streaming" and joint_without_room(margin, description) is not None:
            mode = "live"
    caps = _kept_joints(old.streaming.joint_velocity_limits_rad_s, description, inside=False)
    streaming = old.streaming.with_values(
        joint_velocity_limits_rad_s=caps, command_limit_margin=margin
    )
    return {"streaming": streaming, "mode": mode}


def entries_that_went(before: Settings, after: Settings) -> str:
    """Return what a reload had to drop or to change, in sentences; empty for nothing."""
    margin, now = (settings.streaming.command_limit_margin for settings in (before, after))
    sentences = [_entries_text(before, after)]
    if now != margin:
        sentences.append(
            f"command_limit_margin is {now:g} again: {margin:g} leaves a joint no room between "
            "its limits."
        )
    if after.mode != before.mode:
        sentences.append(
            "The mode is live: streaming's command_limit_margin leaves a joint no room between "
            "its limits."
        )
    return " ".join(filter(None, sentences))


def _entries_text(before: Settings, after: Settings) -> str:
    went = [
        spec.name
        for group in ("tasks", "limits", "barriers")
        for spec in getattr(before, group)
        if spec.name not in {kept.name for kept in getattr(after, group)}
    ]
    return f"Entries whose joints or frames are gone: {', '.join(went)}." if went else ""


def _fitting(specs: tuple[_S, ...], check: Callable[[_S], None]) -> tuple[_S, ...]:
    """Return the entries that name only what the robot has."""
    kept = []
    for spec in specs:
        try:
            check(spec)
        except ConfigError:
            continue
        kept.append(spec)
    return tuple(kept)


def _kept_joints(
    values: Mapping[str, float], description: RobotDescription, *, inside: bool = True
) -> dict[str, float]:
    """Return the entries of joints that there are, brought inside their limits where asked."""
    moved_inside = kept_positions(values, description) if inside else values
    return {name: moved_inside[name] for name in values if name in description.joint_names}


def _targets_at(bundle: RobotBundle, positions: Mapping[str, float]) -> dict[str, ToolTarget]:
    poses = bundle.tool_poses(positions)
    return {frame: ToolTarget(poses[frame]) for frame in bundle.description.tool_frames}
