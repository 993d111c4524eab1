"""What is exported, and what comes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from workbench.config.settings import Settings
from workbench.errors import UsageError
from workbench.model.description import RobotDescription

QUATERNION_ORDER = "quaternions: w, x, y, z"
"""Said in every export that can say anything."""


@dataclass(frozen=True, eq=False)
class ExportSubject:
    """The settings that are exported, and the robot that they were tuned on.

    Attributes:
        settings: The settings.
        robot: The robot; None where only the twelve fields are known.
        versions: Versions of the packages that decide a result, by package name.
        changed_at: Time of the last change, with a time zone; None for unknown.
        dimos_version: Version of DimOS that the export is for.
    """

    settings: Settings
    robot: RobotDescription | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    changed_at: datetime | None = None
    dimos_version: str = "0.0.15"

    @property
    def tool_frames(self) -> tuple[str, ...]:
        """The tool frames that have a task."""
        targets = self.settings.targets
        frames = tuple(targets) if self.robot is None else self.robot.tool_frames
        return tuple(name for name in frames if name not in targets or targets[name].enabled)


def robot_of_program(subject: ExportSubject) -> RobotDescription:
    """Return the robot of a subject, if a program can load it and has something to move.

    Raises:
        UsageError: If there is none, it is no URDF, or no tool frame is switched on.
    """
    robot = subject.robot
    if robot is None:
        raise UsageError(
            "a program needs a robot", field="--robot", expected="a profile, or the path of a URDF"
        )
    if not robot.urdf_path.lower().endswith((".urdf", ".xml")):
        raise UsageError(
            "is no URDF: the program could not load it", field="--robot", value=robot.urdf_path,
            expected="the URDF that the xacro file expands to",
        )  # fmt: skip
    if not subject.tool_frames:
        raise UsageError("has no tool frame that is switched on", field="--robot")
    return robot


@dataclass(frozen=True)
class Exported:
    """What came out.

    Attributes:
        text: The file's text.
        losses: One sentence for each thing that was set and is not in it.
        notes: What else whoever runs it has to know, one sentence each.
    """

    text: str
    losses: tuple[str, ...]
    notes: tuple[str, ...]
