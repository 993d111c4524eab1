"""The values of a task's field that belong to space: numbers by axis, points, bounds, poses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.config.fields import FieldSpec
from workbench.config.tasks_values import (
    ANY_NUMBER,
    FieldProblem,
    ValueKind,
    items_of,
    number_in,
)
from workbench.poses import Pose

AxisCost = float | tuple[float, float, float]
"""One cost for all three axes, or one for each."""

Point = tuple[float, float, float]
Bounds = tuple[float | None, float | None, float | None]
"""One bound for each axis, None for none."""


@dataclass(frozen=True)
class AxisNumbersValue(ValueKind):
    """One number for all axes, or one for each.

    Attributes:
        axes: Names of the axes, in order.
    """

    axes: tuple[str, ...] = ("x", "y", "z")

    def expected(self, spec: FieldSpec) -> str:
        """Return what would be right, in words."""
        return f"one number, or {len(self.axes)} ({', '.join(self.axes)})"

    def plain(self, value: Any) -> Any:
        """Return the number or a list."""
        return list(value) if isinstance(value, tuple) else value

    def _checked(self, value: object, spec: FieldSpec) -> float | tuple[float, ...]:
        items = items_of(value)
        if items is None:
            if isinstance(value, Mapping):
                raise FieldProblem(
                    "is not a number", value=dict(value), expected=self.expected(spec)
                )
            return number_in(value, spec)
        if len(items) != len(self.axes):
            raise FieldProblem(
                f"has {len(items)} number{'' if len(items) == 1 else 's'} for"
                f" {len(self.axes)} axes", value=list(items), expected=self.expected(spec),
            )  # fmt: skip
        return tuple(number_in(item, spec, index) for index, item in enumerate(items))


@dataclass(frozen=True)
class PointValue(ValueKind):
    """Three numbers."""

    def expected(self, spec: FieldSpec) -> str:
        """Return what would be right, in words."""
        return "three finite numbers (x, y, z)"

    def plain(self, value: Any) -> Any:
        """Return a list."""
        return None if value is None else list(value)

    def _checked(self, value: object, spec: FieldSpec) -> Point:
        x, y, z = _three(value, self.expected(spec))
        return number_in(x, spec, 0), number_in(y, spec, 1), number_in(z, spec, 2)


@dataclass(frozen=True)
class BoundsValue(ValueKind):
    """Three numbers, of which some may be absent."""

    def expected(self, spec: FieldSpec) -> str:
        """Return what would be right, in words."""
        return "three numbers (x, y, z), null where there is no bound"

    def plain(self, value: Any) -> Any:
        """Return a list."""
        return list(value)

    def _checked(self, value: object, spec: FieldSpec) -> Bounds:
        x, y, z = (
            None if item is None else number_in(item, spec, index)
            for index, item in enumerate(_three(value, self.expected(spec)))
        )
        return x, y, z


@dataclass(frozen=True)
class PoseValue(ValueKind):
    """A pose; in a file its position ``xyz`` in m and its quaternion ``wxyz``."""

    def expected(self, spec: FieldSpec) -> str:
        """Return what would be right, in words."""
        return "xyz (three numbers, m) and wxyz (four numbers)"

    def plain(self, value: Any) -> Any:
        """Return a mapping."""
        if value is None:
            return None
        return {"xyz": value.translation.tolist(), "wxyz": value.wxyz.tolist()}

    def _checked(self, value: object, spec: FieldSpec) -> Pose:
        if isinstance(value, Pose):
            _far(value, spec)
            return value
        expected = self.expected(spec)
        if not isinstance(value, Mapping):
            raise FieldProblem("is not a pose", value=value, expected=expected)
        for key in value:
            if key not in ("xyz", "wxyz"):
                raise FieldProblem("there is no such key", key, expected=expected)
        xyz = _numbers(value.get("xyz", (0.0, 0.0, 0.0)), 3, spec, "xyz")
        wxyz = _numbers(value.get("wxyz", (1.0, 0.0, 0.0, 0.0)), 4, ANY_NUMBER, "wxyz")
        try:
            return Pose(np.array(xyz), np.array(wxyz))
        except ValueError as error:
            raise FieldProblem(
                "is no rotation", "wxyz", value=list(wxyz), expected="a quaternion that is not zero"
            ) from error


def _three(value: object, expected: str) -> Sequence[object]:
    items = items_of(value)
    if items is None or len(items) != 3:
        raise FieldProblem("is not a list of three", value=value, expected=expected)
    return items


def _numbers(value: object, count: int, spec: FieldSpec, key: str) -> tuple[float, ...]:
    items = items_of(value)
    if items is None or len(items) != count:
        raise FieldProblem(
            "is not a list of numbers", key, value=value, expected=f"{count} finite numbers"
        )  # fmt: skip
    return tuple(number_in(item, spec, key, index) for index, item in enumerate(items))


def _far(pose: Pose, spec: FieldSpec) -> None:
    for index, coordinate in enumerate(pose.translation.tolist()):
        number_in(coordinate, spec, "xyz", index)
