"""Planning for a loaded robot, from where it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.config.planning import PlanningConfig
from workbench.config.robot_pose import RobotPose
from workbench.ik.plan_types import PlanResult
from workbench.ik.planning import Planner
from workbench.ik.types import TickInputs
from workbench.model.controlled import controlled_from_robot

if TYPE_CHECKING:
    from workbench.model.robot import Robot


def plan_for_robot(
    robot: Robot,
    inputs: TickInputs,
    planning: PlanningConfig,
    start: RobotPose,
    keep_going: Callable[[int, int], bool],
) -> PlanResult:
    """Plan to the targets; the base stays where it is. Thread-safe.

    Args:
        robot: The robot; positions of the result are in its description's order.
        inputs: Settings and targets; ``dt`` is the loop's and is not used here.
        planning: Tolerances, attempts and seed.
        start: Where the first attempt begins.
        keep_going: Called with attempt (from 1) and iterations done before each step; the search
            ends when it returns False.

    Raises:
        SolverError: If there is no valid target.
        RobotError: If a frame or joint does not exist.
    """
    controlled = controlled_from_robot(robot, start.transform_base_to_world)
    targets = {frame: pose for frame, pose in inputs.targets.items() if pose is not None}
    return Planner(controlled, inputs.config, planning).plan(
        targets,
        controlled.vector(start.positions),
        held=inputs.held_joints,
        velocity_limits=inputs.velocity_caps,
        keep_going=keep_going,
    )
