from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from live_fakes import JOINTS, Rig, at, commanded, fake_bundle, start_settings, tool_poses

from workbench.config.settings import Mode, Settings
from workbench.errors import ConfigError
from workbench.live.bundle import RobotBundle
from workbench.live.export import export_text
from workbench.live.loop import Loop
from workbench.live.state import SessionState
from workbench.poses import Pose, wxyz_from_rpy


@pytest.fixture
def rig() -> Rig:
    return Rig()


# Edits -----------------------------------------------------------------------------------


def test_an_edit_is_in_force_at_once_and_raises_the_version_by_one(rig: Rig):
    before = rig.session.state
    rig.set_gain(0.3)
    after = rig.session.state
    assert after.settings.kinematics.gain == 0.3
    assert after.version == before.version + 1
    assert after.undo_label == "gain 0.5 to 0.3"
    assert before.settings.kinematics.gain == 0.5


def test_a_refused_edit_changes_nothing(rig: Rig):
    before = rig.session.state
    with pytest.raises(ConfigError, match="gain"):
        rig.set_gain(2.0)
    assert rig.session.state is before


@pytest.mark.parametrize("mode", ["live", "streaming"])
def test_a_margin_that_leaves_a_joint_no_room_is_refused(rig: Rig, mode: Mode):
    def turn(margin: float) -> None:
        rig.session.edit(
            None,
            lambda old: replace(
                old, mode=mode, streaming=old.streaming.with_values(command_limit_margin=margin)
            ),
        )

    turn(0.999)
    before = rig.session.state
    with pytest.raises(ConfigError) as refused:
        turn(1.0)
    assert rig.session.state is before
    assert str(refused.value) == (
        "streaming.command_limit_margin: leaves joint x no room between its limits (got 1.0); "
        "expected less than 1 m, half of that joint's range"
    )


def test_a_joint_that_the_default_margin_leaves_no_room_keeps_a_robot_from_streaming_only():
    rig = Rig()
    narrow = replace(rig.bundle.description.joints[1], lower=0.0, upper=1e-4)
    joints = (rig.bundle.description.joints[0], narrow, rig.bundle.description.joints[2])
    description = replace(rig.bundle.description, joints=joints)
    bundle = replace(rig.bundle, description=description)
    rig.session.replace_bundle(bundle, start_settings(bundle))
    with pytest.raises(ConfigError, match=r"joint y no room.*less than 5e-05 m"):
        rig.session.edit(None, lambda old: replace(old, mode="streaming"))


def test_an_edit_that_changes_nothing_makes_no_step_and_no_news(rig: Rig):
    heard: list[SessionState] = []
    rig.session.subscribe(heard.append)
    before = rig.session.state
    rig.set_gain(0.5)
    assert rig.session.state is before
    assert heard == []


def test_all_of_one_edit_comes_at_once_and_is_one_step(rig: Rig):
    heard: list[Settings] = []
    rig.session.subscribe(lambda state: heard.append(state.settings))
    start = rig.settings
    rig.session.edit(
        "import panda.yaml",
        lambda settings: replace(settings.with_kinematics(gain=0.1, damping=1e-3), rate_hz=50),
    )
    assert len(heard) == 1
    assert rig.session.undo() == "import panda.yaml"
    assert rig.settings == start


def test_a_label_that_is_given_wins_over_the_difference(rig: Rig):
    rig.session.edit("reset gain", lambda settings: settings.with_kinematics(gain=0.2))
    assert rig.session.state.undo_label == "reset gain"


def test_a_slider_that_rests_less_than_800_ms_is_one_step(rig: Rig):
    for gain in (0.4, 0.45, 0.3):
        rig.set_gain(gain, gesture="gain of client 1")
        rig.clock.advance(0.79)
    assert rig.session.state.undo_label == "gain 0.5 to 0.3"
    rig.clock.advance(0.1)
    rig.set_gain(0.2, gesture="gain of client 1")
    assert rig.session.undo() == "gain 0.3 to 0.2"
    assert rig.session.undo() == "gain 0.5 to 0.3"
    assert rig.session.undo() is None


