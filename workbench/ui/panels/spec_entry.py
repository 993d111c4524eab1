"""One entry of the lists of tasks, limits and barriers: a folder with all its fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import viser

from workbench.config.settings import Settings
from workbench.config.tasks import FrameTaskSpec
from workbench.config.tasks_spec import Spec, SpecField, spec_fields
from workbench.config.tasks_values_space import PoseValue
from workbench.live.bundle import Hulls
from workbench.live.state import SessionState
from workbench.ui.markup import one_line
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.present_values import present_value
from workbench.ui.panels.spec_controls import add_control
from workbench.ui.panels.spec_notes import entry_note, entry_title
from workbench.ui.panels.spec_place import FieldPlace, Units, ValueControl
from workbench.ui.widgets import add_button, button_row, on_click

_TITLE_LENGTH_LIMIT = 60


class SpecEntry:
    """The controls of one entry; it lives as long as the entry is in the list."""

    def __init__(
        self, context: PanelContext, spec: Spec, state: SessionState, units: Units
    ) -> None:
        """Add the folder where the gui's context is.

        Args:
            context: What the panel needs.
            spec: The entry.
            state: The session with the entry in force.
            units: Units of lengths and angles.
        """
        self._context = context
        self._spec = spec
        self._group = spec.group
        self._epoch = state.epoch
        self._units = units
        self._noted: tuple[Spec | None, Hulls | None] = None, None
        self._boxes: dict[str, viser.GuiFolderHandle] = {}
        self._controls: dict[str, ValueControl] = {}
        gui = context.tools.gui
        self._folder = gui.add_folder(
            one_line(entry_title(spec), _TITLE_LENGTH_LIMIT), expand_by_default=False
        )
        with self._folder:
            self._note = gui.add_html("")
            for item in _in_order(type(spec)):
                self._add(item, state)
            with button_row(context.tools):
                remove = add_button(
                    gui, "Remove", "Takes this entry out of the list; undo brings it back.",
                    icon=viser.Icon.TRASH, color="gray",
                )  # fmt: skip
        on_click(context.tools, remove, f"{spec.name} stays", self._remove)
        self.show(spec, state)

    @property
    def spec(self) -> Spec:
        """The entry as it is shown."""
        return self._spec

    def show(self, spec: Spec, state: SessionState) -> None:
        """Show the entry in force."""
        self._spec = spec
        title = one_line(entry_title(spec), _TITLE_LENGTH_LIMIT)
        if title != self._folder.label:
            self._folder.label = title
        if self._noted[0] is not spec or self._noted[1] is not state.hulls:
            self._noted = spec, state.hulls  # of a humanoid, the list of pairs is long
            note = entry_note(spec, state)
            if note != self._note.content:
                self._note.content = note
        for name, control in self._controls.items():
            control.show(getattr(spec, name), state.settings.kinematics)
        for name, box in self._boxes.items():
            box.visible = not _is_left_to_the_gizmo(spec, name, state)

    def place_at(self, number: int) -> None:
        """Put the folder where the entry stands in its list."""
        if self._folder.order != float(number):
            self._folder.order = float(number)

    def remove(self) -> None:
        """Take the folder away."""
        self.close()
        self._folder.remove()

    def close(self) -> None:
        """Forget what was typed."""
        for control in self._controls.values():
            control.close()

    def _add(self, item: SpecField, state: SessionState) -> None:
        place = FieldPlace(
            tools=self._context.tools,
            description=state.description,
            item=item,
            change=self._rename if item.name == "name" else partial(self._change, item.name),
            present=partial(self._present, item.name),
            units=self._units,
        )
        value = getattr(self._spec, item.name)
        if isinstance(item.value, PoseValue):
            self._boxes[item.name] = self._context.tools.gui.add_folder(None)
            with self._boxes[item.name]:
                self._controls[item.name] = add_control(place, value)
        else:
            self._controls[item.name] = add_control(place, value)

    def _present(self, field: str) -> Any:
        session = self._context.session
        return present_value(self._spec, field, session.state.bundle, session.present_pose())

    def _change(self, field: str, change: Callable[[Any], Any], gesture: str | None) -> None:
        if gesture is not None:
            gesture = f"{self._group} {self._spec.name} {field} {gesture}"
        self._edit(
            None, lambda spec: replace(spec, **{field: change(getattr(spec, field))}), gesture
        )

    def _rename(self, change: Callable[[Any], Any], gesture: str | None) -> None:
        del gesture
        old, new = self._spec.name, change(self._spec.name)
        if new != old:
            self._edit(f"rename {old} to {new}", lambda spec: replace(spec, name=new), None)

    def _remove(self) -> None:
        self._edit(None, lambda _spec: None, None)

    def _edit(
        self, label: str | None, change: Callable[[Spec], Spec | None], gesture: str | None
    ) -> None:
        """Change this entry alone, if it is still there; None takes it out."""
        group, name = self._group, self._spec.name

        def with_change(settings: Settings) -> Settings:
            entries: list[Spec] = []
            for spec in getattr(settings, group):
                changed = change(spec) if spec.name == name else spec
                if changed is not None:
                    entries.append(changed)
            return replace(settings, **{group: tuple(entries)})

        self._context.session.edit(label, with_change, gesture=gesture, epoch=self._epoch)


def _in_order(kind: type[Spec]) -> list[SpecField]:
    """Return the fields with the switch first and the name last."""
    last = {"enabled": -1, "name": 1}
    return sorted(spec_fields(kind), key=lambda item: last.get(item.name, 0))


def _is_left_to_the_gizmo(spec: Spec, field: str, state: SessionState) -> bool:
    return (
        field == "target"
        and isinstance(spec, FrameTaskSpec)
        and spec.frame in state.description.tool_frames
    )
