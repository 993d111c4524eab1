"""Grasps: load them, see which the robot reaches, look at one, drive to it, make some."""

from __future__ import annotations

from workbench.config.settings import Settings
from workbench.live.grasping import GraspView
from workbench.live.state import SessionState
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.grasp_author import GraspAuthor
from workbench.ui.panels.grasp_change import GraspChange
from workbench.ui.panels.grasp_details import GraspDetails
from workbench.ui.panels.grasp_frame import GraspFrame
from workbench.ui.panels.grasp_go import GraspGoPanel
from workbench.ui.panels.grasp_picture import GraspPicture
from workbench.ui.panels.grasp_reach import GraspReach
from workbench.ui.panels.grasp_source import GraspSource
from workbench.ui.panels.grasp_table import GraspTable


class GraspsTab:
    """Everything in the tab. What needs grasps is hidden as long as there are none."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        self._shown: tuple[Settings, int, GraspView, bool] | None = None
        self._source = GraspSource(context)
        gui = context.tools.gui
        self._place = gui.add_folder(None)
        with self._place:
            self._frame = GraspFrame(context)
            self._reach = GraspReach(context)
            parts = (GraspTable(context), GraspDetails(context), GraspGoPanel(context))
            author = GraspAuthor(context)
            change = GraspChange(context, author.fingers)
        self._parts = (self._frame, self._reach, *parts, author, change)
        self._picture = GraspPicture(context)
        self.refresh(context.session.state)

    def refresh(self, state: SessionState) -> None:
        """Show grasps and results in force."""
        view, running = self._context.grasping.view, self._context.reach.running
        wanted = (state.settings, state.epoch, view, running)
        if self._shown is not None and all(
            new is old for new, old in zip(wanted, self._shown, strict=True)
        ):
            return
        self._shown = wanted
        scene = state.settings.grasp_scene
        self._place.visible = scene is not None
        self._source.refresh(state)
        self._picture.refresh(state)
        if scene is None:
            return
        states = view.states(state)
        for part in self._parts:
            part.show(state, view, states)

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        for part in self._parts:
            part.close()