def test_an_edit_meant_for_another_robot_is_dropped(rig: Rig):
    epoch = rig.session.state.epoch
    bundle = fake_bundle("other")
    rig.session.replace_bundle(bundle, start_settings(bundle))
    rig.session.edit(None, lambda settings: settings.with_kinematics(gain=0.1), epoch=epoch)
    rig.session.command_positions("late", {"x": 0.5}, epoch=epoch)
    assert rig.settings == start_settings(bundle)
    assert rig.session.take_inputs().command is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda settings: settings.with_target("letf", at(0.0)), "no such tool frame"),
        (lambda settings: replace(settings, targets={}), "left: has no target"),
        (lambda settings: replace(settings, held_joints={"w": 0.0}), "held_joints.w"),
        (lambda settings: replace(settings, velocity_caps={"w": 1.0}), "velocity_caps.w"),
        (lambda settings: replace(settings, home={"x": 1.5}), "home.x: is outside"),
        (lambda settings: replace(settings, held_joints={"x": -1.5}), r"\[-1, 1\] m"),
    ],
)
def test_settings_that_do_not_fit_the_robot_are_refused(rig: Rig, change, message: str):
    before = rig.session.state
    with pytest.raises(ConfigError, match=message):
        rig.session.edit("wrong", change)
    assert rig.session.state is before


def test_a_joint_without_limits_may_be_held_anywhere(rig: Rig):
    rig.session.edit(None, lambda settings: replace(settings, held_joints={"z": 7.0}))
    assert rig.session.state.undo_label == "hold z"


def test_an_edit_that_another_one_overtakes_is_computed_anew(rig: Rig):
    """Two browsers at once: neither edit undoes the other's."""
    calls = 0

    def change(settings: Settings) -> Settings:
        nonlocal calls
        calls += 1
        if calls == 1:
            rig.session.edit(None, lambda other: replace(other, rate_hz=200))
        return settings.with_kinematics(gain=0.3)

    rig.session.edit(None, change)
    assert calls == 2
    assert rig.settings.rate_hz == 200
    assert rig.settings.kinematics.gain == 0.3


