"""Finds the pairs of hulls that are nearest each other, without computing every distance.

Each pair has a lower bound of its distance: that of the spheres around its hulls, and the last
distance that was computed less the way that both hulls have gone since. Distances are computed in
the order of their bounds until no bound is below the distances that were found. The result is that
of computing them all.
"""

from __future__ import annotations

from heapq import heappush, heappushpop
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from workbench.model.collision import CollisionModel
from workbench.model.collision_pairs import ClosestPair, PairSelection

Vector = NDArray[np.float64]

_ROUNDING_M = 1e-6
"""More than a computed distance is wrong by."""


class Proximity(NamedTuple):
    """Two hulls and how far they are apart.

    Attributes:
        pair: Index of the pair in the collision model's geometry.
        joint_a: Index of the joint that carries the first hull; 0 is the world.
        joint_b: Index of the joint that carries the second hull.
        distance_m: Distance; negative is the depth of an overlap.
        normal: Direction, in the world, in which the second hull leaves the first, shape (3,).
        point_a: Nearest point of the first hull in the world, m, shape (3,).
        point_b: Nearest point of the second hull in the world, m, shape (3,).
    """

    pair: int
    joint_a: int
    joint_b: int
    distance_m: float
    normal: Vector
    point_a: Vector
    point_b: Vector


class NearestPairs:
    """Watches the kept pairs of one robot. Used by one thread at a time."""

    def __init__(
        self, model: pin.Model, collision: CollisionModel, selection: PairSelection
    ) -> None:
        """Start without knowing any distance.

        Args:
            model: The robot's model.
            collision: Its hulls.
            selection: The pairs to watch.
        """
        self._model = model
        self._geometry = collision.geometry
        self._data = collision.create_data()
        self._links = collision.links
        self._pairs = selection.shape_pairs
        ends = [collision.geometry.collisionPairs[int(index)] for index in self._pairs]
        self._first = np.array([pair.first for pair in ends], dtype=np.int64)
        self._second = np.array([pair.second for pair in ends], dtype=np.int64)
        objects = collision.geometry.geometryObjects
        self._joints_of_shapes = [shape.parentJoint for shape in objects]
        self._joints, self._rows = np.unique(self._joints_of_shapes, return_inverse=True)
        self._centres, self._radii = collision.centres, collision.radii
        self._reach = self._radii[self._first] + self._radii[self._second]
        # How far each hull has gone so far, and what was known of each pair at which ways.
        self._way = np.zeros(len(objects))
        self._known = np.full(len(self._pairs), -np.inf)
        self._way_then = np.zeros(len(self._pairs))
        self._last: tuple[Vector, Vector] | None = None
        self.computed = 0

    @property
    def pair_count(self) -> int:
        """How many pairs of hulls are watched."""
        return len(self._pairs)

    def nearest(self, data: pin.Data, count: int) -> tuple[Proximity, ...]:
        """Return the nearest pairs, nearest first.

        Args:
            data: Data of the model after forward kinematics (``data.oMi``).
            count: How many; all when there are fewer.
        """
        count = min(count, len(self._pairs))
        self.computed = 0
        if count == 0:
            return ()
        pin.updateGeometryPlacements(self._model, data, self._geometry, self._data)
        bounds, ways = self._lower_bounds(data)
        found: list[tuple[float, int]] = []  # a heap, the farthest first
        for place in np.argsort(bounds).tolist():
            if len(found) == count and bounds[place] > -found[0][0]:
                break
            result = pin.computeDistance(self._geometry, self._data, int(self._pairs[place]))
            distance = result.min_distance
            self.computed += 1
            self._known[place] = distance - _ROUNDING_M
            self._way_then[place] = ways[place]
            if len(found) < count:
                heappush(found, (-distance, place))
            else:
                heappushpop(found, (-distance, place))
        return tuple(self._proximity(place) for _, place in sorted(found, reverse=True))

    def closest_pair(self, data: pin.Data) -> ClosestPair | None:
        """Return the pair of links nearest each other; None when no pair is watched."""
        found = self.nearest(data, 1)
        return self.described(found[0]) if found else None

    def described(self, proximity: Proximity) -> ClosestPair:
        """Return a pair by its links' names, for the page."""
        pair = self._geometry.collisionPairs[proximity.pair]
        return ClosestPair(
            self._links[pair.first], self._links[pair.second], proximity.distance_m,
            proximity.point_a, proximity.point_b,
        )  # fmt: skip

    def _lower_bounds(self, data: pin.Data) -> tuple[Vector, Vector]:
        """Return a lower bound of each pair's distance, and the sum of its hulls' ways so far."""
        placements = [data.oMi[int(joint)] for joint in self._joints]
        rotations = np.array([placement.rotation for placement in placements])
        origins = np.array([placement.translation for placement in placements])
        centres = origins[self._rows] + np.einsum(
            "kij,kj->ki", rotations[self._rows], self._centres
        )
        if self._last is not None:
            moved = np.linalg.norm(centres - self._last[0], axis=1)
            # No point of a sphere of radius r goes farther about its centre than r times the
            # spectral norm of the difference of both rotations: its Frobenius norm over sqrt(2).
            turned = np.linalg.norm(rotations - self._last[1], axis=(1, 2)) / np.sqrt(2.0)
            self._way += moved + turned[self._rows] * self._radii
        self._last = centres, rotations
        if not np.isfinite(self._way).all():  # a floating base that came from beyond all numbers
            self._way[:] = 0.0
            self._known[:] = -np.inf
        ways = self._way[self._first] + self._way[self._second]
        apart = np.linalg.norm(centres[self._first] - centres[self._second], axis=1)
        return np.maximum(self._known - (ways - self._way_then), apart - self._reach), ways

    def _proximity(self, place: int) -> Proximity:
        index = int(self._pairs[place])
        result = self._data.distanceResults[index]
        return Proximity(
            pair=index,
            joint_a=self._joints_of_shapes[self._first[place]],
            joint_b=self._joints_of_shapes[self._second[place]],
            distance_m=result.min_distance,
            normal=np.array(result.normal),
            point_a=np.array(result.getNearestPoint1()),
            point_b=np.array(result.getNearestPoint2()),
        )
