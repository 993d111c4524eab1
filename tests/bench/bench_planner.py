"""How often the planner arrives, against a straight loop of ``pink.solve_ik`` with as many steps.

On every profile: 200 random targets for all its tool frames at once, each where some posture inside
the limits has them, from home. The loop is solved the fast way, whose answers are those of
``pink.solve_ik``; the tests in ``tests/peers`` compare with Pink itself, in larger steps. Takes a
few minutes of processor time: name the other measurements to leave it out.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pink
import pinocchio
from pink.tasks import FrameTask, PostureTask, Task

from tests.bare_models import PROFILES, BareModel, bare_model
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.planning import PlanningConfig
from workbench.ik.bounds import JointBounds
from workbench.ik.fast import FastSolver
from workbench.ik.planning import Planner
from workbench.model.controlled import controlled_from_request
from workbench.model.request import RobotRequest
from workbench.poses import Pose

TARGETS = 200
CONFIG = PinkKinematicsConfig(solver="daqp", lm_damping=1e-3)
PLANNING = PlanningConfig(max_attempts=5)
STALLED = 1e-10
"""A loop that moves no joint by more than this, in rad or m, will never arrive."""


def measure() -> list[dict[str, Any]]:
    """Return one row for each profile: how often the loop arrives for every arrival of ours."""
    return [_row(name) for name in PROFILES]


def _row(name: str) -> dict[str, Any]:
    bare = bare_model(name)
    robot, _ = controlled_from_request(RobotRequest(name))
    planner = Planner(robot, CONFIG, PLANNING)
    loop = _StraightLoop(bare)
    random = np.random.default_rng(7)
    lower, upper = (np.clip(limit, -math.pi, math.pi) for limit in (robot.lower, robot.upper))
    planned = straight = 0
    for _ in range(TARGETS):
        placements = bare.placements(robot.q_from_positions(random.uniform(lower, upper)))
        targets = {frame: Pose.from_se3(place) for frame, place in placements.items()}
        planned += planner.plan(targets, robot.home).succeeded
        straight += loop.arrives(placements)
    ratio = straight / planned if planned else math.inf
    return {
        "name": f"straight loop's arrivals against the planner's, {name}",
        "value": ratio,
        "unit": "x",
        "goal": 1.0,
        "met": ratio <= 1.0,
        "details": f"planner {planned}, loop {straight} of {TARGETS}, {len(bare.frames)} frames",
    }


class _StraightLoop:
    """Pink's tasks and nothing around them, always from home."""

    def __init__(self, bare: BareModel) -> None:
        self._home_q = bare.home_q
        self._configuration = pink.Configuration(bare.model, bare.model.createData(), bare.home_q)
        self._bounds = JointBounds(bare.model, bare.velocity_caps)
        self._solver = FastSolver()
        self._frame_tasks = {
            frame: FrameTask(
                frame, CONFIG.position_cost, CONFIG.orientation_cost,
                lm_damping=CONFIG.lm_damping, gain=CONFIG.gain,
            )
            for frame in bare.frames
        }  # fmt: skip
        posture = PostureTask(CONFIG.posture_cost)
        posture.set_target(bare.home_q)
        self._tasks: list[Task] = [*self._frame_tasks.values(), posture]

    def arrives(self, targets: dict[str, pinocchio.SE3]) -> bool:
        """Tell whether every frame is at its target after at most as many steps as a plan has."""
        configuration = self._configuration
        configuration.update(self._home_q)
        for frame, target in targets.items():
            self._frame_tasks[frame].set_target(target)
        for _ in range(CONFIG.max_iterations * PLANNING.max_attempts):
            if self._is_there(targets):
                return True
            try:
                velocity = self._solver.solve_ik(
                    configuration, self._tasks, CONFIG.dt, CONFIG.solver, damping=CONFIG.damping,
                    limits=[self._bounds],
                )  # fmt: skip
            except pink.PinkError:
                return False
            if np.abs(velocity).max() * CONFIG.dt < STALLED:
                return False
            configuration.integrate_inplace(velocity, CONFIG.dt)
        return False

    def _is_there(self, targets: dict[str, pinocchio.SE3]) -> bool:
        for frame, target in targets.items():
            here = Pose.from_se3(self._configuration.get_transform_frame_to_world(frame))
            position_error_m, orientation_error_rad = here.distance_to(Pose.from_se3(target))
            if (
                position_error_m > PLANNING.position_tolerance_m
                or orientation_error_rad > PLANNING.orientation_tolerance_rad
            ):
                return False
        return True


if __name__ == "__main__":
    for row in measure():
        print(row)
