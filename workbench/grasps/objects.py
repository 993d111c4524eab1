"""The object that is grasped: a mesh file as plain frozen values, and a doubt about its unit.

Mesh files do not say which unit they are in. An object that would be larger than two metres or
smaller than two millimetres is most likely in another one, and whoever loads it should ask.
"""

from __future__ import annotations

import hashlib
import math
import re
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from workbench.errors import GraspError, RobotError
from workbench.model.mesh_part import MeshPart
from workbench.model.meshes import read_mesh

OBJECT_SUFFIXES = (".obj", ".stl", ".ply", ".glb")
"""Kinds of mesh files that are read, all in one file each."""

MAX_BYTES = 50_000_000
"""Size beyond which a mesh file is refused."""

MAX_KEPT_BYTES = 5_000_000
"""Size up to which an uploaded mesh stays with its object, to be written into a session file."""

MAX_FACES = 50_000
"""Faces that are kept of a finer mesh; it is thinned out."""

LARGEST_CREDIBLE_M = 2.0
SMALLEST_CREDIBLE_M = 0.002

_SMALLEST_M, _LARGEST_M = 1e-9, 1e9
"""Sizes beyond which numbers lose their meaning in a picture."""

_MAGIC = {".glb": b"glTF", ".ply": b"ply"}
_MATERIAL_LIBRARY = re.compile(rb"^\s*mtllib.*$", re.MULTILINE)
_UNITS = ((0.001, "millimetres"), (0.01, "centimetres"), (0.0254, "inches"), (1000.0, "kilometres"))


@dataclass(frozen=True)
class UnitQuestion:
    """A doubt whether a mesh is in metres.

    Attributes:
        size_m: Longest side of the object if it is.
        answers: Factors that would give a credible size, with the unit that each stands for; may
            be empty.
        text: The question in one sentence.
    """

    size_m: float
    answers: tuple[tuple[float, str], ...]
    text: str


@dataclass(frozen=True, eq=False)
class GraspObject:
    """A mesh that grasps are relative to.

    Attributes:
        name: Name of its file.
        parts: Its faces by colour, in metres, in the object frame; arrays are read-only.
        faces_in_file: How many faces the file holds; more than are kept when it was thinned.
        scale: Factor by which the file's numbers were multiplied.
        path: The file, absolute; empty for one that was uploaded.
        sha256: Digest of the file.
        packed: What was uploaded, compressed by zlib; empty for a file that has a path, and for
            one that is too large to be carried along.
    """

    name: str
    parts: tuple[MeshPart, ...]
    faces_in_file: int
    scale: float = 1.0
    path: str = ""
    sha256: str = ""
    packed: bytes = field(default=b"", repr=False)

    @property
    def vertices(self) -> NDArray[np.float32]:
        """All vertices in metres, shape (n, 3)."""
        return np.concatenate([part.vertices for part in self.parts])

    @property
    def faces(self) -> NDArray[np.uint32]:
        """All triangles as indices into :attr:`vertices`, shape (m, 3)."""
        starts = np.cumsum([0, *(len(part.vertices) for part in self.parts[:-1])])
        shifted = [part.faces + start for part, start in zip(self.parts, starts, strict=True)]
        return np.concatenate(shifted).astype(np.uint32)

    @property
    def bounds(self) -> NDArray[np.float64]:
        """Corners of the box around the object in its frame, in m, shape (2, 3)."""
        vertices = self.vertices
        return np.array([vertices.min(axis=0), vertices.max(axis=0)], dtype=np.float64)

    @property
    def size_m(self) -> float:
        """Longest side of the box around the object."""
        low, high = self.bounds
        return float((high - low).max())

    @property
    def unit_question(self) -> UnitQuestion | None:
        """What to ask about the unit; None for an object of a credible size."""
        size = self.size_m
        if SMALLEST_CREDIBLE_M <= size <= LARGEST_CREDIBLE_M:
            return None
        answers = tuple(
            (factor, unit)
            for factor, unit in _UNITS
            if SMALLEST_CREDIBLE_M <= factor * size <= LARGEST_CREDIBLE_M
        )
        return UnitQuestion(
            size, answers,
            f"{self.name} would be {size:.3g} m long: in which unit is it, if not in metres?",
        )  # fmt: skip

    def scaled(self, factor: float) -> GraspObject:
        """Return the object in another size.

        Args:
            factor: On top of :attr:`scale`.

        Raises:
            GraspError: If the factor is not positive and finite, or leaves no size that is.
        """
        if not (math.isfinite(factor) and factor > 0.0):
            raise GraspError("is no scale", field=self.name, value=factor, expected="above 0")
        if not _SMALLEST_M <= factor * self.size_m <= _LARGEST_M:
            raise GraspError(
                f"would be {factor * self.size_m:.3g} m long", field=self.name, value=factor,
                expected="a scale with which the object can be seen",
            )  # fmt: skip
        parts = []
        for part in self.parts:
            vertices = (part.vertices * np.float64(factor)).astype(np.float32)
            vertices.setflags(write=False)
            parts.append(replace(part, vertices=vertices))
        return replace(self, parts=tuple(parts), scale=self.scale * factor)


