"""Between Isaac Sim's numbers and Pinocchio's: poses, joint positions, velocities.

Isaac Sim knows a pose as a position and a quaternion in w, x, y, z order, and a joint as a name
with one number. Pinocchio knows a rigid transform, and a continuous joint as cosine and sine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from workbench.isaac.arguments import number_argument
from workbench.isaac.host_array import flat_array, plain_array
from workbench.isaac.states import JointState
from workbench.poses import Pose

Vector = NDArray[np.float64]


def isaac_sim_position_quaternion_to_se3(position: Any, quaternion: Any) -> pin.SE3:
    """Return the rigid transform of a position and a quaternion.

    Args:
        position: x, y, z in m; anything array-like.
        quaternion: w, x, y, z; anything array-like. Its length does not matter.

    Raises:
        ValueError: If there are not three and four numbers, one is not finite, or the quaternion
            is zero.
    """
    translation, wxyz = flat_array(position), flat_array(quaternion)
    _require_size(translation, 3, "position")
    _require_size(wxyz, 4, "quaternion")
    pose = Pose(translation, wxyz)
    return pin.SE3(pose.rotation, pose.translation)


def se3_to_isaac_sim_position_quaternion(transform: Any) -> tuple[Vector, Vector]:
    """Return position in m, shape (3,), and quaternion w, x, y, z, shape (4,), of a transform.

    Args:
        transform: Pinocchio's transform, or its homogeneous matrix as anything array-like.

    Raises:
        ValueError: If a matrix has not the shape (4, 4), or a number is not finite.
    """
    if isinstance(transform, pin.SE3):
        pose = Pose.from_se3(transform)
    else:
        matrix = plain_array(transform)
        if matrix.shape != (4, 4):
            raise ValueError(f"transform: expected the shape (4, 4), got {matrix.shape}")
        pose = Pose.from_matrix(matrix)
    return pose.translation.copy(), pose.wxyz.copy()


def map_joint_positions_to_pinocchio(
    joint_names: Sequence[str],
    joint_positions: Any,
    model: pin.Model,
    q_current: Any = None,
) -> Vector:
    """Return the configuration, shape (nq,), that has given joint positions.

    Args:
        joint_names: Names of joints; one that the model does not have is passed over.
        joint_positions: A position for each, rad or m; anything array-like.
        model: The model.
        q_current: Configuration of all other joints, shape (nq,); neutral by default.

    Raises:
        ValueError: If a size is wrong, or a joint has more than one degree of freedom.
    """
    q = np.array(pin.neutral(model) if q_current is None else flat_array(q_current))
    _require_size(q, model.nq, "q_current")
    positions = flat_array(joint_positions)
    _require_size(positions, len(joint_names), "joint_positions")
    for index, joint in _scalar_joints(model, joint_names):
        at = joint.idx_q
        if joint.nq == 2:
            q[at : at + 2] = np.cos(positions[index]), np.sin(positions[index])
        else:
            q[at] = positions[index]
    return q


def map_pinocchio_velocity_to_joint_state(  # noqa: PLR0917  (the order is the extension's)
    velocity: Any,
    model: pin.Model,
    controlled_joint_names: Sequence[str],
    robot_joint_space: Sequence[str],
    dt: float,
    q_current: Any,
    current_joint_positions: Any,
) -> JointState:
    """Return where joints are after a step at a velocity, and that velocity.

    Args:
        velocity: Tangent vector, rad/s or m/s, shape (nv,); anything array-like.
        model: The model.
        controlled_joint_names: The joints that are wanted; one that the model does not have
            stands still at zero.
        robot_joint_space: Names of all joints of the robot, in order.
        dt: Length of the step, s.
        q_current: Configuration before the step, shape (nq,).
        current_joint_positions: Position of each controlled joint before the step. That of a
            continuous joint may count whole turns, which are kept.

    Raises:
        ValueError: If a size is wrong, the step is negative or not finite, or a joint has more
            than one degree of freedom.
    """
    step = number_argument(dt, "dt")
    tangent, q = flat_array(velocity), flat_array(q_current)
    before = flat_array(current_joint_positions)
    _require_size(tangent, model.nv, "velocity")
    _require_size(q, model.nq, "q_current")
    _require_size(before, len(controlled_joint_names), "current_joint_positions")
    after = pin.integrate(model, q, tangent * step)
    positions = np.zeros(len(controlled_joint_names))
    velocities = np.zeros(len(controlled_joint_names))
    for index, joint in _scalar_joints(model, controlled_joint_names):
        velocities[index] = tangent[joint.idx_v]
        if joint.nq == 1:
            positions[index] = after[joint.idx_q]
            continue
        angle = np.arctan2(after[joint.idx_q + 1], after[joint.idx_q])
        expected = before[index] + tangent[joint.idx_v] * step
        positions[index] = angle + 2.0 * np.pi * np.round((expected - angle) / (2.0 * np.pi))
    names = list(controlled_joint_names)
    return JointState.from_name(robot_joint_space, (names, positions), (names, velocities))


def _scalar_joints(model: pin.Model, names: Sequence[str]) -> Iterator[tuple[int, pin.JointModel]]:
    """Yield place and joint of each name that the model has."""
    ids = {name: number for number, name in enumerate(model.names) if number > 0}
    for index, name in enumerate(names):
        if name not in ids:
            continue
        joint = model.joints[ids[name]]
        if joint.nv != 1 or joint.nq not in (1, 2):
            raise ValueError(
                f"joint {name} has {joint.nv} degrees of freedom (nq={joint.nq}, nv={joint.nv}); "
                "expected a joint with one"
            )
        yield index, joint


def _require_size(values: Vector, size: int, what: str) -> None:
    if values.size != size:
        raise ValueError(f"{what}: expected {size} numbers, got {values.size}")
