"""Where the picture's links are: forward kinematics by the URDF's own semantics.

The picture needs each link's placement in its *parent link*, because the scene nests its nodes
along the tree and then sends one quaternion for a joint that turned. Everything that does not
depend on the joint positions is computed once; a frame costs a handful of numpy calls, whatever
the number of joints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from workbench.errors import RobotError
from workbench.model.description import Follower
from workbench.model.links import kinematic_tree, numbers, origin_pose
from workbench.poses import Pose, multiply_wxyz

_ROTATING = ("revolute", "continuous")


class LinkPicture:
    """Places the links of one robot; see :class:`workbench.live.bundle.Picture`.

    A joint that is neither solved for, nor held, nor a follower stays at zero. Joints of other
    kinds than revolute, continuous and prismatic stay at their origin.
    """

    def __init__(
        self,
        robot_element: Element,
        joint_names: Sequence[str],
        held: Mapping[str, float] | None = None,
        followers: Iterable[Follower] = (),
        fingers: Sequence[str] = (),
    ) -> None:
        """Precompute all that is constant.

        Args:
            robot_element: The ``<robot>`` element.
            joint_names: Names of the joints whose positions will be given, in their order.
            held: Positions of joints that never move, rad or m.
            followers: Mimic joints. They take precedence over a held position.
            fingers: Those of the held joints that may be shown elsewhere.

        Raises:
            RobotError: If followers follow each other in a circle, or an axis is zero.
        """
        tree = kinematic_tree(robot_element)
        law = _PositionLaw([*joint_names, *fingers], held or {}, followers)
        self._fingers = {name: (held or {}).get(name, 0.0) for name in fingers}
        self._link_names = tuple(link.name for link in tree)
        self._parents = tuple(-1 if link.parent is None else link.parent for link in tree)
        self._position_count = len(joint_names)
        # Rows at rest: x, y, z, then w, x, y, z.
        self._placements = np.zeros((len(tree), 7))
        self._placements[:, 3] = 1.0
        turning: list[_Turning] = []
        sliding: list[_Sliding] = []
        for row, link in enumerate(tree):
            if link.joint is None:
                continue
            origin = origin_pose(link.joint)
            self._placements[row, :3] = origin.translation
            self._placements[row, 3:] = origin.wxyz
            kind = link.joint.get("type")
            if kind in _ROTATING:
                turning.append(_Turning(row, link.joint, origin, law))
            elif kind == "prismatic":
                sliding.append(_Sliding(row, link.joint, origin, law))
        for joint in turning:
            self._placements[joint.row, 3:] = joint.wxyz_at(joint.offset)
        for joint in sliding:
            self._placements[joint.row, :3] = joint.translation_at(joint.offset)

        moved = [joint for joint in turning if joint.factor != 0.0]
        self._turning_rows = _indices(joint.row for joint in moved)
        self._turning_columns = _indices(joint.column for joint in moved)
        self._half_factors = np.array([0.5 * joint.factor for joint in moved])
        self._half_offsets = np.array([0.5 * joint.offset for joint in moved])
        self._wxyz_of_cosine = np.array([joint.wxyz_of_cosine for joint in moved]).reshape(-1, 4)
        self._wxyz_of_sine = np.array([joint.wxyz_of_sine for joint in moved]).reshape(-1, 4)

        slid = [joint for joint in sliding if joint.factor != 0.0]
        self._sliding_rows = _indices(joint.row for joint in slid)
        self._sliding_columns = _indices(joint.column for joint in slid)
        self._factors = np.array([joint.factor for joint in slid])[:, None]
        self._directions = np.array([joint.direction for joint in slid]).reshape(-1, 3)
        self._slid_at_zero = self._placements[self._sliding_rows, :3]

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links, one a row, parents before children."""
        return self._link_names

    def local_placements(
        self,
        positions: NDArray[np.float64],
        transform_base_to_world: Pose,
        fingers: Mapping[str, float] | None = None,
    ) -> NDArray[np.float64]:
        """Return each link's placement in its parent link.

        Args:
            positions: Joint positions in the order of ``joint_names``, rad or m, shape (n,).
            transform_base_to_world: Pose of the root link.
            fingers: Where fingers are that nobody solves for, by name, rad or m; those that are
                not named are where they are held.

        Returns:
            One row a link: x, y, z in m, then the quaternion w, x, y, z; shape
            (number of links, 7). The root's row is its pose in the world.

        Raises:
            ValueError: If the number of positions is wrong.
        """
        positions = np.asarray(positions, dtype=np.float64)
        if positions.shape != (self._position_count,):
            raise ValueError(f"expected {self._position_count} positions, got {positions.shape}")
        if self._fingers:
            shown = {**self._fingers, **(fingers or {})}
            positions = np.append(positions, [shown[name] for name in self._fingers])
        placements = self._placements.copy()
        placements[0, :3] = transform_base_to_world.translation
        placements[0, 3:] = transform_base_to_world.wxyz
        if len(self._turning_rows):
            half_angles = self._half_factors * positions[self._turning_columns]
            half_angles += self._half_offsets
            placements[self._turning_rows, 3:] = (
                np.cos(half_angles)[:, None] * self._wxyz_of_cosine
                + np.sin(half_angles)[:, None] * self._wxyz_of_sine
            )
        if len(self._sliding_rows):
            distances = self._factors * positions[self._sliding_columns, None]
            placements[self._sliding_rows, :3] = self._slid_at_zero + distances * self._directions
        return placements

    def world_placements(
        self, positions: NDArray[np.float64], transform_base_to_world: Pose | None = None
    ) -> NDArray[np.float64]:
        """Return each link's placement in the world, shape (number of links, 4, 4).

        Args:
            positions: As for :meth:`local_placements`.
            transform_base_to_world: Pose of the root link; identity by default.
        """
        matrices = _matrices(self.local_placements(positions, transform_base_to_world or Pose()))
        for row, parent in enumerate(self._parents):
            if parent >= 0:
                matrices[row] = matrices[parent] @ matrices[row]
        return matrices


