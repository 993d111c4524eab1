"""A mobile manipulator on its wheels, as its profile's example has it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pinocchio
import pytest

from tests.ik.engines import moved
from workbench.ik.task_checks import check_barriers, check_limits, check_tasks
from workbench.ik.tick import LiveEngine
from workbench.ik.types import TickInputs
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose

DT = 0.01
BASE = "base_footprint"
WHEELS = ("wheel_left_joint", "wheel_right_joint")
WHEEL_RADIUS_M = 0.0985


@cache
def driving() -> Robot:
    return load_robot(RobotRequest("tiago_dual", example="driving"))


def placements(robot: Robot, q: np.ndarray) -> dict[str, Pose]:
    data = robot.model.createData()
    pinocchio.framesForwardKinematics(robot.model, data, q)
    frames = (*robot.description.tool_frames, BASE)
    return {frame: Pose.from_se3(data.oMf[robot.model.getFrameId(frame)]) for frame in frames}


@pytest.mark.parametrize("way", [(0.5, 0.0, 0.0), (-0.4, 0.0, 0.0), (0.3, 0.2, 0.1)])
def test_the_base_rolls_level_to_where_the_hands_reach(way: tuple[float, float, float]) -> None:
    robot = driving()
    description, example = robot.description, robot.description.example
    assert example is not None and description.floating_base
    wheels = [robot.idx_v[description.joint_names.index(name)] for name in WHEELS]
    engine = LiveEngine(robot)
    start = placements(robot, engine.q)
    hands = {frame: moved(start[frame], way) for frame in description.tool_frames}
    tick_inputs = TickInputs(
        description.defaults, DT, hands,
        tasks=example.tasks, limits=example.limits, barriers=example.barriers,
    )  # fmt: skip
    result = engine.observe(tick_inputs)
    rolled_m = driven_m = 0.0
    for _ in range(300):
        before = engine.q.copy()
        result = engine.tick(tick_inputs)
        assert result.status.ok, result.status
        # The first three are the base's motion along its own axes: ahead, aside, up.
        step = pinocchio.difference(robot.model, before, engine.q)
        assert np.abs(step[1:3]).max() < 1e-4, "wheels go neither aside nor up"
        driven_m += step[0]
        rolled_m += WHEEL_RADIUS_M * float(step[wheels].mean())
    for tool in result.tools:
        assert tool.position_error_m is not None and tool.position_error_m < 2e-3
    assert driven_m * way[0] > 0.0 and abs(driven_m) > 0.1
    assert rolled_m == pytest.approx(driven_m, abs=2e-3)
    base = placements(robot, engine.q)[BASE]
    up = base.matrix[:3, 2]
    assert up[2] > np.cos(2e-3), "the base stays level"
    assert abs(base.translation[2] - start[BASE].translation[2]) < 1e-3


def test_the_example_fits_the_robot() -> None:
    description = driving().description
    example = description.example
    assert example is not None and ("driving", example.title) in description.examples
    check_tasks(example.tasks, description)
    check_limits(example.limits, description)
    check_barriers(example.barriers, description)
    held = {joint.name for joint in description.held_joints}
    assert not held & set(WHEELS) and "caster_back_left_1_joint" in held
