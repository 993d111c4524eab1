"""The joints that one solver moves, in the order of its commands, over a model without the rest.

DimOS's solvers know a robot as a list of controlled joints; every other joint is locked and left
out of the model. A :class:`ControlledRobot` is that, from a loaded robot, from a request (without
meshes, for the command line) or from a URDF and a list of names, read as DimOS reads it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from workbench.errors import RobotError, did_you_mean
from workbench.model.pinocchio_model import add_tool_frames, build_model, joint_ids, set_limits
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot
from workbench.model.structure import Structure, read_structure
from workbench.model.xml_file import XmlFile, parse_xml, read_file
from workbench.poses import Pose, frozen_array

Vector = NDArray[np.float64]

_LARGEST_LIMIT = 1e20
_SMALLEST_RANGE = 1e-10
_SMALLEST_VELOCITY = 1e-10


@dataclass(frozen=True, eq=False)
class ControlledRobot:
    """A model reduced to controlled joints, and the way from their positions to q and back.

    Attributes:
        model: The reduced model; its owner may hang attributes on it.
        joint_names: The joints in the order of commands.
        lower: Lower position limits in that order, rad or m, shape (n,); minus infinity where
            there is none.
        upper: Upper position limits, shape (n,); infinity where there is none.
        velocity_limits: Velocity limits, rad/s or m/s, shape (n,); infinity where there is none.
        home: Where the robot starts, rad or m, shape (n,).
        idx_q: Where each joint starts in q, shape (n,).
        idx_v: Where each joint is in v, shape (n,).
        is_continuous: Which joints take cosine and sine in q, shape (n,).
        is_bounded: Which joints have two limits with room between them, shape (n,).
    """

    model: pin.Model
    joint_names: tuple[str, ...]
    lower: Vector
    upper: Vector
    home: Vector
    velocity_limits: Vector = field(init=False)
    idx_q: NDArray[np.int64] = field(init=False)
    idx_v: NDArray[np.int64] = field(init=False)
    is_continuous: NDArray[np.bool_] = field(init=False)
    is_bounded: NDArray[np.bool_] = field(init=False)
    _neutral_q: Vector = field(init=False, repr=False)
    _has_continuous: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Precompute where everything is."""
        ids = joint_ids(self.model)
        joints = [self.model.joints[ids[name]] for name in self.joint_names]
        put = object.__setattr__
        idx_v = np.array([joint.idx_v for joint in joints], dtype=np.int64)
        put(self, "idx_q", np.array([joint.idx_q for joint in joints], dtype=np.int64))
        put(self, "idx_v", idx_v)
        put(self, "is_continuous", np.array([joint.nq == 2 for joint in joints], dtype=bool))
        # Both are asked for at every tick of plans that take many thousands.
        put(self, "_neutral_q", frozen_array(pin.neutral(self.model)))
        put(self, "_has_continuous", bool(self.is_continuous.any()))
        lower, upper = np.asarray(self.lower), np.asarray(self.upper)
        # Pinocchio's own number for no limit is the largest float.
        put(self, "lower", frozen_array(np.where(lower > -_LARGEST_LIMIT, lower, -np.inf)))
        put(self, "upper", frozen_array(np.where(upper < _LARGEST_LIMIT, upper, np.inf)))
        put(self, "home", frozen_array(self.home))
        limited = np.isfinite(self.lower) & np.isfinite(self.upper)
        room = np.zeros(len(joints))
        room[limited] = self.upper[limited] - self.lower[limited]
        put(self, "is_bounded", room > _SMALLEST_RANGE)
        velocities = np.array(self.model.upperVelocityLimit, dtype=np.float64)[idx_v]
        usable = (velocities > _SMALLEST_VELOCITY) & (velocities < _LARGEST_LIMIT)
        put(self, "velocity_limits", frozen_array(np.where(usable, velocities, np.inf)))

    def joint_index(self, name: str) -> int:
        """Return the place of a joint in commands.

        Raises:
            RobotError: If it is not controlled, with the names that look like it.
        """
        if name not in self.joint_names:
            raise RobotError(
                "there is no such joint", field=name, expected=did_you_mean(name, self.joint_names)
            )
        return self.joint_names.index(name)

    def require_frame(self, name: str) -> None:
        """Raise RobotError if the model has no such frame, with the names that look like it."""
        if not self.model.existFrame(name):
            names = [frame.name for frame in self.model.frames if frame.type == pin.FrameType.BODY]
            raise RobotError(
                "there is no such frame", field=name, expected=did_you_mean(name, names)
            )

    def vector(self, positions: Mapping[str, float]) -> Vector:
        """Return positions by name in the order of commands; those not named are at home.

        Raises:
            RobotError: If there is no such joint.
        """
        values = np.array(self.home)
        for name, position in positions.items():
            values[self.joint_index(name)] = position
        return values

    def by_name(self, positions: Vector) -> dict[str, float]:
        """Return positions, shape (n,), by joint name."""
        return dict(zip(self.joint_names, np.asarray(positions).tolist(), strict=True))

    def q_from_positions(self, positions: Vector) -> Vector:
        """Return the configuration, shape (nq,), for positions in the order of commands."""
        q = self._neutral_q.copy()
        q[self.idx_q] = positions
        if self._has_continuous:
            angles = np.asarray(positions)[self.is_continuous]
            at = self.idx_q[self.is_continuous]
            q[at], q[at + 1] = np.cos(angles), np.sin(angles)
        return q

    def positions_from_q(self, q: Vector) -> Vector:
        """Return the positions in the order of commands, shape (n,); angles in (-pi, pi]."""
        positions = q[self.idx_q]
        if self._has_continuous:
            at = self.idx_q[self.is_continuous]
            positions[self.is_continuous] = np.arctan2(q[at + 1], q[at])
        return positions

    def outside_limits(
        self, positions: Vector, tolerance: float
    ) -> tuple[str, float, float, float] | None:
        """Return name, position and limits of the first bounded joint outside, or None.

        Args:
            positions: In the order of commands, shape (n,).
            tolerance: How far outside does not count, rad or m.
        """
        too_low = positions < self.lower - tolerance
        too_high = positions > self.upper + tolerance
        outside = self.is_bounded & (too_low | too_high)
        if not outside.any():
            return None
        index = int(outside.argmax())
        return (
            self.joint_names[index], float(positions[index]), float(self.lower[index]),
            float(self.upper[index]),
        )  # fmt: skip


