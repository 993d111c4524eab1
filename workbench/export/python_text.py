"""Python source for values, laid out as a formatter leaves it.

Collections stand with one item on a line and a comma after the last, which formatters keep at any
line length; everything else has to fit on a short line.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath

from workbench.poses import Pose

_WIDTH = 84


def number(value: float) -> str:
    """Return a number as Python writes it; minus zero as zero."""
    if isinstance(value, bool | int):
        return repr(value)
    if math.isinf(value):
        return "math.inf" if value > 0 else "-math.inf"
    return repr(float(value) + 0.0)


def text(value: str) -> str:
    """Return a text as a Python literal of printable ASCII, in the quotes a formatter prefers."""
    body = value.encode("unicode_escape", "backslashreplace").decode("ascii")
    if body.count('"') > body.count("'"):
        return "'" + body.replace("'", "\\'") + "'"
    return '"' + body.replace('"', '\\"') + '"'


def row(values: Iterable[float]) -> str:
    """Return numbers as a list on one line."""
    return "[" + ", ".join(number(value) for value in values) + "]"


def block(values: Iterable[float], indent: int) -> str:
    """Return numbers as a list with one on a line, its closing bracket at an indentation."""
    margin = " " * indent
    return "[\n" + "".join(f"{margin}    {number(item)},\n" for item in values) + f"{margin}]"


def fitted(prefix: str, item: object, indent: int) -> str:
    """Return a prefix and a plain value, on one line where that is not too long.

    Args:
        prefix: What stands before the value: a key, a keyword, an assignment.
        item: The value.
        indent: Indentation of the line.
    """
    line = f"{prefix}{value(item)}"
    if isinstance(item, Sequence) and not isinstance(item, str) and indent + len(line) > _WIDTH:
        return f"{prefix}{block(item, indent)}"
    return line


def transform(constructor: str, pose: Pose, indent: int) -> str:
    """Return a rigid transform's construction from ``rotation_of`` and a position."""
    w, x, y, z = pose.wxyz.tolist()
    turn = [f"{name}={number(part)}" for name, part in zip("wxyz", (w, x, y, z), strict=True)]
    place = block(pose.translation.tolist(), indent + 8)
    return call(
        constructor,
        [call("rotation_of", turn, indent + 4), call("np.array", [place], indent + 4)],
        indent,
    )


def value(item: object) -> str:
    """Return a plain value on one line: text, number, switch, None, or a list of numbers."""
    if item is None or isinstance(item, bool):
        return repr(item)
    if isinstance(item, int | float):
        return number(item)
    if isinstance(item, str):
        return text(item)
    if isinstance(item, Sequence):
        return row(item)
    raise TypeError(f"no plain value: {item!r}")


def mapping(items: Mapping[str, object], indent: int = 0) -> str:
    """Return a dict with one entry on a line, its closing brace at an indentation."""
    if not items:
        return "{}"
    margin = " " * indent
    lines = []
    for key, item in items.items():
        if isinstance(item, Mapping):
            lines.append(f"{margin}    {text(key)}: {mapping(item, indent + 4)},")
        else:
            lines.append(f"{margin}    {fitted(f'{text(key)}: ', item, indent + 4)},")
    return "{\n" + "\n".join(lines) + f"\n{margin}}}"


def names(items: Iterable[str], indent: int = 0) -> str:
    """Return a list of texts with one on a line."""
    margin = " " * indent
    found = list(items)
    if not found:
        return "[]"
    return "[\n" + "".join(f"{margin}    {text(item)},\n" for item in found) + f"{margin}]"


def call(name: str, arguments: Iterable[str], indent: int = 0) -> str:
    """Return a call with one argument on a line."""
    margin = " " * indent
    lines = "".join(f"{margin}    {argument},\n" for argument in arguments)
    return f"{name}(\n{lines}{margin})"


def path(place: PurePath) -> str:
    """Return ``Path(...)`` of a path, broken into pieces where it is long."""
    whole = f"Path({text(str(place))})"
    if len(whole) + len("URDF = ") <= _WIDTH:
        return whole
    pieces: list[str] = []
    for part in place.parts:
        joined = str(PurePath(pieces[-1]) / part) if pieces else part
        if pieces and len(text(joined)) <= _WIDTH - 8:
            pieces[-1] = joined
        else:
            pieces.append(part)
    return call("Path", [text(piece) for piece in pieces])


def comment(lines: Iterable[str], indent: int = 0) -> str:
    """Return lines as comments, wrapped; nothing in them can end the comment."""
    margin = " " * indent
    result = []
    for line in lines:
        safe = " ".join(line.encode("unicode_escape").decode("ascii").split())
        wrapped = textwrap.wrap(
            safe, _WIDTH - indent, initial_indent=f"{margin}# ", subsequent_indent=f"{margin}#   ",
            break_on_hyphens=False,
        )  # fmt: skip
        result += wrapped or [f"{margin}#"]
    return "\n".join(result)
