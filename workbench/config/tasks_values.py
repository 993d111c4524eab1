"""The kinds of value that a task's field may hold, each with its check, its reading and writing.

A kind rides beside the :class:`~workbench.config.fields.FieldSpec` in a field's ``Annotated``
metadata. Values that come from a file and values that come from a program or a control of the page
go through the same :meth:`checked`, so that one sentence is written once; the page chooses a
control by the kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from workbench.config.document import Key, finite_number_from
from workbench.config.fields import FieldSpec
from workbench.poses import Pose

AxisCost = float | tuple[float, float, float]
"""One cost for all three axes, or one for each."""

JointNumbers = Mapping[str, float]
JointCost = float | JointNumbers
"""One cost for all joints, or one for each, by name."""

Point = tuple[float, float, float]
Bounds = tuple[float | None, float | None, float | None]
"""One bound for each axis, None for none."""

_LONGEST_NAME = 100


class FieldProblem(ValueError):
    """What is wrong with a field's value.

    Attributes:
        keys: Way to the wrong part inside the value.
        value: The wrong part; None where there is nothing to show.
        expected: What would be right.
    """

    def __init__(
        self, message: str, *keys: Key, value: object = None, expected: str | None = None
    ) -> None:
        """Collect the evidence."""
        super().__init__(message)
        self.keys = keys
        self.value = value
        self.expected = expected


@dataclass(frozen=True)
class ValueKind:
    """Base of all kinds.

    Attributes:
        optional: Whether None is allowed; what it means is said by the field's help.
    """

    optional: bool = False

    def checked(self, value: object, spec: FieldSpec) -> Any:
        """Return the value in its normal form, frozen.

        Args:
            value: From a file (numbers may be plain text such as ``1e-8``) or from a program.
            spec: Range of its numbers.

        Raises:
            FieldProblem: If it cannot be used.
        """
        if value is None:
            if self.optional:
                return None
            raise FieldProblem("has no value", expected=self.expected(spec))
        return self._checked(value, spec)

    def plain(self, value: Any) -> Any:
        """Return the value as dicts, lists, text, numbers and None, for a file."""
        return value

    def expected(self, spec: FieldSpec) -> str:
        """Return what would be right, in words."""
        return spec.range_text

    def _checked(self, value: object, spec: FieldSpec) -> Any:
        raise NotImplementedError


@dataclass(frozen=True)
class NumberValue(ValueKind):
    """A finite number inside the spec's range."""

    def _checked(self, value: object, spec: FieldSpec) -> float:
        return _number(value, spec)


@dataclass(frozen=True)
class WholeNumberValue(ValueKind):
    """A whole number inside the spec's range."""

    def expected(self, spec: FieldSpec) -> str:
        """Return what would be right, in words."""
        return spec.range_text.replace("number", "whole number")

    def _checked(self, value: object, spec: FieldSpec) -> int:
        number = _number(value, spec)
        if number != int(number):
            raise FieldProblem(
                "is not a whole number", value=value, expected=self.expected(spec)
            )  # fmt: skip
        return int(number)


@dataclass(frozen=True)
class SwitchValue(ValueKind):
    """True or false."""

    def expected(self, spec: FieldSpec) -> str:
        """Return what would be right, in words."""
        return "true or false"

    def _checked(self, value: object, spec: FieldSpec) -> bool:
        if not isinstance(value, bool | np.bool_):
            raise FieldProblem(
                "is neither true nor false", value=value, expected=self.expected(spec)
            )
        return bool(value)


@dataclass(frozen=True)
class NameValue(ValueKind):
    """A name: of a frame, of a joint, or one that a person chose.

    Attributes:
        of: What it names.
    """

    of: Literal["frame", "joint", "anything"] = "anything"

    def expected(self, spec: FieldSpec) -> str:
        """Return what would be right, in words."""
        return "text" if self.of == "anything" else f"the name of a {self.of}"

    def _checked(self, value: object, spec: FieldSpec) -> str:
        if not isinstance(value, str) or not value.strip():
            raise FieldProblem("is not text", value=value, expected=self.expected(spec))
        if len(value) > _LONGEST_NAME or not value.isprintable():
            raise FieldProblem(
                "is no name", value=value,
                expected=f"one line of at most {_LONGEST_NAME} characters",
            )  # fmt: skip
        return str(value)


