from __future__ import annotations

from dataclasses import replace

import numpy as np
from live_fakes import fake_bundle, start_settings

from workbench.config.robot_pose import RobotPose
from workbench.config.settings import Settings
from workbench.live.history import History, Step
from workbench.poses import Pose

START = start_settings(fake_bundle())


def with_gain(gain: float) -> Settings:
    return START.with_kinematics(gain=gain)


def pose_at(x: float) -> RobotPose:
    return RobotPose({"x": x})


def step(
    before: float, after: float, *, gesture: str | None = None, at_s: float = 0.0, label: str = ""
) -> Step:
    return Step(
        label or f"gain {before:g} to {after:g}",
        with_gain(before),
        with_gain(after),
        gesture=gesture,
        edited_at_s=at_s,
    )


def test_undo_gives_the_steps_back_in_reverse_and_redo_in_order():
    history = History()
    history.record(step(0.1, 0.2), named=False)
    history.record(step(0.2, 0.3), named=False)
    assert (history.undo_label, history.redo_label) == ("gain 0.2 to 0.3", None)
    undone = history.undo()
    assert undone is not None
    assert undone.before == with_gain(0.2)
    assert (history.undo_label, history.redo_label) == ("gain 0.1 to 0.2", "gain 0.2 to 0.3")
    assert history.undo() is not None
    assert history.undo() is None
    redone = history.redo()
    assert redone is not None
    assert redone.after == with_gain(0.2)


def test_a_new_step_ends_what_could_be_redone():
    history = History()
    history.record(step(0.1, 0.2), named=False)
    history.undo()
    history.record(step(0.1, 0.9), named=False)
    assert history.redo() is None
    assert history.redo_label is None


def test_a_step_that_changes_nothing_is_not_kept_and_leaves_redo_alone():
    history = History()
    history.record(step(0.1, 0.2), named=False)
    history.undo()
    history.record(step(0.1, 0.1), named=False)
    assert len(history) == 0
    assert history.redo_label == "gain 0.1 to 0.2"


def test_a_gesture_is_one_step_named_by_where_it_began_and_ended():
    history = History()
    for index in range(10):
        gains = 0.5 + 0.01 * index, 0.51 + 0.01 * index
        history.record(step(*gains, gesture="gain", at_s=0.7 * index), named=False)
    assert len(history) == 1
    assert history.undo_label == "gain 0.5 to 0.6"


def test_a_gesture_with_a_label_of_its_own_keeps_the_last_one():
    history = History()
    history.record(step(0.1, 0.2, gesture="g", label="first"), named=True)
    history.record(step(0.2, 0.3, gesture="g", label="second"), named=True)
    assert history.undo_label == "second"


def test_a_rest_of_800_ms_ends_a_gesture():
    history = History()
    history.record(step(0.1, 0.2, gesture="gain", at_s=10.0), named=False)
    history.record(step(0.2, 0.3, gesture="gain", at_s=10.8), named=False)
    assert len(history) == 2


def test_another_gesture_in_between_ends_one():
    history = History()
    history.record(step(0.1, 0.2, gesture="mine"), named=False)
    history.record(step(0.2, 0.3, gesture="yours"), named=False)
    history.record(step(0.3, 0.4, gesture="mine"), named=False)
    assert len(history) == 3


def test_a_gesture_that_returns_to_its_beginning_leaves_no_step():
    history = History()
    history.record(step(0.1, 0.2), named=False)
    history.record(step(0.2, 0.3, gesture="gain"), named=False)
    history.record(step(0.3, 0.2, gesture="gain"), named=False)
    assert history.undo_label == "gain 0.1 to 0.2"


def test_a_gesture_does_not_go_on_after_an_undo_or_a_redo():
    history = History()
    history.record(step(0.1, 0.2, gesture="gain"), named=False)
    history.undo()
    history.redo()
    history.record(step(0.2, 0.3, gesture="gain"), named=False)
    assert len(history) == 2


def test_a_gesture_does_not_go_on_while_something_after_it_is_undone():
    history = History()
    history.record(step(0.1, 0.2, gesture="gain"), named=False)
    history.record(step(0.2, 0.9), named=False)
    history.undo()
    history.record(step(0.2, 0.3, gesture="gain"), named=False)
    assert len(history) == 2


def test_only_the_last_200_steps_are_kept():
    history = History()
    for index in range(250):
        history.record(step(0.001 * (index + 1), 0.001 * (index + 2)), named=False)
    assert len(history) == 200
    undone = [history.undo() for _ in range(201)]
    assert undone[200] is None
    assert undone[199] is not None
    assert undone[199].before == with_gain(0.001 * 51)


def test_a_command_that_goes_nowhere_changes_nothing():
    here = pose_at(0.5)
    assert Step("go home", START, START, here, pose_at(0.5 + 1e-12)).changes_nothing
    assert not Step("go home", START, START, here, pose_at(0.6)).changes_nothing
    base_elsewhere = replace(here, transform_base_to_world=Pose(np.array([0.0, 0.0, 1.0])))
    assert not Step("go home", START, START, here, base_elsewhere).changes_nothing


def test_joined_commands_keep_the_first_beginning_and_the_last_end():
    history = History()
    for index in range(3):
        jog = Step(
            "jog", START, START, pose_at(0.1 * index), pose_at(0.1 * (index + 1)), gesture="jog"
        )  # fmt: skip
        history.record(jog, named=True)
    undone = history.undo()
    assert undone is not None
    assert undone.pose_before is not None and undone.pose_before.positions == {"x": 0.0}
    assert undone.pose_after is not None and undone.pose_after.positions == {"x": 0.1 * 3}


def test_carrying_steps_over_keeps_their_order_and_drops_what_is_left_without_effect():
    history = History()
    history.record(step(0.1, 0.2), named=False)
    history.record(Step("jog", START, START, pose_at(0.0), pose_at(0.5)), named=True)
    history.record(step(0.2, 0.3), named=False)
    history.undo()
    at_rest = pose_at(0.25)
    history.carry(lambda settings: replace(settings, rate_hz=50.0), lambda _pose: at_rest)
    assert len(history) == 1
    undone = history.undo()
    assert undone is not None
    assert (undone.before.rate_hz, undone.before.kinematics.gain) == (50.0, 0.1)
    assert history.redo() is not None
    redone = history.redo()
    assert redone is not None
    assert (redone.after.rate_hz, redone.after.kinematics.gain) == (50.0, 0.3)
