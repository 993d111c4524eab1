"""Points, bounds and poses of an entry: three or six numbers that can be typed."""

from __future__ import annotations

from functools import partial
from typing import Any

import viser

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.tasks_values_space import BoundsValue
from workbench.ui.markup import plain
from workbench.ui.page_style import block
from workbench.ui.panels.spec_place import FieldPlace, heading
from workbench.ui.pose_fields import PoseFields
from workbench.ui.typed_text import TypedForm, TypedText
from workbench.ui.widgets import add_button, button_row, on_click

_TAKE = "Take present"


class TripleFields:
    """A point, or a bound for each axis; what is empty is not there."""

    def __init__(self, place: FieldPlace, value: Any) -> None:
        """Add the fields where the gui's context is."""
        self._place = place
        self._value: tuple[float | None, ...] | None = value
        self._is_bounds = isinstance(place.item.value, BoundsValue)
        self._heading = place.tools.gui.add_html("")
        self._form = TypedForm(place.tools)
        self._fields: list[TypedText] = []
        with self._form:
            for index, axis in enumerate("xyz"):
                self._fields.append(
                    self._form.add(
                        axis, f"{place.label} along {axis}. {place.item.spec.help}",
                        self._texts()[index], partial(self._typed, index),
                    )
                )  # fmt: skip
        if not self._is_bounds:
            _add_ways(place)
        self._show_heading()

    def show(self, value: Any, config: PinkKinematicsConfig) -> None:
        """Show a value, in the unit of now."""
        del config
        self._value = value
        self._show_heading()
        for field, text in zip(self._fields, self._texts(), strict=True):
            field.show(text)

    def close(self) -> None:
        """Forget what was typed."""
        self._form.close()

    def _show_heading(self) -> None:
        unit, _ = self._place.units()
        spec = self._place.item.spec
        content = heading(self._place.label, unit.name, spec.help)
        if content != self._heading.content:
            self._heading.content = content

    def _texts(self) -> list[str]:
        unit, _ = self._place.units()
        numbers = (None, None, None) if self._value is None else self._value
        return ["" if number is None else unit.text(number) for number in numbers]

    def _typed(self, index: int, text: str) -> str:
        # What is shown is rounded: typing the same again must not move anything.
        if text != self._texts()[index]:
            unit, _ = self._place.units()
            self._set(index, unit.parse(text) if text else None)
        return self._texts()[index]

    def _set(self, index: int, number: float | None) -> None:
        asked: list[Any] = []

        def change(value: Any) -> Any:
            if number is None and not self._is_bounds:
                asked.append(None)
            else:
                # A point that was left to the program: the other numbers are the present ones.
                numbers = list(self._place.present() if value is None else value)
                numbers[index] = number
                asked.append(tuple(numbers))
            return asked[-1]

        self._place.change(change, None)
        self._value = asked[-1]


class PoseControl:
    """A pose, or nothing where the program finds it by itself."""

    def __init__(self, place: FieldPlace, value: Any) -> None:
        """Add the control where the gui's context is."""
        self._place = place
        gui = place.tools.gui
        self._heading = gui.add_html("")
        self._box = gui.add_folder(None)
        self._built: viser.GuiFolderHandle | None = None
        self._fields: PoseFields | None = None
        _add_ways(place)
        self.show(value)

    def show(self, value: Any, config: PinkKinematicsConfig | None = None) -> None:
        """Show a value, in the units of now."""
        del config
        self._show_heading(value is None)
        if value is None:
            self._drop()
        elif self._fields is None:
            with self._box:
                self._built = self._place.tools.gui.add_folder(None)
            with self._built:
                self._fields = PoseFields(
                    self._place.tools, value, self._place.units, self._place.ask,
                    hints=(self._place.item.spec.help, self._place.item.spec.help + _ANGLES),
                )  # fmt: skip
        else:
            self._fields.show(value)

    def close(self) -> None:
        """Forget what was typed."""
        if self._fields is not None:
            self._fields.close()

    def _show_heading(self, absent: bool) -> None:
        length, angle = self._place.units()
        spec = self._place.item.spec
        content = (
            block(f"{plain(self._place.label)}: as it is at home")
            if absent
            else heading(self._place.label, f"{length.name} and {angle.name}", spec.help)
        )
        if content != self._heading.content:
            self._heading.content = content

    def _drop(self) -> None:
        self.close()
        self._fields = None
        if self._built is not None:
            self._built.remove()
            self._built = None


def _add_ways(place: FieldPlace) -> None:
    """Add what takes the value from the robot, and what leaves it to the program again."""
    with button_row(place.tools):
        take = add_button(
            place.tools.gui, _TAKE, f"Sets {place.label} to what the robot has now.",
            icon=viser.Icon.CAMERA, color="gray",
        )  # fmt: skip
        if place.item.value.optional:
            leave = add_button(
                place.tools.gui, "As at home", f"Sets {place.label} to what it is at home.",
                icon=viser.Icon.HOME, color="gray",
            )  # fmt: skip
            on_click(place.tools, leave, f"{place.label} stays", partial(place.ask, None))
    on_click(place.tools, take, f"{place.label} stays", place.take_present)


_ANGLES = " Turned by roll about x, then by pitch about y, then by yaw about z, all fixed axes."
