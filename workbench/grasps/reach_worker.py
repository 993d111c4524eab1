"""Reach checks in a process of their own: it loads the robot once and answers task after task."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from workbench.grasps.reach import ReachChecker
from workbench.grasps.reach_task import ReachQuestion, ReachTask, ReachWork
from workbench.grasps.reach_types import ReachResult
from workbench.grasps.touching import TouchingLinks
from workbench.ik.listed_step import ListedStep
from workbench.model.collision import build_collision_model
from workbench.model.controlled import controlled_from_robot
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot


def start_reach_work(request: RobotRequest) -> ReachWork:
    """Load a robot, with the hulls of its links, and return what checks grasps for it.

    A floating base stays at its home.

    Args:
        request: The robot.

    Raises:
        RobotError: If the robot cannot be loaded.
    """
    robot = load_robot(request)
    collision = build_collision_model(robot) if robot.description.collisions else None
    touching = None if collision is None else TouchingLinks(robot, collision)
    last: tuple[ReachQuestion, ReachChecker] | None = None

    def work(task: ReachTask) -> tuple[ReachResult, ...]:
        nonlocal last
        question = task.question
        if last is None or last[0] != question:
            make_listed = partial(ListedStep, _with_tool(robot, question.frame), collision)
            checker = ReachChecker(
                controlled_from_robot(robot, question.rules.home_base), question.kinematics,
                question.frame, question.settings, streaming=question.streaming,
                rules=question.rules, make_listed=make_listed, touching=touching,
            )  # fmt: skip
            last = question, checker
        checker = last[1]
        return tuple(checker.check(target, with_path=task.with_paths) for target in task.targets)

    return work


def _with_tool(robot: Robot, frame: str) -> Robot:
    """Return the robot with a frame among its tool frames, which steps with lists go to."""
    description = robot.description
    if frame in description.tool_frames:
        return robot
    tool_frames = (*description.tool_frames, frame)
    return replace(robot, description=replace(description, tool_frames=tool_frames))
