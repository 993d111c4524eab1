"""Writing an isaac_grasp file, laid out as Isaac Sim's Grasp Editor lays it out.

Names are quoted, vectors are in flow style, a level is three spaces. Numbers are the shortest text
that reads back as the same number, with a point where YAML 1.1 wants one. Keys that nobody knows
are written back at the end of their mapping.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workbench.config.document import PlainText
from workbench.config.number_text import yaml_number_text
from workbench.errors import GraspError
from workbench.grasps.grasp import Grasp, WrittenPose
from workbench.grasps.reading import FORMAT, VERSION
from workbench.grasps.spec import GraspSpec

_INDENT = "   "
_FIRST_KEYS = ("format", "format_version")

# Text that means the same with and without quotes, in block and in flow style.
_BARE_TEXT = re.compile(r"[/.+_-]?[A-Za-z0-9][\w./+-]*(?:[ :][\w./+-]+)*", re.ASCII)
_BARE_KEY = re.compile(r"/?[A-Za-z_][\w./-]*", re.ASCII)
_WORDS_WITH_A_MEANING = frozenset(
    ("true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf", "infinity")
)
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def grasps_to_text(spec: GraspSpec) -> str:
    """Return the file's text; the same grasps give the same text."""
    return "\n".join(_lines(spec)) + "\n"


def export_grasps_to_file(spec: GraspSpec, file_path: str | Path) -> None:
    """Write a file whole, or leave what is there as it is.

    Raises:
        GraspError: If the file cannot be written.
    """
    path = Path(file_path)
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(grasps_to_text(spec))
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise GraspError(f"cannot be written: {error.strerror or error}", path=path) from error


def _lines(spec: GraspSpec) -> Iterator[str]:
    yield f"format: {FORMAT}"
    yield f"format_version: {VERSION}"
    yield ""
    rest = {key: value for key, value in spec.header.items() if key not in _FIRST_KEYS}
    if rest:
        yield from _block(rest, "")
        yield ""
    if not len(spec):
        yield "grasps: {}"
        return
    yield "grasps:"
    for index, grasp in enumerate(spec):
        if index:
            yield ""
        yield f"{_INDENT}{_quoted(grasp.name)}:"
        yield from _grasp_lines(grasp, 2 * _INDENT)


def _grasp_lines(grasp: Grasp, indent: str) -> Iterator[str]:
    if grasp.confidence is not None:
        yield f"{indent}confidence: {yaml_number_text(grasp.confidence)}"
    yield from _pose_lines(grasp.written, indent, "")
    yield from _finger_lines(grasp.cspace_position, indent, "cspace_position")
    if grasp.pregrasp is not None:
        yield from _pose_lines(grasp.pregrasp, indent, "pregrasp_")
    yield from _finger_lines(grasp.pregrasp_cspace_position, indent, "pregrasp_cspace_position")
    yield from _block(grasp.extras, indent)


def _pose_lines(pose: WrittenPose, indent: str, prefix: str) -> Iterator[str]:
    w, *xyz = pose.wxyz.tolist()
    yield f"{indent}{prefix}position: {_vector(pose.position.tolist())}"
    yield f"{indent}{prefix}orientation: {{w: {yaml_number_text(w)}, xyz: {_vector(xyz)}}}"


def _finger_lines(positions: Mapping[str, float], indent: str, key: str) -> Iterator[str]:
    if positions:
        yield f"{indent}{key}:"
        for joint, position in positions.items():
            yield f"{indent}{_INDENT}{_key(joint)}: {yaml_number_text(position)}"


def _block(mapping: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in mapping.items():
        if isinstance(value, Mapping) and value:
            yield f"{indent}{_key(key)}:"
            yield from _block(value, indent + _INDENT)
        else:
            yield f"{indent}{_key(key)}: {_inline(value)}"


def _inline(value: Any) -> str:
    """Return a value on one line, in flow style."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k)}: {_inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_inline(item) for item in value) + "]"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, float):
        return yaml_number_text(value)
    text = str(value)
    # Text without quotes may be a date or a number to another reader: it stays without.
    is_bare = isinstance(value, int) or (
        isinstance(value, PlainText) and _BARE_TEXT.fullmatch(text) is not None
    )
    return text if is_bare else _key(text)


def _vector(numbers: list[float]) -> str:
    return f"[{', '.join(map(yaml_number_text, numbers))}]"


def _key(text: str) -> str:
    """Return text without quotes where no reader can take it for anything else."""
    is_bare = _BARE_KEY.fullmatch(text) and text.casefold() not in _WORDS_WITH_A_MEANING
    return text if is_bare else _quoted(text)


def _quoted(text: str) -> str:
    """Return text in double quotes, on one line, printable for every reader."""
    return '"' + "".join(_ESCAPES.get(char) or _escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if char.isprintable() and char != "\ufeff":
        return char
    number = ord(char)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
