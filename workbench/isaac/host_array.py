"""Arrays as code for Isaac Sim hands them over and expects them back.

There they are arrays of NVIDIA Warp, which are read through ``.numpy()``. Here anything that is
array-like goes in, and what comes out is a NumPy array that has that method as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]


class HostArray(np.ndarray[Any, np.dtype[Any]]):
    """A NumPy array that can also be read as a Warp array is: through ``.numpy()``."""

    def numpy(self) -> NDArray[Any]:
        """Return the same numbers as a plain NumPy array; a view, as Warp's is on the host."""
        return self.view(np.ndarray)


def host_array(values: ArrayLike, dtype: Any) -> HostArray:
    """Return a read-only copy of values that has ``.numpy()``."""
    array = np.array(values, dtype=dtype).view(HostArray)
    array.setflags(write=False)
    return array


def plain_array(values: Any) -> Vector:
    """Return anything array-like as float64.

    Args:
        values: A number, a NumPy array, an object with ``.numpy()``, or a list of such.

    Raises:
        ValueError: If the values are not numbers.
    """
    try:
        return np.asarray(_read(values), dtype=np.float64)
    except TypeError as error:
        raise ValueError(f"expected numbers, got {type(values).__name__}") from error


def _read(values: Any) -> Any:
    """Return values with every ``.numpy()`` in them read."""
    read = getattr(values, "numpy", None)
    if callable(read):
        return read()
    return [_read(item) for item in values] if isinstance(values, list | tuple) else values


def flat_array(values: Any) -> Vector:
    """Return anything array-like as one row of float64; raises ValueError."""
    return plain_array(values).reshape(-1)
