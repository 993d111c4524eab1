"""How the panels put the loop's numbers and codes into words; pieces of escaped HTML."""

from __future__ import annotations

import math

from workbench.live.snapshot import StateSnapshot, Status, StatusCode, Timing, ToolState
from workbench.ui.colours import LEGEND
from workbench.ui.markup import plain

_CSS_OF_STATE = {colour.name: colour.css for colour in LEGEND}

STATUS_TITLES: dict[StatusCode, str] = {
    "ok": "Reached",
    "converging": "On its way",
    "not_reached": "Not reached",
    "solver_failed": "The solver fails",
    "infeasible": "No solution",
    "target_invalid": "The target is no pose",
    "outside_limits": "Outside the joint limits",
    "stale_target": "The target is stale",
    "paused": "Paused",
    "fault": "Stopped by a fault",
    "loading": "Loading",
}
_TITLE_COLOURS: dict[StatusCode, str] = {
    "ok": _CSS_OF_STATE["reached"],
    "converging": _CSS_OF_STATE["converging"],
    "not_reached": _CSS_OF_STATE["not_reached"],
    "stale_target": _CSS_OF_STATE["stale"],
    "paused": _CSS_OF_STATE["stale"],
    "loading": _CSS_OF_STATE["stale"],
}
_FAILURE_COLOUR = "#d55e00"


def dot(css: str) -> str:
    """Return a dot of a colour."""
    return f'<span style="color:{css}">●</span>'


def status_lines(status: Status) -> str:
    """Return how the arm does: title, cause and remedy."""
    title = STATUS_TITLES[status.code]
    if status.oscillating:
        title = "Oscillating at its reach"
    text = f"<b>{dot(_TITLE_COLOURS.get(status.code, _FAILURE_COLOUR))} {plain(title)}</b>"
    if status.text:
        text += f"<br>{plain(status.text)}"
    if status.remedy:
        text += f'<br><span class="dim">What helps:</span> {plain(status.remedy)}'
    if status.consecutive_failures and not status.ok:
        text += f'<br><span class="dim">{status.consecutive_failures} ticks in a row</span>'
    return text


def tool_line(tool: ToolState) -> str:
    """Return one tool's errors and whether it is there."""
    if not tool.enabled or tool.code is None:
        return '<span class="dim">off</span>'
    state = "reached" if tool.code == "ok" else tool.code
    words = {"ok": "reached", "converging": "on its way", "not_reached": "not reached"}[tool.code]
    return f"{dot(_CSS_OF_STATE[state])} {error_text(tool)} {words}"


def error_text(tool: ToolState) -> str:
    """Return position and orientation error in mm and degrees."""
    metres, radians = tool.result.position_error_m, tool.result.orientation_error_rad
    if metres is None or radians is None:
        return "no target"
    return f"{millimetres(metres)}, {math.degrees(radians):.2f}°"


def millimetres(metres: float) -> str:
    """Return a length in mm, to a hundredth below 10 mm and a tenth above."""
    value = 1000.0 * metres
    return f"{value:.2f} mm" if value < 10.0 else f"{value:.1f} mm"


def timing_rows(snapshot: StateSnapshot) -> list[tuple[str, ...]]:
    """Return the rows that say how well the loop keeps its time."""
    timing: Timing = snapshot.timing
    return [
        ("tick time", f"{1e3 * timing.tick_p50_s:.2f} ms", f"p99 {1e3 * timing.tick_p99_s:.2f} ms"),
        ("rate", f"{snapshot.rate_hz:g} Hz", f"p99 {1e3 * timing.period_p99_s:.1f} ms"),
        ("ticks missed", f"{timing.missed}", ""),
    ]
