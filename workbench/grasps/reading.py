"""From the plain values of an isaac_grasp document to grasps, or to the first mistake in them.

Tolerant where the format's writers differ: frames under either spelling or none, a version that
is text, numbers that are text, quaternions that rounding left a little off length one, grasps
without confidence or finger positions, pregrasp poses, keys that nobody knows. Strict where a
guess would put a gripper in the wrong place. A file is taken whole or not at all.

Grasps are first collected as plain numbers and checked all at once by numpy, because a file may
hold ten thousand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.config.document import Document, Key, PlainText, dotted, number_from
from workbench.config.frozen import frozen_mapping
from workbench.errors import GraspError
from workbench.grasps.grasp import Grasp, WrittenPose

FORMAT = "isaac_grasp"
VERSION = 1.0

ROUNDING_OF_LENGTH = 1e-3
"""How far from 1 the length of a quaternion may be before it is a remark that it was corrected."""

_LENGTHS_CORRECTED = (0.5, 1.5)
_LENGTH_ZERO = 1e-6
LONGEST_NAME = 200
"""Characters that a grasp's name may have."""


_POSE = ("position", "orientation")
_PREGRASP_POSE = ("pregrasp_position", "pregrasp_orientation")
_KNOWN_KEYS = frozenset(
    (*_POSE, *_PREGRASP_POSE, "confidence", "cspace_position", "pregrasp_cspace_position")
)
FRAME_KEYS = {
    "object": ("object_frame", "object_frame_link"),
    "gripper": ("gripper_frame", "gripper_frame_link"),
}
"""Both spellings of the two frames, the present one first."""

_CONFIDENCE = "a number from 0 to 1"
_THREE_NUMBERS = "three finite numbers [x, y, z]"
_ORIENTATION = "{w: number, xyz: [x, y, z]}"


@dataclass(frozen=True)
class Contents:
    """What an isaac_grasp document holds.

    Attributes:
        header: Every key but ``grasps``, in the document's order, read-only.
        grasps: The grasps, in the document's order.
        remarks: Sentences about what was corrected or stood in for something else.
    """

    header: Mapping[str, Any]
    grasps: tuple[Grasp, ...]
    remarks: tuple[str, ...]


def contents_of(document: Document) -> Contents:
    """Check a document and return what it holds.

    Raises:
        GraspError: For the first thing that cannot be used, with file, line and grasp.
    """
    return _Reader(document).read()


