"""A window with the report, to be copied into an issue or a message."""

from __future__ import annotations

from typing import Any

import viser

from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.copy_field import copy_field
from workbench.ui.widgets import add_button


def show_report(client: viser.ClientHandle, context: PanelContext) -> None:
    """Open the window in one browser. Runs on the page loop."""
    modal = client.gui.add_modal("Report")
    with modal:
        client.gui.add_html(report_html(context.report_text()))
        close = add_button(client.gui, "Close", "Closes this window.")
    context.tools.open_to_lookers(close)

    async def clicked(_event: viser.GuiEvent[Any]) -> None:
        if not modal.closed:
            modal.close()

    close.on_click(clicked)


def report_html(report: str) -> str:
    """Return the text to copy from, with a button that copies it."""
    return block(
        '<span class="dim">Versions, robot, settings and the last faults.</span>',
        copy_field(report, "Copy", "Puts the text on the clipboard.", shown=True),
    )
