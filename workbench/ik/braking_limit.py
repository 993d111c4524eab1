"""Acceleration limits that leave room to brake before position limits, in steps of finite length.

Pink's ``AccelerationLimit`` lets a joint at the distance d from its limit move at
``sqrt(2 a d)``, from where braking with all of a stops it in time *if time were continuous*. Where
velocities change once a step, a joint on that curve cannot stay on it: what the position limit
allows and what the acceleration limit allows have nothing in common any more, the QP has no
solution, and the arm stops dead.

Here a joint brakes with ``b = a / 2`` on the curve of a motion in steps. A joint that moves at v
for one step of length dt, then at v - b dt, and so on to zero, goes

    d = v² / (2 b) + v dt / 2,    hence    v <= -b dt / 2 + sqrt((b dt / 2)² + 2 b d),

and after every step it is on the curve again. That is half of what it may do; the other half is for
the position limit itself, which allows the share g of the way left in a step, ``v dt <= g d``: on
the curve the two meet at ``v = (a / g - b) dt``, and from there the share, which asks for
``g v / dt``, never asks for more than a. A joint slower than b dt stops within the share as well.
"""

from __future__ import annotations

import numpy as np
import pink
import pinocchio
from numpy.typing import NDArray
from pink.limits import AccelerationLimit

Vector = NDArray[np.float64]

_BRAKING_SHARE = 0.5
"""Share of the acceleration limit that is used to brake before position limits."""

_ROUNDING = 1e-9
"""Share of the largest change of a step that keeps its two bounds apart."""


class BrakingAccelerationLimit(AccelerationLimit):
    """Pink's acceleration limit, its rows the same, with braking that can always be kept up.

    A joint that is already too fast to brake in time (its limit was just lowered or switched on)
    brakes with all that it may, rather than leaving the QP without a solution.
    """

    def compute_qp_inequalities(
        self, configuration: pink.Configuration, dt: float
    ) -> tuple[Vector, Vector] | None:
        """Return ``(G, h)`` with ``G dq <= h``: upper bounds of all limited joints, then lower.

        Args:
            configuration: Where the robot is.
            dt: Step in s.

        Returns:
            G of shape (2 k, nv) and h of shape (2 k,) in rad or m, for k limited joints; None
            where there is none.
        """
        if self.projection_matrix is None:
            return None
        model, q = self.model, configuration.q
        change = self.a_max * dt**2
        slowest, fastest = self.Delta_q_prev - change, self.Delta_q_prev + change
        slack = _ROUNDING * change
        way_up = pinocchio.difference(model, q, model.upperPositionLimit)
        way_down = pinocchio.difference(model, model.lowerPositionLimit, q)
        upper = np.minimum(fastest, self._brakeable_step(way_up, dt))
        lower = np.maximum(slowest, -self._brakeable_step(way_down, dt))
        upper = np.maximum(upper, slowest + slack)
        lower = np.minimum(lower, fastest - slack)
        matrix = np.vstack((self.projection_matrix, -self.projection_matrix))
        return matrix, np.hstack((upper, -lower))

    def _brakeable_step(self, way: Vector, dt: float) -> Vector:
        """Return the largest step of each limited joint after which it can still stop in time.

        Args:
            way: How far each tangent coordinate is from its limit, shape (nv,).
            dt: Step in s.
        """
        # A joint may be outside its limit by a rounding error.
        left = np.where(self.has_configuration_limit, np.maximum(way[self.indices], 0.0), np.inf)
        braking = _BRAKING_SHARE * self.a_max
        half = 0.5 * braking * dt
        return dt * (np.sqrt(half**2 + 2.0 * braking * left) - half)
