"""The hard bounds of a step: joint limits and velocity limits, as Pink's solver wants them.

Both come from Pink (its ``ConfigurationLimit`` and ``VelocityLimit``); here they are one object,
because their matrix never changes and stacking it anew would cost a sixth of every tick.
"""

from __future__ import annotations

import numpy as np
import pink
import pinocchio
from numpy.typing import NDArray
from pink.limits import ConfigurationLimit, Limit, VelocityLimit

from workbench.poses import frozen_array

Vector = NDArray[np.float64]

LIMIT_TOLERANCE = 1e-6
"""How far outside a limit (rad or m) counts as rounding; Pink's own tolerance is the same."""


class JointBounds(Limit):
    """Pink's configuration and velocity limits of a model, their constant rows kept.

    Attributes:
        velocity_caps: Velocity limit of each tangent coordinate, rad/s or m/s, shape (nv,);
            infinite where there is none (a floating base).
        q_lower: Lower limit of each entry of q, shape (nq,); minus infinity where there is none:
            joints without limits, the two entries of a continuous joint, a floating base.
        q_upper: Upper limit of each entry of q, shape (nq,).
    """

    def __init__(self, model: pinocchio.Model, velocity_caps: Vector) -> None:
        """Read the limits of a model.

        Args:
            model: The model; its position limits are used.
            velocity_caps: Velocity limits in place of the model's, shape (nv,).
        """
        self._model = model
        self._position_limit = ConfigurationLimit(model)
        self._set_velocity_limit(velocity_caps)
        self.q_lower, self.q_upper = _scalar_limits(model, self._position_limit)

    @property
    def limited_indices(self) -> NDArray[np.int64]:
        """Tangent coordinates that have position limits."""
        return np.asarray(self._position_limit.indices, dtype=np.int64)

    def set_velocity_caps(self, velocity_caps: Vector) -> None:
        """Replace the velocity limits, shape (nv,)."""
        if not np.array_equal(velocity_caps, self.velocity_caps):
            self._set_velocity_limit(velocity_caps)

    def compute_qp_inequalities(
        self, configuration: pink.Configuration, dt: float
    ) -> tuple[Vector, Vector] | None:
        """Return ``(G, h)`` with ``G dq <= h``: Pink's rows for positions, then for velocities."""
        if self._matrix is None:
            return None
        blocks: list[Vector] = []
        position_limit = self._position_limit
        if position_limit.projection_matrix is not None:
            q, gain, indices = configuration.q, position_limit.config_limit_gain, self._positions
            model = self._model
            upper = pinocchio.difference(model, q, model.upperPositionLimit)[indices]
            lower = pinocchio.difference(model, q, model.lowerPositionLimit)[indices]
            blocks += [gain * upper, -(gain * lower)]
        if self._caps_of_rows is not None:
            step = dt * self._caps_of_rows
            blocks += [step, step]
        return self._matrix, np.concatenate(blocks)

    def box(self, configuration: pink.Configuration, dt: float) -> tuple[Vector, Vector]:
        """Return the smallest and largest step of each tangent coordinate, shapes (nv,)."""
        upper = dt * self.velocity_caps
        lower = -upper
        inequalities = self.compute_qp_inequalities(configuration, dt)
        if inequalities is not None and self._position_limit.projection_matrix is not None:
            count, indices = len(self._positions), self._positions
            rows = inequalities[1]
            upper[indices] = np.minimum(upper[indices], rows[:count])
            lower[indices] = np.maximum(lower[indices], -rows[count : 2 * count])
        return lower, upper

    def clamp(self, q: Vector) -> Vector:
        """Return q with every limited joint inside its limits; NaN stays NaN."""
        return np.minimum(np.maximum(q, self.q_lower), self.q_upper)

    def _set_velocity_limit(self, velocity_caps: Vector) -> None:
        caps = np.array(velocity_caps, dtype=np.float64)
        velocity_limit = VelocityLimit(self._model, caps)
        matrices = []
        for limit in (self._position_limit, velocity_limit):
            if limit.projection_matrix is not None:
                matrices += [limit.projection_matrix, -limit.projection_matrix]
        self.velocity_caps = frozen_array(caps)
        self._positions = self._position_limit.indices
        bounded = velocity_limit.projection_matrix is not None
        self._caps_of_rows = caps[velocity_limit.indices] if bounded else None
        self._matrix = np.vstack(matrices) if matrices else None


def _scalar_limits(model: pinocchio.Model, limit: ConfigurationLimit) -> tuple[Vector, Vector]:
    lower = np.full(model.nq, -np.inf)
    upper = np.full(model.nq, np.inf)
    for joint in limit.joints:
        if joint.nq == 1:
            lower[joint.idx_q] = model.lowerPositionLimit[joint.idx_q]
            upper[joint.idx_q] = model.upperPositionLimit[joint.idx_q]
    return frozen_array(lower), frozen_array(upper)


def inward_targets(q_lower: Vector, q_upper: Vector, margin: float) -> tuple[Vector, Vector]:
    """Return the limits moved inward by ``margin`` (rad or m); the middle where they would cross.

    Clamping q between the two gives DimOS's posture target. DimOS moves the cosine and sine of a
    continuous joint inward as well, from Pinocchio's stand-in limits of 1.01; such entries have no
    limits here and stay.

    Args:
        q_lower: Lower limits, shape (nq,), minus infinity where there is none.
        q_upper: Upper limits, shape (nq,).
        margin: Distance from the limits, rad or m.
    """
    lower, upper = q_lower + margin, q_upper - margin
    crossing = lower > upper
    middle = 0.5 * q_lower[crossing] + 0.5 * q_upper[crossing]
    lower[crossing] = middle
    upper[crossing] = middle
    return lower, upper
