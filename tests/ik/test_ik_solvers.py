"""Solvers, and the words for their failures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import qpsolvers
from pink.exceptions import NoSolutionFound

from tests.ik.engines import CALM, arm_engine, inputs, moved, poses
from workbench.ik import failures, solvers
from workbench.ik.solvers import check_solver, installed_solvers, solver_infos

NAMES = ("shoulder", "elbow")
INFEASIBLE = qpsolvers.Problem(
    np.eye(2), np.ones(2), np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]),
    np.array([1.0, 0.1, -0.2]),
)  # fmt: skip
FEASIBLE = qpsolvers.Problem(np.eye(2), np.ones(2), np.eye(2), np.ones(2))


def test_every_installed_solver_has_a_description_and_works() -> None:
    names = [info.name for info in solver_infos()]
    assert names == sorted(installed_solvers())
    assert {"daqp", "osqp", "proxqp"} <= set(names)
    for info in solver_infos():
        assert info.description
        check = check_solver(info.name)
        assert check.works, check


def test_a_solver_that_is_not_installed_or_lies_does_not_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not check_solver("nonesuch").works
    assert "nonesuch" in check_solver("nonesuch").detail

    def lies(problem: qpsolvers.Problem, **_: object) -> qpsolvers.Solution:
        return qpsolvers.Solution(problem, found=True, x=np.array([5.0, 5.0]))

    monkeypatch.setattr(qpsolvers, "solve_problem", lies)
    assert not check_solver("daqp").works


@pytest.mark.parametrize("solver", installed_solvers())
def test_an_infeasible_problem_is_called_so_with_joint_and_bounds(
    solver: str, capfd: pytest.CaptureFixture[str]
) -> None:
    solvers.quiet_exit_warnings()
    solution = solvers.solve(INFEASIBLE, solver)
    assert not solution.found
    error = NoSolutionFound(INFEASIBLE, solution)
    status = failures.solver_failure(error, NAMES, solver, 0.01)
    assert status.code == "infeasible"
    assert "elbow" in status.cause and "0.2" in status.cause and "0.1" in status.cause
    assert "10 ms" in status.cause and status.remedy
    assert capfd.readouterr() == ("", "")


def test_a_feasible_problem_without_a_solution_is_the_solvers_failure() -> None:
    class Info:
        status = "maximum iterations reached"

    solution = qpsolvers.Solution(FEASIBLE, extras={"info": Info()}, found=False)
    status = failures.solver_failure(NoSolutionFound(FEASIBLE, solution), NAMES, "osqp", 0.01)
    assert status.code == "solver_failed"
    assert "osqp" in status.cause and "maximum iterations reached" in status.cause
    assert "daqp" in status.remedy
    silent = qpsolvers.Solution(FEASIBLE, found=False)
    status = failures.solver_failure(NoSolutionFound(FEASIBLE, silent), NAMES, "daqp", 0.01)
    assert status.code == "solver_failed" and "daqp" in status.cause
    assert "daqp" not in status.remedy


def test_an_equality_against_a_bound_is_infeasible() -> None:
    problem = qpsolvers.Problem(
        np.eye(2), np.ones(2), np.eye(2), np.ones(2), np.array([[0.0, 2.0]]), np.array([4.0])
    )
    assert failures.empty_bounds(problem) == (1, 2.0, 1.0)
    assert failures.empty_bounds(FEASIBLE) is None


def test_a_solver_that_refuses_the_matrix_is_quoted() -> None:
    status = failures.solver_failure(ValueError("P is not convex"), NAMES, "osqp", 0.01)
    assert status.code == "solver_failed" and "P is not convex" in status.cause


def test_the_exit_status_of_proxqp_becomes_plain_words() -> None:
    solution = solvers.solve(INFEASIBLE, "proxqp")
    assert failures.exit_words(solution) == "primal infeasible"


def test_osqp_says_nothing_on_the_terminal_in_a_process_of_its_own() -> None:
    """Outside the test runner nobody collects warnings: they would reach the terminal."""
    code = (
        "import numpy as np, qpsolvers\n"
        "from workbench.ik import solvers\n"
        "solvers.quiet_exit_warnings()\n"
        "for bound in (1.0, -3.0):\n"
        "    G = np.vstack([np.eye(2), -np.eye(2)])\n"
        "    problem = qpsolvers.Problem(np.eye(2), np.ones(2), G, np.full(4, bound))\n"
        "    print(bool(solvers.solve(problem, 'osqp').found))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "default", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "False"]
    assert done.stderr == ""


@pytest.mark.parametrize("solver", ["proxqp", "osqp", "daqp"])
@pytest.mark.parametrize("cost", [1e9, 1e200])
def test_a_cost_beyond_a_solvers_numbers_is_a_failed_solve_and_not_a_standstill(
    solver: str, cost: float, tmp_path: Path
) -> None:
    engine = arm_engine(tmp_path)
    target = moved(poses(engine)["tool"], (0.1, 0.0, 0.0))
    config = CALM.with_values(solver=solver, position_cost=cost)
    before = engine.q.copy()
    result = engine.tick(inputs({"tool": target}, config))
    assert result.status.code in ("ok", "solver_failed", "infeasible", "velocity_exceeded")
    if not result.status.ok:
        np.testing.assert_array_equal(engine.q, before)
    assert engine.tick(inputs({"tool": target})).status.ok
