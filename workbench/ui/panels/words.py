"""How the panels put the loop's numbers and codes into words; pieces of escaped HTML."""

from __future__ import annotations

import math

from workbench.ik.streaming_types import StreamingState
from workbench.live.controls import HardwareControls
from workbench.live.snapshot import StateSnapshot, StatusCode, Timing, ToolState
from workbench.model.collision_pairs import ClosestPair
from workbench.ui.closest_pair import distance_text
from workbench.ui.colours import CLOSEST_PAIR_RGB, LEGEND, css
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
_TITLES_WITHOUT_COMMAND: dict[StreamingState, str] = {
    "disengaged": "Disengaged",
    "emergency_stop": "Emergency stop",
    "preempted": "Moved by something else",
}
_SAID_BY_THE_TITLE = frozenset(
    {
        "paused",
        "converging",
        "not reached",
        "oscillating at its reach",
        "target reached",
        "disengaged",
        "emergency stop",
    }
)
_MOVING = frozenset({"ok", "converging", "not_reached"})
_FAILURE_COLOUR = "#d55e00"


def dot(css: str) -> str:
    """Return a dot of a colour."""
    return f'<span style="color:{css}">●</span>'


def status_title(snapshot: StateSnapshot, controls: HardwareControls) -> tuple[str, str]:
    """Return how the arm does in a word or three, and the colour of its dot."""
    status = snapshot.status
    if snapshot.mode == "streaming" and controls.emergency_stop and status.code != "fault":
        return "Emergency stop", _FAILURE_COLOUR
    title, colour = STATUS_TITLES[status.code], _TITLE_COLOURS.get(status.code, _FAILURE_COLOUR)
    view = snapshot.streaming
    if status.oscillating:
        title = "Oscillating at its reach"
    elif status.code == "paused" and view is not None and not snapshot.paused:
        # Nobody pressed Pause: no command goes out, and this says why.
        title = _TITLES_WITHOUT_COMMAND.get(view.state, title)
    elif status.code == "ok" and not any(tool.enabled for tool in snapshot.tools):
        title, colour = "No target", _CSS_OF_STATE["stale"]
    return title, colour


def status_lines(snapshot: StateSnapshot, controls: HardwareControls) -> str:
    """Return how the arm does: title, cause and remedy."""
    status = snapshot.status
    title, colour = status_title(snapshot, controls)
    text = f"<b>{dot(colour)} {plain(title)}</b>"
    said = _without_title(status.text)
    if said:
        text += f"<br>{plain(said)}"
    if status.remedy:
        text += f'<br><span class="dim">What helps:</span> {plain(status.remedy)}'
    if status.consecutive_failures and not status.ok:
        ticks = f"{status.consecutive_failures} ticks in a row without a command"
        text += f'<br><span class="dim">{ticks}</span>'
    return text


def _without_title(text: str) -> str:
    """Return a status's text without the word that its title has said already."""
    if text in _SAID_BY_THE_TITLE:
        return ""
    word, colon, rest = text.partition(": ")
    return rest if colon and word in _SAID_BY_THE_TITLE else text


def tool_line(tool: ToolState, snapshot: StateSnapshot) -> str:
    """Return one tool's errors and whether it is there."""
    if not tool.enabled or tool.code is None:
        return '<span class="dim">off</span>'
    state = "reached" if tool.code == "ok" else tool.code
    # Nothing is on its way while the arm stands still.
    moves = snapshot.status.code in _MOVING
    words = {
        "ok": "reached",
        "converging": "on its way" if moves else "away",
        "not_reached": "not reached",
    }[tool.code]
    return f"{dot(_CSS_OF_STATE[state])} {error_text(tool)} {words}"


def breakable(name: str) -> str:
    """Return a name that a narrow column breaks after an underscore rather than within a word."""
    underscore = plain("_")
    return plain(name).replace(underscore, f"{underscore}<wbr>")


def closest_row(pair: ClosestPair) -> tuple[str, str]:
    """Return the row of the two links nearest each other, in the colour of their line."""
    links = f"{breakable(pair.link_a)} to {breakable(pair.link_b)}"
    name = f'{dot(css(CLOSEST_PAIR_RGB))} <span class="dim">closest:</span> {links}'
    return name, plain(distance_text(pair))


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
