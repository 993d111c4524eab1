"""Whether the robot has the joints and frames that settings name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from workbench.config.tasks import WORLD_FRAME
from workbench.config.tasks_spec import Spec, spec_fields
from workbench.config.tasks_values import NameValue
from workbench.config.tasks_values_joints import RelationsValue
from workbench.errors import ConfigError, did_you_mean
from workbench.export.subject import ExportSubject


def check_names(subject: ExportSubject) -> None:
    """Check every name that stands in the settings.

    Raises:
        ConfigError: With the first one that the robot does not have, and those that look like it.
    """
    robot, settings = subject.robot, subject.settings
    if robot is None:
        return
    joints = robot.joint_names
    for group in ("held_joints", "velocity_caps", "home"):
        for name in getattr(settings, group):
            _require(name, joints, f"{group}.{name}", "joint")
    for name in settings.targets:
        _require(name, robot.tool_frames, f"targets.{name}", "tool frame")
    settings.streaming.check_joints(joints)
    frames = (*robot.frames, *robot.tool_frames, WORLD_FRAME)
    for spec in (*settings.tasks, *settings.limits, *settings.barriers):
        place = f"{spec.group}.{spec.name}"
        for field, frame in _frames(spec):
            _require(frame, frames, f"{place}.{field}", "frame")
        for field, joint in _joints(spec):
            _require(joint, joints, f"{place}.{field}", "joint")


def _frames(spec: Spec) -> Iterator[tuple[str, str]]:
    for item in spec_fields(type(spec)):
        if isinstance(item.value, NameValue) and item.value.of == "frame":
            yield item.name, getattr(spec, item.name)


def _joints(spec: Spec) -> Iterator[tuple[str, str]]:
    for item in spec_fields(type(spec)):
        value = getattr(spec, item.name)
        if isinstance(value, Mapping):
            yield from ((item.name, str(name)) for name in value)
        elif isinstance(item.value, RelationsValue):
            for equation in value:
                yield from ((item.name, name) for name in equation.coefficients)


def _require(name: str, known: Collection[str], field: str, what: str) -> None:
    if name not in known:
        raise ConfigError(
            f"this robot has no such {what}", field=field, value=name,
            expected=did_you_mean(name, known),
        )  # fmt: skip
