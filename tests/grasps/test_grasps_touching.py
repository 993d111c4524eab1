"""Whether links touch, by the hulls of a robot's collision shapes."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.grasps.reach import ReachChecker
from workbench.grasps.reach_types import GraspTarget, ReachSettings
from workbench.grasps.touching import TouchingLinks
from workbench.model.collision import build_collision_model
from workbench.model.controlled import controlled_from_robot
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose


@pytest.fixture(scope="module")
def panda() -> Robot:
    return load_robot(RobotRequest("panda"))


@pytest.fixture(scope="module")
def touching(panda: Robot) -> TouchingLinks:
    return TouchingLinks(panda, build_collision_model(panda))


def test_nothing_touches_at_home(panda: Robot, touching: TouchingLinks) -> None:
    home = np.array([panda.description.home[name] for name in panda.description.joint_names])
    assert touching(home) is None


def test_a_hand_in_its_own_base_touches_it(touching: TouchingLinks) -> None:
    folded = np.array([0.0, -0.5, 0.0, -3.0, 0.0, 0.2, 0.0])
    links = touching(folded)
    assert links is not None
    assert len(set(links)) == 2


def test_a_check_tells_of_links_that_touch(panda: Robot, touching: TouchingLinks) -> None:
    robot = controlled_from_robot(panda)
    config = PinkKinematicsConfig(solver="daqp", gain=0.5, lm_damping=0.2, damping=5e-3)
    grasp = Pose(np.array([0.45, 0.0, 0.3]), np.array([0.0, 1.0, 0.0, 0.0]))
    target = GraspTarget("top", grasp, grasp @ ReachSettings().retreat)
    with_hulls = ReachChecker(robot, config, "panda_hand", touching=touching).check(target)
    assert with_hulls.is_reached
    assert touching(np.array(with_hulls.positions)) is None


@pytest.mark.parametrize(
    ("name", "frame", "grasp", "links"),
    [
        (
            "panda", "panda_hand",
            Pose(np.array([-0.094, -0.133, 0.381]), np.array([0.814, -0.413, 0.187, -0.363])),
            {"panda_link1", "panda_hand"},
        ),
        (
            "ur5", "tool0",
            Pose(np.array([0.071, -0.082, 0.018]), np.array([0.016, 0.489, 0.609, 0.624])),
            {"upper_arm_link", "wrist_1_link"},
        ),
    ],
)  # fmt: skip
def test_a_grasp_that_only_an_arm_in_itself_would_reach_is_not_reached(
    name: str, frame: str, grasp: Pose, links: set[str]
) -> None:
    robot = load_robot(RobotRequest(name))
    controlled = controlled_from_robot(robot)
    touching = TouchingLinks(robot, build_collision_model(robot))
    target = GraspTarget("within", grasp, grasp @ ReachSettings().retreat)
    config, once = robot.description.defaults, ReachSettings(max_attempts=1)
    blind = ReachChecker(controlled, config, frame, once).check(target)
    assert blind.is_reached
    found = touching(np.array(blind.positions))
    assert found is not None and set(found) == links
    seeing = ReachChecker(controlled, config, frame, once, touching=touching).check(target)
    assert seeing.state == "not_reached"
    assert f"{found[0]} touches {found[1]}" in seeing.text
