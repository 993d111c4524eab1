"""Whether the links of a robot touch each other at some posture, by its collision shapes."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from workbench.grasps.link_surfaces import LinkSurfaces
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
        self._surfaces = LinkSurfaces(robot, collision)
        self._pairs = [
            (index, pair.link_a, pair.link_b)
            for pair in collision.selection(0.0).kept
            for index in pair.shape_pairs
        ]

    def __call__(
        self, positions: NDArray[np.float64], ignored: Collection[tuple[str, str]] = ()
    ) -> tuple[str, str] | None:
        """Return the first two links that touch, or None.

        Args:
            positions: In the description's order, rad or m, shape (n,).
            ignored: Pairs of links, as this returns them, that may touch.
        """
        return next((links for links in self._touching_at(positions) if links not in ignored), None)

    def pairs_at(self, positions: NDArray[np.float64]) -> frozenset[tuple[str, str]]:
        """Return all pairs of links that touch at positions as for a call."""
        return frozenset(self._touching_at(positions))

    def _touching_at(self, positions: NDArray[np.float64]) -> Iterator[tuple[str, str]]:
        pin.updateGeometryPlacements(
            self._robot.model, self._data, self._geometry, self._geometry_data,
            self._robot.q_from_positions(positions),
        )  # fmt: skip
        for index, link_a, link_b in self._pairs:
            # Most often not even the hulls touch, which is soon known.
            if pin.computeCollision(self._geometry, self._geometry_data, index):
                shapes = self._geometry.collisionPairs[index]
                if self._surfaces.meet(shapes.first, shapes.second, self._geometry_data):
                    yield link_a, link_b
