"""The states that go into a controller and come out of it.

They have the shape of Isaac Sim's ``motion_generation`` types: what is known of some of the names
of a larger space, in that space's order, in single precision; None for what is absent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.isaac.host_array import HostArray, host_array, plain_array

Named = tuple[Sequence[str], Any]
"""Names, and one value (or row of values) for each: anything array-like."""


class _Field:
    """What is known of one quantity.

    Attributes:
        names: The names that have a value, in the space's order.
        indices: Their places in the space, shape (k,), read-only.
        values: One value or row for each, read-only; None when there is none.
    """

    def __init__(self, space: tuple[str, ...], given: Named | None, what: str, width: int | None):
        """Sort values into the order of the space.

        Args:
            space: All names.
            given: Names and values; None for none.
            what: How messages call the values.
            width: Numbers in each row; None for one number for each name.

        Raises:
            ValueError: If a name is unknown or given twice, or the values do not fit.
        """
        places: list[int] = []
        rows = np.zeros((0,) if width is None else (0, width))
        if given is not None:
            names, raw = given
            rows = _rows(names, raw, what, width)
            places = _places(space, names, what)
        order = np.argsort(places, kind="stable") if places else np.zeros(0, dtype=np.int64)
        sorted_places = [places[int(index)] for index in order]
        self.names = [space[place] for place in sorted_places]
        self.indices = host_array(sorted_places, np.int32)
        self.values = host_array(rows[order], np.float32) if places else None


class JointState:
    """What is known of a robot's joints."""

    def __init__(
        self,
        robot_joint_space: Sequence[str],
        positions: Named | None = None,
        velocities: Named | None = None,
        efforts: Named | None = None,
    ) -> None:
        """Sort the values into the order of the joint space; see :meth:`from_name`."""
        space = checked_space(robot_joint_space, "robot_joint_space")
        if positions is None and velocities is None and efforts is None:
            raise ValueError("expected positions, velocities or efforts, got none of them")
        self._space = space
        self._positions = _Field(space, positions, "positions", None)
        self._velocities = _Field(space, velocities, "velocities", None)
        self._efforts = _Field(space, efforts, "efforts", None)

    @classmethod
    def from_name(
        cls,
        robot_joint_space: Sequence[str],
        positions: Named | None = None,
        velocities: Named | None = None,
        efforts: Named | None = None,
    ) -> JointState:
        """Build from names and values.

        Args:
            robot_joint_space: Names of all joints of the robot, in order.
            positions: Names and positions, rad or m, shape (k,) or (1, k); None for none.
            velocities: Names and velocities, rad/s or m/s; None for none.
            efforts: Names and efforts, N m or N; None for none.

        Raises:
            ValueError: If nothing is given, a name is unknown or given twice, or the number of
                values is not that of the names.
        """
        return cls(robot_joint_space, positions, velocities, efforts)

    @classmethod
    def from_index(
        cls,
        robot_joint_space: Sequence[str],
        positions: tuple[Any, Any] | None = None,
        velocities: tuple[Any, Any] | None = None,
        efforts: tuple[Any, Any] | None = None,
    ) -> JointState:
        """Build as :meth:`from_name` does, from places in the joint space instead of names."""
        space = checked_space(robot_joint_space, "robot_joint_space")
        return cls(
            space, _named(space, positions), _named(space, velocities), _named(space, efforts)
        )

    @property
    def robot_joint_space(self) -> list[str]:
        """Names of all joints of the robot, in order."""
        return list(self._space)

    @property
    def position_names(self) -> list[str]:
        """Names of the joints that have a position."""
        return list(self._positions.names)

    @property
    def position_indices(self) -> HostArray:
        """Their places in the joint space, shape (k,)."""
        return self._positions.indices

    @property
    def positions(self) -> HostArray | None:
        """Their positions, rad or m, shape (k,)."""
        return self._positions.values

    @property
    def velocity_names(self) -> list[str]:
        """Names of the joints that have a velocity."""
        return list(self._velocities.names)

    @property
    def velocity_indices(self) -> HostArray:
        """Their places in the joint space, shape (k,)."""
        return self._velocities.indices

    @property
    def velocities(self) -> HostArray | None:
        """Their velocities, rad/s or m/s, shape (k,)."""
        return self._velocities.values

    @property
    def effort_names(self) -> list[str]:
        """Names of the joints that have an effort."""
        return list(self._efforts.names)

    @property
    def effort_indices(self) -> HostArray:
        """Their places in the joint space, shape (k,)."""
        return self._efforts.indices

    @property
    def efforts(self) -> HostArray | None:
        """Their efforts, N m or N, shape (k,)."""
        return self._efforts.values


