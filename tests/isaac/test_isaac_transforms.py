"""The four transform utilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.isaac.warp_like import WarpLike
from workbench.isaac import (
    isaac_sim_position_quaternion_to_se3,
    map_joint_positions_to_pinocchio,
    map_pinocchio_velocity_to_joint_state,
    se3_to_isaac_sim_position_quaternion,
)
from workbench.isaac.impl import utils

numbers = st.floats(-5.0, 5.0)
rows = st.lists(numbers, min_size=4, max_size=4)
quaternions = rows.filter(lambda row: np.linalg.norm(row) > 0.1)


@pytest.fixture(scope="module")
def model() -> pin.Model:
    """A hinge, a wheel without end stops, a slider and a ball joint."""
    made = pin.Model()
    parent = made.addJoint(0, pin.JointModelRZ(), pin.SE3.Identity(), "hinge")
    parent = made.addJoint(parent, pin.JointModelRUBZ(), pin.SE3.Identity(), "wheel")
    parent = made.addJoint(parent, pin.JointModelPX(), pin.SE3.Identity(), "slider")
    made.addJoint(parent, pin.JointModelSpherical(), pin.SE3.Identity(), "ball")
    return made


def test_code_that_imports_the_utilities_from_their_old_place_finds_them() -> None:
    assert utils.isaac_sim_position_quaternion_to_se3 is isaac_sim_position_quaternion_to_se3
    assert utils.se3_to_isaac_sim_position_quaternion is se3_to_isaac_sim_position_quaternion


def test_the_quaternion_starts_with_w() -> None:
    quarter = np.sqrt(0.5)
    transform = isaac_sim_position_quaternion_to_se3([1, 2, 3], [quarter, 0, 0, quarter])
    np.testing.assert_allclose(transform.translation, [1, 2, 3])
    np.testing.assert_allclose(transform.rotation @ [1, 0, 0], [0, 1, 0], atol=1e-12)


@given(position=st.lists(numbers, min_size=3, max_size=3), quaternion=quaternions)
def test_a_pose_survives_the_way_there_and_back(
    position: list[float], quaternion: list[float]
) -> None:
    transform = isaac_sim_position_quaternion_to_se3(position, quaternion)
    back_position, back_quaternion = se3_to_isaac_sim_position_quaternion(transform)
    unit = np.array(quaternion) / np.linalg.norm(quaternion)
    np.testing.assert_allclose(back_position, position, atol=1e-12)
    assert abs(abs(back_quaternion @ unit) - 1.0) < 1e-9
    assert back_position.shape == (3,) and back_quaternion.shape == (4,)


def test_poses_and_positions_may_come_as_warp_arrays(model: pin.Model) -> None:
    transform = isaac_sim_position_quaternion_to_se3(WarpLike([[1, 2, 3]]), WarpLike([1, 0, 0, 0]))
    np.testing.assert_allclose(transform.translation, [1, 2, 3])
    q = map_joint_positions_to_pinocchio(["hinge"], WarpLike([0.5]), model)
    assert q[0] == 0.5


def test_a_transform_may_come_as_its_matrix() -> None:
    transform = isaac_sim_position_quaternion_to_se3([1, 2, 3], [0.5, 0.5, 0.5, 0.5])
    for matrix in (transform.homogeneous, transform.homogeneous.tolist(), WarpLike(transform.np)):
        position, quaternion = se3_to_isaac_sim_position_quaternion(matrix)
        np.testing.assert_allclose(position, [1, 2, 3], atol=1e-6)
        np.testing.assert_allclose(quaternion, [0.5, 0.5, 0.5, 0.5], atol=1e-6)
    for wrong in (np.eye(3), [1.0, 2.0], "here"):
        with pytest.raises(ValueError, match=r"shape \(4, 4\)|could not convert"):
            se3_to_isaac_sim_position_quaternion(wrong)


@pytest.mark.parametrize(
    ("position", "quaternion", "complaint"),
    [
        ([1, 2], [1, 0, 0, 0], "position: expected 3"),
        ([1, 2, 3], [1, 0, 0], "quaternion: expected 4"),
        ([1, 2, 3], [0, 0, 0, 0], "length zero"),
        ([1, 2, float("nan")], [1, 0, 0, 0], "finite"),
        ("here", [1, 0, 0, 0], "could not convert"),
    ],
)
def test_what_is_no_pose_is_refused(position: Any, quaternion: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        isaac_sim_position_quaternion_to_se3(position, quaternion)


def test_positions_land_in_q_and_the_rest_stays(model: pin.Model) -> None:
    base = np.array(pin.neutral(model))
    base[0] = 0.7
    q = map_joint_positions_to_pinocchio(
        ["slider", "wheel", "unknown"], [0.1, 4.0, 9.0], model, base
    )
    assert q[0] == 0.7 and q[3] == 0.1
    np.testing.assert_allclose(q[1:3], [np.cos(4.0), np.sin(4.0)])
    assert base[3] == 0.0
    assert map_joint_positions_to_pinocchio([], [], model)[0] == 0.0


@pytest.mark.parametrize(
    ("names", "positions", "base", "complaint"),
    [
        (["hinge"], [0.1, 0.2], None, "joint_positions: expected 1"),
        (["hinge"], [0.1], [0.0, 1.0], "q_current: expected 8"),
        (["ball"], [0.1], None, "nq=4, nv=3"),
    ],
)
def test_positions_that_do_not_fit_the_model_are_refused(
    model: pin.Model, names: list[str], positions: list[float], base: Any, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        map_joint_positions_to_pinocchio(names, positions, model, base)


@pytest.mark.parametrize(
    ("before", "speed", "after"),
    [(3.0, 0.4, 3.2), (4 * np.pi + 0.51, 0.0, 4 * np.pi + 0.51), (-3.1, -1.0, -3.6)],
    ids=["across pi", "two turns up", "across -pi"],
)
def test_a_continuous_joint_keeps_its_whole_turns(
    model: pin.Model, before: float, speed: float, after: float
) -> None:
    names = ["hinge", "wheel"]
    velocity = np.zeros(model.nv)
    velocity[1] = speed
    state = map_pinocchio_velocity_to_joint_state(
        velocity, model, names, ["slider", *names], 0.5,
        map_joint_positions_to_pinocchio(names, [0.2, before], model), [0.2, before],
    )  # fmt: skip
    assert state.position_names == state.velocity_names == names
    assert state.positions is not None and state.velocities is not None
    np.testing.assert_allclose(state.positions, [0.2, after], rtol=1e-6)
    np.testing.assert_allclose(state.velocities, [0.0, speed], rtol=1e-6)


@pytest.mark.parametrize(
    ("velocity", "q", "before", "complaint"),
    [
        (np.zeros(5), None, [0.0], "velocity: expected 6"),
        (np.zeros(6), np.zeros(3), [0.0], "q_current: expected 8"),
        (np.zeros(6), None, [0.0, 0.0], "current_joint_positions: expected 1"),
    ],
)
def test_steps_that_do_not_fit_the_model_are_refused(
    model: pin.Model, velocity: Any, q: Any, before: list[float], complaint: str
) -> None:
    q = pin.neutral(model) if q is None else q
    with pytest.raises(ValueError, match=complaint):
        map_pinocchio_velocity_to_joint_state(velocity, model, ["hinge"], ["hinge"], 0.1, q, before)


def test_a_step_of_a_joint_with_three_degrees_of_freedom_is_refused(model: pin.Model) -> None:
    with pytest.raises(ValueError, match="ball has 3 degrees"):
        map_pinocchio_velocity_to_joint_state(
            np.zeros(6), model, ["ball"], ["ball"], 0.1, pin.neutral(model), [0.0]
        )


def test_every_number_of_a_step_may_come_as_a_warp_array(model: pin.Model) -> None:
    velocity = np.zeros(model.nv)
    velocity[0] = 2.0
    state = map_pinocchio_velocity_to_joint_state(
        WarpLike(velocity), model, ["hinge"], ["hinge"], WarpLike(0.5),  # pyright: ignore[reportArgumentType]
        WarpLike(pin.neutral(model)), WarpLike([[0.0]]),
    )  # fmt: skip
    assert state.positions is not None
    assert state.positions.tolist() == [1.0]


@pytest.mark.parametrize("dt", [float("nan"), -0.1, None, [0.1, 0.1]])
def test_what_is_no_length_of_a_step_is_refused(model: pin.Model, dt: Any) -> None:
    with pytest.raises(ValueError, match="dt: expected"):
        map_pinocchio_velocity_to_joint_state(
            np.zeros(6), model, ["hinge"], ["hinge"], dt, pin.neutral(model), [0.0]
        )
