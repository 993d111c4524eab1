"""Which nodes of the scene a robot needs, what they are called, and where each link hangs.

Only links that move get a node of their own; whatever belongs to a link that is fixed to another
hangs on that one's node instead. Names are short because every message about a node carries its
whole path: ``/r3`` is the third robot's base and ``/r3/0/0`` the link after its second joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.model.description import Link
from workbench.poses import Pose


@dataclass(frozen=True, eq=False)
class Mount:
    """Where a link's belongings hang.

    Attributes:
        index: Number of the node in :attr:`NodeTree.names`.
        name: Name of that node.
        transform_link_to_node: The link's placement in it; constant.
    """

    index: int
    name: str
    transform_link_to_node: Pose


class NodeTree:
    """The nodes of one robot, parents before children; the first is the base.

    Attributes:
        names: Full name of each node.
        mounts: Where each link hangs, by the link's name, in the description's order.
        translates: Whether a node's position changes as well as its orientation, shape (m,).
    """

    def __init__(
        self, links: Sequence[Link], placements: NDArray[np.float64], root_name: str
    ) -> None:
        """Lay out the tree.

        Args:
            links: The picture's tree, parents before children.
            placements: Each link's placement in its parent link: x, y, z, then w, x, y, z; shape
                (number of links, 7). Of links that do not move it is taken for good.
            root_name: Name of the base's node.
        """
        self.names: list[str] = []
        self.mounts: dict[str, Mount] = {}
        rows: list[int] = []
        parents: list[int] = []
        offsets: list[Pose] = []
        child_counts: dict[str, int] = {}
        for row, link in enumerate(links):
            parent = None if link.parent is None else self.mounts[link.parent]
            if parent is not None and not link.moves:
                placement = parent.transform_link_to_node @ pose_of_row(placements[row])
                self.mounts[link.name] = Mount(parent.index, parent.name, placement)
                continue
            name = root_name
            if parent is not None:
                number = child_counts.get(parent.name, 0)
                child_counts[parent.name] = number + 1
                name = f"{parent.name}/{number}"
            self.mounts[link.name] = Mount(len(rows), name, Pose())
            self.names.append(name)
            rows.append(row)
            parents.append(-1 if parent is None else parent.index)
            offsets.append(Pose() if parent is None else parent.transform_link_to_node)
        self.translates = np.array([links[row].translates for row in rows])
        self._rows = np.array(rows, dtype=np.intp)
        self._parents = parents
        # A node's placement in its parent node is the joint's, moved by where the parent link
        # hangs in that node: two products that are the same for every frame.
        self._rotations = np.array([offset.rotation for offset in offsets])
        self._translations = np.array([offset.translation for offset in offsets])
        self._left_products = np.array([_left_product(offset.wxyz) for offset in offsets])

    def node_placements(self, placements: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return each node's placement in its parent node, one row a node, shape (m, 7)."""
        rows = placements[self._rows]
        result = np.empty_like(rows)
        result[:, :3] = (self._rotations @ rows[:, :3, None])[:, :, 0] + self._translations
        result[:, 3:] = (self._left_products @ rows[:, 3:, None])[:, :, 0]
        return result

    def transforms_to_world(self, node_placements: NDArray[np.float64]) -> list[Pose]:
        """Return each node's pose in the world."""
        poses: list[Pose] = []
        for row, parent in zip(node_placements, self._parents, strict=True):
            local = pose_of_row(row)
            poses.append(local if parent < 0 else poses[parent] @ local)
        return poses


def pose_of_row(row: NDArray[np.float64]) -> Pose:
    """Return the pose that a row x, y, z, w, x, y, z stands for."""
    return Pose(row[:3], row[3:])


def _left_product(wxyz: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix that multiplies a quaternion by this one from the left, shape (4, 4)."""
    w, x, y, z = wxyz
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
