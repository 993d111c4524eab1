"""All panels on the page: where they are, and when each of them is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from workbench.live.snapshot import StateSnapshot
from workbench.live.state import SessionState
from workbench.ui.page_loop import Timer
from workbench.ui.page_style import install_page_style
from workbench.ui.panels.changes import ChangesPanel
from workbench.ui.panels.context import LivePanel, Panel, PanelContext
from workbench.ui.panels.examples import ExamplesPanel
from workbench.ui.panels.file import FilePanel
from workbench.ui.panels.grasps import GraspsTab
from workbench.ui.panels.health import HealthPanel
from workbench.ui.panels.help import HelpPanel
from workbench.ui.panels.job_list import JobList
from workbench.ui.panels.joint_controls import JointControls
from workbench.ui.panels.joint_sliders import JointSliders
from workbench.ui.panels.joint_table import JointTable
from workbench.ui.panels.named_poses import NamedPosesPanel
from workbench.ui.panels.plots import PlotsPanel
from workbench.ui.panels.run_tab import RunTab
from workbench.ui.panels.session_files import SessionFilesPanel
from workbench.ui.panels.status import StatusPanel
from workbench.ui.panels.task_list import TaskLists
from workbench.ui.panels.tools import ToolsPanel
from workbench.ui.panels.tune import TunePanel
from workbench.ui.panels.why import WhyPanel

RIGHT_WIDTH_PX: Final = 340
LEFT_WIDTH_PX: Final = 288
PLOTS_HZ: Final = 10.0
_TEXT_EVERY: Final = 2
"""Text is written at every other drawing of the plots: 5 times a second."""


class Board:
    """Builds the panels and keeps them up to date. Used on the page loop, but for ``__init__``.

    Whatever happens in the session or in a job asks for one refresh; those that come together
    become one, and it shows the newest state.
    """

    def __init__(
        self,
        context: PanelContext,
        *,
        add_scene_panel: Callable[[], Panel] | None = None,
        is_watched: Callable[[], bool] = lambda: True,
    ) -> None:
        """Add everything to the page; :meth:`start` brings it to life.

        Args:
            context: What the panels need.
            add_scene_panel: Fills the tab "Scene".
            is_watched: Whether any browser looks; without one no numbers are sent.
        """
        self._context = context
        self._is_watched = is_watched
        self._timer: Timer | None = None
        self._refresh_is_due = False
        self._drawings = 0
        self._closed = False
        gui = context.tools.gui
        install_page_style(gui)
        tabs = gui.add_tab_group()
        with tabs.add_tab("Tune"):
            tune, changes = TunePanel(context), ChangesPanel(context)
        with tabs.add_tab("Tasks"):
            tools = ToolsPanel(context)
            examples, task_lists = ExamplesPanel(context), TaskLists(context, tools.units)
            tools.on_units(task_lists.units_changed)
        with tabs.add_tab("Joints"):
            sliders = JointSliders(context, tools.units)
            poses, joints = NamedPosesPanel(context), JointControls(context)
        with tabs.add_tab("Run"):
            run = RunTab(context)
            health = HealthPanel(context)
        with tabs.add_tab("Grasps"):
            grasps = GraspsTab(context)
        with tabs.add_tab("Scene"):
            scene = None if add_scene_panel is None else add_scene_panel()
        with tabs.add_tab("File"):
            self.file, session_files = FilePanel(context), SessionFilesPanel(context)
        with tabs.add_tab("Help"):
            help_panel = HelpPanel(context)
        left = gui.add_panel()
        with left.add_tab("Status"):
            job_list = JobList(context)
            status, why = StatusPanel(context), WhyPanel(context)
            joint_table = JointTable(context)
        below = gui.add_panel()
        with below.add_tab("Plots"):
            self._plots = PlotsPanel(context)
        gui.main_panel.dock_right()
        gui.main_panel.set_width(RIGHT_WIDTH_PX)
        left.dock_left()
        left.set_width(LEFT_WIDTH_PX)
        below.dock_below(left)
        self._live: tuple[LivePanel, ...] = (
            status, why, joint_table, tools, run, sliders,
        )  # fmt: skip
        self._panels: tuple[Panel, ...] = (
            tune, changes, tools, joints, run, self.file, help_panel, job_list, status,
            joint_table, self._plots, session_files, why, health, examples, task_lists,
            grasps,
            sliders, poses, *([] if scene is None else [scene]),
        )  # fmt: skip
        self._unsubscribe = (
            context.session.subscribe(lambda _state: self.request_refresh()),
            context.jobs.subscribe(lambda _jobs: self.request_refresh()),
            context.grasping.subscribe(lambda _view: self.request_refresh()),
        )

    def start(self) -> None:
        """Show numbers from now on. May be called from any thread."""
        self._context.tools.page.call_soon(self._draw)

    def request_refresh(self) -> None:
        """Ask for the panels to be refreshed soon. May be called from any thread."""
        if not self._refresh_is_due:
            self._refresh_is_due = True
            self._context.tools.page.call_soon(self._refresh)

    def close(self) -> None:
        """Stop: the server goes away."""
        self._closed = True
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        if self._timer is not None:
            self._timer.cancel()
        for panel in self._panels:
            panel.close()

    def _refresh(self) -> None:
        # Cleared first: what changes from here on asks again.
        self._refresh_is_due = False
        state: SessionState = self._context.session.state
        for panel in self._panels:
            panel.refresh(state)

    def _draw(self) -> None:
        if self._closed:
            return
        self._timer = self._context.tools.page.call_later(1.0 / PLOTS_HZ, self._draw)
        if not self._is_watched():
            return
        self._plots.draw()
        self._drawings += 1
        snapshot: StateSnapshot | None = self._context.session.snapshots.get()
        if snapshot is None or self._drawings % _TEXT_EVERY:
            return
        if snapshot.epoch == self._context.session.state.epoch:
            for panel in self._live:
                panel.show(snapshot)