@dataclass(frozen=True)
class ChoiceValue(ValueKind):
    """One of a few words.

    Attributes:
        choices: The words, and what each means.
    """

    choices: tuple[tuple[str, str], ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words alone."""
        return tuple(word for word, _ in self.choices)

    def expected(self, spec: FieldSpec) -> str:
        """Return what would be right, in words."""
        return "one of " + ", ".join(self.words)

    def _checked(self, value: object, spec: FieldSpec) -> str:
        if value not in self.words:
            raise FieldProblem("is not a choice", value=value, expected=self.expected(spec))
        return str(value)


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
        items = _items(value)
        if items is None:
            if isinstance(value, Mapping):
                raise FieldProblem(
                    "is not a number", value=dict(value), expected=self.expected(spec)
                )
            return _number(value, spec)
        if len(items) != len(self.axes):
            raise FieldProblem(
                f"has {len(items)} number{'' if len(items) == 1 else 's'} for"
                f" {len(self.axes)} axes", value=list(items), expected=self.expected(spec),
            )  # fmt: skip
        return tuple(_number(item, spec, index) for index, item in enumerate(items))


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
                {_joint_name(key): _number(item, spec, str(key)) for key, item in value.items()}
            )
        if isinstance(value, str) and value in dict(self.words):
            return str(value)
        if not self.scalar or _items(value) is not None:
            raise FieldProblem(
                "is not given by joint name", value=value, expected=self.expected(spec)
            )
        return _number(value, spec)


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
        return _number(x, spec, 0), _number(y, spec, 1), _number(z, spec, 2)


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
            None if item is None else _number(item, spec, index)
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
        wxyz = _numbers(value.get("wxyz", (1.0, 0.0, 0.0, 0.0)), 4, _ANY, "wxyz")
        try:
            return Pose(np.array(xyz), np.array(wxyz))
        except ValueError as error:
            raise FieldProblem(
                "is no rotation", "wxyz", value=list(wxyz), expected="a quaternion that is not zero"
            ) from error


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
        items = _items(value)
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
            _joint_name(joint): _number(number, _ANY, index, "coefficients", str(joint))
            for joint, number in coefficients.items()
        }
        if not any(numbers.values()):
            raise FieldProblem(
                "has coefficients of zero only", index, "coefficients",
                expected="at least one number that is not zero",
            )  # fmt: skip
        return Relation(numbers, _number(item.get("value", 0.0), _ANY, index, "value"))


# Parts of values -----------------------------------------------------------------------------

_ANY = FieldSpec(unit="", help="")


def _number(value: object, spec: FieldSpec, *keys: Key) -> float:
    try:
        # NumPy's scalars are real numbers to Python, but not int or float.
        if isinstance(value, Real) and not isinstance(value, bool):
            value = float(value)
        number = finite_number_from(value)
    except OverflowError as problem:
        raise FieldProblem(
            "is too large a number", *keys, value=value, expected=spec.range_text
        ) from problem
    except ValueError as problem:
        raise FieldProblem(
            str(problem), *keys, value=value, expected=spec.range_text
        ) from problem  # fmt: skip
    if not spec.allows(number):
        raise FieldProblem("is out of range", *keys, value=number, expected=spec.range_text)
    return number


def _items(value: object) -> Sequence[object] | None:
    """Return the items of a list, tuple or array; None for anything else."""
    if isinstance(value, np.ndarray):
        return value.tolist() if value.ndim else None
    return value if isinstance(value, list | tuple) else None


def _three(value: object, expected: str) -> Sequence[object]:
    items = _items(value)
    if items is None or len(items) != 3:
        raise FieldProblem("is not a list of three", value=value, expected=expected)
    return items


def _numbers(value: object, count: int, spec: FieldSpec, key: str) -> tuple[float, ...]:
    items = _items(value)
    if items is None or len(items) != count:
        raise FieldProblem(
            "is not a list of numbers", key, value=value, expected=f"{count} finite numbers"
        )  # fmt: skip
    return tuple(_number(item, spec, key, index) for index, item in enumerate(items))


def _joint_name(key: object) -> str:
    if not isinstance(key, str) or not key.strip():
        raise FieldProblem("is no joint's name", value=key, expected="text")
    return str(key)


def _far(pose: Pose, spec: FieldSpec) -> None:
    for index, coordinate in enumerate(pose.translation.tolist()):
        _number(coordinate, spec, "xyz", index)
