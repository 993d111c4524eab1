"""A number: a text field, a slider below it, a mark and a way back when it is not the default."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Absence:
    """A number that may be absent: an emptied field takes it away, and so does the word for it.

    Attributes:
        text: What is said in place of the unit while it is absent.
        clear: Asks for its absence; raises a WorkbenchError to refuse.
    """

    text: str
    clear: Callable[[], None]


class NumberControl:
    """Shows a number that is in force and asks for another one."""

    def __init__(
        self,
        tools: WidgetTools,
        name: str,
        spec: FieldSpec,
        set_value: SetNumber,
        *,
        value: float | None,
        default: float | None,
        whole: bool = False,
        absence: Absence | None = None,
    ) -> None:
        """Add the control where the gui's context is.

        Args:
            tools: The control's tools.
            name: The field's own name, the label.
            spec: Unit, help, range and slider of the field.
            set_value: Asks for another value.
            value: Value in force; None where it is absent.
            default: Value that the way back leads to.
            whole: Whether it is a whole number.
            absence: What it means when there is no number; None where there always is one.
        """
        self._tools = tools
        self._name = name
        self._spec = spec
        self._set_value = set_value
        self._value = value
        self._default = default
        self._absence = absence
        self._stand_in = 0.0
        self._scale = SliderScale.of(spec, whole=whole)
        hint = hint_text(spec)
        self._form = TypedForm(tools)
        with self._form:
            self.text = self._form.add(name, hint, _text(value), self._typed)
            self.back = add_button(tools.gui, "", back_help(name), color="orange", visible=False)
            self.slider = tools.gui.add_slider(
                "", 0, self._scale.last, 1, self._scale.position_of(value or 0.0),
                marks=self._scale.marks(), hint=f"{name}: {hint}",
            )  # fmt: skip
        self.back.on_click(self._back)
        self.slider.on_update(self._moved)
        self.show(value, default)

    def show(self, value: float | None, default: float | None, *, stand_in: float = 0.0) -> None:
        """Show the value in force and whether it is the default.

        Args:
            value: Value in force; None where it is absent.
            default: Value that the way back leads to.
            stand_in: What counts in place of an absent value; the slider shows it.
        """
        self._value = value
        self._default = default
        self._stand_in = stand_in
        self.text.show(_text(value))
        self._show_on_slider()
        self.slider.label = self._slider_label(value)
        self.back.label = f"↺ {_text(default) or 'none'}"
        self.back.visible = value != default

    def close(self) -> None:
        """Forget what was typed: the control goes away."""
        self._form.close()

    def _typed(self, text: str) -> str:
        if self._absence is not None and text.casefold() in ("", self._absence.text):
            if self._value is not None:
                self._absence.clear()
                self._value = None
            return ""
        off = self._spec.zero_is_off and text.casefold() == OFF
        value = 0.0 if off else parse_number(text)
        if value != self._value:
            self._set_value(value, None)
            self._value = value
        return number_text(value)

    def _show_on_slider(self) -> None:
        value = self._stand_in if self._value is None else self._value
        if self._scale.value_at(self.slider.value) != value:
            self.slider.value = self._scale.position_of(value)

    def _slider_label(self, value: float | None) -> str:
        """Return the second line of the label: the unit, or why the slider shows another value."""
        if value is None:
            return "" if self._absence is None else self._absence.text
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

    def _ask(self, value: float | None, gesture: str | None, client: viser.ClientHandle) -> None:
        if value == self._value:
            return
        try:
            if value is not None:
                self._set_value(value, gesture)
            elif self._absence is not None:
                self._absence.clear()
        except WorkbenchError as error:
            self._show_on_slider()
            title = f"{self._name} stays at {_text(self._value) or 'none'}"
            self._tools.notices.refused(title, error, to=client)


def _text(value: float | None) -> str:
    return "" if value is None else number_text(value)


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
