"""The kinds of value that a task's field may hold, each with its check, its reading and writing.

A kind rides beside the :class:`~workbench.config.fields.FieldSpec` in a field's ``Annotated``
metadata. Values that come from a file and values that come from a program or a control of the page
go through the same :meth:`ValueKind.checked`, so that one sentence is written once; the page
chooses a control by the kind. Here are the plain ones; those of space and of joints have modules of
their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np

from workbench.config.document import Key, finite_number_from
from workbench.config.fields import FieldSpec

ANY_NUMBER = FieldSpec(unit="", help="")
"""The range of a number that may be anything."""

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
        return number_in(value, spec)


@dataclass(frozen=True)
class WholeNumberValue(ValueKind):
    """A whole number inside the spec's range."""

    def expected(self, spec: FieldSpec) -> str:
        """Return what would be right, in words."""
        return spec.range_text.replace("number", "whole number")

    def _checked(self, value: object, spec: FieldSpec) -> int:
        number = number_in(value, spec)
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


# Parts of values -----------------------------------------------------------------------------


def number_in(value: object, spec: FieldSpec, *keys: Key) -> float:
    """Return a finite number inside a range.

    Args:
        value: A number, or its text.
        spec: Its range.
        keys: Way to it, for messages.

    Raises:
        FieldProblem: If it is something else.
    """
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


def items_of(value: object) -> Sequence[object] | None:
    """Return the items of a list, tuple or array; None for anything else."""
    if isinstance(value, np.ndarray):
        return value.tolist() if value.ndim else None
    return value if isinstance(value, list | tuple) else None
