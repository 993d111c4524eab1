"""The collision meshes themselves: hulls fill what is hollow or bent, and touch too early.

A UR5's upper arm, say, is bent around the base: in six of ten postures in which the hulls of its
links touch, its links do not.
"""

from __future__ import annotations

import coal
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from workbench.model.collision import CollisionModel
from workbench.model.collision_hulls import grouped_by_element
from workbench.model.description import Shape
from workbench.model.robot import Robot

Points = NDArray[np.float64]

_INSIDE = 0.5
"""Winding number from which on a point is inside a surface: 1 there, 0 outside if it is closed."""


class LinkSurfaces:
    """Tells whether two collision shapes whose hulls touch do so themselves.

    Used by one thread at a time. A mesh is prepared when it is first asked about.
    """

    def __init__(self, robot: Robot, collision: CollisionModel) -> None:
        """Prepare nothing yet.

        Args:
            robot: The robot.
            collision: Its hulls, one a ``<collision>``, in the same order.
        """
        self._groups = grouped_by_element(robot.description.collisions)
        self._objects = collision.geometry.geometryObjects
        self._prepared: dict[int, tuple[coal.CollisionGeometry, Points | None]] = {}

    def meet(self, first: int, second: int, placements: pin.GeometryData) -> bool:
        """Return whether two shapes touch, or one of them is inside the other.

        Args:
            first: Index of the geometry object.
            second: Index of the other one.
            placements: Where all geometry objects are.
        """
        one, other = placements.oMg[first], placements.oMg[second]
        (shape, triangles), (other_shape, other_triangles) = self._get(first), self._get(second)
        crossing = coal.collide(
            shape, coal.Transform3s(one.rotation, one.translation),
            other_shape, coal.Transform3s(other.rotation, other.translation),
            coal.CollisionRequest(), coal.CollisionResult(),
        )  # fmt: skip
        if crossing:
            return True
        # Surfaces that do not cross may lie one within the other.
        return _is_within(triangles, one, other_triangles, other) or _is_within(
            other_triangles, other, triangles, one
        )

    def _get(self, index: int) -> tuple[coal.CollisionGeometry, Points | None]:
        """Return a shape, and its triangles, shape (n, 3, 3); those of a primitive are None."""
        if index not in self._prepared:
            group = self._groups[index]
            if group[0].primitive is not None:
                self._prepared[index] = self._objects[index].geometry, None
            else:
                triangles = _triangles(group)
                self._prepared[index] = _tree(triangles), triangles
        return self._prepared[index]


def _triangles(group: tuple[Shape, ...]) -> Points:
    return np.concatenate([shape.vertices[shape.faces] for shape in group]).astype(np.float64)


def _tree(triangles: Points) -> coal.BVHModelOBBRSS:
    tree = coal.BVHModelOBBRSS()
    tree.beginModel(len(triangles), 3 * len(triangles))
    for corners in triangles:
        tree.addTriangle(*corners)
    tree.endModel()
    return tree


def _is_within(
    inner: Points | None, inner_to_world: pin.SE3, outer: Points | None, outer_to_world: pin.SE3
) -> bool:
    """Return whether a surface that crosses another one's nowhere lies inside of it.

    Args:
        inner: Its triangles; None for a primitive.
        inner_to_world: Where it is.
        outer: Triangles of the other one; a primitive is solid, and crosses what is in it.
        outer_to_world: Where that one is.
    """
    if outer is None:
        return False
    point = np.zeros(3) if inner is None else inner[0, 0]
    return winding_number(outer, outer_to_world.actInv(inner_to_world.act(point))) > _INSIDE


def winding_number(triangles: Points, point: Points) -> float:
    """Return how often a surface goes around a point: the solid angle that it fills, by 4 pi.

    The angle of a triangle after A. van Oosterom and J. Strackee, "The Solid Angle of a Plane
    Triangle", IEEE Transactions on Biomedical Engineering, 1983.

    Args:
        triangles: Corners, counter-clockwise seen from outside, shape (n, 3, 3).
        point: Shape (3,).
    """
    a, b, c = np.moveaxis(triangles - point, 1, 0)
    length_a, length_b, length_c = (np.linalg.norm(corner, axis=1) for corner in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    divisor = (
        length_a * length_b * length_c
        + np.einsum("ij,ij->i", a, b) * length_c
        + np.einsum("ij,ij->i", b, c) * length_a
        + np.einsum("ij,ij->i", c, a) * length_b
    )
    return float(np.arctan2(volume, divisor).sum() / (2.0 * np.pi))
