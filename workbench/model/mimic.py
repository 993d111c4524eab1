"""Mimic joints: who follows whom, and which followers Pinocchio itself can carry.

Pinocchio's own mimic joint (``mimic=True``) needs the leader before the follower in its joint
order, a leader that is not itself a mimic joint, that is not locked in a reduced model, and that
is of the same family (continuous joints have two entries of q). Chains are resolved to their first
leader here; what remains impossible is held in the model and moved in the picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.model.description import Follower
from workbench.model.urdf import Urdf, UrdfMimic


@dataclass(frozen=True)
class MimicPlan:
    """What becomes of the mimic joints of a robot.

    Attributes:
        followers: Those that move with a leader that is solved for, chains resolved.
        still: Position, rad or m, of those whose leader never moves, by name.
    """

    followers: tuple[Follower, ...]
    still: Mapping[str, float]


def plan_mimics(urdf: Urdf, held: Mapping[str, float], joint_order: Sequence[str]) -> MimicPlan:
    """Decide how each mimic joint of a robot moves.

    Args:
        urdf: The robot.
        held: Joints that are taken out of the model, with their positions; a mimic joint among
            them is no follower.
        joint_order: Names of the moving joints in Pinocchio's order.
    """
    rank = {name: index for index, name in enumerate(joint_order)}
    followers: list[Follower] = []
    still: dict[str, float] = {}
    for joint in urdf.moving_joints.values():
        if joint.mimic is None or joint.name in held:
            continue
        law = _resolved(urdf, joint.mimic, held)
        leader = urdf.moving_joints.get(law.leader)
        if leader is None or leader.name in held or law.multiplier == 0.0:
            leader_position = held.get(law.leader, 0.0)
            still[joint.name] = law.multiplier * leader_position + law.offset
            continue
        in_model = (
            rank[leader.name] < rank[joint.name]
            and (leader.type == "continuous") == (joint.type == "continuous")
        )  # fmt: skip
        followers.append(
            Follower(joint.name, leader.name, law.multiplier, law.offset, in_model=in_model)
        )
    return MimicPlan(tuple(followers), still)


def _resolved(urdf: Urdf, law: UrdfMimic, held: Mapping[str, float]) -> UrdfMimic:
    """Return the law with respect to the first leader of a chain: one that mimics nobody."""
    while law.leader not in held:
        leader = urdf.moving_joints.get(law.leader)
        if leader is None or leader.mimic is None:
            break
        above = leader.mimic
        law = UrdfMimic(
            above.leader,
            law.multiplier * above.multiplier,
            law.multiplier * above.offset + law.offset,
        )
    return law
