"""What a new entry starts with: values that make sense on the robot as it stands."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from workbench.config.limits import BodySphericalBarrierSpec, PositionBarrierSpec
from workbench.config.robot_pose import RobotPose
from workbench.config.settings import Settings
from workbench.config.tasks import (
    WORLD_FRAME,
    ClosedChainTaskSpec,
    FrameTaskSpec,
    JointCouplingTaskSpec,
    JointVelocityTaskSpec,
    LinearHolonomicTaskSpec,
    ManipulabilityTaskSpec,
    OmniwheelTaskSpec,
    PostureTaskSpec,
    RelativeFrameTaskSpec,
    RollingTaskSpec,
)
from workbench.config.tasks_spec import Spec
from workbench.config.tasks_values_joints import Relation
from workbench.errors import ConfigError
from workbench.ik.task_checks import known_frames
from workbench.live.bundle import RobotBundle
from workbench.model.description import RobotDescription
from workbench.ui.panels.present_values import frame_in_other

_DEFAULT_WHEEL_RADIUS_M = 0.1
_ROOM_ABOVE_A_WALL_M = 0.1
_SHARE_OF_PRESENT_DISTANCE = 0.5

Values = dict[str, Any]


def starting_values(
    kind: type[Spec], settings: Settings, bundle: RobotBundle, here: RobotPose
) -> Sequence[Values]:
    """Return values for the fields of a new entry; the first that the robot can have is meant.

    A task that takes the place of a plain one starts as that one is, so that nothing moves before
    somebody turns something.

    Args:
        kind: What the entry shall be.
        settings: What is in force.
        bundle: The robot.
        here: Where it is.

    Raises:
        ConfigError: If the robot has too few frames or joints.
    """
    make = _MAKERS.get(kind)
    return ({},) if make is None else tuple(make(settings, bundle, here))


def _frame(settings: Settings, bundle: RobotBundle, here: RobotPose) -> Iterator[Values]:
    taken = {spec.frame for spec in settings.tasks if isinstance(spec, FrameTaskSpec)}
    frames = _frames(bundle.description)
    config = settings.kinematics
    free = [frame for frame in frames if frame not in taken] or list(frames)
    costs = {"position_cost": config.position_cost, "orientation_cost": config.orientation_cost}
    if free[0] in bundle.description.tool_frames:
        yield {"frame": free[0], **costs}
    else:
        yield {"frame": free[0], "target": bundle.frame_poses(here, (free[0],))[free[0]]}


def _relative_frame(settings: Settings, bundle: RobotBundle, here: RobotPose) -> Iterator[Values]:
    frame, root = _two_frames(bundle.description)
    yield {"frame": frame, "root": root, "target": frame_in_other(bundle, here, frame, root)}


def _posture(settings: Settings, bundle: RobotBundle, here: RobotPose) -> Iterator[Values]:
    config = settings.kinematics
    yield {"cost": config.posture_cost, "margin": config.joint_limit_posture_margin}


def _closed_chain(settings: Settings, bundle: RobotBundle, here: RobotPose) -> Iterator[Values]:
    frame, other = _two_frames(bundle.description)
    offset = frame_in_other(bundle, here, other, frame)
    yield {"frame": frame, "other_frame": other, "offset": offset}


def _manipulability(settings: Settings, bundle: RobotBundle, here: RobotPose) -> Iterator[Values]:
    frame = _frames(bundle.description)[0]
    yield {"frame": frame}
    yield {"frame": frame, "axes": "position"}
    yield {"frame": frame, "axes": "planar_xy"}


def _joint_velocity(settings: Settings, bundle: RobotBundle, here: RobotPose) -> Iterator[Values]:
    yield {"velocities": {_joints(bundle.description, 1)[0]: 0.0}}


def _joint_coupling(settings: Settings, bundle: RobotBundle, here: RobotPose) -> Iterator[Values]:
    first, second = _joints(bundle.description, 2)
    yield {"ratios": {first: 1.0, second: -1.0}}


def _equations(settings: Settings, bundle: RobotBundle, here: RobotPose) -> Iterator[Values]:
    (joint,) = _joints(bundle.description, 1)
    yield {"equations": (Relation({joint: 1.0}, round(here.positions[joint], 6)),)}


def _wheel(settings: Settings, bundle: RobotBundle, here: RobotPose) -> Iterator[Values]:
    """Offer links that turn without end, those that are called wheels first."""
    description = bundle.description
    endless = {joint.name for joint in description.joints if joint.kind == "continuous"}
    turning = [link.name for link in description.links if link.joint in endless]
    hubs = sorted(turning, key=lambda name: "wheel" not in name.lower())
    for hub in hubs or _frames(description)[:1]:
        height_m = float(bundle.frame_poses(here, (hub,))[hub].translation[2])
        radius_m = round(height_m, 4) if height_m > 0.0 else _DEFAULT_WHEEL_RADIUS_M
        yield {"hub_frame": hub, "wheel_radius_m": radius_m, "floor_frame": WORLD_FRAME}


def _position_barrier(settings: Settings, bundle: RobotBundle, here: RobotPose) -> Iterator[Values]:
    """Offer the floor, or a floor below the frame where it is lower than that."""
    frame = _frames(bundle.description)[0]
    height_m = float(bundle.frame_poses(here, (frame,))[frame].translation[2])
    floor_m = min(0.0, math.floor(10.0 * (height_m - _ROOM_ABOVE_A_WALL_M)) / 10.0)
    yield {"frame": frame, "minimum": (None, None, floor_m)}


def _distance_barrier(settings: Settings, bundle: RobotBundle, here: RobotPose) -> Iterator[Values]:
    frame, other = _two_frames(bundle.description)
    distance_m = float(math.hypot(*frame_in_other(bundle, here, frame, other).translation))
    least_m = round(min(0.1, _SHARE_OF_PRESENT_DISTANCE * distance_m), 3)
    yield {"frame": frame, "other_frame": other, "minimum_distance_m": least_m}


_MAKERS: dict[type[Spec], Callable[[Settings, RobotBundle, RobotPose], Iterator[Values]]] = {
    FrameTaskSpec: _frame,
    RelativeFrameTaskSpec: _relative_frame,
    PostureTaskSpec: _posture,
    ClosedChainTaskSpec: _closed_chain,
    ManipulabilityTaskSpec: _manipulability,
    JointVelocityTaskSpec: _joint_velocity,
    JointCouplingTaskSpec: _joint_coupling,
    LinearHolonomicTaskSpec: _equations,
    RollingTaskSpec: _wheel,
    OmniwheelTaskSpec: _wheel,
    PositionBarrierSpec: _position_barrier,
    BodySphericalBarrierSpec: _distance_barrier,
}
"""Kinds whose defaults are not enough."""


def _frames(description: RobotDescription) -> tuple[str, ...]:
    frames = known_frames(description)
    if not frames:
        raise ConfigError("this robot has no frame")
    return frames


def _two_frames(description: RobotDescription) -> tuple[str, str]:
    """Return the first two tool frames; of one tool, that and the root."""
    frames = _frames(description)
    tools = description.tool_frames
    first = frames[0]
    others = [frame for frame in (*tools, *description.frames) if frame != first]
    if not others:
        raise ConfigError("this robot has a single frame", expected="two frames")
    return first, others[0]


def _joints(description: RobotDescription, count: int) -> tuple[str, ...]:
    if len(description.joints) < count:
        raise ConfigError("this robot has too few joints", expected=f"{count} joints or more")
    return description.joint_names[:count]
