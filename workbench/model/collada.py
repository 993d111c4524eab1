"""COLLADA (.dae) meshes, read through pycollada.

``<unit>`` is applied. ``<up_axis>`` is not, as in RViz: many tools write ``Y_UP`` into files that
were modelled with z up. Robots whose files mean it are read with ``mesh_up_axis="y"``.

Format: COLLADA 1.4.1 specification, Khronos Group, 2008.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

import collada
import numpy as np
from collada.material import OPAQUE_MODE, Effect, Map
from collada.polylist import Polylist
from collada.triangleset import TriangleSet
from numpy.typing import NDArray

from workbench.model.mesh_part import (
    MeshPart,
    Rgba,
    average_colour,
    believable_opacity,
    clipped_rgba,
    neighbouring_file,
)
from workbench.model.triangles import transformed

UpAxis = Literal["z", "y"]

_Z_UP_FROM_Y_UP = np.array(
    [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
)


def read_collada(path: Path, data: bytes, mesh_up_axis: UpAxis = "z") -> tuple[MeshPart, ...]:
    """Return the triangles of the file's scene, one part for each colour.

    A file without a scene is drawn with every geometry that it holds. What pycollada cannot read
    of a file (an unknown primitive, a broken reference) is left out.

    Args:
        path: The file, for the textures that it names.
        data: Its contents.
        mesh_up_axis: ``y`` turns a file that says ``Y_UP`` so that z is up.

    Raises:
        ValueError: If the file declares entities.
        collada.DaeError: If it is not COLLADA. pycollada lets other exceptions through as well.
    """
    if b"<!ENTITY" in data:
        raise ValueError("declares XML entities")
    # pycollada takes comments for elements when lxml is installed.
    data = re.sub(rb"<!--.*?-->", b"", data, flags=re.DOTALL)
    document = collada.Collada(BytesIO(data), ignore=[collada.DaeError])
    matrix = np.eye(4)
    asset = document.assetInfo
    if mesh_up_axis == "y" and asset is not None and asset.upaxis == collada.asset.UP_AXIS.Y_UP:
        matrix = _Z_UP_FROM_Y_UP.copy()
    metres = 1.0 if asset is None or asset.unitmeter is None else float(asset.unitmeter)
    if not (np.isfinite(metres) and metres > 0.0):
        raise ValueError(f"has a unit of {metres} m")
    matrix[:3, :3] *= metres

    colours = _Colours(path)
    vertices_of: dict[Rgba | None, list[Any]] = {}
    faces_of: dict[Rgba | None, list[Any]] = {}
    for placed in _placed_geometries(document):
        for primitive in placed.geometry.primitives:
            triangles = _triangles(primitive)
            if triangles is None:
                continue
            vertices, faces = transformed(*triangles, matrix @ placed.matrix)
            colour = colours.of(placed.materials.get(primitive.material))
            blocks = vertices_of.setdefault(colour, [])
            offset = sum(len(block) for block in blocks)
            blocks.append(vertices)
            faces_of.setdefault(colour, []).append(faces + np.uint32(offset))
    return tuple(
        MeshPart(np.concatenate(blocks), np.concatenate(faces_of[colour]), colour)
        for colour, blocks in vertices_of.items()
    )


@dataclass(frozen=True)
class _PlacedGeometry:
    """A geometry, its place in the scene, and what its materials' symbols stand for there.

    pycollada's own binding of the three is not used: it goes through ``numpy.matrix``, which
    numpy is about to drop, and transforms normals that nobody needs.
    """

    geometry: Any
    matrix: NDArray[np.float64]
    materials: Mapping[str, Any]


def _placed_geometries(document: Any) -> Iterator[_PlacedGeometry]:
    scene = document.scene
    if scene is None and len(document.scenes):
        scene = document.scenes[0]
    found = False
    for kind in ("geometry", "controller"):
        for bound in () if scene is None else scene.objects(kind):
            # A skin at rest is its geometry, moved by the bind shape matrix.
            skin = getattr(bound, "skin", None)
            geometry = bound.original if skin is None else skin.geometry
            bind_shape = np.eye(4) if skin is None else skin.bind_shape_matrix
            found = True
            yield _PlacedGeometry(
                geometry,
                np.asarray(bound.matrix, dtype=np.float64) @ bind_shape,
                {symbol: node.target for symbol, node in bound.materialnodebysymbol.items()},
            )
    if not found:
        for geometry in document.geometries:
            yield _PlacedGeometry(geometry, np.eye(4), {})


def _triangles(primitive: Any) -> tuple[Any, Any] | None:
    """Return vertices and faces of a primitive, None for lines and empty ones."""
    if isinstance(primitive, Polylist):
        primitive = primitive.triangleset()
    if not isinstance(primitive, TriangleSet):
        return None
    if primitive.vertex is None or primitive.vertex_index is None:
        return None
    faces = np.asarray(primitive.vertex_index, dtype=np.uint32).reshape(-1, 3)
    return (primitive.vertex, faces) if len(faces) else None


class _Colours:
    """Colours of materials, each worked out once a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[int, Rgba | None] = {}

    def of(self, material: Any) -> Rgba | None:
        """Return the diffuse colour of a material, None where there is none."""
        effect = getattr(material, "effect", None)
        if not isinstance(effect, Effect):
            return None
        if id(effect) not in self._known:
            self._known[id(effect)] = self._of_effect(effect)
        return self._known[id(effect)]

    def _of_effect(self, effect: Any) -> Rgba | None:
        diffuse = effect.diffuse
        if isinstance(diffuse, Map):
            image = diffuse.sampler.surface.image.path
            return average_colour(neighbouring_file(self._path, image))
        if diffuse is None:
            return None
        red, green, blue = (float(number) for number in diffuse[:3])
        return clipped_rgba(red, green, blue, believable_opacity(_opacity(effect)))


def _opacity(effect: Any) -> float:
    """Return the opacity as the COLLADA specification defines it for the two usual modes."""
    transparent, transparency = effect.transparent, effect.transparency
    if transparent is None or isinstance(transparent, Map):
        return 1.0
    factor = 1.0 if transparency is None or isinstance(transparency, Map) else float(transparency)
    if effect.opaque_mode == OPAQUE_MODE.RGB_ZERO:
        red, green, blue = (float(number) for number in transparent[:3])
        return 1.0 - factor * (0.212671 * red + 0.715160 * green + 0.072169 * blue)
    return factor * (float(transparent[3]) if len(transparent) > 3 else 1.0)
