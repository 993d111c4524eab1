"""Mode: what drives the robot, and what that does differently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from workbench.config.settings import Mode, SolveWith
from workbench.live.controls import HardwareControls
from workbench.live.state import SessionState
from workbench.ui.markup import plain
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.widgets import dropdown

MODE_TITLES: Final[Mapping[Mode, str]] = {
    "live": "live",
    "streaming": "streaming",
    "planning": "planning",
    "isaac": "as Isaac Sim",
}
MODE_MEANINGS: Final[Mapping[Mode, str]] = {
    "live": "Every tick is one step of the solver from where the robot is towards the targets, and "
    "the robot is there at once.",
    "streaming": "As DimOS streams to hardware: each step starts from the last command and is "
    "low-passed, then kept within velocity caps, a window around the measured state and the joint "
    "limits. Commands are sent only while engaged; a simulated arm follows them.",
    "planning": "As DimOS plans: the robot stays until “Plan to the target” has found a way there, "
    "from here or else from random postures, and then shows it. The lists of tasks, limits and "
    "barriers stay out.",
    "isaac": "As Isaac Sim's Pink controller: one tool, the first that is on. The posture is where "
    "the controller was reset, and the gain counts for it too. Held joints, own velocity limits "
    "and the lists of tasks, limits and barriers stay out.",
}
_SOLVERS: Final[Mapping[SolveWith, str]] = {"pink": "Pink", "fast": "the fast way"}
_SOLVE_MEANINGS: Final[Mapping[SolveWith, str]] = {
    "pink": "",
    "fast": "The same problem, assembled by this program and given to daqp: the same answer in a "
    "third of the time. What goes beyond the plain config is solved by Pink.",
}  # fmt: skip


class ModePanel:
    """The switch between the modes, and who solves live steps."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        state, tools = context.session.state, context.tools
        modes = {title: mode for mode, title in MODE_TITLES.items()}
        solvers = {title: solver for solver, title in _SOLVERS.items()}
        self._mode = dropdown(
            tools, "mode", "What drives the robot. Leaving the streaming mode disengages.",
            lambda title: self._set(mode=modes[title]),
            MODE_TITLES[state.settings.mode], options=tuple(modes),
        )  # fmt: skip
        self._meaning = tools.gui.add_html("")
        self._solver = dropdown(
            tools, "solved with",
            "Who solves the steps of the live mode: Pink itself, or this program's shorter way to "
            "the same answer.",
            lambda title: self._set(solve_with=solvers[title]),
            _SOLVERS[state.settings.solve_with], options=tuple(solvers),
        )  # fmt: skip
        self._solver_meaning = tools.gui.add_html("")
        self.refresh(state)

    def refresh(self, state: SessionState) -> None:
        """Show the mode in force."""
        settings = state.settings
        self._mode.show(MODE_TITLES[settings.mode])
        self._meaning.content = _dim(MODE_MEANINGS[settings.mode])
        live = settings.mode == "live"
        self._solver.show(_SOLVERS[settings.solve_with])
        self._solver.handle.visible = live
        meaning = _SOLVE_MEANINGS[settings.solve_with]
        self._solver_meaning.content = _dim(meaning)
        self._solver_meaning.visible = live and bool(meaning)

    def close(self) -> None:
        """Nothing is pending."""

    def _set(self, **values: object) -> None:
        self._context.session.edit(None, lambda settings: replace(settings, **values))


def mode_line(mode: Mode, controls: HardwareControls) -> str:
    """Return the mode at a glance, as escaped HTML; in streaming mode, whether it is engaged."""
    title = f"<b>{plain(MODE_TITLES[mode])}</b>"
    if mode != "streaming":
        return f"Mode {title}"
    if controls.emergency_stop:
        return f'Mode {title} · <b class="bad">■ emergency stop</b>'
    if controls.engaged:
        return f'Mode {title} · <b class="good">▶ engaged</b>'
    return f'Mode {title} · <b class="fair">❚❚ disengaged</b>'


def _dim(text: str) -> str:
    return block(f'<span class="dim">{plain(text, None)}</span>')
