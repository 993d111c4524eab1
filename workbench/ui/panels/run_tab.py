"""The tab "Run": the mode, its buttons, what all modes share, then the numbers of the mode."""

from __future__ import annotations

from workbench.config.settings import Mode
from workbench.live.snapshot import StateSnapshot
from workbench.live.state import SessionState
from workbench.ui.panels.context import Panel, PanelContext
from workbench.ui.panels.group_controls import GroupControls
from workbench.ui.panels.group_field import GroupName
from workbench.ui.panels.mode import ModePanel
from workbench.ui.panels.planning import PlanningPanel
from workbench.ui.panels.run import RunPanel
from workbench.ui.panels.simulated_arm import SimulatedArmPanel
from workbench.ui.panels.streaming import StreamingPanel


class RunTab:
    """Everything in the tab; each mode shows what belongs to it."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        mode = ModePanel(context)
        self._streaming = StreamingPanel(context)
        planning, run = PlanningPanel(context), RunPanel(context)
        self._panels: tuple[Panel, ...] = (
            mode, self._streaming, planning, run,
            _ModeNumbers(context, "Bounds of the commands", "streaming", "streaming"),
            SimulatedArmPanel(context),
            _ModeNumbers(context, "When a plan has arrived", "planning", "planning"),
        )  # fmt: skip

    def refresh(self, state: SessionState) -> None:
        """Show what is in force."""
        for panel in self._panels:
            panel.refresh(state)

    def show(self, snapshot: StateSnapshot) -> None:
        """Show what the last tick did."""
        self._streaming.show(snapshot)

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        for panel in self._panels:
            panel.close()


class _ModeNumbers:
    """The numbers of one mode, in a folder that only that mode shows."""

    def __init__(self, context: PanelContext, title: str, group: GroupName, mode: Mode) -> None:
        self._mode: Mode = mode
        self._folder = context.tools.gui.add_folder(title)
        with self._folder:
            self._controls = GroupControls(context, group)
        self.refresh(context.session.state)

    def refresh(self, state: SessionState) -> None:
        self._folder.visible = state.settings.mode == self._mode
        self._controls.refresh(state)

    def close(self) -> None:
        self._controls.close()
