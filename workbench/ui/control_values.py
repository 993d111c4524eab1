"""What a browser may set a control to, by the control's kind and its own limits.

viser casts what comes (``float("7.5")``, ``bool("no")``) and knows no limits on the server. Here a
value is right or refused; only what a slider's own rounding did is put back inside its range.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import viser

from workbench.ui.frames import Refused, is_number

LONGEST_LINE = 4_096
LONGEST_TEXT = 262_144


def checked_value(handle: Any, value: object) -> object:
    """Return the value that a client may give to a control.

    Args:
        handle: A viser control that the user can change.
        value: What the client sent, decoded.

    Returns:
        The value itself, or for a number within rounding of a limit that limit.

    Raises:
        Refused: If the control does not take that value.
    """
    match handle:
        case viser.GuiTextHandle():
            return _checked_text(value, handle.multiline)
        case viser.GuiSliderHandle() | viser.GuiNumberHandle():
            whole = isinstance(handle.value, int)
            return _checked_number(value, handle.min, handle.max, handle.precision, whole=whole)
        case viser.GuiVector2Handle() | viser.GuiVector3Handle():
            return _checked_vector(handle, value)
        case viser.GuiMultiSliderHandle():
            return _checked_thumbs(handle, value)
        case viser.GuiRgbHandle() | viser.GuiRgbaHandle():
            channels = _list_of(value, len(handle.value))
            return [_checked_number(channel, 0, 255, 0, whole=True) for channel in channels]
    return _checked_choice(handle, value)


def _checked_choice(handle: Any, value: object) -> object:
    match handle:
        case viser.GuiButtonHandle():
            if value is not True:
                raise Refused("A button is pressed.")
        case viser.GuiCheckboxHandle():
            if not isinstance(value, bool):
                raise Refused("A checkbox is true or false.")
        case viser.GuiDropdownHandle() | viser.GuiButtonGroupHandle():
            if not isinstance(value, str) or value not in handle.options:
                raise Refused("That is none of the options.")
        case _:
            raise Refused("Users cannot change that control.")
    return value


def _checked_text(value: object, multiline: bool) -> str:
    if not isinstance(value, str):
        raise Refused("The value is text.")
    longest = LONGEST_TEXT if multiline else LONGEST_LINE
    if len(value) > longest:
        raise Refused(f"The text is longer than {longest} characters.")
    if "\0" in value or (not multiline and ("\n" in value or "\r" in value)):
        raise Refused("The text holds characters that do not belong there.")
    return value


def _checked_number(
    value: object, low: float | None, high: float | None, precision: int, *, whole: bool
) -> float:
    """Check a number; a limit that the page had to round counts as that limit."""
    if not is_number(value):
        raise Refused("The value is a finite number.")
    number: Any = value
    if whole and number != math.floor(number):
        raise Refused("The value is a whole number.")
    for limit in (low, high):
        # The page shows and sends at most `precision` decimals, of the limits as well.
        if limit is not None and math.isclose(number, round(limit, precision), abs_tol=1e-12):
            return int(limit) if whole else limit
    if low is not None and number < low:
        raise Refused(f"The value is at least {low:g}.", unfinished=True)
    if high is not None and number > high:
        raise Refused(f"The value is at most {high:g}.", unfinished=True)
    return int(number) if whole else number


def _checked_vector(handle: Any, value: object) -> list[float]:
    count = len(handle.value)
    numbers = _list_of(value, count)
    lows = handle.min if handle.min is not None else [None] * count
    highs = handle.max if handle.max is not None else [None] * count
    whole = isinstance(handle.value[0], int)
    return [
        _checked_number(number, low, high, handle.precision, whole=whole)
        for number, low, high in zip(numbers, lows, highs, strict=True)
    ]


def _checked_thumbs(handle: Any, value: object) -> list[float]:
    thumbs = _list_of(value, len(handle.value))
    whole = isinstance(handle.value[0], int)
    numbers = [
        _checked_number(thumb, handle.min, handle.max, handle.precision, whole=whole)
        for thumb in thumbs
    ]
    gap = (handle.min_range or 0.0) - 10.0**-handle.precision
    if any(after - before < gap for before, after in itertools.pairwise(numbers)):
        raise Refused("The values ascend.")
    ends = (handle.value[0], handle.value[-1])
    if handle.fixed_endpoints and (numbers[0], numbers[-1]) != ends:
        raise Refused("The first and the last value are fixed.")
    return numbers


def _list_of(value: object, count: int) -> list[object]:
    if not isinstance(value, list) or len(value) != count:
        raise Refused(f"The value is a list of {count}.")
    return value
