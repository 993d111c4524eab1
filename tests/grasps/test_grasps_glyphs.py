"""Glyphs: where the lines of thousands of grippers are, and which of them a click means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.grasps.glyphs import (
    SEGMENTS_PER_GLYPH,
    GlyphShape,
    glyph_colours,
    glyph_nearest_to_ray,
    glyph_segments,
)
from workbench.poses import Pose

SHAPE = GlyphShape(palm_m=0.05, tip_m=0.1, half_opening_m=0.04)
IDENTITY = [1.0, 0.0, 0.0, 0.0]


def test_a_glyph_is_stem_bar_and_two_fingers() -> None:
    lines = glyph_segments([[0.0, 0.0, 0.0]], [IDENTITY], SHAPE)
    assert lines.shape == (SEGMENTS_PER_GLYPH, 2, 3)
    assert lines.dtype == np.float32
    expected = [
        [[0, 0, 0], [0, 0, 0.05]],
        [[0, -0.04, 0.05], [0, 0.04, 0.05]],
        [[0, -0.04, 0.05], [0, -0.04, 0.1]],
        [[0, 0.04, 0.05], [0, 0.04, 0.1]],
    ]
    assert lines == pytest.approx(np.array(expected), abs=1e-7)


def test_each_grasp_has_its_opening_and_the_gripper_its_axis() -> None:
    across_x = GlyphShape(palm_m=0.05, tip_m=0.1, closing_axis=(1.0, 0.0))
    lines = glyph_segments(np.zeros((2, 3)), [IDENTITY] * 2, across_x, [0.01, 0.02])
    glyphs = lines.reshape(2, SEGMENTS_PER_GLYPH, 2, 3)
    assert glyphs[0, 3, 1] == pytest.approx([0.01, 0.0, 0.1])
    assert glyphs[1, 3, 1] == pytest.approx([0.02, 0.0, 0.1])


numbers = st.floats(-1.0, 1.0)


@given(
    st.lists(numbers, min_size=3, max_size=3),
    st.lists(numbers, min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1),
)
def test_a_glyph_moves_with_its_pose(position: list[float], wxyz: list[float]) -> None:
    pose = Pose(np.array(position), np.array(wxyz))
    at_rest = glyph_segments([[0.0] * 3], [IDENTITY], SHAPE).reshape(-1, 3)
    moved = glyph_segments([pose.translation], [pose.wxyz], SHAPE).reshape(-1, 3)
    assert moved == pytest.approx(pose.act(at_rest), abs=1e-6)


def test_ten_thousand_glyphs_are_one_array() -> None:
    count = 10_000
    lines = glyph_segments(np.zeros((count, 3)), np.tile(IDENTITY, (count, 1)), SHAPE)
    assert lines.shape == (count * SEGMENTS_PER_GLYPH, 2, 3)
    assert glyph_segments([], [], SHAPE).shape == (0, 2, 3)


def test_colours_follow_the_lines() -> None:
    colours = glyph_colours([[255, 0, 0], [0, 0, 255]])
    assert colours.shape == (2 * SEGMENTS_PER_GLYPH, 2, 3)
    assert colours[SEGMENTS_PER_GLYPH - 1, 1].tolist() == [255, 0, 0]
    assert colours[SEGMENTS_PER_GLYPH, 0].tolist() == [0, 0, 255]


def test_a_click_means_the_glyph_nearest_to_the_ray() -> None:
    lines = glyph_segments([[0, 0, 0], [0.3, 0, 0], [0.6, 0, 0]], [IDENTITY] * 3, SHAPE)
    for index, x in enumerate((0.0, 0.3, 0.6)):
        # From far along y, past the stem by 5 mm.
        assert glyph_nearest_to_ray(lines, [x + 0.005, -2.0, 0.02], [0, 3.0, 0]) == index
    assert glyph_nearest_to_ray(lines, [0.15, -2.0, 0.02], [0, 1.0, 0]) is None
    assert glyph_nearest_to_ray(lines, [0.0, -2.0, 0.02], [0, -1.0, 0]) is None
    assert glyph_nearest_to_ray(lines[:0], [0, 0, 0], [0, 1.0, 0]) is None


def test_of_two_in_line_the_nearer_one_is_meant() -> None:
    lines = glyph_segments([[0, 0.5, 0], [0.0001, -0.5, 0]], [IDENTITY] * 2, SHAPE)
    assert glyph_nearest_to_ray(lines, [0, -2.0, 0.02], [0, 1.0, 0]) == 1
    assert glyph_nearest_to_ray(lines, [0, 2.0, 0.02], [0, -1.0, 0]) == 0


def test_a_ray_along_a_line_meets_it() -> None:
    lines = glyph_segments([[0, 0, 0]], [IDENTITY], SHAPE)
    assert glyph_nearest_to_ray(lines, [0, 0, -1.0], [0, 0, 1.0]) == 0
