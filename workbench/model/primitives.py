"""Meshes of URDF's primitive shapes, centred at their origin, their axis along z."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.model.triangles import Faces, Vertices, smoothed

_SEGMENTS = 32
_ARCS = 8


def box(size: ArrayLike) -> tuple[Vertices, Faces]:
    """Return a box of the given side lengths in m, shape (3,)."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = np.array(
        [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    )
    faces = np.concatenate((quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]))
    return smoothed(corners * np.asarray(size), faces)


def sphere(radius: float) -> tuple[Vertices, Faces]:
    """Return a sphere; the radius is in m."""
    return _revolved(_arc(radius, 0.0, -0.5 * np.pi, 0.5 * np.pi, 2 * _ARCS))


def cylinder(radius: float, length: float) -> tuple[Vertices, Faces]:
    """Return a closed cylinder; lengths are in m."""
    half = 0.5 * length
    return _revolved([(0.0, -half), (radius, -half), (radius, half), (0.0, half)])


def capsule(radius: float, length: float) -> tuple[Vertices, Faces]:
    """Return a capsule whose straight part has the given length; its ends add a radius each."""
    half = 0.5 * length
    return _revolved(
        [
            *_arc(radius, -half, -0.5 * np.pi, 0.0, _ARCS),
            *_arc(radius, half, 0.0, 0.5 * np.pi, _ARCS),
        ]
    )


def _arc(
    radius: float, height: float, start: float, end: float, count: int
) -> list[tuple[float, float]]:
    angles = np.linspace(start, end, count + 1)
    return [(radius * np.cos(a), height + radius * np.sin(a)) for a in angles]


def _revolved(profile: Sequence[tuple[float, float]]) -> tuple[Vertices, Faces]:
    """Turn a profile of (radius, height), from bottom to top, about z."""
    outline: NDArray[np.float64] = np.array(profile)
    # cos(pi / 2) is not quite zero; the poles must fall together to be welded.
    outline[np.abs(outline) < 1e-12 * np.abs(outline).max()] = 0.0
    angles = np.linspace(0.0, 2.0 * np.pi, _SEGMENTS, endpoint=False)
    rings = np.stack(
        [
            outline[:, :1] * np.cos(angles),
            outline[:, :1] * np.sin(angles),
            np.broadcast_to(outline[:, 1:], (len(outline), _SEGMENTS)),
        ],
        axis=-1,
    )
    index = np.arange(len(outline) * _SEGMENTS).reshape(len(outline), _SEGMENTS)
    here, up = index[:-1], index[1:]
    here_next, up_next = np.roll(here, -1, axis=1), np.roll(up, -1, axis=1)
    faces = np.concatenate(
        [np.stack((here, here_next, up_next), axis=-1), np.stack((here, up_next, up), axis=-1)]
    )
    return smoothed(rings.reshape(-1, 3), faces.reshape(-1, 3))
