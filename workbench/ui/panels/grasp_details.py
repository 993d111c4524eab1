"""What is known about the selected grasp, and how far the drawn gripper is closed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import viser

from workbench.live.grasping import GraspState, GraspView, grasps_of
from workbench.live.state import SessionState
from workbench.ui.colours import GRASP_COLOURS
from workbench.ui.markup import plain
from workbench.ui.page_style import block, rows_table
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.words import dot

_NOTHING = '<span class="dim">Select a grasp: click a row, or its lines in the scene.</span>'


class GraspDetails:
    """A table about one grasp, and a slider from before the grasp to in it."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        gui = context.tools.gui
        self._text = gui.add_html(block(_NOTHING))
        self._closed = gui.add_slider(
            "fingers", 0.0, 1.0, 0.05, 1.0, visible=False,
            marks=((0.0, "before"), (1.0, "held")),
            hint="Shows the selected gripper with its fingers as before the grasp, as in it, or "
            "between.",
        )  # fmt: skip
        self._closed.on_update(self._moved)

    def show(self, state: SessionState, view: GraspView, states: Mapping[str, GraspState]) -> None:
        """Show the selected grasp."""
        scene, name = state.settings.grasp_scene, view.selected
        assert scene is not None
        is_there = name is not None and name in states
        self._closed.visible = is_there
        self._closed.value = view.closed
        content = block(_NOTHING)
        if is_there and name is not None:
            grasp = grasps_of(scene)[name]
            content = _details(name, grasp.effective_confidence, states[name], view)
        if content != self._text.content:
            self._text.content = content

    def close(self) -> None:
        """Nothing is pending."""

    async def _moved(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is not None:
            self._context.grasping.close_fingers(float(self._closed.value))


def _details(name: str, confidence: float, state: GraspState, view: GraspView) -> str:
    colour, result = GRASP_COLOURS[state], view.result(name)
    head = (
        f"<b>{plain(name)}</b><br>{dot(colour.css)} {plain(colour.label)}"
        f'<span class="dim">, confidence {confidence:.3g}</span>'
    )
    if result is None:
        return block(head)
    old = "" if state not in ("stale", "running") else "<br><i>As it was found before:</i>"
    rows = [
        (
            "error",
            f"{1e3 * result.position_error_m:.2f} mm, "
            f"{math.degrees(result.orientation_error_rad):.2f}°",
        ),
        ("held back by", plain(result.limiting_joint or "no limit")),
    ]
    if result.limit_margin is not None:
        rows.append(("limit margin", f"{100 * result.limit_margin:.0f} % of the range"))
    rows.append(("manipulability", f"{result.manipulability:.3g}"))
    if result.approach_share is not None:
        rows.append(("approach", f"{100 * result.approach_share:.0f} %, {result.approach_s:.2f} s"))
    rows.append(("attempts", f"{result.attempts}, {1e3 * result.solve_s:.0f} ms"))
    return block(f"{head}{old}<br>{plain(result.text)}", rows_table(rows))
