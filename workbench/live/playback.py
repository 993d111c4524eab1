"""Shows a path: the robot is put from point to point as time passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.config.robot_pose import RobotPose


@dataclass(frozen=True, eq=False)
class PoseCommand:
    """A pose that the robot is sent to, at once or along a path.

    Attributes:
        pose: Where it ends.
        path: Poses on the way, evenly spaced in time; empty to be there at once.
        step_s: Time from one of them to the next, s.
    """

    pose: RobotPose
    path: tuple[RobotPose, ...] = ()
    step_s: float = 0.0

    @property
    def duration_s(self) -> float:
        """How long the way takes, s."""
        return len(self.path) * self.step_s


class Playback:
    """A command on its way. Used by the loop's thread alone."""

    def __init__(self, command: PoseCommand, now_s: float) -> None:
        """Set out.

        Args:
            command: Where to, and along what.
            now_s: Time in s, of the clock that :meth:`pose_at` is told.
        """
        self._command = command
        self._began_s = now_s

    def pose_at(self, now_s: float) -> tuple[RobotPose, bool]:
        """Return where the robot is, and whether it has arrived."""
        command = self._command
        elapsed_s = now_s - self._began_s
        if elapsed_s >= command.duration_s:
            return command.pose, True
        return command.path[min(int(elapsed_s / command.step_s), len(command.path) - 1)], False


def poses_along(path: Sequence[Mapping[str, float]], end: RobotPose) -> tuple[RobotPose, ...]:
    """Return the poses of a path of joint positions.

    Args:
        path: Positions by joint name, rad or m, one entry a point.
        end: Joints that the path does not name, and the base, are as here.
    """
    return tuple(
        RobotPose({**end.positions, **point}, end.transform_base_to_world) for point in path
    )
