"""Forward kinematics, for anybody and any thread: every call has data of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pinocchio

from workbench.config.robot_pose import RobotPose
from workbench.errors import SolverError, did_you_mean
from workbench.poses import Pose

if TYPE_CHECKING:
    from workbench.model.robot import Robot


def tool_poses(robot: Robot, positions: Mapping[str, float]) -> Mapping[str, Pose]:
    """Return the pose in the world of every tool frame, by name, in the description's order.

    Args:
        robot: The robot.
        positions: Joint positions by name, rad or m; joints that are not named are at home.

    Raises:
        SolverError: If there is no such joint.
    """
    names = robot.description.joint_names
    values = {**robot.description.home, **positions}
    for name in positions:
        if name not in names:
            raise SolverError(
                "there is no such joint", field=name, expected=did_you_mean(name, names)
            )
    model = robot.model
    data = model.createData()
    q = robot.q_from_positions(np.array([values[name] for name in names], dtype=np.float64))
    pinocchio.framesForwardKinematics(model, data, q)
    return {
        frame: Pose.from_se3(data.oMf[model.getFrameId(frame)])
        for frame in robot.description.tool_frames
    }


def frame_poses(robot: Robot, pose: RobotPose, frames: Sequence[str]) -> dict[str, Pose]:
    """Return the pose in the world of some frames, by name.

    Args:
        robot: The robot.
        pose: Where it is; joints that are not named are at home.
        frames: Names of links or tool frames.

    Raises:
        SolverError: If there is no such frame.
    """
    model = robot.model
    for frame in frames:
        if not model.existFrame(frame):
            raise SolverError("there is no such frame", field=frame)
    data = model.createData()
    q = robot.q_from_positions(pose.positions, pose.transform_base_to_world)
    pinocchio.framesForwardKinematics(model, data, q)
    return {frame: Pose.from_se3(data.oMf[model.getFrameId(frame)]) for frame in frames}


def centre_of_mass(robot: Robot, pose: RobotPose) -> tuple[float, float, float]:
    """Return the centre of mass in the world, in m.

    Args:
        robot: The robot.
        pose: Where it is; joints that are not named are at home.

    Raises:
        SolverError: If nothing of the robot has a mass.
    """
    if not robot.description.mass_kg > 0.0:
        raise SolverError("this robot has no centre of mass: no link of it has a mass")
    q = robot.q_from_positions(pose.positions, pose.transform_base_to_world)
    x, y, z = pinocchio.centerOfMass(robot.model, robot.model.createData(), q).tolist()
    return x, y, z
