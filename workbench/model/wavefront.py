"""Wavefront OBJ meshes and the colours of their MTL files.

A scanned or exported OBJ may have millions of lines. Lines of one kind come in long runs, and a
run is parsed in one numpy call, so that five million faces take seconds.

Format: Wavefront, "Object Files (.obj)", appendix B1 of the Advanced Visualizer manual.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.model.mesh_part import (
    MeshPart,
    Rgba,
    average_colour,
    believable_opacity,
    clipped_rgba,
    neighbouring_file,
    parsed_numbers,
)

_OTHER, _VERTEX, _FACE, _MATERIAL = range(4)
_LINES_A_PIECE = 500_000


def read_wavefront(path: Path, data: bytes) -> tuple[MeshPart, ...]:
    """Return the triangles of the file, one part for each colour.

    Args:
        path: The file, for the material library that it names.
        data: Its contents.

    Raises:
        ValueError: If a line does not parse, or a face names a vertex that does not exist.
    """
    vertex_blocks: list[NDArray[np.float64]] = []
    vertex_count = 0
    faces_of: dict[Rgba | None, list[NDArray[np.int64]]] = {}
    colours: dict[str, Rgba] = {}
    colour: Rgba | None = None
    for kind, block in _runs(data):
        if kind == _VERTEX:
            lines = block.count(b"\n")
            numbers = parsed_numbers(block.replace(b"v", b" "))
            if len(numbers) % lines or len(numbers) // lines < 3:
                raise ValueError("has vertices with different counts of numbers")
            # Columns behind x, y, z are a weight or a colour.
            vertex_blocks.append(numbers.reshape(lines, -1)[:, :3])
            vertex_count += lines
        elif kind == _FACE:
            faces_of.setdefault(colour, []).append(_triangles(block, vertex_count))
        else:
            for line in block.decode("utf-8", "replace").splitlines():
                keyword, _, name = line.strip().partition(" ")
                if keyword == "mtllib":
                    colours |= _read_materials(neighbouring_file(path, name))
                elif keyword == "usemtl":
                    colour = colours.get(name.strip())
    vertices = np.concatenate(vertex_blocks) if vertex_blocks else np.zeros((0, 3))
    parts = []
    for colour, blocks in faces_of.items():
        faces = np.concatenate(blocks)
        if len(faces) and (faces.min() < 0 or faces.max() >= len(vertices)):
            raise ValueError("has a face that names a vertex which does not exist")
        parts.append(MeshPart(vertices.astype(np.float32), faces.astype(np.uint32), colour))
    return tuple(parts)


def _runs(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield runs of lines of one kind, in the order of the file, each line with its end.

    Long runs come in pieces, which bounds the memory that parsing takes.
    """
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\\\n", b" ") + b"\n"
    starts, ends, first, second = _lines(data)
    if _is_blank(first).any():
        data = re.sub(rb"^[ \t]+", b"", data, flags=re.MULTILINE)
        starts, ends, first, second = _lines(data)
    ends_word = _is_blank(second)
    kinds = np.full(len(starts), _OTHER, dtype=np.int8)
    kinds[(first == ord("v")) & ends_word] = _VERTEX
    kinds[(first == ord("f")) & ends_word] = _FACE
    kinds[((first == ord("u")) | (first == ord("m"))) & ~ends_word] = _MATERIAL
    begins = np.union1d(
        np.flatnonzero(np.diff(kinds)) + 1, np.arange(0, len(kinds), _LINES_A_PIECE)
    )
    for begin, end in zip(begins, [*begins[1:], len(kinds)], strict=True):
        if kinds[begin] != _OTHER:
            yield int(kinds[begin]), data[starts[begin] : ends[end - 1]]


def _lines(data: bytes) -> tuple[NDArray[Any], ...]:
    """Return where the lines start and end, and their first and second characters."""
    text = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(text == ord("\n")) + 1
    starts = np.concatenate(([0], ends[:-1]))
    return starts, ends, text[starts], text[np.minimum(starts + 1, len(text) - 1)]


def _triangles(block: bytes, vertex_count: int) -> NDArray[np.int64]:
    """Return triangles, shape (n, 3), of a run of face lines; polygons become fans.

    Args:
        block: Lines such as ``f 1 2 3`` or ``f 1/1/1 2/2/1 3/3/1 4/4/1``.
        vertex_count: How many vertices were read so far; negative indices count back from here.

    Raises:
        ValueError: If a line does not parse.
    """
    text = np.frombuffer(block, dtype=np.uint8).copy()
    for mark, until_word_end in (("#", False), ("/", True)):
        if mark.encode() in block:
            _blank_out(text, ord(mark), until_word_end)
    text[text == ord("f")] = ord(" ")
    word_starts = np.flatnonzero((text[1:] > ord(" ")) & (text[:-1] <= ord(" "))) + 1
    line_ends = np.flatnonzero(text == ord("\n"))
    corner_counts = np.diff(np.searchsorted(word_starts, line_ends), prepend=0)
    numbers = parsed_numbers(text.tobytes()).astype(np.int64)
    if len(word_starts) != len(numbers):
        raise ValueError("has a face that does not parse")
    # Indices count from 1.
    corners = np.where(numbers < 0, numbers + vertex_count, numbers - 1)
    offsets = np.cumsum(corner_counts) - corner_counts
    triangle_counts = np.maximum(corner_counts - 2, 0)
    fan_starts = np.repeat(offsets, triangle_counts)
    numbers_in_fan = np.arange(len(fan_starts)) - np.repeat(
        np.cumsum(triangle_counts) - triangle_counts, triangle_counts
    )
    second = fan_starts + numbers_in_fan + 1
    return np.stack((corners[fan_starts], corners[second], corners[second + 1]), axis=1)


def _blank_out(text: NDArray[np.uint8], mark: int, until_word_end: bool) -> None:
    """Overwrite with blanks from each mark to the end of its word or line, in place."""
    is_end = text <= ord(" ") if until_word_end else text == ord("\n")
    # The last mark or end up to each character tells whether the character lies behind a mark.
    events = np.where(is_end | (text == mark), np.arange(len(text), dtype=np.int32), 0)
    is_behind_mark = text[np.maximum.accumulate(events)] == mark
    text[is_behind_mark] = ord(" ")


def _is_blank(characters: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return (characters == ord(" ")) | (characters == ord("\t"))


def _read_materials(path: Path | None) -> dict[str, Rgba]:
    """Return the diffuse colour of each material in an MTL file; nothing without a file."""
    if path is None:
        return {}
    colours: dict[str, Rgba] = {}
    name = ""
    for line in path.read_text("utf-8", "replace").splitlines():
        keyword, _, rest = line.strip().partition(" ")
        words = rest.split()
        if keyword == "newmtl":
            name = rest.strip()
            colours[name] = (0.7, 0.7, 0.7, 1.0)
        elif keyword == "Kd" and len(words) >= 3 and words[0] not in ("spectral", "xyz"):
            red, green, blue = (float(word) for word in words[:3])
            colours[name] = clipped_rgba(red, green, blue, colours[name][3])
        elif keyword in ("d", "Tr") and words:
            opacity = float(words[-1]) if keyword == "d" else 1.0 - float(words[-1])
            colours[name] = (*colours[name][:3], believable_opacity(opacity))
        elif keyword == "map_Kd" and words:
            texture = average_colour(neighbouring_file(path, words[-1]))
            colours[name] = texture or colours[name]
    return colours
