"""Whether steps towards hard tasks bring them nearer.

Where a hard task cannot be met, as a target beyond the reach of an arm, a QP close to the singular
posture still has a solution for a small share of the way: joints turn as fast as they may, and what
the linearised step promised does not come true. Each step is right by itself; this looks at many.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pink
from numpy.typing import NDArray

from workbench.ik.extra_tasks import HardTask

Vector = NDArray[np.float64]

_STEPS = 50
"""So many steps in a row are looked at together."""

_LEAST_SHARE = 0.1
"""Less than this of what the steps promised, and they do not bring the tasks nearer."""


class HardProgress:
    """Compares what steps promised with what became of them, where they take a share of the way.

    Steps that take the whole way that is asked for are never held against anybody.
    """

    def __init__(self) -> None:
        """Start without steps."""
        self._stuck_at: tuple[Vector, ...] | None = None
        self._circumstances: tuple[object, ...] = ()
        self._share = 1.0
        self._forget()

    def is_stuck(
        self,
        tasks: Sequence[HardTask],
        configuration: pink.Configuration,
        circumstances: tuple[object, ...],
    ) -> bool:
        """Tell whether everything is still as it was when steps brought the tasks no nearer.

        Args:
            tasks: The hard tasks.
            configuration: Where the robot is.
            circumstances: What else may stand in the way; to be called with every step, so that a
                change of it gives the tasks another chance.
        """
        if circumstances != self._circumstances:
            self._stuck_at, self._circumstances = None, circumstances
            self._forget()
        if self._stuck_at is None:
            return False
        now = _errors(tasks, configuration)
        if len(now) == len(self._stuck_at) and all(map(np.array_equal, now, self._stuck_at)):
            return True
        self._stuck_at = None
        return False

    def begin(
        self, tasks: Sequence[HardTask], share: float, configuration: pink.Configuration
    ) -> None:
        """Note where the tasks are before a step; :meth:`end` comes next.

        Args:
            tasks: The hard tasks.
            share: The share that the step takes of the way that they ask for.
            configuration: Where the robot is.
        """
        self._share = share
        if share >= 1.0:
            self._forget()
            return
        self._made += _way(tasks, configuration)
        self._promised += share * sum(
            float(np.linalg.norm(task.compute_error(configuration) / task.speeds)) for task in tasks
        )

    def end(self, tasks: Sequence[HardTask], configuration: pink.Configuration) -> None:
        """Note where the tasks are after the step.

        Args:
            tasks: The hard tasks.
            configuration: Where the robot is now.
        """
        if self._share >= 1.0:
            return
        self._made -= _way(tasks, configuration)
        self._count += 1
        if self._count < _STEPS:
            return
        if self._made < _LEAST_SHARE * self._promised:
            self._stuck_at = _errors(tasks, configuration)
        self._forget()

    def _forget(self) -> None:
        self._promised = self._made = 0.0
        self._count = 0


def _errors(tasks: Sequence[HardTask], configuration: pink.Configuration) -> tuple[Vector, ...]:
    return tuple(task.task.compute_error(configuration) for task in tasks)


def _way(tasks: Sequence[HardTask], configuration: pink.Configuration) -> float:
    """Return how far the tasks are from being met: how long that takes at their speeds, s."""
    return sum(
        float(np.linalg.norm(task.task.compute_error(configuration)[task.rows] / task.speeds))
        for task in tasks
    )
