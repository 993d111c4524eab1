"""Forward kinematics of the tool frames, for anybody and any thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pinocchio

from workbench.errors import SolverError, did_you_mean
from workbench.poses import Pose

if TYPE_CHECKING:
    from workbench.model.robot import Robot


def tool_poses(robot: Robot, positions: Mapping[str, float]) -> Mapping[str, Pose]:
    """Return the pose in the world of every tool frame, by name, in the description's order.

    Thread-safe: every call has data of its own.

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
