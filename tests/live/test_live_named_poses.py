"""Named poses, mirror images, random postures, and joints moved by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.live.live_fakes import JOINTS, Rig, at, commanded, fake_bundle, start_settings
from workbench.config.robot_pose import RobotPose
from workbench.config.tasks import DampingTaskSpec, PostureTaskSpec
from workbench.errors import ConfigError
from workbench.live.bundle import RobotBundle
from workbench.live.joint_moves import free_posture, move_joint, posture_goals, release_joints
from workbench.live.mirror import (
    Mirror,
    counterpart_name,
    joints_stopped,
    mirror_of,
    mirrored_base,
    mirrored_pose,
)
from workbench.live.named_poses import (
    delete_pose,
    go_to_mirror_image,
    go_to_pose,
    go_to_random_posture,
    random_positions,
    rename_pose,
    save_pose,
)
from workbench.live.session import Session
from workbench.model.request import RobotRequest
from workbench.poses import Pose
from workbench.ui.loading import load_bundle

SYMMETRIC = ("baxter", "g1", "talos", "icub", "romeo", "dual_arm_7dof")
TWO_HANDED = (*SYMMETRIC, "tiago_dual")


@cache
def bundle_of(name: str, example: str = "") -> RobotBundle:
    return load_bundle(RobotRequest(name, example=example))


@cache
def mirror(name: str) -> Mirror:
    return mirror_of(bundle_of(name))


def session_of(bundle: RobotBundle) -> Session:
    rig = Rig()
    targets = start_settings(fake_bundle()).targets
    poses = bundle.tool_poses(bundle.description.home)
    settings = replace(
        start_settings(fake_bundle()),
        home=bundle.description.home,
        targets={
            frame: replace(targets["left"], transform_target_to_world=pose)
            for frame, pose in poses.items()
        },
    )
    return Session(bundle, settings, clock=rig.clock, now_utc=rig.clock.utc)


# Named poses -----------------------------------------------------------------------------


def test_a_saved_pose_is_gone_to_in_one_step_with_the_targets() -> None:
    rig = Rig()
    rig.session.command_positions("away", {"x": 0.4, "z": 0.2})
    save_pose(rig.session, " ready ")
    assert rig.session.state.undo_label == "save pose ready"
    rig.session.command_positions("elsewhere", {"x": -0.5, "y": 0.5})
    go_to_pose(rig.session, "ready")
    assert commanded(rig) == {"x": 0.4, "y": 0.0, "z": 0.2}
    assert rig.target("left") == at(0.4, 0.0, 0.2)
    assert rig.target("right") == at(0.4, -1.0, 0.2)
    assert rig.session.undo() == "go to pose ready"
    assert commanded(rig) == {"x": -0.5, "y": 0.5, "z": 0.2}
    assert rig.target("left") == at(-0.5, 0.5, 0.2)


def test_a_pose_saved_again_takes_the_place_of_the_first() -> None:
    rig = Rig()
    save_pose(rig.session, "a")
    save_pose(rig.session, "b")
    rig.session.command_positions("away", {"x": 0.4})
    save_pose(rig.session, "a")
    assert {name: pose.positions["x"] for name, pose in rig.settings.named_poses.items()} == {
        "a": 0.4,
        "b": 0.0,
    }


def test_a_held_joint_stays_where_it_is_held() -> None:
    rig = Rig()
    rig.session.command_positions("away", {"x": 0.4, "y": 0.4})
    save_pose(rig.session, "ready")
    rig.session.command_positions("elsewhere", {"x": 0.0, "y": 0.0})
    rig.session.hold_joint("x", True)
    go_to_pose(rig.session, "ready")
    assert commanded(rig) == {"x": 0.0, "y": 0.4, "z": 0.0}
    go_to_random_posture(rig.session, 3)
    assert rig.session.present_positions()["x"] == 0.0


def test_poses_are_renamed_in_place_and_deleted_and_both_come_back() -> None:
    rig = Rig()
    for name in ("a", "b"):
        save_pose(rig.session, name)
    assert rename_pose(rig.session, "a", "first ") == "first"
    assert list(rig.settings.named_poses) == ["first", "b"]
    assert rig.session.state.undo_label == "rename pose a to first"
    delete_pose(rig.session, "b")
    assert list(rig.settings.named_poses) == ["first"]
    rig.session.undo()
    rig.session.undo()
    assert list(rig.settings.named_poses) == ["a", "b"]


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 41, "a\u202eb"])
def test_what_is_no_name_saves_nothing(name: str) -> None:
    rig = Rig()
    with pytest.raises(ConfigError, match="name"):
        save_pose(rig.session, name)
    assert not rig.settings.named_poses


def test_what_is_not_there_is_said_with_the_nearest_names() -> None:
    rig = Rig()
    save_pose(rig.session, "ready")
    save_pose(rig.session, "folded")
    for action in (go_to_pose, delete_pose):
        with pytest.raises(ConfigError, match=r"no such pose.*ready"):
            action(rig.session, "redy")
    with pytest.raises(ConfigError, match="another pose has that name"):
        rename_pose(rig.session, "ready", "folded")
    assert list(rig.settings.named_poses) == ["ready", "folded"]


def test_joints_that_a_pose_does_not_know_stay_and_those_of_no_robot_are_left_out() -> None:
    rig = Rig()
    pose = RobotPose({"x": 0.3, "wrist": 1.0})
    rig.session.edit(
        None, lambda s: replace(s, named_poses={"old": pose, "alien": RobotPose({"wrist": 1.0})})
    )
    go_to_pose(rig.session, "old")
    assert commanded(rig) == {"x": 0.3, "y": 0.0, "z": 0.0}
    with pytest.raises(ConfigError, match="another robot"):
        go_to_pose(rig.session, "alien")


def test_a_pose_of_a_floating_base_brings_the_base_back() -> None:
    rig = Rig(floating_base=True)
    base = Pose.from_xyz_rpy((1.0, 2.0, 0.5), (0.1, 0.0, 0.3))
    rig.session.command_positions("away", {"x": 0.4}, transform_base_to_world=base)
    save_pose(rig.session, "ready")
    rig.session.go_home()
    go_to_pose(rig.session, "ready")
    assert rig.session.present_pose().transform_base_to_world == base


# Random postures -------------------------------------------------------------------------


@given(seed=st.integers(0, 2**32 - 1), margin=st.floats(0.0, 0.5))
def test_a_random_posture_keeps_its_margin_and_its_seed(seed: int, margin: float) -> None:
    description = bundle_of("dual_arm_7dof").description
    positions = random_positions(description, seed=seed, margin=margin)
    assert positions == random_positions(description, seed=seed, margin=margin)
    assert positions != random_positions(description, seed=seed + 1, margin=margin) or margin > 0.4
    for joint in description.joints:
        kept = joint.limit_margin(positions[joint.name])
        assert kept is not None
        assert kept >= margin - 1e-9


def test_a_joint_without_limits_is_within_half_a_turn() -> None:
    drawn = [random_positions(fake_bundle().description, seed=seed)["z"] for seed in range(200)]
    assert max(map(abs, drawn)) <= math.pi
    assert min(drawn) < -0.8 * math.pi
    assert max(drawn) > 0.8 * math.pi


def test_a_random_posture_is_one_step() -> None:
    rig = Rig()
    go_to_random_posture(rig.session, 5)
    sent = commanded(rig)
    assert sent is not None
    assert sent == random_positions(rig.bundle.description, seed=5)
    assert rig.target("left").translation.tolist() == [sent[joint] for joint in JOINTS]
    assert rig.session.undo() == "random posture 5"
    assert commanded(rig) == dict.fromkeys(JOINTS, 0.0)


def test_a_robot_on_its_feet_keeps_its_legs_under_it() -> None:
    names = random_positions(bundle_of("talos", "standing").description, seed=1).keys()
    assert "arm_left_3_joint" in names
    assert not any(name.startswith("leg_") for name in names)


# Mirror images ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("left_s0", "right_s0"),
        ("arm_left_1_joint", "arm_right_1_joint"),
        ("left_shoulder_pitch_joint", "right_shoulder_pitch_joint"),
        ("l_shoulder_pitch", "r_shoulder_pitch"),
        ("l_gripper_l_finger_joint", "r_gripper_r_finger_joint"),
        ("leg_r_1", "leg_l_1"),
        ("knee_L", "knee_R"),
        ("LShoulderPitch", "RShoulderPitch"),
        ("LeftElbow", "RightElbow"),
        ("LEFT-ELBOW", "RIGHT-ELBOW"),
        ("torso_yaw", "torso_yaw"),
        ("elbow_roll", "elbow_roll"),
        ("Lift", "Lift"),
        ("RotatoryJoint", "RotatoryJoint"),
        ("j1l", "j1l"),
    ],
)
def test_sides_are_told_by_names(name: str, other: str) -> None:
    assert counterpart_name(name) == other
    assert counterpart_name(other) == name


@pytest.mark.parametrize("name", SYMMETRIC)
def test_tools_are_mirrored_where_the_robot_is_symmetric(name: str) -> None:
    bundle, found = bundle_of(name), mirror(name)
    # How each tool's axes lie in the mirror image of the other's does not depend on the posture.
    first = bundle.tool_poses(found.reference)
    axes = {
        tool: mirrored_pose(first[tool]).inverse() @ first[counterpart_name(tool)] for tool in first
    }
    for tool, pose in axes.items():
        assert np.abs(pose.translation).max() <= 1e-3, tool
    for seed in range(10):
        positions = random_positions(bundle.description, seed=seed)
        here = bundle.tool_poses(positions)
        there = bundle.tool_poses(found.positions(positions))
        for tool, pose in here.items():
            wanted = mirrored_pose(pose) @ axes[tool]
            assert there[counterpart_name(tool)].is_close(wanted, 1e-3, 1e-3), (tool, seed)


def test_a_robot_whose_sides_differ_by_millimetres_is_mirrored_to_millimetres() -> None:
    bundle, found = bundle_of("tiago_dual"), mirror("tiago_dual")
    positions = random_positions(bundle.description, seed=1)
    left = "hand_left_grasping_frame"
    wanted = mirrored_pose(bundle.tool_poses(positions)[left]).translation
    there = bundle.tool_poses(found.positions(positions))["hand_right_grasping_frame"].translation
    assert 1e-3 < math.dist(wanted, there) < 1e-2


@pytest.mark.parametrize("name", TWO_HANDED)
@given(seed=st.integers(0, 2**32 - 1))
def test_mirroring_twice_is_the_identity(name: str, seed: int) -> None:
    positions = random_positions(bundle_of(name).description, seed=seed)
    found = mirror(name)
    assert found.positions(found.positions(positions)) == pytest.approx(positions, abs=1e-12)


@given(roll=st.floats(-3, 3), pitch=st.floats(-1.5, 1.5), yaw=st.floats(-3, 3))
def test_a_base_leans_to_the_other_side_and_back(roll: float, pitch: float, yaw: float) -> None:
    base = Pose.from_xyz_rpy((1.0, 2.0, 3.0), (roll, pitch, yaw))
    heading = Pose.from_xyz_rpy((1.0, 2.0, 3.0), (0.0, 0.0, yaw))
    wanted = heading @ mirrored_pose(heading.inverse() @ base)
    assert mirrored_base(base).is_close(wanted, 1e-9, 1e-6)
    assert mirrored_base(mirrored_base(base)).is_close(base, 1e-9, 1e-6)


def test_legs_that_carry_no_tool_are_mirrored_too() -> None:
    signs = mirror_of(bundle_of("talos", "standing")).signs
    # Yaw and roll of a hip go against each other, pitch and knee along.
    assert [signs[f"leg_left_{number}_joint"] for number in range(1, 7)] == [-1, -1, 1, 1, 1, -1]


def test_joints_in_the_middle_turn_their_other_way() -> None:
    signs = mirror("g1").signs
    names = ("waist_yaw_joint", "waist_roll_joint", "waist_pitch_joint")
    assert [signs[name] for name in names] == [-1, -1, 1]


def test_the_robot_goes_to_its_mirror_image_and_its_targets_with_it() -> None:
    bundle = bundle_of("dual_arm_7dof")
    session = session_of(bundle)
    session.command_positions("raise the left hand", {"left_joint1": 0.4, "left_joint4": 0.9})
    before = session.state.settings.targets["left_hand"].transform_target_to_world
    assert go_to_mirror_image(session) == ()
    positions = session.present_positions()
    assert positions["left_joint4"] == 0.0
    assert positions["right_joint4"] == pytest.approx(0.9)
    target = session.state.settings.targets["right_hand"].transform_target_to_world
    assert target.translation == pytest.approx(mirrored_pose(before).translation, abs=1e-9)
    assert session.undo() == "mirror the pose"
    assert session.state.settings.targets["left_hand"].transform_target_to_world == before


def test_joints_whose_limits_are_no_mirror_images_are_named() -> None:
    bundle = bundle_of("dual_arm_7dof")
    joints = tuple(
        replace(joint, upper=0.5) if joint.name == "right_joint4" else joint
        for joint in bundle.description.joints
    )
    session = session_of(replace(bundle, description=replace(bundle.description, joints=joints)))
    session.command_positions("raise the left hand", {"left_joint4": 0.9})
    assert go_to_mirror_image(session) == ("right_joint4",)
    assert session.present_positions()["right_joint4"] == 0.5
    assert joints_stopped({"right_joint4": 0.5}, session.state.description) == []


def test_a_robot_with_one_side_says_so() -> None:
    rig = Rig()
    with pytest.raises(ConfigError, match="gantry: has no left and right joints to exchange"):
        go_to_mirror_image(rig.session)
    assert rig.session.state.undo_label is None


@pytest.mark.parametrize(
    ("xyz", "rpy"), [((0.0, 0.03, 0.0), (0.0, 0.0, 0.0)), ((0.0, 0.0, 0.0), (0.0, 0.0, 0.2))]
)
def test_sides_that_are_no_mirror_images_are_refused(
    xyz: tuple[float, ...], rpy: tuple[float, ...]
) -> None:
    bundle = bundle_of("dual_arm_7dof")

    def twisted(pose: RobotPose, frames: Sequence[str]) -> dict[str, Pose]:
        moved = Pose.from_xyz_rpy(xyz, rpy)
        found = bundle.frame_poses(pose, frames)
        return {k: moved @ v if k.startswith("right") else v for k, v in found.items()}

    crooked = replace(bundle, frame_poses=twisted)
    with pytest.raises(ConfigError, match=r"left_joint\d: is no mirror image of right_joint\d"):
        mirror_of(crooked)


def test_all_locks_and_the_posture_are_let_go_as_a_step_each() -> None:
    rig = Rig()
    rig.session.hold_joint("x", True)
    rig.session.hold_joint("y", True)
    release_joints(rig.session)
    assert not rig.settings.held_joints
    assert rig.session.undo() == "let all joints go"
    move_joint(rig.session, "z", 0.5)
    free_posture(rig.session)
    assert not posture_goals(rig.settings)
    assert the_posture(rig).target == "present"
    assert rig.session.undo() == "let the posture go"
    assert posture_goals(rig.settings)["z"] == 0.5


# Joints moved by hand --------------------------------------------------------------------


def the_posture(rig: Rig) -> PostureTaskSpec:
    (spec,) = [spec for spec in rig.settings.tasks if isinstance(spec, PostureTaskSpec)]
    return spec


def test_the_first_move_makes_a_posture_task_where_the_robot_is_as_one_step() -> None:
    rig = Rig()
    rig.session.edit(
        None,
        lambda s: s.with_kinematics(posture_cost=0.02, joint_limit_posture_margin=0.1),
    )
    rig.session.command_positions("away", {"y": 0.3})
    for position in (0.1, 0.2, 0.25):
        move_joint(rig.session, "x", position, gesture="x 1")
        rig.clock.advance(0.1)
    spec = the_posture(rig)
    assert (spec.cost, spec.margin, spec.name) == (0.02, 0.1, "posture")
    assert spec.target == {"x": 0.25, "y": 0.3, "z": 0.0}
    assert posture_goals(rig.settings)["x"] == 0.25
    assert rig.session.undo() == "posture of x to 0.250 m"
    assert not rig.settings.tasks
    assert not posture_goals(rig.settings)


def test_a_posture_without_weight_gets_some() -> None:
    rig = Rig()
    rig.session.edit(None, lambda s: s.with_kinematics(posture_cost=0.0))
    move_joint(rig.session, "x", 0.1)
    assert the_posture(rig).cost == 1e-3


@pytest.mark.parametrize(
    ("target", "enabled", "expected"),
    [
        ("present", True, {"x": 0.5, "y": 0.3, "z": 0.0}),
        ("home", True, {"x": 0.5, "y": -0.2, "z": 0.1}),
        ({"y": 0.7}, True, {"x": 0.5, "y": 0.7, "z": 0.1}),
        ({"y": 0.7}, False, {"x": 0.5, "y": 0.3, "z": 0.0}),
    ],
)
def test_a_posture_task_that_is_there_takes_the_move(
    target: str | dict[str, float], enabled: bool, expected: dict[str, float]
) -> None:
    rig = Rig()
    spec = PostureTaskSpec(name="mine", cost=3.0, gain=0.5, target=target, enabled=enabled)
    rig.session.edit(
        None,
        lambda s: replace(
            s,
            home={"x": 0.0, "y": -0.2, "z": 0.1},
            tasks=(DampingTaskSpec(name="posture"), spec),
        ),
    )
    rig.session.command_positions("away", {"y": 0.3})
    move_joint(rig.session, "x", 0.5)
    assert the_posture(rig) == replace(spec, target=expected, enabled=True)
    assert len(rig.settings.tasks) == 2


def test_a_new_posture_task_takes_a_free_name() -> None:
    rig = Rig()
    rig.session.edit(None, lambda s: replace(s, tasks=(DampingTaskSpec(name="posture"),)))
    move_joint(rig.session, "x", 0.5)
    assert the_posture(rig).name == "posture 2"


@pytest.mark.parametrize("mode", ["live", "planning", "isaac"])
def test_where_no_tick_takes_it_back_the_robot_itself_is_moved(mode: str) -> None:
    rig = Rig()
    rig.session.edit(None, lambda s: replace(s, mode=mode))
    if mode == "live":
        rig.session.set_paused(True)
    for position in (0.1, 0.4):
        move_joint(rig.session, "x", position, gesture="x 1")
    assert not rig.settings.tasks
    assert commanded(rig) == {"x": 0.4, "y": 0.0, "z": 0.0}
    assert rig.target("left") == at(0.4)
    assert rig.session.undo() == "move x to 0.400 m"
    assert commanded(rig) == dict.fromkeys(JOINTS, 0.0)


def test_a_move_stops_at_the_limit_and_what_is_no_joint_is_refused() -> None:
    rig = Rig()
    move_joint(rig.session, "x", 5.0)
    assert posture_goals(rig.settings)["x"] == 1.0
    before = rig.settings
    with pytest.raises(ConfigError, match="no such joint"):
        move_joint(rig.session, "w", 0.0)
    with pytest.raises(ConfigError, match="finite"):
        move_joint(rig.session, "x", math.nan)
    assert rig.settings is before


def test_what_was_meant_for_another_robot_moves_nothing() -> None:
    rig = Rig()
    old = rig.session.state.epoch
    bundle = fake_bundle("crane")
    rig.session.replace_bundle(bundle, start_settings(bundle))
    move_joint(rig.session, "x", 0.5, epoch=old)
    save_pose(rig.session, "ready", epoch=old)
    go_to_random_posture(rig.session, 1, epoch=old)
    assert rig.session.state.undo_label is None
