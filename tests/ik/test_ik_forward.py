"""Where frames and the centre of mass are, for whoever asks."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from workbench.config.robot_pose import RobotPose
from workbench.errors import SolverError
from workbench.ik.forward import centre_of_mass, frame_poses, tool_poses
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose


@cache
def robot(floating_base: bool = False) -> Robot:
    return load_robot(RobotRequest("dual_arm_7dof", floating_base=floating_base))


def test_a_tool_is_where_its_frame_is() -> None:
    names = robot().description.joint_names
    pose = RobotPose({names[1]: 0.4, names[4]: -0.3})
    (frame, *_) = robot().description.tool_frames
    found = frame_poses(robot(), pose, [frame])[frame]
    assert found.is_close(tool_poses(robot(), pose.positions)[frame])


def test_a_floating_base_carries_frames_and_mass_along() -> None:
    lifted = Pose(np.array([0.1, -0.2, 0.7]))
    (frame, *_) = robot(True).description.tool_frames
    at_origin, moved = RobotPose({}), RobotPose({}, lifted)
    before = frame_poses(robot(True), at_origin, [frame])[frame]
    after = frame_poses(robot(True), moved, [frame])[frame]
    assert after.is_close(lifted @ before)
    shift = np.subtract(centre_of_mass(robot(True), moved), centre_of_mass(robot(True), at_origin))
    assert shift == pytest.approx(lifted.translation)


def test_a_frame_that_is_not_there_is_named() -> None:
    with pytest.raises(SolverError, match="nowhere"):
        frame_poses(robot(), RobotPose({}), ["nowhere"])
