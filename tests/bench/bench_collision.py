"""What it costs to keep a robot's links apart: a whole tick with the self-collision barrier on.

The robot is driven into itself, where most distances matter and steps are solved more than once.
Time is the thread's own processor time, so that other programs do not count.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

from workbench.config.limits import SelfCollisionBarrierSpec
from workbench.ik.forward import tool_poses
from workbench.ik.tick import LiveEngine
from workbench.ik.types import TickInputs
from workbench.model.collision import CollisionModel, build_collision_model
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose

ROBOTS = ("panda", "ur5", "z1", "baxter", "g1", "talos")
GOAL_MS = 5.0
DT = 0.01
TICKS = 600
TICKS_A_LEG = 100
WARM_UP = 20

SPEC = SelfCollisionBarrierSpec(name="self collision")


def measure() -> list[dict[str, Any]]:
    """Return one row for each robot."""
    return [_row(name) for name in ROBOTS]


def _row(name: str) -> dict[str, Any]:
    robot = load_robot(RobotRequest(source=name))
    began = time.thread_time()
    collision = build_collision_model(robot)
    build_s = time.thread_time() - began
    times, smallest_m, failures = _ticks(robot, collision)
    bare, _, _ = _ticks(robot, None)
    value = statistics.median(times)
    pairs = len(collision.selection(SPEC.minimum_distance_m).shape_pairs)
    return {
        "name": f"tick that avoids self-collision, {name}",
        "value": value,
        "unit": "ms",
        "goal": GOAL_MS,
        "met": value <= GOAL_MS,
        "details": f"p99 {np.percentile(times, 99):.2f} ms, without {statistics.median(bare):.2f}"
        f" ms; {pairs} pairs, hulls in {build_s:.2f} s, closest {1e3 * smallest_m:.1f} mm,"
        f" {failures} failed",
    }


def _ticks(robot: Robot, collision: CollisionModel | None) -> tuple[list[float], float, int]:
    """Return the time of each tick in ms, the smallest distance in m, and failed solves."""
    engine = LiveEngine(robot)
    engine.set_collision(collision)
    legs = [
        TickInputs(
            robot.description.defaults, DT, targets,
            barriers=() if collision is None else (SPEC,),
        )
        for targets in _targets(robot)
    ]  # fmt: skip
    times, smallest_m, failures = [], np.inf, 0
    for tick in range(WARM_UP + TICKS):
        inputs = legs[tick // TICKS_A_LEG % len(legs)]
        began = time.thread_time()
        result = engine.tick(inputs)
        times.append(1e3 * (time.thread_time() - began))
        failures += not result.status.ok
        if result.closest_pair is not None:
            smallest_m = min(smallest_m, result.closest_pair.distance_m)
    return times[WARM_UP:], smallest_m, failures


def _targets(robot: Robot) -> list[dict[str, Pose]]:
    """Return the legs of the way: every tool to the robot's middle, home, to the next tool's."""
    home = tool_poses(robot, {})
    frames = list(home)
    middle = np.mean([pose.translation for pose in home.values()], axis=0) * (0.1, 0.1, 0.35)
    inside = {frame: Pose(middle, pose.wxyz) for frame, pose in home.items()}
    around = {
        frame: Pose(home[other].translation * (0.3, 1.0, 1.0), home[frame].wxyz)
        for frame, other in zip(frames, frames[1:] + frames[:1], strict=True)
    }
    return [inside, dict(home), around]
