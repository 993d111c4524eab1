"""Every tool frame of every profile reaches what is near, with the profile's own defaults."""

from __future__ import annotations

import math
import zlib

import numpy as np
import pytest

from tests.profiles.reaching import (
    ARMS,
    HAND,
    STARTS_SINGULAR,
    inputs_of,
    is_reached,
    outward,
    random_target,
    result_of,
    robot_of,
    targets_with,
    tools_of,
)
from workbench.ik.forward import tool_poses
from workbench.ik.tick import LiveEngine
from workbench.model.catalog import profile_names
from workbench.model.robot import Robot
from workbench.poses import Pose

TARGETS = 20
PATIENCE_S = 3.0
RATE_HZ = 100.0


def exists(robot: Robot, frame: str, target: Pose) -> bool:
    """Whether some joints put the dual arm's hand there: searched for from bent elbows."""
    config = robot.description.defaults.with_values(lm_damping=1.0, damping=1e-4, gain=0.5)
    engine = LiveEngine(robot)
    engine.set_positions({"left_joint4": 0.8, "right_joint4": 0.8})
    inputs = inputs_of(robot, targets_with(robot, frame, target), 50.0, config)
    for _ in range(300):
        tool = result_of(engine.tick(inputs), frame)
        assert tool.position_error_m is not None and tool.orientation_error_rad is not None
        if tool.position_error_m < 3e-4 and tool.orientation_error_rad < 3e-3:
            return True
    return False


@pytest.mark.parametrize(("name", "number"), tools_of(profile_names()))
def test_a_tool_frame_reaches_twenty_targets_around_it(name: str, number: int) -> None:
    """3 cm and 10 degrees away, to 1 mm and 1 degree; fingers 1 cm; short chains without turning.

    Each starts at home, one tool at a time; the others keep their place.

    The dual arm hangs straight at home, its elbows on a limit: no joints put a hand farther down,
    which is about half of all directions. Its targets are drawn until twenty are poses that exist
    (found from bent elbows, with other weights); the start is the all-zero home all the same.
    """
    robot = robot_of(name)
    frame = robot.description.tool_frames[number]
    position_only = robot.description.defaults.orientation_cost == 0.0
    generator = np.random.default_rng(zlib.crc32(f"{name}/{frame}".encode()))
    way_m, angle = (0.01 if name == HAND else 0.03), (0.0 if position_only else math.radians(10.0))
    start, poses = robot.description.home, tool_poses(robot, {})
    targets: list[Pose] = []
    while len(targets) < TARGETS:
        target = random_target(poses[frame], generator, way_m, angle)
        if name != STARTS_SINGULAR or exists(robot, frame, target):
            targets.append(target)
    missed = []
    for target in targets:
        engine = LiveEngine(robot)
        engine.set_positions(start)
        inputs = inputs_of(robot, {**poses, frame: target}, RATE_HZ)
        ticks = (engine.tick(inputs) for _ in range(round(PATIENCE_S * RATE_HZ)))
        if not any(
            is_reached(result_of(tick, frame), position_only=position_only) for tick in ticks
        ):
            missed.append(result_of(engine.observe(inputs), frame))
    assert missed == []


@pytest.mark.parametrize("rate_hz", [50.0, 100.0, 200.0])
@pytest.mark.parametrize(("name", "number"), tools_of(ARMS))
def test_a_ten_centimetre_step_settles_within_half_a_second(
    name: str, number: int, rate_hz: float
) -> None:
    """Straight back towards the shoulder; within 1 mm and 1 degree from 0.5 s on."""
    robot = robot_of(name)
    frame = robot.description.tool_frames[number]
    start = tool_poses(robot, {})[frame]
    target = Pose(start.translation - 0.1 * outward(robot, frame), start.wxyz)
    position_only = robot.description.defaults.orientation_cost == 0.0
    engine = LiveEngine(robot)
    inputs = inputs_of(robot, targets_with(robot, frame, target), rate_hz)
    for tick in range(round(0.7 * rate_hz)):
        tool = result_of(engine.tick(inputs), frame)
        if tick + 1 >= 0.5 * rate_hz:
            assert is_reached(tool, position_only=position_only), (
                tick, tool.position_error_m, tool.orientation_error_rad
            )  # fmt: skip
