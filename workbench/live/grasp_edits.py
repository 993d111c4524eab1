"""Edits of the grasps: load, place, add, rename, mirror, delete; each is one step of undo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from workbench.config.grasp_scene import GraspScene
from workbench.config.settings import Settings
from workbench.errors import GraspError
from workbench.grasps.grasp import Axis
from workbench.grasps.gripper import FrameMatch, match_frame
from workbench.grasps.spec import GraspSpec
from workbench.live.grasp_fingers import present_fingers
from workbench.live.grasping import Grasping, grasps_of
from workbench.live.session import Session
from workbench.model.description import RobotDescription
from workbench.poses import Pose

LONGEST_NAME = 80
_ROOM_FOR_ENDING = 8

IN_FRONT = Pose((0.5, 0.0, 0.2))  # pyright: ignore[reportArgumentType]
"""Where an object is put whose file does not say where it is."""

_OWN_FILE = "grasps.yaml"


def frame_match(scene: GraspScene, description: RobotDescription) -> FrameMatch:
    """Return what became of the file's gripper frame on a robot."""
    defined = {tool.name: tool.link for tool in description.defined_tools}
    tools = [defined.get(name, name) for name in description.tool_frames]
    return match_frame(grasps_of(scene).gripper_frame, description.frames, tools)


def scene_for(scene: GraspScene | None, description: RobotDescription) -> GraspScene | None:
    """Return a scene for another robot: its gripper frame is looked for anew."""
    if scene is None or scene.gripper_frame in description.frames:
        return scene
    return replace(scene, gripper_frame=frame_match(scene, description).frame)


def load_grasps(session: Session, name: str, grasps: GraspSpec, mesh: Any = None) -> None:
    """Put grasps, and the object that they are on, in the place of what is there.

    What was said of the gripper frame of an earlier file that names it alike holds here, too: its
    link, and that link's offset.

    Args:
        session: The session.
        name: Name of the file.
        grasps: What it holds.
        mesh: The object's mesh; None for none.
    """
    description = session.state.description

    def change(settings: Settings) -> Settings:
        scene = scene_of(name, grasps, mesh, description)
        before = settings.grasp_scene
        if before is not None:
            known = before.frames_said
            link, offset = known.get(grasps.gripper_frame or "", (None, Pose()))
            scene = replace(scene, known_frames=known)
            if link in description.frames:
                scene = replace(scene, gripper_frame=link, transform_frame_to_gripper=offset)
        return replace(settings, grasp_scene=scene)

    session.edit(f"load {_short(name)}", change, epoch=session.state.epoch)


def scene_of(name: str, grasps: GraspSpec, mesh: Any, description: RobotDescription) -> GraspScene:
    """Return a new scene: the object where the file has it, the gripper frame where it fits."""
    scene = GraspScene(name, grasps, mesh, grasps.object_pose or IN_FRONT)
    return replace(scene, gripper_frame=frame_match(scene, description).frame)


def start_empty(session: Session, gripper_frame: str, mesh: Any = None) -> None:
    """Begin a set of grasps of one's own.

    Args:
        session: The session.
        gripper_frame: Link that the grasps will be of.
        mesh: The object, where there is one already.
    """
    grasps = GraspSpec.empty(object_frame="object", gripper_frame=gripper_frame)
    load_grasps(session, _OWN_FILE, grasps, mesh)


def close_grasps(session: Session) -> None:
    """Take grasps and object away."""
    session.edit(None, lambda settings: replace(settings, grasp_scene=None))


def set_in_scene(
    session: Session, *, label: str | None = None, gesture: str | None = None, **values: Any
) -> None:
    """Set attributes of the scene.

    Args:
        session: The session.
        label: Name of the step; None names it by what changed.
        gesture: As for :meth:`~workbench.live.session.Session.edit`.
        **values: Attributes of :class:`~workbench.config.grasp_scene.GraspScene`.

    Raises:
        GraspError: If there are no grasps.
        ConfigError: If a value is refused.
    """
    _edit(session, lambda scene: replace(scene, **values), label, gesture)


def add_grasp(
    session: Session,
    grasping: Grasping,
    *,
    confidence: float = 1.0,
    cspace_position: Mapping[str, float] | None = None,
    pregrasp_cspace_position: Mapping[str, float] | None = None,
) -> str:
    """Add a grasp where the robot's gripper is now, and look at it.

    Args:
        session: The session.
        grasping: Where it is selected.
        confidence: Quality, 0 to 1.
        cspace_position: Finger joints when the object is held, rad or m; None takes them where
            they are now.
        pregrasp_cspace_position: Finger joints before that, likewise.

    Returns:
        Its name.

    Raises:
        GraspError: If there is no set to add to, no gripper frame, or a number is out of range.
    """
    name, now = "", fingers_now(session, grasping)

    def change(scene: GraspScene) -> GraspScene:
        nonlocal name
        grasps = grasps_of(scene)
        name = grasps.free_name()
        added = grasps.with_pose(
            name, _gripper_on_object(session, scene), confidence=confidence,
            cspace_position=now if cspace_position is None else cspace_position,
            pregrasp_cspace_position=(
                now if pregrasp_cspace_position is None else pregrasp_cspace_position
            ),
        )  # fmt: skip
        return replace(scene, grasps=added)

    _edit(session, change)
    grasping.select(name)
    return name


