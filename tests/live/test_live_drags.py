from __future__ import annotations

import pytest
from live_fakes import Rig, at

from workbench.errors import ConfigError


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_a_drag_is_one_step_from_start_to_end(rig: Rig):
    rig.session.begin_drag("left", 1)
    for index in range(1, 40):
        rig.clock.advance(0.05)
        assert rig.session.drag("left", 1, at(0.01 * index))
    rig.session.end_drag("left", 1)
    assert rig.session.state.undo_label == "move left"
    rig.session.undo()
    assert rig.target() == at(0.0)
    assert rig.session.state.undo_label is None
    rig.session.redo()
    assert rig.target() == at(0.01 * 39)


def test_undoing_a_drag_sends_the_robot_nowhere(rig: Rig):
    rig.drag_to(at(0.5))
    rig.session.undo()
    assert rig.session.take_inputs().command is None


def test_every_pose_of_a_drag_is_in_force_at_once(rig: Rig):
    version = rig.session.state.version
    rig.session.begin_drag("left", 1)
    rig.session.drag("left", 1, at(0.5))
    assert rig.target() == at(0.5)
    assert rig.session.state.version == version + 1


def test_only_the_owner_moves_and_ends_a_drag(rig: Rig):
    assert rig.session.begin_drag("left", 1)
    assert not rig.session.begin_drag("left", 2)
    assert not rig.session.drag("left", 2, at(0.9))
    rig.session.end_drag("left", 2)
    assert dict(rig.session.state.drags) == {"left": 1}
    assert rig.session.drag("left", 1, at(0.5))
    rig.session.end_drag("left", 1)
    assert rig.session.begin_drag("left", 2)


def test_moves_without_a_drag_are_refused(rig: Rig):
    assert not rig.session.drag("left", 1, at(0.5))
    assert rig.target() == at(0.0)


def test_two_people_drag_two_gizmos_at_once(rig: Rig):
    assert rig.session.begin_drag("left", 1)
    assert rig.session.begin_drag("right", 2)
    rig.session.drag("left", 1, at(0.5))
    rig.session.drag("right", 2, at(0.25))
    rig.session.end_drag("left", 1)
    rig.session.end_drag("right", 2)
    assert rig.session.undo() == "move right"
    assert rig.target("right") == at(0.0, -1.0)
    assert rig.target("left") == at(0.5)


def test_who_disconnects_lets_go_and_the_last_pose_counts(rig: Rig):
    rig.session.begin_drag("left", 1)
    rig.session.drag("left", 1, at(0.5))
    rig.session.release_client(1)
    assert dict(rig.session.state.drags) == {}
    assert rig.target() == at(0.5)
    assert rig.session.state.undo_label == "move left"


def test_a_drag_whose_end_was_lost_ends_when_the_same_client_begins_again(rig: Rig):
    rig.session.begin_drag("left", 1)
    rig.session.drag("left", 1, at(0.25))
    rig.session.begin_drag("left", 1)
    rig.session.drag("left", 1, at(0.5))
    rig.session.end_drag("left", 1)
    rig.session.undo()
    assert rig.target() == at(0.25)
    rig.session.undo()
    assert rig.target() == at(0.0)


def test_a_drag_that_returns_to_its_start_is_no_step(rig: Rig):
    rig.session.begin_drag("left", 1)
    rig.session.drag("left", 1, at(0.5))
    rig.session.drag("left", 1, at(0.0))
    rig.session.end_drag("left", 1)
    assert rig.session.state.undo_label is None


def test_a_frame_that_does_not_exist_cannot_be_dragged(rig: Rig):
    with pytest.raises(ConfigError, match="no such tool frame"):
        rig.session.begin_drag("middle", 1)


def test_undo_in_the_middle_of_a_drag_leaves_the_gizmo_in_the_hand(rig: Rig):
    rig.set_gain(0.3)
    rig.drag_to(at(0.25))
    rig.session.begin_drag("left", 1)
    rig.session.drag("left", 1, at(0.5))
    assert rig.session.undo() == "move left"
    assert rig.session.undo() == "gain 0.5 to 0.3"
    assert rig.settings.kinematics.gain == 0.5
    assert rig.target() == at(0.5)
    rig.session.end_drag("left", 1)
    assert rig.session.state.redo_label is None
    assert rig.session.undo() == "move left"
    assert rig.target() == at(0.0)


def test_redo_in_the_middle_of_a_drag_leaves_the_gizmo_in_the_hand(rig: Rig):
    rig.drag_to(at(0.25))
    rig.session.undo()
    rig.session.begin_drag("left", 1)
    rig.session.drag("left", 1, at(0.5))
    assert rig.session.redo() == "move left"
    assert rig.target() == at(0.5)
    rig.session.end_drag("left", 1)
    rig.session.undo()
    assert rig.target() == at(0.25)


def test_settings_can_be_turned_and_undone_while_somebody_drags(rig: Rig):
    rig.session.begin_drag("left", 1)
    rig.session.drag("left", 1, at(0.5))
    rig.set_gain(0.3)
    assert rig.target() == at(0.5)
    rig.session.drag("left", 1, at(0.6))
    rig.session.end_drag("left", 1)
    assert rig.session.undo() == "move left"
    assert rig.settings.kinematics.gain == 0.3
    assert rig.session.undo() == "gain 0.5 to 0.3"


def test_typing_a_target_that_somebody_drags_is_refused(rig: Rig):
    rig.session.begin_drag("left", 1)
    rig.session.drag("left", 1, at(0.5))
    with pytest.raises(ConfigError, match="left: the target is being dragged"):
        rig.type_target(at(0.9))
    assert rig.target() == at(0.5)


def test_home_moves_all_targets_but_the_one_in_a_hand(rig: Rig):
    rig.type_target(at(0.5, -1.0), "right")
    rig.session.begin_drag("left", 1)
    rig.session.drag("left", 1, at(0.5))
    rig.session.command_positions("set pose", {"x": 0.25})
    assert rig.target("left") == at(0.5)
    assert rig.target("right") == at(0.25, -1.0)


def test_a_target_that_came_by_a_drag_is_told_to_the_loop_until_something_else_moves_it(rig: Rig):
    rig.session.begin_drag("left", 1)
    rig.session.drag("left", 1, at(0.5))
    rig.session.end_drag("left", 1)
    rig.set_gain(0.3)
    (dragged,) = rig.session.take_inputs().dragged.values()
    assert dragged.pose is rig.target()
    assert dragged.arrived_at_s == rig.clock()
    rig.type_target(at(0.75))
    assert dict(rig.session.take_inputs().dragged) == {}


def test_undo_and_redo_of_a_drag_do_not_count_as_dragging(rig: Rig):
    rig.drag_to(at(0.5))
    rig.session.undo()
    rig.session.redo()
    assert rig.target() == at(0.5)
    assert dict(rig.session.take_inputs().dragged) == {}
