"""What the scene shows of grasps, and what its colours mean."""

from __future__ import annotations

from workbench.live.state import SessionState
from workbench.ui.panels.context import PanelContext
from workbench.ui.widgets import checkbox


class GraspPicture:
    """One switch, there while there are grasps."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        self._shown = checkbox(
            context.tools, "Draw grasps", "Draws every grasp as lines in the colour of its state.",
            context.grasping.show, True,
        )  # fmt: skip

    def refresh(self, state: SessionState) -> None:
        """Show whether they are drawn."""
        self._shown.handle.visible = state.settings.grasp_scene is not None
        self._shown.show(self._context.grasping.view.shown)
