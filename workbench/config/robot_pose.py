"""``RobotPose``: where a whole robot is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.config.frozen import frozen_mapping
from workbench.poses import Pose


@dataclass(frozen=True)
class RobotPose:
    """Where a robot is: its joints, and its base where that floats.

    Attributes:
        positions: Joint positions, by name, in rad or m.
        transform_base_to_world: Pose of the root link; matters for a floating base only.
    """

    positions: Mapping[str, float]
    transform_base_to_world: Pose = field(default_factory=Pose)

    def __post_init__(self) -> None:
        """Freeze the positions."""
        object.__setattr__(self, "positions", frozen_mapping(self.positions))
