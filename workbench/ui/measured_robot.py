"""The measured robot: a second, translucent one, where the hardware is behind its command.

It is there in streaming mode alone, and only while it is apart from the commanded robot. Its
meshes are made when it is first seen: one for each node, without details that nobody sees in a
ghost, so that a robot of six megabytes costs a fraction of that once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import viser
from numpy.typing import NDArray

from workbench.live.bundle import Picture
from workbench.live.snapshot import StateSnapshot
from workbench.model.description import RobotDescription, Shape
from workbench.poses import Pose
from workbench.ui.colours import MEASURED_RGB
from workbench.ui.drawn_shapes import draw_shape
from workbench.ui.moving_nodes import Moves, MovingNodes, apart
from workbench.ui.node_tree import Mount

_OPACITY = 0.4
_CELL_SHARE_OF_SIZE = 1.0 / 300.0
"""Corners nearer each other than this share of the robot's size become one."""
_BASE = 0
"""Index of the base's node."""


@dataclass(frozen=True, eq=False)
class MeasuredChange:
    """What is new about the measured robot.

    Attributes:
        placements: Where its links are, each in its parent link; None where it is not seen.
        moves: What moved of one that was drawn before; None for nothing.
    """

    placements: NDArray[np.float64] | None
    moves: Moves | None = None


class MeasuredRobot:
    """The measured robot of one commanded one. Used by one thread at a time."""

    def __init__(
        self, server: viser.ViserServer, description: RobotDescription, *, epoch: int
    ) -> None:
        """Remember what to draw; nothing is drawn before it is seen."""
        self._scene = server.scene
        self._description = description
        self._root_name = f"/m{epoch}"
        self._nodes: MovingNodes | None = None

    @property
    def visible(self) -> bool:
        """Whether it is seen."""
        return self._nodes is not None and self._nodes.visible

    def change(
        self,
        picture: Picture,
        snapshot: StateSnapshot,
        commanded: NDArray[np.float64],
        *,
        ideal: bool,
    ) -> MeasuredChange | None:
        """Return what a snapshot changes about it since the last :meth:`send`, None for nothing.

        Args:
            picture: Places its links.
            snapshot: Where it is measured.
            commanded: Where the links of the commanded robot are, in the same form.
            ideal: Whether the arm does what it is told at once. What is measured is then the
                command of the tick before, and no second robot.
        """
        placements = None if ideal else _measured_placements(picture, snapshot, commanded)
        if placements is None:
            return MeasuredChange(None) if self.visible else None
        if self._nodes is None:
            return MeasuredChange(placements)
        moves = self._nodes.moves(placements)
        return None if moves is None and self.visible else MeasuredChange(placements, moves)

    def send(self, change: MeasuredChange) -> None:
        """Tell the pages, within ``server.atomic()``."""
        if change.placements is None:
            if self._nodes is not None:
                self._nodes.visible = False
            return
        if self._nodes is None:
            self._nodes = self._draw(change.placements)
        elif change.moves is not None:
            self._nodes.send(change.moves)
        self._nodes.visible = True

    def remove(self) -> None:
        """Take it out of the scene."""
        if self._nodes is not None:
            self._nodes.remove()

    def _draw(self, placements: NDArray[np.float64]) -> MovingNodes:
        description = self._description
        nodes = MovingNodes(self._scene, description.links, placements, self._root_name)
        cell_m = _CELL_SHARE_OF_SIZE * description.size_m
        for name, shape in shapes_by_node(description, nodes.mounts, cell_m).items():
            draw_shape(self._scene, f"{name}/v", shape, Pose(), opacity=_OPACITY, rgb=MEASURED_RGB)
        return nodes


def _measured_placements(
    picture: Picture, snapshot: StateSnapshot, commanded: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Return where the measured links are; None where they are those of the commanded robot."""
    view = snapshot.streaming
    if view is None or view.measured is None or not np.isfinite(view.measured).all():
        return None
    if np.array_equal(view.measured, snapshot.positions):
        return None
    placements = picture.local_placements(view.measured, snapshot.transform_base_to_world)
    return placements if apart(placements, commanded) else None


def shapes_by_node(
    description: RobotDescription, mounts: Mapping[str, Mount], cell_m: float
) -> dict[str, Shape]:
    """Return all that hangs on each node as one shape in that node's frame, by the node's name.

    The base's is left out: nothing measures a base, so that the two robots share it.

    Args:
        description: The robot.
        mounts: Where each link hangs.
        cell_m: Corners of a shape nearer each other than this become one, in m.
    """
    parts: dict[str, list[Shape]] = {}
    for shape in description.visuals:
        mount = mounts[shape.link]
        if mount.index == _BASE:
            continue
        vertices = (mount.transform_link_to_node @ shape.pose).act(shape.vertices)
        parts.setdefault(mount.name, []).append(
            Shape(shape.link, Pose(), *thinned(vertices, shape.faces, cell_m))
        )
    return {name: _joined(shapes) for name, shapes in parts.items()}


def thinned(
    vertices: NDArray[np.floating], faces: NDArray[np.uint32], cell_m: float
) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Return a mesh with one corner for all those in the same cell of a grid.

    Args:
        vertices: Corners, shape (n, 3), in m.
        faces: Numbers of each triangle's corners, shape (m, 3).
        cell_m: Edge of a cell, in m.
    """
    cells = np.floor(vertices / cell_m).astype(np.int64)
    cells -= cells.min(axis=0, initial=0)
    keys = np.ravel_multi_index(cells.T, cells.max(axis=0, initial=0) + 1)
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    corners = number[faces]
    flat = (corners == np.roll(corners, 1, axis=1)).any(axis=1)
    return vertices[first].astype(np.float32), corners[~flat].astype(np.uint32)


def _joined(shapes: list[Shape]) -> Shape:
    starts = np.cumsum([0, *(len(shape.vertices) for shape in shapes[:-1])])
    faces = [shape.faces + np.uint32(start) for shape, start in zip(shapes, starts, strict=True)]
    vertices = np.concatenate([shape.vertices for shape in shapes])
    return Shape(shapes[0].link, Pose(), vertices, np.concatenate(faces))
