"""What every mesh reader returns, and what they need around the mesh file itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from workbench.model.triangles import Faces, Vertices

Rgba = tuple[float, float, float, float]

_PIXEL_LIMIT = 64_000_000
_OPACITY_MISTAKEN_BELOW = 0.05
_BOMBS = (Image.DecompressionBombError, Image.DecompressionBombWarning)


@dataclass(frozen=True, eq=False)
class MeshPart:
    """The faces of a mesh file that have one material.

    Attributes:
        vertices: Positions in metres, shape (n, 3) float32.
        faces: Triangles, counter-clockwise seen from outside, shape (m, 3) uint32.
        rgba: The file's own colour, four numbers in [0, 1]; None where it has none.
        vertex_colors: One RGB colour a vertex, shape (n, 3) uint8, or None.
    """

    vertices: Vertices
    faces: Faces
    rgba: Rgba | None = None
    vertex_colors: NDArray[np.uint8] | None = None


def parsed_numbers(text: bytes) -> NDArray[np.float64]:
    """Return the numbers of a text, separated by white space.

    Raises:
        ValueError: If there is something else in between.
    """
    # fromstring needs a tenth of the memory of split(). numpy raises ValueError for other text
    # since 2.3; earlier it returned what came before, which the caller's count then exposes.
    try:
        return np.fromstring(text, dtype=np.float64, sep=" ")
    except DeprecationWarning as warning:
        raise ValueError(str(warning)) from None


def neighbouring_file(mesh_path: Path, reference: str) -> Path | None:
    """Return a file that a mesh names (a texture, a material library), or None.

    Only files below the mesh's folder or the folder above it count: a mesh must not make the
    workbench open just any file of the machine.
    """
    reference = reference.strip().removeprefix("file://").replace("\\", "/")
    try:
        candidate = (mesh_path.parent / reference).resolve()
        is_near = candidate.is_relative_to(mesh_path.parent.parent.resolve())
        return candidate if is_near and candidate.is_file() else None
    except (OSError, ValueError):
        return None


def average_colour(image_path: Path | None) -> Rgba | None:
    """Return the mean colour of a texture, or None where it cannot be read.

    Textures themselves are not drawn: a robot is told apart by shape and colour.
    """
    if image_path is None:
        return None
    try:
        with Image.open(image_path) as image:
            return mean_of_image(image)
    except (OSError, ValueError, SyntaxError, *_BOMBS):
        # Pillow raises SyntaxError for a broken PNG.
        return None


def mean_of_image(image: Image.Image) -> Rgba | None:
    """Return the mean colour of an image that may not have been decoded yet."""
    if image.width * image.height > _PIXEL_LIMIT:
        return None
    pixel = image.convert("RGBA").resize((1, 1), Image.Resampling.BOX).getpixel((0, 0))
    if not isinstance(pixel, tuple):
        return None
    red, green, blue, alpha = (channel / 255.0 for channel in pixel)
    return red, green, blue, believable_opacity(alpha)


def believable_opacity(alpha: float) -> float:
    """Return the opacity, or 1 for a part that would be invisible.

    Exporters disagree about whether 0 or 1 is opaque, and nobody ships a part that is not there.
    """
    return alpha if _OPACITY_MISTAKEN_BELOW < alpha < 1.0 else 1.0


def clipped_rgba(red: float, green: float, blue: float, alpha: float = 1.0) -> Rgba:
    """Return a colour with every number finite and in [0, 1].

    Raises:
        ValueError: If a number is not finite.
    """
    colour = np.array([red, green, blue, alpha], dtype=np.float64)
    if not np.isfinite(colour).all():
        raise ValueError("a colour has finite numbers only")
    red, green, blue, alpha = (float(number) for number in np.clip(colour, 0.0, 1.0))
    return red, green, blue, alpha
