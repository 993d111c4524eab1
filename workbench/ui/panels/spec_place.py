"""What the control of one field of an entry needs, and what every such control can do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.tasks_spec import SpecField
from workbench.model.description import RobotDescription
from workbench.ui.markup import plain
from workbench.ui.page_style import block
from workbench.ui.pose_fields import DisplayUnit
from workbench.ui.widgets import WidgetTools

Units = Callable[[], tuple[DisplayUnit, DisplayUnit]]
"""Returns the units in which lengths and angles are shown and typed."""

ChangeValue = Callable[[Callable[[Any], Any], str | None], None]
"""Asks for a function of the value in force, given the name of the gesture that it belongs to, or
None for a step of its own; raises a WorkbenchError to refuse. A function, because two browsers may
change two axes of the same cost at once."""


@dataclass(frozen=True, eq=False)
class FieldPlace:
    """One field of one entry.

    Attributes:
        tools: The control's tools.
        description: The robot, for choosers of frames and joints.
        item: The field.
        change: Asks for another value.
        present: Returns the value that the robot has at present; raises a WorkbenchError where
            there is none.
        units: Units of lengths and angles.
    """

    tools: WidgetTools
    description: RobotDescription
    item: SpecField
    change: ChangeValue
    present: Callable[[], Any]
    units: Units

    @property
    def label(self) -> str:
        """The field's name on the page."""
        return self.item.spec.label or self.item.name

    def ask(self, value: Any, gesture: str | None = None) -> None:
        """Ask for a value; raises a WorkbenchError to refuse."""
        self.change(lambda _present: value, gesture)

    def take_present(self) -> None:
        """Ask for what the robot has at present; raises a WorkbenchError to refuse."""
        self.ask(self.present())


class ValueControl(Protocol):
    """Shows a field's value in force and asks for another one."""

    def show(self, value: Any, config: PinkKinematicsConfig) -> None:
        """Show a value.

        Args:
            value: The value in force.
            config: What counts where the entry leaves a number to the config.
        """
        ...

    def close(self) -> None:
        """Forget what was typed: the control goes away."""
        ...


def heading(text: str, unit: str, help_text: str) -> str:
    """Return a line above fields that are too short for a label of their own."""
    shown = plain(text) + (f", {plain(unit)}" if unit else "")
    return block(f'<span class="dim" title="{plain(help_text, None)}">{shown}</span>')