def fingers_now(session: Session, grasping: Grasping) -> Mapping[str, float]:
    """Return where the fingers of the robot's gripper are now, by name, rad or m.

    Empty where it is not known which link the gripper frame is, or the gripper has no fingers.
    """
    state = session.state
    scene, cut_out = state.settings.grasp_scene, state.bundle.gripper
    if scene is None or scene.gripper_frame is None or cut_out is None:
        return {}
    fingers = cut_out(scene.gripper_frame).fingers
    positions = session.present_positions()
    return present_fingers(fingers, state.description, grasping.view, positions)


def move_grasp_here(session: Session, name: str) -> None:
    """Put a grasp where the robot's gripper is now.

    Raises:
        GraspError: If there is no such grasp, or no gripper frame.
    """

    def change(scene: GraspScene) -> GraspScene:
        pose = _gripper_on_object(session, scene)
        return replace(scene, grasps=grasps_of(scene).with_changes(name, pose=pose))

    _edit(session, change)


def change_grasp(session: Session, name: str, **changes: Any) -> None:
    """Change a grasp's pose, confidence or finger positions.

    Args:
        session: The session.
        name: The grasp.
        **changes: As for :meth:`~workbench.grasps.spec.GraspSpec.with_changes`.

    Raises:
        GraspError: If there is no such grasp, or a number is out of range.
    """
    _edit_grasps(session, lambda grasps: grasps.with_changes(name, **changes))


def rename_grasp(session: Session, grasping: Grasping, name: str, new_name: str) -> None:
    """Give a grasp another name; it stays selected.

    Raises:
        GraspError: If there is no such grasp, or the new name is taken or none.
    """
    new_name = new_name.strip()
    if len(new_name) > LONGEST_NAME or not new_name.isprintable():
        raise GraspError(
            "is no name for a grasp", value=new_name,
            expected=f"one line of at most {LONGEST_NAME} characters",
        )  # fmt: skip
    _edit_grasps(session, lambda grasps: grasps.renamed(name, new_name))
    if grasping.view.selected == name:
        grasping.select(new_name)


def mirror_grasp(session: Session, grasping: Grasping, name: str, axis: Axis) -> str:
    """Add a grasp's mirror image across an axis of the object, and look at it; returns its name.

    Raises:
        GraspError: If there is no such grasp, or no such axis.
    """
    new_name = ""

    def change(grasps: GraspSpec) -> GraspSpec:
        nonlocal new_name
        # A copy of a copy of a long name must not grow longer than a file's names may be.
        new_name = f"{name[: LONGEST_NAME - _ROOM_FOR_ENDING]}_{axis}"
        if new_name in grasps:
            new_name = grasps.free_name(new_name)
        return grasps.with_mirrored(name, new_name, axis)

    _edit_grasps(session, change)
    grasping.select(new_name)
    return new_name


def delete_grasp(session: Session, grasping: Grasping, name: str) -> None:
    """Leave a grasp out; the one after it is selected.

    Raises:
        GraspError: If there is no such grasp.
    """
    scene = session.state.settings.grasp_scene
    names = [] if scene is None else grasps_of(scene).get_grasp_names()
    _edit_grasps(session, lambda grasps: grasps.without(name))
    place = names.index(name)
    left = [*names[place + 1 :], *reversed(names[:place])]
    grasping.select(left[0] if left else None)


def _gripper_on_object(session: Session, scene: GraspScene) -> Pose:
    """Return where the file's gripper frame is on the object, with the robot where it is now."""
    frame = scene.gripper_frame
    if frame is None:
        raise GraspError(
            "it is not known which link the gripper frame is", expected="choose one first"
        )
    link = session.state.bundle.frame_poses(session.present_pose(), [frame])[frame]
    gripper = link @ scene.transform_frame_to_gripper.inverse()
    return scene.transform_object_to_world.inverse() @ gripper


def _edit_grasps(session: Session, change: Callable[[GraspSpec], GraspSpec]) -> None:
    _edit(session, lambda scene: replace(scene, grasps=change(grasps_of(scene))))


def _edit(
    session: Session,
    change: Callable[[GraspScene], GraspScene],
    label: str | None = None,
    gesture: str | None = None,
) -> None:
    def changed(settings: Settings) -> Settings:
        if settings.grasp_scene is None:
            raise GraspError("there are no grasps", expected="load some first")
        return replace(settings, grasp_scene=change(settings.grasp_scene))

    session.edit(label, changed, gesture=gesture, epoch=session.state.epoch)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
