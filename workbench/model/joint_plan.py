"""Decides what becomes of every joint: solved for, held, or following; and from where it starts.

Every decision that the user did not ask for comes with a remark, which the page shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.errors import RobotError, did_you_mean
from workbench.model.description import Follower, HeldJoint, Joint, Remark
from workbench.model.limits import JointLimits, has_zero_range, limits_in_force, start_position
from workbench.model.mimic import plan_mimics
from workbench.model.urdf import Urdf, UrdfJoint

_NEUTRAL = 0.0
"""Pinocchio's neutral position of a scalar joint, at which DimOS holds what it does not move."""


@dataclass(frozen=True)
class JointPlan:
    """What becomes of the joints of a robot.

    Attributes:
        joints: Those that are solved for, in Pinocchio's order.
        limits: Their limits, by name.
        home: Where they start, by name.
        held: Those that stay where they are.
        followers: Mimic joints.
        remarks: What was decided.
    """

    joints: tuple[Joint, ...]
    limits: Mapping[str, JointLimits]
    home: Mapping[str, float]
    held: tuple[HeldJoint, ...]
    followers: tuple[Follower, ...]
    remarks: tuple[Remark, ...]

    @property
    def locked(self) -> dict[str, float]:
        """Position of every joint that is no part of the model, by name, rad or m."""
        positions = {joint.name: joint.position for joint in self.held}
        for follower in self.followers:
            if not follower.in_model:
                leader = self.home[follower.leader]
                positions[follower.name] = follower.multiplier * leader + follower.offset
        return positions

    @property
    def moving(self) -> frozenset[str]:
        """Names of all joints that move in the picture."""
        followers = (follower.name for follower in self.followers)
        return frozenset([*(joint.name for joint in self.joints), *followers])


def plan_joints(
    urdf: Urdf,
    *,
    order: Sequence[str],
    hold: Mapping[str, tuple[float, str]],
    home: Mapping[str, float],
    floating_base: bool,
) -> JointPlan:
    """Decide about every joint.

    Args:
        urdf: The robot.
        order: Names of all joints that move, in Pinocchio's order.
        hold: Joints to hold, by name: position in rad or m, and why.
        home: Start positions that were chosen, by name, rad or m; the others start at zero, moved
            inside the limits.
        floating_base: Whether the base moves: then a robot may have no joint at all.

    Raises:
        RobotError: If a name is not a joint that moves, or no joint is left.
    """
    for name in [*hold, *home]:
        _require_moving(urdf, name)
    remarks: list[Remark] = []
    held = {
        name: HeldJoint(name, position, _NEUTRAL, reason)
        for name, (position, reason) in hold.items()
    }
    remarks += _held_outside(urdf, held.values())
    without_range: list[HeldJoint] = []
    for joint in urdf.moving_joints.values():
        if joint.name not in held and joint.mimic is None and has_zero_range(joint):
            assert joint.limit is not None
            held[joint.name] = HeldJoint(
                joint.name, joint.limit.lower, _NEUTRAL, "its lower and upper limit are the same"
            )
            without_range.append(held[joint.name])
    remarks += _zero_range_remarks(without_range)
    mimics = plan_mimics(urdf, {j.name: j.position for j in held.values()}, order)
    for name, position in mimics.still.items():
        leader = urdf.moving_joints[name].mimic
        reason = f"follows {leader.leader if leader else ''}, which does not move"
        held[name] = HeldJoint(name, position, _NEUTRAL, reason)
    remarks += _mimic_remarks(mimics.followers)

    followers = {follower.name for follower in mimics.followers}
    names = [name for name in order if name not in held and name not in followers]
    if not names and not floating_base:
        same = ", ".join(joint.name for joint in without_range)
        cause = f": the lower and upper limit of {same} are the same" if same else ""
        raise urdf.file.error(
            f"has no joint that can move{cause}", urdf.element, field=f"robot {urdf.name}",
            expected="at least one joint that is neither fixed nor held, or --floating-base",
        )  # fmt: skip
    limits = {name: limits_in_force(urdf.moving_joints[name]) for name in names}
    start = {name: start_position(limits[name], home.get(name)) for name in names}
    remarks += _no_range_remarks(urdf.moving_joints[name] for name in names)
    remarks += _velocity_remarks(limits)
    remarks += _home_remarks(start, home)
    joints = tuple(_joint(urdf.moving_joints[name], limits[name]) for name in names)
    held_in_order = tuple(held[name] for name in order if name in held)
    return JointPlan(joints, limits, start, held_in_order, mimics.followers, tuple(remarks))


