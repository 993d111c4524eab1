"""Stands in for an array of NVIDIA Warp, which is read through ``.numpy()`` and in no other way."""

from __future__ import annotations

from typing import Any

import numpy as np


class WarpLike:
    def __init__(self, values: Any) -> None:
        self._values = np.asarray(values, dtype=np.float32)

    def numpy(self) -> np.ndarray[Any, Any]:
        return self._values
