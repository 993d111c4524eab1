"""Go: the live robot moves before the selected grasp, opens, goes in, closes."""

from __future__ import annotations

from collections.abc import Mapping

import viser

from workbench.errors import WorkbenchError
from workbench.live.grasping import Go, GoPhase, GraspState, GraspView
from workbench.live.state import SessionState
from workbench.ui.markup import plain
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.widgets import add_button, button_row, on_click

_WORDS: Mapping[GoPhase, str] = {
    "searching": "looking for the way to",
    "moving": "moving before",
    "opening": "opening before",
    "approaching": "going straight to",
    "closing": "closing at",
    "there": "holding",
    "paused": "paused on the way to",
}
_WORDS_BACK: Mapping[GoPhase, str] = {
    **_WORDS,
    "moving": "moving back from",
    "opening": "closing on the way back from",
    "approaching": "going straight out of",
    "closing": "opening at",
}
_ON_ITS_WAY: tuple[GoPhase, ...] = ("moving", "opening", "approaching", "closing")


class GraspGoPanel:
    """Three buttons and a line that says what the robot does."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        tools, gui = context.tools, context.tools.gui
        self._go = add_button(
            gui, "Go", "Moves the robot before the selected grasp, opens the gripper, goes "
            "straight in and closes it. Undo goes back at once.", icon=viser.Icon.PLAYER_PLAY,
            visible=False,
        )  # fmt: skip
        with button_row(tools):
            self._pause = add_button(
                gui, "Pause on the way", "Holds the robot where it is on its way.",
                icon=viser.Icon.PLAYER_PAUSE, visible=False,
            )  # fmt: skip
            self._on = add_button(
                gui, "Go on", "Goes on where it was paused.", icon=viser.Icon.PLAYER_PLAY,
                visible=False,
            )  # fmt: skip
            self._back = add_button(
                gui, "Go back", "Returns the way it came: opens, goes straight out, and to where "
                "it was.", icon=viser.Icon.ARROW_BACK_UP, color="gray", visible=False,
            )  # fmt: skip
        self._text = gui.add_html("", visible=False)
        on_click(tools, self._go, "The robot stays", self._start)
        on_click(tools, self._pause, "The robot goes on", context.go.pause)
        on_click(tools, self._on, "The robot stays", context.go.go_on)
        on_click(tools, self._back, "The robot stays", context.go.back)

    def show(self, state: SessionState, view: GraspView, states: Mapping[str, GraspState]) -> None:
        """Show what can be done now."""
        del state
        go, phase = view.go, None if view.go is None else view.go.phase
        self._go.visible = view.selected in states
        self._go.disabled = phase == "searching" or phase in _ON_ITS_WAY
        self._pause.visible = phase in _ON_ITS_WAY
        self._on.visible = phase == "paused"
        self._back.visible = phase in (*_ON_ITS_WAY, "paused", "there") and not (
            go is not None and go.backwards and phase != "paused"
        )
        self._text.visible = go is not None
        content = "" if go is None else _sentence(go)
        if content != self._text.content:
            self._text.content = content

    def close(self) -> None:
        """Nothing is pending."""

    def _start(self) -> None:
        name = self._context.grasping.view.selected
        if name is None:
            raise WorkbenchError("no grasp is selected")
        self._context.go.go(name)


def _sentence(go: Go) -> str:
    words = (_WORDS_BACK if go.backwards else _WORDS)[go.phase]
    return block(f"The robot is {words} <b>{plain(go.name)}</b>.")
