"""The values of a task's field that belong to joints: numbers by name, equations between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from workbench.config.fields import FieldSpec
from workbench.config.tasks_values import (
    ANY_NUMBER,
    FieldProblem,
    ValueKind,
    items_of,
    number_in,
)

JointNumbers = Mapping[str, float]
JointCost = float | JointNumbers
"""One cost for all joints, or one for each, by name."""


@dataclass(frozen=True)
class JointNumbersValue(ValueKind):
    """A number for each of some joints, by name; or one for all where that is allowed.

    Attributes:
        scalar: Whether one number for all joints is allowed.
        complete: Whether a list by name has to hold every joint of the robot.
        minimum_count: Fewest joints.
        words: Words that stand for numbers that the robot knows, and what each means.
    """

    scalar: bool = False
    complete: bool = False
    minimum_count: int = 0
    words: tuple[tuple[str, str], ...] = ()

    def expected(self, spec: FieldSpec) -> str:
        """Return what would be right, in words."""
        ways = [word for word, _ in self.words]
        if self.scalar:
            ways.append("one number")
        least = f" (at least {self.minimum_count})" if self.minimum_count else ""
        ways.append(f"numbers by joint name{least}")
        return " or ".join(ways)

    def plain(self, value: Any) -> Any:
        """Return the number, the word or a mapping."""
        return dict(value) if isinstance(value, Mapping) else value

    def _checked(self, value: object, spec: FieldSpec) -> float | str | JointNumbers:
        if isinstance(value, Mapping):
            if len(value) < self.minimum_count:
                raise FieldProblem(
                    f"names {len(value)} joint{'' if len(value) == 1 else 's'}",
                    expected=self.expected(spec),
                )
            return MappingProxyType(
                {_joint_name(key): number_in(item, spec, str(key)) for key, item in value.items()}
            )
        if isinstance(value, str) and value in dict(self.words):
            return str(value)
        if not self.scalar or items_of(value) is not None:
            raise FieldProblem(
                "is not given by joint name", value=value, expected=self.expected(spec)
            )
        return number_in(value, spec)


@dataclass(frozen=True)
class Relation:
    """One linear equation between joint positions: their weighted sum is a constant.

    Attributes:
        coefficients: Weight of each joint that takes part, by name.
        value: The sum, in the unit of the weighted positions.
    """

    coefficients: JointNumbers
    value: float = 0.0

    def __post_init__(self) -> None:
        """Freeze the mapping."""
        object.__setattr__(self, "coefficients", MappingProxyType(dict(self.coefficients)))


@dataclass(frozen=True)
class RelationsValue(ValueKind):
    """One or more linear equations between joints."""

    def expected(self, spec: FieldSpec) -> str:
        """Return what would be right, in words."""
        return "a list of {coefficients: {JOINT: number, ...}, value: number}"

    def plain(self, value: Any) -> Any:
        """Return a list of mappings."""
        return [
            {"coefficients": dict(relation.coefficients), "value": relation.value}
            for relation in value
        ]

    def _checked(self, value: object, spec: FieldSpec) -> tuple[Relation, ...]:
        items = items_of(value)
        if not items:
            raise FieldProblem("holds no equation", value=value, expected=self.expected(spec))
        return tuple(self._relation(item, index, spec) for index, item in enumerate(items))

    def _relation(self, item: object, index: int, spec: FieldSpec) -> Relation:
        if isinstance(item, Relation):
            item = {"coefficients": item.coefficients, "value": item.value}
        if not isinstance(item, Mapping):
            raise FieldProblem(
                "is no equation", index, value=item, expected=self.expected(spec)
            )  # fmt: skip
        for key in item:
            if key not in ("coefficients", "value"):
                raise FieldProblem("there is no such key", index, key, expected=self.expected(spec))
        coefficients = item.get("coefficients")
        if not isinstance(coefficients, Mapping) or not coefficients:
            raise FieldProblem(
                "holds no coefficients", index, value=coefficients,
                expected="numbers by joint name",
            )  # fmt: skip
        numbers = {
            _joint_name(joint): number_in(number, ANY_NUMBER, index, "coefficients", str(joint))
            for joint, number in coefficients.items()
        }
        if not any(numbers.values()):
            raise FieldProblem(
                "has coefficients of zero only", index, "coefficients",
                expected="at least one number that is not zero",
            )  # fmt: skip
        return Relation(numbers, number_in(item.get("value", 0.0), ANY_NUMBER, index, "value"))


def _joint_name(key: object) -> str:
    if not isinstance(key, str) or not key.strip():
        raise FieldProblem("is no joint's name", value=key, expected="text")
    return str(key)
