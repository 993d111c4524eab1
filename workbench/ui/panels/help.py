"""Help: the pages of ``static/help``, in a tab."""

from __future__ import annotations

from workbench.live.state import SessionState
from workbench.ui.markup import plain
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.static_pages import help_markdown, help_names
from workbench.ui.widgets import Choice, dropdown


class HelpPanel:
    """A chooser and the chosen page; the same for every browser."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        gui = context.tools.gui
        names = help_names()
        self._page: Choice[str] | None = None
        if not names:
            return
        self._page = dropdown(
            context.tools, "page", "Page of the help.", self._choose, names[0], options=names
        )
        context.tools.open_to_lookers(self._page.handle)
        self._link = gui.add_html("")
        self._text = gui.add_markdown("")
        self._choose(names[0])

    def refresh(self, state: SessionState) -> None:
        """The settings do not show here."""

    def close(self) -> None:
        """Nothing is pending."""

    def _choose(self, name: str) -> None:
        if self._page is None:
            return
        self._page.show(name)
        self._link.content = block(
            f'<a href="/static/help/{plain(name)}" target="_blank" rel="noopener">'
            "Open in a tab of its own</a>"
        )
        self._text.content = help_markdown(name)
