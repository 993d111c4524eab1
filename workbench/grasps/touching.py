"""Whether the links of a robot touch each other at some posture, by the hulls of its collisions."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from workbench.model.collision import CollisionModel
from workbench.model.robot import Robot


class TouchingLinks:
    """Looks for two links that touch. Used by one thread at a time.

    Pairs that touch at home, follow each other or are disabled by the SRDF do not count, as for
    self-collision avoidance.
    """

    def __init__(self, robot: Robot, collision: CollisionModel) -> None:
        """Make data for this thread.

        Args:
            robot: The robot.
            collision: Its hulls.
        """
        self._robot = robot
        self._data = robot.model.createData()
        self._geometry = collision.geometry
        self._geometry_data = collision.create_data()
        self._pairs = [
            (index, pair.link_a, pair.link_b)
            for pair in collision.selection(0.0).kept
            for index in pair.shape_pairs
        ]

    def __call__(self, positions: NDArray[np.float64]) -> tuple[str, str] | None:
        """Return the first two links that touch, or None.

        Args:
            positions: In the description's order, rad or m, shape (n,).
        """
        pin.updateGeometryPlacements(
            self._robot.model, self._data, self._geometry, self._geometry_data,
            self._robot.q_from_positions(positions),
        )  # fmt: skip
        for index, link_a, link_b in self._pairs:
            if pin.computeCollision(self._geometry, self._geometry_data, index):
                return link_a, link_b
        return None
