"""Controlled joints: a loaded robot's, a request's, and a URDF's as DimOS reads it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from tests.robots_inline import CHAIN, GRIPPER, joint, limit, robot, write_urdf
from workbench.errors import RobotError
from workbench.model.controlled import (
    controlled_from_request,
    controlled_from_robot,
    controlled_from_urdf,
)
from workbench.model.request import RobotRequest
from workbench.model.robot import load_robot
from workbench.poses import Pose


def test_joints_that_are_not_named_are_locked_at_neutral(tmp_path: Path) -> None:
    path = Path(write_urdf(tmp_path, CHAIN))
    elbow = controlled_from_urdf(path, ["elbow"])
    assert list(elbow.model.names) == ["universe", "elbow"]
    assert elbow.joint_names == ("elbow",) and elbow.home.tolist() == [0.0]


def test_a_mimic_joint_is_a_joint_of_its_own(tmp_path: Path) -> None:
    path = Path(write_urdf(tmp_path, GRIPPER))
    jaws = controlled_from_urdf(path, ["opposite", "jaw"])
    assert jaws.model.nq == 2
    assert jaws.upper.tolist() == [0.04, 0.04]


def test_commands_keep_the_order_that_was_asked_for(tmp_path: Path) -> None:
    path = Path(write_urdf(tmp_path, CHAIN))
    chain = controlled_from_urdf(path, ["wrist", "elbow", "shoulder"])
    q = chain.q_from_positions(np.array([3.0, 0.2, 0.1]))
    model = pin.buildModelFromXML(path.read_text())
    assert q.tolist() == [0.1, 0.2, np.cos(3.0), np.sin(3.0)]
    assert model.nq == len(q)
    assert chain.positions_from_q(q) == pytest.approx([3.0, 0.2, 0.1])
    assert chain.by_name(np.array([1.0, 2.0, 3.0])) == {"wrist": 1.0, "elbow": 2.0, "shoulder": 3.0}
    assert chain.vector({"elbow": 0.5}).tolist() == [0.0, 0.5, 0.0]


def test_limits_are_the_files_own_and_no_velocity_limit_is_none(tmp_path: Path) -> None:
    text = robot(
        joint("still", parent="base", child="one", inside=limit(-1, 1, 0)),
        joint("free", "prismatic", parent="one", child="two",
              inside='<limit effort="1" velocity="2"/>'),
        joint("shut", parent="two", child="three", inside=limit(0.5, 0.5, 1)),
        links="base one two three",
    )  # fmt: skip
    names = ("still", "free", "shut")
    read = controlled_from_urdf(Path(write_urdf(tmp_path, text)), names)
    assert read.velocity_limits.tolist() == [np.inf, 2.0, 1.0]
    assert read.lower.tolist() == [-1.0, -np.inf, 0.5]
    assert read.is_bounded.tolist() == [True, False, False]
    assert read.outside_limits(np.array([-1.1, 99.0, 3.0]), 0.05) == ("still", -1.1, -1.0, 1.0)
    assert read.outside_limits(np.array([-1.1, 99.0, 3.0]), 0.2) is None


@pytest.mark.parametrize(
    ("joints", "base_link", "said"),
    [
        (["elbou"], None, "perhaps elbow"),
        (["elbow"], "hand", "moves with a joint"),
        (["elbow"], "bas", "perhaps base"),
    ],
)
def test_a_wrong_name_is_one_sentence_with_the_file(
    tmp_path: Path, joints: list[str], base_link: str | None, said: str
) -> None:
    path = Path(write_urdf(tmp_path, CHAIN))
    with pytest.raises(RobotError, match=said) as caught:
        controlled_from_urdf(path, joints, base_link)
    assert caught.value.path == str(path)


def test_a_floating_joint_cannot_be_controlled(tmp_path: Path) -> None:
    text = robot(joint("ball", "floating", parent="base", child="one", inside=""), links="base one")
    with pytest.raises(RobotError, match="degree of freedom"):
        controlled_from_urdf(Path(write_urdf(tmp_path, text)), ["ball"])


@pytest.mark.parametrize("text", ["", "<robot", "<robot name='r'/>"])
def test_a_file_that_is_no_robot_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(RobotError):
        controlled_from_urdf(Path(write_urdf(tmp_path, text)), ["elbow"])


def test_a_loaded_robot_and_its_request_have_the_same_joints(tmp_path: Path) -> None:
    request = RobotRequest(write_urdf(tmp_path, CHAIN), tool_frames=("tip=hand:0.1,0,0,0,0,0",))
    loaded = load_robot(request)
    from_robot = controlled_from_robot(loaded)
    from_request, structure = controlled_from_request(request)
    assert from_robot.model is not loaded.model
    assert structure.name == "inline"
    for read in (from_robot, from_request):
        assert read.joint_names == loaded.description.joint_names
        assert read.home.tolist() == list(loaded.description.home.values())
        read.require_frame("tip")
        assert np.isinf(read.upper[2]) and read.is_continuous[2]
    with pytest.raises(RobotError, match="perhaps hand"):
        from_robot.require_frame("hnad")


def test_a_floating_base_is_locked_where_it_is(tmp_path: Path) -> None:
    loaded = load_robot(RobotRequest(write_urdf(tmp_path, CHAIN), floating_base=True))
    base = Pose(np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 0.0, 1.0]))
    locked = controlled_from_robot(loaded, base)
    assert locked.model.nv == 3
    data = locked.model.createData()
    pin.framesForwardKinematics(locked.model, data, locked.q_from_positions(locked.home))
    assert Pose.from_se3(data.oMf[locked.model.getFrameId("base")]).is_close(base)
