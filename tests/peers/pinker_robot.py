"""A robot of ours as Pinker reads it: from the robot's own URDF, by Pinker's own parser.

Pinker cannot lock joints, so that those which a profile locks are written into the URDF as fixed.
"""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
from pinker import kinematics

from tests.bare_models import BareModel
from workbench.model.pinocchio_model import joint_ids
from workbench.poses import Pose, wxyz_from_rotation_vector


def pinker_model(bare: BareModel) -> kinematics.Model:
    """Build Pinker's model, with the limits that are in force here.

    Raises:
        ValueError: If Pinker's joints are not in the places of ours.
    """
    text = bare.structure.source.file.path.read_text(encoding="utf-8")
    robot = ElementTree.fromstring(text)
    for element in robot.findall("joint"):
        position = bare.structure.plan.locked.get(element.get("name", ""))
        if position is not None:
            _fix(robot, element, position)
    model = kinematics.build_model_from_xml(ElementTree.tostring(robot, encoding="unicode"))
    for name, index in joint_ids(bare.model).items():
        ours, theirs = bare.model.joints[index], model.joints[model.get_joint_id(name)]
        if (ours.idx_q, ours.idx_v, ours.nq) != (theirs.idx_q, theirs.idx_v, theirs.nq):
            raise ValueError(f"joint {name} is in another place")
    if (model.nq, model.nv) != (bare.model.nq, bare.model.nv):
        raise ValueError(f"Pinker has {model.nv} joints, we have {bare.model.nv}")
    model.lower_position_limit = np.array(bare.model.lowerPositionLimit)
    model.upper_position_limit = np.array(bare.model.upperPositionLimit)
    model.velocity_limit = np.array(bare.velocity_caps)
    for tool in bare.structure.tools:
        if not tool.is_link_frame:
            link = model.frames[model.get_frame_id(tool.link)]
            placement = link.placement * placement_of(tool.pose)
            model.add_frame(
                kinematics.Frame(
                    tool.name, link.parent_joint, model.get_frame_id(tool.link), placement,
                    kinematics.FrameType.OP_FRAME,
                )
            )  # fmt: skip
    return model


def placement_of(pose: Pose) -> kinematics.SE3:
    return kinematics.SE3(pose.rotation, np.array(pose.translation))


def _fix(robot: ElementTree.Element, joint: ElementTree.Element, position: float) -> None:
    """Turn a joint into two fixed ones: its origin as it is written, then how far it has gone."""
    child, axis = joint.find("child"), joint.find("axis")
    assert child is not None
    direction = _numbers("1 0 0" if axis is None else axis.get("xyz", "1 0 0"))
    way = position * direction / np.linalg.norm(direction)
    slides = joint.get("type") == "prismatic"
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
    joint.set("type", "fixed")
    child.set("link", between)


def _numbers(text: str) -> np.ndarray:
    return np.array([float(word) for word in text.split()])


def _text(numbers: np.ndarray) -> str:
    return " ".join(repr(float(number)) for number in numbers)
