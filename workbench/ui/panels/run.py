"""Run: how fast the loop goes, from where, and back again; in every mode."""

from __future__ import annotations

from dataclasses import replace

import viser

from workbench.config.settings import Settings, settings_spec
from workbench.errors import ConfigError
from workbench.ik.types import ConvergenceResult
from workbench.live.convergence import JOB_KEY, solve_to_convergence
from workbench.live.state import SessionState
from workbench.ui.markup import plain
from workbench.ui.number_control import NumberControl
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.words import millimetres
from workbench.ui.widgets import add_button, button_row, checkbox, give_help, on_click

_PAUSE_HELP = "Stops the robot where it is; targets and settings can still be changed."
_RUN_HELP = "Lets the robot follow its targets again."


class RunPanel:
    """Undo, pause, home, rate, and solving to convergence."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        tools, gui, session = context.tools, context.tools.gui, context.session
        state = session.state
        with button_row(tools):
            self._undo = add_button(
                gui, "Undo", "Takes the last change back, whoever made it. Ctrl+Z does the same.",
                icon=viser.Icon.ARROW_BACK_UP,
            )  # fmt: skip
            self._redo = add_button(
                gui, "Redo", "Makes the change again that was undone. Ctrl+Shift+Z does the same.",
                icon=viser.Icon.ARROW_FORWARD_UP,
            )  # fmt: skip
        on_click(tools, self._undo, "Nothing was undone", session.undo)
        on_click(tools, self._redo, "Nothing was redone", session.redo)
        self._steps = gui.add_html("")
        with button_row(tools):
            home = add_button(
                gui, "Home", "Puts the robot at its home, and every target at its tool.",
                icon=viser.Icon.HOME,
            )  # fmt: skip
            home_here = add_button(
                gui, "Set home here", "Makes the present joint positions the home.",
                icon=viser.Icon.HOME_PLUS,
            )  # fmt: skip
        on_click(tools, home, "The robot stays", session.go_home)
        on_click(tools, home_here, "Home stays", self._set_home_here)
        with button_row(tools):
            self._pause = add_button(gui, "Pause", _PAUSE_HELP, icon=viser.Icon.PLAYER_PAUSE)
            self._step = add_button(
                gui, "Single step", "Takes one step towards the targets while it is paused.",
                icon=viser.Icon.PLAYER_TRACK_NEXT,
            )  # fmt: skip
        on_click(tools, self._pause, "It goes on", self._toggle_pause)
        on_click(tools, self._step, "No step was taken", session.request_step)
        self._rate = NumberControl(
            tools, "rate", settings_spec(Settings, "rate_hz"), self._set_rate,
            value=state.settings.rate_hz, default=Settings().rate_hz,
        )  # fmt: skip
        self._glide = checkbox(
            tools, "glide",
            "Lets the target glide between the 20 poses a second that a browser sends while it "
            "drags. Off: the target jumps from pose to pose, as some teleoperation does.",
            self._set_glide, state.settings.glide,
        )  # fmt: skip
        self._solve = add_button(
            gui, "Solve to convergence",
            "Takes steps of dt, at most max_iterations, until every tool is at its target; says "
            "how many it took and puts the robot there.",
            icon=viser.Icon.REPEAT,
        )  # fmt: skip
        on_click(tools, self._solve, "Nothing was solved", self._start_or_cancel)
        self._solved = gui.add_html(
            block(
                '<span class="dim">Steps of dt from where the robot is, until every tool is within '
                "1 mm and 10 mrad.</span>"
            )
        )
        self.refresh(state)

    def refresh(self, state: SessionState) -> None:
        """Show what is in force."""
        self._undo.disabled = state.undo_label is None
        self._redo.disabled = state.redo_label is None
        self._steps.content = block(_steps(state))
        label = "Run" if state.paused else "Pause"
        if label != self._pause.label:
            self._pause.label = label
            self._pause.icon = viser.Icon.PLAYER_PLAY if state.paused else viser.Icon.PLAYER_PAUSE
            give_help(self._pause, _RUN_HELP if state.paused else _PAUSE_HELP)
        self._step.disabled = not state.paused
        self._rate.show(state.settings.rate_hz, Settings().rate_hz)
        self._glide.show(state.settings.glide)
        running = self._solving()
        self._solve.label = "Cancel solving" if running else "Solve to convergence"

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        self._rate.close()

    def _set_rate(self, value: float, gesture: str | None) -> None:
        self._context.session.edit(
            None, lambda settings: replace(settings, rate_hz=value), gesture=gesture
        )

    def _set_glide(self, glide: bool) -> None:
        self._context.session.edit(None, lambda settings: replace(settings, glide=glide))

    def _set_home_here(self) -> None:
        version = self._context.session.state.version
        if self._context.session.set_home_here().version == version:
            raise ConfigError("the robot is at its home already")

    def _toggle_pause(self) -> None:
        self._context.session.set_paused(not self._context.session.state.paused)

    def _solving(self) -> bool:
        return any(job.running and job.key == JOB_KEY for job in self._context.jobs.states)

    def _start_or_cancel(self) -> None:
        if self._solving():
            self._context.jobs.cancel(JOB_KEY)
            return
        solve_to_convergence(self._context.session, self._context.jobs, self._done, self._failed)

    def _done(self, result: ConvergenceResult) -> None:
        content = block(convergence_text(result))
        self._context.tools.page.call_soon(lambda: setattr(self._solved, "content", content))

    def _failed(self, error: Exception) -> None:
        content = block(f"Solving failed: {plain(str(error))}")
        self._context.tools.page.call_soon(lambda: setattr(self._solved, "content", content))


def convergence_text(result: ConvergenceResult) -> str:
    """Say how "solve to convergence" ended, as escaped HTML."""
    steps = "1 step" if result.iterations == 1 else f"{result.iterations} steps"
    left = (
        f"{millimetres(result.position_error_m)} and "
        f"{1e3 * result.orientation_error_rad:.1f} mrad left"
    )
    if result.converged:
        return f"<b>Converged in {steps}</b>, {left}"
    text = f"<b>Not converged after {steps}</b>, {left}"
    if not result.status.ok:
        text += f"<br>{plain(result.status.cause)}<br>{plain(result.status.remedy)}"
    return text


def _steps(state: SessionState) -> str:
    """Name what undo and redo would do."""
    lines = [f"undoes: {plain(state.undo_label)}" if state.undo_label else "nothing to undo"]
    if state.redo_label:
        lines.append(f"redoes: {plain(state.redo_label)}")
    return f'<span class="dim">{"<br>".join(lines)}</span>'
