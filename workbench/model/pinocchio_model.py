"""From checked URDF values to a Pinocchio model with the limits that are in force.

Pinocchio is given a URDF that is written here from what was read: links, joints and inertias,
nothing else. Its parser then has nothing to complain about on the terminal, needs no meshes, and
sees unit axes, complete limits and only those mimic joints that it can carry.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np
import pinocchio as pin

from workbench.config.profile import ToolFrame
from workbench.model.description import Follower
from workbench.model.limits import BASE_VELOCITY_M_S, BASE_VELOCITY_RAD_S, JointLimits
from workbench.model.urdf import Urdf, UrdfJoint

_NO_LIMIT = float(np.finfo(np.float64).max)
"""What Pinocchio itself stores for a joint without limits."""

_FAR = 1e4
"""Stands in for the missing one of two limits: Pink drops both when either is infinite."""

_INERTIA_KEYS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def joint_order(urdf: Urdf) -> tuple[str, ...]:
    """Return the names of all joints that move, in the order that Pinocchio gives them.

    Raises:
        RobotError: If Pinocchio refuses the robot.
    """
    return tuple(_parsed(urdf, {}, floating_base=False).names)[1:]


def build_model(
    urdf: Urdf,
    followers: Iterable[Follower],
    locked: Mapping[str, float],
    *,
    floating_base: bool,
) -> pin.Model:
    """Build the model without the locked joints.

    Every link is a frame of its own name. A joint's frame that would have the same name as a link
    is renamed, because Pinocchio finds neither by an ambiguous name.

    Args:
        urdf: The robot.
        followers: Mimic joints; those with ``in_model`` become Pinocchio's mimic joints.
        locked: Joints to take out, with the position at which they stay, rad or m. Followers that
            are not ``in_model`` must be among them.
        floating_base: Whether the root link gets a free-flyer joint.

    Raises:
        RobotError: If Pinocchio refuses the robot.
    """
    carried = {follower.name: follower for follower in followers if follower.in_model}
    model = _parsed(urdf, carried, floating_base=floating_base)
    if locked:
        ids = joint_ids(model)
        # Pinocchio looks frames up by name here, those of the joints that it takes out as well.
        _rename_ambiguous_frames(model, set(urdf.links))
        for name in locked.keys() & set(urdf.links):
            model.names[ids[name]] = f"{name} (joint)"
        q = pin.neutral(model)
        for name, position in locked.items():
            write_position(q, model.joints[ids[name]], position)
        model = pin.buildReducedModel(model, sorted(ids[name] for name in locked), q)
    _rename_ambiguous_frames(model, set(urdf.links))
    return model


def joint_ids(model: pin.Model) -> dict[str, int]:
    """Return each joint's index in the model, by name, the universe left out.

    ``model.getJointId`` would find the universe for a joint that is called so.
    """
    return {name: index for index, name in enumerate(model.names) if index > 0}


def write_position(q: np.ndarray, joint: pin.JointModel, position: float) -> None:
    """Write a scalar joint's position, rad or m, into q: two entries for a continuous joint."""
    if joint.nq == 2:
        q[joint.idx_q : joint.idx_q + 2] = np.cos(position), np.sin(position)
    else:
        q[joint.idx_q] = position


def set_limits(model: pin.Model, limits: Mapping[str, JointLimits], *, floating_base: bool) -> None:
    """Write the limits in force into the model, in place.

    Args:
        model: The model.
        limits: Of every joint that is solved for, by name.
        floating_base: Whether joint 1 is a free flyer; it gets velocity caps, no position limits.
    """
    lower, upper = model.lowerPositionLimit.copy(), model.upperPositionLimit.copy()
    velocity = model.upperVelocityLimit.copy()
    if floating_base:
        velocity[:3], velocity[3:6] = BASE_VELOCITY_M_S, BASE_VELOCITY_RAD_S
    ids = joint_ids(model)
    for name, limit in limits.items():
        joint = model.joints[ids[name]]
        velocity[joint.idx_v] = limit.velocity
        if joint.nq == 2:
            continue  # Pinocchio bounds cosine and sine by 1.01, which Pink takes as no limit
        missing = _NO_LIMIT if limit.lower is None and limit.upper is None else _FAR
        lower[joint.idx_q] = -missing if limit.lower is None else limit.lower
        upper[joint.idx_q] = missing if limit.upper is None else limit.upper
    model.lowerPositionLimit, model.upperPositionLimit = lower, upper
    model.lowerVelocityLimit, model.upperVelocityLimit = -velocity, velocity


