"""The ways out and back of the File tab: export, paste, and the fields on the clipboard."""

from __future__ import annotations

from typing import Any

import viser

from workbench.config.settings import Settings
from workbench.export.dimos_config import dimos_python
from workbench.export.subject import ExportSubject
from workbench.live.state import SessionState
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.copy_field import copy_field
from workbench.ui.panels.export_dialog import ExportDialog
from workbench.ui.panels.paste_dialog import PasteDialog
from workbench.ui.widgets import add_button, button_row


class ExportButtons:
    """Export, paste, copy as YAML, copy as Python."""

    def __init__(self, context: PanelContext) -> None:
        """Add the buttons where the gui's context is."""
        self._context = context
        tools, gui = context.tools, context.tools.gui
        with button_row(tools):
            export = add_button(
                gui, "Export…",
                "Writes the settings for DimOS, Isaac Sim, Pink or Pinker, with a preview.",
                icon=viser.Icon.FILE_EXPORT,
            )  # fmt: skip
            paste = add_button(
                gui, "Paste settings…",
                "Takes settings from DimOS's flags or files, or from Isaac Sim's arguments. What "
                "would change is shown first.",
                icon=viser.Icon.CLIPBOARD_COPY,
            )  # fmt: skip
        export.on_click(self._export)
        paste.on_click(self._paste)
        # An export changes nothing, so that those who only look may have one.
        tools.open_to_lookers(export)
        self._copies = gui.add_html("")
        self._copied: tuple[int, Settings] | None = None
        self.refresh(context.session.state)

    def refresh(self, state: SessionState) -> None:
        """Have the settings in force ready: a browser lets a page copy only at once."""
        held = state.epoch, state.settings.as_exported
        if held == self._copied:
            return
        self._copied = held
        python = dimos_python(ExportSubject(state.settings))
        self._copies.content = block(
            copy_field(
                self._context.export_text(), "Copy as YAML",
                "Puts the file of the download on the clipboard.", shown=False,
            ),
            copy_field(
                python, "Copy as Python",
                "Puts a PinkKinematicsConfig(…) for DimOS on the clipboard.", shown=False,
            ),
        )  # fmt: skip

    async def _export(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is not None:
            ExportDialog(event.client, self._context)

    async def _paste(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is not None:
            PasteDialog(event.client, self._context)
