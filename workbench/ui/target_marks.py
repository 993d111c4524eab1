"""What shows how far each tool is from its target: a mark, a line and the distance in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import viser
from numpy.typing import NDArray

from workbench.live.snapshot import (
    REACHED_ORIENTATION_TOLERANCE_RAD,
    REACHED_POSITION_TOLERANCE_M,
    StateSnapshot,
    ToolState,
)
from workbench.model.description import RobotDescription
from workbench.ui.colours import StateName, line_colours, state_colour
from workbench.ui.gizmos import arm_length

_MARK_SHARE_OF_ARM = 0.22
_MARK_OPACITY = 0.55
_LINE_WIDTH_PX = 3.0
_TEXT_PERIOD_S = 0.1
_NOTICED_M = 1e-6

_STATE_OF_CODE: dict[str, StateName] = {
    "ok": "reached",
    "converging": "converging",
    "not_reached": "not_reached",
}


TARGET_STATES: tuple[StateName, ...] = tuple(_STATE_OF_CODE.values())
"""What a target's colour can say."""


def distance_text(position_error_m: float, orientation_error_rad: float) -> str:
    """Return a distance as the scene's labels show it: ``12.3 mm, 4.5°``."""
    return f"{1e3 * position_error_m:.1f} mm, {np.degrees(orientation_error_rad):.1f}°"


class TargetMarks:
    """The marks of one robot. Used by one thread at a time."""

    def __init__(
        self, server: viser.ViserServer, description: RobotDescription, *, epoch: int
    ) -> None:
        """Make them, hidden until something is sent."""
        self._root = server.scene.add_frame(f"/t{epoch}", show_axes=False)
        radius_m = _MARK_SHARE_OF_ARM * arm_length(description.size_m)
        self._marks = [
            _Mark(server.scene, f"/t{epoch}/{number}", radius_m)
            for number in range(len(description.tool_frames))
        ]

    def changes(self, snapshot: StateSnapshot) -> list[MarkChange]:
        """Return what a snapshot changes about the marks since the last :meth:`send`."""
        changes = (
            mark.change(tool, snapshot.time_s)
            for mark, tool in zip(self._marks, snapshot.tools, strict=True)
        )
        return [change for change in changes if change is not None]

    def send(self, changes: list[MarkChange]) -> None:
        """Tell the pages."""
        for change in changes:
            change.mark.apply(change)

    def remove(self) -> None:
        """Take all of them out of the scene."""
        self._root.remove()


@dataclass(frozen=True)
class _Look:
    """What a mark shows, as the page was told.

    Attributes:
        state: Its colour; None hides all of it.
        line: Whether the line is there.
        text: The label's text; empty for none.
    """

    state: StateName | None = None
    line: bool = False
    text: str = ""


@dataclass(frozen=True, eq=False)
class MarkChange:
    """What is new about a mark.

    Attributes:
        mark: Which one.
        look: How it looks from now on.
        ends: Where the tool and its target are in the world, in m, shape (2, 3).
        time_s: The loop's time.
    """

    mark: _Mark
    look: _Look
    ends: NDArray[np.float32]
    time_s: float


class _Mark:
    """One target: a translucent ball on it, a line from the tool to it, a label at its end."""

    def __init__(self, scene: viser.SceneApi, name: str, radius_m: float) -> None:
        self._look = _Look()
        self._ends = np.zeros((2, 3), dtype=np.float32)
        self._text_time_s = -np.inf
        self._ball = scene.add_icosphere(
            f"{name}b", radius_m, opacity=_MARK_OPACITY, cast_shadow=False, visible=False
        )
        self._line = scene.add_line_segments(
            f"{name}l",
            self._ends[None],
            np.zeros((1, 2, 3), dtype=np.uint8),
            thickness=_LINE_WIDTH_PX,
            thickness_units="screen",
            visible=False,
        )
        self._label = scene.add_label(f"{name}d", "", anchor="bottom-left", visible=False)

    def change(self, tool: ToolState, time_s: float) -> MarkChange | None:
        """Return what a tool's state changes, None for nothing."""
        look = self._look_for(tool, time_s)
        ends = self._ends_of(tool)
        moved = bool(np.abs(ends - self._ends).max() > _NOTICED_M)
        if look == self._look and not moved:
            return None
        return MarkChange(self, look, ends if moved else self._ends, time_s)

    def apply(self, change: MarkChange) -> None:
        """Tell the pages."""
        if change.ends is not self._ends:
            self._move(change.ends, change.look)
        if change.look != self._look:
            self._restyle(change.look, change.time_s)

    def _look_for(self, tool: ToolState, time_s: float) -> _Look:
        result = tool.result
        if not tool.enabled or tool.code is None or result.transform_target_to_world is None:
            return _Look()
        position_error_m = result.position_error_m or 0.0
        orientation_error_rad = result.orientation_error_rad or 0.0
        apart = position_error_m > REACHED_POSITION_TOLERANCE_M
        if not apart and orientation_error_rad <= REACHED_ORIENTATION_TOLERANCE_RAD:
            return _Look(_STATE_OF_CODE[tool.code])
        text = distance_text(position_error_m, orientation_error_rad)
        if self._look.text and time_s - self._text_time_s < _TEXT_PERIOD_S:
            text = self._look.text  # Nobody can read faster than this.
        return _Look(_STATE_OF_CODE[tool.code], apart, text)

    def _move(self, ends: NDArray[np.float32], look: _Look) -> None:
        if not np.array_equal(ends[1], self._ends[1]):
            self._ball.position = ends[1]
            self._label.position = ends[1]
        self._ends = ends
        if look.line:
            self._line.points = ends[None]

    def _restyle(self, look: _Look, time_s: float) -> None:
        old, self._look = self._look, look
        if look.state is not None and look.state != old.state:
            rgb = state_colour(look.state).rgb
            self._ball.color = rgb
            self._line.colors = line_colours([[rgb, rgb]])
        if look.text != old.text:
            self._text_time_s = time_s
            self._label.text = look.text
        self._ball.visible = look.state is not None
        self._line.visible = look.line
        self._label.visible = bool(look.text)

    def _ends_of(self, tool: ToolState) -> NDArray[np.float32]:
        """Return where the tool and its target are in the world, in m, shape (2, 3)."""
        target = tool.result.transform_target_to_world
        if target is None:
            return self._ends
        ends = (tool.result.transform_tool_to_world.translation, target.translation)
        return np.array(ends, dtype=np.float32)
