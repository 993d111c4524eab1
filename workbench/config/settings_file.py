"""``Settings`` in a file: to plain values, and back with a precise complaint for what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, get_args

from workbench.config.checked import CheckedSettings
from workbench.config.document import number_from
from workbench.config.kinematics_file import kinematics_from_section
from workbench.config.limits import (
    barrier_to_mapping,
    barriers_from_section,
    limit_to_mapping,
    limits_from_section,
)
from workbench.config.planning import PlanningConfig
from workbench.config.robot_pose import RobotPose
from workbench.config.sections import Section
from workbench.config.settings import FARTHEST_TARGET_M, Mode, Settings, SolveWith, ToolTarget
from workbench.config.simulated_arm import SimulatedArmConfig
from workbench.config.streaming import StreamingConfig
from workbench.config.tasks import task_to_mapping, tasks_from_section
from workbench.errors import ConfigError
from workbench.poses import Pose

_G = TypeVar("_G", bound=CheckedSettings)
_T = TypeVar("_T")

SETTINGS_KEYS = (
    "kinematics", "rate_hz", "mode", "solve_with", "glide", "targets", "home", "home_base",
    "held_joints", "velocity_caps", "named_poses", "tasks", "limits", "barriers", "streaming",
    "planning", "simulated_arm",
)  # fmt: skip
"""Keys of the mapping, in the order in which they are written.

Grasps are not among them: they have a file format of their own, and a section beside this one.
"""

_UNIT_LENGTH_SLACK = 1e-3


def settings_to_mapping(settings: Settings) -> dict[str, Any]:
    """Return settings as plain values; quaternions are w, x, y, z."""
    return {
        "kinematics": settings.kinematics.model_dump(),
        "rate_hz": settings.rate_hz,
        "mode": settings.mode,
        "solve_with": settings.solve_with,
        "glide": settings.glide,
        "targets": {
            frame: {**pose_to_mapping(target.transform_target_to_world), "enabled": target.enabled}
            for frame, target in settings.targets.items()
        },
        "home": dict(settings.home),
        "home_base": pose_to_mapping(settings.home_base),
        "held_joints": dict(settings.held_joints),
        "velocity_caps": dict(settings.velocity_caps),
        "named_poses": {
            name: robot_pose_to_mapping(pose) for name, pose in settings.named_poses.items()
        },
        "tasks": [task_to_mapping(spec) for spec in settings.tasks],
        "limits": [limit_to_mapping(spec) for spec in settings.limits],
        "barriers": [barrier_to_mapping(spec) for spec in settings.barriers],
        "streaming": settings.streaming.model_dump(),
        "planning": settings.planning.model_dump(),
        "simulated_arm": settings.simulated_arm.model_dump(),
    }


def settings_from_section(section: Section) -> Settings:
    """Read settings; a missing key means its default.

    Raises:
        ConfigError: With path, line, key, value and what would be right.
    """
    section.refuse_unknown(SETTINGS_KEYS)
    values: dict[str, Any] = {
        "kinematics": (
            kinematics_from_section(section.section("kinematics"))
            if "kinematics" in section
            else Settings().kinematics
        ),
        "mode": section.choice("mode", get_args(Mode), "live"),
        "solve_with": section.choice("solve_with", get_args(SolveWith), "pink"),
        "glide": section.switch("glide", True),
        "targets": _named(section, "targets", _target),
        "home": section.numbers_by_name("home"),
        "home_base": (
            pose_from_section(section.section("home_base")) if "home_base" in section else Pose()
        ),
        "held_joints": section.numbers_by_name("held_joints"),
        "velocity_caps": section.numbers_by_name("velocity_caps"),
        "named_poses": _named_poses(section),
        "tasks": tasks_from_section(section),
        "limits": limits_from_section(section),
        "barriers": barriers_from_section(section),
        "streaming": _group(section, "streaming", StreamingConfig),
        "planning": _group(section, "planning", PlanningConfig),
        "simulated_arm": _group(section, "simulated_arm", SimulatedArmConfig),
    }
    if "rate_hz" in section:
        values["rate_hz"] = section.number("rate_hz")
    try:
        return Settings(**values)
    except ConfigError as error:
        keys = tuple((error.field or "").split("."))
        raise section.error(
            error.message, *keys, value=error.value, expected=error.expected
        ) from error


def pose_to_mapping(pose: Pose) -> dict[str, Any]:
    """Return a pose as plain values: ``position`` in m, ``wxyz``."""
    return {"position": pose.translation.tolist(), "wxyz": pose.wxyz.tolist()}


def pose_from_section(section: Section, *others: str) -> Pose:
    """Read a pose; a missing ``wxyz`` means not turned.

    Args:
        section: Its mapping.
        *others: Keys that may stand beside it.

    Raises:
        ConfigError: Also for a quaternion whose length is not 1 (to a thousandth).
    """
    section.refuse_unknown(("position", "wxyz", *others))
    position = section.vector("position", 3)
    for index, coordinate in enumerate(position):
        if abs(coordinate) > FARTHEST_TARGET_M:
            raise section.error(
                "is too far away", "position", index, value=coordinate,
                expected=f"at most {FARTHEST_TARGET_M:g} m from the origin",
            )  # fmt: skip
    wxyz = section.vector("wxyz", 4, (1.0, 0.0, 0.0, 0.0))
    length = sum(number * number for number in wxyz) ** 0.5
    if abs(length - 1.0) > _UNIT_LENGTH_SLACK:
        raise section.error(
            "is no rotation", "wxyz", value=list(wxyz),
            expected="a quaternion w, x, y, z of length 1",
        )  # fmt: skip
    return Pose(position, wxyz)  # pyright: ignore[reportArgumentType]


def robot_pose_to_mapping(pose: RobotPose) -> dict[str, Any]:
    """Return a robot's pose as plain values."""
    return {
        "positions": dict(pose.positions),
        "base": pose_to_mapping(pose.transform_base_to_world),
    }


