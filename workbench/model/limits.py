"""Which limits are in force, and a start that lies inside them.

URDFs in the field give a velocity of 0, ranges of zero width and limits of 1e20. Pink reads the
first two as *no limit*; a joint then jumps at full length in one tick. Here every joint gets a
positive, finite velocity cap, a range of zero width means "held", and an absurd limit is none. A
``<limit>`` that gives neither lower nor upper is none either: the specification reads it as a range
of zero width, but files that leave both out (wheels, pendulums) mean a joint that turns freely.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from workbench.model.urdf import UrdfJoint

DEFAULT_VELOCITY_RAD_S = 1.0
DEFAULT_VELOCITY_M_S = 0.1
"""Caps for joints whose URDF gives none: slow enough to watch, fast enough to work with."""

BASE_VELOCITY_M_S = 1.0
BASE_VELOCITY_RAD_S = 1.0
"""Caps of a floating base, which no URDF gives."""

HOME_MARGIN = 0.05
"""Share of a joint's range that a start found by us keeps from both limits."""

_UNLIMITED_FROM = 1e6
_ZERO_RANGE = 1e-9


@dataclass(frozen=True)
class JointLimits:
    """The limits of one joint that are in force.

    Attributes:
        lower: Lower position limit, rad or m; None where there is none.
        upper: Upper position limit, rad or m; None where there is none.
        velocity: Cap on the speed, rad/s or m/s, positive and finite.
        velocity_is_default: Whether a default stands in for what the URDF does not give.
    """

    lower: float | None
    upper: float | None
    velocity: float
    velocity_is_default: bool

    def clamp(self, position: float, margin: float = 0.0) -> float:
        """Return the nearest position inside the limits, away from them by a share of the range.

        Args:
            position: Any position, rad or m.
            margin: Share of the range to keep from each limit; where there is one limit only, of
                one rad or m.
        """
        room = margin
        if self.lower is not None and self.upper is not None:
            room = margin * (self.upper - self.lower)
        if self.lower is not None:
            position = max(position, self.lower + room)
        if self.upper is not None:
            position = min(position, self.upper - room)
        return position

    def contain(self, position: float) -> bool:
        """Whether a position lies inside the limits, the limits included."""
        return self.clamp(position) == position


def limits_in_force(joint: UrdfJoint) -> JointLimits:
    """Return the limits of a joint that moves."""
    limit = joint.limit
    lower = upper = None
    if limit is not None and limit.has_range and joint.type != "continuous":
        lower = limit.lower if abs(limit.lower) < _UNLIMITED_FROM else None
        upper = limit.upper if abs(limit.upper) < _UNLIMITED_FROM else None
    velocity = None if limit is None else limit.velocity
    if velocity is not None and 0.0 < velocity < _UNLIMITED_FROM:
        return JointLimits(lower, upper, velocity, False)
    default = DEFAULT_VELOCITY_M_S if joint.type == "prismatic" else DEFAULT_VELOCITY_RAD_S
    return JointLimits(lower, upper, default, True)


def has_zero_range(joint: UrdfJoint) -> bool:
    """Whether the joint's limits leave it no room at all."""
    if joint.limit is None or not joint.limit.has_range or joint.type == "continuous":
        return False
    return joint.limit.upper - joint.limit.lower <= _ZERO_RANGE


def start_position(limits: JointLimits, wanted: float | None) -> float:
    """Return where a joint starts.

    A position that somebody chose is kept wherever it lies inside the limits, on a limit as well;
    one that lies outside, and zero where nobody chose, are moved inside with a margin.

    Args:
        limits: The joint's limits.
        wanted: A chosen position, rad or m; None for the neutral one.
    """
    if wanted is not None and math.isfinite(wanted) and limits.contain(wanted):
        return wanted
    return limits.clamp(wanted if wanted is not None else 0.0, HOME_MARGIN)
