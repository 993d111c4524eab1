"""Pairs of links that may collide, in plain values that every room may read; no Pinocchio here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workbench.poses import frozen_array

LeftOutReason = Literal["srdf", "rigid", "neighbours", "close_at_home"]


@dataclass(frozen=True)
class LeftOutPair:
    """Two links that are not kept apart, and why.

    Attributes:
        link_a: Name of one link.
        link_b: Name of the other.
        reason: ``srdf``: the SRDF disables the pair; ``rigid``: no joint moves between them;
            ``neighbours``: one follows the other along the tree, and only links without collision
            geometry lie between; ``close_at_home``: they are too near each other at home.
        text: The reason as a sentence for the page.
        distance_at_home_m: Distance of their hulls at home; negative is the depth of an overlap.
            Known for ``close_at_home`` only.
    """

    link_a: str
    link_b: str
    reason: LeftOutReason
    text: str
    distance_at_home_m: float | None = None


@dataclass(frozen=True)
class LinkPair:
    """Two links that can be kept apart.

    Attributes:
        link_a: Name of one link.
        link_b: Name of the other.
        distance_at_home_m: Distance of their hulls at home; negative is the depth of an overlap.
        shape_pairs: Indices of their pairs of shapes in the collision model's geometry.
    """

    link_a: str
    link_b: str
    distance_at_home_m: float
    shape_pairs: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class PairSelection:
    """Which pairs are kept apart for a given smallest distance.

    Attributes:
        minimum_distance_m: The distance that is meant.
        kept: The pairs that are kept apart.
        left_out: All others whose links both have collision geometry.
        shape_pairs: Indices of all kept pairs of shapes, ascending, shape (n,), read-only.
    """

    minimum_distance_m: float
    kept: tuple[LinkPair, ...]
    left_out: tuple[LeftOutPair, ...]
    shape_pairs: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ClosestPair:
    """The two links that are nearest each other, for the page.

    Attributes:
        link_a: Name of one link.
        link_b: Name of the other.
        distance_m: Distance of their hulls; negative is the depth of an overlap.
        point_a: Point of link a nearest to link b, in the world, m, shape (3,), read-only.
        point_b: Point of link b nearest to link a, in the world, m, shape (3,), read-only.
    """

    link_a: str
    link_b: str
    distance_m: float
    point_a: NDArray[np.float64]
    point_b: NDArray[np.float64]

    def __post_init__(self) -> None:
        """Freeze the points."""
        object.__setattr__(self, "point_a", frozen_array(self.point_a))
        object.__setattr__(self, "point_b", frozen_array(self.point_b))
