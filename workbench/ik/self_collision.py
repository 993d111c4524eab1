"""Keeps the links of a robot apart: a Pink barrier on the distances of convex hulls.

Pink's own barrier computes the distance of every pair of triangle meshes at every tick, and asks
links that overlap from the start to part at once. This one works on the hulls of
:mod:`workbench.model.collision`, looks at the nearest pairs only, and never asks for more than the
joints can do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pink
import pinocchio
from numpy.typing import NDArray
from pink.barriers import Barrier

from workbench.errors import SolverError
from workbench.ik.bounds import JointBounds
from workbench.model.collision_nearest import NearestPairs, Proximity
from workbench.model.collision_pairs import ClosestPair

if TYPE_CHECKING:
    from workbench.model.collision import CollisionModel
    from workbench.model.robot import Robot

Vector = NDArray[np.float64]

_SHARE_OF_REACH = 0.5
"""Links that are too close are asked to part with at most this share of what the joints can do."""

_TOLERATED_SHARE = 0.05
"""Share of the smallest distance by which a step may go below it; the next one makes it good."""

_ROUNDING_M = 1e-9


class SelfCollisionSettings(Protocol):
    """What of a self-collision barrier a user can set."""

    @property
    def minimum_distance_m(self) -> float:
        """Smallest distance of two links, m."""
        ...

    @property
    def gain(self) -> float:
        """Share of the room left that may be used up in a second, 1/s."""
        ...

    @property
    def safe_displacement_gain(self) -> float:
        """Weight of standing still."""
        ...

    @property
    def pairs(self) -> int:
        """How many of the nearest pairs of hulls are kept apart at every step."""
        ...


class HullDistanceBarrier(Barrier):
    r"""Pink barrier :math:`h_i = d_i(q) - d_\text{min}` for the nearest pairs of hulls.

    A row keeps :math:`J_i \dot{q} \geq -\alpha h_i`, with the gain :math:`\alpha` lowered to one
    over the time step where it is larger: the room that is left can be used up once, not more.
    Where links are too close already (:math:`h_i < 0`) the right-hand side, the speed at which
    they have to part, is at most half of what the joints can do within their bounds. With
    ``demand_recovery`` off they only must not come closer, which standing still always satisfies.

    The rows hold for the nearest points of this moment. Other points may be nearer after a step:
    faces turn towards each other, and pairs that were too many to have a row come along.
    :meth:`foresee` looks there, and adds rows for what it finds.

    Attributes:
        minimum_distance_m: The distance that is kept, m.
        demand_recovery: Whether links that are too close have to part.
        is_pressing: Whether the last inequalities ask links to part.
    """

    def __init__(
        self,
        nearest: NearestPairs,
        *,
        minimum_distance_m: float,
        gain: float,
        pair_count: int,
        bounds: JointBounds,
        safe_displacement_gain: float = 0.0,
    ) -> None:
        """Start without a configuration.

        Args:
            nearest: Finds the nearest pairs; the barrier's own.
            minimum_distance_m: Distance to keep, at least 0.
            gain: Barrier gain, 1/s, positive.
            pair_count: How many pairs to keep apart at every step; all when there are fewer.
            bounds: Joint and velocity limits in force.
            safe_displacement_gain: Weight of standing still.
        """
        dim = min(pair_count, nearest.pair_count)
        super().__init__(dim, float(gain), safe_displacement_gain=float(safe_displacement_gain))
        self.minimum_distance_m = float(minimum_distance_m)
        self.demand_recovery = True
        self.is_pressing = False
        self._nearest = nearest
        self._bounds = bounds
        self._q: Vector | None = None
        self._proximities: tuple[Proximity, ...] = ()
        self._room = np.zeros(0)
        self._jacobian = np.zeros((0, 0))
        self._foreseen_data: pinocchio.Data | None = None
        self._foreseen: tuple[Vector, tuple[Proximity, ...]] | None = None
        self._added: list[Proximity] = []

    def compute_barrier(self, configuration: pink.Configuration) -> Vector:
        """Return how much room is left between the nearest pairs, m, nearest first, shape (n,)."""
        self._look_at(configuration)
        return self._room

    def compute_jacobian(self, configuration: pink.Configuration) -> Vector:
        """Return the derivatives of :meth:`compute_barrier`, m/rad or m/m, shape (n, nv)."""
        self._look_at(configuration)
        return self._jacobian

    def compute_qp_objective(self, configuration: pink.Configuration) -> tuple[Vector, Vector]:
        """Return Pink's ``(H, c)``: a weight on moving at all, none by default."""
        nv = configuration.model.nv
        weight = np.zeros((nv, nv))
        if self.safe_displacement_gain > 0.0:
            squared_norm = float(np.sum(self.compute_jacobian(configuration) ** 2))
            if squared_norm > 0.0:
                np.fill_diagonal(weight, self.safe_displacement_gain / squared_norm)
        return weight, np.zeros(nv)

    def compute_qp_inequalities(
        self, configuration: pink.Configuration, dt: float = 1e-3
    ) -> tuple[Vector, Vector]:
        """Return ``(G, h)`` with ``G dq <= h``, in m/s: the nearest pairs, then what was foreseen.

        Args:
            configuration: Where the robot is.
            dt: Time step, s.
        """
        room, jacobian = self.compute_barrier(configuration), self._jacobian
        if self._added:
            gaps = np.array([near.normal @ (near.point_b - near.point_a) for near in self._added])
            room = np.concatenate((room, gaps - self.minimum_distance_m))
            jacobian = np.vstack((jacobian, _jacobian(configuration, self._added)))
        speeds = np.minimum(self.gain[0], 1.0 / dt) * room
        too_close = room < 0.0
        if too_close.any():
            limit = np.zeros(len(room))
            if self.demand_recovery:
                lower, upper = self._bounds.box(configuration, dt)
                limit = _SHARE_OF_REACH * _largest_products(jacobian, lower, upper) / dt
            speeds[too_close] = np.maximum(speeds, -limit)[too_close]
        self.is_pressing = bool((speeds < 0.0).any())
        return -jacobian / dt, speeds

    def row_pairs(self) -> tuple[tuple[str, str], ...]:
        """Return the two links behind each row of the last inequalities, in their order."""
        pairs = map(self._nearest.described, (*self._proximities, *self._added))
        return tuple((pair.link_a, pair.link_b) for pair in pairs)

    def closest_pair(self, configuration: pink.Configuration) -> ClosestPair | None:
        """Return the two links that are nearest each other; the next tick there uses it again."""
        self._look_at(configuration)
        return self._nearest.described(self._proximities[0]) if self._proximities else None

    def foresee(self, configuration: pink.Configuration, displacement: Vector) -> bool:
        """Look whether a step is safe, and add a row for every pair that it brings too close.

        A pair that is too close already may stay so, but not come closer.

        Args:
            configuration: Where the robot is.
            displacement: The step, shape (nv,).

        Returns:
            Whether all pairs keep their distance, short of a twentieth.
        """
        self._look_at(configuration)
        model = configuration.model
        data = self._foreseen_data = self._foreseen_data or model.createData()
        q = self._bounds.clamp(pinocchio.integrate(model, configuration.q, displacement))
        pinocchio.forwardKinematics(model, data, q)
        found = self._nearest.nearest(data, self.dim)
        self._foreseen = q, found
        now = {near.pair: near.distance_m for near in self._proximities}
        farther = self._proximities[-1].distance_m if self._proximities else 0.0
        floor = (1.0 - _TOLERATED_SHARE) * self.minimum_distance_m
        close = [
            near
            for near in found
            if near.distance_m < min(floor, now.get(near.pair, farther)) - _ROUNDING_M
        ]
        # What hangs on a joint now where it will be then.
        back = [
            place * there.inverse()
            for place, there in zip(configuration.data.oMi, data.oMi, strict=True)
        ] if close else []  # fmt: skip
        self._added += [
            near._replace(
                point_a=back[near.joint_a].act(near.point_a),
                point_b=back[near.joint_b].act(near.point_b),
            )
            for near in close
        ]
        return not close

    def forget_foreseen(self) -> None:
        """Drop the rows that :meth:`foresee` added."""
        self._added = []

    def _look_at(self, configuration: pink.Configuration) -> None:
        """Compute distances and Jacobian, once for each configuration."""
        # Pink's own cache takes configurations for equal that differ by 1e-5.
        if self._q is configuration.q:
            return
        if self._foreseen is not None and np.array_equal(self._foreseen[0], configuration.q):
            self._proximities = self._foreseen[1]
        else:
            self._proximities = self._nearest.nearest(configuration.data, self.dim)
        distances = np.array([near.distance_m for near in self._proximities])
        self._room = distances - self.minimum_distance_m
        self._jacobian = _jacobian(configuration, self._proximities)
        self._q = configuration.q


