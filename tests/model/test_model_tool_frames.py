from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from tests.robots_inline import CHAIN, GRIPPER, joint, robot, write_urdf
from workbench.errors import RobotError, UsageError
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.model.tool_frames import parse_tool_frame


def load(folder: Path, text: str, **options: Any) -> Robot:
    return load_robot(RobotRequest(write_urdf(folder, text), **options))


def arm(side: str, root: str, *ends: str, joints: int = 4) -> tuple[str, str]:
    """Return joints and link names of a serial arm with further parts at its last link."""
    links = [root, *(f"{side}{index}" for index in range(joints))]
    made = [
        joint(f"{side}_joint{index}", parent=links[index], child=links[index + 1])
        for index in range(joints)
    ]
    return "".join([*made, *ends]), " ".join(links[1:])


def fixed(child: str, parent: str) -> str:
    return joint(f"{child}_fix", "fixed", parent, child, inside="")


# Default frames --------------------------------------------------------------------------------


def test_the_end_of_the_chain_is_the_default(tmp_path: Path) -> None:
    assert load(tmp_path, CHAIN).description.tool_frames == ("hand",)


def test_both_arms_of_a_dual_arm_robot_get_a_frame(tmp_path: Path) -> None:
    left, left_links = arm("left", "torso")
    right, right_links = arm("right", "torso")
    text = robot(joint("lift", "prismatic", "base", "torso"), left, right,
                 links=f"base torso {left_links} {right_links}")  # fmt: skip
    assert load(tmp_path, text).description.tool_frames == ("left3", "right3")


def test_the_palm_is_meant_not_the_fingers(tmp_path: Path) -> None:
    fingers = [joint(f"f{n}", "prismatic", "a3", f"finger{n}") for n in range(2)]
    joints, links = arm("a", "base", *fingers)
    text = robot(joints, links=f"base {links} finger0 finger1")
    assert load(tmp_path, text).description.tool_frames == ("a3",)


def test_the_fingers_of_a_hand_on_its_own_get_a_frame_each(tmp_path: Path) -> None:
    parts = [arm(f"f{n}_", "base", joints=3) for n in range(3)]
    text = robot(*(p for p, _ in parts), links="base " + " ".join(links for _, links in parts))
    assert load(tmp_path, text).description.tool_frames == ("f0_2", "f1_2", "f2_2")


def test_a_frame_named_as_the_tool_wins_and_sensors_are_passed_over(tmp_path: Path) -> None:
    joints, links = arm("a", "base", fixed("wrist_camera_link", "a3"), fixed("flange", "a3"),
                        fixed("tool0", "flange"), fixed("imu_link", "flange"))  # fmt: skip
    text = robot(joints, links=f"base {links} wrist_camera_link flange tool0 imu_link")
    assert load(tmp_path, text).description.tool_frames == ("tool0",)
    joints, links = arm("a", "base", fixed("wrist_camera_link", "a3"), fixed("knife", "a3"))
    text = robot(joints, links=f"base {links} wrist_camera_link knife")
    assert load(tmp_path, text).description.tool_frames == ("knife",)


def test_a_single_jaw_is_not_the_tool_where_a_frame_says_what_is(tmp_path: Path) -> None:
    joints, links = arm("a", "base", joint("jaw", parent="a3", child="moving_jaw"),
                        fixed("gripper_frame_link", "a3"))  # fmt: skip
    text = robot(joints, links=f"base {links} moving_jaw gripper_frame_link")
    assert load(tmp_path, text).description.tool_frames == ("gripper_frame_link",)


def test_wheels_and_heads_count_only_where_there_is_no_arm(tmp_path: Path) -> None:
    wheels = [joint(f"wheel{n}", "continuous", "base", f"rim{n}", inside="") for n in range(2)]
    text = robot(*wheels, links="base rim0 rim1")
    assert load(tmp_path, text).description.tool_frames == ("rim0", "rim1")
    joints, links = arm("a", "base", *wheels)
    text = robot(joints, links=f"base rim0 rim1 {links}")
    assert load(tmp_path, text).description.tool_frames == ("a3",)


