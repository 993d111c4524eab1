"""The QP of a step, written into arrays that are kept from one step to the next.

The sums are Pink's, of Pink's own tasks and in Pink's order, so that the numbers are Pink's to the
last bit; what is left out is the Python around them. Pink builds a fresh problem with some forty
arrays at every step, which on an arm takes several times as long as adding it up. Here the time
goes into calls too, a third of a microsecond each, which is why they are counted below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pink
import pinocchio
from numpy.typing import NDArray
from pink.tasks import DampingTask, FrameTask, PostureTask, Task
from pink.utils import get_root_joint_dim

from workbench.ik.bounds import JointBounds
from workbench.ik.posture import PresentPostureTask

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

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
                at every step. Frame tasks are summed up first.
        """
        nv = configuration.model.nv
        self.hessian = np.zeros((nv, nv))
        self.gradient = np.zeros(nv)
        self.lower = np.zeros(nv)
        self.upper = np.zeros(nv)
        self._configuration = configuration
        self._diagonal = _diagonal(self.hessian)
        self._damping = np.zeros(())
        frame_tasks = [task for task in tasks if isinstance(task, FrameTask)]
        self._frames = _FrameTerms(configuration, frame_tasks) if frame_tasks else None
        self._terms = [
            _term(configuration, task) for task in tasks if not isinstance(task, FrameTask)
        ]

    def assemble(self, bounds: JointBounds, dt: float, damping: float) -> None:
        """Write the QP of a step from where the configuration is.

        Args:
            bounds: Joint and velocity limits.
            dt: Step in s.
            damping: Tikhonov damping in [cost]^2 / [tangent].
        """
        self._damping[()] = damping
        if self._frames is None:
            self.hessian.fill(0.0)
            self.gradient.fill(0.0)
            self._diagonal += self._damping
        else:
            self._frames.write(self.hessian, self._diagonal, self.gradient, self._damping)
        q = self._configuration.q
        for term in self._terms:
            term.add(q, self.hessian, self._diagonal, self.gradient)
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


class _Frame(NamedTuple):
    """A frame task with its places in the arrays of all frame tasks."""

    task: FrameTask
    frame_id: int
    transform_frame_to_world: pinocchio.SE3
    jacobian: Matrix
    residual: Vector
    damped: Vector
    columns: Matrix
    rows: Matrix
    hessian: Matrix
    diagonal: Vector
    gradient: Vector


class _FrameTerms:
    """All frame tasks: each gives ``J' W² J + mu`` to H and ``gain e' W² J`` to c.

    What can be scaled for all frames in one call is.
    """

    def __init__(self, configuration: pink.Configuration, tasks: Sequence[FrameTask]) -> None:
        self._model, self._data = configuration.model, configuration.data
        nv, count = self._model.nv, len(tasks)
        self._jacobians = np.zeros((6 * count, nv))
        self._rows = np.zeros((6 * count, nv))
        self._weights = np.zeros((6 * count, nv))
        self._residuals = np.zeros(6 * count)
        self._damped = np.zeros(6 * count)
        self._costs = np.zeros(6 * count)
        self._minus_gains = np.zeros(6 * count)
        self._lm_dampings = np.zeros(6 * count)
        self._mu = np.zeros(())
        self._settings: list[tuple[bytes, float, float]] = []
        self._frames = [
            self._frame(task, slice(6 * number, 6 * number + 6))
            for number, task in enumerate(tasks)
        ]

    def write(self, hessian: Matrix, diagonal: Vector, gradient: Vector, damping: Vector) -> None:
        """Write H, whose diagonal is a view, and c over what is there."""
        model, data, frames = self._model, self._data, self._frames
        settings = []
        for frame in frames:
            task, here = frame.task, frame.transform_frame_to_world
            target = task.transform_target_to_world
            assert target is not None and isinstance(task.cost, np.ndarray)
            frame.residual[:] = pinocchio.log6(here.actInv(target)).vector
            # The Jacobian has a minus in Pink, which the rows and the gradient leave out.
            pinocchio.Jlog6(target.actInv(here)).dot(
                pinocchio.getFrameJacobian(model, data, frame.frame_id, _LOCAL), frame.jacobian
            )
            settings.append((task.cost.tobytes(), task.gain, task.lm_damping))
        if settings != self._settings:
            self._read_settings(settings)
        residuals = self._residuals
        np.multiply(residuals, self._minus_gains, residuals)
        np.multiply(residuals, self._costs, residuals)
        np.multiply(residuals, self._lm_dampings, self._damped)
        np.multiply(self._jacobians, self._weights, self._rows)
        first = frames[0]
        first.columns.dot(first.rows, hessian)
        first.residual.dot(first.rows, gradient)
        self._mu[()] = first.damped.dot(first.residual)
        diagonal += self._mu
        diagonal += damping
        for frame in frames[1:]:
            frame.columns.dot(frame.rows, frame.hessian)
            frame.residual.dot(frame.rows, frame.gradient)
            self._mu[()] = frame.damped.dot(frame.residual)
            np.add(frame.diagonal, self._mu, frame.diagonal)
            hessian += frame.hessian
            gradient += frame.gradient

    def _read_settings(self, settings: list[tuple[bytes, float, float]]) -> None:
        self._settings = settings
        for number, frame in enumerate(self._frames):
            place = slice(6 * number, 6 * number + 6)
            self._costs[place] = frame.task.cost
            self._minus_gains[place] = -frame.task.gain
            self._lm_dampings[place] = frame.task.lm_damping
        self._weights[:] = self._costs[:, None]

    def _frame(self, task: FrameTask, place: slice) -> _Frame:
        nv, frame_id = self._model.nv, self._model.getFrameId(task.frame)
        hessian, rows = np.zeros((nv, nv)), self._rows[place]
        return _Frame(
            task=task,
            frame_id=frame_id,
            # A reference: forward kinematics writes into the same placement.
            transform_frame_to_world=self._data.oMf[frame_id],
            jacobian=self._jacobians[place],
            residual=self._residuals[place],
            damped=self._damped[place],
            columns=rows.T,
            rows=rows,
            hessian=hessian,
            diagonal=_diagonal(hessian),
            gradient=np.zeros(nv),
        )


