"""Whether the lists of tasks, limits and barriers fit a robot; no Pink and no Pinocchio here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.config.limits import (
    AccelerationLimitSpec,
    BarrierSpec,
    FloatingBaseVelocityLimitSpec,
    LimitSpec,
    SelfCollisionBarrierSpec,
)
from workbench.config.tasks import (
    WORLD_FRAME,
    ClosedChainTaskSpec,
    ComTaskSpec,
    FrameTaskSpec,
    LinearHolonomicTaskSpec,
    ManipulabilityTaskSpec,
    OmniwheelTaskSpec,
    RollingTaskSpec,
    TaskSpec,
)
from workbench.config.tasks_spec import Spec, spec_fields
from workbench.config.tasks_values import NameValue
from workbench.config.tasks_values_joints import JointNumbersValue
from workbench.errors import ConfigError, did_you_mean
from workbench.ik.reach_bounds import joints_between, joints_to_root, nearest_approach_m
from workbench.model.description import RobotDescription

_MEETING_M = 1e-3
"""Frames that can come this close can meet."""

_MOTIONS = {"all": 6, "position": 3, "orientation": 3, "planar_xy": 2}


def check_tasks(specs: Iterable[TaskSpec], description: RobotDescription) -> None:
    """Check that tasks name this robot's frames and joints, and ask for what it can have.

    Disabled tasks are checked for names only.

    Raises:
        ConfigError: With the task's name, its field, the value and what would be right.
    """
    tools: dict[str, str] = {}
    for spec in specs:
        _check_names(spec, description)
        if isinstance(spec, LinearHolonomicTaskSpec):
            for index, equation in enumerate(spec.equations):
                _check_joints(spec, f"equations[{index}]", equation.coefficients, description)
        if not spec.enabled:
            continue
        if isinstance(spec, FrameTaskSpec) and spec.frame in description.tool_frames:
            if spec.frame in tools:
                raise _error(
                    spec, "frame", f"is the tool frame of {tools[spec.frame]} already",
                    spec.frame, "one frame task for each tool frame",
                )  # fmt: skip
            tools[spec.frame] = spec.name
        elif isinstance(spec, ComTaskSpec) and not description.mass_kg > 0.0:
            raise _error(
                spec, "", "needs a centre of mass, and no link of this robot has a mass", None,
                "a URDF with inertial elements",
            )  # fmt: skip
        elif isinstance(spec, ManipulabilityTaskSpec):
            _check_manipulability(spec, description)
        elif isinstance(spec, RollingTaskSpec | OmniwheelTaskSpec):
            _check_wheel(spec, description)
        elif isinstance(spec, ClosedChainTaskSpec):
            _check_closed_chain(spec, description)


def check_limits(specs: Iterable[LimitSpec], description: RobotDescription) -> None:
    """Check that limits name this robot's joints, and ask for what it can have.

    Raises:
        ConfigError: As :func:`check_tasks` does.
    """
    for spec in specs:
        if isinstance(spec, AccelerationLimitSpec) and isinstance(spec.acceleration, Mapping):
            _check_joints(spec, "acceleration", spec.acceleration, description)
        if isinstance(spec, FloatingBaseVelocityLimitSpec) and spec.enabled:
            _require_floating_base(spec, description)


def check_barriers(specs: Iterable[BarrierSpec], description: RobotDescription) -> None:
    """Check that barriers name this robot's frames, and ask for what it can have.

    Raises:
        ConfigError: As :func:`check_tasks` does.
    """
    for spec in specs:
        _check_names(spec, description)
        if isinstance(spec, SelfCollisionBarrierSpec) and spec.enabled:
            if not description.collisions:
                raise _error(
                    spec, "", "needs collision geometry, and this robot has none", None,
                    "a URDF with collision elements",
                )  # fmt: skip


def known_frames(description: RobotDescription) -> tuple[str, ...]:
    """Return the frames that a task may name: tool frames first, then all links."""
    return tuple(dict.fromkeys((*description.tool_frames, *description.frames)))


def _check_names(spec: Spec, description: RobotDescription) -> None:
    frames = known_frames(description)
    for item in spec_fields(type(spec)):
        value = getattr(spec, item.name)
        if isinstance(item.value, NameValue) and item.value.of == "frame":
            known = (*frames, WORLD_FRAME) if item.name == "floor_frame" else frames
            if value not in known:
                raise _error(
                    spec, item.name, "there is no such frame", value, did_you_mean(value, known)
                )
        elif isinstance(item.value, JointNumbersValue) and isinstance(value, Mapping):
            _check_joints(spec, item.name, value, description)
            missing = [name for name in description.joint_names if name not in value]
            if item.value.complete and missing:
                shown = ", ".join(missing[:6])
                more = f" and {len(missing) - 6} more" if len(missing) > 6 else ""
                raise _error(
                    spec, item.name,
                    f"has {len(value)} numbers for {len(description.joints)} joints: none for"
                    f" {shown}{more}",
                    None, "one number, or one for each joint",
                )  # fmt: skip


def _check_joints(
    spec: Spec, field: str, values: Iterable[str], description: RobotDescription
) -> None:
    for name in values:
        if name not in description.joint_names:
            raise _error(
                spec, f"{field}.{name}", "there is no such joint", None,
                did_you_mean(name, description.joint_names),
            )  # fmt: skip


def _check_manipulability(spec: ManipulabilityTaskSpec, description: RobotDescription) -> None:
    if description.floating_base:
        raise _error(
            spec, "frame", "hangs on a floating base, where nothing is singular", spec.frame,
            "a robot with a fixed base",
        )  # fmt: skip
    path = [name for name in joints_to_root(spec.frame, description) if name]
    for name in path:
        if description.joint(name).kind == "prismatic":
            raise _error(
                spec, "frame", f"hangs on the prismatic joint {name}", spec.frame,
                "a frame with revolute joints alone on its way to the root",
            )  # fmt: skip
    needed = _MOTIONS[spec.axes]
    if len(path) < needed:
        raise _error(
            spec, "axes", f"asks for {needed} motions of a frame that {len(path)} joints move",
            spec.axes, f"motions that {len(path)} joints can make",
        )  # fmt: skip


def _check_wheel(spec: RollingTaskSpec | OmniwheelTaskSpec, description: RobotDescription) -> None:
    _require_floating_base(spec, description)
    if spec.hub_frame == spec.floor_frame:
        raise _error(
            spec, "floor_frame", "is the hub itself", spec.floor_frame,
            f"a frame that does not move, such as {WORLD_FRAME}",
        )  # fmt: skip
    if joints_to_root(spec.hub_frame, description):
        return
    held = {joint.name for joint in description.held_joints}
    by_name = {link.name: link for link in description.links}
    link = by_name.get(spec.hub_frame)
    while link is not None:
        if link.joint in held:
            raise _error(
                spec, "hub_frame", f"does not turn: joint {link.joint} is held", spec.hub_frame,
                "the frame of a wheel whose joint is free",
            )  # fmt: skip
        link = None if link.parent is None else by_name[link.parent]
    raise _error(
        spec, "hub_frame", "does not turn: no joint moves it", spec.hub_frame, "a wheel's frame"
    )


def _check_closed_chain(spec: ClosedChainTaskSpec, description: RobotDescription) -> None:
    if not joints_between(spec.frame, spec.other_frame, description):
        raise _error(
            spec, "other_frame", f"cannot meet {spec.frame}: no joint moves one against the other",
            spec.other_frame, "frames on different branches of the robot",
        )  # fmt: skip
    distance = nearest_approach_m(spec.frame, spec.other_frame, spec.offset, description)
    if distance > _MEETING_M:
        raise _error(
            spec, "other_frame",
            f"cannot meet {spec.frame}: they stay at least {distance:.3g} m apart in every posture",
            spec.other_frame, "frames that can come together",
        )  # fmt: skip


def _require_floating_base(spec: Spec, description: RobotDescription) -> None:
    if not description.floating_base:
        raise _error(
            spec, "", "needs a floating base", None, "a robot whose root link floats"
        )  # fmt: skip


def _error(spec: Spec, field: str, message: str, value: object, expected: str) -> ConfigError:
    place = f"{spec.group}.{spec.name}" + (f".{field}" if field else "")
    return ConfigError(message, field=place, value=value, expected=expected)
