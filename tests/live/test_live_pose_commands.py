"""Commands that send the robot somewhere: home, poses, joints, with its targets and its base."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from live_fakes import (
    JOINTS,
    Rig,
    at,
    commanded,
    loop_of,
    tool_poses,
)

from workbench.errors import ConfigError
from workbench.live.export import export_text
from workbench.live.loop import Loop
from workbench.poses import Pose, wxyz_from_rpy


@pytest.fixture
def rig() -> Rig:
    return Rig()


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


def tick(rig: Rig) -> None:
    loop_of(rig).step()
