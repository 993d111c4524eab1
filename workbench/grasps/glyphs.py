"""Grippers as a few lines each: thousands of grasps in one array that a page can draw at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Segments = NDArray[np.float32]

SEGMENTS_PER_GLYPH = 4
"""Stem, crossbar and two fingers."""


@dataclass(frozen=True)
class GlyphShape:
    """A two-finger gripper as lines, in its own frame.

    Attributes:
        palm_m: Distance of the crossbar from the frame's origin along z, the approach.
        tip_m: Distance of the fingertips from the origin along z.
        half_opening_m: Distance of a finger from the z axis, where a grasp gives none of its own.
        closing_axis: Unit vector in the frame's x-y plane along which the fingers close.
    """

    palm_m: float = 0.0584
    tip_m: float = 0.1034
    half_opening_m: float = 0.04
    closing_axis: tuple[float, float] = (0.0, 1.0)


def glyph_segments(
    positions: ArrayLike,
    wxyz: ArrayLike,
    shape: GlyphShape,
    half_openings_m: ArrayLike | None = None,
) -> Segments:
    """Return the lines of all glyphs.

    Args:
        positions: Origin of each gripper frame in the object frame, in m, shape (n, 3).
        wxyz: Its orientation as unit quaternion w, x, y, z, shape (n, 4).
        shape: What the gripper looks like.
        half_openings_m: Distance of the fingers from the z axis, grasp by grasp, in m, shape (n,).

    Returns:
        Start and end of each segment in the object frame, in m, glyph after glyph, shape
        (n * SEGMENTS_PER_GLYPH, 2, 3) float32.
    """
    origins = np.asarray(positions, dtype=np.float64).reshape(-1, 3)
    count = len(origins)
    opening = np.asarray(
        shape.half_opening_m if half_openings_m is None else half_openings_m, dtype=np.float64
    )
    x_axis, y_axis, z_axis = _axes(np.asarray(wxyz, dtype=np.float64).reshape(-1, 4))
    closing = shape.closing_axis[0] * x_axis + shape.closing_axis[1] * y_axis
    sideways = np.broadcast_to(opening, (count,))[:, None] * closing
    palm = origins + shape.palm_m * z_axis
    tip = origins + shape.tip_m * z_axis
    ends = (
        (origins, palm),
        (palm - sideways, palm + sideways),
        (palm - sideways, tip - sideways),
        (palm + sideways, tip + sideways),
    )
    lines = np.empty((count, SEGMENTS_PER_GLYPH, 2, 3), dtype=np.float32)
    for number, (start, end) in enumerate(ends):
        lines[:, number, 0] = start
        lines[:, number, 1] = end
    return lines.reshape(-1, 2, 3)


def glyph_colours(rgb: ArrayLike) -> NDArray[np.uint8]:
    """Return one colour a glyph as colours of its segments' ends.

    Args:
        rgb: Red, green and blue in 0 to 255, shape (n, 3).

    Returns:
        Shape (n * SEGMENTS_PER_GLYPH, 2, 3).
    """
    colours = np.asarray(rgb, dtype=np.uint8).reshape(-1, 3)
    repeated = np.repeat(colours, SEGMENTS_PER_GLYPH, axis=0)
    return np.repeat(repeated[:, None, :], 2, axis=1)


def glyph_nearest_to_ray(
    segments: Segments, origin: ArrayLike, direction: ArrayLike, farthest_m: float = 0.02
) -> int | None:
    """Return the index of the glyph that a click most likely meant, or None.

    Of the glyphs with a line within reach of the ray it is the one that is nearest to it; between
    lines that the ray meets about equally well, the one nearest to the eye.

    Args:
        segments: From :func:`glyph_segments`, in the same frame as the ray.
        origin: Where the ray starts, in m, shape (3,).
        direction: Its direction, of any length but zero, shape (3,).
        farthest_m: Distance from the ray, in m, beyond which nothing was meant.
    """
    lines = np.asarray(segments, dtype=np.float64)
    if not len(lines):
        return None
    ray = np.asarray(direction, dtype=np.float64)
    ray = ray / np.linalg.norm(ray)
    starts = lines[:, 0] - np.asarray(origin, dtype=np.float64)
    along = lines[:, 1] - lines[:, 0]
    # The point of each segment nearest to the ray's line: least squares of the part of
    # start + s * along that is perpendicular to the ray, with s kept within the segment.
    start_across = starts - (starts @ ray)[:, None] * ray
    along_across = along - (along @ ray)[:, None] * ray
    squares = np.einsum("ij,ij->i", along_across, along_across)
    projection = -np.einsum("ij,ij->i", start_across, along_across)
    share = np.clip(projection / np.where(squares > 0.0, squares, 1.0), 0.0, 1.0)
    distances = np.linalg.norm(start_across + share[:, None] * along_across, axis=1)
    depths = (starts + share[:, None] * along) @ ray
    is_hit = (depths > 0.0) & (distances <= farthest_m)
    if not is_hit.any():
        return None
    closest = distances[is_hit].min()
    is_as_good = is_hit & (distances <= closest + 0.1 * farthest_m)
    best = int(np.argmin(np.where(is_as_good, depths, np.inf)))
    return best // SEGMENTS_PER_GLYPH


def _axes(wxyz: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Return the columns of the rotation matrices, each of shape (n, 3)."""
    w, x, y, z = wxyz.T
    return (
        np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], axis=1),
        np.stack([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)], axis=1),
        np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1),
    )