class SpatialState:
    """What is known of some frames: links, or sites such as a tool."""

    def __init__(
        self,
        spatial_space: Sequence[str],
        positions: Named | None = None,
        orientations: Named | None = None,
        linear_velocities: Named | None = None,
        angular_velocities: Named | None = None,
    ) -> None:
        """Sort the values into the order of the space; see :meth:`from_name`."""
        space = checked_space(spatial_space, "spatial_space")
        given = (positions, orientations, linear_velocities, angular_velocities)
        if all(item is None for item in given):
            raise ValueError("expected positions, orientations or velocities, got none of them")
        self._space = space
        self._positions = _Field(space, positions, "positions", 3)
        self._orientations = _Field(space, orientations, "orientations", 4)
        self._linear = _Field(space, linear_velocities, "linear_velocities", 3)
        self._angular = _Field(space, angular_velocities, "angular_velocities", 3)

    @classmethod
    def from_name(
        cls,
        spatial_space: Sequence[str],
        positions: Named | None = None,
        orientations: Named | None = None,
        linear_velocities: Named | None = None,
        angular_velocities: Named | None = None,
    ) -> SpatialState:
        """Build from names and rows of values.

        Args:
            spatial_space: Names of all frames, in order.
            positions: Names and positions in m, shape (k, 3); None for none.
            orientations: Names and quaternions in w, x, y, z order, shape (k, 4); None for none.
            linear_velocities: Names and velocities in m/s, shape (k, 3); None for none.
            angular_velocities: Names and velocities in rad/s, shape (k, 3); None for none.

        Raises:
            ValueError: If nothing is given, a name is unknown or given twice, or a shape is wrong.
        """
        return cls(spatial_space, positions, orientations, linear_velocities, angular_velocities)

    @classmethod
    def from_index(
        cls,
        spatial_space: Sequence[str],
        positions: tuple[Any, Any] | None = None,
        orientations: tuple[Any, Any] | None = None,
        linear_velocities: tuple[Any, Any] | None = None,
        angular_velocities: tuple[Any, Any] | None = None,
    ) -> SpatialState:
        """Build as :meth:`from_name` does, from places in the space instead of names."""
        space = checked_space(spatial_space, "spatial_space")
        given = (positions, orientations, linear_velocities, angular_velocities)
        return cls(space, *(_named(space, item) for item in given))

    @property
    def spatial_space(self) -> list[str]:
        """Names of all frames, in order."""
        return list(self._space)

    @property
    def position_names(self) -> list[str]:
        """Names of the frames that have a position."""
        return list(self._positions.names)

    @property
    def position_indices(self) -> HostArray:
        """Their places in the space, shape (k,)."""
        return self._positions.indices

    @property
    def positions(self) -> HostArray | None:
        """Their positions in m, shape (k, 3)."""
        return self._positions.values

    @property
    def orientation_names(self) -> list[str]:
        """Names of the frames that have an orientation."""
        return list(self._orientations.names)

    @property
    def orientation_indices(self) -> HostArray:
        """Their places in the space, shape (k,)."""
        return self._orientations.indices

    @property
    def orientations(self) -> HostArray | None:
        """Their quaternions in w, x, y, z order, shape (k, 4)."""
        return self._orientations.values

    @property
    def linear_velocity_names(self) -> list[str]:
        """Names of the frames that have a linear velocity."""
        return list(self._linear.names)

    @property
    def linear_velocities(self) -> HostArray | None:
        """Their linear velocities in m/s, shape (k, 3)."""
        return self._linear.values

    @property
    def angular_velocity_names(self) -> list[str]:
        """Names of the frames that have an angular velocity."""
        return list(self._angular.names)

    @property
    def angular_velocities(self) -> HostArray | None:
        """Their angular velocities in rad/s, shape (k, 3)."""
        return self._angular.values


