"""What stands between a solve and a command: low-pass, clamps and averaged increments.

The order is DimOS's. A candidate is low-passed against the previous command and clamped; its
increment enters a weighted average of the last three; the averaged command is clamped again.
Everything here is NumPy on joint positions in the order of commands, shape (n,), rad or m.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.config.streaming import INCREMENT_WEIGHTS, StreamingConfig
from workbench.errors import ConfigError

if TYPE_CHECKING:
    from workbench.model.controlled import ControlledRobot

Vector = NDArray[np.float64]


class EmptyEnvelopeError(Exception):
    """The clamps leave a joint no position: they contradict each other.

    Attributes:
        index: The joint's place in the order of commands.
        lower: Largest of its lower bounds.
        upper: Smallest of its upper bounds.
    """

    def __init__(self, index: int, lower: float, upper: float) -> None:
        """Remember the joint and the bounds that cross."""
        super().__init__(f"joint {index} has no position between {lower:g} and {upper:g}")
        self.index, self.lower, self.upper = index, lower, upper


def low_pass(previous: Vector, candidate: Vector, dt: float, cutoff_hz: float | None) -> Vector:
    """Return the candidate after a first-order low-pass that starts at the previous command.

    The share ``1 - exp(-2 pi cutoff dt)`` of the way is taken, so that the cutoff does not depend
    on the tick rate.

    Args:
        previous: Previous command.
        candidate: What was solved for.
        dt: Time since the previous command, s.
        cutoff_hz: Cutoff frequency; None takes the whole way.
    """
    if cutoff_hz is None:
        return candidate
    share = -np.expm1(-2.0 * np.pi * cutoff_hz * dt)
    return previous + share * (candidate - previous)


class CommandEnvelope:
    """The positions that a command may take: velocity step, tracking window, inward margin.

    Attributes:
        velocity_caps: Cap of each joint: its own or the default one, and never more than the
            robot's own limit.
    """

    def __init__(
        self,
        robot: ControlledRobot,
        config: StreamingConfig,
        velocity_limits: Mapping[str, float] | None = None,
    ) -> None:
        """Combine the bounds of a robot with those of a config.

        Args:
            robot: The robot.
            config: The bounds.
            velocity_limits: Limits that replace the robot's, by joint name, rad/s or m/s.

        Raises:
            ConfigError: If a cap names an unknown joint, or the margin leaves a joint no range.
            RobotError: If a limit names an unknown joint.
        """
        config.check_joints(robot.joint_names)
        caps = np.full(len(robot.joint_names), config.max_joint_velocity_rad_s)
        for name, cap in config.joint_velocity_limits_rad_s.items():
            caps[robot.joint_index(name)] = cap
        limits = np.array(robot.velocity_limits)
        for name, limit in (velocity_limits or {}).items():
            limits[robot.joint_index(name)] = limit
        self.velocity_caps = np.minimum(caps, limits)
        self._tracking_error = config.max_command_tracking_error_rad
        margin = config.command_limit_margin
        bounded = robot.is_bounded
        self._lower = np.where(bounded, robot.lower + margin, -np.inf)
        self._upper = np.where(bounded, robot.upper - margin, np.inf)
        crossing = np.flatnonzero(self._lower > self._upper)
        if crossing.size:
            index = int(crossing[0])
            half_range = 0.5 * float(robot.upper[index] - robot.lower[index])
            raise ConfigError(
                f"leaves joint {robot.joint_names[index]} no range",
                field="command_limit_margin", value=margin,
                expected=f"at most {half_range:.6g}, half of that joint's range",
            )  # fmt: skip

    def inside(self, positions: Vector) -> Vector:
        """Return positions clamped into the limits, moved inward by the margin."""
        return np.minimum(np.maximum(positions, self._lower), self._upper)

    def clamp(self, candidate: Vector, previous: Vector, measured: Vector, dt: float) -> Vector:
        """Return the candidate clamped into all bounds at once.

        Args:
            candidate: Where the joints would go.
            previous: Previous command; the velocity step counts from there.
            measured: Measured positions; the middle of the tracking window.
            dt: Time since the previous command, s.

        Raises:
            EmptyEnvelopeError: If the bounds leave a joint no position.
        """
        step = self.velocity_caps * dt
        lower = np.maximum(previous - step, measured - self._tracking_error)
        upper = np.minimum(previous + step, measured + self._tracking_error)
        lower = np.maximum(lower, self._lower)
        upper = np.minimum(upper, self._upper)
        crossing = lower > upper
        if crossing.any():
            index = int(crossing.argmax())
            raise EmptyEnvelopeError(index, float(lower[index]), float(upper[index]))
        return np.minimum(np.maximum(candidate, lower), upper)

    def active(
        self, command: Vector, previous: Vector, measured: Vector, dt: float
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which joints a command puts at the velocity step, the window and the margin."""
        tiny = 1e-12
        at_step = np.abs(command - previous) >= self.velocity_caps * dt - tiny
        at_window = np.abs(command - measured) >= self._tracking_error - tiny
        at_margin = (command <= self._lower + tiny) | (command >= self._upper - tiny)
        return at_step, at_window, at_margin


class IncrementAverage:
    """The weighted average of the last bounded increments, newest heaviest."""

    def __init__(self, weights: tuple[float, ...] = INCREMENT_WEIGHTS) -> None:
        """Start without history.

        Args:
            weights: Oldest first; with fewer samples the newest weights are normalised.
        """
        self._weights = np.array(weights, dtype=np.float64)
        self._history: deque[Vector] = deque(maxlen=len(weights) - 1)

    def average(self, increment: Vector) -> Vector:
        """Return the average of the history and a new increment, which is not kept yet."""
        if not self._history:
            return increment
        samples = np.array((*self._history, increment))
        weights = self._weights[-len(samples) :]
        return (weights / weights.sum()) @ samples

    def keep(self, increment: Vector) -> None:
        """Add the increment of an accepted command to the history."""
        self._history.append(increment)

    def clear(self) -> None:
        """Forget the history."""
        self._history.clear()


def filtered_command(
    candidate: Vector,
    previous: Vector,
    measured: Vector,
    dt: float,
    *,
    cutoff_hz: float | None,
    envelope: CommandEnvelope,
    increments: IncrementAverage,
) -> tuple[Vector, Vector]:
    """Return the command for a candidate, and its bounded increment for the history.

    Raises:
        EmptyEnvelopeError: If the bounds contradict each other.
    """
    smooth = low_pass(previous, candidate, dt, cutoff_hz)
    increment = envelope.clamp(smooth, previous, measured, dt) - previous
    averaged = previous + increments.average(increment)
    return envelope.clamp(averaged, previous, measured, dt), increment
