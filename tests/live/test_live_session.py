"""A session and its robots: swapped whole, with a way back; and what is no undoable step."""

from __future__ import annotations

from dataclasses import replace

import pytest
from live_fakes import (
    Rig,
    at,
    commanded,
    fake_bundle,
    loop_of,
    reload,
    start_settings,
)

from workbench.errors import ConfigError


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_pausing_is_no_step_and_no_new_version(rig: Rig):
    version = rig.session.state.version
    rig.session.set_paused(True)
    assert rig.session.state.paused
    assert rig.session.state.version == version
    assert rig.session.state.undo_label is None


def test_single_steps_are_counted_and_end_with_the_pause(rig: Rig):
    rig.session.request_step()
    rig.session.set_paused(True)
    assert not rig.session.take_inputs().single_step
    rig.session.request_step()
    rig.session.request_step()
    taken = [rig.session.take_inputs().single_step for _ in range(3)]
    assert taken == [True, True, False]
    rig.session.request_step()
    rig.session.set_paused(False)
    rig.session.set_paused(True)
    assert not rig.session.take_inputs().single_step


def test_another_robot_is_a_new_epoch_without_a_past(rig: Rig):
    rig.set_gain(0.3)
    rig.session.command_positions("set pose", {"x": 0.5})
    rig.session.begin_drag("left", 1)
    bundle = fake_bundle("other")
    assert rig.session.replace_bundle(bundle, start_settings(bundle))
    state = rig.session.state
    assert state.epoch == 2
    assert state.bundle is bundle
    assert state.previous_robot == "gantry"
    assert (state.undo_label, state.redo_label) == (None, None)
    assert dict(state.drags) == {}
    assert rig.session.changes() == ()
    assert rig.session.take_inputs().command is None
    assert not rig.session.drag("left", 1, at(0.5))
    assert rig.session.present_positions() == dict(bundle.description.home)


def test_back_returns_to_the_robot_as_it_was_left(rig: Rig):
    rig.set_gain(0.3)
    left_as = rig.settings
    other = fake_bundle("other")
    rig.session.replace_bundle(other, start_settings(other))
    assert rig.session.restore_previous()
    state = rig.session.state
    assert state.settings == left_as
    assert state.bundle is rig.bundle
    assert state.epoch == 3
    assert state.previous_robot == "other"
    assert [change.field for change in rig.session.changes()] == ["kinematics.gain"]


def test_without_a_robot_before_there_is_no_way_back(rig: Rig):
    assert not rig.session.restore_previous()
    assert rig.session.state.epoch == 1


def test_a_reload_keeps_the_way_back_to_the_robot_before(rig: Rig):
    other = fake_bundle("other")
    rig.session.replace_bundle(other, start_settings(other))
    reload(rig, fake_bundle("other", sha256="edited"))
    assert rig.session.state.previous_robot == "gantry"


def test_a_reload_keeps_the_undo_history_and_what_was_changed_since_the_start(rig: Rig):
    rig.set_gain(0.3)
    rig.session.command_positions("set pose", {"x": 0.5})
    rig.set_gain(0.2)
    rig.session.undo()
    again = fake_bundle(sha256="edited")
    assert reload(rig, again)
    state = rig.session.state
    assert (state.epoch, state.bundle) == (2, again)
    assert (state.undo_label, state.redo_label) == ("set pose", "gain 0.3 to 0.2")
    changed = {change.field for change in rig.session.changes()}
    assert changed == {"kinematics.gain", "targets.left", "targets.right"}
    assert rig.session.undo() == "set pose"
    assert commanded(rig) == {"x": 0.0, "y": 0.0, "z": 0.0}
    rig.session.undo()
    assert rig.session.changes() == ()


def test_a_drag_that_a_reload_meets_becomes_a_step(rig: Rig):
    rig.session.begin_drag("left", 1)
    rig.session.drag("left", 1, at(0.5))
    reload(rig, fake_bundle())
    assert dict(rig.session.state.drags) == {}
    assert rig.target() == at(0.5)
    assert rig.session.undo() == "move left"
    assert rig.target() == at(0.0)


def test_a_reload_of_a_robot_that_is_gone_changes_nothing(rig: Rig):
    other = fake_bundle("other")
    rig.session.replace_bundle(other, start_settings(other))
    before = rig.session.state
    assert not reload(rig, fake_bundle(), epoch=1)
    late = fake_bundle("late")
    assert not rig.session.replace_bundle(late, start_settings(late), epoch=1)
    assert rig.session.state is before


def test_a_robot_that_came_back_is_where_it_was_before_its_first_tick(rig: Rig):
    rig.session.command_positions("set pose", {"x": 0.5})
    loop_of(rig).step()
    other = fake_bundle("other")
    rig.session.replace_bundle(other, start_settings(other))
    rig.session.restore_previous()
    assert rig.session.present_positions()["x"] == 0.5
    rig.session.hold_joint("x", True)
    assert dict(rig.settings.held_joints) == {"x": 0.5}


def test_settings_that_do_not_fit_the_new_robot_leave_the_old_one(rig: Rig):
    before = rig.session.state
    bundle = fake_bundle("other")
    with pytest.raises(ConfigError):
        rig.session.replace_bundle(bundle, replace(start_settings(bundle), home={"w": 0.0}))
    assert rig.session.state is before


def test_what_is_being_loaded_is_part_of_the_state(rig: Rig):
    rig.session.set_loading("UR5")
    assert rig.session.state.loading == "UR5"
    rig.session.set_loading(None)
    assert rig.session.state.loading is None
