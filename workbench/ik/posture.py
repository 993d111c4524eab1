"""The posture task as DimOS means it: stay at the present configuration, away from the limits."""

from __future__ import annotations

import numpy as np
import pink
from numpy.typing import NDArray
from pink.tasks import PostureTask
from pink.utils import get_root_joint_dim

from workbench.ik.bounds import JointBounds

Vector = NDArray[np.float64]


class PresentPostureTask(PostureTask):
    """Pink's posture task at gain 1 and without LM damping, its target the present configuration.

    With the target at the present configuration it weighs every joint's motion, like a damping;
    near a limit, ``joint_limit_posture_margin`` moves the target inward and it pushes away.

    The Jacobian is constant (the identity, zero for a floating base), so its part of the QP is
    written down rather than multiplied out: Pink takes a tenth of a tick for the same numbers.
    """

    def __init__(self, bounds: JointBounds) -> None:
        """Start with no weight and no margin.

        Args:
            bounds: Limits of the model.
        """
        super().__init__(cost=0.0)
        self._weight = 0.0
        self._bounds = bounds
        self._inward: tuple[Vector, Vector] | None = None
        self._hessian = np.zeros((0, 0))

    def set_cost(self, cost: float, configuration: pink.Configuration) -> None:
        """Set the cost in [cost] / [rad] (or [m])."""
        self.cost = float(cost)
        # A product, because a power raises where it overflows: a cost of 1e200 makes a solve that
        # fails, which is said, and no error of the program.
        self._weight = self.cost * self.cost
        jacobian = self.compute_jacobian(configuration)
        with np.errstate(all="ignore"):
            self._hessian = self._weight * (jacobian.T @ jacobian)

    def set_margin(self, margin: float) -> None:
        """Set how far inward from the limits the target is moved, in rad or m."""
        bounds = self._bounds
        self._inward = (
            inward_limits(bounds.q_lower, bounds.q_upper, margin) if margin > 0.0 else None
        )

    def follow(self, configuration: pink.Configuration) -> None:
        """Make the present configuration, moved inward from the limits, the target."""
        q = configuration.q
        if self._inward is not None:
            lower, upper = self._inward
            q = np.minimum(np.maximum(q, lower), upper)
        self.target_q = q

    def compute_qp_objective(self, configuration: pink.Configuration) -> tuple[Vector, Vector]:
        """Return Hessian, shape (nv, nv), and linear vector, shape (nv,), of this task."""
        if self.target_q is configuration.q:
            return self._hessian, configuration.tangent.zeros
        _, root_nv = get_root_joint_dim(configuration.model)
        gradient = np.zeros(configuration.model.nv)
        gradient[root_nv:] = self._weight * self.compute_error(configuration)
        return self._hessian, gradient


def inward_limits(q_lower: Vector, q_upper: Vector, margin: float) -> tuple[Vector, Vector]:
    """Return the limits moved inward by ``margin``; the middle of the range where they would cross.

    DimOS moves the cosine and sine of a continuous joint inward as well, from Pinocchio's stand-in
    limits of 1.01. Such entries have no limits here and stay.

    Args:
        q_lower: Lower limits, shape (nq,), minus infinity where there is none.
        q_upper: Upper limits, shape (nq,), infinity where there is none.
        margin: Distance from the limits, rad or m.
    """
    lower, upper = q_lower + margin, q_upper - margin
    crossing = lower > upper
    middle = 0.5 * q_lower[crossing] + 0.5 * q_upper[crossing]
    lower[crossing] = middle
    upper[crossing] = middle
    return lower, upper
