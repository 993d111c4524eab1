"""The lists of tasks, limits and barriers on a page, and a person who uses them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import viser

from tests.ui.panel_rig import PanelRig, handles
from workbench.config.tasks_spec import Spec
from workbench.ui.panels.task_list import TaskLists
from workbench.ui.pose_fields import ANGLE_UNITS, LENGTH_UNITS, DisplayUnit


class EntryRig:
    """The panel with the three lists."""

    def __init__(self, rig: PanelRig) -> None:
        self.rig = rig
        self.length_unit = "m"
        self.panel = TaskLists(rig.context, self.units)

    def units(self) -> tuple[DisplayUnit, DisplayUnit]:
        return LENGTH_UNITS[self.length_unit], ANGLE_UNITS["degrees"]

    def refresh(self) -> None:
        self.panel.refresh(self.rig.session.state)

    def put(self, group: str, *specs: Spec) -> None:
        """Put entries into the settings from elsewhere, as another browser does."""
        self.rig.session.edit(None, lambda s: _with(s, group, specs))
        self.refresh()

    def specs(self, group: str = "tasks") -> tuple[Any, ...]:
        return getattr(self.rig.session.state.settings, group)

    def add(self, kind: str, one: str = "task") -> None:
        """Choose a kind by its title and press the button."""
        self.rig.browser.set(self.find(f"new {one}"), kind)
        self.rig.browser.click(self.find(f"Add {one}"))
        self.refresh()

    def folder(self, title: str) -> Any:
        """Return the folder of that title."""
        (found,) = [
            one
            for one in handles(self.rig.gui)
            if isinstance(one, viser.GuiFolderHandle) and getattr(one, "label", None) == title
        ]
        return found

    def titles(self) -> list[str]:
        """Return the titles of all entries, in the page's order."""
        folders = [
            one
            for one in handles(self.rig.gui)
            if isinstance(one, viser.GuiFolderHandle)
            and one.label is not None
            and any(getattr(child, "label", None) == "enabled" for child in one._children.values())
        ]
        return [folder.label or "" for folder in sorted(folders, key=lambda one: one.order)]

    def find(self, label: str, inside: str | None = None) -> Any:
        """Return the control of that label, of the entry or folder of that title."""
        where = handles(self.rig.gui) if inside is None else children(self.folder(inside))
        (found,) = [
            one
            for one in where
            if getattr(one, "label", None) == label and not hasattr(one, "_children")
        ]
        return found

    def type(self, label: str, text: str, inside: str | None = None) -> None:
        """Type a text and press Enter."""
        self.rig.browser.set(self.find(label, inside), f"{text} ")
        self.refresh()

    def set(self, label: str, value: Any, inside: str | None = None) -> None:
        self.rig.browser.set(self.find(label, inside), value)
        self.refresh()

    def set_handle(self, handle: Any, value: Any) -> None:
        self.rig.browser.set(handle, value)
        self.refresh()

    def click(self, label: str, inside: str | None = None) -> None:
        self.rig.browser.click(self.find(label, inside))
        self.refresh()


def children(container: Any) -> list[Any]:
    """Return all that a folder holds, at any depth."""
    found: list[Any] = []
    for child in container._children.values():
        found.append(child)
        if hasattr(child, "_children"):
            found += children(child)
    return found


def _with(settings: Any, group: str, specs: tuple[Spec, ...]) -> Any:

    return replace(settings, **{group: specs})