def make_self_collision_barrier(
    robot: Robot,
    collision: CollisionModel | None,
    spec: SelfCollisionSettings,
    model: pinocchio.Model | None = None,
    bounds: JointBounds | None = None,
) -> HullDistanceBarrier:
    """Return the barrier that a specification asks for.

    Args:
        robot: The robot.
        collision: Its hulls; None while there are none.
        spec: The user's settings.
        model: The copy of the robot's model that the configuration uses; the robot's own by
            default.
        bounds: Joint and velocity limits in force; the robot's by default.

    Raises:
        SolverError: If there are no hulls, or no pair of links is left to keep apart.
    """
    if collision is None:
        raise SolverError(
            "self-collision cannot be avoided: the hulls of this robot's links have not been made",
            field=robot.description.name,
            expected="a robot with collision geometry",
        )
    selection = collision.selection(spec.minimum_distance_m)
    if not selection.kept:
        raise SolverError(
            "no pair of links is left to keep apart", field="minimum_distance_m",
            value=spec.minimum_distance_m, expected=_what_would_be_left(collision),
        )  # fmt: skip
    solved = robot.model if model is None else model
    return HullDistanceBarrier(
        NearestPairs(solved, collision, selection),
        minimum_distance_m=spec.minimum_distance_m,
        gain=spec.gain,
        pair_count=spec.pairs,
        bounds=bounds or JointBounds(robot.model.copy(), robot.velocity_caps),
        safe_displacement_gain=spec.safe_displacement_gain,
    )


