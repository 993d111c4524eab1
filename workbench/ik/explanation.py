"""Why a step is what it is, in numbers and words; no Pink here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from workbench.ik.types import SolveStatus

Side = Literal["upper", "lower", ""]
Quantity = Literal["position", "velocity", "acceleration", "base velocity", "barrier"]

_WORTH_A_WORD = 0.02
"""A share smaller than this is not put into words."""


@dataclass(frozen=True)
class TaskShare:
    """One task's part in a step.

    Attributes:
        name: The frame of a tool, ``posture``, or the name of an entry of the list.
        kind: Kind of the task, as the list names it.
        share: Its share of the objective at the step, in [0, 1].
        lm_damping: Levenberg-Marquardt damping in effect, cost squared.
        error: Length of its error, without weights, in its own units.
    """

    name: str
    kind: str
    share: float
    lm_damping: float
    error: float


@dataclass(frozen=True)
class ActiveLimit:
    """A limit or barrier that a step runs into.

    Attributes:
        name: Name of the barrier, or ``joint NAME``, or ``the floating base``.
        quantity: What is limited.
        side: Which end.
        force: Its multiplier: how much the objective would gain by one unit of room.
        detail: What a barrier's row bounds; empty for a joint.
    """

    name: str
    quantity: Quantity
    side: Side
    force: float
    detail: str = ""

    @property
    def words(self) -> str:
        """The same as people say it: ``joint elbow at its upper limit``."""
        if self.quantity == "barrier":
            return f"barrier {self.name}" + (f" ({self.detail})" if self.detail else "")
        which = self.side if self.quantity == "position" else self.quantity
        return f"{self.name} at its {which} limit"


@dataclass(frozen=True)
class Holder:
    """Something that keeps a task from its target.

    Attributes:
        name: Name of the task, joint, barrier or constraint, or ``damping``.
        kind: What it is.
        share: Its part of what holds the task, signed; all holders' shares add up to 1. Negative
            is help.
        words: The same as people say it.
    """

    name: str
    kind: Literal["task", "limit", "barrier", "constraint", "damping"]
    share: float
    words: str


@dataclass(frozen=True)
class Pull:
    """What pulls against one task along the direction of its error.

    Attributes:
        task: Name of the task.
        strength: How hard the task pulls at the step, in cost squared per rad or m.
        holders: What holds it, the strongest first; empty where nothing does.
        stuck: True when the task has an error that no joint motion would reduce: it is out of
            reach, or the posture is singular.
    """

    task: str
    strength: float
    holders: tuple[Holder, ...] = ()
    stuck: bool = False


@dataclass(frozen=True)
class Explanation:
    """Why the next step is what it is.

    Attributes:
        status: How the solve went; everything else is empty unless it is ok.
        tasks: Every task's part, in the stack's order.
        limits: What the step runs into, the strongest first.
        pulls: For every task with a target in space, what holds it.
        tikhonov_damping: Damping of the config, cost squared.
        lm_damping: Sum of the tasks' Levenberg-Marquardt dampings in effect, cost squared.
        duals_from_solver: Whether the solver gave the multipliers; otherwise they were worked out
            from what the step touches.
    """

    status: SolveStatus = field(default_factory=SolveStatus)
    tasks: tuple[TaskShare, ...] = ()
    limits: tuple[ActiveLimit, ...] = ()
    pulls: tuple[Pull, ...] = ()
    tikhonov_damping: float = 0.0
    lm_damping: float = 0.0
    duals_from_solver: bool = True

    @property
    def words(self) -> str:
        """What there is to say, one short line: ``posture holds 83 %; elbow at its upper limit``.

        Empty when every task gets what it asks for.
        """
        if not self.status.ok:
            return self.status.cause
        several = len(self.pulls) > 1
        parts = []
        for pull in self.pulls:
            said = _pull_words(pull)
            if said:
                parts.append(f"{pull.task}: {said}" if several else said)
        said_of_limits = {
            holder.words for pull in self.pulls for holder in pull.holders if _worth(holder)
        }
        parts += [
            limit.words
            for limit in self.limits
            if limit.words not in said_of_limits and limit.quantity != "velocity"
        ]
        return "; ".join(parts)


def _worth(holder: Holder) -> bool:
    return abs(holder.share) >= _WORTH_A_WORD


def _pull_words(pull: Pull) -> str:
    if pull.stuck:
        return "no joint motion brings it closer"
    # Whoever helps is named as well: without it a holder's share of over 100 % has no sense.
    return ", ".join(
        f"{holder.words} {'holds' if holder.share > 0.0 else 'helps with'} "
        f"{100.0 * abs(holder.share):.0f} %"
        for holder in pull.holders
        if _worth(holder)
    )
