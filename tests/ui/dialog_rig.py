"""A browser in which windows can be opened, and what stands in them."""

from __future__ import annotations

import html
from typing import Any

import viser

from tests.ui.panel_rig import FakeBrowser


class DialogBrowser(FakeBrowser):
    """A browser in which windows can be opened."""

    def __init__(self, gui: viser.GuiApi) -> None:
        super().__init__(7)
        self.client_id = 7
        self.gui = gui

    @property
    def window(self) -> dict[str, Any]:
        """The controls of the one window that is open, by label."""
        (modal,) = self.gui._modal_handle_from_uuid.values()
        return {getattr(handle, "label", ""): handle for handle in walk(modal)}

    @property
    def window_html(self) -> str:
        """All HTML in the windows that are open."""
        return "\n".join(
            handle.content
            for modal in self.gui._modal_handle_from_uuid.values()
            for handle in walk(modal)
            if hasattr(handle, "content") and handle.visible
        )

    @property
    def shown(self) -> str:
        """What that HTML reads like."""
        return html.unescape(self.window_html)


def walk(container: Any) -> list[Any]:
    found = []
    for child in container._children.values():
        found += [child, *(walk(child) if hasattr(child, "_children") else [])]
    return found
