"""What a session adds to the twelve settings decides which grasps are reached, or is said."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.robots_inline import joint, robot, write_urdf
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.limits import AccelerationLimitSpec, PositionBarrierSpec
from workbench.config.settings import Settings
from workbench.errors import RobotError, SolverError
from workbench.grasps.arm import ReachingArm
from workbench.grasps.reach import ReachChecker
from workbench.grasps.reach_rules import ReachRules
from workbench.grasps.reach_task import ReachQuestion, ReachTask, ReachWork
from workbench.grasps.reach_types import GraspTarget, ReachResult, ReachSettings
from workbench.grasps.reach_worker import start_reach_work
from workbench.model.controlled import ControlledRobot, controlled_from_request
from workbench.model.request import RobotRequest
from workbench.poses import Pose

FRAME = "panda_hand"
CONFIG = PinkKinematicsConfig(solver="daqp", gain=0.5, lm_damping=0.2, damping=5e-3)
ONCE = ReachSettings(max_attempts=1)
DOWN = np.array([0.0, 1.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def panda() -> ControlledRobot:
    return controlled_from_request(RobotRequest("panda"))[0]


@pytest.fixture(scope="module")
def work() -> ReachWork:
    """What a process of a check does, in this one."""
    return start_reach_work(RobotRequest("panda"))


def from_above(x: float, y: float, z: float, name: str = "top") -> GraspTarget:
    grasp = Pose(np.array([x, y, z]), DOWN)
    return GraspTarget(name, grasp, grasp @ ONCE.retreat)


NEAR = from_above(0.45, 0.0, 0.3)


def checked(panda: ControlledRobot, target: GraspTarget = NEAR, **rules: object) -> ReachResult:
    checker = ReachChecker(panda, CONFIG, FRAME, ONCE, rules=ReachRules(**rules))  # type: ignore[arg-type]
    return checker.check(target, with_path=True)


def test_a_held_joint_stays_where_it_is_in_plan_and_approach(panda: ControlledRobot) -> None:
    free = checked(panda)
    result = checked(panda, held_joints={"panda_joint3": 0.4})
    assert free.is_reached and result.is_reached
    index = panda.joint_index("panda_joint3")
    assert abs(free.positions[index] - 0.4) > 0.1
    path = np.array([result.pregrasp_positions, *result.approach_path, result.positions])
    assert path[:, index] == pytest.approx(0.4, abs=1e-9)


def test_what_a_held_joint_takes_away_is_not_reached_and_it_is_named(
    panda: ControlledRobot,
) -> None:
    behind = from_above(-0.45, 0.0, 0.3)
    result = checked(panda, behind, held_joints={"panda_joint1": 0.0, "panda_joint3": 0.0})
    assert not result.is_reached
    assert result.limiting_joint not in ("panda_joint1", "panda_joint3")
    aside = from_above(0.0, 0.75, 0.3)
    assert checked(panda, aside).is_reached
    result = checked(panda, aside, held_joints={"panda_joint1": 0.0, "panda_joint3": 0.0})
    assert not result.is_reached


def test_a_held_joint_is_named_where_no_limit_holds_the_arm(panda: ControlledRobot) -> None:
    arm = ReachingArm(panda, FRAME, frozenset(panda.joint_names))
    aside = from_above(0.3, 0.4, 0.3).grasp
    text = arm.what_holds(np.array(panda.home), aside)
    assert text is not None
    assert text.endswith(f"held: {', '.join(panda.joint_names)}.")
    assert ReachingArm(panda, FRAME).what_holds(np.array(panda.home), aside) is None


def test_an_arm_that_is_stretched_out_is_told_from_one_at_a_limit(panda: ControlledRobot) -> None:
    result = checked(panda, from_above(0.85, 0.0, 0.35))
    assert result.state == "not_reached"
    assert result.limiting_joint is None
    assert "stretched out" in result.text


def test_a_joint_cannot_be_held_outside_its_limits(panda: ControlledRobot) -> None:
    with pytest.raises(SolverError, match="panda_joint4"):
        checked(panda, held_joints={"panda_joint4": 1.0})
    with pytest.raises(RobotError, match="panda_joint9"):
        checked(panda, held_joints={"panda_joint9": 1.0})


def test_a_velocity_cap_bounds_the_approach_and_is_named(panda: ControlledRobot) -> None:
    free = checked(panda)
    index = panda.joint_index("panda_joint4")
    speeds = np.abs(np.diff(np.array(free.approach_path), axis=0))[:, index] * ONCE.rate_hz
    assert speeds.max() > 0.25
    result = checked(panda, velocity_caps={"panda_joint4": 0.1})
    assert result.state == "approach_fails"
    assert "panda_joint4 at its velocity bound" in result.text
    # A cap that leaves room changes nothing.
    roomy = checked(panda, velocity_caps={"panda_joint4": 2.0})
    assert roomy.is_reached


def test_weights_that_follow_slowly_are_said_to(panda: ControlledRobot) -> None:
    soft = CONFIG.with_values(gain=0.05)
    result = ReachChecker(panda, soft, FRAME, ONCE).check(NEAR)
    assert result.state == "approach_fails"
    assert "no bound is in its way" in result.text


def test_the_first_attempt_begins_at_the_home_of_the_session(panda: ControlledRobot) -> None:
    home = panda.by_name(panda.home) | {"panda_joint3": 0.8}
    index = panda.joint_index("panda_joint3")
    result = checked(panda, home=home)
    assert result.state == "reached"
    assert result.positions[index] > checked(panda).positions[index] + 0.2


def test_lists_decide_the_approach(work: ReachWork) -> None:
    wall = PositionBarrierSpec(name="floor", frame=FRAME, minimum=(None, None, 0.35))
    question = ReachQuestion(FRAME, CONFIG, settings=ONCE)
    with_wall = replace(question, rules=ReachRules(barriers=(wall,)))
    high = from_above(0.45, 0.0, 0.5, "high")
    targets = (NEAR, high)
    assert [one.state for one in work(ReachTask(question, targets))] == ["reached"] * 2
    low, up = work(ReachTask(with_wall, targets))
    assert (low.state, up.state) == ("approach_fails", "reached")
    assert low.approach_share is not None and low.approach_share < 0.9


def test_a_list_that_looks_back_sees_no_other_approach(work: ReachWork) -> None:
    brisk = AccelerationLimitSpec(name="brisk")
    question = ReachQuestion(
        FRAME, CONFIG, settings=ONCE, rules=ReachRules(limits=(brisk,))
    )  # fmt: skip
    other = from_above(0.4, 0.2, 0.35, "other")
    forth = work(ReachTask(question, (NEAR, other)))
    back = work(ReachTask(question, (other, NEAR)))
    assert forth == back[::-1]


def test_rules_are_those_of_the_session_but_for_what_is_switched_off() -> None:
    on, off = AccelerationLimitSpec(name="on"), AccelerationLimitSpec(name="off", enabled=False)
    settings = Settings(
        held_joints={"a": 1.0}, velocity_caps={"b": 2.0}, home={"a": 0.5}, limits=(on, off)
    )
    rules = ReachRules.of(settings)
    assert rules.limits == (on,)
    assert (rules.held_joints, rules.velocity_caps, rules.home) == (
        {"a": 1.0},
        {"b": 2.0},
        {"a": 0.5},
    )
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert rules == ReachRules.of(settings)
    assert rules != ReachRules.of(replace(settings, held_joints={}))


def test_what_cannot_be_taken_along_is_said() -> None:
    rules = ReachRules(limits=(AccelerationLimitSpec(name="brisk"),))
    assert ReachRules().left_out == ""
    assert "its plans, like those of the planning mode, do not: brisk" in rules.left_out


def test_a_floating_base_stands_at_its_home(tmp_path: Path) -> None:
    urdf = robot(
        joint("slide", "prismatic", child="cart", axis="1 0 0", xyz="0 0 0"),
        joint("turn", parent="cart", xyz="0 0 0"),
        links="base cart arm",
    )
    request = RobotRequest(write_urdf(tmp_path, urdf), floating_base=True)
    work = start_reach_work(request)
    home = Pose(np.array([0.0, 2.0, 0.0]))
    rules = ReachRules(home_base=home, limits=(AccelerationLimitSpec(name="brisk"),))
    grasp = Pose(np.array([0.2, 2.0, 0.0]))
    target = GraspTarget("ahead", grasp, Pose(np.array([0.1, 2.0, 0.0])))
    question = ReachQuestion("arm", CONFIG, settings=ONCE, rules=rules)
    (result,) = work(ReachTask(question, (target,)))
    assert result.state == "reached"
    (result,) = work(ReachTask(replace(question, rules=ReachRules()), (target,)))
    assert result.state == "not_reached"
    assert result.position_error_m == pytest.approx(2.0, abs=0.1)
