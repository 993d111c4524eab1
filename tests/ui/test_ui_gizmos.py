"""Gizmos: what a drag means, who may drag, and where a gizmo is when nobody does."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest
import viser
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.scene_rig import Hand, Outbox, at, description, patient, session, turned_about_z
from workbench.live.session import Session
from workbench.poses import Pose, wxyz_from_rotation_vector
from workbench.ui.gizmos import Drag, GizmoOptions, Gizmos, arm_length, gizmo_pose

HAND, CAMERA = "/g1_0", "/g1_1"


@dataclass
class GizmoRig:
    server: viser.ViserServer
    session: Session
    gizmos: Gizmos

    def handle(self, name: str = HAND) -> viser.TransformControlsHandle:
        handle = self.server.scene._handle_from_node_name[name]
        assert isinstance(handle, viser.TransformControlsHandle)
        return handle

    def pose(self, name: str = HAND) -> Pose:
        return Pose(self.handle(name).position, self.handle(name).wxyz)

    def target(self, frame: str = "hand") -> Pose:
        return self.session.state.settings.targets[frame].transform_target_to_world

    def type_target(self, pose: Pose) -> None:
        self.session.edit("typed", lambda settings: settings.with_target("hand", pose))

    def refresh(self, **options: Any) -> None:
        """Do what the scene's thread does."""
        self.gizmos.refresh(self.session.state, GizmoOptions(**options) if options else None)


@pytest.fixture
def rig() -> Iterator[GizmoRig]:
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    about = session()
    gizmos = Gizmos(server, about)
    gizmos.rebuild(about.state)
    yield GizmoRig(server, about, gizmos)
    server.stop()


# Where gizmos are ----------------------------------------------------------------------------


def test_every_tool_frame_has_a_gizmo_on_its_target(rig):
    assert rig.pose(HAND).is_close(rig.target("hand"))
    assert rig.pose(CAMERA).is_close(rig.target("camera"))
    assert rig.handle(HAND).visible


@patient
@given(st.floats(1e-3, 1e3))
def test_the_arms_end_6_to_30_cm_from_the_target(size_m):
    assert 0.06 <= arm_length(size_m) <= 0.30


def test_the_arms_have_that_length_on_the_page(rig):
    assert rig.handle().scale == arm_length(description().size_m) == pytest.approx(0.18)


def test_a_frame_that_is_off_has_no_gizmo_to_take(rig):
    rig.session.edit("off", lambda settings: settings.with_target("hand", enabled=False))
    rig.refresh()
    assert not rig.handle(HAND).visible
    assert rig.handle(CAMERA).visible
    rig.refresh(shown=False)
    assert not rig.handle(CAMERA).visible


def test_a_typed_pose_and_its_undo_move_the_gizmo(rig):
    start, typed = rig.target(), Pose(np.array([0.1, 0.2, 0.3]), turned_about_z(0.5).wxyz)
    rig.type_target(typed)
    rig.refresh()
    assert rig.pose().is_close(typed)
    rig.session.undo()
    rig.refresh()
    assert rig.pose().is_close(start)


def test_world_axes_stay_parallel_to_the_world_whatever_the_target_does(rig):
    rig.type_target(Pose(np.array([0.1, 0.2, 0.3]), turned_about_z(0.5).wxyz))
    rig.refresh(axes="world")
    assert rig.pose().is_close(at(0.1, 0.2, 0.3))


@pytest.mark.parametrize(
    ("mode", "moves", "turns"),
    [("move and turn", True, True), ("move", True, False), ("turn", False, True)],
)
def test_a_gizmo_can_move_turn_or_both(rig, mode, moves, turns):
    rig.refresh(mode=mode)
    handle = rig.handle()
    assert (not handle.disable_axes, not handle.disable_sliders) == (moves, moves)
    assert (not handle.disable_rotations) == turns


def test_nothing_is_sent_while_nothing_changes(rig):
    outbox = Outbox(rig.server)
    rig.refresh()
    rig.session.set_paused(True)
    rig.refresh()
    assert outbox.new() == []


def test_another_robot_brings_its_own_gizmos(rig):
    state = rig.session.state
    rig.session.replace_bundle(state.bundle, state.settings)
    rig.gizmos.rebuild(rig.session.state)
    names = {name for name in rig.server.scene._handle_from_node_name if name.startswith("/g")}
    assert names == {"/g2_0", "/g2_1"}


# Drags ---------------------------------------------------------------------------------------


