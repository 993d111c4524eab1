"""The planner against a straight loop of ``pink.solve_ik`` that may take as many steps."""

from __future__ import annotations

import math

import numpy as np
import pink
import pinocchio as pin
import pytest
from pink.tasks import FrameTask, PostureTask

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.planning import PlanningConfig
from workbench.ik.planning import Planner
from workbench.model.controlled import ControlledRobot, controlled_from_request
from workbench.model.request import RobotRequest
from workbench.poses import Pose

TARGETS = 200
CONFIG = PinkKinematicsConfig(solver="daqp", lm_damping=1e-3, max_iterations=40, gain=0.9)
PLANNING = PlanningConfig(max_attempts=5)
STALLED = 1e-10
"""A loop that moves no joint by more than this, in rad or m, will never arrive."""


def straight_loop(robot: ControlledRobot, frame: str, target: Pose, steps: int) -> bool:
    """Tell whether Pink alone arrives from home, in at most that many steps."""
    model = robot.model
    configuration = pink.Configuration(
        model, model.createData(), robot.q_from_positions(robot.home)
    )
    reach = FrameTask(frame, CONFIG.position_cost, CONFIG.orientation_cost, CONFIG.lm_damping)
    reach.gain = CONFIG.gain
    reach.set_target(pin.SE3(target.rotation, target.translation))
    posture = PostureTask(cost=CONFIG.posture_cost)
    posture.set_target_from_configuration(configuration)
    for _ in range(steps):
        placement = configuration.get_transform_frame_to_world(frame)
        position_error_m, orientation_error_rad = target.distance_to(Pose.from_se3(placement))
        if (
            position_error_m <= PLANNING.position_tolerance_m
            and orientation_error_rad <= PLANNING.orientation_tolerance_rad
        ):
            return True
        velocity = pink.solve_ik(
            configuration, [reach, posture], CONFIG.dt, solver="daqp", damping=CONFIG.damping
        )
        if np.abs(velocity).max() * CONFIG.dt < STALLED:
            return False
        configuration.integrate_inplace(velocity, CONFIG.dt)
    return False


@pytest.mark.parametrize("name", ["panda", "ur5", "xarm7"])
def test_the_planner_arrives_at_least_as_often_as_a_straight_loop(name: str) -> None:
    robot, structure = controlled_from_request(RobotRequest(name))
    frame = structure.tools[0].name
    planner = Planner(robot, CONFIG, PLANNING)
    random = np.random.default_rng(7)
    data = robot.model.createData()
    lower, upper = (np.clip(limit, -math.pi, math.pi) for limit in (robot.lower, robot.upper))
    arrived = straight = 0
    for _ in range(TARGETS):
        q = robot.q_from_positions(random.uniform(lower, upper))
        pin.framesForwardKinematics(robot.model, data, q)
        target = Pose.from_se3(data.oMf[robot.model.getFrameId(frame)])
        arrived += planner.plan({frame: target}, robot.home).succeeded
        steps = CONFIG.max_iterations * PLANNING.max_attempts
        straight += straight_loop(robot, frame, target, steps)
    assert arrived >= straight, (arrived, straight)
    assert arrived >= 0.9 * TARGETS, (arrived, straight)
