"""What a field of an entry would be if it described the robot as it stands now."""

from __future__ import annotations

from typing import Any

from workbench.config.robot_pose import RobotPose
from workbench.config.tasks import (
    ClosedChainTaskSpec,
    ComTaskSpec,
    FrameTaskSpec,
    PostureTaskSpec,
    RelativeFrameTaskSpec,
)
from workbench.config.tasks_spec import Spec
from workbench.errors import WorkbenchError
from workbench.live.bundle import RobotBundle
from workbench.poses import Pose


def present_value(spec: Spec, field: str, bundle: RobotBundle, here: RobotPose) -> Any:
    """Return a field's value for the present pose of the robot.

    Args:
        spec: The entry; its frames say what is meant.
        field: Name of the field.
        bundle: The robot.
        here: Where it is.

    Raises:
        WorkbenchError: If the robot has no such value.
    """
    match spec, field:
        case FrameTaskSpec(), "target":
            return bundle.frame_poses(here, (spec.frame,))[spec.frame]
        case RelativeFrameTaskSpec(), "target":
            return frame_in_other(bundle, here, spec.frame, spec.root)
        case ClosedChainTaskSpec(), "offset":
            return frame_in_other(bundle, here, spec.other_frame, spec.frame)
        case ComTaskSpec(), "target":
            return bundle.centre_of_mass(here)
        case PostureTaskSpec(), "target":
            return dict(here.positions)
    raise WorkbenchError(f"the robot has no present {field}")


def frame_in_other(bundle: RobotBundle, here: RobotPose, frame: str, other: str) -> Pose:
    """Return a frame's pose in another frame of the robot."""
    poses = bundle.frame_poses(here, (frame, other))
    return poses[other].inverse() @ poses[frame]