def _what_would_be_left(collision: CollisionModel) -> str:
    if not collision.candidates:
        return "two links with collision geometry that are not neighbours"
    pair = collision.candidates[-1]
    return (
        f"less: {pair.link_a} and {pair.link_b}, the farthest apart at home, are "
        f"{pair.distance_at_home_m:.3f} m from each other"
    )


def _largest_products(matrix: Vector, lower: Vector, upper: Vector) -> Vector:
    """Return the largest value of each row times any vector between two bounds, shape (n,).

    A coordinate without bounds counts as one of 1 m or 1 rad either way.
    """
    lower = np.where(np.isfinite(lower), lower, -1.0)
    upper = np.where(np.isfinite(upper), upper, 1.0)
    return np.maximum(matrix * lower, matrix * upper).sum(axis=1)


def _jacobian(configuration: pink.Configuration, proximities: Sequence[Proximity]) -> Vector:
    """Return the derivatives of distances, shape (n, nv).

    The distance of two hulls changes as that of their nearest points, taken along the normal:
    that the points themselves wander over the hulls has no effect of first order.
    """
    model, data = configuration.model, configuration.data
    joints = {near.joint_a for near in proximities} | {near.joint_b for near in proximities}
    jacobians = {
        joint: pinocchio.getJointJacobian(model, data, joint, pinocchio.ReferenceFrame.WORLD)
        for joint in joints
        if joint > 0
    }
    rows = np.zeros((len(proximities), model.nv))
    for number, near in enumerate(proximities):
        for sign, joint, point in (
            (-1.0, near.joint_a, near.point_a),
            (1.0, near.joint_b, near.point_b),
        ):
            if joint > 0:
                # In Pinocchio's world frame the velocity of a point p is v + w x p.
                wrench = np.concatenate((near.normal, _cross(point, near.normal)))
                rows[number] += sign * (wrench @ jacobians[joint])
    return rows


def _cross(a: Vector, b: Vector) -> Vector:
    """Return the cross product of two vectors; numpy's own takes five times as long."""
    a0, a1, a2 = a
    b0, b1, b2 = b
    return np.array((a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0))