def test_a_drag_moves_the_target_and_is_one_step(rig):
    start = rig.target()
    page = Hand(rig.server)
    page.start(HAND)
    for step in range(1, 5):
        page.move(HAND, at(0.5 + 0.1 * step))
    page.end(HAND)
    assert rig.target().is_close(at(0.9))
    assert rig.session.state.drags == {}
    rig.session.undo()
    assert rig.target().is_close(start)
    rig.refresh()
    assert rig.pose().is_close(start)


def test_the_last_pose_counts_even_when_the_page_goes_away(rig):
    page = Hand(rig.server, client=5)
    page.start(HAND)
    page.move(HAND, at(0.8))
    page._run(rig.gizmos._on_disconnect(cast(Any, _Page(5))))
    assert rig.target().is_close(at(0.8))
    assert rig.session.state.drags == {}
    other = Hand(rig.server, client=6)
    other.start(HAND)
    assert rig.session.state.drags == {"hand": 6}


def test_another_page_leaving_does_not_end_a_drag(rig):
    page = Hand(rig.server, client=5)
    page.start(HAND)
    page._run(rig.gizmos._on_disconnect(cast(Any, _Page(6))))
    page.move(HAND, at(0.8))
    assert rig.target().is_close(at(0.8))


@dataclass
class _Page:
    client_id: int


def test_two_pages_may_drag_two_gizmos(rig):
    first, second = Hand(rig.server, 1), Hand(rig.server, 2)
    first.start(HAND)
    second.start(CAMERA)
    first.move(HAND, at(0.6))
    second.move(CAMERA, at(0.7))
    assert (rig.target("hand").translation[0], rig.target("camera").translation[0]) == (0.6, 0.7)


def test_whoever_starts_a_drag_owns_the_gizmo_until_its_end(rig):
    owner, other = Hand(rig.server, 1), Hand(rig.server, 2)
    assert rig.gizmos.may_start(HAND, 2, "start")
    owner.start(HAND)
    assert not rig.gizmos.may_start(HAND, 2, "start")
    assert rig.gizmos.may_start(HAND, 1, "start")
    other.start(HAND)
    other.move(HAND, at(5.0))
    other.end(HAND)
    assert rig.session.state.drags == {"hand": 1}
    owner.move(HAND, at(0.6))
    owner.end(HAND)
    assert rig.target().is_close(at(0.6))
    assert rig.gizmos.may_start(HAND, 2, "start")


def test_nobody_takes_a_gizmo_that_is_not_there(rig):
    assert not rig.gizmos.may_start("/g9_0", 1, "start")


def test_a_gizmo_that_moved_without_a_drag_goes_back(rig):
    start = rig.target()
    Hand(rig.server).move(HAND, at(5.0))
    assert rig.target().is_close(start)
    rig.refresh()
    assert rig.pose().is_close(start)


def test_the_server_never_moves_a_gizmo_that_is_dragged(rig):
    rig.type_target(at(0.1))
    rig.refresh()
    page, outbox = Hand(rig.server), Outbox(rig.server)
    page.start(HAND)
    page.move(HAND, at(0.2))
    outbox.new()
    rig.session.undo()
    rig.refresh(mode="turn", axes="world")
    assert [message for message in outbox.new() if message.name == HAND] == []
    assert rig.pose().is_close(at(0.2))
    page.end(HAND)
    rig.refresh()
    assert rig.handle().disable_axes


def test_the_server_never_moves_a_gizmo_whose_drag_began_after_it_looked(rig):
    rig.type_target(at(0.1))
    seen = rig.session.state
    page = Hand(rig.server)
    page.start(HAND)
    page.move(HAND, at(0.2))
    rig.gizmos.refresh(seen)
    assert rig.pose().is_close(at(0.2))


def test_what_the_server_sets_is_not_taken_for_a_drag(rig):
    version = rig.session.state.version
    rig.handle().position = (1.0, 2.0, 3.0)
    assert rig.session.state.version == version


def test_a_drag_of_a_robot_that_is_gone_changes_nothing(rig):
    page = Hand(rig.server)
    page.start(HAND)
    state = rig.session.state
    rig.session.replace_bundle(state.bundle, state.settings)
    rig.gizmos.rebuild(rig.session.state)
    start = rig.target()
    page.move(HAND, at(5.0))
    page.end(HAND)
    assert rig.target().is_close(start)


def test_other_pages_follow_and_the_one_that_drags_is_left_alone(rig):
    page, outbox = Hand(rig.server, client=3), Outbox(rig.server)
    page.start(HAND)
    page.move(HAND, at(0.7))
    sent = [message for message in outbox.new() if message.name == HAND]
    assert {type(message).__name__ for message in sent} == {
        "SetPositionMessage", "SetOrientationMessage",
    }  # fmt: skip
    assert {message.excluded_self_client for message in sent} == {3}


