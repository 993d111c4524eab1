"""Which versions of the packages that decide a result are installed."""

from __future__ import annotations

import importlib.metadata

from workbench import __version__

_DISTRIBUTION_OF_SOLVER = {
    "cvxopt": "cvxopt",
    "gurobi": "gurobipy",
    "highs": "highspy",
    "kvxopt": "kvxopt",
    "mosek": "Mosek",
    "nppro": "nppro",
    "proxqp": "proxsuite",
    "qpax": "qpax",
    "sip": "sip-python",
}
"""Solvers whose package is not called as qpsolvers calls the solver."""


def package_versions(solver: str) -> dict[str, str]:
    """Return the versions that a result depends on, by package name.

    Args:
        solver: Name of the QP solver, as qpsolvers calls it.

    Returns:
        The workbench itself, ``pin``, ``pin-pink``, ``qpsolvers`` and the solver's own package;
        ``unknown`` where a package says none.
    """
    versions = {"ik-workbench": __version__}
    for name in ("pin", "pin-pink", "qpsolvers", _DISTRIBUTION_OF_SOLVER.get(solver, solver)):
        versions[name] = _version(name)
    return versions


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
