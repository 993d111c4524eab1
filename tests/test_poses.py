"""Poses against Pinocchio's SE3, which the workbench's own conversions never import."""

import math

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from workbench.poses import (
    Pose,
    angle_between,
    multiply_wxyz,
    rotation_from_wxyz,
    rpy_from_rotation,
    slerp,
    wxyz_from_rotation,
    wxyz_from_rotation_vector,
    wxyz_from_rpy,
    wxyz_from_xyzw,
    xyzw_from_wxyz,
)

lengths = st.floats(-100.0, 100.0)
angles = st.floats(-math.pi, math.pi)
vectors = hnp.arrays(np.float64, 3, elements=lengths)
fractions = st.floats(0.0, 1.0)


@st.composite
def unit_quaternions(draw: st.DrawFn) -> np.ndarray:
    numbers = draw(hnp.arrays(np.float64, 4, elements=st.floats(-1.0, 1.0)))
    norm = np.linalg.norm(numbers)
    assume(norm > 1e-3)
    return numbers / norm


poses = st.builds(Pose, vectors, unit_quaternions())


def se3(pose: Pose) -> pin.SE3:
    w, x, y, z = pose.wxyz
    return pin.SE3(pin.Quaternion(w, x, y, z).matrix(), np.array(pose.translation))


def assert_same(pose: Pose, reference: pin.SE3) -> None:
    np.testing.assert_allclose(pose.matrix, reference.homogeneous, atol=1e-9)


@given(poses)
def test_matrix_quaternion_and_se3_are_the_same_transform(pose: Pose) -> None:
    assert_same(pose, se3(pose))
    assert Pose.from_matrix(pose.matrix).is_close(pose, 1e-12, 1e-7)
    assert Pose.from_se3(se3(pose)).is_close(pose, 1e-12, 1e-7)
    assert Pose.from_xyzw(pose.translation, pose.xyzw).is_close(pose, 1e-12, 1e-12)


@given(poses)
def test_seven_numbers_are_in_pinocchios_order(pose: Pose) -> None:
    np.testing.assert_allclose(pin.XYZQUATToSE3(pose.xyz_xyzw).homogeneous, pose.matrix, atol=1e-9)
    assert Pose.from_trusted_xyz_xyzw(pin.SE3ToXYZQUAT(se3(pose))).is_close(pose, 1e-12, 1e-7)


@given(poses, poses)
def test_composition_is_that_of_se3(first: Pose, second: Pose) -> None:
    assert_same(first @ second, se3(first) * se3(second))


@given(poses)
def test_the_inverse_undoes(pose: Pose) -> None:
    assert_same(pose.inverse(), se3(pose).inverse())
    assert (pose @ pose.inverse()).is_close(Pose(), 1e-9, 1e-7)


@given(poses, hnp.arrays(np.float64, (4, 3), elements=lengths))
def test_points_are_mapped_as_se3_maps_them(pose: Pose, points: np.ndarray) -> None:
    for point, mapped in zip(points, pose.act(points), strict=True):
        np.testing.assert_allclose(mapped, se3(pose).act(point), atol=1e-9)
        np.testing.assert_allclose(mapped, pose.act(point), atol=1e-9)


@given(poses, poses)
def test_the_distance_is_that_of_the_origins_and_the_angle_between(a: Pose, b: Pose) -> None:
    position_error_m, orientation_error_rad = a.distance_to(b)
    assert position_error_m == pytest.approx(np.linalg.norm(a.translation - b.translation))
    relative = a.rotation.T @ b.rotation
    expected = float(np.linalg.norm(pin.log3(relative)))
    assert orientation_error_rad == pytest.approx(expected, abs=1e-6)


@given(vectors, angles, angles, angles)
def test_a_urdf_origin_is_read_as_urdf_means_it(
    xyz: np.ndarray, roll: float, pitch: float, yaw: float
) -> None:
    expected = pin.SE3(pin.rpy.rpyToMatrix(roll, pitch, yaw), xyz)
    assert_same(Pose.from_xyz_rpy(xyz, (roll, pitch, yaw)), expected)


@given(unit_quaternions())
def test_roll_pitch_yaw_round_trips_also_where_roll_and_yaw_are_one(wxyz: np.ndarray) -> None:
    rpy = rpy_from_rotation(rotation_from_wxyz(wxyz))
    assert abs(rpy[1]) <= math.pi / 2
    assert angle_between(wxyz_from_rpy(rpy), wxyz) < 1e-6


@given(angles, angles, st.sampled_from((-math.pi / 2, math.pi / 2)))
def test_roll_is_zero_at_the_singular_pitch(roll: float, yaw: float, pitch: float) -> None:
    wxyz = wxyz_from_rpy((roll, pitch, yaw))
    rpy = rpy_from_rotation(rotation_from_wxyz(wxyz))
    assert angle_between(wxyz_from_rpy(rpy), wxyz) < 1e-6


@given(hnp.arrays(np.float64, 3, elements=st.floats(-4.0, 4.0)))
def test_a_rotation_vector_means_its_exponential(vector: np.ndarray) -> None:
    rotation = rotation_from_wxyz(wxyz_from_rotation_vector(vector))
    np.testing.assert_allclose(rotation, pin.exp3(vector), atol=1e-9)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-12, 1e-6, 1e-3])
