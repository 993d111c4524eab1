"""What a configuration file holds: plain values, and the line on which each of them stood.

Scalars mean what YAML 1.1 says (what PyYAML's users get), with two differences: text that YAML 1.1
alone takes for a number (``010``, ``1_000``, ``12:30``) stays text, and a number such as ``1e-8``,
which YAML 1.1 takes for text, becomes a number where one is asked for (:func:`number_from`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.errors import ConfigError

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_YAML_11_FLOAT = re.compile(
    r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_PLAIN_FLOAT = re.compile(r"-?[0-9]{1,300}\.[0-9]*(?:[eE][-+][0-9]{1,2})?")
_TOLERANT_FLOAT = re.compile(
    r"[-+]?(?:0|[1-9][0-9]*|[0-9]*\.[0-9]+|[0-9]+\.)(?:e[-+]?[0-9]+)?"
    r"|[-+]?\.?(?:inf|infinity)|\.?nan",
    re.IGNORECASE,
)
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEANS = {
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), False),
}

Key = str | int


class PlainText(str):
    """Text that stood in the file without quotes, and so may have been meant as a number."""

    __slots__ = ()


@dataclass(frozen=True, eq=False)
class Document:
    """A YAML mapping, and where each of its parts stood.

    Attributes:
        data: The mapping: dicts with text keys, lists, text, int, float, bool and None.
        name: The file's name, for messages.
    """

    data: dict[str, Any]
    name: str
    _lines: dict[int, dict[str, int] | list[int]] = field(default_factory=dict, repr=False)

    def line_of(self, *keys: Key) -> int | None:
        """Return the line (from 1) of a key or list item, None where there is none.

        Args:
            *keys: Way from the top: mapping keys and list indices.
        """
        node: Any = self.data
        line: int | None = None
        for key in keys:
            lines = self._lines.get(id(node))
            try:
                line = lines[key]  # type: ignore[index, call-overload]
                node = node[key]
            except (KeyError, IndexError, TypeError):
                return None
        return line

    def part(self, *keys: Key) -> Document:
        """Return a mapping inside this document as a document of its own, with the same lines."""
        node: Any = self.data
        for key in keys:
            node = node[key]
        return Document(node, self.name, self._lines)

    def error(
        self,
        message: str,
        *keys: Key,
        value: object = None,
        expected: str | None = None,
    ) -> ConfigError:
        """Return an error about a place in this document, with its line and field."""
        return ConfigError(
            message, path=self.name, line=self.line_of(*keys), field=dotted(keys) or None,
            value=value, expected=expected,
        )  # fmt: skip


def dotted(keys: Sequence[Key]) -> str:
    """Return the way to a place as people write it: ``tool_frames[0].xyz``."""
    text = ""
    for key in keys:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def plain_scalar(text: str) -> Any:
    """Return what an unquoted scalar means."""
    # Nothing but a finite float has a digit, a point and this form; large files are full of them.
    if _PLAIN_FLOAT.fullmatch(text):
        return float(text)
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        # Python refuses to convert thousands of digits; as text they are refused where they stand.
        return int(text) if len(text) < 400 else PlainText(text)
    if _YAML_11_FLOAT.fullmatch(text):
        return number_from(PlainText(text))
    return PlainText(text)


def number_from(value: object) -> float:
    """Return a value of a document as a float, where a number is wanted.

    Unquoted text such as ``1e-8`` or ``5e-05`` counts as the number that it looks like; quoted
    text does not.

    Raises:
        ValueError: If the value is no number; the message completes "the value ...".
    """
    if isinstance(value, bool) or value is None:
        raise ValueError("is not a number")
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError as error:
            raise ValueError("is too large a number") from error
    if isinstance(value, PlainText) and _TOLERANT_FLOAT.fullmatch(value):
        return float(value.lower().replace(".inf", "inf").replace(".nan", "nan"))
    if isinstance(value, str) and _TOLERANT_FLOAT.fullmatch(value):
        raise ValueError("is text in quotes, not a number")
    raise ValueError("is not a number")


def finite_number_from(value: object) -> float:
    """Return a value of a document as a finite float.

    Raises:
        ValueError: If the value is no number, or not finite.
    """
    number = number_from(value)
    if not math.isfinite(number):
        raise ValueError("is not finite")
    return number
