"""Grasps in the session: loaded, placed, dragged, edited; every one of it undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from tests.live.grasps_rig import GraspRig, three_grasps
from tests.live.live_fakes import at, fake_bundle
from workbench.config.grasp_scene import APPROACH_AXES, GraspScene
from workbench.errors import ConfigError, GraspError
from workbench.grasps.gripper import FingerJoint
from workbench.grasps.isaac_grasp import read_grasps
from workbench.grasps.spec import GraspSpec
from workbench.grasps.writing import grasps_to_text
from workbench.live.changes import differences, with_field_of
from workbench.live.grasp_edits import (
    LONGEST_NAME,
    add_grasp,
    change_grasp,
    close_grasps,
    delete_grasp,
    load_grasps,
    mirror_grasp,
    move_grasp_here,
    rename_grasp,
    scene_for,
    set_in_scene,
    start_empty,
)
from workbench.live.pose_edits import OBJECT
from workbench.model.description import HeldJoint
from workbench.poses import Pose, wxyz_from_rotation_vector


@pytest.fixture
def rig() -> GraspRig:
    return GraspRig()


def add(rig: GraspRig) -> None:
    add_grasp(
        rig.session, rig.grasping, confidence=0.5, cspace_position={"finger": 0.0},
        pregrasp_cspace_position={"finger": 0.04},
    )  # fmt: skip


EDITS: dict[str, Callable[[GraspRig], object]] = {
    "move crate": lambda rig: rig.move(0.7),
    "turn crate": lambda rig: set_in_scene(
        rig.session,
        transform_object_to_world=replace(at(0.4), wxyz=wxyz_from_rotation_vector([0, 0, 1.0])),
    ),
    "load other.yaml": lambda rig: load_grasps(rig.session, "other.yaml", three_grasps()),
    "close crate.yaml": lambda rig: close_grasps(rig.session),
    "add grasp_0": add,
    "rename grasp_1 to first": lambda rig: rename_grasp(
        rig.session, rig.grasping, "grasp_1", " first "
    ),
    "delete grasp_2": lambda rig: delete_grasp(rig.session, rig.grasping, "grasp_2"),
    "add grasp_2_z": lambda rig: mirror_grasp(rig.session, rig.grasping, "grasp_2", "z"),
    "change grasp_3": lambda rig: change_grasp(rig.session, "grasp_3", confidence=0.25),
    "standoff 100 to 50 mm": lambda rig: set_in_scene(rig.session, standoff_m=0.05),
    "approach +z to -x": lambda rig: set_in_scene(rig.session, approach="-x"),
    "gripper frame left to right": lambda rig: set_in_scene(rig.session, gripper_frame="right"),
    "set the gripper's offset": lambda rig: set_in_scene(
        rig.session, transform_frame_to_gripper=at(0.0, 0.0, 0.1)
    ),
}


@pytest.mark.parametrize("label", EDITS)
def test_every_edit_is_one_named_step_that_undo_takes_back(rig: GraspRig, label: str) -> None:
    before = rig.settings
    EDITS[label](rig)
    after = rig.settings
    assert after != before
    assert rig.session.state.undo_label == label
    assert rig.session.undo() == label
    assert rig.settings == before
    rig.session.redo()
    assert rig.settings == after


@pytest.mark.parametrize("label", EDITS)
def test_every_change_leads_back_on_its_own(rig: GraspRig, label: str) -> None:
    before = rig.settings
    EDITS[label](rig)
    changes = differences(before, rig.settings)
    assert len(changes) == 1
    assert with_field_of(rig.settings, before, changes[0].field) == before


def test_grasps_are_no_part_of_what_an_export_tells(rig: GraspRig) -> None:
    unsaved = rig.session.state.config_changed_at
    rig.move(0.7)
    assert not rig.session.state.unsaved
    assert rig.session.state.config_changed_at == unsaved


# Dragging ------------------------------------------------------------------------------------


def test_dragging_the_object_is_one_step_and_moves_no_target(rig: GraspRig) -> None:
    targets = rig.settings.targets
    assert rig.session.begin_drag(OBJECT, 1)
    for x in (0.5, 0.6, 0.7):
        assert rig.session.drag(OBJECT, 1, at(x))
    rig.session.end_drag(OBJECT, 1)
    assert rig.scene.transform_object_to_world == at(0.7)
    assert rig.settings.targets == targets
    assert rig.session.undo() == "move crate"
    assert rig.scene.transform_object_to_world == at(0.4)


def test_nobody_else_takes_or_moves_a_dragged_object(rig: GraspRig) -> None:
    rig.session.begin_drag(OBJECT, 1)
    assert not rig.session.begin_drag(OBJECT, 2)
    assert not rig.session.drag(OBJECT, 2, at(0.9))
    with pytest.raises(ConfigError, match="the object is being dragged"):
        rig.move(0.8)
    rig.session.release_client(1)
    assert rig.session.begin_drag(OBJECT, 2)


def test_an_undo_in_the_middle_of_a_drag_leaves_the_object_in_the_hand(rig: GraspRig) -> None:
    rig.set_gain(0.3)
    rig.session.begin_drag(OBJECT, 1)
    rig.session.drag(OBJECT, 1, at(0.6))
    assert rig.session.undo() == "gain 0.5 to 0.3"
    assert rig.scene.transform_object_to_world == at(0.6)
    rig.session.end_drag(OBJECT, 1)
    rig.session.undo()
    assert rig.scene.transform_object_to_world == at(0.4)


def test_the_object_may_go_away_while_it_is_dragged(rig: GraspRig) -> None:
    rig.session.begin_drag(OBJECT, 1)
    rig.session.drag(OBJECT, 1, at(0.6))
    close_grasps(rig.session)
    rig.session.drag(OBJECT, 1, at(0.7))
    rig.session.end_drag(OBJECT, 1)
    assert rig.settings.grasp_scene is None
    assert not rig.session.state.drags
    with pytest.raises(ConfigError, match="no object"):
        rig.session.begin_drag(OBJECT, 1)


def test_an_object_that_was_dragged_too_far_stays(rig: GraspRig) -> None:
    rig.session.begin_drag(OBJECT, 1)
    with pytest.raises(ConfigError, match="too far"):
        rig.session.drag(OBJECT, 1, at(1e4))
    assert rig.scene.transform_object_to_world == at(0.4)


# Authoring -----------------------------------------------------------------------------------


def test_an_added_grasp_is_where_the_gripper_is_on_the_object(rig: GraspRig) -> None:
    offset = Pose(np.array([0.0, 0.0, 0.2]), wxyz_from_rotation_vector([0.0, 0.0, 1.0]))
    turned = replace(at(0.4), wxyz=wxyz_from_rotation_vector([0.0, 0.5, 0.0]))
    set_in_scene(rig.session, transform_frame_to_gripper=offset, transform_object_to_world=turned)
    rig.session.command_positions("there", {"x": 0.5, "y": 0.2, "z": 0.3})
    add(rig)
    grasp = rig.scene.grasps["grasp_0"]
    link = rig.scene.transform_object_to_world @ grasp.pose @ offset
    assert link.is_close(at(0.5, 0.2, 0.3))
    assert grasp.confidence == 0.5
    assert dict(grasp.pregrasp_cspace_position) == {"finger": 0.04}
    assert rig.grasping.view.selected == "grasp_0"


FINGERS = (
    FingerJoint("x", -1.0, 1.0),  # solved for
    FingerJoint("thumb", 0.0, 0.04),
    FingerJoint("index", 0.0, 0.04),
    FingerJoint("ring", 0.01, 0.04),
    FingerJoint("mirror", None, None, "thumb", -1.0),
)


def test_without_a_word_on_fingers_they_are_stored_as_they_are_now(rig: GraspRig) -> None:
    held = (HeldJoint("thumb", 0.03, 0.0, ""), HeldJoint("index", 0.02, 0.0, ""))
    bundle = replace(
        rig.bundle, gripper=lambda _frame: cast(Any, SimpleNamespace(fingers=FINGERS)),
        description=replace(rig.bundle.description, held_joints=held),
    )  # fmt: skip
    rig.session.replace_bundle(bundle, rig.settings)
    rig.session.command_positions("there", {"x": 0.25})
    rig.grasping.set_fingers({"index": 0.005})
    add_grasp(rig.session, rig.grasping, cspace_position={"x": 0.5})
    grasp = rig.scene.grasps["grasp_0"]
    assert dict(grasp.cspace_position) == {"x": 0.5}
    assert dict(grasp.pregrasp_cspace_position) == {
        "x": 0.25, "thumb": 0.03, "index": 0.005, "ring": 0.01,
    }  # fmt: skip


def test_a_grasp_is_put_where_the_gripper_is_and_its_pregrasp_comes_along(rig: GraspRig) -> None:
    data = {name: dict(one) for name, one in rig.scene.grasps.get_grasp_dicts().items()}
    data["grasp_1"]["pregrasp_position"] = [0.1, 0.0, 0.2]
    load_grasps(rig.session, "own.yaml", GraspSpec({"grasps": data, "gripper_frame": "left"}))
    rig.move(0.4)
    rig.session.command_positions("there", {"x": 0.5, "y": 0.2, "z": 0.3})
    move_grasp_here(rig.session, "grasp_1")
    assert rig.session.state.undo_label == "change grasp_1"
    grasp = rig.scene.grasps["grasp_1"]
    assert grasp.pose.is_close(at(0.1, 0.2, 0.3))
    assert grasp.pregrasp_pose is not None
    assert grasp.pregrasp_pose.is_close(at(0.1, 0.2, 0.5))
    set_in_scene(rig.session, gripper_frame=None)
    with pytest.raises(GraspError, match="which link"):
        move_grasp_here(rig.session, "grasp_1")


@pytest.mark.parametrize("name", ["<b onclick=x>", "größer 抓取 🤖", "a: b # c", "x" * 80, "null"])
def test_any_word_that_one_can_see_is_a_name_and_survives_the_file(
    rig: GraspRig, name: str
) -> None:
    rename_grasp(rig.session, rig.grasping, "grasp_1", name)
    read = read_grasps(grasps_to_text(rig.scene.grasps), name="x")
    assert read.get_grasp_names() == [name, "grasp_2", "grasp_3"]
    mirrored = mirror_grasp(rig.session, rig.grasping, name, "z")
    again = mirror_grasp(rig.session, rig.grasping, name, "z")
    assert len({name, mirrored, again}) == 3
    assert max(map(len, rig.scene.grasps.get_grasp_names())) <= LONGEST_NAME
    delete_grasp(rig.session, rig.grasping, name)
    assert name not in rig.scene.grasps


def test_a_renamed_grasp_stays_selected_and_a_deleted_one_hands_on(rig: GraspRig) -> None:
    rig.grasping.select("grasp_2")
    rename_grasp(rig.session, rig.grasping, "grasp_2", "middle")
    assert rig.grasping.view.selected == "middle"
    delete_grasp(rig.session, rig.grasping, "middle")
    assert rig.grasping.view.selected == "grasp_3"


def test_names_that_are_taken_or_none_are_refused_whole(rig: GraspRig) -> None:
    before = rig.settings
    for name in ("grasp_2", "", "   ", "a\nb", "x" * 81):
        with pytest.raises(GraspError):
            rename_grasp(rig.session, rig.grasping, "grasp_1", name)
    with pytest.raises(GraspError):
        change_grasp(rig.session, "grasp_1", confidence=1.5)
    assert rig.settings is before


def test_a_set_of_ones_own_begins_empty(rig: GraspRig) -> None:
    close_grasps(rig.session)
    with pytest.raises(GraspError, match="no grasps"):
        add(rig)
    start_empty(rig.session, "left")
    add(rig)
    assert rig.scene.grasps.get_grasp_names() == ["grasp_0"]
    assert rig.scene.gripper_frame == "left"


# The gripper's link --------------------------------------------------------------------------


def test_a_frame_that_fits_no_link_is_asked_for_once(rig: GraspRig) -> None:
    load_grasps(rig.session, "a.yaml", three_grasps("/World/robotiq/mount"))
    assert rig.scene.gripper_frame is None
    assert rig.grasping.view.states(rig.session.state) == dict.fromkeys(rig.states, "unknown")
    set_in_scene(rig.session, gripper_frame="right")
    load_grasps(rig.session, "b.yaml", three_grasps("/World/robotiq/mount"))
    assert rig.scene.gripper_frame == "right"
    load_grasps(rig.session, "c.yaml", three_grasps("/World/hand"))
    assert rig.scene.gripper_frame is None


def test_what_was_said_of_a_frame_is_remembered_while_other_files_are_looked_at(
    rig: GraspRig,
) -> None:
    offset = at(0.0, 0.0, -0.1)
    load_grasps(rig.session, "a.yaml", three_grasps("/World/robotiq/mount"))
    set_in_scene(rig.session, gripper_frame="right", transform_frame_to_gripper=offset)
    load_grasps(rig.session, "b.yaml", three_grasps())
    assert (rig.scene.gripper_frame, rig.scene.transform_frame_to_gripper) == ("left", Pose())
    load_grasps(rig.session, "c.yaml", three_grasps(None))
    assert rig.scene.gripper_frame is None
    load_grasps(rig.session, "d.yaml", three_grasps("/World/robotiq/mount"))
    assert (rig.scene.gripper_frame, rig.scene.transform_frame_to_gripper) == ("right", offset)
    rig.session.undo()
    assert rig.scene.gripper_frame is None


def test_a_link_that_the_robot_does_not_have_is_refused(rig: GraspRig) -> None:
    with pytest.raises(ConfigError, match="perhaps left"):
        set_in_scene(rig.session, gripper_frame="lefd")


def test_another_robot_keeps_the_grasps_and_looks_for_their_gripper(rig: GraspRig) -> None:
    other = replace(fake_bundle("other").description, frames=("base", "left"))
    assert scene_for(rig.scene, other) is rig.scene
    handless = replace(other, frames=("base",))
    moved = scene_for(rig.scene, handless)
    assert moved is not None
    assert moved.gripper_frame is None
    assert moved.grasps is rig.scene.grasps


def test_numbers_out_of_range_are_refused() -> None:
    grasps = three_grasps()
    wrong: list[dict[str, Any]] = [
        {"standoff_m": -0.1}, {"standoff_m": float("nan")}, {"approach": "up"},
    ]  # fmt: skip
    for values in wrong:
        with pytest.raises(ConfigError):
            GraspScene("x", grasps, **values)


def test_the_directions_of_approach_are_unit_vectors_by_name() -> None:
    assert APPROACH_AXES["+z"] == (0.0, 0.0, 1.0)
    assert APPROACH_AXES["-x"] == (-1.0, 0.0, 0.0)
    assert len(set(APPROACH_AXES.values())) == 6
