"""Streaming: engage, stop, let the target go stale; and what the last tick did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import viser
from numpy.typing import NDArray

from workbench.config.settings import Settings
from workbench.ik.streaming_types import StreamingState
from workbench.live.controls import HardwareControls
from workbench.live.snapshot import StateSnapshot, StreamingView
from workbench.live.state import SessionState
from workbench.model.description import Joint, RobotDescription
from workbench.ui.markup import plain
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.emergency_stop import EmergencyStop
from workbench.ui.widgets import add_button, button_row, give_help, on_click

_ENGAGE_HELP = "Lets commands out to the arm, from where it is measured."
_DISENGAGE_HELP = "Sends no more commands; command and history are cleared."
_STOP_TARGETS_HELP = (
    "Lets no target arrive any more, as when teleoperation breaks off: after the timeout the "
    "target is stale, and command and history are cleared."
)
_RESUME_TARGETS_HELP = "Lets targets arrive again."

STATE_WORDS: Final[dict[StreamingState, str]] = {
    "tracking": "Commands are sent",
    "disengaged": "Disengaged: no commands",
    "no_target": "No target to go to: no command",
    "stale": "The target is stale: command and history are cleared",
    "feedback_missing": "A measured position is missing: no command, history is cleared",
    "feedback_invalid": "A measured position is outside its limits: no command, history is cleared",
    "failed": "The step failed: no command, history is kept",
    "preempted": "Something else moves the joints: no command",
    "emergency_stop": "Emergency stop: the arm stands still, command and history are cleared",
    "settings_refused": "The settings do not fit the robot: no command, history is kept",
}


class StreamingPanel:
    """The buttons of streaming hardware, shown in streaming mode."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        tools, gui, session = context.tools, context.tools.gui, context.session
        self._place = gui.add_folder(None)
        with self._place:
            self._stop = EmergencyStop(context)
            with button_row(tools):
                self._engage = add_button(gui, "Engage", _ENGAGE_HELP, icon=viser.Icon.PLUG)
                self._release = add_button(
                    gui, "Release the stop",
                    "Takes the emergency stop back; the arm stays disengaged until it is engaged.",
                    icon=viser.Icon.LOCK_OPEN,
                )  # fmt: skip
            with button_row(tools):
                self._targets = add_button(
                    gui, "Stop the target stream", _STOP_TARGETS_HELP,
                    icon=viser.Icon.ANTENNA_BARS_OFF, color="gray",
                )  # fmt: skip
            self._state = gui.add_html("")
        on_click(tools, self._engage, "It stays disengaged", self._toggle_engaged)
        on_click(tools, self._release, "The stop stays", session.release_emergency_stop)
        on_click(tools, self._targets, "Nothing has changed", self._toggle_targets)
        self.refresh(session.state)

    def refresh(self, state: SessionState) -> None:
        """Show what the buttons would do."""
        self._place.visible = state.settings.mode == "streaming"
        self._stop.refresh(state)
        controls = state.controls
        self._engage.disabled = controls.emergency_stop
        self._release.disabled = not controls.emergency_stop
        _relabel(
            self._engage, controls.engaged,
            ("Engage", _ENGAGE_HELP, viser.Icon.PLUG),
            ("Disengage", _DISENGAGE_HELP, viser.Icon.PLUG_OFF),
        )  # fmt: skip
        _relabel(
            self._targets, controls.targets_stopped_at_s is not None,
            ("Stop the target stream", _STOP_TARGETS_HELP, viser.Icon.ANTENNA_BARS_OFF),
            ("Let targets arrive again", _RESUME_TARGETS_HELP, viser.Icon.ANTENNA),
        )  # fmt: skip

    def show(self, snapshot: StateSnapshot) -> None:
        """Say what the last tick did."""
        state = self._context.session.state
        view = snapshot.streaming
        content = ""
        if view is not None:
            content = state_block(
                view, state.description, state.settings, self._age_s(state.controls)
            )
        if content != self._state.content:
            self._state.content = content

    def close(self) -> None:
        """Nothing is pending."""

    def _age_s(self, controls: HardwareControls) -> float | None:
        if controls.targets_stopped_at_s is None:
            return None
        return controls.target_age_s(self._context.session.clock())

    def _toggle_engaged(self) -> None:
        session = self._context.session
        session.engage(not session.state.controls.engaged)

    def _toggle_targets(self) -> None:
        session = self._context.session
        session.stop_targets(session.state.controls.targets_stopped_at_s is None)


def _relabel(
    button: viser.GuiButtonHandle,
    on: bool,
    when_off: tuple[str, str, viser.IconName],
    when_on: tuple[str, str, viser.IconName],
) -> None:
    """Show what a button that goes to and fro would do now: label, help, icon."""
    label, help_text, icon = when_on if on else when_off
    if button.label != label:
        button.label, button.icon = label, icon
        give_help(button, help_text)


def state_block(
    view: StreamingView,
    description: RobotDescription,
    settings: Settings,
    target_age_s: float | None,
) -> str:
    """Return what a streaming tick did, as HTML.

    Args:
        view: What the tick did.
        description: The robot.
        settings: What is in force.
        target_age_s: Age of the target; None while targets arrive.
    """
    lines = []
    if view.command is not None and view.measured is not None and description.joints:
        joint, ahead = most_ahead(view.command, view.measured, description.joints)
        window = settings.streaming.max_command_tracking_error_deg
        lines.append(("most ahead", f"{joint.name}, {_ahead_text(ahead, joint.unit, window)}"))
    lines += [
        (what, ", ".join(names))
        for what, names in (
            ("at the velocity cap", view.at_velocity_step),
            ("at the window's edge", view.at_tracking_window),
            ("at the inward margin", view.at_margin),
        )
        if names
    ]
    if target_age_s is not None:
        lines.append(("age of the target", f"{target_age_s:.1f} s"))
    return block(
        f"<b>{plain(STATE_WORDS[view.state])}</b>",
        *(f'<br><span class="dim">{plain(what)}:</span> {plain(text)}' for what, text in lines),
    )


def most_ahead(
    command: NDArray[np.float64], measured: NDArray[np.float64], joints: Sequence[Joint]
) -> tuple[Joint, float]:
    """Return the joint whose command is farthest from where it is measured, and by how much.

    Args:
        command: Commanded positions, rad or m, shape (n,).
        measured: Measured positions, shape (n,).
        joints: The joints in the same order; at least one. A continuous one is compared over the
            shorter way round.
    """
    ahead = np.abs(command - measured)
    for index, joint in enumerate(joints):
        if joint.kind == "continuous":
            turn = ahead[index] % (2.0 * np.pi)
            ahead[index] = min(turn, 2.0 * np.pi - turn)
    index = int(np.argmax(ahead))
    return joints[index], float(ahead[index])


def _ahead_text(ahead: float, unit: str, window_deg: float) -> str:
    if unit == "m":
        return f"{1e3 * ahead:.2f} of {1e3 * np.radians(window_deg):.0f} mm"
    return f"{np.degrees(ahead):.2f} of {window_deg:g}°"
