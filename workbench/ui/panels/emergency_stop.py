"""The emergency stop: a button that is there, big and red, whenever commands can be sent."""

from __future__ import annotations

import viser

from workbench.live.state import SessionState
from workbench.ui.panels.context import PanelContext
from workbench.ui.widgets import add_button, on_click

LABEL = "Emergency stop"
_HELP = (
    "Stops the arm at once and clears command and history. Nothing is sent until the stop is "
    "released and the arm is engaged again. The key X does the same."
)


class EmergencyStop:
    """The button. There is one where the arm is engaged and one that no tab hides."""

    def __init__(self, context: PanelContext) -> None:
        """Add it where the gui's context is."""
        self._button = add_button(
            context.tools.gui, LABEL, _HELP, icon=viser.Icon.ALERT_OCTAGON, color="red", big=True
        )
        on_click(
            context.tools, self._button, "It was not stopped", context.session.press_emergency_stop
        )
        self.refresh(context.session.state)

    def refresh(self, state: SessionState) -> None:
        """Show it in streaming mode, whether it was pressed or not: it is never out of order."""
        self._button.visible = state.settings.mode == "streaming"

    def close(self) -> None:
        """Nothing is pending."""
