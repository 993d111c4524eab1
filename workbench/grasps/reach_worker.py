"""Reach checks in a process of their own: it loads the robot once and answers task after task."""

from __future__ import annotations

from workbench.grasps.reach import ReachChecker
from workbench.grasps.reach_task import ReachQuestion, ReachTask, ReachWork
from workbench.grasps.reach_types import ReachResult
from workbench.grasps.touching import TouchingLinks
from workbench.model.collision import build_collision_model
from workbench.model.controlled import controlled_from_robot
from workbench.model.request import RobotRequest
from workbench.model.robot import load_robot
from workbench.poses import Pose


def start_reach_work(request: RobotRequest) -> ReachWork:
    """Load a robot, with the hulls of its links, and return what checks grasps for it.

    A floating base stays at the world's origin.

    Args:
        request: The robot.

    Raises:
        RobotError: If the robot cannot be loaded.
    """
    robot = load_robot(request)
    touching = None
    if robot.description.collisions:
        touching = TouchingLinks(robot, build_collision_model(robot))
    last: tuple[ReachQuestion, ReachChecker] | None = None

    def work(task: ReachTask) -> tuple[ReachResult, ...]:
        nonlocal last
        question = task.question
        if last is None or last[0] != question:
            checker = ReachChecker(
                controlled_from_robot(robot, Pose()), question.kinematics, question.frame,
                question.settings, streaming=question.streaming, touching=touching,
            )  # fmt: skip
            last = question, checker
        checker = last[1]
        return tuple(checker.check(target, with_path=task.with_paths) for target in task.targets)

    return work
