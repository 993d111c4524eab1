"""Reads from the QP of a step why the step is what it is.

At the solution the forces on the joints balance: what a task still pulls with is held by the other
tasks, by dampings, and by the limits, barriers and constraints that the step touches, each with
its multiplier (the Karush-Kuhn-Tucker conditions). Along the direction in which a task pulls, the
parts add up to the whole, so that "posture holds 83 %" is no estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import qpsolvers
import scipy.optimize
from numpy.typing import NDArray
from pink.exceptions import NoSolutionFound
from pink.tasks import (
    ComTask,
    DampingTask,
    FrameTask,
    JointCouplingTask,
    JointVelocityTask,
    LinearHolonomicTask,
    LowAccelerationTask,
    ManipulabilityTask,
    OmniwheelTask,
    PostureTask,
    RelativeFrameTask,
    RollingTask,
    Task,
)

from workbench.ik.explanation import (
    ActiveLimit,
    Explanation,
    Holder,
    Pull,
    Quantity,
    Side,
    TaskShare,
)
from workbench.ik.extra_tasks import ClosedChainTask, JointLimitTask
from workbench.ik.objective import TaskObjective, task_objective
from workbench.ik.self_collision import HullDistanceBarrier
from workbench.ik.solvers import solve
from workbench.ik.stack import TaskStack

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

_TOUCHES = 1e-6
"""A step within this of a bound (rad or m) touches it; used where a solver gives no multipliers."""

_WEAK = 1e-3
"""Multipliers below this share of the strongest force are rounding, or what a lax solver leaves."""

_SMALL_ERROR = 1e-4
"""A task with a smaller error, m and rad, has arrived: nothing holds it."""

_STUCK = 5e-3
"""A task is stuck when this little of its weighted error is left along joint motions."""

# Special kinds before those that they derive from.
_KINDS: tuple[tuple[type[Task], str], ...] = (
    (FrameTask, "frame"),
    (RelativeFrameTask, "relative_frame"),
    (LowAccelerationTask, "low_acceleration"),
    (PostureTask, "posture"),
    (ComTask, "com"),
    (DampingTask, "damping"),
    (JointVelocityTask, "joint_velocity"),
    (ManipulabilityTask, "manipulability"),
    (JointCouplingTask, "joint_coupling"),
    (LinearHolonomicTask, "linear_holonomic"),
    (OmniwheelTask, "omniwheel"),
    (RollingTask, "rolling"),
    (JointLimitTask, "joint_limit"),
    (ClosedChainTask, "closed_chain"),
)

_SPATIAL = (FrameTask, RelativeFrameTask, ComTask, ClosedChainTask)
"""Tasks that want something to be somewhere; it is asked of them what holds them."""


def explain_step(stack: TaskStack, dt: float, solver: str, damping: float) -> Explanation:
    """Build and solve the QP of the next step, and read it.

    Args:
        stack: The stack, updated, its posture targets set.
        dt: Step in s.
        solver: Name of the solver.
        damping: Tikhonov damping.

    Raises:
        ContradictoryConstraintsError: If the hard constraints contradict each other.
        qpsolvers.QPError: If the solver refuses the problem.
        pink.exceptions.NoSolutionFound: If there is no step.
    """
    problem = stack.build(dt)
    objectives = [
        (name, task, task_objective(task, stack.configuration)) for name, task in stack.named_tasks
    ]
    solution = solve(problem, solver)
    if not solution.found or solution.x is None:
        slower = stack.build_slower(problem, dt)
        if slower is None:
            raise NoSolutionFound(problem, solution)
        problem, solution = slower, solve(slower, solver)
    if not solution.found or solution.x is None:
        raise NoSolutionFound(problem, solution)
    step = np.asarray(solution.x, dtype=np.float64)
    forces = _contact_forces(problem, solution, step)
    strongest = max((float(np.abs(o.pull(step)).max(initial=0.0)) for _, _, o in objectives),
                    default=0.0)  # fmt: skip
    contacts = _contacts(stack, problem, forces, _WEAK * strongest)
    constraint = _constraint_forces(stack, problem, forces)
    total = sum(objective.value(step) for _, _, objective in objectives)
    lm_damping = float(sum(objective.mu for _, _, objective in objectives))
    shares = tuple(
        TaskShare(
            name=name,
            kind=_kind(task),
            share=objective.value(step) / total if total > 0.0 else 0.0,
            lm_damping=objective.mu,
            error=float(np.linalg.norm(objective.error)),
        )
        for name, task, objective in objectives
    )
    opposing = _Opposing(
        tasks=[(name, _residual_force(objective, step)) for name, _, objective in objectives],
        contacts=contacts,
        constraints=constraint,
        barriers=_barrier_forces(stack, step),
        tikhonov=damping * step,
        lm=lm_damping * step,
    )
    pulls = tuple(
        _pull(index, name, objective, opposing)
        for index, (name, task, objective) in enumerate(objectives)
        if isinstance(task, _SPATIAL)
    )
    return Explanation(
        tasks=shares,
        limits=tuple(limit for limit, _ in contacts),
        pulls=pulls,
        tikhonov_damping=damping,
        lm_damping=lm_damping,
        duals_from_solver=forces.from_solver,
    )


# Multipliers ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Forces:
    """Multipliers of a QP at its solution.

    Attributes:
        inequality: Of ``G x <= h``, shape (m,), not negative.
        equality: Of ``A x = b``, shape (k,).
        from_solver: Whether the solver gave them.
    """

    inequality: Vector
    equality: Vector
    from_solver: bool


def _contact_forces(
    problem: qpsolvers.Problem, solution: qpsolvers.Solution, step: Vector
) -> _Forces:
    inequalities = 0 if problem.G is None else len(np.asarray(problem.h))
    equalities = 0 if problem.A is None else len(np.asarray(problem.b))
    duals, equality_duals = _usable(solution.z, inequalities), _usable(solution.y, equalities)
    if duals is not None and equality_duals is not None:
        return _Forces(np.maximum(duals, 0.0), equality_duals, from_solver=True)
    return _forces_from_slacks(problem, step, inequalities, equalities)


def _usable(duals: Vector | None, size: int) -> Vector | None:
    if size == 0:
        return np.zeros(0)
    if duals is None or np.shape(duals) != (size,) or not np.isfinite(duals).all():
        return None
    return np.asarray(duals, dtype=np.float64)


def _forces_from_slacks(
    problem: qpsolvers.Problem, step: Vector, inequalities: int, equalities: int
) -> _Forces:
    """Find multipliers of the bounds that a step touches, so that the forces balance best."""
    gradient = np.asarray(problem.P) @ step + np.asarray(problem.q)
    columns: list[Matrix] = []
    touched = np.zeros(0, dtype=int)
    if problem.G is not None and problem.h is not None:
        matrix, bound = np.asarray(problem.G), np.asarray(problem.h)
        size = np.maximum(np.abs(matrix).max(axis=1), 1e-12)
        touched = np.flatnonzero(bound - matrix @ step <= _TOUCHES * size)
        columns.append(matrix[touched].T)
    if problem.A is not None:
        columns.append(np.asarray(problem.A).T)
    duals, equality_duals = np.zeros(inequalities), np.zeros(equalities)
    stacked = np.hstack(columns) if columns else np.zeros((len(step), 0))
    if stacked.shape[1]:
        lower = np.concatenate((np.zeros(len(touched)), np.full(equalities, -np.inf)))
        found = scipy.optimize.lsq_linear(stacked, -gradient, bounds=(lower, np.inf)).x
        duals[touched] = found[: len(touched)]
        equality_duals = found[len(touched) :]
    return _Forces(duals, equality_duals, from_solver=False)


def _contacts(
    stack: TaskStack, problem: qpsolvers.Problem, forces: _Forces, weakest: float
) -> list[tuple[ActiveLimit, Vector]]:
    """Return what the step runs into with its force on the joints, the strongest first."""
    if problem.G is None:
        return []
    matrix = np.asarray(problem.G)
    labels = _row_labels(stack)
    assert len(labels) == len(matrix), "every row of the QP has a label"
    found = []
    for index, (name, quantity, side, detail) in enumerate(labels):
        force = float(forces.inequality[index]) * matrix[index]
        if float(np.abs(force).max(initial=0.0)) > max(weakest, 1e-12):
            limit = ActiveLimit(name, quantity, side, float(forces.inequality[index]), detail)
            found.append((limit, force))
    return sorted(found, key=lambda item: -float(np.abs(item[1]).max()))


def _row_labels(stack: TaskStack) -> list[tuple[str, Quantity, Side, str]]:
    """Return what each row of the QP's inequality bounds, in Pink's order."""
    labels: list[tuple[str, Quantity, Side, str]] = []

    def add(index: int, quantity: str, side: str) -> None:
        name = stack.tangent_names[index]
        if name in stack.robot.description.joint_names:
            name = f"joint {name}"
        labels.append((name, quantity, side, ""))  # type: ignore[arg-type]

    for index, quantity, side in stack.bounds.row_labels():
        add(index, quantity, side)
    for limit in stack.entries.limits:
        what = "base velocity" if limit.spec.kind == "floating_base_velocity" else limit.spec.kind
        for index, side in limit.rows:
            add(index, what, side)
    for built in stack.entries.barriers:
        details = built.rows
        if isinstance(built.barrier, HullDistanceBarrier):
            pairs = built.barrier.row_pairs()
            details = tuple(f"{link_a} to {link_b}" for link_a, link_b in pairs)
        for detail in details:
            labels.append((built.spec.name, "barrier", "", detail))
    return labels


def _constraint_forces(
    stack: TaskStack, problem: qpsolvers.Problem, forces: _Forces
) -> list[tuple[str, Vector]]:
    """Return the force of each hard constraint on the joints."""
    if problem.A is None:
        return []
    total = np.asarray(problem.A).T @ forces.equality
    rows = stack.constraint_rows
    if rows is None:
        return [
            (f"the held joint {row.name}", np.where(np.arange(len(total)) == row.idx_v, total, 0.0))
            for row in stack.held.rows
        ]
    # The QP's rows are combinations of the constraints' own: share the force out among those.
    multipliers = np.linalg.lstsq(rows.matrix.T, total, rcond=None)[0]
    found: dict[str, Vector] = {}
    for name, row, multiplier in zip(rows.names, rows.matrix, multipliers, strict=True):
        found[name] = found.get(name, np.zeros(len(total))) + multiplier * row
    return list(found.items())


def _barrier_forces(stack: TaskStack, step: Vector) -> list[tuple[str, Vector]]:
    """Return the force of each barrier that weighs standing still."""
    found = []
    for built in stack.entries.barriers:
        if getattr(built.spec, "safe_displacement_gain", 0.0) > 0.0:
            hessian, gradient = built.barrier.compute_qp_objective(stack.configuration)
            found.append((built.spec.name, hessian @ step + gradient))
    return found


# Pulls ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Opposing:
    """All forces at a solution; their sum is zero.

    Attributes:
        tasks: Of the tasks' residuals, without their dampings.
        contacts: Of limits and barriers.
        constraints: Of hard constraints.
        barriers: Of barriers that weigh standing still.
        tikhonov: Of the config's damping.
        lm: Of the tasks' Levenberg-Marquardt dampings.
    """

    tasks: list[tuple[str, Vector]]
    contacts: list[tuple[ActiveLimit, Vector]]
    constraints: list[tuple[str, Vector]]
    barriers: list[tuple[str, Vector]]
    tikhonov: Vector
    lm: Vector


def _residual_force(objective: TaskObjective, step: Vector) -> Vector:
    weighted = objective.weighted_jacobian
    return weighted.T @ (weighted @ step - objective.weighted_error)


def _pull(index: int, name: str, objective: TaskObjective, opposing: _Opposing) -> Pull:
    """Return what holds a task along the direction in which it still pulls."""
    error = objective.error[np.any(objective.weighted_jacobian != 0.0, axis=1)]
    if float(np.abs(error).max(initial=0.0)) < _SMALL_ERROR:
        return Pull(name, 0.0)
    wish = np.linalg.norm(objective.weighted_jacobian) * np.linalg.norm(objective.weighted_error)
    if np.linalg.norm(objective.gradient) < _STUCK * wish:
        return Pull(name, 0.0, stuck=True)
    pulling = -opposing.tasks[index][1]
    strength = float(np.linalg.norm(pulling))
    if strength < 1e-9 * wish:
        return Pull(name, strength)
    direction = pulling / strength

    def share(force: Vector) -> float:
        return float(force @ direction) / strength

    holders = [
        Holder(other, "task", share(force), other)
        for number, (other, force) in enumerate(opposing.tasks)
        if number != index
    ]
    holders += [
        Holder(
            limit.name, "barrier" if limit.quantity == "barrier" else "limit", share(force),
            limit.words,
        )
        for limit, force in opposing.contacts
    ]  # fmt: skip
    holders += [Holder(n, "constraint", share(force), n) for n, force in opposing.constraints]
    holders += [
        Holder(n, "barrier", share(force), f"barrier {n}") for n, force in opposing.barriers
    ]
    holders.append(Holder("damping", "damping", share(opposing.tikhonov), "damping"))
    holders.append(Holder("LM damping", "damping", share(opposing.lm), "LM damping"))
    holders = [holder for holder in holders if abs(holder.share) > 1e-6]
    return Pull(name, strength, tuple(sorted(holders, key=lambda holder: -abs(holder.share))))


def _kind(task: Task) -> str:
    for kind, word in _KINDS:
        if isinstance(task, kind):
            return word
    return "task"
