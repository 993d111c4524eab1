"""Joints that are held where they are, as one hard constraint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pink
from pink.tasks import LinearHolonomicTask

from workbench.errors import SolverError, did_you_mean
from workbench.ik.bounds import LIMIT_TOLERANCE, JointBounds

if TYPE_CHECKING:
    from workbench.model.robot import Robot


@dataclass(frozen=True)
class HeldJointRow:
    """A row of the hard constraint.

    Attributes:
        name: Name of the joint.
        index: Its place in the description's order.
        idx_v: Its tangent coordinate.
        position: Where it is held, rad or m.
        wraps: True for a continuous joint, which goes the shorter way round.
    """

    name: str
    index: int
    idx_v: int
    position: float
    wraps: bool


class HeldJoints:
    """Keeps the constraint of the held joints.

    Attributes:
        rows: One for each held joint.
        outside: A held joint whose position lies outside its limits, or None.
    """

    def __init__(
        self, robot: Robot, configuration: pink.Configuration, bounds: JointBounds
    ) -> None:
        """Start with no held joint.

        Args:
            robot: The robot.
            configuration: Where it is.
            bounds: Position and velocity limits in force.
        """
        self._robot = robot
        self._configuration = configuration
        self._bounds = bounds
        self._held: Mapping[str, float] = {}
        self._task: LinearHolonomicTask | None = None
        self.rows: tuple[HeldJointRow, ...] = ()
        self.outside: HeldJointRow | None = None

    def update(self, held: Mapping[str, float]) -> None:
        """Hold these joints at these positions, rad or m; costs nothing where nothing changed.

        Raises:
            SolverError: If there is no such joint.
        """
        if held == self._held:
            return
        description = self._robot.description
        rows, outside = [], None
        for name, position in held.items():
            index = joint_index(self._robot, name)
            joint = description.joints[index]
            idx_v = int(self._robot.idx_v[index])
            row = HeldJointRow(name, index, idx_v, float(position), joint.kind == "continuous")
            rows.append(row)
            if joint.lower is not None and position < joint.lower - LIMIT_TOLERANCE:
                outside = row
            if joint.upper is not None and position > joint.upper + LIMIT_TOLERANCE:
                outside = row
        matrix = np.zeros((len(rows), self._configuration.model.nv))
        for number, row in enumerate(rows):
            matrix[number, row.idx_v] = 1.0
        self._held, self.outside = dict(held), outside
        self.rows = tuple(rows)
        self._task = (
            LinearHolonomicTask(matrix, np.zeros(len(rows)), self._configuration.q)
            if rows
            else None
        )

    def constraint(self, dt: float) -> LinearHolonomicTask | None:
        """Return what keeps held joints, or brings them, where they belong in a step of dt.

        A joint that is not there yet goes there within its bounds: asking for the whole way at
        once would leave the QP no solution.
        """
        if self._task is None:
            return None
        q = self._configuration.q
        positions = self._robot.positions_from_q(q)
        lower, upper = self._bounds.box(self._configuration, dt)
        for number, row in enumerate(self.rows):
            step = row.position - float(positions[row.index])
            if row.wraps:
                step = float(np.arctan2(np.sin(step), np.cos(step)))
            step = min(max(step, float(lower[row.idx_v])), float(upper[row.idx_v]))
            self._task.b[number] = step
        self._task.q_0 = q
        return self._task


def joint_index(robot: Robot, name: str) -> int:
    """Return the place of a joint in the description's order.

    Raises:
        SolverError: If there is no such joint, with the nearest names.
    """
    names = robot.description.joint_names
    if name not in names:
        raise SolverError("there is no such joint", field=name, expected=did_you_mean(name, names))
    return names.index(name)