def _require_moving(urdf: Urdf, name: str) -> None:
    if name in urdf.moving_joints:
        return
    joint = next((joint for joint in urdf.joints if joint.name == name), None)
    if joint is not None:
        raise urdf.file.error("is a fixed joint", joint.element, field=f"joint {name}")
    raise RobotError(
        "there is no such joint", path=urdf.file.path, field=f"joint {name}",
        expected=did_you_mean(name, urdf.moving_joints),
    )  # fmt: skip


def _joint(joint: UrdfJoint, limits: JointLimits) -> Joint:
    return Joint(
        joint.name, joint.kind, limits.lower, limits.upper, limits.velocity,
        limits.velocity_is_default,
    )  # fmt: skip


def _zero_range_remarks(held: Sequence[HeldJoint]) -> list[Remark]:
    if not held:
        return []
    places = _list_text([f"{joint.name} (at {joint.position:g})" for joint in held])
    return [
        Remark(
            "zero_range_held",
            f"Held, because lower and upper limit are the same, in rad or m: {places}. A range in "
            "the URDF lets such a joint move.",
            "warning",
            ", ".join(joint.name for joint in held),
        )
    ]


def _no_range_remarks(joints: Iterable[UrdfJoint]) -> list[Remark]:
    names = [
        joint.name
        for joint in joints
        if joint.type != "continuous" and joint.limit is not None and not joint.limit.has_range
    ]
    if not names:
        return []
    return [
        Remark(
            "limits_missing",
            f"Taken as without position limits, because <limit> gives neither lower nor upper: "
            f"{_list_text(names)}.",
            "warning",
            ", ".join(names),
        )
    ]


def _held_outside(urdf: Urdf, held: Iterable[HeldJoint]) -> list[Remark]:
    remarks = []
    for joint in held:
        limits = limits_in_force(urdf.moving_joints[joint.name])
        if not limits.contain(joint.position):
            remarks.append(
                Remark(
                    "held_outside_limits",
                    f"{joint.name} is held at {joint.position:g}, outside its limits "
                    f"{_range_text(limits)}.",
                    "warning",
                    joint.name,
                )
            )
    return remarks


def _mimic_remarks(followers: Iterable[Follower]) -> list[Remark]:
    names = [follower.name for follower in followers if not follower.in_model]
    if not names:
        return []
    return [
        Remark(
            "mimic_held",
            "These mimic joints follow in the picture only, and the solver takes them for fixed at "
            f"the start, because Pinocchio cannot carry them: {_list_text(names)}.",
            "warning",
            ", ".join(names),
        )
    ]


def _velocity_remarks(limits: Mapping[str, JointLimits]) -> list[Remark]:
    groups: dict[float, list[str]] = {}
    for name, limit in limits.items():
        if limit.velocity_is_default:
            groups.setdefault(limit.velocity, []).append(name)
    return [
        Remark(
            "velocity_default",
            f"The URDF gives no usable velocity limit for {_list_text(names)}: "
            f"{velocity:g} per second (rad or m) stands in.",
            "warning",
            ", ".join(names),
        )
        for velocity, names in groups.items()
    ]


def _home_remarks(start: Mapping[str, float], home: Mapping[str, float]) -> list[Remark]:
    moved = {n: v for n, v in start.items() if v != home.get(n, _NEUTRAL)}
    if not moved:
        return []
    places = _list_text(
        [f"{name} ({home.get(name, _NEUTRAL):g} to {value:.3g})" for name, value in moved.items()]
    )
    return [
        Remark(
            "home_clamped",
            f"The start was moved inside the limits, in rad or m: {places}.",
            "info",
            ", ".join(moved),
        )
    ]


def _range_text(limits: JointLimits) -> str:
    low = "none" if limits.lower is None else f"{limits.lower:g}"
    high = "none" if limits.upper is None else f"{limits.upper:g}"
    return f"[{low}, {high}]"


def _list_text(items: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"
