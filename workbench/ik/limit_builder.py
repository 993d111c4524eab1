"""From the entries of the lists of limits and barriers to Pink's, kept while they are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pink
from numpy.typing import NDArray
from pink.barriers import Barrier, BodySphericalBarrier, PositionBarrier
from pink.limits import FloatingBaseVelocityLimit, Limit

from workbench.config.limits import (
    AccelerationLimitSpec,
    BarrierSpec,
    BodySphericalBarrierSpec,
    ConfigurationLimitSpec,
    FloatingBaseVelocityLimitSpec,
    LimitSpec,
    PositionBarrierSpec,
    SelfCollisionBarrierSpec,
    VelocityLimitSpec,
)
from workbench.errors import SolverError, did_you_mean
from workbench.ik.bounds import JointBounds
from workbench.ik.braking_limit import BrakingAccelerationLimit
from workbench.ik.self_collision import HullDistanceBarrier, make_self_collision_barrier

if TYPE_CHECKING:
    from workbench.model.collision import CollisionModel
    from workbench.model.robot import Robot

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BuiltLimit:
    """A limit, and what its rows mean.

    Attributes:
        spec: The entry.
        limit: Pink's limit.
        rows: Tangent coordinate and side of each row of its inequality.
    """

    spec: LimitSpec
    limit: Limit
    rows: tuple[tuple[int, str], ...]


@dataclass(frozen=True, eq=False)
class BuiltBarrier:
    """A barrier of Pink's.

    Attributes:
        spec: The entry.
        barrier: Pink's barrier.
        rows: What each row of its inequality bounds, in words.
    """

    spec: BarrierSpec
    barrier: Barrier
    rows: tuple[str, ...]


class LimitBuilder:
    """Keeps the limits and barriers of the lists' enabled entries.

    Attributes:
        limits: Limits that come on top of position and velocity limits.
        barriers: Barriers.
        configuration_gain: Share of the way to its limit that a joint may go in a step; None for
            Pink's own.
        velocity_share: Share of the velocity limits that may be used.
        missing: Why a self-collision barrier cannot be had yet, one sentence; empty where it can.
    """

    def __init__(
        self, robot: Robot, configuration: pink.Configuration, bounds: JointBounds
    ) -> None:
        """Start with no entry.

        Args:
            robot: The robot.
            configuration: Where it is.
            bounds: Position and velocity limits in force.
        """
        self._robot = robot
        self._configuration = configuration
        self._bounds = bounds
        self._limit_specs: tuple[LimitSpec, ...] = ()
        self._barrier_specs: tuple[BarrierSpec, ...] = ()
        self._collision: CollisionModel | None = None
        self._velocity = np.zeros(configuration.model.nv)
        self.limits: tuple[BuiltLimit, ...] = ()
        self.barriers: tuple[BuiltBarrier, ...] = ()
        self.configuration_gain: float | None = None
        self.velocity_share = 1.0
        self.missing = ""

    def set_collision(self, collision: CollisionModel | None) -> None:
        """Hand over the hulls of the robot's links, None while there are none."""
        self._collision = collision
        self.barriers = tuple(
            built for built in self.barriers if not isinstance(built.spec, SelfCollisionBarrierSpec)
        )
        self._barrier_specs = ()

    @property
    def self_collision(self) -> HullDistanceBarrier | None:
        """The barrier that keeps the robot's links apart, None where there is none."""
        for built in self.barriers:
            if isinstance(built.barrier, HullDistanceBarrier):
                return built.barrier
        return None

    def update(self, limits: tuple[LimitSpec, ...], barriers: tuple[BarrierSpec, ...]) -> bool:
        """Bring everything in line with the lists; True when anything changed.

        Raises:
            SolverError: If an entry names a frame or joint that the robot does not have, or asks
                for what this robot cannot have; everything is then as before.
        """
        changed = False
        if barriers is not self._barrier_specs:
            self.missing = ""
            old = {built.spec.name: built for built in self.barriers}
            found: list[BuiltBarrier] = []
            for spec in barriers:
                if not spec.enabled:
                    continue
                if spec.name in old and old[spec.name].spec is spec:
                    found += [built for built in self.barriers if built.spec is spec]
                else:
                    found += self._barriers_of(spec)
            self.barriers, self._barrier_specs = tuple(found), barriers
            changed = True
        if limits is not self._limit_specs:
            enabled = [spec for spec in limits if spec.enabled]
            self.limits = tuple(
                built for spec in enabled if (built := self._limit(spec)) is not None
            )
            gains = [spec.gain for spec in enabled if isinstance(spec, ConfigurationLimitSpec)]
            self.configuration_gain = gains[0] if gains else None
            shares = [spec.share for spec in enabled if isinstance(spec, VelocityLimitSpec)]
            self.velocity_share = min(shares, default=1.0)
            self._limit_specs = limits
            changed = True
        return changed

    def prepare(self, dt: float) -> None:
        """Tell the limits that depend on it how long the next step is, in s."""
        for built in self.limits:
            if isinstance(built.limit, BrakingAccelerationLimit):
                built.limit.set_last_integration(self._velocity, dt)

    def moved(self, velocity: Vector | None) -> None:
        """Remember the velocity of the last step, shape (nv,); None when the robot stood still."""
        if velocity is None:
            self._velocity = np.zeros_like(self._velocity)
        else:
            self._velocity = velocity

    def _limit(self, spec: LimitSpec) -> BuiltLimit | None:
        model = self._configuration.model
        if isinstance(spec, AccelerationLimitSpec):
            limit = BrakingAccelerationLimit(model, self._accelerations(spec))
            indices = [int(index) for index in limit.indices]
            if not indices:
                return None
            rows = [(index, "upper") for index in indices] + [(index, "lower") for index in indices]
            return BuiltLimit(spec, limit, tuple(rows))
        if isinstance(spec, FloatingBaseVelocityLimitSpec):
            try:
                base_limit = FloatingBaseVelocityLimit(
                    model, None, spec.linear_m_s, spec.angular_rad_s
                )
            except ValueError as error:
                raise SolverError(
                    "needs a floating base", field=f"limits.{spec.name}",
                    expected="a robot whose root link floats",
                ) from error  # fmt: skip
            rows = [(index, "upper") for index in range(6)] + [(i, "lower") for i in range(6)]
            return BuiltLimit(spec, base_limit, tuple(rows))
        return None

    def _accelerations(self, spec: AccelerationLimitSpec) -> Vector:
        """Return the largest acceleration of each tangent coordinate, infinite for none."""
        robot = self._robot
        result = np.full(self._configuration.model.nv, np.inf)
        if not isinstance(spec.acceleration, Mapping):
            result[robot.idx_v] = spec.acceleration
            return result
        for name, value in spec.acceleration.items():
            known = robot.description.joint_names
            if name not in known:
                raise SolverError(
                    "there is no such joint", field=f"limits.{spec.name}", value=name,
                    expected=did_you_mean(name, known),
                )  # fmt: skip
            result[robot.idx_v[known.index(name)]] = value
        return result

    def _barriers_of(self, spec: BarrierSpec) -> list[BuiltBarrier]:
        if isinstance(spec, PositionBarrierSpec):
            return self._position_barriers(spec)
        if isinstance(spec, BodySphericalBarrierSpec):
            self._require_frames(spec, spec.frame, spec.other_frame)
            barrier = BodySphericalBarrier(
                (spec.frame, spec.other_frame), spec.minimum_distance_m, gain=spec.gain,
                safe_displacement_gain=spec.safe_displacement_gain,
            )  # fmt: skip
            return [BuiltBarrier(spec, barrier, (f"{spec.frame} to {spec.other_frame}",))]
        assert isinstance(spec, SelfCollisionBarrierSpec)
        try:
            hulls = make_self_collision_barrier(
                self._robot, self._collision, spec, self._configuration.model, self._bounds
            )
        except SolverError as error:
            # Hulls are made in a job and may come later: a reason to hold, not to fail.
            self.missing = f"The barrier {spec.name} has nothing to keep apart: {error.message}"
            return []
        return [BuiltBarrier(spec, hulls, ("the nearest pairs of links",) * hulls.dim)]

    def _position_barriers(self, spec: PositionBarrierSpec) -> list[BuiltBarrier]:
        """Return one barrier for the lower bounds and one for the upper ones.

        Pink's barrier has both for the same axes only.
        """
        self._require_frames(spec, spec.frame)
        found = []
        for bounds, side in ((spec.minimum, "minimum"), (spec.maximum, "maximum")):
            axes = [index for index, bound in enumerate(bounds) if bound is not None]
            if not axes:
                continue
            values = np.array([bounds[index] for index in axes], dtype=np.float64)
            barrier = PositionBarrier(
                spec.frame,
                indices=axes,
                p_min=values if side == "minimum" else None,
                p_max=values if side == "maximum" else None,
                gain=spec.gain,
                safe_displacement_gain=spec.safe_displacement_gain,
            )
            rows = tuple(f"{'xyz'[index]} at its {side}" for index in axes)
            found.append(BuiltBarrier(spec, barrier, rows))
        return found

    def _require_frames(self, spec: BarrierSpec, *frames: str) -> None:
        for name in frames:
            if not self._configuration.model.existFrame(name):
                raise SolverError(
                    "there is no such frame", field=f"barriers.{spec.name}", value=name,
                    expected=did_you_mean(name, self._robot.description.frames),
                )  # fmt: skip
