"""Sessions from files: fitting what a file says to the robot that it names, and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.config.grasp_scene import GraspScene
from workbench.config.robot_pose import RobotPose
from workbench.config.settings import Settings, ToolTarget
from workbench.errors import ConfigError
from workbench.grasps.spec import GraspSpec
from workbench.live.bundle import RobotBundle
from workbench.live.checks import check_settings, checked_positions
from workbench.live.grasp_edits import scene_for
from workbench.live.grasp_session import SavedGrasps
from workbench.live.grasping import GraspView
from workbench.live.session import Session
from workbench.live.session_file import CameraView, SessionFile, write_session
from workbench.model.description import RobotDescription
from workbench.model.request import RobotRequest


@dataclass(frozen=True, eq=False)
class FittedSession:
    """A session whose robot is loaded.

    Attributes:
        settings: They name what this robot has.
        pose: Where the robot starts.
        remark: What the user should know; empty for nothing.
        grasp_view: How its grasps are looked at.
    """

    settings: Settings
    pose: RobotPose
    remark: str
    grasp_view: GraspView


def fitted(file: SessionFile, bundle: RobotBundle, name: str) -> FittedSession:
    """Fit a session to its robot; what the file leaves out is as at the robot's start.

    Args:
        file: What was read.
        bundle: The robot that it names; its engine is put where the session's robot is.
        name: How messages call the file.

    Raises:
        ConfigError: If the file names joints or frames that the robot does not have, or a
            position outside its limits.
    """
    description = bundle.description
    if file.pose is not None:
        try:
            checked_positions(file.pose.positions, description)
        except ConfigError as error:
            raise ConfigError(
                error.message, path=name, field=f"pose.positions.{error.field}",
                value=error.value, expected=error.expected,
            ) from error  # fmt: skip
    try:
        home = {**description.home, **file.settings.home}
        for frame in file.settings.targets:
            if frame not in description.tool_frames:
                raise ConfigError(
                    "there is no such tool frame", field=f"targets.{frame}",
                    expected=", ".join(description.tool_frames) or "a robot with tool frames",
                )  # fmt: skip
        here = RobotPose(home, file.settings.home_base) if file.pose is None else file.pose
        checked = checked_positions(here.positions, description)
        positions = {**home, **checked}
        poses = bundle.tool_poses(positions)
        base = here.transform_base_to_world if description.floating_base else None
        targets = {
            frame: file.settings.targets.get(frame)
            or ToolTarget(poses[frame] if base is None else base @ poses[frame])
            for frame in description.tool_frames
        }
        scene, remarks = _grasp_scene(file.grasps, description, name)
        settings = replace(file.settings, home=home, targets=targets, grasp_scene=scene)
        check_settings(settings, description)
    except ConfigError as error:
        field = None if error.field is None else f"settings.{error.field}"
        raise ConfigError(
            error.message, path=name, field=field, value=error.value, expected=error.expected
        ) from error
    pose = RobotPose(positions, here.transform_base_to_world)
    bundle.engine.set_positions(pose.positions, pose.transform_base_to_world)
    if file.urdf_sha256 and file.urdf_sha256 != description.urdf_sha256:
        remarks.insert(0, "The URDF has changed since the session was written.")
    view = GraspView() if file.grasps is None else file.grasps.view.view
    return FittedSession(settings, pose, " ".join(remarks), view)


def _grasp_scene(
    saved: SavedGrasps | None, description: RobotDescription, name: str
) -> tuple[GraspScene | None, list[str]]:
    """Return the scene with its mesh, and remarks: what is not found is asked for on the page."""
    if saved is None:
        return None, []
    mesh, remark = None, ""
    if saved.mesh is not None:
        mesh, remark = saved.mesh.found(Path(name).parent)
    scene = scene_for(replace(saved.scene, mesh=mesh), description)
    remarks = [remark] if remark else []
    link = saved.scene.gripper_frame
    if scene is not None and link is not None and scene.gripper_frame != link:
        remarks.append(f"There is no link {link}: choose the grasps' gripper link again.")
    return scene, remarks


def session_text(
    session: Session,
    request: RobotRequest,
    camera: CameraView | None,
    *,
    grasp_view: GraspView | None = None,
    grasps_text: Callable[[GraspSpec], str] | None = None,
) -> str:
    """Return the present session as a file's text.

    Args:
        session: The session.
        request: What its robot was loaded from.
        camera: Where the page looks from.
        grasp_view: How its grasps are looked at.
        grasps_text: As for :func:`~workbench.live.session_file.write_session`.
    """
    state = session.state
    scene = state.settings.grasp_scene
    pose = session.present_pose()
    rounded = {name: round(position, 12) for name, position in pose.positions.items()}
    return write_session(
        SessionFile(
            request=request,
            settings=state.settings,
            pose=RobotPose(rounded, pose.transform_base_to_world),
            camera=camera,
            robot=state.description.name,
            urdf_sha256=state.description.urdf_sha256,
            grasps=None if scene is None else SavedGrasps.of(scene, grasp_view or GraspView()),
        ),
        grasps_text,
    )
