"""Which hard constraints and barriers leave a step no solution, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from pink.exceptions import NoSolutionFound

from workbench.ik.constraints import (
    Conflict,
    ConstraintRows,
    ContradictoryConstraintsError,
    find_conflict,
)
from workbench.ik.types import SolveStatus

if TYPE_CHECKING:
    from workbench.ik.stack import TaskStack

_REMEDY = "Make one of them soft, move its target, or switch it off."
_BARRIERS_REMEDY = "Widen the bounds of a barrier, or switch it off."


class ConflictFinder:
    """Explains failed solves. While nothing changes it answers from memory."""

    def __init__(self) -> None:
        """Remember nothing."""
        self._seen: tuple[NDArray[np.float64], ConstraintRows | None] | None = None
        self._status: SolveStatus | None = None

    def explain(self, error: Exception, stack: TaskStack) -> SolveStatus | None:
        """Return what contradicts what, or None where no constraint or barrier is to blame.

        Args:
            error: What a solve raised.
            stack: The stack that it raised it for.
        """
        if isinstance(error, ContradictoryConstraintsError):
            return _contradiction(error.names)
        rows, barriers = stack.constraint_rows, stack.entries.barriers
        if not isinstance(error, NoSolutionFound) or (rows is None and not barriers):
            return None
        if self._is_known(stack.configuration.q, rows):
            return self._status
        names = [item.spec.name for item in barriers for _ in item.rows]
        conflict = find_conflict(error.problem, rows, names)
        self._seen = stack.configuration.q, rows
        self._status = (
            None if conflict is None else _conflict(conflict, stack.tangent_names, frozenset(names))
        )
        return self._status

    def _is_known(self, q: NDArray[np.float64], rows: ConstraintRows | None) -> bool:
        if self._seen is None or self._seen[0] is not q:
            return False
        before = self._seen[1]
        if rows is None or before is None:
            return rows is before
        return rows.names == before.names and np.array_equal(rows.target, before.target)


def _contradiction(names: Sequence[str]) -> SolveStatus:
    if len(names) == 1:
        cause = f"The hard constraint {names[0]} asks for what no motion of the joints can do"
    else:
        cause = f"The hard constraints {_listed(names)} contradict each other"
    return SolveStatus("infeasible", f"{cause}; the arm holds.", _REMEDY)


def _conflict(
    conflict: Conflict, tangent_names: Sequence[str], barriers: frozenset[str]
) -> SolveStatus:
    cause = f"No step meets {_listed(conflict.given_up)}"
    against = [_listed(conflict.others)] if conflict.others else []
    joints = list(dict.fromkeys(tangent_names[index] for index in conflict.limits))
    if joints:
        shown = joints if len(joints) <= 4 else [*joints[:3], f"{len(joints) - 3} other joints"]
        against.append(f"the limits of {_listed(shown)}")
    if against:
        # Two lists, each with an "and" of its own.
        cause += f" together with {', and with '.join(against)}"
    can_be_soft = not barriers.issuperset((*conflict.given_up, *conflict.others))
    remedy = _REMEDY if can_be_soft else _BARRIERS_REMEDY
    return SolveStatus("infeasible", f"{cause}; the arm holds.", remedy)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(", ".join(names).rsplit(", ", 1)) if len(names) > 1 else names[0]