def robot_pose_from_section(section: Section) -> RobotPose:
    """Read a robot's pose; a missing ``base`` means the world's origin. Raises ConfigError."""
    section.refuse_unknown(("positions", "base"))
    base = pose_from_section(section.section("base")) if "base" in section else Pose()
    return RobotPose(section.numbers_by_name("positions"), base)


def _target(section: Section) -> ToolTarget:
    return ToolTarget(pose_from_section(section, "enabled"), section.switch("enabled", True))


def _named(section: Section, key: str, read: Callable[[Section], _T]) -> Mapping[str, _T]:
    if key not in section:
        return {}
    inner = section.section(key)
    return {name: read(inner.section(name)) for name in inner.mapping}


def _named_poses(section: Section) -> Mapping[str, RobotPose]:
    found = _named(section, "named_poses", robot_pose_from_section)
    for name in found:
        if not name.strip() or not name.isprintable():
            raise section.error(
                "is no name", "named_poses", name, expected="a word that one can see"
            )
    return found


def _group(section: Section, key: str, group: type[_G]) -> _G:
    """Read a group of settings; a missing one, or a missing field, means its default."""
    if key not in section:
        return group()
    inner = section.section(key)
    inner.refuse_unknown(tuple(group.model_fields))
    values = {name: _with_numbers(value) for name, value in inner.mapping.items()}
    for name, value in values.items():
        try:
            group.check_field(name, value)
        except ConfigError as error:
            keys = tuple((error.field or name).split(".", 1))
            raise inner.error(
                error.message, *keys, value=error.value, expected=error.expected
            ) from error
    return group.checked(**values)


def _with_numbers(value: object) -> object:
    """Return text that was meant as a number (``1e-8``) as one; all else as it is."""
    if isinstance(value, dict):
        return {key: _with_numbers(item) for key, item in value.items()}
    if not isinstance(value, str):
        return value
    try:
        return number_from(value)
    except ValueError:
        return value
