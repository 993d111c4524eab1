"""Which frames get a gizmo and a task: as asked for, or the ends of the chains.

A robot without a profile gets the frames that an engineer would most likely pick:

* One frame for each chain of moving joints that ends: the arms of a dual-arm robot, the legs of a
  humanoid, the fingers of a hand on its own.
* Short branches at the end of a longer chain are a gripper or a hand: its palm is meant, not the
  fingers. Short means fewer joints than there are above.
* From the last moving link, fixed joints are followed outwards: to a frame whose name says that
  it is the tool (``tcp``, ``tool0``, ``ee_link``, ``gripper``, ``palm`` ...), else to the last
  link while there is no fork. Cameras and other sensors are passed over, by their names.
* Wheels and pan-tilt heads (chains of one or two joints) count only where there is nothing longer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence

from workbench.config.profile import ToolFrame
from workbench.errors import RobotError, UsageError, did_you_mean
from workbench.model.urdf import Urdf
from workbench.poses import Pose

_OPTION = "--tool-frame"
_SYNTAX = "LINK or NAME=LINK:x,y,z,r,p,y in metres and radians"
_SHORTEST_CHAIN = 3

_TOOL_NAMES = (
    re.compile(r"(^|[_\W])(tcp|grasp_?(frame|link|point)?|pinch)([_\W]|$)|grasptarget", re.I),
    re.compile(r"(^|[_\W])(tool0|tool_?(frame|link|tip|center)?)\d*([_\W]|$)", re.I),
    re.compile(r"(^|[_\W])(ee|eef|eff?|end_?effector)([_\W]|$)", re.I),
    re.compile(r"gripper_frame|(^|[_\W])(palm|hand|gripper)([_\W]|$)", re.I),
    re.compile(r"(^|[_\W])flange([_\W]|$)", re.I),
)

_SENSOR_NAME = re.compile(
    r"imu|camera|optical|sensor|lidar|laser|gyro|accel|depth|rgb|skin|xtion|kinect|realsense", re.I
)


def parse_tool_frame(text: str, links: Collection[str]) -> ToolFrame:
    """Read one ``--tool-frame``.

    Args:
        text: ``LINK``, or ``NAME=LINK:x,y,z,r,p,y``: a frame fixed to a link, with its origin in
            metres and its fixed-axis roll, pitch and yaw in radians.
        links: Names of the robot's links. A link's name is taken as such even when it holds ``=``.

    Raises:
        UsageError: If the text is neither, or a number is not finite.
    """
    text = text.strip()
    if text in links or "=" not in text:
        return ToolFrame(text, text)
    name, _, place = text.partition("=")
    link, separator, numbers = place.rpartition(":")
    if not name.strip() or not separator or not link:
        raise UsageError("is no tool frame", field=_OPTION, value=text, expected=_SYNTAX)
    try:
        values = [float(word) for word in numbers.split(",")]
        if len(values) != 6 or not all(math.isfinite(value) for value in values):
            raise ValueError(numbers)
        pose = Pose.from_xyz_rpy(values[:3], values[3:])
    except ValueError as error:
        raise UsageError(
            "does not give six finite numbers", field=_OPTION, value=text, expected=_SYNTAX
        ) from error
    return ToolFrame(name.strip(), link, pose)


def choose_tool_frames(
    urdf: Urdf, asked_for: Sequence[ToolFrame], moving: Collection[str], *, floating_base: bool
) -> tuple[ToolFrame, ...]:
    """Return the tool frames of a robot.

    Args:
        urdf: The robot.
        asked_for: What the command line or the profile says; empty means the ends of the chains.
        moving: Names of the joints that are solved for, and of their followers.
        floating_base: Whether every link moves with the base.

    Raises:
        RobotError: If a link does not exist, a name is taken, or no joint moves the frame.
    """
    if not asked_for:
        return tuple(ToolFrame(link, link) for link in chain_ends(urdf, moving))
    names: set[str] = set()
    for tool in asked_for:
        if tool.link not in urdf.links:
            raise RobotError(
                "there is no such link", field=f"tool frame {tool.name}", value=tool.link,
                path=urdf.file.path, expected=did_you_mean(tool.link, urdf.links),
            )  # fmt: skip
        if tool.name in names:
            raise RobotError("is listed twice", field=f"tool frame {tool.name}")
        if not tool.is_link_frame and tool.name in urdf.links:
            raise RobotError(
                "has the name of a link", field=f"tool frame {tool.name}",
                expected="a name of its own",
            )  # fmt: skip
        if not floating_base and not any(
            joint.name in moving for joint in urdf.joints_to(tool.link)
        ):
            raise RobotError(
                "cannot move: no joint between it and the base is solved for",
                field=f"tool frame {tool.name}", path=urdf.file.path,
            )  # fmt: skip
        names.add(tool.name)
    return tuple(asked_for)


def chain_ends(urdf: Urdf, moving: Collection[str]) -> tuple[str, ...]:
    """Return the links that are the ends of the robot's chains; see the module's text.

    Args:
        urdf: The robot.
        moving: Names of the joints that are solved for, and of their followers.
    """
    finder = _EndFinder(urdf, moving)
    ends = finder.ends()
    longest_first = [link for link, joints in ends if joints >= _SHORTEST_CHAIN]
    chosen = longest_first or [link for link, _ in ends]
    return tuple(dict.fromkeys(finder.tool_of(link) for link in chosen)) or (urdf.root,)


class _EndFinder:
    """Walks the tree of moving joints; fixed joints join links to one body."""

    def __init__(self, urdf: Urdf, moving: Collection[str]) -> None:
        self._urdf = urdf
        self._moving = moving
        self._lengths = self._chain_lengths()

    def ends(self) -> list[tuple[str, int]]:
        """Return the last moving link of every chain, with the number of joints above it."""
        found: list[tuple[str, int]] = []
        pending = [(self._urdf.root, 0)]
        while pending:
            body, above = pending.pop()
            below = self._bodies_below(body)
            if not below:
                if above:
                    found.append((body, above))
                continue
            if self._is_palm(body, above, [child for child, _ in below]):
                found.append((body, above))
                continue
            pending.extend((child, above + 1) for child, _ in reversed(below))
        return found

    def tool_of(self, body: str) -> str:
        """Return the frame of a body that is most likely meant: by its name, or the outermost."""
        links = self._links_of(body)
        for pattern in _TOOL_NAMES:
            hits = [link for link in links if pattern.search(link)]
            if hits:
                return hits[-1]
        link = body
        while len(fixed := self._outer_links(link)) == 1:
            link = fixed[0]
        return link if not self._outer_links(link) else body

    def _is_palm(self, body: str, above: int, children: list[str]) -> bool:
        """Whether what hangs on a body is a gripper rather than the rest of the chain."""
        lengths = [self._lengths[child] for child in children]
        if above < _SHORTEST_CHAIN or max(lengths) >= above:
            return False
        if len(children) > 1:
            return True
        # A single jaw opposite a fixed one: only the name of a frame tells it from a last joint.
        named = [link for link in self._links_of(body) if _names_a_tool(link)]
        return lengths == [1] and bool(named)

    def _chain_lengths(self) -> dict[str, int]:
        """Return, by body, the number of moving joints of the longest chain from above it on."""
        bodies = [self._urdf.root]
        parents: dict[str, str] = {}
        for body in bodies:
            for child, _ in self._bodies_below(body):
                parents[child] = body
                bodies.append(child)
        lengths = dict.fromkeys(bodies, 1)
        for body in reversed(bodies[1:]):
            lengths[parents[body]] = max(lengths[parents[body]], lengths[body] + 1)
        return lengths

    def _bodies_below(self, body: str) -> list[tuple[str, str]]:
        """Return first link and joint of each body that moves against this one."""
        return [
            (joint.child, joint.name)
            for link in self._links_of(body)
            for joint in self._urdf.joints_below[link]
            if joint.name in self._moving
        ]

    def _links_of(self, body: str) -> list[str]:
        """Return all links that are fixed to a body, itself first, outermost last."""
        links = [body]
        for link in links:
            links.extend(self._fixed_below(link))
        return links

    def _outer_links(self, link: str) -> list[str]:
        """Return what is fixed to a link and is no sensor."""
        return [below for below in self._fixed_below(link) if not _SENSOR_NAME.search(below)]

    def _fixed_below(self, link: str) -> list[str]:
        return [
            joint.child for joint in self._urdf.joints_below[link] if joint.name not in self._moving
        ]


def _names_a_tool(link: str) -> bool:
    return any(pattern.search(link) for pattern in _TOOL_NAMES[:3]) or "gripper_frame" in link
