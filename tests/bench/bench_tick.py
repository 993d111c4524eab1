"""What a tick of ours costs against a bare ``pink.solve_ik`` loop that does the same.

Both follow the same moving targets with the same robot, tasks, limits and solver from the same
start, as :mod:`tests.bench.loops` describes.
"""

from __future__ import annotations

import statistics
from typing import Any

import pink
import pink.tasks
import pinocchio
from pink.limits import ConfigurationLimit, VelocityLimit

from tests.bench.loops import DT, TICKS_A_POSE, Loop, bare_loop, circle, take_turns
from workbench.config.settings import SolveWith
from workbench.ik.forward import tool_poses
from workbench.ik.tick import LiveEngine
from workbench.ik.types import TickInputs
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose

ROBOTS = ("panda", "g1")
GOAL = 1.15
TURNS = 60


def measure() -> list[dict[str, Any]]:
    """Return two rows for each robot: as the page solves, and solved the fast way."""
    rows = []
    for name in ROBOTS:
        robot = load_robot(RobotRequest(source=name))
        lap = circle(
            {
                frame: pinocchio.XYZQUATToSE3(pose.xyz_xyzw)
                for frame, pose in tool_poses(robot, {}).items()
            }
        )
        seconds = take_turns(
            {
                "pink": live_loop(robot, lap, "pink"),
                "fast": live_loop(robot, lap, "fast"),
                "bare": _bare_loop(robot, lap),
            },
            TURNS,
        )
        solver = robot.description.defaults.solver
        rows.append(_row(f", {name}, {solver}", seconds["pink"], seconds["bare"], GOAL))
        rows.append(_row(f", {name}, solved fast", seconds["fast"], seconds["bare"], None))
    return rows


def _row(what: str, ours: list[float], bare: list[float], goal: float | None) -> dict[str, Any]:
    ratio = statistics.median(first / second for first, second in zip(ours, bare, strict=True))
    return {
        "name": f"tick against a bare pink.solve_ik loop{what}",
        "value": ratio,
        "unit": "x",
        "goal": goal,
        "met": None if goal is None else ratio <= goal,
        "details": f"ours {1e6 * statistics.median(ours):.0f} us, bare"
        f" {1e6 * statistics.median(bare):.0f} us",
    }


def live_loop(
    robot: Robot, lap: list[dict[str, pinocchio.SE3]], solve_with: SolveWith = "pink"
) -> Loop:
    engine = LiveEngine(robot, solve_with)
    inputs = [
        TickInputs(
            robot.description.defaults, DT,
            {frame: Pose.from_se3(placement) for frame, placement in targets.items()},
        )
        for targets in lap
    ]  # fmt: skip
    count = 0

    def tick() -> None:
        nonlocal count
        engine.tick(inputs[count // TICKS_A_POSE % len(inputs)])
        count += 1

    return tick


def _bare_loop(robot: Robot, lap: list[dict[str, pinocchio.SE3]]) -> Loop:
    model = robot.model.copy()
    return bare_loop(
        pink.tasks, pink.Configuration(model, model.createData(), robot.home_q),
        robot.description.defaults, lap, pink.solve_ik,
        limits=[ConfigurationLimit(model), VelocityLimit(model, robot.velocity_caps)],
    )  # fmt: skip


if __name__ == "__main__":
    for row in measure():
        print(row)