def add_tool_frames(model: pin.Model, tool_frames: Iterable[ToolFrame]) -> None:
    """Add those tool frames that are not a link's own frame to the model, in place."""
    own = [tool for tool in tool_frames if not tool.is_link_frame]
    _rename_ambiguous_frames(model, {tool.name for tool in own})
    for tool in own:
        link = model.frames[model.getFrameId(tool.link, pin.FrameType.BODY)]
        placement = link.placement * pin.SE3(tool.pose.rotation, tool.pose.translation)
        model.addFrame(
            pin.Frame(
                tool.name, link.parentJoint, model.getFrameId(tool.link, pin.FrameType.BODY),
                placement, pin.FrameType.OP_FRAME,
            ),
            False,
        )  # fmt: skip


# Writing the URDF that Pinocchio reads -------------------------------------------------------


def _parsed(urdf: Urdf, carried: Mapping[str, Follower], *, floating_base: bool) -> pin.Model:
    text = tostring(_kinematic_element(urdf, carried), encoding="unicode")
    try:
        if not floating_base:
            return pin.buildModelFromXML(text, mimic=bool(carried))
        taken = {joint.name for joint in urdf.joints} | set(urdf.links)
        name = "root_joint"
        while name in taken:
            name += "_"
        return pin.buildModelFromXML(text, pin.JointModelFreeFlyer(), name, mimic=bool(carried))
    except (ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[-1] if str(error).strip() else "no reason given"
        raise urdf.file.error(f"is refused by Pinocchio: {reason}", urdf.element) from error


def _kinematic_element(urdf: Urdf, carried: Mapping[str, Follower]) -> Element:
    robot = Element("robot", name=urdf.name)
    for link in urdf.element.findall("link"):
        inertial = _inertial(link)
        element = SubElement(robot, "link", name=link.get("name", ""))
        if inertial is not None:
            element.append(inertial)
    for joint in urdf.joints:
        _add_joint(robot, joint, carried.get(joint.name))
    return robot


def _add_joint(robot: Element, joint: UrdfJoint, follower: Follower | None) -> None:
    element = SubElement(robot, "joint", name=joint.name, type=joint.type)
    SubElement(element, "parent", link=joint.parent)
    SubElement(element, "child", link=joint.child)
    SubElement(element, "origin", xyz=_text(*joint.xyz), rpy=_text(*joint.rpy))
    if joint.type == "fixed":
        return
    SubElement(element, "axis", xyz=_text(*joint.axis))
    # The limits in force are written into the finished model; here they only have to parse.
    SubElement(element, "limit", lower="-1", upper="1", velocity="1", effort="1")
    if follower is not None:
        SubElement(
            element, "mimic", joint=follower.leader, multiplier=_text(follower.multiplier),
            offset=_text(follower.offset),
        )  # fmt: skip


def _inertial(link: Element) -> Element | None:
    """Return a link's inertia if it is complete: kinematics can do without, so no error if not."""
    inertial = link.find("inertial")
    mass = None if inertial is None else inertial.find("mass")
    inertia = None if inertial is None else inertial.find("inertia")
    if inertial is None or mass is None or inertia is None:
        return None
    origin = inertial.find("origin")
    try:
        values = [float(mass.get("value", "")), *(float(inertia.get(k, "")) for k in _INERTIA_KEYS)]
        xyz = [
            float(word) for word in ((origin is not None and origin.get("xyz")) or "0 0 0").split()
        ]
        rpy = [
            float(word) for word in ((origin is not None and origin.get("rpy")) or "0 0 0").split()
        ]
    except ValueError:
        return None
    if not np.isfinite([*values, *xyz, *rpy]).all() or len(xyz) != 3 or len(rpy) != 3:
        return None
    result = Element("inertial")
    SubElement(result, "origin", xyz=_text(*xyz), rpy=_text(*rpy))
    SubElement(result, "mass", value=_text(values[0]))
    pairs = zip(_INERTIA_KEYS, values[1:], strict=True)
    SubElement(result, "inertia", {key: _text(value) for key, value in pairs})
    return result


def _text(*numbers: float) -> str:
    return " ".join(repr(float(number)) for number in numbers)


def _rename_ambiguous_frames(model: pin.Model, names: Collection[str]) -> None:
    """Give joints' frames that have one of these names, meant for another frame, another one."""
    for frame in model.frames:
        if frame.name in names and frame.type != pin.FrameType.BODY:
            frame.name = f"{frame.name} (joint)"
