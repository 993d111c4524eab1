"""Read-only copies of mappings, for values that cross threads and processes."""

from __future__ import annotations

import copyreg
from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

_K = TypeVar("_K")
_V = TypeVar("_V")


def frozen_mapping(values: Mapping[_K, _V] | None = None) -> Mapping[_K, _V]:
    """Return a read-only copy; safe to hand across threads."""
    return MappingProxyType(dict(values or {}))


def _as_pickled(mapping: MappingProxyType[_K, _V]) -> tuple[object, tuple[dict[_K, _V]]]:
    return frozen_mapping, (dict(mapping),)


# Python pickles no read-only view; work that is done in another process takes settings along.
copyreg.pickle(MappingProxyType, _as_pickled)  # type: ignore[arg-type]
