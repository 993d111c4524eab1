"""What a tick of ours costs against a bare ``pink.solve_ik`` loop that does the same.

Both follow the same moving targets with the same robot, tasks, limits and solver from the same
start, in short turns one after the other; the figure is the median of the ratios of neighbouring
turns. Time is the thread's own processor time, so that other programs count for neither side.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pink
import pinocchio
from pink.limits import ConfigurationLimit, VelocityLimit
from pink.tasks import FrameTask, PostureTask, Task

from workbench.ik.forward import tool_poses
from workbench.ik.tick import LiveEngine
from workbench.ik.types import TickInputs
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose

ROBOTS = ("panda", "g1")
GOAL = 1.15
DT = 0.01
TURNS = 60
TICKS_A_TURN = 100
WARM_UP_TURNS = 3


def measure() -> list[dict[str, Any]]:
    """Return one row for each robot."""
    return [_row(load_robot(RobotRequest(source=name))) for name in ROBOTS]


def _row(robot: Robot) -> dict[str, Any]:
    targets = _moving_targets(robot)
    ours, bare = _our_loop(robot, targets), _bare_loop(robot, targets)
    turns: list[tuple[float, float]] = []
    for _ in range(WARM_UP_TURNS + TURNS):
        turns.append((_seconds_a_tick(ours), _seconds_a_tick(bare)))
    turns = turns[WARM_UP_TURNS:]
    ratio = statistics.median(first / second for first, second in turns)
    name = robot.description.name
    return {
        "name": f"tick against a bare pink.solve_ik loop, {name}",
        "value": ratio,
        "unit": "x",
        "goal": GOAL,
        "met": ratio <= GOAL,
        "details": f"ours {1e6 * statistics.median(a for a, _ in turns):.0f} us, bare"
        f" {1e6 * statistics.median(b for _, b in turns):.0f} us, solver"
        f" {robot.description.defaults.solver}",
    }


def _seconds_a_tick(loop: Callable[[], None]) -> float:
    began = time.thread_time()
    for _ in range(TICKS_A_TURN):
        loop()
    return (time.thread_time() - began) / TICKS_A_TURN


def _moving_targets(robot: Robot) -> list[dict[str, Pose]]:
    """Return one lap of a circle of 3 cm radius for every tool frame, a pose every 5 ticks."""
    start = tool_poses(robot, {})
    lap = []
    for step in range(40):
        phase = 2 * math.pi * step / 40
        offset = 0.03 * np.array([0.0, math.sin(phase), 1 - math.cos(phase)])
        lap.append({f: Pose(pose.translation + offset, pose.wxyz) for f, pose in start.items()})
    return lap


def _our_loop(robot: Robot, targets: list[dict[str, Pose]]) -> Callable[[], None]:
    engine = LiveEngine(robot)
    lap = [TickInputs(robot.description.defaults, DT, poses) for poses in targets]
    count = 0

    def tick() -> None:
        nonlocal count
        engine.tick(lap[count // 5 % len(lap)])
        count += 1

    return tick


def _bare_loop(robot: Robot, targets: list[dict[str, Pose]]) -> Callable[[], None]:
    config, model = robot.description.defaults, robot.model
    configuration = pink.Configuration(model, model.createData(), robot.home_q)
    limits = [ConfigurationLimit(model), VelocityLimit(model, robot.velocity_caps)]
    frame_tasks = {
        frame: FrameTask(
            frame, config.position_cost, config.orientation_cost,
            lm_damping=config.lm_damping, gain=config.gain,
        )
        for frame in robot.description.tool_frames
    }  # fmt: skip
    tasks: list[Task] = list(frame_tasks.values())
    posture = PostureTask(cost=config.posture_cost)
    if config.posture_cost > 0:
        tasks.append(posture)
    lap = [{f: pinocchio.XYZQUATToSE3(p.xyz_xyzw) for f, p in poses.items()} for poses in targets]
    count = 0

    def tick() -> None:
        nonlocal count
        if count % 5 == 0:
            for frame, target in lap[count // 5 % len(lap)].items():
                frame_tasks[frame].set_target(target)
        posture.set_target_from_configuration(configuration)
        velocity = pink.solve_ik(
            configuration, tasks, DT, solver=config.solver, damping=config.damping,
            limits=limits, safety_break=config.safety_break,
        )  # fmt: skip
        configuration.integrate_inplace(velocity, DT)
        count += 1

    return tick


if __name__ == "__main__":
    for row in measure():
        print(row)
