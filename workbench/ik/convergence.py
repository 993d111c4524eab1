"""Solve to convergence: what a planner that uses the same config would find.

As DimOS's planning does, this steps with the config's own ``dt``, at most ``max_iterations``
times, and keeps the posture's target where the search began.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.config.robot_pose import RobotPose
from workbench.ik.tick import LiveEngine
from workbench.ik.types import ConvergenceResult, TickInputs

if TYPE_CHECKING:
    from workbench.model.robot import Robot

POSITION_TOLERANCE_M = 1e-3
ORIENTATION_TOLERANCE_RAD = 10e-3


def solve_to_convergence(
    robot: Robot,
    inputs: TickInputs,
    start: RobotPose,
    keep_going: Callable[[int], bool],
) -> ConvergenceResult:
    """Iterate from a pose until every enabled tool is within 1 mm and 10 mrad.

    Thread-safe: every call has an engine of its own.

    Args:
        robot: The robot.
        inputs: Settings and targets; ``dt`` is the loop's and is not used here.
        start: Where to start from.
        keep_going: Called with the number of steps taken before each step; the search ends when
            it returns False.

    Raises:
        SolverError: If a frame or a joint does not exist.
    """
    inputs = replace(inputs, dt=inputs.config.dt)
    engine = LiveEngine(robot)
    engine.set_positions(start.positions, start.transform_base_to_world)
    status = engine.observe(inputs).status
    engine.stack.follow_posture()
    errors = engine.largest_errors()
    iterations = 0
    while status.ok and not _within_tolerance(errors):
        if iterations >= inputs.config.max_iterations or not keep_going(iterations):
            break
        status, errors = engine.step_towards(inputs)
        iterations += 1
    final = robot.positions_from_q(engine.q)
    names = robot.description.joint_names
    return ConvergenceResult(
        converged=status.ok and _within_tolerance(errors),
        iterations=iterations,
        position_error_m=errors[0],
        orientation_error_rad=errors[1],
        pose=RobotPose(
            {name: float(value) for name, value in zip(names, final, strict=True)},
            robot.base_pose(engine.q),
        ),
        status=status,
    )


def _within_tolerance(errors: tuple[float, float]) -> bool:
    return errors[0] <= POSITION_TOLERANCE_M and errors[1] <= ORIENTATION_TOLERANCE_RAD
