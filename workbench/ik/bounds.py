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

PINK_POSITION_GAIN = 0.5
"""Pink's default share of the way to its position limit that a joint may go in one step."""

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
        limited_q: Where the joints with position limits are in q, shape (k,).
        limited_v: Where they are in v, shape (k,).
    """

    def __init__(self, model: pinocchio.Model, velocity_caps: Vector) -> None:
        """Read the limits of a model.

        Args:
            model: The model; its position limits are used.
            velocity_caps: Velocity limits in place of the model's, shape (nv,).
        """
        self._model = model
        self._position_limit = ConfigurationLimit(model)
        joints = self._position_limit.joints
        # Only scalar joints have limits, so that pinocchio.difference is a plain difference.
        self.limited_q = np.array([joint.idx_q for joint in joints if joint.nq == 1], dtype=int)
        self.limited_v = np.array([joint.idx_v for joint in joints if joint.nq == 1], dtype=int)
        self._lower = model.lowerPositionLimit[self.limited_q]
        self._upper = model.upperPositionLimit[self.limited_q]
        self.q_lower = _filled(model.nq, -np.inf, self.limited_q, self._lower)
        self.q_upper = _filled(model.nq, np.inf, self.limited_q, self._upper)
        # The same by tangent coordinate. Where there is no limit, any entry of q will do.
        self._lower_of_v = _filled(model.nv, -np.inf, self.limited_v, self._lower)
        self._upper_of_v = _filled(model.nv, np.inf, self.limited_v, self._upper)
        self._q_of_v = np.minimum(np.arange(model.nv), max(model.nq - 1, 0))
        self._q_of_v[self.limited_v] = self.limited_q
        self._q_is_v = model.nq == model.nv and np.array_equal(self._q_of_v, np.arange(model.nv))
        self._way = np.zeros((2, model.nv))
        self._way_up, self._way_down = self._way
        self._set_velocity_limit(velocity_caps)

    def set_velocity_caps(self, velocity_caps: Vector) -> None:
        """Replace the velocity limits, shape (nv,)."""
        if not np.array_equal(velocity_caps, self.velocity_caps):
            self._set_velocity_limit(velocity_caps)

    def set_position_gain(self, gain: float) -> None:
        """Set the share of the way to its position limit that a joint may go in one step."""
        self._position_limit.config_limit_gain = gain

    @property
    def position_gain(self) -> float:
        """Share of the way to its position limit that a joint may go in one step."""
        return self._position_limit.config_limit_gain

    def row_labels(self) -> tuple[tuple[int, str, str], ...]:
        """Return what each row of the inequality means: tangent coordinate, quantity, side."""
        labels: list[tuple[int, str, str]] = []
        position_indices = self._position_limit.indices
        velocity_indices = np.flatnonzero(np.isfinite(self._caps_of_v))
        for quantity, indices in (("position", position_indices), ("velocity", velocity_indices)):
            for side in ("upper", "lower"):
                labels += [(int(index), quantity, side) for index in indices]
        return tuple(labels)

    def compute_qp_inequalities(
        self, configuration: pink.Configuration, dt: float
    ) -> tuple[Vector, Vector] | None:
        """Return ``(G, h)`` with ``G dq <= h``: Pink's rows for positions, then for velocities."""
        if self._matrix is None:
            return None
        q, gain = configuration.q[self.limited_q], self._position_limit.config_limit_gain
        step = dt * self._caps_of_rows
        rows = (gain * (self._upper - q), gain * (q - self._lower), step, step)
        return self._matrix, np.concatenate(rows)

    def box(self, configuration: pink.Configuration, dt: float) -> tuple[Vector, Vector]:
        """Return the smallest and largest step of each tangent coordinate, shapes (nv,)."""
        q, gain = configuration.q[self.limited_q], self._position_limit.config_limit_gain
        upper = dt * self.velocity_caps
        lower = -upper
        indices = self.limited_v
        upper[indices] = np.minimum(upper[indices], gain * (self._upper - q))
        lower[indices] = np.maximum(lower[indices], gain * (self._lower - q))
        return lower, upper

    def write_box(self, q: Vector, dt: float, lower: Vector, upper: Vector) -> None:
        """Write Pink's rows as bounds of each tangent coordinate; infinite where it has none.

        Args:
            q: Configuration, shape (nq,).
            dt: Step in s.
            lower: Receives the smallest step, shape (nv,).
            upper: Receives the largest step, shape (nv,).
        """
        steps, up, down = self._steps, self._way_up, self._way_down
        if dt != self._dt_of_steps:
            np.multiply(self._caps_of_v, dt, out=steps)
            self._dt_of_steps = dt
        positions = q if self._q_is_v else q[self._q_of_v]
        np.subtract(self._upper_of_v, positions, up)
        np.subtract(positions, self._lower_of_v, down)
        np.multiply(self._way, self._position_limit.config_limit_gain, self._way)
        np.minimum(up, steps, out=upper)
        np.minimum(down, steps, out=down)
        np.negative(down, lower)

    def contains(self, q: Vector) -> bool:
        """Tell whether every joint is inside its limits, within :data:`LIMIT_TOLERANCE`."""
        clamped = self.clamp(q)
        if clamped.tobytes() == q.tobytes():  # nearly always, and in a third of the time
            return True
        overshoot = np.abs(q - clamped)
        return not overshoot.size or bool(overshoot.max() <= LIMIT_TOLERANCE)

    def clamp(self, q: Vector) -> Vector:
        """Return q with every limited joint inside its limits; NaN stays NaN."""
        return np.minimum(np.maximum(q, self.q_lower), self.q_upper)

    def _set_velocity_limit(self, velocity_caps: Vector) -> None:
        caps = np.array(velocity_caps, dtype=np.float64)
        velocity_limit = VelocityLimit(self._model, caps)
        matrices: list[Vector] = []
        for limit in (self._position_limit, velocity_limit):
            if limit.projection_matrix is not None:
                matrices += [limit.projection_matrix, -limit.projection_matrix]
        self.velocity_caps = frozen_array(caps)
        indices = np.asarray(velocity_limit.indices, dtype=int)
        self._caps_of_rows = caps[indices]
        self._caps_of_v = _filled(self._model.nv, np.inf, indices, self._caps_of_rows)
        self._steps = np.zeros(self._model.nv)
        self._dt_of_steps: float | None = None
        self._matrix = np.vstack(matrices) if matrices else None


def _filled(size: int, value: float, indices: NDArray[np.int64], values: Vector) -> Vector:
    array = np.full(size, value)
    array[indices] = values
    return frozen_array(array)
