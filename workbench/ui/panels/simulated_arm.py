"""The simulated arm: how imperfect the hardware is that is not there."""

from __future__ import annotations

from dataclasses import replace

import viser

from workbench.config.settings import Settings
from workbench.config.simulated_arm import SimulatedArmConfig
from workbench.errors import ConfigError
from workbench.live.state import SessionState
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.group_controls import GroupControls
from workbench.ui.widgets import add_button, on_click

_TITLE = "Simulated arm"


class SimulatedArmPanel:
    """What stands between command and measured state; folded, in streaming mode."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        gui = context.tools.gui
        self._folder = gui.add_folder(_TITLE, expand_by_default=False)
        with self._folder:
            self._text = gui.add_html("")
            self._off = add_button(
                gui, "All off",
                "Makes the arm ideal: it does at once what it is told, and is measured exactly.",
                icon=viser.Icon.ERASER, color="gray",
            )  # fmt: skip
            self._controls = GroupControls(context, "simulated_arm")
        on_click(context.tools, self._off, "The arm stays as it is", self._all_off)
        self.refresh(context.session.state)

    def refresh(self, state: SessionState) -> None:
        """Show what is in force."""
        settings = state.settings
        self._folder.visible = settings.mode == "streaming"
        ideal = settings.simulated_arm.is_ideal
        self._folder.label = f"{_TITLE}: ideal" if ideal else f"{_TITLE}: imperfect"
        self._off.disabled = ideal
        text = "It does at once what it is told."
        if not ideal:
            text = "Where it is measured is drawn as a second, translucent robot."
        self._text.content = block(f'<span class="dim">{text}</span>')
        self._controls.refresh(state)

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        self._controls.close()

    def _all_off(self) -> None:
        if self._context.session.state.settings.simulated_arm.is_ideal:
            raise ConfigError("everything is off already")
        self._context.session.edit("simulated arm off", _with_ideal_arm)


def _with_ideal_arm(settings: Settings) -> Settings:
    return replace(settings, simulated_arm=SimulatedArmConfig(seed=settings.simulated_arm.seed))
