"""Linear equations between joints, as text that can be typed: ``1 * a - 2 * b = 0.5``."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import viser

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.number_text import number_text
from workbench.config.tasks_values_joints import Relation
from workbench.errors import ConfigError
from workbench.ui.numbers import parse_number
from workbench.ui.panels.spec_place import FieldPlace, heading
from workbench.ui.typed_text import TypedForm, TypedText

_EXAMPLE = "an equation, such as 1 * a - 2 * b = 0.5"
_SIGN = re.compile(r"\s+([+-])\s+")
_NEW = "new equation"


def equation_text(relation: Relation) -> str:
    """Return an equation as it is typed."""
    text = ""
    for joint, weight in relation.coefficients.items():
        sign = "-" if weight < 0.0 else "+"
        term = f"{number_text(abs(weight))} * {joint}"
        text += f" {sign} {term}" if text else (f"-{term}" if sign == "-" else term)
    return f"{text} = {number_text(relation.value)}"


def parse_equation(text: str) -> Relation:
    """Read an equation that somebody typed.

    Signs between terms stand between blanks, because a joint's name may hold a minus. A joint
    without a number counts once; a joint that stands there twice counts with both.

    Raises:
        ConfigError: If it is none.
    """
    left, equals, right = text.rpartition("=")
    if not equals or not left.strip():
        raise ConfigError("is no equation", value=text.strip(), expected=_EXAMPLE)
    first, *others = _SIGN.split(left.strip())
    terms = [("+", first), *zip(others[::2], others[1::2], strict=True)]
    coefficients: dict[str, float] = {}
    for sign, term in terms:
        number, times, joint = term.partition("*")
        if not times:
            bare = term.strip()
            number, joint = ("-1", bare[1:]) if bare.startswith("-") else ("1", bare)
        joint = joint.strip()
        if not joint:
            raise ConfigError("names no joint", value=term.strip(), expected=_EXAMPLE)
        weight = parse_number(number)
        coefficients[joint] = coefficients.get(joint, 0.0) + (-weight if sign == "-" else weight)
    return Relation(coefficients, parse_number(right))


class EquationFields:
    """One line of text an equation, and an empty one for another; an emptied one goes."""

    def __init__(self, place: FieldPlace, value: tuple[Relation, ...]) -> None:
        """Add the fields where the gui's context is."""
        self._place = place
        spec = place.item.spec
        place.tools.gui.add_html(heading(place.label, spec.unit, spec.help))
        self._box = place.tools.gui.add_folder(None)
        self._built: viser.GuiFolderHandle | None = None
        self._forms: list[TypedForm] = []
        self._fields: list[TypedText] = []
        self._value: tuple[Relation, ...] = value
        self._build()

    def show(self, value: Any, config: PinkKinematicsConfig) -> None:
        """Show a value."""
        del config
        rebuild = len(value) != len(self._value)
        self._value = value
        if rebuild:
            self._build()
        for field, text in zip(self._fields, self._texts(), strict=True):
            field.show(text)

    def close(self) -> None:
        """Forget what was typed."""
        for form in self._forms:
            form.close()

    def _build(self) -> None:
        self.close()
        if self._built is not None:
            self._built.remove()
        self._forms, self._fields = [], []
        tools = self._place.tools
        with self._box:
            self._built = tools.gui.add_folder(None)
        with self._built:
            for index, text in enumerate(self._texts()):
                # A form each, so that Enter in one does not let the others count.
                form = TypedForm(tools)
                label = f"equation {index + 1}" if index < len(self._value) else _NEW
                with form:
                    hint = f"{_EXAMPLE.capitalize()}, with joints of this robot. Empty takes it out"
                    self._fields.append(
                        form.add(label, f"{hint}.", text, partial(self._typed, index))
                    )
                self._forms.append(form)

    def _texts(self) -> list[str]:
        return [*(equation_text(relation) for relation in self._value), ""]

    def _typed(self, index: int, text: str) -> str:
        before = self._texts()[index]
        if text == before:
            return before
        relation = parse_equation(text) if text else None

        def change(value: Any) -> Any:
            kept = list(value)
            kept[index : index + 1] = [] if relation is None else [relation]
            return tuple(kept)

        self._place.change(change, None)
        return "" if relation is None or index == len(self._value) else equation_text(relation)
