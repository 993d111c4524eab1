"""The QP solvers: which are installed, what they are good for, and whether they really work."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import qpsolvers
import scipy.sparse
from osqp.interface import OSQPException

from workbench.config.kinematics import available_solvers as installed_solvers

__all__ = [
    "SolverCheck",
    "SolverInfo",
    "check_solver",
    "installed_solvers",
    "is_built_by_hand",
    "is_sparse_only",
    "quiet_exit_warnings",
    "solve",
    "solver_infos",
]

_DESCRIPTIONS = {
    "clarabel": "interior point, sparse: accurate, slower on small problems",
    "daqp": "active set, dense: fast and steady on small problems; what the profiles set",
    "ecos": "interior point, sparse: slower on small problems",
    "highs": "active set, sparse: slower on small problems",
    "hpipm": "interior point, dense: fast",
    "osqp": "operator splitting, sparse: slower on small problems, loose by default (1e-3)",
    "piqp": "interior point, dense and sparse: accurate",
    "proxqp": "augmented Lagrangian: DimOS's default; fails now and then at small steps",
    "qpoases": "active set, dense: made for control",
    "quadprog": "active set, dense: fast; wants damping > 0 (GPL)",
    "scs": "operator splitting, sparse: loose, slower on small problems",
}


@dataclass(frozen=True)
class SolverInfo:
    """One solver, for the drop-down.

    Attributes:
        name: Name as ``solver`` in the config takes it.
        description: What it is and what it is good for, in a few words.
    """

    name: str
    description: str


@dataclass(frozen=True)
class SolverCheck:
    """Outcome of solving a tiny QP.

    Attributes:
        name: Name of the solver.
        works: Whether the known solution came out.
        detail: What went wrong, or the time that it took.
    """

    name: str
    works: bool
    detail: str


def solver_infos() -> tuple[SolverInfo, ...]:
    """Return every installed solver with a description, in alphabetical order."""
    return tuple(
        SolverInfo(name, _DESCRIPTIONS.get(name, "installed; not known to the workbench"))
        for name in installed_solvers()
    )


_LARGEST_FOR_PROXQP = 1e17
"""Largest entry of the Hessian; with 1e18 proxqp does not come back for minutes."""


def is_sparse_only(solver: str) -> bool:
    """Tell whether a solver takes sparse matrices only."""
    return solver in qpsolvers.sparse_solvers and solver not in qpsolvers.dense_solvers


def is_built_by_hand(solver: str) -> bool:
    """Tell whether :func:`solve` does more for a solver than qpsolvers' own call."""
    return is_sparse_only(solver) or solver == "proxqp"


def solve(problem: qpsolvers.Problem, solver: str) -> qpsolvers.Solution:
    """Solve a QP with its matrices as the solver wants them, so that none of them complains.

    Handing dense matrices to a sparse solver makes qpsolvers warn at every call; it would convert
    them in the same way.

    Raises:
        qpsolvers.SolverNotFound: If the solver is not installed.
        qpsolvers.QPError: If the solver refuses the problem.
        ArithmeticError: If the numbers are so large that the solver would iterate for minutes and
            let nothing else run meanwhile.
    """
    if solver == "proxqp":
        hessian = np.asarray(problem.P, dtype=np.float64)
        if not np.abs(hessian).max(initial=0.0) <= _LARGEST_FOR_PROXQP:
            raise ArithmeticError("the costs are too large for proxqp")
    if is_sparse_only(solver):
        problem = qpsolvers.Problem(
            scipy.sparse.csc_matrix(problem.P),
            problem.q,
            None if problem.G is None else scipy.sparse.csc_matrix(problem.G),
            problem.h,
            None if problem.A is None else scipy.sparse.csc_matrix(problem.A),
            problem.b,
        )
    # OSQP announces at every call that it will raise by default some day, unless told not to.
    options: dict[str, Any] = {"raise_error": False} if solver == "osqp" else {}
    try:
        return qpsolvers.solve_problem(problem, solver=solver, **options)
    except OSQPException as error:  # no kin of any error that qpsolvers knows
        raise qpsolvers.QPError(f"osqp: {error}") from error


def quiet_exit_warnings() -> None:
    """Keep qpsolvers' remarks on how a solver ended off the terminal, once for the process.

    They come with every failed solve, and say no more than the status that the solve returns.
    """
    warnings.filterwarnings("ignore", category=UserWarning, module=r"qpsolvers\.solvers\.")


def check_solver(name: str) -> SolverCheck:
    """Solve a QP of two variables whose solution is known.

    Args:
        name: Name of a solver, installed or not.
    """
    # Minimise |x|^2 / 2 - x0 - x1 with x <= (0.5, 2): the solution is (0.5, 1).
    problem = qpsolvers.Problem(np.eye(2), -np.ones(2), np.eye(2), np.array([0.5, 2.0]))
    started = time.perf_counter()
    try:
        solution = solve(problem, name)
    except (qpsolvers.QPError, ValueError, ImportError, OSError) as error:
        return SolverCheck(name, works=False, detail=f"{type(error).__name__}: {error}")
    elapsed_ms = 1e3 * (time.perf_counter() - started)
    if not solution.found or solution.x is None:
        return SolverCheck(name, works=False, detail="found no solution of a QP that has one")
    if not np.allclose(solution.x, [0.5, 1.0], atol=5e-3):
        return SolverCheck(name, works=False, detail=f"returned {solution.x} instead of [0.5, 1]")
    return SolverCheck(name, works=True, detail=f"{elapsed_ms:.2f} ms for a tiny problem")
