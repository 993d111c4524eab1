"""The kinematic tree of a URDF: which link hangs on which, by which joint, and where.

Everything here reads an element that :mod:`workbench.model.urdf_check` has accepted: one root, no
loop, unique names, finite numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from workbench.errors import RobotError
from workbench.model.description import Link
from workbench.poses import Pose


@dataclass(frozen=True)
class TreeLink:
    """One link and the ``<joint>`` element that it hangs on.

    Attributes:
        name: Name of the link.
        parent: Index of its parent link in the tree, None for the root.
        joint: The joint's element, None for the root.
    """

    name: str
    parent: int | None
    joint: Element | None


def kinematic_tree(robot_element: Element) -> tuple[TreeLink, ...]:
    """Return the links, parents before children, siblings in the order of the file.

    The picture's rows and the scene's nodes are in this order.

    Args:
        robot_element: The ``<robot>`` element.

    Raises:
        RobotError: If there is not exactly one root, or a link cannot be reached from it.
    """
    names = [link.get("name", "") for link in robot_element.findall("link")]
    joints_of_parent: dict[str, list[Element]] = {name: [] for name in names}
    children: set[str] = set()
    for joint in robot_element.findall("joint"):
        parent, child = _linked_name(joint, "parent"), _linked_name(joint, "child")
        for name in (parent, child):
            if name not in joints_of_parent:
                raise RobotError("names a link that does not exist", field=joint.get("name"),
                                 value=name)  # fmt: skip
        joints_of_parent[parent].append(joint)
        children.add(child)
    roots = [name for name in names if name not in children]
    if len(roots) != 1:
        raise RobotError("a robot has exactly one root link", value=", ".join(roots) or "none")
    tree = [TreeLink(roots[0], None, None)]
    # A stack instead of recursion: a chain may be longer than Python's recursion limit.
    pending = [(0, joint) for joint in reversed(joints_of_parent[roots[0]])]
    while pending:
        parent_index, joint = pending.pop()
        child = _linked_name(joint, "child")
        tree.append(TreeLink(child, parent_index, joint))
        if len(tree) > len(names):
            raise RobotError("a link hangs on two joints", field=child)
        pending.extend((len(tree) - 1, joint) for joint in reversed(joints_of_parent[child]))
    if len(tree) != len(names):
        lost = sorted(set(names) - {link.name for link in tree})
        raise RobotError("links cannot be reached from the root", value=", ".join(lost))
    return tuple(tree)


def build_links(
    robot_element: Element,
    moving: Collection[str],
    floating_base: bool = False,
    missing: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[Link, ...]:
    """Return the picture's tree.

    Args:
        robot_element: The ``<robot>`` element.
        moving: Names of the joints that move in the picture: those that are solved for, and the
            followers of such joints.
        floating_base: Whether the root link moves in the world.
        missing: Mesh files that were not found, by link.
    """
    missing = missing or {}
    tree = kinematic_tree(robot_element)
    links = []
    for node in tree:
        files = tuple(missing.get(node.name, ()))
        if node.joint is None or node.parent is None:
            links.append(Link(node.name, None, None, floating_base, floating_base, files))
            continue
        joint_name = node.joint.get("name", "")
        moves = joint_name in moving
        translates = moves and node.joint.get("type") not in ("revolute", "continuous")
        parent_name = tree[node.parent].name
        links.append(
            Link(
                node.name, parent_name, joint_name, moves, translates, files,
                origin_pose(node.joint),
            )
        )  # fmt: skip
    return tuple(links)


def origin_pose(element: Element) -> Pose:
    """Return the ``<origin>`` of a joint, visual or collision element; identity without one.

    Raises:
        ValueError: If it does not hold three finite numbers each.
    """
    origin = element.find("origin")
    if origin is None:
        return Pose()
    return Pose.from_xyz_rpy(
        numbers(origin.get("xyz"), 3, (0.0, 0.0, 0.0)),
        numbers(origin.get("rpy"), 3, (0.0, 0.0, 0.0)),
    )


def numbers(text: str | None, count: int, default: tuple[float, ...]) -> tuple[float, ...]:
    """Return the numbers of an attribute, or the default where it is absent or empty.

    Raises:
        ValueError: If there are more or fewer than ``count``, or one is no number.
    """
    if text is None or not text.strip():
        return default
    values = tuple(float(word) for word in text.split())
    if len(values) != count:
        raise ValueError(f"expected {count} numbers, got {text!r}")
    return values


def _linked_name(joint: Element, side: str) -> str:
    element = joint.find(side)
    return "" if element is None else element.get("link", "")
