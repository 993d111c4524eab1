"""A robot of ours as Pinker reads it: from the robot's own URDF, by Pinker's own parser.

Pinker cannot lock joints, so that those which are no part of our model are written into the URDF as
fixed. Mimic joints it does not know at all: it takes them for joints of their own, so that those
have to be among the locked ones.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from workbench.errors import SolverError
from workbench.model.pinocchio_model import joint_ids
from workbench.poses import Pose, wxyz_from_rotation_vector

if TYPE_CHECKING:
    import pinocchio
    from pinker import kinematics

    from workbench.model.structure import Structure

Vector = NDArray[np.float64]

_INSTALL = "pip install 'ik-workbench[peers]' and a C compiler: Pinker is built from its source"

_REFUSALS = (ValueError, AttributeError, TypeError, KeyError, RecursionError)
"""What Pinker's parser raises for a URDF that it does not understand: it checks nothing."""


def import_pinker() -> Any:
    """Return the package ``pinker``, with its limits, barriers and tasks.

    Raises:
        SolverError: If it is not there or cannot be loaded, with the way to get it.
    """
    try:
        import pinker
        import pinker.barriers
        import pinker.kinematics
        import pinker.limits
        import pinker.tasks
    except ModuleNotFoundError as error:
        if error.name != "pinker":
            raise SolverError(f"Pinker cannot be loaded: {error}", expected=_INSTALL) from error
        raise SolverError("Pinker is not installed", expected=_INSTALL) from error
    except ImportError as error:  # its compiled part is for another Python, or missing
        raise SolverError(f"Pinker cannot be loaded: {error}", expected=_INSTALL) from error
    return pinker


def pinker_model(
    structure: Structure, model: pinocchio.Model, velocity_caps: Vector
) -> kinematics.Model:
    """Build Pinker's model, with the limits that are in force here.

    Args:
        structure: The robot's files and what becomes of its joints.
        model: Our model of it.
        velocity_caps: Velocity limit of each tangent coordinate, shape (nv,).

    Raises:
        RobotError: If Pinker cannot read the URDF, or reads another robot than Pinocchio does.
    """
    kinematics = import_pinker().kinematics
    urdf = structure.urdf
    robot = deepcopy(urdf.element)
    locked = structure.plan.locked
    for element in robot.findall("joint"):
        name = element.get("name", "")
        if name in locked:
            _fix(robot, element, urdf.moving_joints[name].axis, locked[name])
    text = ElementTree.tostring(robot, encoding="unicode")
    root_joint = kinematics.JointModelFreeFlyer() if structure.floating_base else None
    try:
        peer = kinematics.build_model_from_xml(text, root_joint)
    except _REFUSALS as error:
        raise urdf.file.error(f"is refused by Pinker: {error}", urdf.element) from error
    if root_joint is not None:
        peer.names[1] = model.names[1]  # ours is called otherwise where the URDF has that name
    _require_same_places(structure, model, peer)
    peer.lower_position_limit = np.array(model.lowerPositionLimit)
    peer.upper_position_limit = np.array(model.upperPositionLimit)
    peer.velocity_limit = np.array(velocity_caps, dtype=np.float64)
    _add_tools(structure, peer)
    return peer


def placement_of(pose: Pose) -> kinematics.SE3:
    """Return a pose as Pinker has it."""
    return import_pinker().kinematics.SE3(pose.rotation, np.array(pose.translation))


def _require_same_places(structure: Structure, model: pinocchio.Model, peer: Any) -> None:
    """Raise RobotError unless q and v mean the same on both sides."""
    file = structure.urdf.file
    for name, index in joint_ids(model).items():
        ours = model.joints[index]
        if name not in peer.names:
            raise file.error("is no joint of Pinker's model", field=f"joint {name}")
        theirs = peer.joints[peer.get_joint_id(name)]
        if (ours.idx_q, ours.idx_v, ours.nq) != (theirs.idx_q, theirs.idx_v, theirs.nq):
            raise file.error(
                "is at another place in Pinker's configuration than in Pinocchio's",
                field=f"joint {name}",
            )
    if (model.nq, model.nv) != (peer.nq, peer.nv):
        raise file.error(
            f"has {peer.nv} degrees of freedom for Pinker and {model.nv} for Pinocchio",
            structure.urdf.element,
        )


def _add_tools(structure: Structure, peer: Any) -> None:
    """Add the tool frames that are no link's own, and let every such name mean one frame."""
    kinematics = import_pinker().kinematics
    own = [tool for tool in structure.tools if not tool.is_link_frame]
    names = {*structure.urdf.links, *(tool.name for tool in own)}
    for frame in peer.frames:
        if frame.name in names and frame.type != kinematics.FrameType.BODY:
            frame.name = f"{frame.name} (joint)"
    for tool in own:
        link_id = peer.get_frame_id(tool.link)
        link = peer.frames[link_id]
        peer.add_frame(
            kinematics.Frame(
                tool.name, link.parent_joint, link_id, link.placement * placement_of(tool.pose),
                kinematics.FrameType.OP_FRAME,
            )
        )  # fmt: skip


def _fix(
    robot: ElementTree.Element,
    joint: ElementTree.Element,
    axis: tuple[float, float, float],
    position: float,
) -> None:
    """Turn a joint into two fixed ones: its origin as it is written, then how far it has gone."""
    child = joint.find("child")
    assert child is not None, "a checked URDF has it"
    slides = joint.get("type") == "prismatic"
    joint.set("type", "fixed")
    way = position * np.asarray(axis)
    if slides or np.count_nonzero(way) <= 1:
        turn = np.zeros(3) if slides else way  # about one axis, roll, pitch and yaw are just that
    else:
        turn = Pose(np.zeros(3), wxyz_from_rotation_vector(way)).rpy
    name, link = joint.get("name", ""), child.get("link", "")
    between = f"{link} before {name}"
    ElementTree.SubElement(robot, "link", name=between)
    gone = ElementTree.SubElement(robot, "joint", name=f"{name} gone", type="fixed")
    ElementTree.SubElement(gone, "parent", link=between)
    ElementTree.SubElement(gone, "child", link=link)
    ElementTree.SubElement(
        gone, "origin", xyz=_text(way if slides else np.zeros(3)), rpy=_text(turn)
    )
    child.set("link", between)


def _text(numbers: Vector) -> str:
    return " ".join(repr(float(number)) for number in numbers)
