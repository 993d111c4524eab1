"""The two links nearest each other, where self-collision is watched: a line with its distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import viser
from numpy.typing import NDArray

from workbench.live.snapshot import StateSnapshot
from workbench.model.collision_pairs import ClosestPair
from workbench.ui.colours import CLOSEST_PAIR_RGB, line_colours
from workbench.ui.markup import one_line

_LINE_WIDTH_PX = 5.0
_POINT_SHARE_OF_SIZE = 0.005
_TEXT_PERIOD_S = 0.1
_NOTICED_M = 1e-5
_NAME_LENGTH_LIMIT = 40


@dataclass(frozen=True, eq=False)
class PairChange:
    """What is new about the closest pair.

    Attributes:
        ends: The two points in the world, in m, shape (2, 3); None where no pair is watched.
        text: The label's text.
        time_s: The loop's time.
    """

    ends: NDArray[np.float32] | None
    text: str
    time_s: float


class ClosestPairMark:
    """The line of one robot; its nodes are made when it is first seen. Used by one thread."""

    def __init__(self, server: viser.ViserServer, *, size_m: float, epoch: int) -> None:
        """Remember where to draw; nothing is drawn before there is a pair.

        Args:
            server: Where to draw.
            size_m: Rough extent of the robot.
            epoch: Number of the robot; the first part of every name.
        """
        self._scene = server.scene
        self._name = f"/c{epoch}"
        self._radius_m = _POINT_SHARE_OF_SIZE * size_m
        self._nodes: _Nodes | None = None
        self._ends: NDArray[np.float32] | None = None
        self._text = ""
        self._text_time_s = -np.inf

    def change(self, snapshot: StateSnapshot) -> PairChange | None:
        """Return what a snapshot changes since the last :meth:`send`, None for nothing."""
        pair, time_s = snapshot.closest_pair, snapshot.time_s
        if pair is None:
            return None if self._ends is None else PairChange(None, "", time_s)
        ends = np.array((pair.point_a, pair.point_b), dtype=np.float32)
        text = pair_text(pair)
        if self._ends is not None and time_s - self._text_time_s < _TEXT_PERIOD_S:
            text = self._text  # Nobody can read faster than this.
        moved = self._ends is None or bool(np.abs(ends - self._ends).max() > _NOTICED_M)
        if not moved and text == self._text:
            return None
        return PairChange(ends if moved else self._ends, text, time_s)

    def send(self, change: PairChange) -> None:
        """Tell the pages."""
        if change.ends is None:
            self._ends, self._text = None, ""
            if self._nodes is not None:
                self._nodes.root.visible = False
            return
        if self._nodes is None:
            self._nodes = _Nodes(self._scene, self._name, self._radius_m)
        self._nodes.root.visible = True
        if change.ends is not self._ends:
            self._nodes.move(change.ends)
            self._ends = change.ends
        if change.text != self._text:
            self._text, self._text_time_s = change.text, change.time_s
            self._nodes.label.text = change.text

    def remove(self) -> None:
        """Take all of it out of the scene."""
        if self._nodes is not None:
            self._nodes.root.remove()


def pair_text(pair: ClosestPair) -> str:
    """Return the label: the distance and the two links."""
    names = (one_line(name, _NAME_LENGTH_LIMIT) for name in (pair.link_a, pair.link_b))
    return f"{distance_text(pair)}: {' to '.join(names)}"


def distance_text(pair: ClosestPair) -> str:
    """Return how far the two links are apart, or how deep they overlap."""
    millimetres = 1e3 * pair.distance_m
    return f"{millimetres:.1f} mm" if millimetres >= 0 else f"overlap {-millimetres:.1f} mm"


class _Nodes:
    """A ball at each point, a line between them, and a label in its middle."""

    def __init__(self, scene: viser.SceneApi, name: str, radius_m: float) -> None:
        self.root = scene.add_frame(name, show_axes=False)
        self._balls = [
            scene.add_icosphere(
                f"{name}/{number}", radius_m, color=CLOSEST_PAIR_RGB, cast_shadow=False
            )
            for number in range(2)
        ]
        self._line = scene.add_line_segments(
            f"{name}/l",
            np.zeros((1, 2, 3), dtype=np.float32),
            line_colours([[CLOSEST_PAIR_RGB, CLOSEST_PAIR_RGB]]),
            thickness=_LINE_WIDTH_PX,
            thickness_units="screen",
        )
        self.label = scene.add_label(f"{name}/d", "", anchor="top-left")

    def move(self, ends: NDArray[np.float32]) -> None:
        for ball, end in zip(self._balls, ends, strict=True):
            ball.position = end
        self._line.points = ends[None]
        self.label.position = ends.mean(axis=0)