class _PositionLaw:
    """Each joint's position as ``factor * positions[column] + offset``, mimic chains resolved."""

    def __init__(
        self,
        joint_names: Sequence[str],
        held: Mapping[str, float],
        followers: Iterable[Follower],
    ) -> None:
        self._columns = {name: column for column, name in enumerate(joint_names)}
        self._held = held
        self._followers = {follower.name: follower for follower in followers}

    def of(self, joint_name: str) -> tuple[int, float, float]:
        """Return column, factor and offset; a joint that never moves has factor 0."""
        factor, offset = 1.0, 0.0
        seen = {joint_name}
        while (follower := self._followers.get(joint_name)) is not None:
            offset += factor * follower.offset
            factor *= follower.multiplier
            joint_name = follower.leader
            if joint_name in seen:
                raise RobotError("mimic joints follow each other in a circle", field=joint_name)
            seen.add(joint_name)
        column = self._columns.get(joint_name)
        if column is None:
            return 0, 0.0, factor * self._held.get(joint_name, 0.0) + offset
        return column, factor, offset


class _Turning:
    """A revolute or continuous joint: the quaternion is linear in cosine and sine of a / 2."""

    def __init__(self, row: int, joint: Element, origin: Pose, law: _PositionLaw) -> None:
        self.row = row
        self.column, self.factor, self.offset = law.of(joint.get("name", ""))
        self.wxyz_of_cosine = origin.wxyz
        self.wxyz_of_sine = multiply_wxyz(origin.wxyz, [0.0, *_unit_axis(joint)])

    def wxyz_at(self, angle: float) -> NDArray[np.float64]:
        return np.cos(0.5 * angle) * self.wxyz_of_cosine + np.sin(0.5 * angle) * self.wxyz_of_sine


class _Sliding:
    """A prismatic joint: the translation is linear in the position."""

    def __init__(self, row: int, joint: Element, origin: Pose, law: _PositionLaw) -> None:
        self.row = row
        self.column, self.factor, self.offset = law.of(joint.get("name", ""))
        self._origin = origin.translation
        self.direction = origin.rotation @ _unit_axis(joint)

    def translation_at(self, distance: float) -> NDArray[np.float64]:
        return self._origin + distance * self.direction


def _unit_axis(joint: Element) -> NDArray[np.float64]:
    element = joint.find("axis")
    text = None if element is None else element.get("xyz")
    axis = np.array(numbers(text, 3, (1.0, 0.0, 0.0)))
    length = float(np.linalg.norm(axis))
    if length == 0.0:
        raise RobotError("has an axis of length zero", field=joint.get("name"))
    return axis / length


def _indices(values: Iterable[int]) -> NDArray[np.intp]:
    return np.array(list(values), dtype=np.intp)


def _matrices(placements: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return homogeneous matrices, shape (n, 4, 4), of rows x, y, z, w, x, y, z."""
    w, x, y, z = placements[:, 3:].T
    matrices = np.zeros((len(placements), 4, 4))
    matrices[:, 0, 0] = 1 - 2 * (y * y + z * z)
    matrices[:, 0, 1] = 2 * (x * y - w * z)
    matrices[:, 0, 2] = 2 * (x * z + w * y)
    matrices[:, 1, 0] = 2 * (x * y + w * z)
    matrices[:, 1, 1] = 1 - 2 * (x * x + z * z)
    matrices[:, 1, 2] = 2 * (y * z - w * x)
    matrices[:, 2, 0] = 2 * (x * z - w * y)
    matrices[:, 2, 1] = 2 * (y * z + w * x)
    matrices[:, 2, 2] = 1 - 2 * (x * x + y * y)
    matrices[:, :3, 3] = placements[:, :3]
    matrices[:, 3, 3] = 1.0
    return matrices
