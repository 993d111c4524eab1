"""The lists of tasks, limits and barriers: add, turn, switch off, remove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import viser

from workbench.config.limits import BARRIER_KINDS, LIMIT_KINDS
from workbench.config.settings import Settings
from workbench.config.tasks import TASK_KINDS
from workbench.config.tasks_spec import Spec, free_name
from workbench.errors import ConfigError
from workbench.live.state import SessionState
from workbench.ui.markup import plain
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.new_entries import Values, starting_values
from workbench.ui.panels.spec_entry import SpecEntry
from workbench.ui.panels.spec_place import Units
from workbench.ui.widgets import Choice, add_button, button_row, dropdown, on_click


@dataclass(frozen=True)
class _Group:
    """One of the three lists.

    Attributes:
        field: Its field of the settings.
        title: Its name on the page.
        one: What one of its entries is called.
        kinds: The kinds of entry, by name in files.
    """

    field: Literal["tasks", "limits", "barriers"]
    title: str
    one: str
    kinds: Mapping[str, type[Spec]]


_GROUPS = (
    _Group("tasks", "Task list", "task", TASK_KINDS),
    _Group("limits", "Limits", "limit", LIMIT_KINDS),
    _Group("barriers", "Barriers", "barrier", BARRIER_KINDS),
)


class TaskLists:
    """The three lists, one below the other."""

    def __init__(self, context: PanelContext, units: Units) -> None:
        """Add the controls where the gui's context is.

        Args:
            context: What the panel needs.
            units: Units of lengths and angles.
        """
        self._context = context
        self._shown: tuple[object, ...] = ()
        self._lists = [_List(context, group, units) for group in _GROUPS]
        self.refresh(context.session.state)

    def refresh(self, state: SessionState) -> None:
        """Show the entries in force; cheap where nothing of theirs has changed."""
        settings = state.settings
        shown = (
            state.epoch, state.hulls, settings.kinematics,
            settings.tasks, settings.limits, settings.barriers,
        )  # fmt: skip
        if len(shown) == len(self._shown) and all(
            new is old for new, old in zip(shown, self._shown, strict=True)
        ):
            return
        self._shown = shown
        for one in self._lists:
            one.refresh(state)

    def units_changed(self) -> None:
        """Show lengths and angles in the units of now."""
        self._shown = ()
        self.refresh(self._context.session.state)

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        for one in self._lists:
            one.close()


class _List:
    """One list: a chooser of kinds, and a folder an entry."""

    def __init__(self, context: PanelContext, group: _Group, units: Units) -> None:
        self._context = context
        self._group = group
        self._units = units
        self._epoch: int | None = None
        self._entries: dict[str, SpecEntry] = {}
        self._kinds = {kind.title: kind for kind in group.kinds.values()}
        self._kind = next(iter(self._kinds.values()))
        tools, gui = context.tools, context.tools.gui
        self._folder = gui.add_folder(group.title, expand_by_default=group.field == "tasks")
        with self._folder:
            self._chooser: Choice[str] = dropdown(
                tools, f"new {group.one}", f"What the next {group.one} shall be.",
                self._choose, self._kind.title, options=tuple(self._kinds),
            )  # fmt: skip
            self._summary = gui.add_html("")
            with button_row(tools):
                add = add_button(
                    gui, f"Add {group.one}",
                    f"Adds the {group.one} chosen above to the list; undo takes it out again.",
                    icon=viser.Icon.PLUS,
                )  # fmt: skip
            self._place = gui.add_folder(None)
        on_click(tools, add, f"No {group.one} was added", self._add)
        self._choose(self._kind.title)

    def refresh(self, state: SessionState) -> None:
        """Make the folders those of the entries in force, and leave alone what is the same."""
        specs: Sequence[Spec] = getattr(state.settings, self._group.field)
        if state.epoch != self._epoch:
            self._epoch = state.epoch
            self._keep({})
        title = f"{self._group.title} ({len(specs)})" if specs else self._group.title
        if title != self._folder.label:
            self._folder.label = title
        self._keep(self._still_there(specs))
        for number, spec in enumerate(specs):
            entry = self._entries.get(spec.name)
            if entry is None:
                with self._place:
                    entry = SpecEntry(self._context, spec, state, self._units)
                self._entries[spec.name] = entry
            else:
                entry.show(spec, state)
            entry.place_at(number)

    def close(self) -> None:
        for entry in self._entries.values():
            entry.close()

    def _still_there(self, specs: Sequence[Spec]) -> dict[str, SpecEntry]:
        """Return the folders that stay, by the name of now: also of one that was renamed."""
        names = [spec.name for spec in specs]
        kept = {
            spec.name: self._entries[spec.name]
            for spec in specs
            if spec.name in self._entries and type(self._entries[spec.name].spec) is type(spec)
        }
        gone = [name for name in self._entries if name not in kept]
        new = [name for name in names if name not in self._entries]
        if len(gone) == len(new) == 1:
            entry = self._entries[gone[0]]
            if replace(entry.spec, name=new[0]) == specs[names.index(new[0])]:
                kept[new[0]] = entry
        return kept

    def _keep(self, kept: dict[str, SpecEntry]) -> None:
        staying = {id(entry) for entry in kept.values()}
        for entry in self._entries.values():
            if id(entry) not in staying:
                entry.remove()
        self._entries = kept

    def _choose(self, title: str) -> None:
        self._kind = self._kinds[title]
        self._chooser.show(title)
        self._chooser.handle.hint = self._kind.summary
        self._summary.content = block(f'<span class="dim">{plain(self._kind.summary)}</span>')

    def _add(self) -> None:
        """Add what is chosen, with the first values that this robot can have."""
        session, kind = self._context.session, self._kind
        state = session.state
        first_error: ConfigError | None = None
        for values in starting_values(kind, state.settings, state.bundle, session.present_pose()):
            try:
                session.edit(
                    None, lambda s, v=values: self._with_new(s, kind, v), epoch=state.epoch
                )
            except ConfigError as error:
                first_error = first_error or error
            else:
                return
        if first_error is not None:
            raise first_error

    def _with_new(self, settings: Settings, kind: type[Spec], values: Values) -> Settings:
        specs = getattr(settings, self._group.field)
        spec = kind(name=free_name(kind.title.lower(), specs), **values)
        return replace(settings, **{self._group.field: (*specs, spec)})
