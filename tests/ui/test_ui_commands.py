"""Hotkeys do what they say, clash with nothing, and say why they did not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.ui.panel_rig import PanelRig
from workbench.errors import ConfigError
from workbench.ui.commands import VIEW_KEYS, Command, register_commands, standard_commands

# Camera keys of viser, and what browsers keep for themselves with Ctrl.
CAMERA_KEYS = set("WASDQE")
BROWSER_KEYS = set("TNWRLKPFJ")


def registered(rig: PanelRig) -> dict[str, Any]:
    return {
        handle.label: handle
        for handle in rig.gui._command_handle_from_uuid.values()
        if not handle._impl.removed
    }


def clear(rig: PanelRig) -> None:
    for handle in list(rig.gui._command_handle_from_uuid.values()):
        handle.remove()


def test_undo_redo_pause_step_and_home(panel_rig: PanelRig) -> None:
    clear(panel_rig)
    register_commands(panel_rig.tools, standard_commands(panel_rig.session, {}))
    commands = registered(panel_rig)
    panel_rig.session.edit(None, lambda s: s.with_kinematics(gain=0.3))
    panel_rig.browser.trigger(commands["Undo"])
    assert panel_rig.config.gain == 0.5
    panel_rig.browser.trigger(commands["Redo"])
    assert panel_rig.config.gain == 0.3
    panel_rig.browser.trigger(commands["Pause or run"])
    assert panel_rig.session.state.paused
    panel_rig.browser.trigger(commands["Single step while paused"])
    assert panel_rig.session.take_inputs().single_step
    panel_rig.session.command_positions("away", {"x": 0.4})
    panel_rig.browser.trigger(commands["Go home"])
    assert panel_rig.session.state.undo_label == "go home"


def test_no_key_is_taken_twice_or_by_somebody_else(panel_rig: PanelRig) -> None:
    views = dict.fromkeys(VIEW_KEYS, lambda _client: None)
    commands = standard_commands(panel_rig.session, views, save=lambda _client: None)
    keys = [(command.key, command.modifier) for command in commands]
    assert len(set(keys)) == len(keys)
    for key, modifier in keys:
        assert key is not None
        assert key not in (CAMERA_KEYS if modifier is None else BROWSER_KEYS)
    assert ("Z", "cmd/ctrl") in keys
    assert ("Z", "cmd/ctrl+shift") in keys
    assert ("S", "cmd/ctrl") in keys


def test_without_a_file_there_is_no_save(panel_rig: PanelRig) -> None:
    labels = [command.label for command in standard_commands(panel_rig.session, {})]
    assert "Save" not in labels


def test_a_view_moves_the_camera_of_who_asked(panel_rig: PanelRig) -> None:
    clear(panel_rig)
    asked: list[object] = []
    register_commands(
        panel_rig.tools, standard_commands(panel_rig.session, {"Top view": asked.append})
    )
    panel_rig.other.trigger(registered(panel_rig)["Top view"])
    assert asked == [panel_rig.other]


def test_a_refusal_is_said_to_who_asked(panel_rig: PanelRig) -> None:
    clear(panel_rig)

    def refuse(_client: object) -> None:
        raise ConfigError("is not allowed")

    register_commands(panel_rig.tools, (Command("Do it", refuse, "X"),))
    panel_rig.browser.trigger(registered(panel_rig)["Do it"])
    assert panel_rig.browser.told == [("Do it: refused", "is not allowed")]
    assert panel_rig.other.told == []


def test_the_emergency_stop_has_a_key_where_something_is_streamed(panel_rig: PanelRig) -> None:
    clear(panel_rig)
    register_commands(panel_rig.tools, standard_commands(panel_rig.session, {}))
    stop = registered(panel_rig)["Emergency stop"]
    panel_rig.browser.trigger(stop)
    assert not panel_rig.session.state.controls.emergency_stop
    assert "nothing is streamed" in panel_rig.browser.told[0][1]
    panel_rig.session.edit(None, lambda old: replace(old, mode="streaming"))
    panel_rig.session.engage(True)
    panel_rig.browser.trigger(stop)
    controls = panel_rig.session.state.controls
    assert controls.emergency_stop and not controls.engaged