def test_a_robot_that_only_floats_has_its_root_as_tool(tmp_path: Path) -> None:
    loaded = load(tmp_path, robot(links="drone"), floating_base=True)
    assert loaded.description.tool_frames == ("drone",)
    assert loaded.description.joints == ()
    assert loaded.model.nv == 6


# Frames that are asked for ---------------------------------------------------------------------


def test_a_link_can_be_asked_for(tmp_path: Path) -> None:
    assert load(tmp_path, GRIPPER, tool_frames=("left", "palm")).description.tool_frames == (
        "left", "palm",
    )  # fmt: skip


def test_a_frame_of_one_s_own_is_fixed_to_its_link(tmp_path: Path) -> None:
    loaded = load(tmp_path, CHAIN, tool_frames=("tip=hand:0.1,0.2,0.3,0,0,1.5707963267948966",))
    assert loaded.description.tool_frames == ("tip",)
    data = loaded.model.createData()
    pin.framesForwardKinematics(loaded.model, data, loaded.q_from_positions({"elbow": 0.5}))
    hand, tip = (data.oMf[loaded.model.getFrameId(name)] for name in ("hand", "tip"))
    relative = hand.actInv(tip)
    np.testing.assert_allclose(relative.translation, [0.1, 0.2, 0.3], atol=1e-12)
    np.testing.assert_allclose(pin.rpy.matrixToRpy(relative.rotation), [0, 0, np.pi / 2], atol=1e-9)


def test_a_frame_of_one_s_own_may_have_the_name_of_a_joint(tmp_path: Path) -> None:
    loaded = load(tmp_path, CHAIN, tool_frames=("wrist=hand:0,0,0.5,0,0,0",))
    frame = loaded.model.frames[loaded.model.getFrameId("wrist")]
    assert frame.type == pin.FrameType.OP_FRAME


def test_a_link_whose_name_holds_an_equals_sign_is_a_link() -> None:
    assert parse_tool_frame("a=b", ["a=b"]).link == "a=b"
    frame = parse_tool_frame("tip=ns:arm:1,2,3,0,0,0", ["ns:arm"])
    assert (frame.name, frame.link) == ("tip", "ns:arm")
    assert frame.pose.translation.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "text",
    ["tip=hand", "=hand:0,0,0,0,0,0", "tip=:0,0,0,0,0,0", "tip=hand:0,0,0", "tip=hand:a,b,c,d,e,f",
     "tip=hand:0,0,nan,0,0,0", "tip=hand:0,0,0,0,0,inf", "tip=hand:0,0,0,0,0,0,0"],
)  # fmt: skip
def test_a_frame_that_is_written_wrongly_is_refused_with_the_way_to_write_it(text: str) -> None:
    with pytest.raises(UsageError, match="NAME=LINK:x,y,z,r,p,y"):
        parse_tool_frame(text, ["hand"])


@pytest.mark.parametrize(
    ("frames", "words"),
    [
        (("hnad",), r"there is no such link.*hnad.*perhaps hand"),
        (("tip=hnad:0,0,0,0,0,0",), r"tip.*hnad.*perhaps hand"),
        (("hand", "hand"), "listed twice"),
        (("upper=hand:0,0,0,0,0,0",), "has the name of a link"),
        (("base",), "cannot move"),
    ],
)
def test_a_frame_that_cannot_be_is_refused(
    tmp_path: Path, frames: tuple[str, ...], words: str
) -> None:
    with pytest.raises(RobotError, match=words):
        load(tmp_path, CHAIN, tool_frames=frames)


def test_the_base_link_moves_with_a_floating_base(tmp_path: Path) -> None:
    loaded = load(tmp_path, CHAIN, tool_frames=("base",), floating_base=True)
    assert loaded.description.tool_frames == ("base",)
