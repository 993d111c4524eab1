"""What every engine does alike: put joints somewhere by name, and say where they stand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.errors import SolverError, did_you_mean
from workbench.ik.types import ToolResult
from workbench.model.description import Joint
from workbench.poses import Pose

Vector = NDArray[np.float64]

AT_LIMIT_SHARE = 0.02
"""A joint is "at" a limit within this share of its range."""


def placed(names: Sequence[str], present: Vector, positions: Mapping[str, float]) -> Vector:
    """Return joint positions with some of them replaced, shape (n,).

    Args:
        names: Joint names in order.
        present: Positions so far, rad or m, shape (n,).
        positions: New ones by name.

    Raises:
        SolverError: If there is no such joint or a position is not finite.
    """
    values = np.array(present, dtype=np.float64)
    for name, position in positions.items():
        if name not in names:
            raise SolverError(
                "there is no such joint", field=name, expected=did_you_mean(name, names)
            )
        if not math.isfinite(position):
            raise SolverError("is not a finite position", field=name, value=position)
        values[names.index(name)] = position
    return values


def joints_at_limit(joints: Sequence[Joint], positions: Vector) -> tuple[str, ...]:
    """Return the names of the joints within 2 % of their range of a position limit."""
    return tuple(
        joint.name
        for joint, position in zip(joints, positions.tolist(), strict=True)
        if (share := joint.limit_margin(position)) is not None and share <= AT_LIMIT_SHARE
    )


def tool_result(frame: str, pose: Pose, target: Pose | None) -> ToolResult:
    """Return where a tool frame is, and how far from its target."""
    errors = (None, None) if target is None else pose.distance_to(target)
    return ToolResult(frame, pose, target, *errors)
