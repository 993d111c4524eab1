"""A frozen group of settings whose fields say themselves what they allow.

Each field carries a :class:`~workbench.config.fields.FieldSpec`; a value is converted as its
annotation says (numbers of NumPy become floats, booleans and text are refused where a number is
wanted) and checked against the range. ``None`` means "off" where the annotation allows it.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Self, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator

from workbench.config.fields import FieldSpec, field_spec
from workbench.errors import ConfigError, did_you_mean


def plain_number(value: Any) -> float:
    """Return a Python or NumPy number as a float.

    Raises:
        ValueError: For booleans, text, arrays and None; the message completes "the value ...".
    """
    if isinstance(value, bool | str | bytes) or value is None:
        raise ValueError("is not a number")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError("is not a number") from error


def whole_number(value: Any) -> int:
    """Return a number that has no fraction as an int; raises ValueError for all else."""
    number = plain_number(value)
    if not math.isfinite(number) or number != int(number):
        raise ValueError("is not a whole number")
    return int(number)


def number_or_off(value: Any) -> float | None:
    """Return None as it is, and all else as :func:`plain_number` does."""
    return None if value is None else plain_number(value)


def switch(value: Any) -> bool:
    """Return a boolean; raises ValueError for all else."""
    if not isinstance(value, bool):
        raise ValueError("is neither true nor false")
    return value


Number = Annotated[float, BeforeValidator(plain_number)]
OptionalNumber = Annotated[float | None, BeforeValidator(number_or_off)]
WholeNumber = Annotated[int, BeforeValidator(whole_number)]
Switch = Annotated[bool, BeforeValidator(switch)]

_CONVERSIONS: Mapping[object, Callable[[Any], Any]] = {
    float: plain_number, int: whole_number, bool: switch,
}  # fmt: skip


class CheckedSettings(BaseModel):
    """Base of a frozen group of settings; see the module.

    Raises:
        pydantic.ValidationError: If a field is unknown, of the wrong type or out of range. Use
            :meth:`checked` for an error that is meant for a user.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="after")
    def _check_ranges(self) -> Self:
        for name in type(self).model_fields:
            type(self).check_field_value(name, getattr(self, name))
        return self

    @classmethod
    def check_field_value(cls, name: str, value: object) -> None:
        """Raise ValueError, as pydantic wants it, for a value that a field does not allow."""
        try:
            cls.check_field(name, value)
        except ConfigError as error:
            raise ValueError(str(error)) from error

    @classmethod
    def checked(cls, **values: object) -> Self:
        """Build from values that a user gave.

        Raises:
            ConfigError: For the first field that is unknown, of the wrong type or out of range,
                with its name, its value and what would be right.
        """
        for name, value in values.items():
            cls.check_field(name, value)
        return cls(**values)

    def with_values(self, **values: object) -> Self:
        """Return a copy with some fields changed, checked as :meth:`checked` does."""
        present = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self).checked(**{**present, **values})

    @classmethod
    def kind_of(cls, name: str) -> tuple[object, bool]:
        """Return a field's plain type, and whether None ("off") is allowed as well."""
        return _kind_of(cls.model_fields[name].annotation)

    @classmethod
    def check_field(cls, name: str, value: object) -> None:
        """Check one field alone.

        Raises:
            ConfigError: As :meth:`checked` does.
        """
        if name not in cls.model_fields:
            raise ConfigError(
                "there is no such setting", field=name,
                expected=did_you_mean(name, cls.model_fields),
            )  # fmt: skip
        kind, may_be_off = cls.kind_of(name)
        if value is None and may_be_off:
            return
        spec = field_spec(cls, name)
        problem = number_problem(value, _CONVERSIONS.get(kind), spec)
        if problem is not None:
            raise ConfigError(
                problem, field=name, value=value, expected=_expected(kind, spec, may_be_off)
            )


def number_problem(
    value: object, convert: Callable[[Any], Any] | None, spec: FieldSpec | None
) -> str | None:
    """Return what is wrong with a value, or None.

    Args:
        value: The value.
        convert: Its conversion; None where any value will do.
        spec: Its range; None where any number will do.
    """
    if convert is None:
        return None
    try:
        number = convert(value)
    except ValueError as error:
        return str(error)
    if spec is None or spec.allows(number):
        return None
    return "is not finite" if not math.isfinite(number) else "is out of range"


def _kind_of(annotation: object) -> tuple[object, bool]:
    """Return the plain type behind an annotation, and whether None is allowed as well."""
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation, False
    kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
    return kinds[0], len(kinds) < len(get_args(annotation))


def _expected(kind: object, spec: FieldSpec | None, may_be_off: bool) -> str:
    if kind is bool:
        return "true or false"
    text = "a finite number" if spec is None else spec.range_text
    if kind is int:
        text = text.replace("number", "whole number")
    return f"{text}, or nothing for off" if may_be_off else text
