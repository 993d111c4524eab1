"""Grasps on an object, as far as undo knows of them: the file, the object, and where it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, Protocol

from workbench.config.frozen import frozen_mapping
from workbench.errors import ConfigError
from workbench.poses import Pose

FARTHEST_OBJECT_M = 1000.0
"""No coordinate of the object may be larger."""

LONGEST_STANDOFF_M = 1.0

APPROACH_AXES: Mapping[str, tuple[float, float, float]] = {
    f"{sign}{axis}": tuple(number * (axis == other) for other in "xyz")  # type: ignore[misc]
    for sign, number in (("+", 1.0), ("-", -1.0))
    for axis in "zxy"
}
"""Directions of the approach in the gripper's own frame, by name."""


class GraspSet(Protocol):
    """What settings know of :class:`workbench.grasps.GraspSpec`: a value that never changes."""

    @property
    def object_frame(self) -> str | None:
        """The object's frame as the file names it."""
        ...

    @property
    def gripper_frame(self) -> str | None:
        """The gripper's frame as the file names it."""
        ...

    def __len__(self) -> int:
        """Return the number of grasps."""
        ...


@dataclass(frozen=True)
class GraspScene:
    """A set of grasps, the object that they are on, and how they are approached.

    Attributes:
        file_name: What to call it: the file's name, text from outside.
        grasps: A :class:`workbench.grasps.GraspSpec`.
        mesh: The object's mesh, a :class:`workbench.grasps.objects.GraspObject`, which is equal to
            itself alone; None where there is none.
        transform_object_to_world: Where the object is.
        gripper_frame: Link of the robot that stands for the file's gripper frame; None as long as
            nobody has said which.
        transform_frame_to_gripper: The robot's link in the file's gripper frame.
        standoff_m: How far before the grasp the straight approach begins.
        approach: Name of the direction of the approach, in the gripper's own frame: a key of
            :data:`APPROACH_AXES`.
        known_frames: What was said of the gripper frames of files that were loaded before: the
            robot's link and that link in the frame, by the frame as the file names it, empty for
            a file that names none.

    Raises:
        ConfigError: With the field, its value and what would be right.
    """

    file_name: str
    grasps: GraspSet
    mesh: Any = None
    transform_object_to_world: Pose = field(default_factory=Pose)
    gripper_frame: str | None = None
    transform_frame_to_gripper: Pose = field(default_factory=Pose)
    standoff_m: float = 0.1
    approach: str = "+z"
    known_frames: Mapping[str, tuple[str, Pose]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Freeze the mapping and refuse what is out of range."""
        object.__setattr__(self, "known_frames", frozen_mapping(self.known_frames))
        position = self.transform_object_to_world.translation
        for axis, coordinate in zip("xyz", position.tolist(), strict=True):
            if abs(coordinate) > FARTHEST_OBJECT_M:
                raise ConfigError(
                    "is too far away", field=f"object {axis}", value=coordinate,
                    expected=f"at most {FARTHEST_OBJECT_M:g} m from the origin",
                )  # fmt: skip
        if not (math.isfinite(self.standoff_m) and 0.0 <= self.standoff_m <= LONGEST_STANDOFF_M):
            raise ConfigError(
                "is out of range", field="standoff", value=self.standoff_m,
                expected=f"a number in [0, {LONGEST_STANDOFF_M:g}] m",
            )  # fmt: skip
        if self.approach not in APPROACH_AXES:
            raise ConfigError(
                "is not a direction", field="approach", value=self.approach,
                expected="one of " + ", ".join(APPROACH_AXES),
            )  # fmt: skip

    __hash__ = None  # type: ignore[assignment]  # what a file brings need not have a hash

    @property
    def object_name(self) -> str:
        """What the object is called: its frame, else the mesh's file, else the grasps' file."""
        frame = (self.grasps.object_frame or "").rstrip("/").rpartition("/")[2]
        mesh = "" if self.mesh is None else PurePosixPath(self.mesh.name).stem
        return frame or mesh or PurePosixPath(self.file_name).stem

    @property
    def frames_said(self) -> Mapping[str, tuple[str, Pose]]:
        """:attr:`known_frames`, with what is said of this file's own."""
        if self.gripper_frame is None:
            return self.known_frames
        said = self.gripper_frame, self.transform_frame_to_gripper
        return {**self.known_frames, self.grasps.gripper_frame or "": said}

    def with_object_at(self, transform_object_to_world: Pose) -> GraspScene:
        """Return the scene with the object elsewhere; raises ConfigError."""
        return replace(self, transform_object_to_world=transform_object_to_world)
