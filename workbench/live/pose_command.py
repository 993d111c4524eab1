"""Pose commands on their way to the loop, and so the answer to where the robot is.

The loop publishes where the robot is only after its next tick. Whoever asks meanwhile (undo, "hold
here", "target to tool") must be told where it is just being sent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.config.robot_pose import RobotPose
from workbench.live.playback import PoseCommand
from workbench.live.snapshot import StateSnapshot
from workbench.live.state import SessionState


@dataclass(frozen=True, eq=False)
class Command:
    """Where the robot is sent.

    Attributes:
        version: Version of the settings from which on it counts.
        order: Where it goes, and along what.
    """

    version: int
    order: PoseCommand


@dataclass(frozen=True, eq=False)
class _Whereabouts:
    """What is known besides the loop's snapshots, of one robot; swapped whole.

    Attributes:
        epoch: Number of the robot.
        arrival: Where it was when the session got it; None for its home.
        command: The newest command, None before the first.
    """

    epoch: int
    arrival: RobotPose | None = None
    command: Command | None = None


class PoseCommands:
    """The newest pose command. Plain, without a lock: the session guards it."""

    def __init__(self, epoch: int, arrival: RobotPose | None) -> None:
        """Start without a command; the arguments are those of :meth:`reset`."""
        self._known = _Whereabouts(epoch, arrival)
        self._is_new = False
        self._sent = 0

    @property
    def sent(self) -> int:
        """How many commands have been sent so far."""
        return self._sent

    def reset(self, epoch: int, arrival: RobotPose | None) -> None:
        """Another robot has come.

        Args:
            epoch: Its number.
            arrival: Where it is; None for its home. It counts until the loop has published
                something.
        """
        self._known, self._is_new = _Whereabouts(epoch, arrival), False

    def send(self, version: int, order: PoseCommand) -> None:
        """Send the robot to a pose, in the place of a command that the loop has not taken yet."""
        self._known, self._is_new = replace(self._known, command=Command(version, order)), True
        self._sent += 1

    def take(self) -> PoseCommand | None:
        """Return the command for the loop, once."""
        command = self._known.command
        if command is None or not self._is_new:
            return None
        self._is_new = False
        return command.order

    def present_pose(self, state: SessionState, snapshot: StateSnapshot | None) -> RobotPose:
        """Return where the robot is, or is just being sent; may be called without the lock.

        Args:
            state: The session's state.
            snapshot: What the loop published last, None before the first tick; one of another
                robot counts as none.
        """
        if snapshot is not None and snapshot.epoch != state.epoch:
            snapshot = None
        known = self._known
        if known.epoch != state.epoch:
            known = _Whereabouts(state.epoch)
        command = known.command
        if command is not None and (
            snapshot is None or snapshot.settings_version < command.version
        ):
            return command.order.pose
        if snapshot is not None:
            names = state.description.joint_names
            positions = dict(zip(names, snapshot.positions.tolist(), strict=True))
            return RobotPose(positions, snapshot.transform_base_to_world)
        return known.arrival or RobotPose(state.description.home)
