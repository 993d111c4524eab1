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


@dataclass(eq=False)
class ReachingArm:
    """Forward kinematics of one frame. Used by one thread at a time.

    Attributes:
        robot: The robot.
        frame: Name of the frame.

    Raises:
        RobotError: If there is no such frame.
    """

    robot: ControlledRobot
    frame: str
    _data: pin.Data = field(init=False, repr=False)
    _frame_id: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Look the frame up."""
        self.robot.require_frame(self.frame)
        self._data = self.robot.model.createData()
        self._frame_id = self.robot.model.getFrameId(self.frame)

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
        robot = self.robot
        at_upper = positions >= robot.upper - _AT_LIMIT
        at_lower = positions <= robot.lower + _AT_LIMIT
        if not (at_upper | at_lower).any():
            return None
        jacobian = self._jacobian(positions)
        rotation, translation = self.placement(positions)
        error = pin.SE3(rotation, translation).actInv(pin.SE3(target.rotation, target.translation))
        twist = np.asarray(pin.log6(error).vector)
        normal = jacobian @ jacobian.T + _DAMPING * np.eye(6)
        wish = (jacobian.T @ np.linalg.solve(normal, twist))[robot.idx_v]
        outwards = np.where(at_upper, wish, np.where(at_lower, -wish, 0.0))
        strongest = int(np.argmax(outwards))
        return robot.joint_names[strongest] if outwards[strongest] > _OUTWARDS else None

    def _jacobian(self, positions: Vector) -> Matrix:
        """Return the Jacobian of the frame in its own axes, shape (6, nv)."""
        q = self.robot.q_from_positions(positions)
        return pin.computeFrameJacobian(self.robot.model, self._data, q, self._frame_id)


def rotation_angle(first: Matrix, second: Matrix) -> float:
    """Return the angle between two rotation matrices in rad."""
    # The chord of two rotations is 2 sqrt(2) sin(angle / 2): exact near zero, unlike acos.
    difference = (first - second).ravel()
    chord = math.sqrt(float(difference @ difference)) / (2.0 * math.sqrt(2.0))
    return 2.0 * math.asin(min(chord, 1.0))
