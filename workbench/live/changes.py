"""The difference between two :class:`Settings`, in words and field by field.

Undo steps take their names from here ("gain 0.5 to 0.3"), and the list of what was changed since
the start takes its lines and its way back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.robot_pose import RobotPose
from workbench.config.settings import Settings, ToolTarget
from workbench.live.change import Change, change_of, value_text
from workbench.live.grasp_changes import grasp_differences, with_grasp_field_of
from workbench.live.group_changes import group_differences, with_group_field_of
from workbench.poses import Pose

_SAME_NUMBER = 1e-9


def differences(before: Settings, after: Settings) -> tuple[Change, ...]:
    """Return every field that differs, in the page's order; ``start`` is ``before``'s value."""
    return (
        *_kinematics_differences(before.kinematics, after.kinematics),
        *_plain_differences(before, after),
        *_target_differences(before.targets, after.targets),
        *_home_difference(before, after),
        *_held_differences(before.held_joints, after.held_joints),
        *_cap_differences(before.velocity_caps, after.velocity_caps),
        *group_differences(before, after),
        *grasp_differences(before.grasp_scene, after.grasp_scene),
    )


def describe_change(before: Settings, after: Settings) -> str:
    """Name an edit by what it changed: ``gain 0.5 to 0.3``, ``move tool0 and 2 more``."""
    found = differences(before, after)
    if not found:
        return "no change"
    first, *others = (change.phrase for change in found)
    if len(others) > 1:
        return f"{first} and {len(others)} more"
    return " and ".join((first, *others))


def with_field_of(settings: Settings, source: Settings, field: str) -> Settings:
    """Return a copy whose one field, named as in :class:`Change`, is that of ``source``.

    Raises:
        ConfigError: If there is no such field.
    """
    group, _, name = field.partition(".")
    copied: dict[str, object] = {}
    if field == "home":
        copied.update(home=source.home, home_base=source.home_base)
    elif field in ("rate_hz", "mode", "solve_with", "glide"):
        copied[field] = getattr(source, field)
    elif group == "kinematics" and name in PinkKinematicsConfig.model_fields:
        return settings.with_kinematics(**{name: getattr(source.kinematics, name)})
    elif group == "targets" and name in source.targets:
        return settings.with_target(name, source.targets[name].transform_target_to_world)
    elif group == "enabled" and name in source.targets:
        return settings.with_target(name, enabled=source.targets[name].enabled)
    elif group in ("held_joints", "velocity_caps") and name:
        copied[group] = _entry_of(getattr(settings, group), getattr(source, group), name)
    elif group == "grasp_scene":
        return with_grasp_field_of(settings, source, field)
    else:
        return with_group_field_of(settings, source, field)
    return replace(settings, **copied)


def _entry_of(
    present: Mapping[str, float], wanted: Mapping[str, float], name: str
) -> Mapping[str, float]:
    """Return the mapping with one entry set to, or removed as in, the wanted one."""
    others = {key: value for key, value in present.items() if key != name}
    return {**others, name: wanted[name]} if name in wanted else others


def _kinematics_differences(
    before: PinkKinematicsConfig, after: PinkKinematicsConfig
) -> list[Change]:
    return [
        change_of(f"kinematics.{name}", name, value_text(old), value_text(new))
        for name in PinkKinematicsConfig.model_fields
        if (old := getattr(before, name)) != (new := getattr(after, name))
    ]


def _plain_differences(before: Settings, after: Settings) -> list[Change]:
    found = []
    rows = (
        ("rate_hz", "rate", " Hz"),
        ("mode", "mode", ""),
        ("solve_with", "solved with", ""),
        ("glide", "glide", ""),
    )
    for field, label, unit in rows:
        old, new = getattr(before, field), getattr(after, field)
        if old != new:
            found.append(change_of(field, label, value_text(old) + unit, value_text(new) + unit))
    return found


def _target_differences(
    before: Mapping[str, ToolTarget], after: Mapping[str, ToolTarget]
) -> list[Change]:
    found = []
    for frame, new in after.items():
        old = before.get(frame)
        if old is None:
            found.append(Change(f"targets.{frame}", frame, "none", "new", f"add {frame}"))
            continue
        old_pose, new_pose = old.transform_target_to_world, new.transform_target_to_world
        if old_pose != new_pose:
            moved = (old_pose.translation != new_pose.translation).any()
            found.append(
                Change(
                    f"targets.{frame}", f"target of {frame}",
                    _pose_text(old_pose), _pose_text(new_pose),
                    f"{'move' if moved else 'turn'} {frame}",
                )
            )  # fmt: skip
        if old.enabled != new.enabled:
            start, now = value_text(old.enabled), value_text(new.enabled)
            found.append(Change(f"enabled.{frame}", frame, start, now, f"{frame} {now}"))
    return found


def _pose_text(pose: Pose) -> str:
    place = ", ".join(f"{number:.3f}" for number in pose.translation)
    turn = ", ".join(f"{number:.3f}" for number in pose.wxyz)
    return f"{place} m; wxyz {turn}"


def _home_difference(before: Settings, after: Settings) -> list[Change]:
    old, new = before.home, after.home
    moved = {
        joint: abs(position - old.get(joint, position))
        for joint, position in new.items()
        if position != old.get(joint)
    }
    base_moved = before.home_base != after.home_base
    if not moved and not base_moved and old.keys() == new.keys():
        return []
    farthest = max(moved, key=moved.__getitem__, default="")
    now = f"{len(moved)} of {len(new)} joints elsewhere"
    if farthest:
        now += f", {farthest} by {moved[farthest]:.3g}"
    if base_moved:
        now += f", base at {_pose_text(after.home_base)}"
    return [Change("home", "home", "as at the start", now, "set home")]


def _held_differences(before: Mapping[str, float], after: Mapping[str, float]) -> list[Change]:
    found = []
    for joint in dict.fromkeys((*before, *after)):
        old, new = before.get(joint), after.get(joint)
        if old == new:
            continue
        start = "free" if old is None else f"held at {old:.4g}"
        now = "free" if new is None else f"held at {new:.4g}"
        phrase = f"free {joint}" if new is None else f"hold {joint}"
        found.append(Change(f"held_joints.{joint}", joint, start, now, phrase))
    return found


def _cap_differences(before: Mapping[str, float], after: Mapping[str, float]) -> list[Change]:
    found = []
    for joint in dict.fromkeys((*before, *after)):
        old, new = before.get(joint), after.get(joint)
        if old == new:
            continue
        start = "the robot's" if old is None else value_text(old)
        now = "the robot's" if new is None else value_text(new)
        label = f"velocity limit of {joint}"
        found.append(
            Change(f"velocity_caps.{joint}", label, start, now, f"{label} {start} to {now}")
        )
    return found


def same_pose(first: RobotPose, second: RobotPose) -> bool:
    """Tell whether two poses agree to 1e-9 rad or m, joint by joint and at the base."""
    ours, theirs = first.positions, second.positions
    return (
        ours.keys() == theirs.keys()
        and all(abs(position - theirs[joint]) <= _SAME_NUMBER for joint, position in ours.items())
        and first.transform_base_to_world.is_close(second.transform_base_to_world)
    )
