"""What Pink and Pinker have in common, and what a comparison of the two leaves out, in words.

What one side lacks is taken from both, so that they solve for the same; every such thing is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.config.limits import (
    AccelerationLimitSpec,
    BarrierSpec,
    LimitSpec,
    SelfCollisionBarrierSpec,
)
from workbench.config.tasks import ClosedChainTaskSpec, JointLimitTaskSpec, TaskSpec
from workbench.config.tasks_spec import Spec
from workbench.model.request import RobotRequest
from workbench.model.structure import Structure

_OUR_TASKS = (ClosedChainTaskSpec, JointLimitTaskSpec)
"""Tasks of the workbench's own, which neither library has."""


@dataclass(frozen=True)
class CommonEntries:
    """The entries of the three lists that both libraries can hold.

    Attributes:
        tasks: Tasks.
        limits: Limits.
        barriers: Barriers.
        left_out: One sentence for each entry that is switched on and not among these.
        remarks: One sentence for each that is compared otherwise than the workbench solves it.
    """

    tasks: tuple[TaskSpec, ...]
    limits: tuple[LimitSpec, ...]
    barriers: tuple[BarrierSpec, ...]
    left_out: tuple[str, ...]
    remarks: tuple[str, ...]


def common_entries(
    tasks: Sequence[TaskSpec], limits: Sequence[LimitSpec], barriers: Sequence[BarrierSpec]
) -> CommonEntries:
    """Return what both libraries can hold of the lists, without what is switched off."""
    left_out: list[str] = []
    remarks: list[str] = []
    kept_tasks, kept_barriers = [], []
    kept_limits = [spec for spec in limits if spec.enabled]
    for task in tasks:
        if task.enabled and isinstance(task, _OUR_TASKS):
            left_out.append(f"{_named(task)}: neither Pink nor Pinker has such a task")
        elif task.enabled:
            kept_tasks.append(task)
            if task.constrains:
                remarks.append(
                    f"{_named(task)} is hard: each library's own task, but no faster than the "
                    "workbench lets a hard task go; a step that cannot be had is solved again for "
                    "less"
                )
    for limit in kept_limits:
        if isinstance(limit, AccelerationLimitSpec):
            remarks.append(
                f"{_named(limit)}: each library's own AccelerationLimit, which brakes later before "
                "a position limit than the workbench's"
            )
    for barrier in barriers:
        if barrier.enabled and isinstance(barrier, SelfCollisionBarrierSpec):
            left_out.append(f"{_named(barrier)}: Pinker has no collision model")
        elif barrier.enabled:
            kept_barriers.append(barrier)
    return CommonEntries(
        tuple(kept_tasks), tuple(kept_limits), tuple(kept_barriers), tuple(left_out),
        tuple(remarks),
    )  # fmt: skip


def without_mimic(
    request: RobotRequest, structure: Structure
) -> tuple[RobotRequest, tuple[str, ...]]:
    """Return a request for the same robot with its mimic joints held, and a sentence for each.

    Pinker does not know mimic joints. They are held where they are when their leaders are at home.
    """
    hold = dict(request.hold)
    sentences = []
    for follower in structure.plan.followers:
        leader_position = structure.plan.home[follower.leader]
        position = follower.multiplier * leader_position + follower.offset
        hold[follower.name] = position
        sentences.append(
            f"joint {follower.name} follows {follower.leader}: Pinker has no mimic joints, so that "
            f"it is held at {position:.6g} rad or m"
        )
    return (replace(request, hold=hold) if sentences else request), tuple(sentences)


def _named(spec: Spec) -> str:
    what = {"tasks": "task", "limits": "limit", "barriers": "barrier"}[spec.group]
    return f"{what} {spec.name} ({spec.title.lower()})"
