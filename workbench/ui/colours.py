"""The page's colours: one meaning each, everywhere, and told apart by the colour-blind.

The hues are those of the palette by Okabe and Ito ("Color Universal Design", 2008), which stay
distinct with every common kind of colour vision. No state is told by colour alone: a word, a line
or a label goes with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.live.grasping import GraspState

Rgb = tuple[int, int, int]
StateName = Literal["reached", "with_effort", "converging", "not_reached", "stale", "selected"]


@dataclass(frozen=True)
class StateColour:
    """A colour and what it means.

    Attributes:
        name: The state.
        rgb: Red, green and blue in 0 .. 255.
        label: The state in a word or three, as the legend shows it.
        meaning: One sentence for the legend.
    """

    name: StateName
    rgb: Rgb
    label: str
    meaning: str

    @property
    def css(self) -> str:
        """As style sheets write it: ``#009e73``."""
        return css(self.rgb)


def css(rgb: Rgb) -> str:
    """Return a colour as style sheets write it."""
    return "#{:02x}{:02x}{:02x}".format(*rgb)


def line_colours(rgb: ArrayLike) -> NDArray[np.uint8]:
    """Return the numbers with which viser's lines come out in given colours.

    viser takes the colours of lines for linear ones, and those of everything else for sRGB
    (IEC 61966-2-1, whose decoding function this is).

    Args:
        rgb: Colours in 0 .. 255, shape (..., 3).
    """
    share = np.asarray(rgb, dtype=np.float64) / 255.0
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return np.rint(255.0 * linear).astype(np.uint8)


LEGEND: tuple[StateColour, ...] = (
    StateColour(
        "reached", (0, 158, 115), "reached", "The tool is within 1 mm and 10 mrad of its target."
    ),
    StateColour(
        "with_effort",
        (230, 159, 0),
        "reached with effort",
        "Reached, but near a joint limit or a singularity.",
    ),
    StateColour("converging", (86, 180, 233), "on its way", "The error is still falling."),
    StateColour(
        "not_reached",
        (213, 94, 0),
        "not reached",
        "The tool is as close as it gets, not there.",
    ),
    # Lighter than the purple beside it, which is grey to those without green-sensitive cones.
    StateColour("stale", (180, 180, 180), "stale", "Old: the settings or the robot have moved on."),
    StateColour("selected", (204, 121, 167), "selected", "What you picked."),
)
"""Every state, in the order in which a legend lists them."""

_BY_NAME = {colour.name: colour for colour in LEGEND}


def state_colour(name: StateName) -> StateColour:
    """Return the colour of a state."""
    return _BY_NAME[name]


GRASP_COLOURS: Mapping[GraspState, StateColour] = {
    "reached": StateColour(
        "reached", _BY_NAME["reached"].rgb, "reached",
        "Planned from home, and the straight approach arrives.",
    ),
    "reached_with_retry": StateColour(
        "with_effort", _BY_NAME["with_effort"].rgb, "reached with retry",
        "As reached, but planned from another posture than home.",
    ),
    "approach_fails": StateColour(
        "not_reached", (0, 114, 178), "approach fails",
        "The grasp is reached, the straight way to it is not.",
    ),
    "not_reached": StateColour(
        "not_reached", _BY_NAME["not_reached"].rgb, "not reached", "No posture was found."
    ),
    "running": StateColour(
        "converging", _BY_NAME["converging"].rgb, "being checked", "The check is on."
    ),
    "stale": StateColour(
        "stale", _BY_NAME["stale"].rgb, "stale",
        "Something has moved or changed since it was checked.",
    ),
    "unknown": StateColour("stale", (96, 96, 96), "not checked", "Nobody has checked it yet."),
}  # fmt: skip
"""What a grasp's colour says."""

_GREYED_SHARE = 0.65


def greyed(rgb: Rgb) -> Rgb:
    """Return a colour as it is drawn while it is old: most of the way to that of stale ones."""
    old, grey = np.array(rgb), np.array(_BY_NAME["stale"].rgb)
    red, green, blue = np.rint(old + _GREYED_SHARE * (grey - old)).astype(int).tolist()
    return red, green, blue


COLLISION_RGB: Rgb = (240, 228, 66)
"""Collision meshes, drawn translucent over the visual ones."""

MEASURED_RGB: Rgb = (122, 81, 209)
"""The measured robot, drawn translucent where it is apart from the commanded one."""

CLOSEST_PAIR_RGB: Rgb = (240, 36, 180)
"""The line between the two links nearest each other, while self-collision is watched."""

MISSING_MESH_RGB: Rgb = (0, 0, 0)
"""The origin of the small frame that stands for a mesh that was not found."""

BRAND_RGB: Rgb = (0, 114, 178)
"""Buttons and sliders."""


@dataclass(frozen=True)
class GridColours:
    """The floor's lines, in 0 .. 255, before the page's tone mapping.

    Attributes:
        cell: Of a thin line.
        section: Of every fifth line.
        edge: What both fade into towards the grid's edge.
    """

    cell: Rgb
    section: Rgb
    edge: Rgb


def grid_colours(dark: bool) -> GridColours:
    """Return the floor's colours for the dark or the light page."""
    # The tone mapping (ACES) makes the edge's colour the dark page's background, 20 of 255, and
    # white 226 at most.
    if dark:
        return GridColours(cell=(64, 67, 72), section=(100, 105, 113), edge=(38, 38, 38))
    return GridColours(cell=(206, 210, 216), section=(150, 156, 165), edge=(255, 255, 255))