def controlled_from_robot(robot: Robot, base: Pose | None = None) -> ControlledRobot:
    """Return all joints of a loaded robot, on a copy of its model.

    Args:
        robot: The robot.
        base: Where a floating base is; it is locked there, because no joint commands it.
    """
    names = robot.description.joint_names
    home = np.array([robot.description.home[name] for name in names])
    return _with_limits_in_force(
        robot.model.copy(), names, home, base if robot.description.floating_base else None
    )


def controlled_from_request(request: RobotRequest) -> tuple[ControlledRobot, Structure]:
    """Load the joints that a request means, without meshes; also what was read.

    Raises:
        RobotError: If the robot cannot be loaded, in one sentence.
        UsageError: If there is no such profile, or an option does not fit.
        ConfigError: If the profile cannot be used.
    """
    structure = read_structure(request)
    plan, floating = structure.plan, structure.floating_base
    model = build_model(structure.urdf, plan.followers, plan.locked, floating_base=floating)
    set_limits(model, plan.limits, floating_base=floating)
    add_tool_frames(model, structure.tools)
    names = tuple(joint.name for joint in plan.joints)
    home = np.array([plan.home[name] for name in names])
    controlled = _with_limits_in_force(model, names, home, Pose() if floating else None)
    return controlled, structure


