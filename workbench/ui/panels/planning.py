"""Planning: search for a way to the targets, and say how the search went."""

from __future__ import annotations

import viser

from workbench.live.planning import JOB_KEY, Plan, plan_to_targets
from workbench.live.state import SessionState
from workbench.ui.markup import plain
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.widgets import add_button, give_help, on_click

_PLAN = "Plan to the target"
_CANCEL = "Cancel planning"
_PLAN_HELP = (
    "Takes steps of dt, at most max_iterations an attempt, from the present posture and then from "
    "random ones, until every tool is at its target; then shows the way. Undo goes back."
)
_CANCEL_HELP = "Ends the search; the robot stays where it is."
_NO_PLAN_YET = "Nothing has been planned for this robot yet."


class PlanningPanel:
    """The button and the text of the last plan, shown in planning mode."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        tools, gui = context.tools, context.tools.gui
        self._epoch: int | None = None
        self._place = gui.add_folder(None)
        with self._place:
            self._plan = add_button(gui, _PLAN, _PLAN_HELP, icon=viser.Icon.ROUTE)
            self._text = gui.add_html("")
        on_click(tools, self._plan, "Nothing was planned", self._start_or_cancel)
        self.refresh(context.session.state)

    def refresh(self, state: SessionState) -> None:
        """Show whether a search is on."""
        self._place.visible = state.settings.mode == "planning"
        label = _CANCEL if self._planning() else _PLAN
        if label != self._plan.label:
            self._plan.label = label
            self._plan.icon = viser.Icon.X if label == _CANCEL else viser.Icon.ROUTE
            give_help(self._plan, _CANCEL_HELP if label == _CANCEL else _PLAN_HELP)
        if state.epoch != self._epoch:
            self._epoch = state.epoch
            self._say(_NO_PLAN_YET, dim=True)

    def close(self) -> None:
        """Nothing is pending."""

    def _planning(self) -> bool:
        return any(job.running and job.key == JOB_KEY for job in self._context.jobs.states)

    def _start_or_cancel(self) -> None:
        if self._planning():
            self._context.jobs.cancel(JOB_KEY)
            self._say("Planning was cancelled.")
            return
        plan_to_targets(self._context.session, self._context.jobs, self._done, self._failed)
        self._say("Searching …", dim=True)

    def _done(self, plan: Plan) -> None:
        self._context.tools.page.call_soon(lambda: self._say(plan.text, bad=not _arrived(plan)))

    def _failed(self, error: Exception) -> None:
        text = f"Planning failed: {error}"
        self._context.tools.page.call_soon(lambda: self._say(text, bad=True))

    def _say(self, text: str, *, dim: bool = False, bad: bool = False) -> None:
        look = "dim" if dim else "bad" if bad else ""
        self._text.content = block(f'<span class="{look}">{plain(text, None)}</span>')


def _arrived(plan: Plan) -> bool:
    return plan.result.status in ("SUCCESS", "CANCELLED")
