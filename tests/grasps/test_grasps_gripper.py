"""Frames and finger joints of a file, found on a robot; grippers cut out of URDFs."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.errors import GraspError
from workbench.grasps.gripper import FingerJoint, last_segment, match_fingers, match_frame
from workbench.grasps.gripper_model import GripperModel, gripper_of_robot, load_gripper
from workbench.model.request import RobotRequest
from workbench.resources import resource_folder

PANDA_LINKS = ("panda_link0", "panda_link7", "panda_link8", "panda_hand", "panda_hand_tcp")
PANDA_FINGERS = (
    FingerJoint("panda_finger_joint1", 0.0, 0.04),
    FingerJoint("panda_finger_joint2", 0.0, 0.04, leader="panda_finger_joint1"),
)


# Frames --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "last"),
    [
        ("panda_hand", "panda_hand"),
        ("/World/Panda/panda_hand", "panda_hand"),
        ("/World/Panda/panda_hand/", "panda_hand"),
        ("panda::panda_hand", "panda_hand"),
        ("/", ""),
    ],
)
def test_the_last_segment_of_a_path_counts(written: str, last: str) -> None:
    assert last_segment(written) == last


def test_a_frame_is_found_by_its_last_segment() -> None:
    match = match_frame("/World/franka/panda_hand", PANDA_LINKS, ["panda_hand_tcp"])
    assert match.frame == "panda_hand"
    assert match.written == "/World/franka/panda_hand"


def test_spelling_that_simulators_change_does_not_matter() -> None:
    assert match_frame("/World/Tool_0", ["base", "tool0"]).frame == "tool0"
    assert match_frame("robotiq_85_base_link", ["robotiq-85-base-link"]).frame is not None
    assert match_frame("hand_1", ["hand-1", "hand_1."]).frame is None


def test_what_does_not_fit_is_asked_with_the_likely_first() -> None:
    match = match_frame("/World/panda_hnd", PANDA_LINKS, ["panda_hand_tcp"])
    assert match.frame is None
    assert match.candidates[0] == "panda_hand"
    assert set(match.candidates) == set(PANDA_LINKS)
    assert "No link is called panda_hnd" in match.text


def test_a_file_without_frames_asks_for_a_tool_frame_first() -> None:
    match = match_frame(None, PANDA_LINKS, ["panda_hand_tcp"])
    assert match.frame is None
    assert match.candidates[:2] == ("panda_hand_tcp", "panda_hand")
    assert match.candidates[-3:] == ("panda_link0", "panda_link7", "panda_link8")


# Fingers -------------------------------------------------------------------------------------


def test_finger_positions_are_found_by_name() -> None:
    match = match_fingers({"panda_finger_joint1": 0.01}, PANDA_FINGERS)
    assert match.positions == {"panda_finger_joint1": 0.01}
    assert (match.unknown, match.silent, match.remarks) == ((), (), ())


def test_a_follower_stands_in_for_its_leader_and_may_agree_with_it() -> None:
    assert match_fingers({"panda_finger_joint2": 0.01}, PANDA_FINGERS).positions == {
        "panda_finger_joint1": 0.01
    }
    both = {"panda_finger_joint1": 0.01, "panda_finger_joint2": 0.01}
    assert match_fingers(both, PANDA_FINGERS).remarks == ()
    law = FingerJoint("b", None, None, leader="a", multiplier=-2.0, offset=0.5)
    match = match_fingers({"b": 0.1}, [FingerJoint("a", None, None), law])
    assert match.positions == pytest.approx({"a": 0.2})


def test_a_follower_that_disagrees_is_said() -> None:
    written = {"panda_finger_joint1": 0.01, "panda_finger_joint2": 0.03}
    match = match_fingers(written, PANDA_FINGERS)
    assert match.positions == {"panda_finger_joint1": 0.01}
    assert "panda_finger_joint2 follows panda_finger_joint1" in match.remarks[0]


def test_names_that_do_not_exist_are_said_with_those_that_do() -> None:
    match = match_fingers({"finger_joint": 0.5}, PANDA_FINGERS)
    assert match.positions == {}
    assert match.unknown == ("finger_joint",)
    assert match.silent == ("panda_finger_joint1",)
    assert match.remarks == (
        "The gripper has no joint finger_joint: its joints are panda_finger_joint1.",
    )
    assert "it has no joints" in match_fingers({"finger_joint": 0.5}, []).remarks[0]


def test_positions_stop_at_the_limits_and_rounding_is_not_worth_a_word() -> None:
    match = match_fingers({"panda_finger_joint1": -1.2e-16}, PANDA_FINGERS)
    assert match.positions == {"panda_finger_joint1": 0.0}
    assert match.remarks == ()
    match = match_fingers({"panda_finger_joint1": 0.05}, PANDA_FINGERS)
    assert match.positions == {"panda_finger_joint1": 0.04}
    assert "limit 0.04" in match.remarks[0]


# Grippers ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two_finger() -> GripperModel:
    return load_gripper(RobotRequest(str(resource_folder("robots") / "two_finger_gripper.urdf")))


def test_the_shipped_gripper_has_one_joint_and_three_that_follow(two_finger: GripperModel) -> None:
    assert two_finger.frame == "gripper_base"
    leaders = [finger.name for finger in two_finger.fingers if finger.leader is None]
    followers = {finger.name for finger in two_finger.fingers if finger.leader == "finger_joint"}
    assert leaders == ["finger_joint"]
    assert followers == {"left_finger_joint", "right_crank_joint", "right_finger_joint"}
    assert {shape.link for shape in two_finger.shapes} >= {"left_finger", "right_finger"}


@pytest.mark.parametrize("position", [0.0, 0.2, 0.45, 0.7])
def test_its_fingers_stay_parallel_and_symmetric(two_finger: GripperModel, position: float) -> None:
    poses = two_finger.link_poses({"finger_joint": position})
    left, right = poses["left_finger"], poses["right_finger"]
    assert left.rotation == pytest.approx(np.eye(3), abs=1e-12)
    assert right.rotation == pytest.approx(np.eye(3), abs=1e-12)
    assert left.translation == pytest.approx(right.translation * [1, -1, 1], abs=1e-12)


def test_it_closes_as_its_joint_says(two_finger: GripperModel) -> None:
    gaps = [
        2.0 * two_finger.glyph_shape({"finger_joint": position}).half_opening_m
        for position in (0.0, 0.35, 0.7)
    ]
    assert gaps[0] == pytest.approx(0.082, abs=1e-3)
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] == pytest.approx(0.0, abs=1e-3)


def test_openings_of_many_grasps_come_at_once(two_finger: GripperModel) -> None:
    many: list[dict[str, float]] = [{"finger_joint": 0.7}, {}, {"finger_joint": 0.35}]
    openings = two_finger.half_openings(many)
    alone = [two_finger.glyph_shape(positions).half_opening_m for positions in many]
    assert openings == pytest.approx(alone, abs=1e-4)
    assert two_finger.half_openings([]).shape == (0,)


def test_positions_of_joints_that_it_does_not_have_change_nothing(
    two_finger: GripperModel,
) -> None:
    assert two_finger.link_poses({"other": 1.0}) == two_finger.link_poses({})


@pytest.mark.parametrize("frame", ["panda_hand", "panda_hand_tcp"])
def test_a_robots_gripper_begins_where_something_moves_below_the_frame(frame: str) -> None:
    hand = gripper_of_robot(RobotRequest("panda"), frame, ())
    assert hand.links == ("panda_hand", "panda_hand_tcp", "panda_leftfinger", "panda_rightfinger")
    assert hand.fingers[1].leader == "panda_finger_joint1"
    poses = hand.link_poses({"panda_finger_joint1": 0.03})
    middle = 0.0584 if frame == "panda_hand" else 0.0584 - 0.1034
    assert poses["panda_leftfinger"].translation == pytest.approx([0.0, 0.03, middle], abs=1e-9)
    assert poses["panda_rightfinger"].translation == pytest.approx([0.0, -0.03, middle], abs=1e-9)
    assert poses[frame].is_close(poses[frame].inverse())


def test_a_tool_without_fingers_is_its_link(two_finger: GripperModel) -> None:
    flange = gripper_of_robot(RobotRequest("ur5"), "tool0", ())
    assert flange.links == ("tool0",)
    assert flange.fingers == ()
    assert flange.link_poses({})["tool0"].translation == pytest.approx([0.0, 0.0, 0.0])


def test_a_link_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(GraspError, match="perhaps panda_hand"):
        gripper_of_robot(RobotRequest("panda"), "panda_hnd", ())
