"""Commands with hotkeys, in viser's command palette (Ctrl+K)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import viser

from workbench.errors import ConfigError, WorkbenchError
from workbench.live.session import Session
from workbench.ui.widgets import WidgetTools

Action = Callable[[viser.ClientHandle], object]

# W, A, S, D, Q, E and the arrows move viser's camera.
_ViewKey = Literal["F", "1", "2", "3"]
VIEW_KEYS: Mapping[str, _ViewKey] = {
    "Frame the robot": "F",
    "Front view": "1",
    "Side view": "2",
    "Top view": "3",
}


@dataclass(frozen=True)
class Command:
    """One entry of the palette.

    Attributes:
        label: As the palette shows it.
        action: What it does, given the browser that asked.
        key: Its hotkey, None for none.
        modifier: What is held with the key.
        changes_nothing: Whether those who may only look may use it.
    """

    label: str
    action: Action
    key: Any = None
    modifier: Any = None
    changes_nothing: bool = False


def standard_commands(
    session: Session,
    views: Mapping[str, Action],
    save: Action | None = None,
) -> tuple[Command, ...]:
    """Return the commands of the page.

    Args:
        session: What they act on.
        views: Moves one browser's camera, by the label of the command; see :data:`VIEW_KEYS`.
        save: Writes the file that the command line named; None where it named none.
    """
    commands = [
        Command("Undo", lambda _client: session.undo(), "Z", "cmd/ctrl"),
        Command("Redo", lambda _client: session.redo(), "Z", "cmd/ctrl+shift"),
        Command("Pause or run", lambda _client: session.set_paused(not session.state.paused), "P"),
        Command("Single step while paused", lambda _client: session.request_step(), "N"),
        Command("Go home", lambda _client: session.go_home(), "H"),
        Command("Emergency stop", lambda _client: _press_emergency_stop(session), "X"),
    ]
    if save is not None:
        commands.append(Command("Save", save, "S", "cmd/ctrl"))
    commands += [
        Command(label, action, VIEW_KEYS.get(label), changes_nothing=True)
        for label, action in views.items()
    ]
    return tuple(commands)


def _press_emergency_stop(session: Session) -> None:
    mode = session.state.settings.mode
    if mode != "streaming":
        raise ConfigError("nothing is streamed", field="mode", value=mode, expected="streaming")
    session.press_emergency_stop()


def register_commands(tools: WidgetTools, commands: tuple[Command, ...]) -> None:
    """Add commands to the palette of every browser; a refusal is said to the one that asked."""
    for command in commands:
        handle = tools.gui.add_command(command.label, hotkey=command.key, modifier=command.modifier)
        if command.changes_nothing:
            tools.open_to_lookers(handle)
        handle.on_trigger(_runner(tools, command))


def _runner(tools: WidgetTools, command: Command) -> Callable[[viser.CommandEvent], Any]:
    async def triggered(event: viser.CommandEvent) -> None:
        if event.client is None:
            return
        try:
            command.action(event.client)
        except WorkbenchError as error:
            tools.notices.refused(f"{command.label}: refused", error, to=event.client)

    return triggered
