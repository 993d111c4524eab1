"""One grasp: where a gripper must be on an object, and how its fingers stand.

Numbers are kept as the file has them, so that writing a file back changes nothing that nobody
touched; :attr:`Grasp.pose` is the rigid transform that they mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from workbench.config.frozen import frozen_mapping
from workbench.errors import GraspError
from workbench.poses import Pose

Vector = NDArray[np.float64]
Axis = Literal["x", "y", "z"]

_AXES: tuple[Axis, ...] = ("x", "y", "z")


@dataclass(frozen=True, eq=False)
class WrittenPose:
    """A pose as numbers of a file.

    Attributes:
        position: In metres, shape (3,), read-only.
        wxyz: Quaternion in w, x, y, z order, unit within rounding, of either sign, shape (4,),
            read-only.
    """

    position: Vector
    wxyz: Vector

    @classmethod
    def of(cls, pose: Pose) -> WrittenPose:
        """Return a pose's own numbers."""
        return cls(pose.translation, pose.wxyz)

    @property
    def pose(self) -> Pose:
        """The rigid transform."""
        return Pose(self.position, self.wxyz)

    def turned_about(self, axis: Axis) -> WrittenPose:
        """Return the pose after half a turn about an axis of its parent frame."""
        half_turn = Pose(wxyz=_half_turn(axis))
        return WrittenPose.of(half_turn @ self.pose)

    def __eq__(self, other: object) -> bool:
        """Compare number by number."""
        if not isinstance(other, WrittenPose):
            return NotImplemented
        return np.array_equal(self.position, other.position) and np.array_equal(
            self.wxyz, other.wxyz
        )

    __hash__ = None  # type: ignore[assignment]  # arrays that compare by value have no hash


@dataclass(frozen=True)
class Grasp:
    """One grasp of an isaac_grasp file.

    Attributes:
        name: Name in the file.
        written: The gripper frame in the object frame, as the file has it.
        confidence: Quality, 0 to 1 by the format's own words; None where the file gives none.
        cspace_position: Finger joints when the object is held, by name, rad or m.
        pregrasp_cspace_position: Finger joints before that, by name, rad or m. Which of the two
            values is the larger differs between grippers.
        pregrasp: The gripper frame in the object frame before the approach; None where the
            file leaves that to its reader.
        extras: What else the file says about this grasp, key by key.
    """

    name: str
    written: WrittenPose
    confidence: float | None = None
    cspace_position: Mapping[str, float] = field(default_factory=dict)
    pregrasp_cspace_position: Mapping[str, float] = field(default_factory=dict)
    pregrasp: WrittenPose | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Freeze the mappings."""
        for name in ("cspace_position", "pregrasp_cspace_position", "extras"):
            object.__setattr__(self, name, frozen_mapping(getattr(self, name)))

    __hash__ = None  # type: ignore[assignment]  # what a file brings need not have a hash

    @property
    def pose(self) -> Pose:
        """The gripper frame in the object frame: ``gripper = object * grasp``."""
        return self.written.pose

    @property
    def pregrasp_pose(self) -> Pose | None:
        """The gripper frame in the object frame before the approach, where the file gives it."""
        return None if self.pregrasp is None else self.pregrasp.pose

    @property
    def effective_confidence(self) -> float:
        """The confidence, 1 where the file gives none, as other readers of the format have it."""
        return 1.0 if self.confidence is None else self.confidence

    def mirrored(self, name: str, axis: Axis) -> Grasp:
        """Return the grasp on the other side of an axis of the object, under another name.

        It is turned about the axis by half a turn, which takes every point to its mirror image
        across the axis. Unlike a reflection this suits grippers that are not symmetric
        themselves. Extra keys stay behind: nobody knows what they mean for another pose.

        Args:
            name: Name of the new grasp.
            axis: Axis of the object frame: ``x``, ``y`` or ``z``.

        Raises:
            GraspError: If there is no such axis.
        """
        if axis not in _AXES:
            raise GraspError("is no axis", field=self.name, value=axis, expected="x, y or z")
        pregrasp = None if self.pregrasp is None else self.pregrasp.turned_about(axis)
        return replace(
            self, name=name, written=self.written.turned_about(axis), pregrasp=pregrasp, extras={}
        )


def _half_turn(axis: Axis) -> Vector:
    wxyz = np.zeros(4)
    wxyz[1 + _AXES.index(axis)] = 1.0
    return wxyz