class RootState:
    """What is known of a robot's root link.

    Attributes:
        position: In m, shape (3,); None where unknown.
        orientation: Quaternion in w, x, y, z order, shape (4,); None where unknown.
        linear_velocity: In m/s, shape (3,); None where unknown.
        angular_velocity: In rad/s, shape (3,); None where unknown.
    """

    def __init__(
        self,
        position: Any = None,
        orientation: Any = None,
        linear_velocity: Any = None,
        angular_velocity: Any = None,
    ) -> None:
        """Keep what is given; raises ValueError for wrong sizes."""
        self.position = _optional_row(position, "position", 3)
        self.orientation = _optional_row(orientation, "orientation", 4)
        self.linear_velocity = _optional_row(linear_velocity, "linear_velocity", 3)
        self.angular_velocity = _optional_row(angular_velocity, "angular_velocity", 3)


class RobotState:
    """What is known of a robot, or what is wanted of it.

    Attributes:
        joints: Its joints; None where unknown.
        sites: Its sites, such as a tool frame; None where unknown.
        root: Its root link; None where unknown.
        links: Its links; None where unknown.
    """

    def __init__(
        self,
        joints: JointState | None = None,
        sites: SpatialState | None = None,
        root: RootState | None = None,
        links: SpatialState | None = None,
    ) -> None:
        """Keep what is given; name all but the first, whose order differs in Isaac Sim."""
        self.joints = joints
        self.root = root
        self.links = links
        self.sites = sites


# Checks --------------------------------------------------------------------------------------


def checked_space(space: Sequence[str], what: str) -> tuple[str, ...]:
    """Return the names of a space; raises ValueError where one stands twice."""
    if isinstance(space, str):
        raise ValueError(f"{what}: expected a list of names, got the text {space!r}")
    names = tuple(str(name) for name in space)
    if len(set(names)) != len(names):
        raise ValueError(f"{what}: a name is given twice in {list(names)}")
    return names


def _rows(names: Sequence[str], raw: Any, what: str, width: int | None) -> NDArray[np.float64]:
    rows = plain_array(raw)
    if isinstance(names, str):
        raise ValueError(f"{what}: expected a list of names, got the text {names!r}")
    if width is None and rows.ndim == 2 and rows.shape[0] == 1:
        rows = rows[0]  # Isaac Sim's articulations answer for a batch of one robot
    expected = (len(names),) if width is None else (len(names), width)
    if rows.shape != expected or not len(names):
        raise ValueError(
            f"{what}: expected values of shape {expected} for {len(names)} names, got {rows.shape}"
        )
    return rows


def _places(space: tuple[str, ...], names: Sequence[str], what: str) -> list[int]:
    if len(set(names)) != len(names):
        raise ValueError(f"{what}: a name is given twice in {list(names)}")
    unknown = [name for name in names if name not in space]
    if unknown:
        raise ValueError(f"{what}: {unknown} are not in the space {list(space)}")
    index_of = {name: index for index, name in enumerate(space)}
    return [index_of[name] for name in names]


def _named(space: tuple[str, ...], given: tuple[Any, Any] | None) -> Named | None:
    if given is None:
        return None
    indices = plain_array(given[0])
    whole = indices.ndim == 1 and np.array_equal(indices, np.floor(indices))
    if not whole or (indices < 0).any() or (indices >= len(space)).any():
        raise ValueError(f"expected places from 0 to {len(space) - 1}, got {indices.tolist()}")
    return [space[int(index)] for index in indices], given[1]


def _optional_row(values: Any, what: str, size: int) -> HostArray | None:
    if values is None:
        return None
    row = plain_array(values).reshape(-1)
    if row.size != size:
        raise ValueError(f"{what}: expected {size} numbers, got {row.size}")
    return host_array(row, np.float32)
