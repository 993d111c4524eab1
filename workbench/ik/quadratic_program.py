"""The QP of a step, written into arrays that are kept from one step to the next.

The sums are Pink's, of Pink's own tasks and in Pink's order, so that the numbers are Pink's to the
last bit; what is left out is the Python around them. Pink builds a fresh problem with some forty
arrays at every step, which on an arm takes several times as long as adding it up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import pink
import pinocchio
from numpy.typing import NDArray
from pink.tasks import DampingTask, FrameTask, PostureTask, Task
from pink.utils import get_root_joint_dim

from workbench.ik.bounds import JointBounds
from workbench.ik.posture import PresentPostureTask

Vector = NDArray[np.float64]

_LOCAL = pinocchio.ReferenceFrame.LOCAL


class KeptProgram:
    """Minimise ``x H x / 2 + c x`` with ``lower <= x <= upper``, where x is the step ``v dt``.

    H and c are those of ``pink.build_ik`` for frame, posture and damping tasks. Its two or four
    rows for each joint, a single 1 or -1 in every one, are a lower and an upper bound here.

    Attributes:
        hessian: H, shape (nv, nv); written anew by :meth:`assemble`.
        gradient: c, shape (nv,); written anew.
        lower: Smallest step of each tangent coordinate, shape (nv,); written anew.
        upper: Largest step of each tangent coordinate, shape (nv,); written anew.
    """

    def __init__(self, configuration: pink.Configuration, tasks: Sequence[Task]) -> None:
        """Make the arrays.

        Args:
            configuration: The configuration that is assembled from; its data are kept hold of.
            tasks: Tasks for which :func:`supports` holds; their costs, gains and targets are read
                at every step.
        """
        nv = configuration.model.nv
        self.hessian = np.zeros((nv, nv))
        self.gradient = np.zeros(nv)
        self.lower = np.zeros(nv)
        self.upper = np.zeros(nv)
        self._configuration = configuration
        self._diagonal = _diagonal(self.hessian)
        terms = [_term(configuration, task) for task in tasks]
        # A frame task in front, as is usual, saves clearing the arrays and adding to them.
        first = terms[0] if terms else None
        self._first = first if isinstance(first, _FrameTerm) else None
        self._terms = terms if self._first is None else terms[1:]

    def assemble(self, bounds: JointBounds, dt: float, damping: float) -> None:
        """Write the QP of a step from where the configuration is.

        Args:
            bounds: Joint and velocity limits.
            dt: Step in s.
            damping: Tikhonov damping in [cost]^2 / [tangent].
        """
        hessian, gradient, diagonal = self.hessian, self.gradient, self._diagonal
        if self._first is None:
            hessian.fill(0.0)
            gradient.fill(0.0)
        else:
            self._first.write(hessian, diagonal, gradient)
        diagonal += damping
        q = self._configuration.q
        for term in self._terms:
            term.add(q, hessian, gradient)
        bounds.write_box(q, dt, self.lower, self.upper)


def supports(model: pinocchio.Model, tasks: Sequence[Task]) -> bool:
    """Tell whether a :class:`KeptProgram` can stand for these tasks: derived classes may differ."""
    return model.nv > 0 and all(_supports(model, task) for task in tasks)


def _supports(model: pinocchio.Model, task: Task) -> bool:
    # What is not as it should be is left to Pink, which then says what is wrong.
    if type(task) is FrameTask:
        return (
            isinstance(task.cost, np.ndarray)
            and task.cost.shape == (6,)
            and task.transform_target_to_world is not None
            and model.existFrame(task.frame)
        )
    if type(task) is PostureTask:
        return task.cost is not None and task.target_q is not None
    if type(task) is PresentPostureTask:
        return task.target_q is not None
    return type(task) is DampingTask and task.cost is not None


class _Term(Protocol):
    """A task's part of the objective."""

    def add(self, q: Vector, hessian: Vector, gradient: Vector) -> None:
        """Add it to H, shape (nv, nv), and c, shape (nv,), at the configuration q."""
        ...


