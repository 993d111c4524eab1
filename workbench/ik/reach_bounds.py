"""Which joints lie between two frames, and how near the frames can come at best.

Plain geometry of a robot's description; no Pinocchio here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.model.description import Link, RobotDescription
from workbench.poses import Pose

Vector = NDArray[np.float64]


def joints_to_root(frame: str, description: RobotDescription) -> tuple[str, ...]:
    """Return the joints that move a frame, from the frame to the root.

    A mimic joint on the way counts as its leader. Empty for a frame that is not there.
    """
    leaders = {follower.name: follower.leader for follower in description.followers}
    names = (
        leaders.get(link.joint, link.joint)
        for link in _chain(frame, description)
        if link.joint is not None
    )
    return tuple(dict.fromkeys(name for name in names if name in description.joint_names))


def joints_between(first: str, second: str, description: RobotDescription) -> tuple[str, ...]:
    """Return the joints that move one of two frames against the other."""
    chains = _branches(first, second, description)
    leaders = {follower.name: follower.leader for follower in description.followers}
    names = (leaders.get(link.joint or "", link.joint or "") for chain in chains for link in chain)
    return tuple(dict.fromkeys(name for name in names if name in description.joint_names))


def nearest_approach_m(
    first: str, second: str, offset: Pose, description: RobotDescription
) -> float:
    """Return a distance in m that two frames cannot come closer than, whatever the joints do.

    Between two joints a robot is rigid. Seen from one frame, the other is at the end of a chain of
    such rigid pieces, and no matter how they are folded, they close only if the longest is not
    longer than all others together. The travel of sliding joints only ever helps.

    Args:
        first: Name of one frame.
        second: Name of the other.
        offset: Where the second frame belongs, in the first one.
        description: The robot.
    """
    chains = _branches(first, second, description)
    ends = [_pose_in_link(name, description) for name in (first, second)]
    ends[0] = ends[0] @ offset
    pieces: list[float] = []
    travel = 0.0
    meeting: list[Vector] = []
    for chain, end in zip(chains, ends, strict=True):
        branch = _fold(chain, end, description)
        if branch is None:
            return 0.0
        pieces += branch.pieces
        travel += branch.travel
        meeting.append(branch.last)
    # The two branches hang on one link, so that the piece between them is rigid as well.
    pieces.append(float(np.linalg.norm(meeting[0] - meeting[1])))
    return max(0.0, 2.0 * max(pieces) - sum(pieces) - travel)


@dataclass(frozen=True, eq=False)
class _Branch:
    """One frame's way up to the link that it shares with the other.

    Attributes:
        pieces: Lengths of the rigid pieces that end at a joint, m.
        travel: How far sliding joints may move, together, m.
        last: Where the last joint is (or the frame, without a joint), in the shared link.
    """

    pieces: list[float]
    travel: float
    last: Vector


def _fold(chain: list[Link], end: Pose, description: RobotDescription) -> _Branch | None:
    """Return a branch, or None where the travel of a sliding joint is not known."""
    pieces: list[float] = []
    way = 0.0
    # The end of the present rigid piece, seen from the link that the walk has come to.
    point = end.translation
    for link in chain:
        travel = _travel_m(link, description)
        if travel is None:
            return None
        if travel > 0.0 or _turns(link, description):
            pieces.append(float(np.linalg.norm(point)))
            way += travel
            point = np.zeros(3)
        point = link.origin.act(point)
    return _Branch(pieces, way, point)


def _turns(link: Link, description: RobotDescription) -> bool:
    """Tell whether the joint above a link may stand at another angle than zero."""
    return link.moves or any(held.name == link.joint for held in description.held_joints)


def _travel_m(link: Link, description: RobotDescription) -> float | None:
    """Return how far a link's joint may slide it away from its origin, m; None if not known."""
    for joint in description.joints:
        if joint.name == link.joint and joint.kind == "prismatic":
            if joint.lower is None or joint.upper is None:
                return None
            return max(abs(joint.lower), abs(joint.upper))
    if link.translates and link.joint not in description.joint_names:
        return None
    for held in description.held_joints:
        if held.name == link.joint:
            # An angle would not move the origin; a length of the same number covers both.
            return abs(held.position)
    return 0.0


def _branches(
    first: str, second: str, description: RobotDescription
) -> tuple[list[Link], list[Link]]:
    """Return the links above each frame up to, and without, the first link that both share."""
    chains = [_chain(name, description) for name in (first, second)]
    shared = {link.name for link in chains[0]} & {link.name for link in chains[1]}
    own = [[link for link in chain if link.name not in shared] for chain in chains]
    return own[0], own[1]


def _chain(frame: str, description: RobotDescription) -> list[Link]:
    """Return the links from a frame's own to the root."""
    by_name = {link.name: link for link in description.links}
    link = by_name.get(_link_of(frame, description))
    chain = []
    while link is not None:
        chain.append(link)
        link = None if link.parent is None else by_name[link.parent]
    return chain


def _link_of(frame: str, description: RobotDescription) -> str:
    return {tool.name: tool.link for tool in description.defined_tools}.get(frame, frame)


def _pose_in_link(frame: str, description: RobotDescription) -> Pose:
    return {tool.name: tool.pose for tool in description.defined_tools}.get(frame, Pose())
