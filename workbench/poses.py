"""Rigid transforms, and the only place that converts between their representations.

A :class:`Pose` maps coordinates of its own frame to those of a parent frame:
``p_parent = R p_child + t``. Translations are in metres; quaternions are unit and in w, x, y, z
order everywhere in the workbench. Programs that use x, y, z, w (ROS, SciPy, Pinocchio's vectors)
are met here and nowhere else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

_SMALLEST_QUATERNION_NORM = 1e-6
_SMALL_ANGLE = 1e-9
_WXYZ_OF_XYZ_XYZW = np.array([6, 3, 4, 5])
_XYZ_XYZW_OF_XYZ_WXYZ = np.array([0, 1, 2, 4, 5, 6, 3])


class SE3Like(Protocol):
    """What is read of a Pinocchio ``SE3``: a rotation matrix and a translation."""

    @property
    def rotation(self) -> Matrix:
        """Rotation matrix, shape (3, 3)."""
        ...

    @property
    def translation(self) -> Vector:
        """Translation in metres, shape (3,)."""
        ...


def frozen_array(values: ArrayLike) -> Vector:
    """Return a float64 copy that nobody can write to; safe to hand across threads."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False)
class Pose:
    """A rigid transform of a frame with respect to a parent frame.

    Attributes:
        translation: Position of the frame's origin, in metres, shape (3,), read-only.
        wxyz: Unit quaternion in w, x, y, z order, shape (4,), read-only.

    Raises:
        ValueError: If a number is not finite, a shape is wrong or the quaternion is (almost) zero.
    """

    translation: Vector = field(default_factory=lambda: np.zeros(3))
    wxyz: Vector = field(default_factory=lambda: np.array([1.0, 0.0, 0.0, 0.0]))

    def __post_init__(self) -> None:
        """Check, normalise and freeze both arrays."""
        translation = frozen_array(self.translation)
        quaternion = np.array(self.wxyz, dtype=np.float64)
        if translation.shape != (3,):
            raise ValueError(f"a translation has 3 numbers, got shape {translation.shape}")
        if quaternion.shape != (4,):
            raise ValueError(f"a quaternion has 4 numbers, got shape {quaternion.shape}")
        if not (np.isfinite(translation).all() and np.isfinite(quaternion).all()):
            raise ValueError("a pose has finite numbers only")
        # Plain floats in a fixed order: the same bits as SciPy and so DimOS, on every processor.
        w, x, y, z = quaternion.tolist()
        norm = math.sqrt(x * x + y * y + z * z + w * w)
        if norm < _SMALLEST_QUATERNION_NORM:
            raise ValueError("a quaternion of length zero is no rotation")
        object.__setattr__(self, "translation", translation)
        object.__setattr__(self, "wxyz", frozen_array(quaternion / norm))

    def __eq__(self, other: object) -> bool:
        """Compare number by number; ``q`` and ``-q`` count as different representations."""
        if not isinstance(other, Pose):
            return NotImplemented
        return bool(
            np.array_equal(self.translation, other.translation)
            and np.array_equal(self.wxyz, other.wxyz)
        )

    def __hash__(self) -> int:
        """Hash the fourteen-byte-exact contents, in line with :meth:`__eq__`."""
        return hash((self.translation.tobytes(), self.wxyz.tobytes()))

    # Construction ------------------------------------------------------------------------

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Pose:
        """Build from a homogeneous matrix, shape (4, 4), or a rotation matrix, shape (3, 3)."""
        array = np.asarray(matrix, dtype=np.float64)
        if array.shape == (3, 3):
            return cls(np.zeros(3), wxyz_from_rotation(array))
        if array.shape != (4, 4):
            raise ValueError(f"a homogeneous matrix has shape (4, 4), got {array.shape}")
        return cls(array[:3, 3], wxyz_from_rotation(array[:3, :3]))

    @classmethod
    def from_se3(cls, placement: SE3Like) -> Pose:
        """Build from a Pinocchio ``SE3`` or anything with ``rotation`` and ``translation``."""
        return cls(placement.translation, wxyz_from_rotation(np.asarray(placement.rotation)))

    @classmethod
    def from_xyzw(cls, translation: ArrayLike, xyzw: ArrayLike) -> Pose:
        """Build from a quaternion in x, y, z, w order, as ROS and SciPy write it."""
        return cls(np.asarray(translation, dtype=np.float64), wxyz_from_xyzw(xyzw))

    @classmethod
    def from_trusted_xyz_xyzw(cls, numbers: Vector) -> Pose:
        """Build from x, y, z, qx, qy, qz, qw without a check, for loops that count microseconds.

        Args:
            numbers: Seven finite numbers whose last four are a unit quaternion, as Pinocchio's
                ``SE3ToXYZQUAT`` returns them; shape (7,).
        """
        pose = object.__new__(cls)
        translation = numbers[:3].copy()
        wxyz = numbers.take(_WXYZ_OF_XYZ_XYZW)
        if wxyz[0] < 0:
            np.negative(wxyz, out=wxyz)
        translation.setflags(write=False)
        wxyz.setflags(write=False)
        object.__setattr__(pose, "translation", translation)
        object.__setattr__(pose, "wxyz", wxyz)
        return pose

    @classmethod
    def from_xyz_rpy(cls, xyz: ArrayLike, rpy: ArrayLike) -> Pose:
        """Build from a URDF ``<origin>``: metres, and fixed-axis roll, pitch, yaw in radians.

        The rotation is ``Rz(yaw) Ry(pitch) Rx(roll)``, as the URDF specification defines it.
        """
        return cls(np.asarray(xyz, dtype=np.float64), wxyz_from_rpy(rpy))

    # Conversion --------------------------------------------------------------------------

    @property
    def rotation(self) -> Matrix:
        """Rotation matrix, shape (3, 3)."""
        return rotation_from_wxyz(self.wxyz)

    @property
    def matrix(self) -> Matrix:
        """Homogeneous matrix, shape (4, 4)."""
        result = np.eye(4)
        result[:3, :3] = self.rotation
        result[:3, 3] = self.translation
        return result

    @property
    def xyzw(self) -> Vector:
        """Quaternion in x, y, z, w order, shape (4,)."""
        return xyzw_from_wxyz(self.wxyz)

    @property
    def xyz_xyzw(self) -> Vector:
        """Position and quaternion as Pinocchio's ``XYZQUATToSE3`` reads them, shape (7,)."""
        return np.concatenate((self.translation, self.wxyz)).take(_XYZ_XYZW_OF_XYZ_WXYZ)

    @property
    def rpy(self) -> Vector:
        """Fixed-axis roll, pitch, yaw in radians, shape (3,); pitch lies in [-pi/2, pi/2]."""
        return rpy_from_rotation(self.rotation)

    # Algebra -----------------------------------------------------------------------------

    def __matmul__(self, other: Pose) -> Pose:
        """Compose: ``a_to_world = b_to_world @ a_to_b``."""
        return Pose(
            self.rotation @ other.translation + self.translation,
            multiply_wxyz(self.wxyz, other.wxyz),
        )

    def inverse(self) -> Pose:
        """Return the transform in the other direction."""
        conjugate = self.wxyz * np.array([1.0, -1.0, -1.0, -1.0])
        return Pose(-(rotation_from_wxyz(conjugate) @ self.translation), conjugate)

    def act(self, points: ArrayLike) -> Vector:
        """Map points of this frame, shape (3,) or (n, 3), to the parent frame."""
        return np.asarray(points, dtype=np.float64) @ self.rotation.T + self.translation

    def distance_to(self, other: Pose) -> tuple[float, float]:
        """Return the distance of the origins in metres and the angle between them in radians."""
        position_error_m = math.dist(self.translation.tolist(), other.translation.tolist())
        return position_error_m, angle_between(self.wxyz, other.wxyz)

    def interpolate(self, other: Pose, fraction: float) -> Pose:
        """Return the pose at ``fraction`` of the way: straight line, shortest great arc."""
        translation = (1.0 - fraction) * self.translation + fraction * other.translation
        return Pose(translation, slerp(self.wxyz, other.wxyz, fraction))

    def is_close(self, other: Pose, tolerance_m: float = 1e-9, tolerance_rad: float = 1e-9) -> bool:
        """Tell whether both are the same transform; ``q`` and ``-q`` are the same rotation."""
        position_error_m, orientation_error_rad = self.distance_to(other)
        return position_error_m <= tolerance_m and orientation_error_rad <= tolerance_rad


