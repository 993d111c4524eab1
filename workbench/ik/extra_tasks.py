"""Tasks that Pink lacks, written as Pink tasks: a soft joint limit, a closed chain.

Also a manipulability task that stays finite where Pink's takes the root of a negative rounding
error.
"""

from __future__ import annotations

import numpy as np
import pink
import pinocchio
from numpy.typing import NDArray
from pink.tasks import ManipulabilityTask, Task

from workbench.ik.bounds import JointBounds
from workbench.ik.posture import inward_limits

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


class JointLimitTask(Task):
    """Push joints back that are beyond their limits, moved inward by a margin.

    One row for each joint that has limits. With the limits moved inward, the error of a joint is

        e_i = q_i - upper_i  above,  q_i - lower_i  below,  0  between

    and its Jacobian is 1 in the joint's own column where the error is not zero, and 0 elsewhere:
    inside its limits a joint is neither pushed nor damped. The derivative jumps at the limit.
    """

    def __init__(
        self,
        bounds: JointBounds,
        cost: float | Vector,
        margin: float,
        *,
        lm_damping: float = 0.0,
        gain: float = 1.0,
    ) -> None:
        """Create the task.

        Args:
            bounds: Limits of the model.
            cost: One weight in [cost] / [rad] (or [m]), or one for each limited joint in the order
                of ``bounds.limited_q``.
            margin: How far inward the limits are moved, rad or m. Where they would cross, both are
                the middle of the range.
            lm_damping: Levenberg-Marquardt damping.
            gain: Share of the error that one step removes.
        """
        super().__init__(cost=cost, gain=gain, lm_damping=lm_damping)
        self._indices_q, self._indices_v = bounds.limited_q, bounds.limited_v
        lower, upper = inward_limits(bounds.q_lower, bounds.q_upper, margin)
        self.lower, self.upper = lower[self._indices_q], upper[self._indices_q]

    def compute_error(self, configuration: pink.Configuration) -> Vector:
        """Return how far each limited joint is beyond its limit, signed, shape (k,)."""
        q = configuration.q[self._indices_q]
        return np.maximum(q - self.upper, 0.0) + np.minimum(q - self.lower, 0.0)

    def compute_jacobian(self, configuration: pink.Configuration) -> Matrix:
        """Return the Jacobian, shape (k, nv)."""
        rows = np.flatnonzero(self.compute_error(configuration))
        jacobian = np.zeros((len(self._indices_q), configuration.model.nv))
        jacobian[rows, self._indices_v[rows]] = 1.0
        return jacobian

    def __repr__(self) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return a readable text."""
        return f"JointLimitTask(cost={self.cost}, gain={self.gain}, lm_damping={self.lm_damping})"


class ClosedChainTask(Task):
    """Hold two frames of a robot together, at a point or with their orientations.

    With a the first frame moved by the offset and b the second frame, the error of a point is
    ``p_b - p_a`` in the world's axes, and that of a pose ``log(T_a^-1 T_b)``, a twist (linear, then
    angular) in the axes of b.

    Attributes:
        frame: Name of the first frame.
        other_frame: Name of the second frame.
        offset: Where the second frame belongs, in the first one.
        whole_pose: Whether the orientations are held as well.
    """

    def __init__(
        self,
        frame: str,
        other_frame: str,
        offset: pinocchio.SE3,
        *,
        cost: Vector,
        lm_damping: float = 0.0,
        gain: float = 1.0,
    ) -> None:
        """Create the task.

        Args:
            frame: Name of the first frame.
            other_frame: Name of the second frame.
            offset: Where the second frame belongs, in the first one.
            cost: Three weights in [cost] / [m] for a point; three more in [cost] / [rad] for a
                pose.
            lm_damping: Levenberg-Marquardt damping.
            gain: Share of the error that one step removes.
        """
        super().__init__(cost=cost, gain=gain, lm_damping=lm_damping)
        self.frame = frame
        self.other_frame = other_frame
        self.offset = offset
        self.whole_pose = len(cost) == 6

    def compute_error(self, configuration: pink.Configuration) -> Vector:
        """Return the error, shape (3,) or (6,)."""
        first, second = self._poses(configuration)
        if not self.whole_pose:
            return second.translation - first.translation
        return pinocchio.log6(first.actInv(second)).vector

    def compute_jacobian(self, configuration: pink.Configuration) -> Matrix:
        """Return the Jacobian, shape (3, nv) or (6, nv).

        The body velocity of ``M = T_a^-1 T_b`` is ``v_b - Ad(M^-1) v_a``, and ``Jlog6(M)`` maps it
        to the derivative of ``log(M)``.
        """
        first, second = self._poses(configuration)
        # The body Jacobian of the moved frame: that of the frame, seen from where it was moved to.
        jacobian_a = self.offset.actionInverse @ configuration.get_frame_jacobian(self.frame)
        jacobian_b = configuration.get_frame_jacobian(self.other_frame)
        if not self.whole_pose:
            return second.rotation @ jacobian_b[:3] - first.rotation @ jacobian_a[:3]
        between = first.actInv(second)
        return pinocchio.Jlog6(between) @ (jacobian_b - between.actionInverse @ jacobian_a)

    def __repr__(self) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return a readable text."""
        return (
            f"ClosedChainTask(frame={self.frame}, other_frame={self.other_frame}, cost={self.cost},"
            f" gain={self.gain}, lm_damping={self.lm_damping})"
        )

    def _poses(self, configuration: pink.Configuration) -> tuple[pinocchio.SE3, pinocchio.SE3]:
        first = configuration.get_transform_frame_to_world(self.frame) * self.offset
        return first, configuration.get_transform_frame_to_world(self.other_frame)


