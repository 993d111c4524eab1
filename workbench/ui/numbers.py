"""Numbers as people type and read them, and the positions of a slider."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from workbench.config.fields import FieldSpec
from workbench.config.number_text import number_text
from workbench.errors import ConfigError

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_POSITIONS_PER_DECADE = 20
_LINEAR_POSITIONS = 50
OFF = "off"
"""What stands for zero where zero leaves something out."""


def parse_number(text: str) -> float:
    """Read a number that somebody typed: ``0.5``, ``1e-8``, ``.5``, ``-2``.

    Raises:
        ConfigError: If it is no finite number. A decimal comma is named as such.
    """
    typed = text.strip().replace("\N{MINUS SIGN}", "-")
    if not typed:
        raise ConfigError("nothing was typed", expected="a number, such as 0.5 or 1e-8")
    if not _NUMBER.fullmatch(typed):
        expected = "a number, such as 0.5 or 1e-8"
        if _NUMBER.fullmatch(typed.replace(",", ".", 1)):
            expected = f"a decimal point: {typed.replace(',', '.', 1)}"
        raise ConfigError("is not a number", value=text.strip(), expected=expected)
    value = float(typed)
    if not math.isfinite(value):
        raise ConfigError("is not finite", value=text.strip(), expected="a finite number")
    return value


def quantity(value: float, unit: str, digits: int = 3) -> str:
    """Return a number with its unit, rounded to significant digits: ``0.6 degrees``."""
    return f"{value:.{digits}g} {unit}".rstrip()


@dataclass(frozen=True)
class SliderScale:
    """How the whole-numbered positions 0, 1, ... of a slider map to values.

    Attributes:
        low: Value at the first position that is not "off".
        high: Value at the last position.
        logarithmic: Whether equal steps are equal ratios.
        off: Whether position 0 stands for zero, before ``low``.
        step: Distance of neighbouring values on a linear scale.
    """

    low: float
    high: float
    logarithmic: bool
    off: bool
    step: float

    @classmethod
    def of(cls, spec: FieldSpec, *, whole: bool = False) -> SliderScale:
        """Return the scale that a field's spec asks for.

        Args:
            spec: The field's spec.
            whole: Whether the field holds whole numbers.

        Raises:
            ValueError: If the field has no slider.
        """
        if spec.slider is None:
            raise ValueError("a field without a slider range has no slider")
        low, high = spec.slider
        step = 1.0 if whole else 10.0 ** math.floor(math.log10((high - low) / _LINEAR_POSITIONS))
        return cls(low, high, spec.scale == "logarithmic", spec.zero_is_off, step)

    @property
    def last(self) -> int:
        """The rightmost position."""
        if self.logarithmic:
            steps = _POSITIONS_PER_DECADE * math.log10(self.high / self.low)
        else:
            steps = (self.high - self.low) / self.step
        return round(steps) + int(self.off)

    def reaches(self, value: float) -> bool:
        """Tell whether a value lies between the slider's ends, or at its "off"."""
        return self.low <= value <= self.high or (self.off and value == 0.0)

    def value_at(self, position: float) -> float:
        """Return the value at a position; positions outside the slider mean its ends.

        Values of a logarithmic scale are rounded to two significant digits, those of a linear one
        to the step, so that what a slider sets is a number that one would write down.
        """
        place = min(max(round(position), 0), self.last)
        if self.off:
            if place == 0:
                return 0.0
            place -= 1
        if self.logarithmic:
            value = self.low * 10.0 ** (place / _POSITIONS_PER_DECADE)
            return float(f"{min(value, self.high):.2g}")
        digits = max(0, -math.floor(math.log10(self.step)))
        return round(min(self.low + place * self.step, self.high), digits)

    def position_of(self, value: float) -> int:
        """Return the position nearest to a value; the ends stand for all that lies beyond."""
        if self.off and value <= 0.0:
            return 0
        inside = min(max(value, self.low), self.high)
        if self.logarithmic:
            place = _POSITIONS_PER_DECADE * math.log10(inside / self.low)
        else:
            place = (inside - self.low) / self.step
        return min(round(place) + int(self.off), self.last)

    def marks(self) -> tuple[tuple[int, str], ...]:
        """Return the labelled positions: both ends, and the whole decades where they are few."""
        first = int(self.off)
        labelled = [(0, OFF)] if self.off else []
        if not self.logarithmic:
            return (*labelled, (first, number_text(self.low)), (self.last, number_text(self.high)))
        decades = round(math.log10(self.high / self.low))
        stride = -(-decades // 4)
        for decade in range(decades, -1, -stride):
            position = first + decade * _POSITIONS_PER_DECADE
            if position - first >= _POSITIONS_PER_DECADE or not self.off:
                exponent = round(math.log10(self.low)) + decade
                labelled.append((position, number_text(10.0**exponent)))
        return tuple(sorted(labelled))
