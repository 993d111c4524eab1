"""A number: a text field, a slider below it, a mark and a way back when it is not the default."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import viser

from workbench.config.fields import FieldSpec
from workbench.config.number_text import number_text
from workbench.errors import ConfigError, WorkbenchError
from workbench.ui.numbers import OFF, SliderScale, parse_number
from workbench.ui.typed_text import TypedForm
from workbench.ui.widgets import WidgetTools, add_button

SetNumber = Callable[[float, str | None], None]
"""Asks for a value, given the name of the gesture that it belongs to, or None for a step of its
own; raises a WorkbenchError to refuse."""


class NumberControl:
    """Shows a number that is in force and asks for another one."""

    def __init__(
        self,
        tools: WidgetTools,
        name: str,
        spec: FieldSpec,
        set_value: SetNumber,
        *,
        value: float,
        default: float,
        whole: bool = False,
    ) -> None:
        """Add the control where the gui's context is.

        Args:
            tools: The control's tools.
            name: The field's own name, the label.
            spec: Unit, help, range and slider of the field.
            set_value: Asks for another value.
            value: Value in force.
            default: Value that the way back leads to.
            whole: Whether it is a whole number.
        """
        self._tools = tools
        self._name = name
        self._spec = spec
        self._set_value = set_value
        self._value = value
        self._default = default
        self._scale = SliderScale.of(spec, whole=whole)
        hint = hint_text(spec)
        self._form = TypedForm(tools)
        with self._form:
            self.text = self._form.add(name, hint, number_text(value), self._typed)
            self.back = add_button(tools.gui, "", back_help(name), color="orange", visible=False)
            self.slider = tools.gui.add_slider(
                "", 0, self._scale.last, 1, self._scale.position_of(value),
                marks=self._scale.marks(), hint=f"{name}: {hint}",
            )  # fmt: skip
        self.back.on_click(self._back)
        self.slider.on_update(self._moved)
        self.show(value, default)

    def show(self, value: float, default: float) -> None:
        """Show the value in force and whether it is the default."""
        self._value = value
        self._default = default
        self.text.show(number_text(value))
        if self._scale.value_at(self.slider.value) != value:
            self.slider.value = self._scale.position_of(value)
        self.slider.label = self._slider_label(value)
        self.back.label = f"↺ {number_text(default)}"
        self.back.visible = value != default

    def close(self) -> None:
        """Forget what was typed: the control goes away."""
        self._form.close()

    def _typed(self, text: str) -> str:
        off = self._spec.zero_is_off and text.casefold() == OFF
        value = 0.0 if off else parse_number(text)
        if value != self._value:
            self._set_value(value, None)
            self._value = value
        return number_text(value)

    def _slider_label(self, value: float) -> str:
        """Return the second line of the label: the unit, or why the slider shows another value."""
        if not self._scale.reaches(value):
            return "beyond the slider" if value > self._scale.high else "below the slider"
        unit = self._spec.unit
        if unit in ("", "1"):
            return "without unit"
        return unit if unit.startswith("per ") else f"in {unit}"

    async def _moved(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is None:
            return
        gesture = f"{self._name} slider {event.client_id}"
        self._ask(self._scale.value_at(self.slider.value), gesture, event.client)

    async def _back(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is not None:
            self._ask(self._default, None, event.client)

    def _ask(self, value: float, gesture: str | None, client: viser.ClientHandle) -> None:
        if value == self._value:
            return
        try:
            self._set_value(value, gesture)
        except WorkbenchError as error:
            self.slider.value = self._scale.position_of(self._value)
            title = f"{self._name} stays at {number_text(self._value)}"
            self._tools.notices.refused(title, error, to=client)


def hint_text(spec: FieldSpec) -> str:
    """Return the help that a control shows on hover: meaning, unit and range."""
    unit = f" Unit: {spec.unit}." if spec.unit not in ("", "1") else ""
    return f"{spec.help}{unit} Takes {spec.range_text}." if spec.slider else f"{spec.help}{unit}"


def back_help(name: str) -> str:
    """Return the help of the button that leads back to a field's default."""
    return f"Back to the default of {name} for this robot."


def whole_number(value: float, field: str) -> int:
    """Return a number as an int.

    Raises:
        ConfigError: If it has a fraction.
    """
    if value != int(value):
        raise ConfigError(
            "is not a whole number", field=field, value=value, expected="a whole number"
        )
    return int(value)