class SteadyManipulabilityTask(ManipulabilityTask):
    """Pink's manipulability task, zero instead of NaN at a singular posture.

    There the determinant under the root is zero up to rounding, and Pink's root of a negative
    number would make the whole step NaN.
    """

    def compute_manipulability(self, configuration: pink.Configuration) -> float:
        """Return the square root of ``det(J J^T)``, at least 0."""
        with np.errstate(invalid="ignore"):
            manipulability = float(super().compute_manipulability(configuration))
        return manipulability if manipulability > 0.0 else 0.0


class HardTask(Task):
    """A task as a constraint: some of its rows, and at most so much of its error in a step.

    Asking for a large error at once would leave the QP no solution; this asks for a step towards
    it, along the same direction.

    Attributes:
        name: Name of the entry that asks for it.
        task: The task.
        rows: Rows of its error that are held, shape (k,).
        speeds: Largest speed of each of these rows, m/s or rad/s, shape (k,).
        dt: Length of the next step, s; set before each solve.
    """

    def __init__(self, name: str, task: Task, rows: NDArray[np.int64], speeds: Vector) -> None:
        """Wrap a task.

        Args:
            name: Name of the entry that asks for it.
            task: The task.
            rows: Rows of its error that are held.
            speeds: Largest speed of each of these rows, m/s or rad/s.
        """
        super().__init__(cost=None, gain=1.0, lm_damping=0.0)
        self.name = name
        self.task = task
        self.dt = 0.0
        self.rows = rows
        self.speeds = speeds

    def compute_error(self, configuration: pink.Configuration) -> Vector:
        """Return the part of the error that the next step shall remove, shape (k,)."""
        step = self.task.gain * self.task.compute_error(configuration)[self.rows]
        excess = float(np.max(np.abs(step) / (self.speeds * self.dt), initial=1.0))
        return step / excess

    def compute_jacobian(self, configuration: pink.Configuration) -> Matrix:
        """Return the rows of the task's Jacobian, shape (k, nv)."""
        return self.task.compute_jacobian(configuration)[self.rows]

    def __repr__(self) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return a readable text."""
        return f"HardTask({self.task!r})"
