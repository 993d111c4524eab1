"""The page's colours: one meaning each, everywhere, and told apart by the colour-blind.

The hues are those of the palette by Okabe and Ito ("Color Universal Design", 2008), which stay
distinct with every common kind of colour vision. No state is told by colour alone: a word, a line
or a label goes with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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


def line_rgb(rgb: Rgb) -> Rgb:
    """Return the numbers with which viser's lines come out in a colour.

    viser takes the colours of lines for linear ones, and those of everything else for sRGB
    (IEC 61966-2-1, whose decoding function this is).
    """
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in (number / 255.0 for number in rgb)
    )
    return round(255.0 * red), round(255.0 * green), round(255.0 * blue)


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
    StateColour("stale", (153, 153, 153), "stale", "Old: the settings or the robot have moved on."),
    StateColour("selected", (204, 121, 167), "selected", "What you picked."),
)
"""Every state, in the order in which a legend lists them."""

_BY_NAME = {colour.name: colour for colour in LEGEND}


def state_colour(name: StateName) -> StateColour:
    """Return the colour of a state."""
    return _BY_NAME[name]


COLLISION_RGB: Rgb = (240, 228, 66)
"""Collision meshes, drawn translucent over the visual ones."""

MISSING_MESH_RGB: Rgb = (0, 0, 0)
"""The origin of the small frame that stands for a mesh that was not found."""

BRAND_RGB: Rgb = (0, 114, 178)
"""Buttons and sliders."""


@dataclass(frozen=True)
class GridColours:
    """Lines of the floor's grid, in 0 .. 255."""

    cell: Rgb
    section: Rgb


def grid_colours(dark: bool) -> GridColours:
    """Return the floor's colours for the dark or the light page."""
    if dark:
        return GridColours(cell=(58, 61, 66), section=(92, 97, 105))
    return GridColours(cell=(216, 219, 224), section=(168, 174, 183))
