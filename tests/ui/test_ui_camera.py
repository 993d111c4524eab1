"""Cameras: the whole robot is in view, whatever its shape and the canvas's."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import pytest
import viser
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.scene_rig import patient
from tests.wire import WireClient
from workbench.ui.camera import (
    FIELD_OF_VIEW_RAD,
    NARROW_ASPECT,
    VIEW_DIRECTIONS,
    look_from,
    place_camera,
    set_initial_camera,
)

UNIT_BOX = ([-0.5, -0.5, 0.0], [0.5, 0.5, 1.0])


def screen_extent(place: Any, lower: Any, upper: Any, aspect: float) -> float:
    """Return how far from the picture's middle the box reaches; 1 is the picture's edge."""
    forward = place.look_at - place.position
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    choices = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
    rays = np.where(choices == 0, lower, upper) - place.position
    depths = rays @ forward
    assert (depths > 0.0).all(), "part of the box is behind the camera"
    half_height = np.tan(FIELD_OF_VIEW_RAD / 2) * depths
    return float(
        max(
            np.abs(rays @ up / half_height).max(), np.abs(rays @ right / half_height).max() / aspect
        )
    )


corners = st.tuples(*[st.floats(-3.0, 3.0)] * 3)
sizes = st.tuples(*[st.floats(0.2, 3.0)] * 3)


@patient
@given(corners, sizes, st.sampled_from(list(VIEW_DIRECTIONS)), st.floats(0.3, 3.0))
def test_the_whole_box_is_in_view_and_fills_it_from_every_side(corner, size, view, aspect):
    lower, upper = np.array(corner), np.array(corner) + np.array(size)
    place = place_camera(lower, upper, VIEW_DIRECTIONS[view], aspect=aspect)
    assert 0.4 < screen_extent(place, lower, upper, aspect) < 1.0


def test_a_robot_of_no_size_can_be_looked_at():
    place = place_camera([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert np.linalg.norm(place.position - place.look_at) >= 0.1


def test_the_front_is_where_the_robot_looks_and_top_is_above():
    front = place_camera(*UNIT_BOX, VIEW_DIRECTIONS["front"])
    assert front.position[0] > 0.5
    assert front.position[1] == pytest.approx(0.0)
    side = place_camera(*UNIT_BOX, VIEW_DIRECTIONS["side"])
    assert side.position[1] < -0.5
    top = place_camera(*UNIT_BOX, VIEW_DIRECTIONS["top"])
    assert top.position[2] > 1.0
    assert top.position[:2] == pytest.approx([0.0, 0.0], abs=0.01)


class FakeCamera:
    """Behaves as viser's: setting the position carries the point looked at along."""

    image_height = 800

    def __init__(self) -> None:
        self._position = np.array([3.0, 4.0, 5.0])
        self.look_at: Any = np.array([0.0, 0.0, 5.0])
        self.up_direction: Any = np.array([0.0, 1.0, 0.0])
        self.aspect = 1.6

    @property
    def position(self) -> Any:
        return self._position

    @position.setter
    def position(self, value: Any) -> None:
        self.look_at = self.look_at + value - self._position
        self._position = value


class FakePage:
    def __init__(self) -> None:
        self.camera = FakeCamera()

    @contextlib.contextmanager
    def atomic(self) -> Iterator[None]:
        yield


def test_framing_keeps_the_side_from_which_a_page_looks():
    page = FakePage()
    look_from(cast(Any, page), *UNIT_BOX, None)
    direction = page.camera.position - page.camera.look_at
    assert direction / np.linalg.norm(direction) == pytest.approx([0.6, 0.8, 0.0])
    assert page.camera.look_at == pytest.approx([0.0, 0.0, 0.5])
    assert page.camera.up_direction == (0.0, 0.0, 1.0)


def test_a_page_that_looks_straight_down_can_be_framed():
    page = FakePage()
    page.camera.look_at = page.camera.position - [0.0, 0.0, 2.0]
    look_from(cast(Any, page), *UNIT_BOX, None)
    assert page.camera.position[2] > 1.0
    assert np.isfinite(page.camera.position).all()


def test_a_view_uses_the_shape_of_the_page_s_own_canvas():
    wide, narrow = FakePage(), FakePage()
    narrow.camera.aspect = 0.4
    for page in (wide, narrow):
        look_from(cast(Any, page), *UNIT_BOX, "front")
    assert narrow.camera.position[0] > wide.camera.position[0]
    assert narrow.camera.look_at == pytest.approx([0.0, 0.0, 0.5])


def test_a_page_that_connects_starts_with_the_whole_robot_in_view():
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    set_initial_camera(server, place_camera(*UNIT_BOX))
    client = WireClient(f"http://127.0.0.1:{server.get_port()}")
    try:
        said = {m["type"]: m for m in client.replay() if m.get("initial")}
    finally:
        client.close()
        server.stop()
    assert set(said) == {
        "SetCameraPositionMessage", "SetCameraLookAtMessage", "SetCameraUpDirectionMessage",
    }  # fmt: skip
    assert said["SetCameraLookAtMessage"]["look_at"] == pytest.approx([0.0, 0.0, 0.5])
    place = place_camera(*UNIT_BOX, aspect=NARROW_ASPECT)
    assert said["SetCameraPositionMessage"]["position"] == pytest.approx(place.position)
