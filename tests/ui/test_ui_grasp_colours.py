"""Colours of grasps: each state its own, told apart with every common kind of colour vision."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.live.grasping import GRASP_STATES
from workbench.ui.colours import GRASP_COLOURS, state_colour
from workbench.ui.markup import plain
from workbench.ui.panels.scene import legend_html

# Complete lack of one kind of cones, in linear RGB: Machado, Oliveira and Fernandes, "A
# Physiologically-based Model for Simulation of Color Vision Deficiency", 2009.
VISIONS = {
    "ordinary": np.eye(3),
    "protanopia": np.array([
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]),
    "deuteranopia": np.array([
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]),
    "tritanopia": np.array([
        [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ]),
}  # fmt: skip

LINEAR_RGB_TO_XYZ = np.array([
    [0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505],
])  # fmt: skip
"""IEC 61966-2-1."""

JUST_DIFFERENT = 2.3
"""Distance in CIELAB at which two colours side by side begin to look different."""


def lab(rgb: tuple[int, int, int], vision: NDArray[np.float64]) -> NDArray[np.float64]:
    share = np.array(rgb) / 255.0
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    xyz = LINEAR_RGB_TO_XYZ @ np.clip(vision @ linear, 0.0, 1.0)
    x, y, z = np.cbrt(np.maximum(xyz / LINEAR_RGB_TO_XYZ.sum(axis=1), 0.008856))
    return np.array([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)])


@pytest.mark.parametrize("vision", VISIONS)
def test_no_two_states_look_alike(vision: str) -> None:
    colours = {name: colour.rgb for name, colour in GRASP_COLOURS.items()}
    colours["selected"] = state_colour("selected").rgb
    for (one, first), (other, second) in combinations(colours.items(), 2):
        distance = np.linalg.norm(lab(first, VISIONS[vision]) - lab(second, VISIONS[vision]))
        assert distance > 4 * JUST_DIFFERENT, (one, other)


def test_every_state_has_a_colour_a_word_and_a_place_in_the_legend() -> None:
    assert set(GRASP_COLOURS) == set(GRASP_STATES)
    labels = [colour.label for colour in GRASP_COLOURS.values()]
    assert len(set(labels)) == len(labels)
    html = legend_html()
    for colour in (*GRASP_COLOURS.values(), state_colour("selected")):
        assert colour.css in html
        assert plain(colour.label) in html
        assert plain(colour.meaning) in html
