"""Robot states in the shape of Isaac Sim's: what goes in, what can be read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.isaac.warp_like import WarpLike
from workbench.isaac import JointState, RobotState, RootState, SpatialState

SPACE = ["a", "b", "c", "d"]


def test_what_is_known_comes_in_the_order_of_the_joint_space() -> None:
    state = JointState.from_name(SPACE, positions=(["d", "b"], [4.0, 2.0]))
    assert state.position_names == ["b", "d"]
    assert state.positions is not None
    assert state.positions.tolist() == [2.0, 4.0]
    assert state.position_indices.tolist() == [1, 3]
    assert state.robot_joint_space == SPACE


def test_what_is_absent_is_none() -> None:
    state = JointState.from_name(SPACE, velocities=(["a"], [1.0]))
    assert state.positions is None and state.efforts is None
    assert state.position_names == state.effort_names == []
    sites = SpatialState.from_name(["tool"], positions=(["tool"], [[1.0, 2.0, 3.0]]))
    assert sites.orientations is None and sites.orientation_names == []
    robot = RobotState(joints=state)
    assert robot.sites is None and robot.root is None and robot.links is None


def test_values_are_read_as_numpy_arrays_and_as_isaac_sims_code_reads_them() -> None:
    state = JointState.from_name(SPACE, positions=(SPACE, [0.1, 0.2, 0.3, 0.4]))
    assert state.positions is not None
    assert state.positions.dtype == np.float32
    assert type(state.positions.numpy()) is np.ndarray
    np.testing.assert_array_equal(state.positions.numpy(), state.positions)


@pytest.mark.parametrize(
    "values",
    [
        [0.5, 0.25],
        (0.5, 0.25),
        np.array([0.5, 0.25]),
        WarpLike([0.5, 0.25]),
        [[0.5, 0.25]],
        [WarpLike(0.5), np.float32(0.25)],
    ],
    ids=["list", "tuple", "numpy", "warp", "batch of one", "list of arrays"],
)
def test_anything_array_like_goes_in(values: Any) -> None:
    state = JointState.from_name(SPACE, positions=(["a", "b"], values))
    assert state.positions is not None
    assert state.positions.tolist() == [0.5, 0.25]


def test_names_and_places_may_be_arrays_too() -> None:
    space: Any = np.array(SPACE)
    state = JointState.from_name(space, positions=(space[1:2], WarpLike([2.0])))
    assert [type(name) for name in state.position_names] == [str]
    state = JointState.from_index(SPACE, positions=(WarpLike([2, 0]), WarpLike([3.0, 1.0])))
    assert state.position_names == ["a", "c"]
    sites = SpatialState.from_name(["tool"], positions=(["tool"], [WarpLike([1.0, 2.0, 3.0])]))
    assert sites.positions is not None
    assert sites.positions.tolist() == [[1.0, 2.0, 3.0]]


def test_a_state_keeps_its_values_when_the_callers_array_changes() -> None:
    values = np.array([1.0, 2.0])
    state = JointState.from_name(SPACE, positions=(["a", "b"], values))
    values[0] = 9.0
    assert state.positions is not None
    assert state.positions.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        state.positions[0] = 3.0


def test_joints_can_be_named_by_their_places() -> None:
    state = JointState.from_index(SPACE, positions=([2, 0], [3.0, 1.0]))
    assert state.position_names == ["a", "c"]
    assert state.positions is not None
    assert state.positions.tolist() == [1.0, 3.0]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({}, "none of them"),
        ({"positions": (["a"], [1.0, 2.0])}, r"shape \(1,\)"),
        ({"positions": (["a", "a"], [1.0, 2.0])}, "given twice"),
        ({"positions": (["x"], [1.0])}, "not in the space"),
        ({"positions": ([], [])}, "for 0 names"),
        ({"positions": ("a", [1.0])}, "list of names"),
        ({"positions": (["a"], [[1.0], [2.0]])}, "shape"),
        ({"velocities": (["a"], [None, {}])}, "expected"),
    ],
)
def test_a_joint_state_that_contradicts_itself_is_refused(
    arguments: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        JointState.from_name(SPACE, **arguments)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({}, "none of them"),
        ({"positions": (["tool"], [1.0, 2.0, 3.0])}, r"shape \(1, 3\)"),
        ({"orientations": (["tool"], [[1.0, 0.0, 0.0]])}, r"shape \(1, 4\)"),
        ({"positions": (["elbow"], [[1.0, 2.0, 3.0]])}, "not in the space"),
    ],
)
def test_a_spatial_state_that_contradicts_itself_is_refused(
    arguments: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        SpatialState.from_name(["tool"], **arguments)


def test_a_name_may_stand_only_once_in_a_space() -> None:
    with pytest.raises(ValueError, match="given twice"):
        JointState.from_name(["a", "a"], positions=(["a"], [1.0]))


def test_places_outside_the_space_are_refused() -> None:
    with pytest.raises(ValueError, match="0 to 3"):
        JointState.from_index(SPACE, positions=([4], [1.0]))


def test_a_root_state_has_vectors_of_the_right_size() -> None:
    root = RootState(position=[1, 2, 3], orientation=[1, 0, 0, 0])
    assert root.position is not None and root.linear_velocity is None
    assert root.position.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="orientation"):
        RootState(orientation=[1, 0, 0])
