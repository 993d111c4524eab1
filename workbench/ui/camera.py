"""Where to look from so that the whole robot is in view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import viser
from numpy.typing import ArrayLike, NDArray

ViewName = Literal["overview", "front", "side", "top"]

FIELD_OF_VIEW_RAD = float(np.radians(75.0))
"""Vertical; viser's own, which stays as it is."""

NARROW_ASPECT = 652 / 800
"""Width to height of the canvas on a 1280 x 800 screen with panels docked at both sides."""

_MARGIN = 1.15
_SMALLEST_DISTANCE_M = 0.1

VIEW_DIRECTIONS: Mapping[ViewName, tuple[float, float, float]] = {
    "overview": (1.0, -0.8, 0.6),
    "front": (1.0, 0.0, 0.0),
    "side": (0.0, -1.0, 0.0),
    # A hair off the vertical, on which "up" would not be defined: the robot looks up the screen.
    "top": (-1e-3, 0.0, 1.0),
}
"""From the robot towards the camera, in the world; robots look along +x, z is up."""


@dataclass(frozen=True, eq=False)
class CameraPlace:
    """Where a camera is and what it looks at, in the world, in m, shape (3,) each."""

    position: NDArray[np.float64]
    look_at: NDArray[np.float64]


def place_camera(
    lower: ArrayLike,
    upper: ArrayLike,
    direction: ArrayLike = VIEW_DIRECTIONS["overview"],
    *,
    aspect: float = NARROW_ASPECT,
) -> CameraPlace:
    """Return the nearest place from which a whole box is seen, with a margin around it.

    Args:
        lower: Lower corner of the box in the world, in m, shape (3,).
        upper: Upper corner, shape (3,).
        direction: From the box towards the camera; not vertical, shape (3,).
        aspect: Width of the picture divided by its height.
    """
    lower, upper = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    centre = 0.5 * (lower + upper)
    backward = np.asarray(direction, dtype=np.float64)
    backward = backward / np.linalg.norm(backward)
    right = np.cross([0.0, 0.0, 1.0], backward)
    right /= np.linalg.norm(right)
    upward = np.cross(backward, right)
    choices = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
    corners = np.where(choices == 0, lower, upper) - centre
    # A corner at x, y, z (towards the camera) is in view when |x| <= (distance - z) tan(half).
    tangent = np.tan(0.5 * FIELD_OF_VIEW_RAD) / _MARGIN
    widths = np.abs(corners @ right) / (tangent * aspect)
    heights = np.abs(corners @ upward) / tangent
    distance = float(np.max(np.maximum(widths, heights) + corners @ backward))
    return CameraPlace(centre + max(distance, _SMALLEST_DISTANCE_M) * backward, centre)


def set_initial_camera(server: viser.ViserServer, place: CameraPlace) -> None:
    """Let new pages, and "reset view", start from a place."""
    server.initial_camera.up = (0.0, 0.0, 1.0)
    server.initial_camera.position = place.position
    server.initial_camera.look_at = place.look_at


def look_from(
    client: viser.ClientHandle, lower: ArrayLike, upper: ArrayLike, view: ViewName | None
) -> None:
    """Move one client's camera so that a box fills its view.

    Args:
        client: Whose camera; its page must have said where it looks once (viser's callbacks for
            new clients come after that).
        lower: Lower corner of the box in the world, in m, shape (3,).
        upper: Upper corner, shape (3,).
        view: From which side; None keeps the side from which the client looks.
    """
    camera = client.camera
    direction = (
        np.asarray(camera.position) - np.asarray(camera.look_at)
        if view is None
        else np.asarray(VIEW_DIRECTIONS[view])
    )
    if not np.linalg.norm(direction[:2]) > 0.0:
        direction = np.asarray(VIEW_DIRECTIONS["top"])
    aspect = camera.aspect if camera.image_height > 0 else NARROW_ASPECT
    move_camera(client, place_camera(lower, upper, direction, aspect=aspect))


def move_camera(client: viser.ClientHandle, place: CameraPlace) -> None:
    """Move one client's camera to a place."""
    camera = client.camera
    with client.atomic():
        camera.up_direction = (0.0, 0.0, 1.0)
        # Setting the position carries the point looked at along, so that comes last.
        camera.position = place.position
        camera.look_at = place.look_at
