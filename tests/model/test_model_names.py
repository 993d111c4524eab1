"""Names to q and back, on robots that mix every kind of joint."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.robots_inline import CHAIN, GRIPPER, joint, limit, mimic, robot, write_urdf
from workbench.errors import RobotError
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose

MIXED = robot(
    joint("turn", child="a"),
    joint("spin", "continuous", "a", "b", inside="", axis="0 1 0"),
    joint("slide", "prismatic", "b", "c", inside=limit(-0.2, 0.3), axis="1 1 0"),
    joint("copy", parent="c", child="d", inside=limit() + mimic("turn", -0.5, 0.2)),
    joint("twirl", "continuous", "d", "e", inside="", axis="0.3 -2 1", rpy="0.1 0.2 0.3"),
    joint("stuck", parent="e", child="f", inside=limit(0.25, 0.25)),
    joint("end", parent="f", child="g", axis="1 0 0"),
    links="base a b c d e f g",
)

ROBOTS = {"mixed": (MIXED, False), "mixed, floating": (MIXED, True), "chain": (CHAIN, False)}


@cache
def loaded(name: str) -> Robot:
    text, floating = ROBOTS[name]
    with TemporaryDirectory() as folder:
        return load_robot(RobotRequest(write_urdf(Path(folder), text), floating_base=floating))


angles = st.floats(-math.pi + 1e-9, math.pi)
small = st.floats(-1.0, 1.0)


@settings(deadline=None)
@given(name=st.sampled_from(sorted(ROBOTS)), data=st.data())
def test_positions_survive_the_way_to_q_and_back(name: str, data: st.DataObject) -> None:
    robot = loaded(name)
    values = np.array(
        [
            data.draw(angles if one.kind == "continuous" else small)
            for one in robot.description.joints
        ]
    )
    base = Pose.from_xyz_rpy(
        data.draw(st.tuples(small, small, small)), data.draw(st.tuples(angles, small, angles))
    )
    q = robot.q_from_positions(values, base)
    assert q.shape == (robot.model.nq,)
    np.testing.assert_allclose(robot.positions_from_q(q), values, atol=1e-12)
    by_name = dict(zip(robot.description.joint_names, values.tolist(), strict=True))
    np.testing.assert_array_equal(robot.q_from_positions(by_name, base), q)
    # Every continuous joint is a rotation, which Pinocchio itself checks.
    assert pin.isNormalized(robot.model, q, 1e-9)
    if robot.description.floating_base:
        assert robot.base_pose(q).is_close(base, 1e-9, 1e-9)
    else:
        assert robot.base_pose(q) == Pose()


@settings(deadline=None)
@given(name=st.sampled_from(sorted(ROBOTS)), data=st.data())
def test_the_model_s_links_are_where_the_picture_draws_them(name: str, data: st.DataObject) -> None:
    robot = loaded(name)
    values = np.array([data.draw(small) for _ in robot.description.joints])
    base = Pose.from_xyz_rpy((0.3, -0.2, 0.1), (data.draw(small), 0.2, 0.3))
    q = robot.q_from_positions(values, base)
    data_of_model = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data_of_model, q)
    matrices = robot.picture.world_placements(values, robot.base_pose(q))
    for link, matrix in zip(robot.picture.link_names, matrices, strict=True):
        expected = data_of_model.oMf[robot.model.getFrameId(link)].homogeneous
        np.testing.assert_allclose(matrix, expected, atol=1e-9, err_msg=link)


@settings(deadline=None)
@given(name=st.sampled_from(sorted(ROBOTS)), data=st.data())
def test_velocities_are_the_change_of_positions(name: str, data: st.DataObject) -> None:
    robot = loaded(name)
    count = len(robot.description.joints)
    velocities = np.array([data.draw(small) for _ in range(count)])
    start = robot.home_q
    v = robot.v_from_velocities(velocities)
    np.testing.assert_array_equal(robot.velocities_from_v(v), velocities)
    moved = robot.positions_from_q(pin.integrate(robot.model, start, 1e-3 * v))
    change = (moved - robot.positions_from_q(start)) / 1e-3
    np.testing.assert_allclose(change, velocities, atol=1e-9)


def test_names_that_are_left_out_are_at_home() -> None:
    robot = loaded("mixed")
    q = robot.q_from_positions({"spin": 2.0})
    expected = {**robot.description.home, "spin": 2.0}
    names = robot.description.joint_names
    np.testing.assert_allclose(robot.positions_from_q(q), [expected[name] for name in names])


def test_home_q_is_home_and_read_only() -> None:
    robot = loaded("mixed, floating")
    np.testing.assert_allclose(
        robot.positions_from_q(robot.home_q),
        [robot.description.home[n] for n in robot.description.joint_names],
    )
    for array in (robot.home_q, robot.velocity_caps, robot.idx_q, robot.idx_v):
        assert not array.flags.writeable


def test_a_wrong_name_or_number_of_positions_is_refused() -> None:
    robot = loaded("mixed")
    with pytest.raises(RobotError, match=r"slidee.*perhaps slide"):
        robot.q_from_positions({"slidee": 0.1})
    with pytest.raises(ValueError, match="expected 5 positions"):
        robot.q_from_positions([0.0, 0.0])


def test_every_tangent_coordinate_has_a_finite_velocity_cap() -> None:
    robot = loaded("mixed, floating")
    assert robot.model.nv == 6 + len(robot.description.joints)
    assert np.isfinite(robot.velocity_caps).all()
    assert (robot.velocity_caps > 0).all()


def test_a_follower_takes_no_entry_of_q() -> None:
    with TemporaryDirectory() as folder:
        robot = load_robot(RobotRequest(write_urdf(Path(folder), GRIPPER)))
    assert robot.model.nq == len(robot.description.joints) == 3


def test_a_long_chain_loads(tmp_path: Path) -> None:
    count = 120
    links = " ".join(f"l{index}" for index in range(count + 1))
    joints = [joint(f"j{index:03}", "revolute" if index % 2 else "continuous", f"l{index}",
                    f"l{index + 1}") for index in range(count)]  # fmt: skip
    robot_of = load_robot(RobotRequest(write_urdf(tmp_path, robot(*joints, links=links))))
    assert robot_of.description.joint_names == tuple(f"j{index:03}" for index in range(count))
    assert robot_of.model.nq == count + count // 2


@pytest.mark.parametrize("floating_base", [False, True])
def test_a_joint_called_like_another_link_may_be_held_or_moved(
    tmp_path: Path, floating_base: bool
) -> None:
    text = robot(
        joint("b", child="a"),
        joint("a", parent="a", child="b", axis="0 1 0"),
        joint("end", parent="b", child="c"),
        links="base a b c",
    )
    path = write_urdf(tmp_path, text)
    for held in ("a", "b", "end"):
        request = RobotRequest(path, hold={held: 0.5}, floating_base=floating_base)
        loaded_robot = load_robot(request)
        assert loaded_robot.model.nv == 2 + 6 * floating_base
        data = loaded_robot.model.createData()
        pin.framesForwardKinematics(loaded_robot.model, data, loaded_robot.home_q)
        drawn = loaded_robot.picture.world_placements(np.zeros(2))
        for link, place in zip(loaded_robot.picture.link_names, drawn, strict=True):
            frame = loaded_robot.model.getFrameId(link)
            np.testing.assert_allclose(data.oMf[frame].homogeneous, place, atol=1e-12)
