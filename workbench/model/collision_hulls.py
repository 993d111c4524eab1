"""Convex shapes for collision checking: primitives as they are, meshes as their convex hulls.

Distances between convex shapes are quick to compute and change smoothly with the posture, which
those between triangle meshes are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import coal
import numpy as np
from numpy.typing import NDArray

from workbench.errors import RobotError
from workbench.model.description import Primitive, Shape

FLAT_HALF_THICKNESS_M = 5e-5
"""Added to both sides of a mesh without volume: the hull of a sheet becomes 0.1 mm thick."""

_FLAT_SHARE = 1e-6
"""A mesh is without volume when it is thinner than this share of its size, or than _THIN_M."""

_THIN_M = 1e-6
_LARGEST_COORDINATE_M = 1e4

Points = NDArray[np.float64]


def grouped_by_element(shapes: Iterable[Shape]) -> tuple[tuple[Shape, ...], ...]:
    """Return the shapes of each ``<collision>`` together: a mesh of several colours has several."""
    groups: dict[tuple[str, int], list[Shape]] = {}
    for shape in shapes:
        groups.setdefault((shape.link, shape.element), []).append(shape)
    return tuple(tuple(group) for group in groups.values())


def convex_geometry(shapes: Sequence[Shape]) -> tuple[Any, bool]:
    """Return coal's geometry for one ``<collision>``, in the frame of the shapes' pose.

    Args:
        shapes: Its shapes, at least one.

    Returns:
        The geometry, and whether it had to be given a thickness because it has no volume.

    Raises:
        RobotError: If a mesh has no usable points; its link is named.
    """
    primitive = shapes[0].primitive
    if primitive is not None:
        return _primitive_geometry(primitive), False
    # Vertices that no triangle uses are not part of the surface.
    points = np.concatenate([shape.vertices[np.unique(shape.faces)] for shape in shapes])
    points = np.unique(points, axis=0).astype(np.float64)
    if not len(points) or not np.abs(points).max() <= _LARGEST_COORDINATE_M:
        raise RobotError(
            "a collision mesh has no points within 10 km", field=shapes[0].link,
            expected="coordinates in metres",
        )  # fmt: skip
    solid = thickened(points)
    return _hull(solid, shapes[0].link), solid is not points


def thickened(points: Points) -> Points:
    """Return points whose hull has a volume: the same ones, or both sides of a thin sheet.

    Args:
        points: Points of a mesh, shape (n, 3), n at least 1. They may lie in a plane, on a line or
            in one place.
    """
    centred = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    extents = np.ptp(centred @ axes, axis=0)
    thin = extents <= max(_FLAT_SHARE * extents.max(), _THIN_M)
    for axis in axes.T[thin]:
        offset = FLAT_HALF_THICKNESS_M * axis
        points = np.concatenate((points + offset, points - offset))
    return points


def bounding_sphere(geometry: Any) -> tuple[Points, float]:
    """Return centre, shape (3,), and radius in m of a sphere around a geometry of coal."""
    geometry.computeLocalAABB()
    return np.array(geometry.aabb_center), float(geometry.aabb_radius)


def _primitive_geometry(primitive: Primitive) -> Any:
    if primitive.kind == "box":
        return coal.Box(*primitive.sizes)
    if primitive.kind == "sphere":
        return coal.Sphere(*primitive.sizes)
    if primitive.kind == "cylinder":
        return coal.Cylinder(*primitive.sizes)
    return coal.Capsule(*primitive.sizes)


def _hull(points: Points, link: str) -> Any:
    listed = coal.StdVec_Vec3s()
    for point in points:
        listed.append(point)
    try:
        # Qt: triangles only, as coal needs them to walk along the surface.
        return coal.Convex.convexHull(listed, False, "Qt")
    except (RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else "no reason given"
        raise RobotError(
            f"the hull of a collision mesh cannot be made: {reason}", field=link
        ) from error
