"""Controls for a group of settings, made from what its fields say of themselves.

Every field of a :class:`~workbench.config.checked.CheckedSettings` gets the control of its type: a
number, a number that can be off, a whole number, a switch, or numbers by joint
(:mod:`.joint_number_controls`); each with its unit, its help, a mark and a way back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from workbench.live.change import value_text
from workbench.live.state import SessionState
from workbench.ui.number_control import (
    Absence,
    NumberControl,
    back_help,
    hint_text,
    whole_number,
)
from workbench.ui.numbers import OFF
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.group_field import GroupField, GroupName, fields_of, group_of
from workbench.ui.panels.joint_number_controls import JointNumberControls
from workbench.ui.widgets import WidgetTools, add_button, checkbox, on_click

_FOR_ALL: Final[Mapping[str, str]] = {"joint_velocity_limits_rad_s": "max_joint_velocity_rad_s"}
"""Fields that hold a number by joint, and which field counts for the other joints."""


class FieldControl(Protocol):
    """The control of one field."""

    def refresh(self, state: SessionState) -> None:
        """Show the value in force."""
        ...

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        ...


class GroupControls:
    """One control a field, in the group's order."""

    def __init__(self, context: PanelContext, group: GroupName) -> None:
        """Add the controls where the gui's context is."""
        state, tools = context.session.state, context.tools
        model = type(group_of(state, group))
        fields = {item.name: item for item in fields_of(context.session, group)}
        self._controls: list[FieldControl] = [
            JointNumberControls(tools, item, fields[_FOR_ALL[name]])
            if name in _FOR_ALL
            else _control_of(tools, item, *model.kind_of(name))
            for name, item in fields.items()
        ]
        self.refresh(state)

    def refresh(self, state: SessionState) -> None:
        """Show what is in force."""
        for control in self._controls:
            control.refresh(state)

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        for control in self._controls:
            control.close()


def _control_of(
    tools: WidgetTools, item: GroupField, kind: object, may_be_off: bool
) -> FieldControl:
    if kind is bool:
        return _SwitchField(tools, item)
    return _NumberField(tools, item, whole=kind is int, may_be_off=may_be_off)


class _NumberField:
    """A number, whole or not, that may be off."""

    def __init__(
        self, tools: WidgetTools, item: GroupField, *, whole: bool, may_be_off: bool
    ) -> None:
        self._field = item
        self._whole = whole
        self._control = NumberControl(
            tools, item.label, item.spec, self._set,
            value=item.value(), default=item.default, whole=whole,
            absence=Absence(OFF, lambda: item.ask(None)) if may_be_off else None,
        )  # fmt: skip

    def refresh(self, state: SessionState) -> None:
        self._control.show(self._field.value(state), self._field.default)

    def close(self) -> None:
        self._control.close()

    def _set(self, value: float, gesture: str | None) -> None:
        self._field.ask(whole_number(value, self._field.name) if self._whole else value, gesture)


class _SwitchField:
    """Something that is on or off."""

    def __init__(self, tools: WidgetTools, item: GroupField) -> None:
        self._field = item
        self._box = checkbox(tools, item.label, hint_text(item.spec), item.ask, item.value())
        self._back = add_button(
            tools.gui, f"↺ {value_text(item.default)}", back_help(item.label),
            color="orange", visible=False,
        )  # fmt: skip
        on_click(tools, self._back, f"{item.label} stays", lambda: item.ask(item.default))

    def refresh(self, state: SessionState) -> None:
        value = self._field.value(state)
        self._box.show(value)
        self._back.visible = value != self._field.default

    def close(self) -> None:
        """Nothing is pending."""
