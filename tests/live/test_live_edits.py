"""Edits of a session: in force at once, whole or not at all, one step each."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from live_fakes import (
    Rig,
    at,
    fake_bundle,
    start_settings,
)

from workbench.config.settings import Mode, Settings
from workbench.errors import ConfigError
from workbench.live.state import SessionState


@pytest.fixture
def rig() -> Rig:
    return Rig()


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
