"""How large a robot and its meshes are, in numbers for cameras and in words for mistakes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from workbench.model.description import Remark, Shape
from workbench.model.urdf import Urdf
from workbench.poses import Pose

_LARGE_LINK_M = 5.0
_LARGE_LINK_REACHES = 20.0
_SMALLEST_REACH_M = 0.02
_SMALLEST_ROBOT_M = 0.05


def oversized_links(urdf: Urdf, shapes: Iterable[Shape]) -> dict[str, float]:
    """Return the size in m of each link whose meshes are absurdly large for this robot.

    That is: more than 5 m, or more than 20 times the robot's kinematic length. The usual cause is
    an STL in millimetres without a scale.
    """
    bound = min(_LARGE_LINK_M, _LARGE_LINK_REACHES * max(urdf.reach_m, _SMALLEST_REACH_M))
    # A robot that is itself as large as a building may have large links.
    bound = max(bound, urdf.reach_m)
    sizes: dict[str, float] = {}
    for shape in shapes:
        size = float(np.ptp(_corners(shape), axis=0).max())
        if size > bound:
            sizes[shape.link] = max(size, sizes.get(shape.link, 0.0))
    return sizes


def oversize_remark(sizes: Mapping[str, float]) -> Remark:
    """Return what to tell about links that are absurdly large."""
    links = ", ".join(f"{link} ({size:.3g} m)" for link, size in list(sizes.items())[:6])
    more = f" and {len(sizes) - 6} more" if len(sizes) > 6 else ""
    return Remark(
        "mesh_too_large",
        f"The meshes of {links}{more} are far larger than the robot: most likely they are in "
        'millimetres; scale="0.001 0.001 0.001" in the URDF\'s <mesh> would make metres of them.',
        "warning",
        next(iter(sizes)),
    )


def size_m(
    link_poses_in_world: Mapping[str, Pose], shapes: Iterable[Shape], ignored: Iterable[str] = ()
) -> float:
    """Return the longest side in m of the box around the robot.

    Args:
        link_poses_in_world: Pose of every link, by name.
        shapes: What hangs on the links.
        ignored: Links whose shapes do not count.
    """
    left_out = set(ignored)
    points = [pose.translation[None, :] for pose in link_poses_in_world.values()]
    points += [
        link_poses_in_world[shape.link].act(_corners(shape))
        for shape in shapes
        if shape.link not in left_out
    ]
    return max(float(np.ptp(np.concatenate(points), axis=0).max()), _SMALLEST_ROBOT_M)


def _corners(shape: Shape) -> NDArray[np.float64]:
    """Return the corners of the box around a shape, in its link's frame, shape (8, 3)."""
    if len(shape.vertices) == 0:
        return shape.pose.translation[None, :]
    low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
    x, y, z = np.meshgrid(*zip(low, high, strict=True), indexing="ij")
    return shape.pose.act(np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1))