def wxyz_from_xyzw(xyzw: ArrayLike) -> Vector:
    """Reorder a quaternion from x, y, z, w to w, x, y, z; shape (4,)."""
    x, y, z, w = np.asarray(xyzw, dtype=np.float64)
    return np.array([w, x, y, z])


def xyzw_from_wxyz(wxyz: ArrayLike) -> Vector:
    """Reorder a quaternion from w, x, y, z to x, y, z, w; shape (4,)."""
    w, x, y, z = np.asarray(wxyz, dtype=np.float64)
    return np.array([x, y, z, w])


def multiply_wxyz(first: ArrayLike, second: ArrayLike) -> Vector:
    """Return the Hamilton product of two quaternions in w, x, y, z order; shape (4,)."""
    w1, x1, y1, z1 = np.asarray(first, dtype=np.float64)
    w2, x2, y2, z2 = np.asarray(second, dtype=np.float64)
    return np.array(
        [
            w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
            w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
            w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
            w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
        ]
    )


def rotation_from_wxyz(wxyz: ArrayLike) -> Matrix:
    """Return the rotation matrix, shape (3, 3), of a unit quaternion in w, x, y, z order.

    Of the formulas for it, this one rounds as SciPy's and so as DimOS's.
    """
    w, x, y, z = (float(number) for number in np.asarray(wxyz))
    ww, xx, yy, zz = w * w, x * x, y * y, z * z
    return np.array(
        [
            [xx - yy - zz + ww, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), -xx + yy - zz + ww, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), -xx - yy + zz + ww],
        ]
    )


