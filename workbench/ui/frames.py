"""Which messages a browser may send, and what must stand in each field.

A frame is examined as plain data, before viser makes an object of it: viser converts on the way
("7.5" becomes 7.5, True becomes 1.0) and fails on what it does not expect. The table below is an
allow-list; a message or a field that it does not name is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec.msgpack

LONGEST_FRAME_BYTES = 16 * 1024 * 1024
"""The largest honest message is a rendered picture; uploads come in parts of 512 KiB."""

Message = dict[str, Any]
"""A message as viser's client writes it: `type` and the fields of that type."""

_LARGEST_COORDINATE = 1e9
_LARGEST_GIZMO_POSITION_M = 1e3
_QUATERNION_TOLERANCE = 0.05
_MODIFIER_KEYS = ("cmd/ctrl", "alt", "shift")


class Refused(Exception):
    """A client's message that is not to take effect.

    Attributes:
        reason: Why, as one sentence.
        unfinished: Whether it may be the beginning of something valid that is still being typed.
        known: Whether its sender has been told already: it belongs to something refused before.
    """

    def __init__(self, reason: str, *, unfinished: bool = False, known: bool = False) -> None:
        """Keep the reason."""
        super().__init__(reason)
        self.reason = reason
        self.unfinished = unfinished
        self.known = known


@dataclass(frozen=True)
class FieldRule:
    """What a field of a message must be.

    Attributes:
        description: What it must be, for the reason of a refusal.
        accepts: Tells whether a decoded value is that.
        optional: Whether the field may be left out.
    """

    description: str
    accepts: Callable[[object], bool]
    optional: bool = False


def is_number(value: object) -> bool:
    """Tell whether a decoded value is a finite number (True and False are none)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value)


def _vector(length: int, largest: float = _LARGEST_COORDINATE) -> FieldRule:
    def accepts(value: object) -> bool:
        return (
            isinstance(value, list)
            and len(value) == length
            and all(is_number(number) and abs(number) <= largest for number in value)
        )

    return FieldRule(f"{length} finite numbers up to {largest:g}", accepts)


def _is_unit_quaternion(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 4 or not all(map(is_number, value)):
        return False
    return abs(math.hypot(*value) - 1.0) <= _QUATERNION_TOLERANCE


def _number(low: float, high: float) -> FieldRule:
    return FieldRule(
        f"a number in [{low:g}, {high:g}]",
        lambda value: is_number(value) and low <= value <= high,  # type: ignore[operator]
    )


def _whole(high: int) -> FieldRule:
    return FieldRule(
        f"a whole number in [0, {high}]",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= high,
    )


def _text(longest: int) -> FieldRule:
    return FieldRule(
        f"text of at most {longest} characters",
        lambda value: isinstance(value, str) and len(value) <= longest,
    )


def _one_of(*values: str) -> FieldRule:
    return FieldRule("one of " + ", ".join(values), lambda value: value in values)


def _or_none(rule: FieldRule) -> FieldRule:
    return FieldRule(
        f"{rule.description} or nothing", lambda value: value is None or rule.accepts(value)
    )


def _is_modifier(value: object) -> bool:
    return isinstance(value, str) and all(key in _MODIFIER_KEYS for key in value.split("+"))


def _is_points(value: object) -> bool:
    return isinstance(value, list) and len(value) <= 2 and all(map(_POINT.accepts, value))


_POINT = _vector(2)
_QUATERNION = FieldRule("a unit quaternion w, x, y, z", _is_unit_quaternion)
_NAME = _text(200)
_BYTES = FieldRule("bytes", lambda value: isinstance(value, bytes))
_MODIFIER = _or_none(FieldRule("modifier keys", _is_modifier))
_OWNER = FieldRule("the shared scene", lambda value: value == "", optional=True)
_ANGLE = _number(1e-6, math.pi)
_PIXELS = _whole(100_000)

RULES: Mapping[str, Mapping[str, FieldRule]] = {
    "GuiUpdateMessage": {
        "uuid": _NAME,
        "updates": FieldRule(
            'exactly {"value": ...}',
            lambda value: isinstance(value, dict) and set(value) == {"value"},
        ),
    },
    "GuiButtonHoldMessage": {"uuid": _NAME, "frequency": _number(0.0, 1000.0)},
    "GuiFormSubmitMessage": {"uuid": _NAME},
    "GuiFormDirtyMessage": {"uuid": _NAME},
    "CommandTriggerMessage": {"uuid": _NAME},
    "TransformControlsDragStartMessage": {"name": _NAME, "owner": _OWNER},
    "TransformControlsUpdateMessage": {
        "name": _NAME,
        "wxyz": _QUATERNION,
        "position": _vector(3, _LARGEST_GIZMO_POSITION_M),
        "owner": _OWNER,
    },
    "TransformControlsDragEndMessage": {"name": _NAME, "owner": _OWNER},
    "SceneNodeClickMessage": {
        "name": _NAME,
        "instance_index": _or_none(_whole(10_000_000)),
        "ray_origin": _vector(3),
        "ray_direction": _vector(3),
        "screen_pos": _POINT,
        "modifier": _MODIFIER,
        "owner": _OWNER,
    },
    "ScenePointerMessage": {
        "event_type": _one_of("click", "rect-select"),
        "ray_origin": _or_none(_vector(3)),
        "ray_direction": _or_none(_vector(3)),
        "screen_pos": FieldRule("at most two points", _is_points),
        "modifier": _MODIFIER,
    },
    "FileTransferStartUpload": {
        "source_component_uuid": _NAME,
        "transfer_uuid": _NAME,
        "filename": _text(1000),
        "mime_type": _text(200),
        "part_count": _whole(1_000_000),
        "size_bytes": _whole(2**53),
    },
    "FileTransferPart": {
        "source_component_uuid": _NAME,
        "transfer_uuid": _NAME,
        "part_index": _whole(1_000_000),
        "content": _BYTES,
    },
    "ViewerCameraMessage": {
        "wxyz": _QUATERNION,
        "position": _vector(3),
        "fov": _ANGLE,
        "near": _number(0.0, _LARGEST_COORDINATE),
        "far": _number(0.0, 1e12),
        "image_height": _PIXELS,
        "image_width": _PIXELS,
        "look_at": _vector(3),
        "up_direction": _vector(3),
    },
    "GetRenderResponseMessage": {"payload": _BYTES, "render_uuid": _NAME},
}
"""The messages that a client may send, by viser's class name, with the rule of each field."""