def frozen_value(value: Any) -> Any:
    """Return plain data of a document as something that nobody can change."""
    if isinstance(value, Mapping):
        return frozen_mapping({key: frozen_value(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return tuple(frozen_value(item) for item in value)
    return value


@dataclass(eq=False)
class _Poses:
    """Poses under construction, one row each, of all grasps that have one under these keys."""

    position_key: str
    orientation_key: str
    names: list[str] = field(default_factory=list)
    positions: list[list[float]] = field(default_factory=list)
    quaternions: list[list[float]] = field(default_factory=list)


class _Reader:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._remarks: list[str] = []
        self._numbers_as_text: list[tuple[Key, ...]] = []
        self._odd_confidences: list[tuple[str, float]] = []

    def read(self) -> Contents:
        header = {key: value for key, value in self._document.data.items() if key != "grasps"}
        self._check_header(header)
        # Whatever said which version it is: this is how it was read, and how it will be written.
        header = {**header, "format": FORMAT, "format_version": VERSION}
        grasps = self._grasps()
        if self._odd_confidences:
            name, confidence = self._odd_confidences[0]
            self._remarks.append(
                f"{_count(len(self._odd_confidences), 'confidence')} outside 0 to 1, the first of "
                f"{name}, which has {confidence:g}."
            )
        if self._numbers_as_text:
            self._remarks.append(
                f"{_count(len(self._numbers_as_text), 'number')} in quotes, the first at "
                f"{self._place(self._numbers_as_text[0])}, taken as numbers."
            )
        return Contents(frozen_value(header), grasps, tuple(self._remarks))

    # The header --------------------------------------------------------------------------

    def _check_header(self, header: Mapping[str, Any]) -> None:
        written_format = header.get("format")
        if written_format is None:
            raise self._error("is missing", "format", expected=f"format: {FORMAT}")
        if written_format != FORMAT:
            raise self._error("is another format", "format", value=written_format, expected=FORMAT)
        self._check_version(header.get("format_version"))
        for keys in FRAME_KEYS.values():
            found = {key: self._frame(key, header[key]) for key in keys if header.get(key)}
            if len(set(found.values())) > 1:
                self._remarks.append(
                    f"{keys[0]} and {keys[1]} differ; {keys[0]}, {found[keys[0]]!r}, counts."
                )
        if header.get("object_scale") is not None:
            scale = self._number(
                header["object_scale"], "object_scale", expected="a number above 0"
            )
            if not 0.0 < scale < float("inf"):
                raise self._error(
                    "is no scale", "object_scale", value=scale, expected="a number above 0"
                )

    def _check_version(self, version: object) -> None:
        if version is None:
            self._remarks.append(f"format_version is missing; {VERSION} is assumed.")
            return
        text = str(version)
        is_number = isinstance(version, int | float | str) and not isinstance(version, bool)
        if not is_number or not re.fullmatch(r"[0-9]+(\.[0-9]+)*", text):
            raise self._error(
                "is no version", "format_version", value=version, expected=str(VERSION)
            )
        if int(text.partition(".")[0][:9]) != int(VERSION):
            raise self._error(
                "is another version", "format_version", value=version, expected=str(VERSION)
            )
        if text.partition(".")[2].strip("0."):
            self._remarks.append(f"format_version is {text}; it is read as {VERSION}.")

    def _frame(self, key: str, value: object) -> str:
        if not isinstance(value, str):
            raise self._error("is not text", key, value=value, expected="the name of a frame")
        return value

    # Grasps ------------------------------------------------------------------------------

    def _grasps(self) -> tuple[Grasp, ...]:
        if "grasps" not in self._document.data:
            raise self._error("is missing", "grasps", expected="a mapping from name to grasp")
        mapping = self._mapping(
            self._document.data["grasps"], "a mapping from name to grasp", "grasps"
        )
        poses, pregrasps = _Poses(*_POSE), _Poses(*_PREGRASP_POSE)
        details: list[tuple[Any, ...]] = []
        for name, node in mapping.items():
            details.append(self._take_grasp(name, node, poses, pregrasps))
        written = self._written(poses)
        written_pregrasps = dict(zip(pregrasps.names, self._written(pregrasps), strict=True))
        return tuple(
            Grasp(
                name, pose, confidence, cspace, pregrasp_cspace, written_pregrasps.get(name), extras
            )
            for name, pose, (confidence, cspace, pregrasp_cspace, extras) in zip(
                poses.names, written, details, strict=True
            )
        )

    def _take_grasp(
        self, name: object, node: object, poses: _Poses, pregrasps: _Poses
    ) -> tuple[float | None, dict[str, float], dict[str, float], dict[str, Any]]:
        """Collect a grasp's poses; return its confidence, finger positions and other keys."""
        if not isinstance(name, str) or not name.strip():
            raise self._error("is no name for a grasp", "grasps", value=name, expected="text")
        if len(name) > LONGEST_NAME:
            raise GraspError(
                "holds a name that is too long", path=self._document.name, field="grasps",
                line=self._document.line_of("grasps", name), value=name,
                expected=f"at most {LONGEST_NAME} characters",
            )  # fmt: skip
        grasp = self._mapping(node, "a mapping with position and orientation", "grasps", name)
        self._take_pose(name, grasp, poses)
        if any(grasp.get(key) is not None for key in _PREGRASP_POSE):
            self._take_pregrasp(name, grasp, pregrasps, poses.quaternions[-1])
        confidence = grasp.get("confidence")
        if confidence is not None and type(confidence) is not float:
            confidence = self._number(
                confidence, "grasps", name, "confidence", expected=_CONFIDENCE
            )
        if confidence is not None and not 0.0 <= confidence <= 1.0:
            self._check_confidence(name, confidence)
        extras = {}
        if not grasp.keys() <= _KNOWN_KEYS:
            extras = {
                key: frozen_value(value) for key, value in grasp.items() if key not in _KNOWN_KEYS
            }
        return (
            confidence,
            self._fingers(name, grasp, "cspace_position"),
            self._fingers(name, grasp, "pregrasp_cspace_position"),
            extras,
        )

    def _check_confidence(self, name: str, confidence: float) -> None:
        if not np.isfinite(confidence):
            raise self._error(
                "is not finite", "grasps", name, "confidence", value=confidence,
                expected=_CONFIDENCE,
            )  # fmt: skip
        self._odd_confidences.append((name, confidence))

    def _fingers(self, name: str, grasp: Mapping[str, Any], key: str) -> dict[str, float]:
        node = grasp.get(key)
        if node is None:
            return {}
        fingers = self._mapping(node, "a mapping from joint to position", "grasps", name, key)
        result: dict[str, float] = {}
        for joint, value in fingers.items():
            number = value
            if type(number) is not float:
                number = self._number(value, "grasps", name, key, joint)
            if number - number != 0.0:  # NaN and infinity, at a tenth of the price of isfinite
                raise self._error(
                    "is not finite", "grasps", name, key, joint, value=value,
                    expected="a finite number",
                )  # fmt: skip
            result[joint] = number
        return result

    # Poses -------------------------------------------------------------------------------

    def _take_pose(self, name: str, grasp: Mapping[str, Any], poses: _Poses) -> None:
        position_key, orientation_key = poses.position_key, poses.orientation_key
        for key, expected in ((position_key, _THREE_NUMBERS), (orientation_key, _ORIENTATION)):
            if grasp.get(key) is None:
                message = "has no value" if key in grasp else "is missing"
                raise self._error(message, "grasps", name, key, expected=expected)
        orientation = self._mapping(
            grasp[orientation_key], _ORIENTATION, "grasps", name, orientation_key
        )
        if orientation.keys() != {"w", "xyz"}:
            raise self._error(
                "does not consist of w and xyz", "grasps", name, orientation_key,
                value=dict(orientation), expected=_ORIENTATION,
            )  # fmt: skip
        w = orientation["w"]
        if type(w) is not float:
            w = self._number(w, "grasps", name, orientation_key, "w")
        xyz = self._three_numbers(orientation["xyz"], "grasps", name, orientation_key, "xyz")
        poses.names.append(name)
        poses.positions.append(
            self._three_numbers(grasp[position_key], "grasps", name, position_key)
        )
        poses.quaternions.append([w, *xyz])

    def _take_pregrasp(
        self, name: str, grasp: Mapping[str, Any], pregrasps: _Poses, quaternion: list[float]
    ) -> None:
        """Collect a pregrasp pose; without an orientation it has the grasp's own."""
        position_key, orientation_key = _PREGRASP_POSE
        if grasp.get(orientation_key) is not None:
            self._take_pose(name, grasp, pregrasps)
            return
        pregrasps.names.append(name)
        pregrasps.positions.append(
            self._three_numbers(grasp[position_key], "grasps", name, position_key)
        )
        pregrasps.quaternions.append(quaternion)

    def _written(self, poses: _Poses) -> list[WrittenPose]:
        """Check collected numbers and return them as poses."""
        positions = np.array(poses.positions, dtype=np.float64).reshape(-1, 3)
        quaternions = np.array(poses.quaternions, dtype=np.float64).reshape(-1, 4)
        self._require_finite(positions, poses, poses.position_key, _THREE_NUMBERS)
        self._require_finite(quaternions, poses, poses.orientation_key, _ORIENTATION)
        self._correct_lengths(quaternions, poses)
        positions.setflags(write=False)
        quaternions.setflags(write=False)
        return [WrittenPose(*rows) for rows in zip(positions, quaternions, strict=True)]

    def _require_finite(
        self, rows: NDArray[np.float64], poses: _Poses, key: str, expected: str
    ) -> None:
        is_bad = ~np.isfinite(rows).all(axis=1)
        if is_bad.any():
            row = int(np.argmax(is_bad))
            raise self._error(
                "holds a number that is not finite", "grasps", poses.names[row], key,
                value=rows[row].tolist(), expected=expected,
            )  # fmt: skip

    def _correct_lengths(self, quaternions: NDArray[np.float64], poses: _Poses) -> None:
        lengths = np.linalg.norm(quaternions, axis=1)
        low, high = _LENGTHS_CORRECTED
        is_bad = (lengths < low) | (lengths > high)
        if is_bad.any():
            row = int(np.argmax(is_bad))
            length = float(lengths[row])
            what = "is the zero quaternion" if length < _LENGTH_ZERO else f"has length {length:.3g}"
            raise self._error(
                what, "grasps", poses.names[row], poses.orientation_key,
                value=quaternions[row].tolist(), expected="w, x, y, z of a quaternion of length 1",
            )  # fmt: skip
        is_off = np.abs(lengths - 1.0) > ROUNDING_OF_LENGTH
        if is_off.any():
            quaternions[is_off] /= lengths[is_off, None]
            row = int(np.argmax(is_off))
            self._remarks.append(
                f"{_count(int(is_off.sum()), 'quaternion')} brought to length 1, the first of "
                f"{poses.names[row]}, which had {lengths[row]:.4g}."
            )

    # Single values -----------------------------------------------------------------------

    def _mapping(self, node: object, expected: str, *keys: Key) -> Mapping[str, Any]:
        if not isinstance(node, Mapping):
            kind = "has no value" if node is None else "is no mapping"
            if isinstance(node, list):
                kind = "is a list"
            raise self._error(kind, *keys, value=node, expected=expected)
        return node

    def _three_numbers(self, node: object, *keys: Key) -> list[float]:
        if type(node) is list and len(node) == 3:
            x, y, z = node
            if type(x) is type(y) is type(z) is float:
                return node
            return [self._number(value, *keys, index) for index, value in enumerate(node)]
        raise self._error(
            "is not a list of three numbers", *keys, value=node, expected=_THREE_NUMBERS
        )

    def _number(self, value: object, *keys: Key, expected: str = "a finite number") -> float:
        """Return a number; text that looks like one counts."""
        try:
            if isinstance(value, str) and not isinstance(value, PlainText):
                number = number_from(PlainText(value.strip()))
                self._numbers_as_text.append(keys)
                return number
            return number_from(value)
        except ValueError as problem:
            raise self._error(str(problem), *keys, value=value, expected=expected) from problem

    def _error(
        self, message: str, *keys: Key, value: object = None, expected: str | None = None
    ) -> GraspError:
        line = None
        # A key that is missing has no line; what it is missing from has.
        for count in range(len(keys), 0, -1):
            line = self._document.line_of(*keys[:count])
            if line is not None:
                break
        return GraspError(
            message, path=self._document.name, line=line, field=dotted(keys) or None,
            value=value, expected=expected,
        )  # fmt: skip

    def _place(self, keys: tuple[Key, ...]) -> str:
        line = self._document.line_of(*keys)
        return dotted(keys) if line is None else f"line {line} ({dotted(keys)})"


def _count(number: int, noun: str) -> str:
    return f"1 {noun} is" if number == 1 else f"{number} {noun}s are"
