"""Changes: what differs from the start, old and new, each with its way back."""

from __future__ import annotations

from functools import partial

import viser

from workbench.live.change import Change
from workbench.live.state import SessionState
from workbench.ui.markup import one_line, plain
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.widgets import add_button, on_click

_TITLE = "Changed since the start"
_LABEL_LENGTH_LIMIT = 40


class ChangesPanel:
    """A line and a button for every change since the start, or since the robot was loaded."""

    def __init__(self, context: PanelContext) -> None:
        """Add the list where the gui's context is."""
        self._context = context
        gui = context.tools.gui
        self._folder = gui.add_folder(_TITLE, expand_by_default=False)
        with self._folder:
            self._none = gui.add_html(block('<span class="dim">nothing</span>'))
        self._rows: dict[str, tuple[viser.GuiHtmlHandle, viser.GuiButtonHandle]] = {}
        self._epoch: int | None = None
        self.refresh(context.session.state)

    def refresh(self, state: SessionState) -> None:
        """Show the changes; lines stay where they are while their values change."""
        changes = {change.field: change for change in self._context.session.changes()}
        for field in [field for field in self._rows if field not in changes]:
            for handle in self._rows.pop(field):
                handle.remove()
        for field, change in changes.items():
            if field not in self._rows:
                self._rows[field] = self._add(field)
            text, button = self._rows[field]
            content = _line(change)
            if content != text.content:
                text.content = content
            button.label = one_line(f"↺ {change.start}", _LABEL_LENGTH_LIMIT)
        self._none.visible = not changes
        self._folder.label = f"{_TITLE} ({len(changes)})" if changes else _TITLE

    def close(self) -> None:
        """Nothing is pending."""

    def _add(self, field: str) -> tuple[viser.GuiHtmlHandle, viser.GuiButtonHandle]:
        gui = self._context.tools.gui
        with self._folder:
            text = gui.add_html("")
            button = add_button(
                gui, "", "Back to what it was at the start; can be undone.", color="gray"
            )
        on_click(
            self._context.tools, button, "It stays", partial(self._context.session.revert, field)
        )
        return text, button


def _line(change: Change) -> str:
    return block(
        f'<b>{plain(change.label)}</b> <span class="dim">{plain(change.start)}</span> → '
        f"{plain(change.now)}"
    )
