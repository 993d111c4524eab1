"""What a user asks for when a robot is to be loaded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.config.frozen import frozen_mapping
from workbench.config.profile import MeshUpAxis
from workbench.errors import UsageError


@dataclass(frozen=True)
class RobotRequest:
    """A robot and how to read it. Loading the same request again is a reload.

    Attributes:
        source: A profile's name, a path to a profile (``.yaml``), to a URDF or to a xacro file, or
            ``robot_descriptions:NAME``.
        package_dirs: Folders to look for ``package://`` files in, before all others. Each may be
            a package itself or hold packages.
        srdf: Path of an SRDF that replaces the profile's.
        tool_frames: ``LINK`` or ``NAME=LINK:x,y,z,r,p,y`` (metres, radians); they replace the
            profile's.
        hold: Joints that are taken out of the model, with the position at which they stay, rad
            or m; on top of the profile's.
        floating_base: True makes the root link float even where the profile does not say so.
        mesh_up_axis: Replaces the profile's; None leaves it.
        example: Name of an example session of the profile; empty for the plain robot.

    Raises:
        UsageError: If a held position is not a finite number.
    """

    source: str
    package_dirs: tuple[str, ...] = ()
    srdf: str | None = None
    tool_frames: tuple[str, ...] = ()
    hold: Mapping[str, float] = field(default_factory=dict)
    floating_base: bool = False
    mesh_up_axis: MeshUpAxis | None = None
    example: str = ""

    def __post_init__(self) -> None:
        """Freeze and check the held positions."""
        for joint, position in self.hold.items():
            if not math.isfinite(position):
                raise UsageError(
                    "is not a finite position", field=f"--hold {joint}", value=position,
                    expected="a number of rad or m",
                )  # fmt: skip
        object.__setattr__(self, "hold", frozen_mapping(self.hold))
