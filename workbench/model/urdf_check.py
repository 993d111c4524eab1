"""Says what is wrong with a URDF before a library gets to see it.

Pinocchio and urdfdom answer most mistakes with "does not contain a valid URDF model", name the
joint on the terminal only, and accept some files silently that mean nothing (a raw xacro file is
a robot without joints to them). Here each mistake is one sentence with line and name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal, cast
from xml.etree.ElementTree import Element

from workbench.errors import RobotError, did_you_mean
from workbench.model.urdf import Urdf, UrdfJoint, UrdfJointType, UrdfLimit, UrdfMimic
from workbench.model.xml_file import XmlFile

_KINDS = ("revolute", "continuous", "prismatic", "fixed")
_UNSUPPORTED = ("floating", "planar")
_OTHER_FORMATS = {"sdf": "an SDF", "mujoco": "a MuJoCo", "COLLADA": "a COLLADA", "html": "an HTML"}
_SMALLEST_AXIS = 1e-9
_LONGEST_NAME = 255

Vector3 = tuple[float, float, float]


def check_urdf(file: XmlFile) -> Urdf:
    """Read the kinematic tree.

    Raises:
        RobotError: For the first mistake found, with path, line, name, value and what would be
            right.
    """
    root = file.root
    _refuse_other_formats(file, root)
    _refuse_raw_xacro(file, root)
    links = _read_links(file, root)
    joints = _read_joints(file, root, links)
    root_link = _single_root(file, links, joints)
    _check_mimics(file, joints)
    name = (root.get("name") or "").strip() or file.path.stem
    return Urdf(file, name, tuple(links), tuple(joints.values()), root_link)


def _refuse_other_formats(file: XmlFile, root: Element) -> None:
    if root.tag == "robot":
        return
    other = _OTHER_FORMATS.get(root.tag)
    message = f"is {other} file, not a URDF" if other else "is no URDF"
    raise file.error(f"{message}: its root element is <{root.tag}>", root, expected="<robot>")


def _refuse_raw_xacro(file: XmlFile, root: Element) -> None:
    for element in root.iter():
        prefixed = element.tag.startswith("xacro:")
        sign = f"<{element.tag}>" if prefixed else None
        for value in element.attrib.values():
            if "${" in value or "$(" in value:
                sign = value
        # Plugins of simulators carry text of their own; only a URDF's own attributes count.
        if element.tag in ("gazebo", "plugin", "transmission", "ros2_control"):
            continue
        if sign is not None:
            raise file.error(
                "is a raw xacro file, not a URDF", element, value=sign,
                expected="its expansion (xacro FILE > robot.urdf), or a name that ends in .xacro",
            )  # fmt: skip


def _read_links(file: XmlFile, root: Element) -> dict[str, Element]:
    links: dict[str, Element] = {}
    for element in root.findall("link"):
        name = _name_of(file, element, "link")
        if name in links:
            raise file.error(
                f"there are two links of this name, the other on line {file.line_of(links[name])}",
                element, field=f"link {name}",
            )  # fmt: skip
        links[name] = element
    if not links:
        raise file.error("is an empty robot: it has no <link>", root)
    return links


def _read_joints(
    file: XmlFile, root: Element, links: Mapping[str, Element]
) -> dict[str, UrdfJoint]:
    joints: dict[str, UrdfJoint] = {}
    for element in root.findall("joint"):
        name = _name_of(file, element, "joint")
        if name in joints:
            other = file.line_of(joints[name].element)
            raise file.error(
                f"there are two joints of this name, the other on line {other}",
                element, field=f"joint {name}",
            )  # fmt: skip
        joints[name] = _JointReader(file, element, name).read(links)
    return joints


def _name_of(file: XmlFile, element: Element, what: str) -> str:
    name = element.get("name")
    if name is None or not name.strip():
        raise file.error(f"a <{what}> has no name", element, expected=f'<{what} name="...">')
    if len(name) > _LONGEST_NAME:
        raise file.error(f"a <{what}> has a name of {len(name)} characters", element, value=name,
                         expected=f"at most {_LONGEST_NAME}")  # fmt: skip
    return name


class _JointReader:
    """Reads one ``<joint>``."""

    def __init__(self, file: XmlFile, element: Element, name: str) -> None:
        self._file = file
        self._element = element
        self._name = name

    def read(self, links: Mapping[str, Element]) -> UrdfJoint:
        kind = self._kind()
        parent, child = self._link("parent", links), self._link("child", links)
        if parent == child:
            raise self._error("has the same link as parent and as child", value=parent)
        origin = self._element.find("origin")
        if origin is not None and "quat_xyzw" in origin.attrib:
            raise self._error("gives its origin as quat_xyzw, which is not supported", origin,
                              expected="rpy")  # fmt: skip
        return UrdfJoint(
            name=self._name,
            type=kind,
            parent=parent,
            child=child,
            xyz=self._vector(origin, "xyz", (0.0, 0.0, 0.0)),
            rpy=self._vector(origin, "rpy", (0.0, 0.0, 0.0)),
            axis=self._axis() if kind != "fixed" else (1.0, 0.0, 0.0),
            limit=self._limit(kind) if kind != "fixed" else None,
            mimic=self._mimic() if kind != "fixed" else None,
            element=self._element,
        )

    def _kind(self) -> UrdfJointType:
        kind = self._element.get("type")
        if kind is None:
            raise self._error("has no type", expected="one of " + ", ".join(_KINDS))
        if kind in _UNSUPPORTED:
            raise self._error(
                f"is a {kind} joint, which is not supported inside a robot",
                expected="a tree of revolute, continuous, prismatic and fixed joints; for a robot "
                "that floats as a whole, leave the joint out and use --floating-base",
            )  # fmt: skip
        if kind not in _KINDS:
            raise self._error(
                "has an unknown type", value=kind, expected=did_you_mean(kind, _KINDS)
            )
        return cast(UrdfJointType, kind)

    def _link(self, side: Literal["parent", "child"], links: Mapping[str, Element]) -> str:
        element = self._element.find(side)
        name = None if element is None else element.get("link")
        if element is None or name is None:
            raise self._error(f"has no {side} link", element, expected=f'<{side} link="..."/>')
        if name not in links:
            raise self._error(
                f"has a {side} link that does not exist", element, value=name,
                expected=did_you_mean(name, links),
            )  # fmt: skip
        return name

    def _axis(self) -> Vector3:
        element = self._element.find("axis")
        axis = self._vector(element, "xyz", (1.0, 0.0, 0.0))
        length = math.hypot(*axis)
        if length < _SMALLEST_AXIS:
            raise self._error("has an axis of length zero", element, value=axis,
                              expected="a direction such as 0 0 1")  # fmt: skip
        return (axis[0] / length, axis[1] / length, axis[2] / length)

    def _limit(self, kind: UrdfJointType) -> UrdfLimit | None:
        element = self._element.find("limit")
        if element is None:
            if kind == "continuous":
                return None
            raise self._error(
                f"is a {kind} joint without <limit>",
                expected='<limit lower="..." upper="..." velocity="..." effort="..."/>'
                + (', or type="continuous"' if kind == "revolute" else ""),
            )  # fmt: skip
        lower = self._number(element, "lower", 0.0)
        upper = self._number(element, "upper", 0.0)
        if kind != "continuous" and lower > upper:
            raise self._error(
                "has its lower limit above its upper limit", element,
                value=f"lower {lower:g}, upper {upper:g}",
            )  # fmt: skip
        velocity = element.get("velocity")
        return UrdfLimit(
            lower,
            upper,
            None if velocity is None else self._number(element, "velocity", 0.0),
            "lower" in element.attrib or "upper" in element.attrib,
        )

    def _mimic(self) -> UrdfMimic | None:
        element = self._element.find("mimic")
        if element is None:
            return None
        leader = element.get("joint")
        if not leader:
            raise self._error("mimics no joint", element, expected='<mimic joint="..."/>')
        return UrdfMimic(
            leader,
            self._number(element, "multiplier", 1.0),
            self._number(element, "offset", 0.0),
        )

    def _vector(self, element: Element | None, attribute: str, default: Vector3) -> Vector3:
        text = None if element is None else element.get(attribute)
        if element is None or text is None or not text.strip():
            return default
        words = text.split()
        numbers = [_finite(word) for word in words]
        if len(words) != 3 or any(number is None for number in numbers):
            raise self._error(
                f"has no usable <{element.tag} {attribute}>", element, value=text,
                expected="three finite numbers",
            )  # fmt: skip
        x, y, z = (number for number in numbers if number is not None)
        return (x, y, z)

    def _number(self, element: Element, attribute: str, default: float) -> float:
        text = element.get(attribute)
        if text is None:
            return default
        number = _finite(text)
        if number is None:
            raise self._error(
                f"has no usable <{element.tag} {attribute}>", element, value=text,
                expected="a finite number",
            )  # fmt: skip
        return number

    def _error(
        self,
        message: str,
        element: Element | None = None,
        *,
        value: object = None,
        expected: str | None = None,
    ) -> RobotError:
        place = self._element if element is None else element
        return self._file.error(
            message, place, field=f"joint {self._name}", value=value, expected=expected
        )


def _finite(text: str) -> float | None:
    """Return the number that a URDF attribute holds, or None.

    Python's ``float`` also reads ``1_000``, which no other reader of the file would.
    """
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None


def _single_root(
    file: XmlFile, links: Mapping[str, Element], joints: Mapping[str, UrdfJoint]
) -> str:
    """Return the root of the one tree that the links form.

    Raises:
        RobotError: If a link hangs on two joints, there are two roots, or joints form a loop.
    """
    above: dict[str, UrdfJoint] = {}
    for joint in joints.values():
        if joint.child in above:
            raise file.error(
                f"is a second joint above link {joint.child}, which hangs on joint "
                f"{above[joint.child].name} already", joint.element, field=f"joint {joint.name}",
                expected="a tree: every link has one joint above it",
            )  # fmt: skip
        above[joint.child] = joint
    roots = [link for link in links if link not in above]
    if len(roots) > 1:
        names = ", ".join(f"{link} (line {file.line_of(links[link])})" for link in roots[:5])
        more = f" and {len(roots) - 5} more" if len(roots) > 5 else ""
        raise file.error(
            f"has {len(roots)} root links instead of one: {names}{more}", links[roots[1]],
            field=f"link {roots[1]}", expected="a joint above all links but one",
        )  # fmt: skip
    in_tree: set[str] = set()
    for link in links:
        path: list[str] = []
        here = link
        while here in above and here not in in_tree:
            if here in path:
                loop = path[path.index(here) :]
                joint = above[here]
                raise file.error(
                    "is part of a loop of joints: " + " above ".join([*loop, here]),
                    joint.element, field=f"joint {joint.name}", expected="a tree",
                )  # fmt: skip
            path.append(here)
            here = above[here].parent
        in_tree.update(path)
    return roots[0]


def _check_mimics(file: XmlFile, joints: Mapping[str, UrdfJoint]) -> None:
    for joint in joints.values():
        if joint.mimic is None:
            continue
        element = joint.element.find("mimic")
        field = f"joint {joint.name}"
        if joint.mimic.leader not in joints:
            raise file.error(
                "mimics a joint that does not exist", element, field=field,
                value=joint.mimic.leader, expected=did_you_mean(joint.mimic.leader, joints),
            )  # fmt: skip
        chain = [joint.name]
        leader: str | None = joint.mimic.leader
        while leader is not None:
            if leader == joint.name:
                circle = "itself" if len(chain) == 1 else "itself through " + ", ".join(chain[1:])
                raise file.error(f"mimics {circle}", element, field=field, expected="a leader")
            if leader in chain:
                break  # a circle further up; its own members report it
            chain.append(leader)
            mimic = joints[leader].mimic
            leader = None if mimic is None else mimic.leader
