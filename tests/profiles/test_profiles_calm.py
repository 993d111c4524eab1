"""A target out of reach keeps no arm shaking, with the profile's own defaults."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from tests.profiles.reaching import (
    ARMS,
    end_of_reach,
    inputs_of,
    outward,
    robot_of,
    targets_with,
    tools_of,
)
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.ik.forward import tool_poses
from workbench.ik.tick import LiveEngine
from workbench.model.robot import Robot
from workbench.poses import Pose

BEYOND_M = (0.01, 0.1, 0.6)
SPEED = 0.05
"""rad/s or m/s: what counts as calm."""


def fastest_after_four_seconds(
    robot: Robot, frame: str, target: Pose, rate_hz: float, config: PinkKinematicsConfig
) -> float:
    """Return the largest joint speed in the tenth of a second after four."""
    engine = LiveEngine(robot)
    inputs = inputs_of(robot, targets_with(robot, frame, target), rate_hz, config)
    fastest = 0.0
    for tick in range(round(4.1 * rate_hz)):
        result = engine.tick(inputs)
        assert result.status.ok, result.status
        if tick >= 4.0 * rate_hz:
            fastest = max(fastest, float(np.abs(result.velocities).max()))
    return fastest


@pytest.mark.parametrize(("name", "number"), tools_of(ARMS))
def test_an_arm_is_calm_four_seconds_after_its_target_left_its_reach(
    name: str, number: int
) -> None:
    """1, 10 and 60 cm beyond the end of the reach, straight out from the shoulder, at any rate."""
    robot = robot_of(name)
    frame = robot.description.tool_frames[number]
    direction = outward(robot, frame)
    end, start = end_of_reach(robot, frame, direction), tool_poses(robot, {})[frame]
    speeds = {
        (beyond_m, rate_hz): fastest_after_four_seconds(
            robot, frame, Pose(end + beyond_m * direction, start.wxyz), rate_hz,
            robot.description.defaults,
        )
        for beyond_m in BEYOND_M
        for rate_hz in (50.0, 100.0, 200.0)
    }  # fmt: skip
    too_fast = {case: speed for case, speed in speeds.items() if speed >= SPEED}
    assert too_fast == {}


@pytest.mark.parametrize(("name", "number"), tools_of(ARMS))
def test_in_any_direction_no_joint_shakes_four_seconds_later(name: str, number: int) -> None:
    """10 and 60 cm beyond the end of the reach in two seeded directions, at 50 Hz.

    This is less than the 0.05 rad/s that is asserted straight out from the shoulder, and on
    purpose: some sideways targets leave a joint turning faster than that after four seconds. Some
    arms are still on their way, at their velocity limits; some turn slowly in one sense. What is
    asserted is that no joint shakes, that is turns round from one tick to the next.
    """
    robot = robot_of(name)
    frame = robot.description.tool_frames[number]
    generator = np.random.default_rng(zlib.crc32(f"calm/{name}/{frame}".encode()))
    start, rate_hz = tool_poses(robot, {})[frame], 50.0
    for way in generator.normal(size=(2, 3)):
        direction = way / np.linalg.norm(way)
        end = end_of_reach(robot, frame, direction)
        for beyond_m in (0.1, 0.6):
            engine = LiveEngine(robot)
            target = Pose(end + beyond_m * direction, start.wxyz)
            inputs = inputs_of(robot, targets_with(robot, frame, target), rate_hz)
            ticks = [engine.tick(inputs).velocities for _ in range(round(4.2 * rate_hz))]
            late = np.array(ticks[round(4.0 * rate_hz) :])
            shaking = (late[1:] * late[:-1] < 0.0) & (np.abs(late[1:]) >= SPEED)
            assert not shaking.any(), (direction, beyond_m, np.abs(late).max(axis=0))


@pytest.mark.parametrize("name", ["panda", "ur5", "xarm7"])
def test_with_dimos_own_damping_the_same_arm_shakes_at_full_speed(name: str) -> None:
    """So that the test above can fail."""
    robot = robot_of(name)
    (frame,) = robot.description.tool_frames
    direction = outward(robot, frame)
    end, start = end_of_reach(robot, frame, direction), tool_poses(robot, {})[frame]
    dimos = PinkKinematicsConfig(solver="daqp")
    assert (dimos.lm_damping, dimos.damping) == (1e-6, 1e-8)
    for beyond_m in BEYOND_M:
        target = Pose(end + beyond_m * direction, start.wxyz)
        assert fastest_after_four_seconds(robot, frame, target, 100.0, dimos) > 1.0
