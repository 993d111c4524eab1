"""A robot's nodes in the scene, and what is sent when it moves: no more than what moved.

A joint that turned is one orientation of its node, and everything that hangs behind it follows. The
nodes' short names matter: see :mod:`workbench.ui.node_tree`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import viser
from numpy.typing import NDArray
from viser import _messages

from workbench.model.description import Link
from workbench.poses import Pose
from workbench.ui.node_tree import Mount, NodeTree

_QUANTUM = 2.0**-22
"""What poses are rounded to, in m and in a quaternion's components."""

_NOTICED = 0.75 * _QUANTUM
"""More than half a step, so that a number between two steps does not flicker between them."""


@dataclass(frozen=True, eq=False)
class Moves:
    """What of a robot moved.

    Attributes:
        placements: Each node's placement in its parent node, shape (m, 7).
        nodes: Which nodes moved, shape (k,).
        turned: Which of those turned, shape (k,).
        shifted: Which of those changed their position, shape (k,).
    """

    placements: NDArray[np.float64]
    nodes: NDArray[np.intp]
    turned: NDArray[np.bool_]
    shifted: NDArray[np.bool_]


class MovingNodes:
    """The nodes of one robot, nested along its tree. Used by one thread at a time."""

    def __init__(
        self,
        scene: viser.SceneApi,
        links: Sequence[Link],
        placements: NDArray[np.float64],
        root_name: str,
    ) -> None:
        """Add them, the root hidden.

        Args:
            scene: Where to.
            links: The picture's tree, parents before children.
            placements: Each link's placement in its parent link, as
                :meth:`workbench.live.bundle.Picture.local_placements` returns them.
            root_name: Name of the base's node.
        """
        self._scene = scene
        self._tree = NodeTree(links, placements, root_name)
        self._placements = self._tree.node_placements(placements)
        self._sent = _rounded(self._placements)
        self._nodes = [self._add_node(index) for index in range(len(self._tree.names))]

    @property
    def mounts(self) -> Mapping[str, Mount]:
        """Where each link's belongings hang, by the link's name."""
        return self._tree.mounts

    @property
    def visible(self) -> bool:
        """Whether the robot is seen."""
        return self._nodes[0].visible

    @visible.setter
    def visible(self, visible: bool) -> None:
        self._nodes[0].visible = visible

    def remove(self) -> None:
        """Take the nodes and all that hangs on them out of the scene."""
        self._nodes[0].remove()

    def moves(self, placements: NDArray[np.float64]) -> Moves | None:
        """Return what moved since the last :meth:`send`, None for nothing.

        Numbers are rounded to a quarter of a micrometre and of a microradian: a solver's noise
        about its rest is no motion, and rounded numbers take fewer bytes when they are packed.

        Args:
            placements: As for the constructor.
        """
        placements = self._tree.node_placements(placements)
        changed = np.abs(placements - self._sent) > _NOTICED
        turned = np.any(changed[:, 3:], axis=1)
        shifted = np.any(changed[:, :3], axis=1) & self._tree.translates
        nodes = np.flatnonzero(turned | shifted)
        if not len(nodes):
            return None
        return Moves(placements, nodes, turned[nodes], shifted[nodes])

    def send(self, moves: Moves) -> None:
        """Tell the pages what moved: one message for each joint, within ``server.atomic()``."""
        self._placements = moves.placements
        rows = _rounded(moves.placements[moves.nodes])
        self._sent[moves.nodes] = rows
        for index, row, turned, shifted in zip(
            moves.nodes.tolist(), rows.tolist(), moves.turned, moves.shifted, strict=True
        ):
            node = self._nodes[index]
            if turned:
                set_orientation(self._scene, node, tuple(row[3:]))
            if shifted:
                node.position = tuple(row[:3])

    def transforms_to_world(self) -> list[Pose]:
        """Return each node's pose in the world."""
        return self._tree.transforms_to_world(self._placements)

    def _add_node(self, index: int) -> viser.FrameHandle:
        return self._scene.add_frame(
            self._tree.names[index],
            show_axes=False,
            position=self._placements[index, :3],
            wxyz=self._placements[index, 3:],
            visible=index != 0,
        )


def set_orientation(
    scene: viser.SceneApi, node: viser.SceneNodeHandle, wxyz: tuple[float, ...]
) -> None:
    """Turn a node, as assigning to ``node.wxyz`` does, in a quarter of the time.

    The property compares with a tolerance first (30 us of 45), which :meth:`MovingNodes.moves` has
    done for all nodes at once. The handle's own state is kept, as the property keeps it; the
    message stays in the buffer that a page replays when it connects.
    """
    node.wxyz[:] = wxyz
    scene._queue_scene_message(_messages.SetOrientationMessage(node.name, wxyz))  # pyright: ignore[reportArgumentType]


def apart(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Tell whether two robots' links are placed differently, by more than rounding.

    Args:
        one: A placement a row: x, y, z, then w, x, y, z; shape (m, 7).
        other: Those of the other robot. A quaternion and its negative are the same orientation.
    """
    turned = np.minimum(np.abs(one - other), np.abs(one + other))[:, 3:]
    shifted = np.abs(one - other)[:, :3]
    return bool(turned.max(initial=0.0) > _NOTICED or shifted.max(initial=0.0) > _NOTICED)


def _rounded(placements: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.rint(placements / _QUANTUM) * _QUANTUM
