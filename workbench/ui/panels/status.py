"""Status: how the arm does, how the loop keeps its time, and what the robot's files lacked."""

from __future__ import annotations

import viser

from workbench.live.autosave import Leftover
from workbench.live.snapshot import StateSnapshot
from workbench.live.state import SessionState
from workbench.model.description import RobotDescription
from workbench.ui.markup import plain, preformatted
from workbench.ui.page_style import block, rows_table
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.emergency_stop import EmergencyStop
from workbench.ui.panels.mode import mode_line
from workbench.ui.panels.words import (
    breakable,
    closest_row,
    status_lines,
    timing_rows,
    tool_line,
)
from workbench.ui.session_keeper import left_behind_text
from workbench.ui.widgets import add_button, on_click


class StatusPanel:
    """Read-only, but for the button that lets a stopped loop run again."""

    def __init__(self, context: PanelContext) -> None:
        """Add the lines where the gui's context is."""
        self._context = context
        gui = context.tools.gui
        self._epoch: int | None = None
        self._stop = EmergencyStop(context)
        self._mode = gui.add_html("")
        self._live = gui.add_html("")
        self._fault = gui.add_html("", visible=False)
        self._restart = add_button(
            gui, "Restart the loop",
            "Lets the loop run again after the error above, from where the robot is.",
            icon=viser.Icon.REFRESH, color="orange", visible=False,
        )  # fmt: skip
        on_click(context.tools, self._restart, "The loop stays stopped", context.restart_loop)
        self._robot = gui.add_html("")
        self._loading: str | None = None
        self._left_behind: tuple[Leftover, ...] = ()
        self.refresh(context.session.state)

    def refresh(self, state: SessionState) -> None:
        """Show the mode, the robot's remarks and what is being loaded."""
        self._stop.refresh(state)
        self._mode.content = block(mode_line(state.settings.mode, state.controls))
        left_behind = self._context.keeper.left_behind
        shown = (self._epoch, self._loading, self._left_behind)
        if (state.epoch, state.loading, left_behind) == shown:
            return
        self._epoch, self._loading, self._left_behind = state.epoch, state.loading, left_behind
        self._robot.content = _robot_block(state.description, state.loading, left_behind)

    def show(self, snapshot: StateSnapshot) -> None:
        """Show errors, timing and status."""
        rows = [
            (breakable(tool.result.frame), tool_line(tool, snapshot)) for tool in snapshot.tools
        ]
        if snapshot.closest_pair is not None:
            # The scene draws the pair as well, where a mesh may hide the line.
            rows.append(closest_row(snapshot.closest_pair))
        content = block(
            f"<div>{status_lines(snapshot, self._context.session.state.controls)}</div>",
            rows_table(rows),
            rows_table(timing_rows(snapshot)),
        )
        if content != self._live.content:
            self._live.content = content
        fault = "" if snapshot.fault is None else block(preformatted(snapshot.fault))
        if fault != self._fault.content:
            self._fault.content = fault
            self._fault.visible = self._restart.visible = bool(fault)

    def close(self) -> None:
        """Nothing is pending."""


def _robot_block(
    description: RobotDescription, loading: str | None, left_behind: tuple[Leftover, ...]
) -> str:
    lines = [f"<b>{plain(description.title or description.name)}</b>"]
    if left_behind:
        lines.insert(0, f"{plain(left_behind_text(left_behind[0]))} <i>File</i> restores it.")
    if description.example is not None:
        # The example may let go what the profile's title says is held.
        lines.append(f"Example: {plain(description.example.title)}")
    if loading is not None:
        lines.append(f"loading {plain(loading)} …")
    lines.append(f'<span class="dim">{plain(description.source)}</span>')
    warnings = [remark for remark in description.remarks if remark.severity == "warning"]
    notes = [remark for remark in description.remarks if remark.severity != "warning"]
    lines += [f'<span class="fair">▲</span> {plain(remark.text)}' for remark in warnings]
    text = "<br>".join(lines)
    if notes:
        word = "note" if len(notes) == 1 else "notes"
        text += (
            f"<details><summary>{len(notes)} {word} on this robot</summary>"
            + "<br>".join(plain(remark.text) for remark in notes)
            + "</details>"
        )
    return block(text)
