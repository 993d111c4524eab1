"""What of a session the exported file holds, and what of it is not saved yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from live_fakes import (
    Rig,
    at,
    fake_bundle,
    reload,
    start_settings,
)

from workbench.config.settings import Settings
from workbench.live.export import export_text


@pytest.fixture
def rig() -> Rig:
    return Rig()


FILE_EDITS = {
    "a field": lambda settings: settings.with_kinematics(gain=0.3),
    "the rate": lambda settings: replace(settings, rate_hz=200),
    "a held joint": lambda settings: replace(settings, held_joints={"x": 0.0}),
    "a velocity cap": lambda settings: replace(settings, velocity_caps={"x": 0.5}),
    "a tool that is off": lambda settings: settings.with_target("left", enabled=False),
    "home": lambda settings: replace(settings, home={**settings.home, "x": 0.1}),
    "glide": lambda settings: replace(settings, glide=False),
    "mode": lambda settings: replace(settings, mode="streaming"),
}


@pytest.mark.parametrize("edit", FILE_EDITS.values(), ids=FILE_EDITS.keys())
def test_whatever_other_bytes_come_from_moves_the_time_and_is_unsaved(
    rig: Rig, edit: Callable[[Settings], Settings]
):
    before = export_text(rig.session.state)
    rig.clock.advance(5)
    rig.session.edit(None, edit)
    state = rig.session.state
    at_the_old_time = replace(state, config_changed_at=rig.clock.utc() - timedelta(seconds=5))
    assert export_text(at_the_old_time) != before
    assert state.config_changed_at == rig.clock.utc()
    assert state.unsaved and len(rig.session.unsaved_changes()) == 1


def test_what_the_file_does_not_say_leaves_its_bytes_alone(rig: Rig):
    before = export_text(rig.session.state)
    rig.clock.advance(5)
    rig.drag_to(at(0.5))
    rig.type_target(at(0.25))
    rig.session.command_positions("set pose", {"x": 0.5})
    rig.session.set_paused(True)
    rig.session.edit("nothing", lambda settings: settings.with_kinematics(gain=0.5))
    assert export_text(rig.session.state) == before
    assert not rig.session.state.unsaved and rig.session.unsaved_changes() == ()


def test_an_undo_moves_the_time_of_the_last_change(rig: Rig):
    rig.set_gain(0.3)
    rig.clock.advance(5)
    rig.session.undo()
    assert rig.session.state.config_changed_at == rig.clock.utc()


def test_unsaved_compares_with_what_was_saved_last(rig: Rig):
    assert not rig.session.state.unsaved
    rig.set_gain(0.3)
    assert rig.session.state.unsaved
    rig.session.mark_saved(rig.session.state)
    assert not rig.session.state.unsaved
    rig.session.undo()
    assert rig.session.state.unsaved
    rig.session.redo()
    assert not rig.session.state.unsaved


def test_what_was_edited_while_the_file_was_written_stays_unsaved(rig: Rig):
    rig.set_gain(0.3)
    written = rig.session.state
    rig.set_gain(0.2)
    rig.session.mark_saved(written)
    assert rig.session.state.unsaved


def test_another_robot_neither_saves_nor_forgets_what_is_in_the_file(rig: Rig):
    rig.set_gain(0.3)
    rig.session.mark_saved(rig.session.state)
    rig.set_gain(0.2)
    reload(rig, fake_bundle())
    assert rig.session.state.unsaved
    assert [change.phrase for change in rig.session.unsaved_changes()] == ["gain 0.3 to 0.2"]
    other = fake_bundle("other")
    rig.session.replace_bundle(other, start_settings(other))
    phrases = [change.phrase for change in rig.session.unsaved_changes()]
    assert phrases == ["robot gantry to other", "gain 0.3 to 0.5"]
    rig.session.mark_saved(rig.session.state)
    assert not rig.session.state.unsaved
    rig.session.restore_previous()
    assert rig.session.state.unsaved