def test_small_angles_keep_their_precision(angle: float) -> None:
    wxyz = wxyz_from_rotation_vector((0.0, angle, 0.0))
    assert angle_between((1.0, 0.0, 0.0, 0.0), wxyz) == pytest.approx(angle, rel=1e-6)


@given(unit_quaternions())
def test_orders_of_quaternions_are_inverse_to_each_other(wxyz: np.ndarray) -> None:
    assert np.array_equal(wxyz_from_xyzw(xyzw_from_wxyz(wxyz)), wxyz)
    assert xyzw_from_wxyz(wxyz)[3] == wxyz[0]


@given(unit_quaternions())
def test_a_rotation_has_one_quaternion_with_a_positive_real_part(wxyz: np.ndarray) -> None:
    recovered = wxyz_from_rotation(rotation_from_wxyz(wxyz))
    assert recovered[0] >= 0
    assert min(np.abs(recovered - wxyz).max(), np.abs(recovered + wxyz).max()) < 1e-7


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("turn", [math.pi, math.pi - 1e-9, -math.pi + 1e-9])
def test_half_turns_are_recovered_from_their_matrix(axis: int, turn: float) -> None:
    vector = np.zeros(3)
    vector[axis] = turn
    wxyz = wxyz_from_rotation(pin.exp3(vector))
    assert angle_between(wxyz, wxyz_from_rotation_vector(vector)) < 1e-7


@given(unit_quaternions(), unit_quaternions())
def test_products_of_quaternions_are_products_of_rotations(a: np.ndarray, b: np.ndarray) -> None:
    product = rotation_from_wxyz(multiply_wxyz(a, b))
    np.testing.assert_allclose(product, rotation_from_wxyz(a) @ rotation_from_wxyz(b), atol=1e-9)


@given(unit_quaternions(), unit_quaternions())
def test_both_quaternions_of_a_rotation_are_at_the_same_angle(a: np.ndarray, b: np.ndarray) -> None:
    assert angle_between(a, b) == pytest.approx(angle_between(-a, b), abs=1e-12)
    assert 0.0 <= angle_between(a, b) <= math.pi + 1e-12
    assert angle_between(a, -a) == 0.0


@given(unit_quaternions(), unit_quaternions(), fractions)
def test_slerp_goes_the_shortest_way_at_an_even_speed(
    a: np.ndarray, b: np.ndarray, fraction: float
) -> None:
    whole = angle_between(a, b)
    assume(whole < math.pi - 1e-3)
    between = slerp(a, b, fraction)
    assert np.linalg.norm(between) == pytest.approx(1.0)
    assert angle_between(a, between) == pytest.approx(fraction * whole, abs=1e-6)
    assert angle_between(between, b) == pytest.approx((1 - fraction) * whole, abs=1e-6)


@given(poses, poses, fractions)
def test_interpolation_starts_and_ends_where_it_should(a: Pose, b: Pose, fraction: float) -> None:
    assert a.interpolate(b, 0.0).is_close(a, 1e-9, 1e-6)
    assert a.interpolate(b, 1.0).is_close(b, 1e-9, 1e-6)
    between = a.interpolate(b, fraction).translation
    np.testing.assert_allclose(
        between, (1 - fraction) * a.translation + fraction * b.translation, atol=1e-9
    )


def test_a_pose_cannot_be_written_to_and_takes_no_part_in_its_arguments() -> None:
    translation = np.array([1.0, 2.0, 3.0])
    pose = Pose(translation)
    translation[0] = 9.0
    assert pose.translation[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        pose.translation[0] = 5.0
    with pytest.raises(ValueError, match="read-only"):
        pose.wxyz[0] = 5.0
    with pytest.raises(AttributeError):
        pose.wxyz = np.zeros(4)  # type: ignore[misc]


def test_a_quaternion_is_normalised() -> None:
    pose = Pose(np.zeros(3), np.array([2.0, 0.0, 0.0, 2.0]))
    assert np.linalg.norm(pose.wxyz) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize(
    ("translation", "wxyz", "reason"),
    [
        ((math.nan, 0, 0), (1, 0, 0, 0), "finite"),
        ((0, math.inf, 0), (1, 0, 0, 0), "finite"),
        ((0, 0, 0), (1, math.nan, 0, 0), "finite"),
        ((0, 0, 0), (0, 0, 0, 0), "length zero"),
        ((0, 0, 0), (1e-9, 0, 0, 0), "length zero"),
        ((0, 0), (1, 0, 0, 0), "3 numbers"),
        ((0, 0, 0), (1, 0, 0), "4 numbers"),
        (((0, 0, 0),), (1, 0, 0, 0), "3 numbers"),
    ],
)
def test_what_is_no_pose_is_refused(translation: object, wxyz: object, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Pose(np.array(translation, dtype=float), np.array(wxyz, dtype=float))


def test_a_matrix_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\(4, 4\)"):
        Pose.from_matrix(np.eye(2))
    assert Pose.from_matrix(np.eye(3)) == Pose()


@given(poses)
def test_equal_poses_have_equal_hashes(pose: Pose) -> None:
    twin = Pose(pose.translation, pose.wxyz)
    assert twin.is_close(pose)
    assert Pose() == Pose() and hash(Pose()) == hash(Pose())
    assert pose != "a pose"
