"""Differences between two grasp scenes: what was loaded, moved, added, renamed, set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workbench.config.grasp_scene import GraspScene
from workbench.config.settings import Settings
from workbench.errors import ConfigError
from workbench.live.change import Change, change_of
from workbench.poses import Pose

_GROUP = "grasp_scene"
_LONGEST_NAME = 60
_NO_LINK = "none"


def grasp_differences(before: GraspScene | None, after: GraspScene | None) -> list[Change]:
    """Return every part of the scene that differs."""
    if before is after:
        return []
    if before is None or after is None or before.file_name != after.file_name:
        return [_another_file(before, after)]
    found: list[Change] = []
    if before.grasps != after.grasps:
        found.append(_grasps_difference(before.grasps, after.grasps))
    if before.mesh is not after.mesh:
        old, new = ("none" if mesh is None else mesh.name for mesh in (before.mesh, after.mesh))
        phrase = "remove the object" if after.mesh is None else f"load {_short(after.mesh.name)}"
        if before.mesh is not None and after.mesh is not None and old == new:
            old, new = (f"{mesh.size_m:.3g} m" for mesh in (before.mesh, after.mesh))
            phrase = f"resize {_short(after.mesh.name)}"
        found.append(Change(f"{_GROUP}.mesh", "object", old, new, phrase))
    old_pose, new_pose = before.transform_object_to_world, after.transform_object_to_world
    if old_pose != new_pose:
        moved = (old_pose.translation != new_pose.translation).any()
        name = _short(after.object_name)
        found.append(
            Change(
                f"{_GROUP}.transform_object_to_world", name, _pose_text(old_pose),
                _pose_text(new_pose), f"{'move' if moved else 'turn'} {name}",
            )
        )  # fmt: skip
    if before.gripper_frame != after.gripper_frame:
        old, new = (scene.gripper_frame or _NO_LINK for scene in (before, after))
        found.append(change_of(f"{_GROUP}.gripper_frame", "gripper frame", old, new))
    old_pose, new_pose = before.transform_frame_to_gripper, after.transform_frame_to_gripper
    if old_pose != new_pose:
        found.append(
            Change(
                f"{_GROUP}.transform_frame_to_gripper", "gripper offset", _pose_text(old_pose),
                _pose_text(new_pose), "set the gripper's offset",
            )
        )  # fmt: skip
    if before.standoff_m != after.standoff_m:
        old, new = f"{1e3 * before.standoff_m:g} mm", f"{1e3 * after.standoff_m:g} mm"
        found.append(change_of(f"{_GROUP}.standoff_m", "standoff", old, new))
    if before.approach != after.approach:
        found.append(change_of(f"{_GROUP}.approach", "approach", before.approach, after.approach))
    return found


def with_grasp_field_of(settings: Settings, source: Settings, field: str) -> Settings:
    """Return a copy whose one part of the scene, named as in :class:`Change`, is the source's.

    Raises:
        ConfigError: If there is no such part.
    """
    group, _, name = field.partition(".")
    ours, theirs = settings.grasp_scene, source.grasp_scene
    if group == _GROUP and not name:
        return replace(settings, grasp_scene=theirs)
    if group != _GROUP or ours is None or theirs is None or name not in _PARTS:
        raise ConfigError("there is no such setting", field=field)
    scene = replace(ours, **{name: getattr(theirs, name)})
    return replace(settings, grasp_scene=scene)


_PARTS = (
    "grasps", "mesh", "transform_object_to_world", "gripper_frame", "transform_frame_to_gripper",
    "standoff_m", "approach",
)  # fmt: skip


def _another_file(before: GraspScene | None, after: GraspScene | None) -> Change:
    old, new = ("none" if scene is None else scene.file_name for scene in (before, after))
    phrase = f"close {_short(old)}" if after is None else f"load {_short(new)}"
    return Change(_GROUP, "grasps", old, new, phrase)


def _grasps_difference(before: Any, after: Any) -> Change:
    """Name one edit by its grasp, and several by their number."""
    olds: Mapping[str, Any] = {grasp.name: grasp for grasp in before}
    news: Mapping[str, Any] = {grasp.name: grasp for grasp in after}
    gone = [name for name in olds if name not in news]
    come = [name for name in news if name not in olds]
    changed = [
        name for name, new in news.items()
        if name in olds and olds[name] is not new and olds[name] != new
    ]  # fmt: skip
    field, label = f"{_GROUP}.grasps", "grasps"
    start, now = f"{len(olds)} grasps", f"{len(news)} grasps"
    count = len(gone) + len(come) + len(changed)
    if (
        len(gone) == len(come) == 1
        and not changed
        and olds[gone[0]].written == (news[come[0]].written)
    ):
        phrase = f"rename {_short(gone[0])} to {_short(come[0])}"
    elif count == 1:
        verb = "add" if come else "delete" if gone else "change"
        phrase = f"{verb} {_short((come or gone or changed)[0])}"
    else:
        phrase = f"change {count} grasps" if count else "change the grasps' header"
    return Change(field, label, start, now if start != now else "edited", phrase)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _pose_text(pose: Pose) -> str:
    place = ", ".join(f"{number:.3f}" for number in pose.translation)
    turn = ", ".join(f"{number:.3f}" for number in pose.wxyz)
    return f"{place} m; wxyz {turn}"
