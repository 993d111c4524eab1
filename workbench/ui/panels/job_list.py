"""Jobs: what runs in the background, how far it is, and a way to stop it."""

from __future__ import annotations

from workbench.live.jobs import JobState
from workbench.live.state import SessionState
from workbench.ui.markup import plain, preformatted
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.widgets import add_button, on_click

_SHOWN_AT_ONCE = 3


class JobList:
    """A few lines that are there only while something runs, and the last error of the program."""

    def __init__(self, context: PanelContext) -> None:
        """Add the lines where the gui's context is; all of them are hidden at first."""
        self._context = context
        self._rows = [_JobRow(context) for _ in range(_SHOWN_AT_ONCE)]
        self._fault = context.tools.gui.add_html("", visible=False)
        self.refresh(context.session.state)

    def refresh(self, state: SessionState) -> None:
        """Show the jobs that run; jobs change without the settings, so this is called for both."""
        states = self._context.jobs.states
        running = [job for job in states if job.running]
        for index, row in enumerate(self._rows):
            row.show(running[index] if index < len(running) else None)
        failed = next((job for job in reversed(states) if not job.running), None)
        fault = "" if failed is None or failed.fault is None else _fault_block(failed)
        if fault != self._fault.content:
            self._fault.content = fault
            self._fault.visible = bool(fault)

    def close(self) -> None:
        """Nothing is pending."""


class _JobRow:
    """One job."""

    def __init__(self, context: PanelContext) -> None:
        gui = context.tools.gui
        self._context = context
        self._key = ""
        self._text = gui.add_html("", visible=False)
        self._bar = gui.add_progress_bar(0.0, visible=False, animated=True)
        self._cancel = add_button(
            gui, "Cancel", "Stops this work and drops what it found.", color="gray", visible=False
        )
        on_click(context.tools, self._cancel, "It is over", self._stop)

    def show(self, job: JobState | None) -> None:
        visible = job is not None
        if job is not None:
            self._key = job.key
            self._text.content = block(
                f'{plain(job.title)} <span class="dim">{plain(job.text)}</span>'
            )
            self._bar.value = 100.0 * job.progress
        for handle in (self._text, self._bar, self._cancel):
            handle.visible = visible

    def _stop(self) -> None:
        self._context.jobs.cancel(self._key)


def _fault_block(job: JobState) -> str:
    return block(
        f"<details><summary>{plain(job.title)} failed by an error of the program</summary>"
        f"{preformatted(job.fault or '')}</details>"
    )
