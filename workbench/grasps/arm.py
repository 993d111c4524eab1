"""A robot as reach checks see it: one frame that goes somewhere, and what holds it back."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from workbench.model.controlled import ControlledRobot
from workbench.poses import Pose

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

_AT_LIMIT = 1e-3
"""Distance from a limit, rad or m, at which a joint counts as being there."""

_DAMPING = 1e-4
_OUTWARDS = 1e-6

_SINGULAR_SHARE = 0.1
"""Share of the strongest pull that joints could feel, below which none is left to be felt."""


@dataclass(eq=False)
class ReachingArm:
    """Forward kinematics of one frame. Used by one thread at a time.

    Attributes:
        robot: The robot.
        frame: Name of the frame.
        held_joints: Names of the joints that are held where they are.

    Raises:
        RobotError: If there is no such frame or joint.
    """

    robot: ControlledRobot
    frame: str
    held_joints: frozenset[str] = frozenset()
    _data: pin.Data = field(init=False, repr=False)
    _frame_id: int = field(init=False, repr=False)
    _is_held: NDArray[np.bool_] = field(init=False, repr=False)
    _held_names: list[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Look the frame up."""
        self.robot.require_frame(self.frame)
        self._data = self.robot.model.createData()
        self._frame_id = self.robot.model.getFrameId(self.frame)
        self._is_held = np.zeros(len(self.robot.joint_names), dtype=bool)
        for name in self.held_joints:
            self._is_held[self.robot.joint_index(name)] = True
        self._held_names = [name for name in self.robot.joint_names if name in self.held_joints]

    def placement(self, positions: Vector) -> tuple[Matrix, Vector]:
        """Return rotation, shape (3, 3), and translation, shape (3,), of the frame in the world."""
        pin.forwardKinematics(self.robot.model, self._data, self.robot.q_from_positions(positions))
        placement = pin.updateFramePlacement(self.robot.model, self._data, self._frame_id)
        return placement.rotation, placement.translation

    def errors(self, positions: Vector, target: Pose) -> tuple[float, float]:
        """Return distance in m and angle in rad between the frame and a pose."""
        rotation, translation = self.placement(positions)
        distance = math.dist(translation.tolist(), target.translation.tolist())
        return distance, rotation_angle(rotation, target.rotation)

    def limit_margin(self, positions: Vector) -> float | None:
        """Return the smallest distance of a joint from a limit as a share of its range."""
        bounded = self.robot.is_bounded
        if not bounded.any():
            return None
        lower, upper = self.robot.lower[bounded], self.robot.upper[bounded]
        room = np.minimum(positions[bounded] - lower, upper - positions[bounded])
        return float((room / (upper - lower)).min())

    def manipulability(self, positions: Vector) -> float:
        """Return the product of the singular values of the frame's Jacobian."""
        return float(np.prod(np.linalg.svd(self._jacobian(positions), compute_uv=False)))

    def limiting_joint(self, positions: Vector, target: Pose) -> str | None:
        """Return the joint at a limit that would have to go on most to come nearer to a pose."""
        robot, free = self.robot, ~self._is_held
        at_upper = free & (positions >= robot.upper - _AT_LIMIT)
        at_lower = free & (positions <= robot.lower + _AT_LIMIT)
        if not (at_upper | at_lower).any():
            return None
        jacobian = self._jacobian(positions)
        normal = jacobian @ jacobian.T + _DAMPING * np.eye(6)
        twist = self._twist_to(positions, target)
        wish = (jacobian.T @ np.linalg.solve(normal, twist))[robot.idx_v]
        outwards = np.where(at_upper, wish, np.where(at_lower, -wish, 0.0))
        strongest = int(np.argmax(outwards))
        return robot.joint_names[strongest] if outwards[strongest] > _OUTWARDS else None

    def what_holds(self, positions: Vector, target: Pose) -> str | None:
        """Return what keeps the frame from a pose where no limit does, as a sentence.

        Args:
            positions: Where the robot has come to rest, rad or m, shape (n,).
            target: The pose.

        Returns:
            None where neither a held joint nor a singular posture explains it.
        """
        jacobian = self._jacobian(positions)
        twist = self._twist_to(positions, target)
        pull = (jacobian.T @ twist)[self.robot.idx_v]
        still = _SINGULAR_SHARE * float(np.linalg.norm(jacobian, 2) * np.linalg.norm(twist))
        if np.linalg.norm(pull[~self._is_held]) > still:
            return None
        if self._is_held.any():
            return f"no joint that is free brings it nearer; held: {', '.join(self._held_names)}."
        return "no joint is at a limit, the arm is stretched out or folded."

    def _twist_to(self, positions: Vector, target: Pose) -> Vector:
        """Return the twist that leads from the frame to a pose in 1 s, in the frame's axes."""
        rotation, translation = self.placement(positions)
        error = pin.SE3(rotation, translation).actInv(pin.SE3(target.rotation, target.translation))
        return np.asarray(pin.log6(error).vector)

    def _jacobian(self, positions: Vector) -> Matrix:
        """Return the Jacobian of the frame in its own axes, shape (6, nv)."""
        q = self.robot.q_from_positions(positions)
        jacobian = pin.computeFrameJacobian(self.robot.model, self._data, q, self._frame_id)
        # Of a single joint it comes as a vector.
        return np.asarray(jacobian).reshape(6, self.robot.model.nv)


def rotation_angle(first: Matrix, second: Matrix) -> float:
    """Return the angle between two rotation matrices in rad."""
    # The chord of two rotations is 2 sqrt(2) sin(angle / 2): exact near zero, unlike acos.
    difference = (first - second).ravel()
    chord = math.sqrt(float(difference @ difference)) / (2.0 * math.sqrt(2.0))
    return 2.0 * math.asin(min(chord, 1.0))