def wxyz_from_rotation(rotation: ArrayLike) -> Vector:
    """Return a unit quaternion (w >= 0) of a rotation matrix, shape (3, 3).

    The largest of the four components is computed first (Shepperd, 1978), so that no rotation
    divides by a number near zero.
    """
    r = np.asarray(rotation, dtype=np.float64)
    r00, r11, r22 = float(r[0, 0]), float(r[1, 1]), float(r[2, 2])
    squares = (1 + r00 + r11 + r22, 1 + r00 - r11 - r22, 1 - r00 + r11 - r22, 1 - r00 - r11 + r22)
    largest = max(range(4), key=squares.__getitem__)
    numerators = (
        (squares[0], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]),
        (r[2, 1] - r[1, 2], squares[1], r[1, 0] + r[0, 1], r[0, 2] + r[2, 0]),
        (r[0, 2] - r[2, 0], r[1, 0] + r[0, 1], squares[2], r[2, 1] + r[1, 2]),
        (r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[2, 1] + r[1, 2], squares[3]),
    )[largest]
    quaternion = np.array(numerators, dtype=np.float64)
    quaternion /= np.linalg.norm(quaternion)
    return -quaternion if quaternion[0] < 0 else quaternion


def wxyz_from_rpy(rpy: ArrayLike) -> Vector:
    """Return the quaternion of fixed-axis roll, pitch, yaw in radians (URDF's convention)."""
    roll, pitch, yaw = (0.5 * float(angle) for angle in np.asarray(rpy, dtype=np.float64))
    cr, sr = np.cos(roll), np.sin(roll)
    cp, sp = np.cos(pitch), np.sin(pitch)
    cy, sy = np.cos(yaw), np.sin(yaw)
    return np.array(
        [
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ]
    )


def rpy_from_rotation(rotation: ArrayLike) -> Vector:
    """Return fixed-axis roll, pitch, yaw in radians, shape (3,), of a rotation matrix.

    At pitch = +-pi/2 roll and yaw turn about the same axis; roll is then reported as zero.
    """
    r = np.asarray(rotation, dtype=np.float64)
    cosine_of_pitch = float(np.hypot(r[0, 0], r[1, 0]))
    pitch = float(np.arctan2(-r[2, 0], cosine_of_pitch))
    if cosine_of_pitch > _SMALL_ANGLE:
        return np.array([np.arctan2(r[2, 1], r[2, 2]), pitch, np.arctan2(r[1, 0], r[0, 0])])
    return np.array([0.0, pitch, np.arctan2(-r[0, 1], r[1, 1])])


def wxyz_from_rotation_vector(rotation_vector: ArrayLike) -> Vector:
    """Return the quaternion of a rotation vector (axis times angle in radians), shape (3,)."""
    vector = np.asarray(rotation_vector, dtype=np.float64)
    angle = float(np.linalg.norm(vector))
    # sinc keeps full precision down to zero: sin(angle / 2) / angle.
    return np.concatenate(([np.cos(0.5 * angle)], 0.5 * np.sinc(0.5 * angle / np.pi) * vector))


def angle_between(first: ArrayLike, second: ArrayLike) -> float:
    """Return the angle in radians, in [0, pi], between two unit quaternions in wxyz order."""
    # Plain floats: on four numbers they are ten times faster than NumPy, and every tick comes here.
    a = np.asarray(first, dtype=np.float64).tolist()
    b = np.asarray(second, dtype=np.float64).tolist()
    chord = math.dist(a, b)
    opposite_chord = math.dist(a, [-number for number in b])
    # q and -q are the same rotation. atan2 of the chord and its complement is exact near zero,
    # where acos is not.
    shorter, longer = sorted((chord, opposite_chord))
    return 4.0 * math.atan2(shorter, longer)


def slerp(first: ArrayLike, second: ArrayLike, fraction: float) -> Vector:
    """Return the quaternion at ``fraction`` of the shortest arc between two (Shoemake, 1985)."""
    a = np.asarray(first, dtype=np.float64)
    b = np.asarray(second, dtype=np.float64)
    if float(a @ b) < 0:
        b = -b
    half_angle = 0.5 * angle_between(a, b)
    if half_angle < _SMALL_ANGLE:
        blend = (1.0 - fraction) * a + fraction * b
    else:
        weights: Sequence[float] = (
            float(np.sin((1.0 - fraction) * half_angle)),
            float(np.sin(fraction * half_angle)),
        )
        blend = weights[0] * a + weights[1] * b
    return blend / np.linalg.norm(blend)
