"""Read-only copies of mappings, for values that cross threads."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

_K = TypeVar("_K")
_V = TypeVar("_V")


def frozen_mapping(values: Mapping[_K, _V] | None = None) -> Mapping[_K, _V]:
    """Return a read-only copy; safe to hand across threads."""
    return MappingProxyType(dict(values or {}))