def test_a_drag_with_steps_jumps_onto_its_target_when_it_ends(rig):
    rig.refresh(position_step_m=0.05)
    page, outbox = Hand(rig.server), Outbox(rig.server)
    page.start(HAND)
    page.move(HAND, at(0.5 + 0.07))
    rig.refresh()
    assert rig.target().is_close(at(0.55))
    assert rig.pose().is_close(at(0.57))
    page.end(HAND)
    outbox.new()
    rig.refresh()
    (message,) = [message for message in outbox.new() if message.name == HAND]
    assert message.position == pytest.approx([0.55, 0.0, 0.0])
    assert message.excluded_self_client is None


def test_a_turn_about_a_world_axis_turns_the_target_about_it_and_leaves_the_gizmo_straight(rig):
    rig.type_target(Pose(np.array([0.5, 0.0, 0.0]), wxyz_from_rotation_vector([1.0, 0.0, 0.0])))
    rig.refresh(axes="world")
    page = Hand(rig.server)
    page.start(HAND)
    page.move(HAND, Pose(np.array([0.5, 0.0, 0.0]), turned_about_z(0.4).wxyz))
    page.end(HAND)
    turned = turned_about_z(0.4) @ Pose(wxyz=wxyz_from_rotation_vector([1.0, 0.0, 0.0]))
    assert rig.target().is_close(Pose(np.array([0.5, 0.0, 0.0]), turned.wxyz))
    rig.refresh()
    assert rig.pose().is_close(at(0.5))


# What a drag means ---------------------------------------------------------------------------

numbers = st.floats(-3.0, 3.0, allow_nan=False)
poses = st.builds(
    lambda t, r: Pose(np.array(t), wxyz_from_rotation_vector(np.array(r))),
    st.tuples(numbers, numbers, numbers),
    st.tuples(numbers, numbers, numbers),
)


@patient
@given(poses, poses)
def test_without_steps_the_target_is_where_the_gizmo_is(start, now):
    assert Drag(1, start, start).target(now).is_close(now, 1e-9, 1e-7)


@patient
@given(poses, st.tuples(numbers, numbers, numbers), st.sampled_from(["tool", "world"]))
def test_moves_come_in_steps_along_the_arms_and_to_the_nearest_one(start, pull, axes):
    step = 0.05
    gizmo = gizmo_pose(start, axes)
    now = gizmo @ Pose(np.array(pull))
    target = Drag(1, start, gizmo, GizmoOptions(position_step_m=step)).target(now)
    along_arms = gizmo.inverse().act(target.translation)
    assert along_arms / step == pytest.approx(np.round(along_arms / step), abs=1e-6)
    assert np.abs(along_arms - pull).max() <= step / 2 + 1e-9
    assert target.distance_to(start)[1] < 1e-6


@patient
@given(poses, st.integers(0, 2), st.floats(-3.1, 3.1), st.sampled_from(["tool", "world"]))
def test_turns_come_in_steps_about_the_arm_and_to_the_nearest_one(start, arm, angle, axes):
    step = math.radians(15.0)
    gizmo = gizmo_pose(start, axes)
    axis = np.eye(3)[arm]
    options = GizmoOptions(orientation_step_rad=step)
    drag = Drag(1, start, gizmo, options)
    target = drag.target(gizmo @ Pose(wxyz=wxyz_from_rotation_vector(angle * axis)))
    if axes == "tool":
        rounded = np.round(angle / step) * step
        near_tie = abs(abs(angle / step) % 1.0 - 0.5) < 1e-6
        expected = start @ Pose(wxyz=wxyz_from_rotation_vector(rounded * axis))
        assert near_tie or target.is_close(expected, 1e-9, 1e-6)
    turned = target.distance_to(start)[1]
    assert turned / step == pytest.approx(round(turned / step), abs=1e-5)
    assert abs(turned - abs(angle)) <= step / 2 + 1e-6
    assert np.allclose(target.translation, start.translation)


def test_a_hand_that_turns_the_long_way_round_is_rounded_all_the_same():
    start = Pose()
    options = GizmoOptions(orientation_step_rad=math.radians(90.0))
    now = Pose(wxyz=-turned_about_z(math.radians(100.0)).wxyz)
    target = Drag(1, start, start, options).target(now)
    assert target.is_close(turned_about_z(math.radians(90.0)), 1e-9, 1e-7)


def test_a_change_of_options_counts_from_the_next_drag_on(rig):
    page = Hand(rig.server)
    page.start(HAND)
    rig.refresh(position_step_m=0.5)
    page.move(HAND, at(0.57))
    page.end(HAND)
    assert rig.target().is_close(at(0.57))