def test_threads_that_edit_at_once_lose_nothing_and_are_heard_in_order(rig: Rig):
    versions: list[int] = []
    rig.session.subscribe(lambda state: versions.append(state.version))

    def raise_rate() -> None:
        for _ in range(50):
            rig.session.edit(None, lambda settings: replace(settings, rate_hz=settings.rate_hz + 1))

    threads = [threading.Thread(target=raise_rate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert rig.settings.rate_hz == 300
    assert versions == list(range(2, 202))


# Changes since the start -----------------------------------------------------------------


def test_changes_show_old_and_new_and_each_has_a_way_back_that_can_be_undone(rig: Rig):
    rig.set_gain(0.3)
    rig.session.edit(None, lambda settings: replace(settings, rate_hz=250))
    first, second = rig.session.changes()
    assert (first.label, first.start, first.now) == ("gain", "0.5", "0.3")
    assert (second.field, second.start, second.now) == ("rate_hz", "100 Hz", "250 Hz")
    rig.session.revert(first.field)
    assert [change.field for change in rig.session.changes()] == ["rate_hz"]
    assert rig.session.undo() == "gain 0.3 to 0.5"
    assert rig.settings.kinematics.gain == 0.3


def test_reverting_a_field_that_does_not_exist_is_refused(rig: Rig):
    with pytest.raises(ConfigError, match="no such setting"):
        rig.session.revert("kinematics.nothing")


# What the file holds ---------------------------------------------------------------------


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


# Pose commands ---------------------------------------------------------------------------


def loop_of(rig: Rig) -> Loop:
    return Loop(rig.session, now_utc=rig.clock.utc)


def step(rig: Rig, loop: Loop, ticks: int = 1) -> dict[str, float]:
    for _ in range(ticks):
        rig.clock.advance(0.01)
        loop.step()
    return rig.session.present_positions()


def test_home_brings_the_robot_and_its_targets_and_undo_sends_both_back(rig: Rig):
    loop = loop_of(rig)
    rig.type_target(at(0.5, 0.25))
    away = step(rig, loop, 60)
    rig.session.go_home()
    assert rig.target() == at(0.0)
    assert rig.target("right") == at(0.0, -1.0)
    assert step(rig, loop, 20) == {"x": 0, "y": 0, "z": 0}
    assert rig.session.undo() == "go home"
    assert rig.target() == at(0.5, 0.25)
    assert rig.session.present_positions() == away
    assert step(rig, loop) == pytest.approx(away)
    rig.session.redo()
    assert step(rig, loop) == {"x": 0, "y": 0, "z": 0}


def test_a_command_reaches_the_loop_exactly_once(rig: Rig):
    rig.session.command_positions("set pose", {"x": 0.5})
    assert commanded(rig) == {"x": 0.5, "y": 0.0, "z": 0.0}
    assert rig.session.take_inputs().command is None


def test_commands_between_two_ticks_add_up(rig: Rig):
    rig.session.command_positions("set x", {"x": 0.5})
    rig.session.command_positions("set y", {"y": 0.25})
    assert commanded(rig) == {"x": 0.5, "y": 0.25, "z": 0.0}
    rig.session.undo()
    assert commanded(rig) == {"x": 0.5, "y": 0.0, "z": 0.0}


def test_where_a_command_sends_the_robot_counts_before_the_tick_that_shows_it(rig: Rig):
    loop = loop_of(rig)
    step(rig, loop)
    rig.session.command_positions("set pose", {"x": 0.5})
    rig.session.take_inputs()
    assert rig.session.present_positions()["x"] == 0.5


def test_a_command_is_clamped_into_the_limits_and_its_targets_with_it(rig: Rig):
    rig.session.command_positions("set pose", {"x": 3.0, "z": 3.0})
    assert commanded(rig) == {"x": 1.0, "y": 0.0, "z": 3.0}
    assert rig.target() == at(1.0, 0.0, 3.0)


def test_held_joints_stay_where_they_are_held(rig: Rig):
    rig.session.edit(None, lambda settings: replace(settings, held_joints={"y": 0.25}))
    rig.session.command_positions("set pose", {"x": 0.5, "y": 1.0})
    assert commanded(rig) == {"x": 0.5, "y": 0.25, "z": 0.0}


def test_a_command_may_leave_the_targets_alone(rig: Rig):
    rig.type_target(at(0.5))
    rig.session.command_positions("solve", {"x": 0.25}, move_targets=False)
    assert rig.target() == at(0.5)


def test_a_command_to_where_the_robot_is_makes_no_step(rig: Rig):
    rig.session.go_home()
    assert rig.session.state.undo_label is None


def test_jogging_a_joint_is_one_gesture(rig: Rig):
    for index in range(1, 5):
        rig.session.command_positions("joint x", {"x": 0.1 * index}, gesture="joint x")
    assert rig.session.undo() == "joint x"
    assert commanded(rig) == {"x": 0, "y": 0, "z": 0}
    assert rig.session.undo() is None


@pytest.mark.parametrize(
    ("positions", "message"),
    [({"w": 0.0}, "w: there is no such joint"), ({"x": float("nan")}, "not a finite number")],
)
def test_a_command_that_makes_no_sense_is_refused(rig: Rig, positions, message: str):
    with pytest.raises(ConfigError, match=message):
        rig.session.command_positions("wrong", positions)
    assert rig.session.take_inputs().command is None


def test_home_here_takes_the_present_positions_and_can_be_undone(rig: Rig):
    loop = loop_of(rig)
    rig.type_target(at(0.5))
    here = step(rig, loop, 60)
    rig.session.set_home_here()
    assert dict(rig.settings.home) == here
    assert rig.session.undo() == "set home here"
    assert dict(rig.settings.home) == dict.fromkeys(JOINTS, 0.0)


def test_target_to_tool_puts_the_target_where_the_tool_is(rig: Rig):
    loop = loop_of(rig)
    rig.type_target(at(0.5))
    here = step(rig, loop, 2)
    rig.session.set_target_to_tool("left")
    assert rig.target() == at(here["x"])
    rig.session.undo()
    assert rig.target() == at(0.5)
    with pytest.raises(ConfigError, match="no such tool frame"):
        rig.session.set_target_to_tool("middle")


def test_targets_follow_a_base_that_floats():
    rig = Rig(floating_base=True)
    rig.engine.transform_base_to_world = at(0.0, 0.0, 2.0)
    loop = loop_of(rig)
    step(rig, loop)
    rig.session.set_target_to_tool("left")
    assert rig.target() == at(0.0, 0.0, 2.0)
    rig.session.command_positions("set pose", {"x": 0.5})
    assert rig.target() == at(0.5, 0.0, 2.0)


def test_a_joint_is_held_where_it_is_now(rig: Rig):
    loop = loop_of(rig)
    rig.type_target(at(0.5))
    here = step(rig, loop, 3)
    rig.session.hold_joint("x", True)
    assert dict(rig.settings.held_joints) == {"x": here["x"]}
    rig.session.hold_joint("x", False)
    assert rig.session.undo() == "free x"
    assert rig.session.undo() == "hold x"
    with pytest.raises(ConfigError, match="there is no such joint"):
        rig.session.hold_joint("w", True)


# Not undoable ----------------------------------------------------------------------------


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


# Robots ----------------------------------------------------------------------------------


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
    tick(rig)
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


# A floating base ---------------------------------------------------------------------------

ELSEWHERE = Pose(np.array([1.0, 2.0, 0.5]), wxyz_from_rpy([0.0, 0.0, 1.0]))


def base_of(rig: Rig) -> Pose:
    return rig.session.present_pose().transform_base_to_world


def test_home_sends_a_floating_base_home_and_undo_sends_it_back():
    rig = Rig(floating_base=True)
    rig.engine.transform_base_to_world = ELSEWHERE
    tick(rig)
    rig.session.go_home()
    assert base_of(rig) == Pose()
    tick(rig)
    assert rig.engine.transform_base_to_world == Pose()
    assert rig.target() == tool_poses(rig.bundle.description.home)["left"]
    rig.session.undo()
    tick(rig)
    assert rig.engine.transform_base_to_world == ELSEWHERE


def test_home_here_takes_the_base_along():
    rig = Rig(floating_base=True)
    rig.engine.transform_base_to_world = ELSEWHERE
    tick(rig)
    rig.session.set_home_here()
    rig.session.command_positions("away", {"x": 0.5}, transform_base_to_world=Pose())
    tick(rig)
    assert rig.engine.transform_base_to_world == Pose()
    rig.session.go_home()
    tick(rig)
    assert rig.engine.transform_base_to_world == ELSEWHERE
    assert "home of the floating base" in export_text(rig.session.state)


def test_a_pose_command_without_a_base_leaves_the_base_where_it_is():
    rig = Rig(floating_base=True)
    rig.engine.transform_base_to_world = ELSEWHERE
    tick(rig)
    rig.session.command_positions("set pose", {"x": 0.5})
    assert base_of(rig) == ELSEWHERE


def test_a_base_that_stands_still_is_not_sent_anywhere(rig: Rig):
    rig.session.command_positions("set pose", {"x": 0.5}, transform_base_to_world=ELSEWHERE)
    assert base_of(rig) == Pose()


def reload(rig: Rig, bundle: RobotBundle, epoch: int | None = None) -> bool:
    return rig.session.reload_bundle(
        bundle, rig.session.present_pose(), lambda settings: settings,
        epoch=rig.session.state.epoch if epoch is None else epoch,
    )  # fmt: skip


def tick(rig: Rig) -> None:
    Loop(rig.session, now_utc=rig.clock.utc).step()