def load_object(source: Path | bytes, *, name: str, scale: float = 1.0) -> GraspObject:
    """Read the mesh of an object.

    Args:
        source: A file's path, or its contents.
        name: The file's name, with the suffix that tells its kind; for messages as well.
        scale: Factor for all coordinates, such as an isaac_grasp file's ``object_scale``.

    Raises:
        GraspError: If it is too large, of another kind, broken or without faces.
    """
    suffix = Path(name).suffix.lower()
    if suffix not in OBJECT_SUFFIXES:
        raise GraspError(
            "is no mesh that is read here", path=name, value=suffix or "no suffix",
            expected=f"one of {', '.join(OBJECT_SUFFIXES)}",
        )  # fmt: skip
    if isinstance(source, Path):
        return replace(_read(source, name, scale), path=str(source.absolute()))
    if len(source) > MAX_BYTES:
        raise _too_large(name, len(source))
    with TemporaryDirectory(prefix="workbench-object-") as folder:
        path = Path(folder) / f"object{suffix}"
        # What was uploaded came alone: a material library could only be a file of this machine.
        path.write_bytes(_MATERIAL_LIBRARY.sub(b"", source) if suffix == ".obj" else source)
        read = _read(path, name, scale)
    packed = zlib.compress(source) if len(source) <= MAX_KEPT_BYTES else b""
    return replace(read, sha256=hashlib.sha256(source).hexdigest(), packed=packed)


def unpacked(packed: bytes) -> bytes | None:
    """Return what was uploaded; None for what is no compressed mesh, or too large to be one."""
    inflater = zlib.decompressobj()
    try:
        content = inflater.decompress(packed, MAX_KEPT_BYTES + 1)
    except zlib.error:
        return None
    return content if inflater.eof and len(content) <= MAX_KEPT_BYTES else None


def digest_of(path: Path) -> str | None:
    """Return the digest of a mesh file; None for what is no file, or one too large to be read."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_BYTES:
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _read(path: Path, name: str, scale: float) -> GraspObject:
    try:
        size = path.stat().st_size
    except OSError as error:
        reason = error.strerror or str(error)
        raise GraspError(f"cannot be read: {reason}", path=name) from error
    if not path.is_file():
        raise GraspError("is no regular file", path=name, expected="a mesh file")
    if size > MAX_BYTES:
        raise _too_large(name, size)
    _refuse_another_kind(path, name, size)
    try:
        # What overflows is not finite, and faces with such corners are left out.
        with np.errstate(over="ignore"):
            mesh = read_mesh(path, face_limit=MAX_FACES)
    except RobotError as error:
        raise GraspError(error.message, path=name) from error
    whole = GraspObject(
        Path(name).name, mesh.parts, mesh.faces_in_file, sha256=digest_of(path) or ""
    )
    return whole if scale == 1.0 else whole.scaled(scale)


def _refuse_another_kind(path: Path, name: str, size: int) -> None:
    """Say in plain words of a file that its first bytes give away; raises GraspError."""
    if size == 0:
        raise GraspError("is empty", path=name, expected="a mesh")
    magic = _MAGIC.get(path.suffix.lower(), b"")
    with path.open("rb") as file:
        if file.read(len(magic)) != magic:
            kind = path.suffix[1:].upper()
            raise GraspError(
                f"is no {kind} file", path=name, expected=f"what its name says: {kind}"
            )


def _too_large(name: str, size: int) -> GraspError:
    return GraspError(
        f"is too large with {size / 1e6:.1f} MB", path=name,
        expected=f"at most {MAX_BYTES / 1e6:g} MB",
    )  # fmt: skip