class _PostureTerm:
    """A posture task of Pink's: H gets ``W² + mu``, c gets ``gain W² e``, the base aside."""

    def __init__(self, model: pinocchio.Model, task: PostureTask) -> None:
        self._model = model
        self._task = task
        _, self._root_nv = get_root_joint_dim(model)
        # Between equal configurations of such joints there is no way at all, not even a rounding.
        self._joints_are_scalar = model.nq == model.nv

    def add(self, q: Vector, hessian: Matrix, diagonal: Vector, gradient: Vector) -> None:
        """Add it to H, whose diagonal is a view, and c."""
        task, root, everywhere = self._task, self._root_nv, diagonal
        target_q, cost = task.target_q, np.asarray(task.cost)
        assert target_q is not None
        if root:
            diagonal, gradient = diagonal[root:], gradient[root:]
        np.add(diagonal, cost * cost, diagonal)
        if self._joints_are_scalar and target_q.tobytes() == q.tobytes():
            return
        pull = pinocchio.difference(self._model, target_q, q)[root:]
        if task.gain != 1.0:
            pull *= task.gain
        np.multiply(pull, cost, pull)
        if task.lm_damping:
            everywhere += (task.lm_damping * pull).dot(pull)
        np.multiply(pull, cost, pull)
        np.add(gradient, pull, gradient)


class _PresentPostureTerm:
    """Our own posture task, which writes its part down by itself."""

    def __init__(self, configuration: pink.Configuration, task: PresentPostureTask) -> None:
        self._configuration = configuration
        self._task = task

    def add(self, q: Vector, hessian: Matrix, diagonal: Vector, gradient: Vector) -> None:
        """Add it to H and c."""
        task_hessian, task_gradient = self._task.compute_qp_objective(self._configuration)
        hessian += task_hessian
        if self._task.target_q is not q:
            gradient += task_gradient


class _DampingTerm:
    """A damping task: H gets ``W²``, the base aside."""

    def __init__(self, model: pinocchio.Model, task: DampingTask) -> None:
        self._task = task
        _, self._root_nv = get_root_joint_dim(model)

    def add(self, q: Vector, hessian: Matrix, diagonal: Vector, gradient: Vector) -> None:
        """Add it to H's diagonal, which is a view."""
        diagonal[self._root_nv :] += np.square(np.asarray(self._task.cost))


def _term(
    configuration: pink.Configuration, task: Task
) -> _PostureTerm | _PresentPostureTerm | _DampingTerm:
    if isinstance(task, PresentPostureTask):
        return _PresentPostureTerm(configuration, task)
    if isinstance(task, DampingTask):
        return _DampingTerm(configuration.model, task)
    assert isinstance(task, PostureTask)
    return _PostureTerm(configuration.model, task)


def _diagonal(matrix: Matrix) -> Vector:
    """Return a view on the diagonal of a contiguous square matrix, for writing."""
    return matrix.reshape(-1)[:: len(matrix) + 1]
