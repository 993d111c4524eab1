"""A straight loop of ``pink.solve_ik``, the targets that it is given, and where it arrived.

``python -m tests.peers.straight_loop`` runs it for every profile and writes the record that the
planner is compared with; it takes some minutes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pink
import pinocchio as pin
from pink.tasks import FrameTask, PostureTask, Task

from tests.bare_models import PROFILES
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.planning import PlanningConfig
from workbench.model.controlled import ControlledRobot, controlled_from_request
from workbench.model.request import RobotRequest
from workbench.poses import Pose

RECORD = Path(__file__).parent / "records" / "straight_loop.json"
TARGETS = 200
CONFIG = PinkKinematicsConfig(solver="daqp", lm_damping=1e-3, max_iterations=40, gain=0.9, dt=0.2)
PLANNING = PlanningConfig(max_attempts=5)
BUDGET = CONFIG.max_iterations * PLANNING.max_attempts
STALLED = 1e-10
"""A loop that moves no joint by more than this, in rad or m, will never arrive."""


@dataclass(frozen=True, eq=False)
class Arm:
    """A profile's robot and its tool frames."""

    robot: ControlledRobot
    frames: tuple[str, ...]

    def targets(self) -> Iterator[dict[str, Pose]]:
        """Yield poses of all tool frames at once that some posture inside the limits has."""
        robot, data = self.robot, self.robot.model.createData()
        random = np.random.default_rng(7)
        lower, upper = (np.clip(limit, -math.pi, math.pi) for limit in (robot.lower, robot.upper))
        for _ in range(TARGETS):
            q = robot.q_from_positions(random.uniform(lower, upper))
            pin.framesForwardKinematics(robot.model, data, q)
            yield {
                frame: Pose.from_se3(data.oMf[robot.model.getFrameId(frame)])
                for frame in self.frames
            }


@cache
def arm(name: str) -> Arm:
    """Load a profile's robot."""
    robot, structure = controlled_from_request(RobotRequest(name))
    return Arm(robot, tuple(tool.name for tool in structure.tools))


def steps_to_arrive(robot: ControlledRobot, targets: dict[str, Pose]) -> int | None:
    """Return how many steps Pink alone takes from home; None if the budget does not suffice."""
    model = robot.model
    home = robot.q_from_positions(robot.home)
    configuration = pink.Configuration(model, model.createData(), home)
    tasks: list[Task] = []
    for frame, target in targets.items():
        reach = FrameTask(
            frame, CONFIG.position_cost, CONFIG.orientation_cost, CONFIG.lm_damping, CONFIG.gain
        )
        reach.set_target(pin.SE3(target.rotation, target.translation))
        tasks.append(reach)
    posture = PostureTask(cost=CONFIG.posture_cost)
    posture.set_target(home)
    tasks.append(posture)
    for step in range(BUDGET):
        if _has_arrived(configuration, targets):
            return step
        velocity = pink.solve_ik(
            configuration, tasks, CONFIG.dt, solver=CONFIG.solver, damping=CONFIG.damping
        )
        if np.abs(velocity).max() * CONFIG.dt < STALLED:
            return None
        configuration.integrate_inplace(velocity, CONFIG.dt)
    return None


def _has_arrived(configuration: pink.Configuration, targets: dict[str, Pose]) -> bool:
    for frame, target in targets.items():
        here = Pose.from_se3(configuration.get_transform_frame_to_world(frame))
        position_error_m, orientation_error_rad = target.distance_to(here)
        if (
            position_error_m > PLANNING.position_tolerance_m
            or orientation_error_rad > PLANNING.orientation_tolerance_rad
        ):
            return False
    return True


def recorded() -> dict[str, list[int | None]]:
    """Return the steps that the loop took to each target, by profile."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    assert record["config"] == CONFIG.model_dump(), "run this module again"
    assert record["planning"] == PLANNING.model_dump(), "run this module again"
    return record["steps"]


def main() -> None:
    """Run the loop for every profile and write the record."""
    steps: dict[str, list[int | None]] = {}
    for name in PROFILES:
        one = arm(name)
        steps[name] = [steps_to_arrive(one.robot, targets) for targets in one.targets()]
        print(name, sum(count is not None for count in steps[name]), flush=True)
    lines = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(found)}" for name, found in steps.items()
    )
    head = json.dumps({"config": CONFIG.model_dump(), "planning": PLANNING.model_dump()}, indent=1)
    RECORD.write_text(f'{head[:-2]},\n "steps": {{\n{lines}\n }}\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
