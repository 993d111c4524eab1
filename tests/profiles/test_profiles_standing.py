"""Humanoids on their feet, as their profiles' example has them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pinocchio
import pytest

from tests.ik.engines import moved
from workbench.errors import UsageError
from workbench.ik.task_checks import check_barriers, check_limits, check_tasks
from workbench.ik.tick import LiveEngine
from workbench.ik.types import TickInputs
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose

DT = 0.01
FEET = {
    "g1": ("left_ankle_roll_link", "right_ankle_roll_link"),
    "talos": ("left_sole_link", "right_sole_link"),
}
SOLE_X_M = {"g1": (-0.05, 0.12), "talos": (-0.1, 0.1)}
"""How far each sole reaches behind and ahead of its frame."""


@cache
def standing(name: str) -> Robot:
    return load_robot(RobotRequest(name, example="standing"))


def placements(robot: Robot, q: np.ndarray, frames: tuple[str, ...]) -> dict[str, Pose]:
    data = robot.model.createData()
    pinocchio.framesForwardKinematics(robot.model, data, q)
    return {frame: Pose.from_se3(data.oMf[robot.model.getFrameId(frame)]) for frame in frames}


def centre_of_mass(robot: Robot, q: np.ndarray) -> np.ndarray:
    return pinocchio.centerOfMass(robot.model, robot.model.createData(), q).copy()


@pytest.mark.parametrize("name", FEET)
@pytest.mark.parametrize("way", [(0.05, 0.0, 0.0), (0.0, 0.0, -0.05), (0.0, 0.035, 0.035)])
def test_hands_reach_while_the_feet_stay(name: str, way: tuple[float, float, float]) -> None:
    robot = standing(name)
    description, example = robot.description, robot.description.example
    assert example is not None and description.floating_base
    engine = LiveEngine(robot)
    feet = placements(robot, engine.q, FEET[name])
    hands = placements(robot, engine.q, description.tool_frames)
    tick_inputs = TickInputs(
        description.defaults, DT, {frame: moved(pose, way) for frame, pose in hands.items()},
        tasks=example.tasks, limits=example.limits, barriers=example.barriers,
    )  # fmt: skip
    result = engine.observe(tick_inputs)
    for _ in range(200):
        result = engine.tick(tick_inputs)
        assert result.status.ok, result.status
        for frame, pose in placements(robot, engine.q, FEET[name]).items():
            position_error_m, orientation_error_rad = pose.distance_to(feet[frame])
            assert position_error_m < 1e-3 and orientation_error_rad < 2e-3
    for tool in result.tools:
        assert tool.position_error_m is not None and tool.position_error_m < 2e-3
        assert tool.transform_tool_to_world.distance_to(hands[tool.frame])[0] > 0.045
    centre = centre_of_mass(robot, engine.q)
    behind, ahead = SOLE_X_M[name]
    at = np.mean([pose.translation for pose in feet.values()], axis=0)
    assert at[0] + behind < centre[0] < at[0] + ahead and abs(centre[1] - at[1]) < 0.02
    assert np.abs(centre - centre_of_mass(robot, robot.home_q))[:2].max() < 1e-3


@pytest.mark.parametrize("name", FEET)
def test_the_example_fits_the_robot(name: str) -> None:
    description = standing(name).description
    example = description.example
    assert example is not None and ("standing", example.title) in description.examples
    check_tasks(example.tasks, description)
    check_limits(example.limits, description)
    check_barriers(example.barriers, description)
    held = {joint.name for joint in description.held_joints}
    assert not held & set(example.free_joints)


def test_the_plain_robot_offers_the_example_and_a_bare_urdf_has_none() -> None:
    with pytest.raises(UsageError, match="has no such example"):
        load_robot(RobotRequest("panda", example="standing"))
    urdf = standing("g1").description.urdf_path
    with pytest.raises(UsageError, match="only profiles have examples"):
        load_robot(RobotRequest(urdf, example="standing"))
