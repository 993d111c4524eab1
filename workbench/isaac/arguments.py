"""Numbers that a controller is built with, checked before any of them reaches a solver.

Pink looks at none of them: with a gain of two, a step of zero or a number that is not finite the
robot runs away or stands at NaN.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from workbench.isaac.host_array import flat_array


def number_argument(values: Any, what: str, *, highest: float = math.inf) -> float:
    """Return one finite number >= 0.

    Args:
        values: A number, or anything array-like that holds one.
        what: How messages call it.
        highest: Largest number that is taken.

    Raises:
        ValueError: If it is no such number.
    """
    (number,) = _numbers(values, what, (1,))
    if not 0.0 <= number <= highest:
        bounds = ">= 0" if math.isinf(highest) else f"from 0 to {highest:g}"
        raise ValueError(f"{what}: expected a number {bounds}, got {number}")
    return number


def step_argument(values: Any, what: str) -> float:
    """Return the length of a step, s: a finite number above zero; raises ValueError."""
    (step,) = _numbers(values, what, (1,))
    if not step > 0.0:
        raise ValueError(f"{what}: expected a number above 0, got {step}")
    return step


def cost_argument(values: Any, what: str) -> float | list[float]:
    """Return one cost, or three: one for each axis of a frame.

    Args:
        values: A number, or anything array-like that holds one or three.
        what: How messages call it.

    Raises:
        ValueError: If they are not one or three finite numbers >= 0.
    """
    numbers = _numbers(values, what, (1, 3))
    if min(numbers) < 0.0:
        raise ValueError(f"{what}: expected numbers >= 0, got {numbers}")
    return numbers[0] if len(numbers) == 1 else numbers


def _numbers(values: Any, what: str, sizes: Collection[int]) -> list[float]:
    """Return anything array-like as a list of finite numbers, of one of some sizes."""
    if values is None or isinstance(values, str | bytes):
        raise ValueError(f"{what}: expected a number, got {values!r}")
    try:
        numbers = flat_array(values).tolist()
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from error
    if len(numbers) not in sizes:
        expected = " or ".join(map(str, sizes))
        raise ValueError(f"{what}: expected {expected} numbers, got {len(numbers)}")
    if not all(map(math.isfinite, numbers)):
        raise ValueError(f"{what}: expected finite numbers, got {values}")
    return numbers
