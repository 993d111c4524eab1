"""The control of one field of an entry, chosen by what the field holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.tasks import WORLD_FRAME
from workbench.config.tasks_values import (
    ChoiceValue,
    NameValue,
    NumberValue,
    SwitchValue,
    ValueKind,
    WholeNumberValue,
)
from workbench.config.tasks_values_joints import JointNumbersValue, RelationsValue
from workbench.config.tasks_values_space import AxisNumbersValue, BoundsValue, PointValue, PoseValue
from workbench.ik.task_checks import known_frames
from workbench.ui.number_control import Absence, NumberControl, whole_number
from workbench.ui.panels.equations import EquationFields
from workbench.ui.panels.spec_fields_in_space import PoseControl, TripleFields
from workbench.ui.panels.spec_numbers import PartNumbers, WordOrJoints, axis_parts, joint_parts
from workbench.ui.panels.spec_place import FieldPlace, ValueControl
from workbench.ui.typed_text import TypedForm
from workbench.ui.widgets import Choice, checkbox, dropdown


def add_control(place: FieldPlace, value: Any) -> ValueControl:
    """Add a field's control where the gui's context is.

    Args:
        place: The field.
        value: Its value in force.

    Raises:
        TypeError: If a field holds what no control is known for.
    """
    make = _CONTROLS.get(type(place.item.value))
    if make is None:
        raise TypeError(f"no control for a {type(place.item.value).__name__}")
    return make(place, value)


def _switch(place: FieldPlace, value: bool) -> ValueControl:
    return _Shown(checkbox(place.tools, place.label, place.item.spec.help, place.ask, value))


def _choice(place: FieldPlace, value: str) -> ValueControl:
    kind = place.item.value
    assert isinstance(kind, ChoiceValue)
    meanings = "; ".join(f"{word}: {meaning}" for word, meaning in kind.choices)
    return _options(place, f"{place.item.spec.help} {meanings}.", value, kind.words)


def _name(place: FieldPlace, value: str) -> ValueControl:
    kind = place.item.value
    assert isinstance(kind, NameValue)
    if kind.of == "anything":
        return _Text(place, value)
    return _options(place, place.item.spec.help, value, _names(place, kind))


def _axis_numbers(place: FieldPlace, value: Any) -> ValueControl:
    kind = place.item.value
    assert isinstance(kind, AxisNumbersValue)
    return PartNumbers(place, axis_parts(kind, place.item.spec), value)


def _joint_numbers(place: FieldPlace, value: Any) -> ValueControl:
    kind = place.item.value
    assert isinstance(kind, JointNumbersValue)
    if kind.words:
        return WordOrJoints(place, kind, value)
    return PartNumbers(place, joint_parts(kind, place.item.spec, place.description), value)


def _names(place: FieldPlace, kind: NameValue) -> tuple[str, ...]:
    if kind.of == "joint":
        return place.description.joint_names
    frames = known_frames(place.description)
    return (WORLD_FRAME, *frames) if place.item.default == WORLD_FRAME else frames


def _options(place: FieldPlace, hint: str, value: str, options: tuple[str, ...]) -> ValueControl:
    return _Shown(dropdown(place.tools, place.label, hint, place.ask, value, options=options))


class _Shown:
    """A checkbox or a drop-down."""

    def __init__(self, choice: Choice[Any]) -> None:
        self._choice = choice

    def show(self, value: Any, config: PinkKinematicsConfig) -> None:
        del config
        self._choice.show(value)

    def close(self) -> None:
        """Nothing is pending."""


class _Text:
    """A name that somebody chose."""

    def __init__(self, place: FieldPlace, value: str) -> None:
        self._place = place
        self._form = TypedForm(place.tools)
        with self._form:
            self._text = self._form.add(place.label, place.item.spec.help, value, self._typed)

    def show(self, value: Any, config: PinkKinematicsConfig) -> None:
        del config
        self._text.show(value)

    def close(self) -> None:
        self._form.close()

    def _typed(self, text: str) -> str:
        self._place.ask(text)
        return text


class _Number:
    """A number, which may be left to the config where it is optional."""

    def __init__(self, place: FieldPlace, value: Any) -> None:
        self._place = place
        self._whole = isinstance(place.item.value, WholeNumberValue)
        absence = None
        if place.item.value.optional:
            absence = Absence("as in the config", lambda: place.ask(None))
        self._control = NumberControl(
            place.tools, place.label, place.item.spec, self._ask,
            value=value, default=self._default(value), whole=self._whole, absence=absence,
        )  # fmt: skip

    def show(self, value: Any, config: PinkKinematicsConfig) -> None:
        stand_in = getattr(config, self._place.item.name, 0.0)
        self._control.show(value, self._default(value), stand_in=stand_in)

    def close(self) -> None:
        self._control.close()

    def _default(self, value: Any) -> Any:
        return value if self._place.item.required else self._place.item.default

    def _ask(self, value: float, gesture: str | None) -> None:
        self._place.ask(whole_number(value, self._place.label) if self._whole else value, gesture)


_CONTROLS: dict[type[ValueKind], Callable[[FieldPlace, Any], ValueControl]] = {
    NumberValue: _Number,
    WholeNumberValue: _Number,
    SwitchValue: _switch,
    ChoiceValue: _choice,
    NameValue: _name,
    AxisNumbersValue: _axis_numbers,
    JointNumbersValue: _joint_numbers,
    PointValue: TripleFields,
    BoundsValue: TripleFields,
    PoseValue: PoseControl,
    RelationsValue: EquationFields,
}
"""The control of every kind of value."""