class _FrameTerm:
    """A frame task: H gets ``J' W² J + mu``, c gets ``gain e' W² J``."""

    def __init__(self, configuration: pink.Configuration, task: FrameTask) -> None:
        self._model, self._data = configuration.model, configuration.data
        self._task = task
        self._frame_id = self._model.getFrameId(task.frame)
        # A reference: forward kinematics writes into the same placement.
        self._transform_frame_to_world = self._data.oMf[self._frame_id]
        nv = self._model.nv
        self._weights = np.zeros((6, 6))
        self._weights_diagonal = _diagonal(self._weights)
        self._jacobian = np.zeros((6, nv))
        self._rows = np.zeros((6, nv))
        self._columns = self._rows.T
        self._hessian = np.zeros((nv, nv))
        self._hessian_diagonal = _diagonal(self._hessian)
        self._gradient = np.zeros(nv)

    def add(self, q: Vector, hessian: Vector, gradient: Vector) -> None:
        self.write(self._hessian, self._hessian_diagonal, self._gradient)
        hessian += self._hessian
        gradient += self._gradient

    def write(self, hessian: Vector, hessian_diagonal: Vector, gradient: Vector) -> None:
        """Write the task's part of H and c over what is there."""
        task, rows, frame = self._task, self._rows, self._transform_frame_to_world
        cost, target = task.cost, task.transform_target_to_world
        assert target is not None, "supports() comes first"
        residual = pinocchio.log6(frame.actInv(target)).vector
        residual *= -task.gain
        residual *= cost
        # The Jacobian has a minus in Pink, which these rows and the gradient leave out.
        np.dot(
            pinocchio.Jlog6(target.actInv(frame)),
            pinocchio.getFrameJacobian(self._model, self._data, self._frame_id, _LOCAL),
            out=self._jacobian,
        )
        self._weights_diagonal[:] = cost
        np.dot(self._weights, self._jacobian, out=rows)
        np.dot(self._columns, rows, out=hessian)
        np.dot(residual, rows, out=gradient)
        if task.lm_damping:
            hessian_diagonal += (task.lm_damping * residual).dot(residual)


class _PostureTerm:
    """A posture task of Pink's: H gets ``W² + mu``, c gets ``gain W² e``, the base aside."""

    def __init__(self, model: pinocchio.Model, task: PostureTask) -> None:
        self._model = model
        self._task = task
        _, self._root_nv = get_root_joint_dim(model)

    def add(self, q: Vector, hessian: Vector, gradient: Vector) -> None:
        task, root = self._task, self._root_nv
        cost = np.asarray(task.cost)
        error = pinocchio.difference(self._model, task.target_q, q)[root:]
        weighted = cost * (-task.gain * error)
        diagonal = _diagonal(hessian)
        diagonal[root:] += cost * cost
        if task.lm_damping:
            diagonal += (task.lm_damping * weighted).dot(weighted)
        gradient[root:] -= weighted * cost


class _PresentPostureTerm:
    """Our own posture task, which writes its part down by itself."""

    def __init__(self, configuration: pink.Configuration, task: PresentPostureTask) -> None:
        self._configuration = configuration
        self._task = task

    def add(self, q: Vector, hessian: Vector, gradient: Vector) -> None:
        task_hessian, task_gradient = self._task.compute_qp_objective(self._configuration)
        hessian += task_hessian
        if self._task.target_q is not q:
            gradient += task_gradient


class _DampingTerm:
    """A damping task: H gets ``W²``, the base aside."""

    def __init__(self, model: pinocchio.Model, task: DampingTask) -> None:
        self._task = task
        _, self._root_nv = get_root_joint_dim(model)

    def add(self, q: Vector, hessian: Vector, gradient: Vector) -> None:
        _diagonal(hessian)[self._root_nv :] += np.square(np.asarray(self._task.cost))


def _term(configuration: pink.Configuration, task: Task) -> _Term:
    if isinstance(task, FrameTask):
        return _FrameTerm(configuration, task)
    if isinstance(task, PresentPostureTask):
        return _PresentPostureTerm(configuration, task)
    if isinstance(task, DampingTask):
        return _DampingTerm(configuration.model, task)
    assert isinstance(task, PostureTask)
    return _PostureTerm(configuration.model, task)


def _diagonal(matrix: Vector) -> Vector:
    """Return a view on the diagonal of a contiguous square matrix, for writing."""
    return matrix.reshape(-1)[:: len(matrix) + 1]