def read_frame(frame: str | bytes) -> Message:
    """Decode a frame into a message of a kind that clients send.

    Args:
        frame: What came over the socket: text or bytes.

    Raises:
        Refused: If it is no message, or one that clients do not send.
    """
    if not isinstance(frame, bytes):
        raise Refused("A frame is binary.")
    try:
        message = msgspec.msgpack.decode(frame)
    # A frame nested too deeply ends in a RecursionError.
    except (msgspec.DecodeError, ValueError, RecursionError):
        raise Refused("A frame is one MessagePack value.") from None
    kind = message.get("type") if isinstance(message, dict) else None
    if not isinstance(kind, str) or kind not in RULES:
        raise Refused("Clients do not send such messages.")
    return message


def check_fields(message: Message) -> None:
    """Check that a message has the fields of its kind, each with what belongs there.

    Raises:
        Refused: If a field is missing, unknown, or not what it must be.
    """
    kind = message["type"]
    rules = RULES[kind]
    if message.keys() - rules.keys() - {"type"}:
        raise Refused(f"{kind} has other fields.")
    for name, rule in rules.items():
        if name not in message:
            if not rule.optional:
                raise Refused(f"{kind} needs {name}.")
        elif not rule.accepts(message[name]):
            raise Refused(f"{name} must be {rule.description}.")


def write_frame(message: Mapping[str, Any]) -> bytes:
    """Encode a message that was corrected."""
    return msgspec.msgpack.encode(message)


def normalised(wxyz: list[float]) -> list[float]:
    """Return a quaternion of length 1; the given one is close to that already."""
    norm = math.hypot(*wxyz)
    return [number / norm for number in wxyz]
