"""What each task adds to the QP, part by part.

A task with error ``e``, Jacobian ``J``, weights ``W`` (a diagonal matrix of its costs), gain ``a``
and Levenberg-Marquardt damping ``l`` adds, in the unit of cost squared,

    1/2 |W J dq + a W e|^2 + 1/2 mu |dq|^2  with  mu = l |a W e|^2,

that is ``1/2 dq^T H dq + c^T dq`` and a constant, with ``H = (W J)^T (W J) + mu I`` and
``c = (W J)^T (a W e)``. The formulas are those of Pink's tasks and of mink's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pink
from numpy.typing import NDArray
from pink.tasks import Task

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TaskObjective:
    """A task's part of the objective at a configuration.

    Attributes:
        error: The error e, shape (k,).
        jacobian: The Jacobian J, shape (k, nv).
        weighted_error: ``-a W e``: what the weighted motion should be, shape (k,).
        weighted_jacobian: ``W J``, shape (k, nv).
        mu: Levenberg-Marquardt damping in effect, cost squared.
    """

    error: Vector
    jacobian: Matrix
    weighted_error: Vector
    weighted_jacobian: Matrix
    mu: float

    @property
    def hessian(self) -> Matrix:
        """The matrix H, shape (nv, nv)."""
        weighted = self.weighted_jacobian
        return weighted.T @ weighted + self.mu * np.eye(weighted.shape[1])

    @property
    def gradient(self) -> Vector:
        """The vector c, shape (nv,)."""
        return -self.weighted_jacobian.T @ self.weighted_error

    def value(self, step: Vector) -> float:
        """Return what the task adds to the objective at a step, constant included.

        Args:
            step: Step dq, shape (nv,).
        """
        residual = self.weighted_jacobian @ step - self.weighted_error
        return 0.5 * float(residual @ residual) + 0.5 * self.mu * float(step @ step)

    def pull(self, step: Vector) -> Vector:
        """Return the negative gradient at a step: where the task would have it go, shape (nv,)."""
        residual = self.weighted_jacobian @ step - self.weighted_error
        return -(self.weighted_jacobian.T @ residual) - self.mu * step


def task_objective(task: Task, configuration: pink.Configuration) -> TaskObjective:
    """Return a task's part of the objective.

    Args:
        task: A task with its target set.
        configuration: Where the robot is; its data are up to date.
    """
    error = np.asarray(task.compute_error(configuration), dtype=np.float64)
    jacobian = np.asarray(task.compute_jacobian(configuration), dtype=np.float64)
    cost = 1.0 if task.cost is None else task.cost
    weights = np.broadcast_to(np.asarray(cost, dtype=np.float64), error.shape)
    weighted_error = -task.gain * (weights * error)
    return TaskObjective(
        error=error,
        jacobian=jacobian,
        weighted_error=weighted_error,
        weighted_jacobian=weights[:, None] * jacobian,
        mu=float(task.lm_damping * (weighted_error @ weighted_error)),
    )
