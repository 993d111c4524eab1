"""Reads mesh files: STL and OBJ by numpy, COLLADA through pycollada, the rest through trimesh.

A mesh leaves this module ready to draw: welded, split at creases, not larger than a browser likes,
one part for each colour. A file used by several links is read once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from struct import error as StructError
from typing import Any
from xml.etree.ElementTree import ParseError

import collada
import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.errors import RobotError
from workbench.model.collada import UpAxis, read_collada
from workbench.model.mesh_part import (
    MeshPart,
    Rgba,
    clipped_rgba,
    mean_of_image,
    parsed_numbers,
)
from workbench.model.triangles import smoothed, thinned, transformed
from workbench.model.wavefront import read_wavefront

FACE_LIMIT = 120_000
"""Faces of one mesh file that are drawn; a finer mesh is thinned out."""

BYTE_LIMIT = 1_000_000_000
"""Size of a mesh file beyond which it is not read at all."""

_STL_HEADER_BYTES = 84
_STL_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_READ_BY_TRIMESH = (".ply", ".glb", ".gltf", ".off", ".3mf")

# What the readers raise for bytes that are not what they seem. pycollada and trimesh promise no
# kind of their own: a missing element shows as AttributeError, a cut-off file as IndexError.
_TEXTURE_OF_PLY = re.compile(rb"(?<=\n)comment[ \t]+TextureFile[^\n]*\n", re.IGNORECASE)

_READING_FAILS_WITH = (
    collada.DaeError,
    NameError,  # trimesh, of a GLB whose accessor has no data
    ParseError,
    StructError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True, eq=False)
class Mesh:
    """What of a mesh file is drawn.

    Attributes:
        parts: The faces, by colour.
        faces_in_file: How many faces the file holds; more than are drawn when it was thinned.
    """

    parts: tuple[MeshPart, ...]
    faces_in_file: int

    @property
    def face_count(self) -> int:
        """Faces that are drawn."""
        return sum(len(part.faces) for part in self.parts)


class MeshFiles:
    """Reads mesh files once each; of use for one load of one robot.

    A failure is remembered as well, so that a broken file is not tried again for each link.
    """

    def __init__(self, mesh_up_axis: UpAxis = "z", face_limit: int = FACE_LIMIT) -> None:
        """Start empty.

        Args:
            mesh_up_axis: ``y`` turns COLLADA files that say ``Y_UP``, see
                :mod:`workbench.model.collada`.
            face_limit: Faces of one file that are drawn at most.
        """
        self._mesh_up_axis: UpAxis = mesh_up_axis
        self.face_limit = face_limit
        self._read: dict[Path, Mesh | RobotError] = {}
        self._scaled: dict[tuple[Path, tuple[float, ...]], Mesh] = {}

    def load(self, path: Path, scale: tuple[float, ...] = (1.0, 1.0, 1.0)) -> Mesh:
        """Return the mesh, scaled along its file's axes; negative factors mirror it.

        Raises:
            RobotError: If the file cannot be read as a mesh.
        """
        key = (path, scale)
        if key not in self._scaled:
            self._scaled[key] = _scaled(self._as_in_file(path), scale)
        return self._scaled[key]

    def _as_in_file(self, path: Path) -> Mesh:
        if path not in self._read:
            try:
                self._read[path] = read_mesh(path, self._mesh_up_axis, self.face_limit)
            except RobotError as error:
                self._read[path] = error
        mesh = self._read[path]
        if isinstance(mesh, RobotError):
            raise mesh
        return mesh


def read_mesh(path: Path, mesh_up_axis: UpAxis = "z", face_limit: int = FACE_LIMIT) -> Mesh:
    """Read a mesh file.

    Raises:
        RobotError: If the file is too large, of an unknown kind, broken or without faces.
    """
    suffix = path.suffix.lower()
    try:
        size = path.stat().st_size
        if size > BYTE_LIMIT:
            raise ValueError(f"is too large to draw: {size / 1e6:.0f} MB")
        data = path.read_bytes()
        if suffix == ".stl":
            parts = (_read_stl(data),)
        elif suffix == ".obj":
            parts = read_wavefront(path, data)
        elif suffix == ".dae":
            parts = read_collada(path, data, mesh_up_axis)
        elif suffix in _READ_BY_TRIMESH:
            parts = _read_by_trimesh(data, suffix.removeprefix("."))
        else:
            raise ValueError(f"is of a kind that is not drawn: {suffix or 'no suffix'}")
        return _ready_to_draw(parts, face_limit)
    except _READING_FAILS_WITH as error:
        reason = str(error) if isinstance(error, ValueError) else f"is broken ({error!r})"
        raise RobotError(reason, path=path) from error


def _ready_to_draw(parts: tuple[MeshPart, ...], face_limit: int) -> Mesh:
    """Thin out and smooth every part, and freeze it.

    Raises:
        ValueError: If no face is left.
    """
    faces_in_file = sum(len(part.faces) for part in parts)
    share = min(1.0, face_limit / max(faces_in_file, 1))
    ready = []
    for part in parts:
        vertices = np.asarray(part.vertices, dtype=np.float32)
        faces = _finite_faces(vertices, part.faces)
        colors = part.vertex_colors
        if share < 1.0:
            # Clustered vertices have no colour of their own; the part's colour stands for all.
            colors = None
            vertices, faces = thinned(vertices, faces, int(share * len(faces)))
        if colors is None:
            vertices, faces = smoothed(vertices, faces)
        if len(faces):
            _freeze(vertices, faces, colors)
            ready.append(replace(part, vertices=vertices, faces=faces, vertex_colors=colors))
    if not ready:
        raise ValueError("has no faces")
    return Mesh(tuple(ready), faces_in_file)


def _finite_faces(vertices: NDArray[np.float32], faces: NDArray[Any]) -> NDArray[Any]:
    is_finite = np.isfinite(vertices)
    if is_finite.all():
        return faces
    return faces[np.all(is_finite[faces], axis=(1, 2))]


def _scaled(mesh: Mesh, scale: tuple[float, ...]) -> Mesh:
    if scale == (1.0, 1.0, 1.0):
        return mesh
    parts = []
    for part in mesh.parts:
        vertices, faces = transformed(part.vertices, part.faces, np.diag([*scale, 1.0]))
        faces = np.ascontiguousarray(faces)
        _freeze(vertices, faces)
        parts.append(replace(part, vertices=vertices, faces=faces))
    return Mesh(tuple(parts), mesh.faces_in_file)


def _freeze(*arrays: NDArray[Any] | None) -> None:
    for array in arrays:
        if array is not None:
            array.setflags(write=False)


def _read_stl(data: bytes) -> MeshPart:
    """Read a binary or ASCII STL.

    The length tells which it is: many binary files begin with ``solid`` like ASCII ones.

    Raises:
        ValueError: If it is neither, or cut off.
    """
    count = int.from_bytes(data[80:_STL_HEADER_BYTES], "little")
    binary_size = _STL_HEADER_BYTES + count * _STL_FACET.itemsize
    is_text = data[:512].lstrip()[:5].lower() == b"solid"
    if len(data) >= _STL_HEADER_BYTES and len(data) == binary_size:
        is_text = False
    if is_text:
        words = re.findall(rb"vertex\s+(\S+\s+\S+\s+\S+)", data, re.IGNORECASE)
        vertices = parsed_numbers(b" ".join(words)).reshape(-1, 3)
        if len(vertices) % 3:
            raise ValueError("is an ASCII STL that ends in the middle of a facet")
    elif _STL_HEADER_BYTES <= binary_size <= len(data):
        facets = np.frombuffer(data, _STL_FACET, count, offset=_STL_HEADER_BYTES)
        vertices = facets["corners"].reshape(-1, 3)
    else:
        raise ValueError(f"is no STL: {len(data)} bytes are too few for {count} facets")
    faces = np.arange(len(vertices), dtype=np.uint32).reshape(-1, 3)
    return MeshPart(vertices.astype(np.float32), faces)


def _read_by_trimesh(data: bytes, kind: str) -> tuple[MeshPart, ...]:
    import trimesh  # Costs a tenth of a second, and few robots need it.

    if kind == "ply":
        # Nothing is drawn of a texture, and trimesh logs a traceback where it finds none.
        data = _TEXTURE_OF_PLY.sub(b"", data)
    scene = trimesh.load_scene(BytesIO(data), file_type=kind, process=False)
    parts = []
    for node in scene.graph.nodes_geometry:
        matrix, name = scene.graph[node]
        geometry = scene.geometry[str(name)]
        if not isinstance(geometry, trimesh.Trimesh):
            continue
        vertices, faces = transformed(geometry.vertices, np.asarray(geometry.faces), matrix)
        rgba, colors = _colours_of(geometry.visual)
        parts.append(MeshPart(vertices, faces.astype(np.uint32), rgba, colors))
    return tuple(parts)


def _colours_of(visual: Any) -> tuple[Rgba | None, NDArray[np.uint8] | None]:
    """Return the colour of a trimesh visual, and its colours by vertex."""
    if visual.kind == "vertex":
        colors = np.asarray(visual.vertex_colors, dtype=np.uint8)
        return _mean_rgba(colors), np.ascontiguousarray(colors[:, :3])
    if visual.kind == "face":
        return _mean_rgba(visual.face_colors), None
    material = getattr(visual, "material", None)
    if material is None:
        return None, None
    for name in ("baseColorTexture", "image"):
        image = getattr(material, name, None)
        if image is not None:
            return mean_of_image(image), None
    return _mean_rgba([material.main_color]), None


def _mean_rgba(colors: ArrayLike) -> Rgba:
    red, green, blue, alpha = np.asarray(colors, dtype=np.float64).mean(axis=0) / 255.0
    return clipped_rgba(red, green, blue, alpha)