def _with_limits_in_force(
    model: pin.Model, names: Sequence[str], home: Vector, base: Pose | None
) -> ControlledRobot:
    if base is not None:
        q = np.array(pin.neutral(model), dtype=np.float64)
        q[:3], q[3:7] = base.translation, base.xyzw
        model = pin.buildReducedModel(model, [1], q)
    ids = joint_ids(model)
    lower, upper = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    for index, name in enumerate(names):
        joint = model.joints[ids[name]]
        if joint.nq == 1:
            lower[index] = model.lowerPositionLimit[joint.idx_q]
            upper[index] = model.upperPositionLimit[joint.idx_q]
    return ControlledRobot(model, tuple(names), lower, upper, home)


# As DimOS reads a URDF ----------------------------------------------------------------------


def controlled_from_urdf(
    path: Path, joint_names: Sequence[str], base_link: str | None = None
) -> ControlledRobot:
    """Load a URDF as DimOS does: no mimic joints, all joints that are not named locked at neutral.

    Limits are the file's own, a velocity limit of zero included, which Pink takes for none.

    Args:
        path: The URDF.
        joint_names: The joints to control, in the order of commands.
        base_link: Link that must be fixed to the model's root; None for no such check.

    Raises:
        RobotError: If the file cannot be used, or a name is not that of a joint with one degree
            of freedom.
    """
    data = read_file(path, "URDF")
    file = parse_xml(data, path, "URDF")
    try:
        model = pin.buildModelFromXML(data.decode("utf-8"))
    except (ValueError, RuntimeError) as error:
        raise file.error(f"is refused by Pinocchio: {error}") from error
    ids = joint_ids(model)
    for name in joint_names:
        if name not in ids:
            raise file.error(
                "there is no such joint", field=f"joint {name}", expected=did_you_mean(name, ids)
            )
        if model.joints[ids[name]].nv != 1:
            raise file.error(
                "cannot be controlled: it has more than one degree of freedom",
                field=f"joint {name}", expected="a revolute, continuous or prismatic joint",
            )  # fmt: skip
    _free_unlimited_sliders(model, ids, file, joint_names)
    locked = [ids[name] for name in ids if name not in joint_names]
    if locked:
        model = pin.buildReducedModel(model, locked, pin.neutral(model))
    if base_link is not None:
        _require_root(model, file, base_link)
    home = np.zeros(len(joint_names))
    return _with_limits_in_force(model, joint_names, home, None)


def _free_unlimited_sliders(
    model: pin.Model, ids: Mapping[str, int], file: XmlFile, joint_names: Sequence[str]
) -> None:
    """Give sliders whose ``<limit>`` names neither end no limits; Pinocchio reads 0 to 0."""
    lower, upper = model.lowerPositionLimit.copy(), model.upperPositionLimit.copy()
    for joint in file.root.findall("joint"):
        name = joint.get("name", "")
        if name in joint_names and joint.get("type") == "prismatic" and not _has_range(joint):
            at = model.joints[ids[name]].idx_q
            lower[at], upper[at] = -math.inf, math.inf
    model.lowerPositionLimit, model.upperPositionLimit = lower, upper


def _has_range(joint: Element) -> bool:
    limit = joint.find("limit")
    return limit is not None and (limit.get("lower") or limit.get("upper")) is not None


def _require_root(model: pin.Model, file: XmlFile, base_link: str) -> None:
    if not model.existFrame(base_link):
        names = [frame.name for frame in model.frames if frame.type == pin.FrameType.BODY]
        raise file.error(
            "there is no such link", field=f"base_link {base_link}",
            expected=did_you_mean(base_link, names),
        )  # fmt: skip
    if model.frames[model.getFrameId(base_link)].parentJoint != 0:
        raise file.error(
            "moves with a joint", field=f"base_link {base_link}",
            expected="a link that is fixed to the root",
        )  # fmt: skip
