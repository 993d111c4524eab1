"""A way from one posture to another on which no two links touch.

First straight in joint space, then by way of home, then searched for: two trees of postures grow
towards each other from both ends (Kuffner and LaValle, "RRT-Connect: An Efficient Approach to
Single-Query Path Planning", ICRA 2000), and corners that are not needed are cut afterwards. The
same question always has the same answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from workbench.errors import GraspError
from workbench.grasps.touching import TouchingLinks
from workbench.model.collision import CollisionModel, build_collision_model
from workbench.model.robot import Robot

Vector = NDArray[np.float64]

STEP_RAD = 0.05
STEP_M = 0.02
"""Between two postures that are looked at, of the joint that moves most."""

_STRIDE = 8.0
"""How far a tree grows at once, in steps."""

_MOST_CHECKS = 15_000
_FARTHEST_TURN_RAD = math.pi
"""How far from its start a joint without limits is looked for on the way."""


class FreeMoves:
    """Finds ways for one robot. All methods may be called from any thread."""

    def __init__(self, robot: Robot) -> None:
        """Keep the robot; hulls are made when the first way is asked for."""
        self._robot = robot
        self._collision: CollisionModel | None = None

    def __call__(
        self, start: Mapping[str, float], end: Mapping[str, float], goes_on: Callable[[], bool]
    ) -> tuple[Mapping[str, float], ...]:
        """Return the corners of a way, from start to end, both included.

        Links that touch at the start may go on touching: the robot has to get away from there.

        Args:
            start: Joint positions by name, rad or m.
            end: Joint positions by name.
            goes_on: Asked now and then; False gives up.

        Raises:
            GraspError: If none is found; two links that touch on the straight way are named.
        """
        description = self._robot.description
        names = description.joint_names
        first, last, home = (
            np.array([positions[name] for name in names])
            for positions in (start, end, description.home)
        )
        turning = np.array([joint.kind == "continuous" for joint in description.joints])
        last, home = (_nearest_turn(first, goal, turning) for goal in (last, home))
        corners = [first, last]
        if description.collisions:
            corners = self._search(first, last, home, goes_on)
        return tuple(dict(zip(names, corner.tolist(), strict=True)) for corner in corners)

    def _search(
        self, first: Vector, last: Vector, home: Vector, goes_on: Callable[[], bool]
    ) -> list[Vector]:
        # Two threads that come at once make the same hulls twice; what is written is theirs alone.
        if self._collision is None:
            self._collision = build_collision_model(self._robot)
        touching = TouchingLinks(self._robot, self._collision)
        joints = self._robot.description.joints
        steps = np.array([STEP_RAD if joint.unit == "rad" else STEP_M for joint in joints])
        low = np.array([-math.inf if joint.lower is None else joint.lower for joint in joints])
        high = np.array([math.inf if joint.upper is None else joint.upper for joint in joints])
        low = np.where(np.isfinite(low), low, first - _FARTHEST_TURN_RAD)
        high = np.where(np.isfinite(high), high, first + _FARTHEST_TURN_RAD)
        search = _Search(touching, first, steps, goes_on)
        there = search.obstacle(last, last)
        if there is not None:
            raise GraspError(f"{there[0]} and {there[1]} would touch there")
        straight = search.obstacle(first, last)
        if straight is None:
            return [first, last]
        if search.is_free(first, home) and search.is_free(home, last):
            return [first, home, last]
        way = search.connect(first, last, low, high)
        if way is None:
            raise GraspError(
                f"no way there was found on which no links touch; straight on, {straight[0]} and "
                f"{straight[1]} do", expected="another posture to set out from, such as home",
            )  # fmt: skip
        return search.without_needless_corners(way)


class _Search:
    """One search; positions are in the description's order, rad or m."""

    def __init__(
        self, touching: TouchingLinks, first: Vector, steps: Vector, goes_on: Callable[[], bool]
    ) -> None:
        self._touching = touching
        self._ignored = touching.pairs_at(first)
        self._steps = steps
        self._goes_on = goes_on
        self._checks = 0

    def obstacle(self, start: Vector, end: Vector) -> tuple[str, str] | None:
        """Return two links that touch on the straight way to ``end``, or None."""
        count = max(math.ceil(float(np.max(np.abs(end - start) / self._steps))), 1)
        for number in range(1, count + 1):
            self._checks += 1
            share = number / count
            links = self._touching((1.0 - share) * start + share * end, self._ignored)
            if links is not None:
                return links
        return None

    def is_free(self, start: Vector, end: Vector) -> bool:
        """Tell whether no links touch on the straight way to ``end``."""
        return self.obstacle(start, end) is None

    def connect(
        self, first: Vector, last: Vector, low: Vector, high: Vector
    ) -> list[Vector] | None:
        """Return a way between two postures, or None."""
        random = np.random.default_rng(0)
        from_first, from_last = _Tree(first), _Tree(last)
        one, other = from_first, from_last
        while self._checks < _MOST_CHECKS and self._goes_on():
            grown = self._grow(one, random.uniform(low, high))
            if grown is not None:
                goal = one[grown].copy()
                met = self._grow(other, goal)
                while met is not None and not np.array_equal(other[met], goal):
                    met = self._grow(other, goal)
                if met is not None:
                    ends = (grown, met) if one is from_first else (met, grown)
                    back = from_last.way_to(ends[1])
                    return [*from_first.way_to(ends[0]), *reversed(back[:-1])]
            one, other = other, one
        return None

    def _grow(self, tree: _Tree, goal: Vector) -> int | None:
        """Add a posture one stride towards the goal; None where links touch on the way."""
        nearest = tree.nearest(goal, self._steps)
        start = tree[nearest]
        distance = float(np.max(np.abs(goal - start) / self._steps))
        reached = goal if distance <= _STRIDE else start + (goal - start) * (_STRIDE / distance)
        return tree.add(reached, nearest) if self.is_free(start, reached) else None

    def without_needless_corners(self, way: list[Vector]) -> list[Vector]:
        """Return the way with every corner left out that a straight piece can do without."""
        kept, place = [way[0]], 0
        while place < len(way) - 1:
            farther = range(len(way) - 1, place + 1, -1)
            place = next((to for to in farther if self.is_free(way[place], way[to])), place + 1)
            kept.append(way[place])
        return kept


class _Tree:
    """Postures that can be reached from the first one, each by way of its parent."""

    def __init__(self, root: Vector) -> None:
        self._rows = np.empty((64, len(root)))
        self._rows[0] = root
        self._parents = [-1]

    def __getitem__(self, node: int) -> Vector:
        return self._rows[node]

    def add(self, posture: Vector, parent: int) -> int:
        node = len(self._parents)
        if node == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        self._rows[node] = posture
        self._parents.append(parent)
        return node

    def nearest(self, posture: Vector, steps: Vector) -> int:
        rows = self._rows[: len(self._parents)]
        return int(np.argmin(np.sum(((rows - posture) / steps) ** 2, axis=1)))

    def way_to(self, node: int) -> list[Vector]:
        way = []
        while node >= 0:
            way.append(self._rows[node].copy())
            node = self._parents[node]
        return way[::-1]


def _nearest_turn(start: Vector, goal: Vector, turning: NDArray[np.bool_]) -> Vector:
    """Return the goal with joints that turn without end the shorter way round from the start."""
    difference = goal - start
    short = (difference + np.pi) % (2.0 * np.pi) - np.pi
    return np.where(turning, start + short, goal)
