"""What the page needs to know of a setting besides its type: unit, range, scale, help.

A :class:`FieldSpec` rides in a pydantic field's ``Annotated`` metadata, so that a setting is
described where it is defined and nowhere else: the page, the README's table and the error
messages all read it from there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

Scale = Literal["linear", "logarithmic"]


@dataclass(frozen=True)
class FieldSpec:
    """Presentation and range of one setting.

    Attributes:
        unit: Unit as it is shown, ``""`` for none.
        help: One or two sentences for the person who turns it.
        minimum: Smallest value allowed, None for none.
        maximum: Largest value allowed, None for none.
        minimum_excluded: True when the minimum itself is not allowed (``dt > 0``).
        scale: How the slider maps to values.
        slider: Smallest and largest value of the slider; a typed value may lie outside it. A
            logarithmic slider has a further leftmost position, "off", where zero is allowed.
        label: Name on the page; ``""`` where the field's own name is the label.
    """

    unit: str
    help: str
    minimum: float | None = None
    maximum: float | None = None
    minimum_excluded: bool = False
    scale: Scale = "linear"
    slider: tuple[float, float] | None = None
    label: str = ""

    @property
    def zero_is_off(self) -> bool:
        """Whether the slider's left end stands for zero."""
        return self.scale == "logarithmic" and self.minimum == 0.0 and not self.minimum_excluded

    def allows(self, value: float) -> bool:
        """Tell whether a number is finite and inside the range."""
        if not math.isfinite(value):
            return False
        if self.minimum is not None and value < self.minimum:
            return False
        if self.minimum_excluded and value == self.minimum:
            return False
        return self.maximum is None or value <= self.maximum

    @property
    def range_text(self) -> str:
        """The range in words, as error messages and help texts say it: ``a number > 0``."""
        low, high = self.minimum, self.maximum
        if low is not None and high is not None:
            opening = "(" if self.minimum_excluded else "["
            return f"a number in {opening}{low:g}, {high:g}]"
        if low is not None:
            return f"a finite number {'>' if self.minimum_excluded else '>='} {low:g}"
        return "a finite number" if high is None else f"a finite number <= {high:g}"


def field_spec(model: type[BaseModel], name: str) -> FieldSpec | None:
    """Return the spec that a model's field carries, or None for a field that has none."""
    for item in model.model_fields[name].metadata:
        if isinstance(item, FieldSpec):
            return item
    return None
