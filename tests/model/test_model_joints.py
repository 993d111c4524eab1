"""Limits, held joints, mimic joints and starts, as decided at loading."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from tests.robots_inline import CHAIN, GRIPPER, joint, limit, mimic, robot, write_urdf
from workbench.errors import RobotError, UsageError
from workbench.model.description import Remark
from workbench.model.limits import DEFAULT_VELOCITY_M_S, DEFAULT_VELOCITY_RAD_S, HOME_MARGIN
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot


def load(folder: Path, text: str, **options: Any) -> Robot:
    return load_robot(RobotRequest(write_urdf(folder, text), **options))


def remark(robot: Robot, code: str) -> Remark:
    found = [remark for remark in robot.description.remarks if remark.code == code]
    assert len(found) == 1, f"{code}: {robot.description.remarks}"
    return found[0]


@pytest.mark.parametrize("velocity", [0, None, -1, 1e20])
def test_a_joint_without_usable_velocity_limit_gets_a_marked_default(
    tmp_path: Path, velocity: object
) -> None:
    loaded = load(
        tmp_path,
        robot(
            joint("turn", inside=limit(velocity=velocity)),
            joint("slide", "prismatic", "arm", "hand", inside=limit(velocity=velocity)),
            joint("free", "continuous", "hand", "tip", inside=""),
            links="base arm hand tip",
        ),
    )
    for joint_of in loaded.description.joints:
        assert joint_of.velocity_limit_is_default
    caps = [DEFAULT_VELOCITY_RAD_S, DEFAULT_VELOCITY_M_S, DEFAULT_VELOCITY_RAD_S]
    assert [j.velocity_limit for j in loaded.description.joints] == caps
    np.testing.assert_array_equal(loaded.velocity_caps, caps)
    np.testing.assert_array_equal(loaded.model.velocityLimit, caps)
    said = [r for r in loaded.description.remarks if r.code == "velocity_default"]
    assert {name for r in said for name in r.subject.split(", ")} == {"turn", "slide", "free"}


def test_a_velocity_limit_of_the_urdf_is_kept_unmarked(tmp_path: Path) -> None:
    loaded = load(tmp_path, robot(joint("turn", inside=limit(velocity=3.5))))
    assert loaded.description.joint("turn").velocity_limit == 3.5
    assert not loaded.description.joint("turn").velocity_limit_is_default
    assert not [r for r in loaded.description.remarks if r.code == "velocity_default"]


def test_a_range_of_zero_width_holds_the_joint_there_and_says_so(tmp_path: Path) -> None:
    text = robot(
        joint("stuck", child="arm", inside=limit(0.3, 0.3)),
        joint("turn", parent="arm", child="hand"),
        links="base arm hand",
    )
    loaded = load(tmp_path, text)
    assert loaded.description.joint_names == ("turn",)
    (held,) = loaded.description.held_joints
    assert (held.name, held.position, held.neutral) == ("stuck", 0.3, 0.0)
    assert "stuck" in remark(loaded, "zero_range_held").text
    # The model was reduced at 0.3, not at neutral.
    data = loaded.model.createData()
    pin.framesForwardKinematics(loaded.model, data, loaded.home_q)
    arm = data.oMf[loaded.model.getFrameId("arm")]
    np.testing.assert_allclose(pin.log3(arm.rotation), [0, 0, 0.3], atol=1e-12)


def test_a_limit_that_gives_no_range_is_none_and_said(tmp_path: Path) -> None:
    loaded = load(tmp_path, robot(joint("wheel", inside=limit(None, None))))
    wheel = loaded.description.joint("wheel")
    assert (wheel.lower, wheel.upper) == (None, None)
    assert "wheel" in remark(loaded, "limits_missing").text


def test_one_of_two_limits_may_be_left_out_and_is_zero(tmp_path: Path) -> None:
    loaded = load(tmp_path, robot(joint("turn", inside=limit(None, 1.5))))
    assert (loaded.description.joint("turn").lower, loaded.description.joint("turn").upper) == (
        0,
        1.5,
    )


def test_absurd_limits_are_none(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        robot(
            joint("both", inside=limit(-1e20, 1e20)),
            joint("one", parent="arm", child="hand", inside=limit(-0.5, 1e16)),
            links="base arm hand",
        ),
    )
    both, one = loaded.description.joints
    assert (both.lower, both.upper, one.lower, one.upper) == (None, None, -0.5, None)
    # Pink drops both limits of a joint when one of them is infinite: the missing one is far.
    assert np.isfinite(loaded.model.upperPositionLimit[loaded.idx_q[1]])
    assert loaded.model.lowerPositionLimit[loaded.idx_q[1]] == -0.5


def test_a_continuous_joint_ignores_position_limits(tmp_path: Path) -> None:
    loaded = load(tmp_path, robot(joint("turn", "continuous", inside=limit(0, 0))))
    assert loaded.description.joint("turn").lower is None
    assert (loaded.model.nq, loaded.model.nv) == (2, 1)


def test_a_start_outside_the_limits_is_moved_inside_with_a_margin_and_said(tmp_path: Path) -> None:
    loaded = load(tmp_path, robot(joint("turn", inside=limit(-3.0, -1.0))))
    assert loaded.description.home["turn"] == pytest.approx(-1.0 - 2.0 * HOME_MARGIN)
    assert "turn (0 to -1.1)" in remark(loaded, "home_clamped").text


def test_a_neutral_start_on_a_limit_is_moved_inside(tmp_path: Path) -> None:
    loaded = load(tmp_path, robot(joint("turn", inside=limit(0.0, 2.0))))
    assert loaded.description.home["turn"] == pytest.approx(2.0 * HOME_MARGIN)


def test_a_chosen_home_on_a_limit_stays_and_one_outside_is_moved(tmp_path: Path) -> None:
    write_urdf(
        tmp_path,
        robot(
            joint("on", inside=limit(0, 2)),
            joint("out", parent="arm", child="hand", inside=limit(0, 2)),
            links="base arm hand",
        ),
    )
    profile = tmp_path / "mine.yaml"
    profile.write_text("source: {urdf: inline.urdf}\nhome: {on: 0.0, out: 2.5}\n")
    loaded = load_robot(RobotRequest(str(profile)))
    assert loaded.description.home == pytest.approx({"on": 0.0, "out": 1.9})
    assert remark(loaded, "home_clamped").subject == "out"


def test_every_home_lies_inside_the_limits(tmp_path: Path) -> None:
    loaded = load(tmp_path, GRIPPER)
    for one in loaded.description.joints:
        margin = one.limit_margin(loaded.description.home[one.name])
        assert margin is not None and margin >= 0.9 * HOME_MARGIN


# Held joints -----------------------------------------------------------------------------------


def test_held_joints_leave_the_model_at_their_position(tmp_path: Path) -> None:
    loaded = load(tmp_path, CHAIN, hold={"elbow": 0.4, "wrist": -2.0})
    assert loaded.description.joint_names == ("shoulder",)
    assert {h.name: h.position for h in loaded.description.held_joints} == {
        "elbow": 0.4, "wrist": -2.0,
    }  # fmt: skip
    assert loaded.model.nq == 1
    _assert_picture_agrees_with_model(loaded, {"shoulder": 0.2})


def test_a_joint_that_does_not_exist_cannot_be_held(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match=r"joint elbwo: there is no such joint.*perhaps elbow"):
        load(tmp_path, CHAIN, hold={"elbwo": 0.0})


def test_holding_everything_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match="no joint that can move"):
        load(tmp_path, CHAIN, hold={"shoulder": 0.0, "elbow": 0.0, "wrist": 0.0})


def test_a_position_that_is_no_number_cannot_be_asked_for() -> None:
    with pytest.raises(UsageError, match="--hold elbow"):
        RobotRequest("panda", hold={"elbow": float("nan")})


def test_holding_outside_the_limits_is_said(tmp_path: Path) -> None:
    loaded = load(tmp_path, CHAIN, hold={"elbow": 90.0})
    assert "90" in remark(loaded, "held_outside_limits").text


# Mimic joints ----------------------------------------------------------------------------------


def test_a_follower_moves_with_its_leader_in_model_and_picture(tmp_path: Path) -> None:
    loaded = load(tmp_path, GRIPPER)
    (follower,) = loaded.description.followers
    assert (follower.name, follower.leader, follower.in_model) == ("opposite", "jaw", True)
    assert "opposite" not in loaded.description.joint_names
    assert loaded.model.nv == 3
    for opening in (0.0, 0.013, 0.04):
        _assert_picture_agrees_with_model(loaded, {"shoulder": 0.7, "lift": 0.2, "jaw": opening})


def test_a_chain_of_followers_is_resolved_to_its_leader(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        robot(
            joint("a", child="arm"),
            joint("b", parent="arm", child="hand", inside=limit() + mimic("a", 2.0, 0.1)),
            joint("c", parent="hand", child="tip", inside=limit() + mimic("b", -3.0, 0.2)),
            links="base arm hand tip",
        ),
    )
    by_name = {follower.name: follower for follower in loaded.description.followers}
    assert (by_name["c"].leader, by_name["c"].in_model) == ("a", True)
    assert by_name["c"].multiplier == pytest.approx(-6.0)
    assert by_name["c"].offset == pytest.approx(-0.1)
    for angle in (-0.4, 0.0, 0.3):
        _assert_picture_agrees_with_model(loaded, {"a": angle})


def test_a_follower_before_its_leader_is_held_in_the_model_and_moves_in_the_picture(
    tmp_path: Path,
) -> None:
    text = robot(
        joint("a_follower", child="left", inside=limit() + mimic("z_leader", 2.0, 0.1)),
        joint("z_leader", child="right", inside=limit(-0.3, 0.3)),
        links="base left right",
    )
    loaded = load(tmp_path, text, tool_frames=("left", "right"))
    (follower,) = loaded.description.followers
    assert not follower.in_model
    assert loaded.description.joint_names == ("z_leader",)
    assert "a_follower" in remark(loaded, "mimic_held").text
    assert "a_follower" in remark(loaded, "tool_on_held_mimic").text
    # At home both agree; the picture then moves on with the leader.
    _assert_picture_agrees_with_model(loaded, dict(loaded.description.home))
    index = loaded.picture.link_names.index("left")
    placement = loaded.picture.world_placements(np.array([0.25]))[index]
    np.testing.assert_allclose(pin.log3(placement[:3, :3]), [0, 0, 0.6], atol=1e-12)
    moving = {link.name: link.moves for link in loaded.description.links}
    assert moving["left"] and moving["right"]


def test_a_continuous_follower_of_a_revolute_leader_is_held_in_the_model(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        robot(
            joint("a", child="arm"),
            joint("b", "continuous", "arm", "hand", inside=mimic("a", 2.0)),
            links="base arm hand",
        ),
    )
    assert [f.in_model for f in loaded.description.followers] == [False]


@pytest.mark.parametrize("angle", [0.3, 2.5, -3.0])
def test_a_continuous_follower_of_a_continuous_leader_is_carried(
    tmp_path: Path, angle: float
) -> None:
    loaded = load(
        tmp_path,
        robot(
            joint("a", "continuous", inside=""),
            joint("b", "continuous", "arm", "hand", inside=mimic("a", 2.0, 0.1), axis="1 0 0"),
            links="base arm hand",
        ),
    )
    assert [f.in_model for f in loaded.description.followers] == [True]
    _assert_picture_agrees_with_model(loaded, {"a": angle})


def test_a_held_leader_holds_its_followers_where_they_belong(tmp_path: Path) -> None:
    loaded = load(tmp_path, GRIPPER, hold={"jaw": 0.03})
    held = {h.name: h.position for h in loaded.description.held_joints}
    assert held == pytest.approx({"jaw": 0.03, "opposite": -0.02})
    assert loaded.description.followers == ()
    _assert_picture_agrees_with_model(loaded, {"shoulder": 0.1, "lift": 0.3})


def test_a_follower_that_is_held_by_name_stays_there(tmp_path: Path) -> None:
    loaded = load(tmp_path, GRIPPER, hold={"opposite": 0.005})
    assert loaded.description.followers == ()
    assert [h.name for h in loaded.description.held_joints] == ["opposite"]
    _assert_picture_agrees_with_model(loaded, {"jaw": 0.02})


# Odd names -------------------------------------------------------------------------------------


def test_joints_may_be_called_like_links_and_like_pinocchio_s_own(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        robot(
            joint("universe", child="arm"),
            joint("root_joint", parent="arm", child="hand"),
            joint("arm", parent="hand", child="tip"),
            links="base arm hand tip",
        ),
        floating_base=True,
    )
    assert loaded.description.joint_names == ("universe", "root_joint", "arm")
    for link in loaded.description.frames:
        loaded.model.getFrameId(link)  # raises for an ambiguous name
    _assert_picture_agrees_with_model(loaded, {"universe": 0.1, "root_joint": 0.2, "arm": 0.3})


def test_a_damaged_inertia_does_not_matter(tmp_path: Path) -> None:
    inertia = '<inertial><mass value="much"/><inertia ixx="1"/></inertial>'
    text = robot(joint("elbow")).replace('<link name="arm"/>', f'<link name="arm">{inertia}</link>')
    assert load(tmp_path, text).description.joint_names == ("elbow",)


def _assert_picture_agrees_with_model(loaded: Robot, positions: dict[str, float]) -> None:
    q = loaded.q_from_positions(positions)
    data = loaded.model.createData()
    pin.framesForwardKinematics(loaded.model, data, q)
    matrices = loaded.picture.world_placements(loaded.positions_from_q(q))
    for name, matrix in zip(loaded.picture.link_names, matrices, strict=True):
        frame = loaded.model.getFrameId(name)
        np.testing.assert_allclose(matrix, data.oMf[frame].homogeneous, atol=1e-12, err_msg=name)
