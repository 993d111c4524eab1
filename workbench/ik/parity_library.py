"""Pink and Pinker side by side: what each calls the same things.

Pinker is Pink without Pinocchio. Its tasks, limits and barriers have Pink's names and arguments,
its kinematics module has names of Pinocchio's functions, so that little has to be told apart.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pink
import pink.barriers
import pink.limits
import pink.tasks
import pinocchio
from numpy.typing import NDArray

from workbench.ik.failures import SOLVER_FAILURES
from workbench.ik.pinker_model import import_pinker
from workbench.poses import Pose

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Library:
    """One of the two libraries.

    Attributes:
        name: Its name, for people.
        versions: What it is and computes with, by package name.
        package: The package, with ``Configuration``, ``build_ik`` and ``solve_ik``.
        kinematics: The module with ``SE3``, ``integrate`` and ``ReferenceFrame``.
        create_data: Makes a model's data.
        failures: What a solve may raise where there is no step.
    """

    name: str
    versions: dict[str, str]
    package: Any
    kinematics: Any
    create_data: Callable[[Any], Any]
    failures: tuple[type[Exception], ...]

    def configuration(self, model: Any, q: Vector) -> Any:
        """Return a configuration of a model of this library."""
        return self.package.Configuration(model, self.create_data(model), q)

    def placement(self, pose: Pose | Any) -> Any:
        """Return a transform of this library, from a pose or a transform of either library."""
        return self.kinematics.SE3(np.array(pose.rotation), np.array(pose.translation))


def pink_library() -> Library:
    """Return Pink."""
    return Library(
        "Pink",
        _versions("pin-pink", "pin"),
        pink,
        pinocchio,
        lambda model: model.createData(),
        (pink.PinkError, *SOLVER_FAILURES),
    )


def pinker_library() -> Library:
    """Return Pinker.

    Raises:
        SolverError: If it is not installed.
    """
    pinker = import_pinker()
    return Library(
        "Pinker",
        _versions("pinker"),
        pinker,
        pinker.kinematics,
        lambda model: model.create_data(),
        (pinker.PinkerError, *SOLVER_FAILURES),
    )


def _versions(*packages: str) -> dict[str, str]:
    return {name: importlib.metadata.version(name) for name in packages}
