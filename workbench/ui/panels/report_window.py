"""A window with the report, to be copied into an issue or a message."""

from __future__ import annotations

from typing import Any

import viser

from workbench.ui.markup import plain
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.widgets import add_button

# Where the page is not served over https or from this machine, browsers have no clipboard for
# pages; the older command works everywhere.
_COPY = (
    "var area=this.parentElement.querySelector('textarea');area.select();"
    "var done=function(){this.textContent='Copied'}.bind(this);"
    "if(navigator.clipboard){navigator.clipboard.writeText(area.value).then(done)}"
    "else if(document.execCommand('copy')){done()}"
)
_AREA_STYLE = (
    "width:100%;height:22rem;font:0.72rem/1.4 ui-monospace,monospace;white-space:pre;"
    "color:inherit;background:rgba(128,128,128,0.1);border:1px solid rgba(128,128,128,0.4);"
    "border-radius:0.2rem;padding:0.4rem"
)
_BUTTON_STYLE = "margin:0.4rem 0;padding:0.3rem 0.9rem;cursor:pointer"


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
    """Return the text in a field to copy from, with a button that copies it."""
    text = "&#10;".join(plain(line, limit=None) for line in report.splitlines())
    return block(
        '<div><span class="dim">Versions, robot, settings and the last faults.</span>'
        f'<textarea readonly style="{_AREA_STYLE}" aria-label="report">{text}</textarea>'
        f'<button type="button" title="Puts the text on the clipboard." '
        f'style="{_BUTTON_STYLE}" onclick="{_COPY}">Copy</button></div>'
    )
