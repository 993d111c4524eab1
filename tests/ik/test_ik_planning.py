"""Planning: attempts, retries inside the limits, held joints, and how a search ends."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.ik.test_ik_streaming import NAMES, moved, pose_of
from tests.robots_inline import BENT, SIX_AXIS_ARM, joint, limit, robot, write_urdf
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.planning import PlanningConfig
from workbench.errors import RobotError, SolverError
from workbench.ik.planning import Planner
from workbench.model.controlled import ControlledRobot, controlled_from_urdf
from workbench.poses import Pose

CONFIG = PinkKinematicsConfig(solver="daqp", lm_damping=1e-3)
NO_RANGE = '<limit effort="1" velocity="1"/>'
OUT_OF_REACH = {"tool": Pose(np.array([9.0, 0.0, 0.0]))}


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> ControlledRobot:
    path = write_urdf(tmp_path_factory.mktemp("arm"), SIX_AXIS_ARM)
    return controlled_from_urdf(Path(path), NAMES)


def planner(arm: ControlledRobot, **planning: Any) -> Planner:
    return Planner(arm, CONFIG, PlanningConfig.checked(**planning))


def nearby(arm: ControlledRobot) -> dict[str, Pose]:
    return {"tool": moved(pose_of(arm, arm.vector(BENT)), 0.05, 0.05, -0.05)}


def test_a_plan_arrives_within_its_tolerances_and_shows_its_path(arm: ControlledRobot) -> None:
    targets, seed = nearby(arm), arm.vector(BENT)
    result = planner(arm).plan(targets, seed)
    assert result.succeeded and result.status == "SUCCESS"
    assert (result.attempt, result.attempts) == (1, 1)
    assert result.positions is not None and not result.positions.flags.writeable
    errors = targets["tool"].distance_to(pose_of(arm, result.positions))
    assert errors[0] <= 1e-3 and errors[1] <= 1e-2
    assert errors == pytest.approx((result.position_error_m, result.orientation_error_rad))
    assert result.path[0].tolist() == seed.tolist()
    assert result.path[-1].tolist() == result.positions.tolist()
    assert len(result.path) == result.iterations


def test_a_seed_that_is_there_already_takes_one_iteration(arm: ControlledRobot) -> None:
    seed = arm.vector(BENT)
    result = planner(arm).plan({"tool": pose_of(arm, seed)}, seed)
    assert (result.status, result.iterations) == ("SUCCESS", 1)
    assert result.positions == pytest.approx(seed)


def test_what_is_out_of_reach_has_no_solution_after_all_attempts(arm: ControlledRobot) -> None:
    config = CONFIG.with_values(max_iterations=20)
    result = Planner(arm, config, PlanningConfig(max_attempts=3)).plan(
        OUT_OF_REACH, arm.vector(BENT)
    )
    assert result.status == "NO_SOLUTION" and result.positions is None
    assert (result.attempt, result.attempts, result.iterations) == (1, 3, 20)
    assert result.position_error_m > 1.0 and "20 iterations" in result.message


def test_a_retry_starts_inside_the_limits_and_the_same_seed_gives_the_same_plan(
    arm: ControlledRobot,
) -> None:
    goal = arm.vector({"yaw": 2.5, "shoulder": -1.2, "elbow": 1.5, "pitch": -1.0, "roll": 2.0})
    seed = arm.vector({"yaw": -2.9, "shoulder": 1.9, "elbow": -1.9, "pitch": 1.9, "roll": -2.9})
    targets = {"tool": pose_of(arm, goal)}
    config = CONFIG.with_values(max_iterations=60)

    def plan(number: int) -> Any:
        planning = PlanningConfig(max_attempts=40, seed=number)
        return Planner(arm, config, planning).plan(targets, seed)

    first, again, other = plan(1), plan(1), plan(2)
    assert first.succeeded and first.attempt == first.attempts > 1
    start = first.path[0]
    assert (start >= arm.lower).all() and (start <= arm.upper).all()
    assert first.attempt == again.attempt
    assert first.positions.tolist() == again.positions.tolist()
    assert other.path[0].tolist() != start.tolist()


def test_a_held_joint_stays_in_every_attempt(arm: ControlledRobot) -> None:
    # The goal itself has the elbow there, so that it can be reached.
    goal = {**BENT, "yaw": 0.4, "roll": 0.3, "elbow": 1.1}
    result = planner(arm, max_attempts=20).plan(
        {"tool": pose_of(arm, arm.vector(goal))}, arm.vector(BENT), held={"elbow": 1.1}
    )
    assert result.succeeded
    assert all(positions[2] == pytest.approx(1.1, abs=1e-8) for positions in result.path)


def test_a_cancelled_search_says_so_and_where_it_was(arm: ControlledRobot) -> None:
    asked: list[tuple[int, int]] = []

    def keep_going(attempt: int, iterations: int) -> bool:
        asked.append((attempt, iterations))
        return len(asked) < 205

    result = planner(arm).plan(OUT_OF_REACH, arm.vector(BENT), keep_going=keep_going)
    assert (result.status, result.attempt, result.positions) == ("CANCELLED", 2, None)
    assert asked[0] == (1, 0) and asked[200] == (2, 0)


def test_an_attempt_without_promise_is_given_up(arm: ControlledRobot) -> None:
    seen: list[tuple[int, float]] = []

    def is_promising(iterations: int, position_error_m: float, _error_rad: float) -> bool:
        seen.append((iterations, position_error_m))
        return iterations < 3

    result = planner(arm, max_attempts=2).plan(
        OUT_OF_REACH, arm.vector(BENT), is_promising=is_promising
    )
    assert (result.status, result.attempts, result.iterations) == ("NO_SOLUTION", 2, 3)
    assert result.message == "No step brings it nearer."
    assert [iterations for iterations, _ in seen] == [0, 1, 2, 3] * 2
    assert result.position_error_m == seen[3][1]


def test_a_solver_that_oversteps_a_limit_ends_the_attempt(
    arm: ControlledRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    planning = planner(arm, max_attempts=1)
    overstep = arm.vector({"elbow": 2.1})
    monkeypatch.setattr(planning._tasks, "step", lambda dt: (arm.q_from_positions(overstep), None))
    result = planning.plan(OUT_OF_REACH, arm.vector(BENT))
    assert (result.status, result.iterations) == ("JOINT_LIMITS", 1)
    assert "elbow" in result.message


def test_a_seed_outside_the_limits_is_one_sentence(arm: ControlledRobot) -> None:
    result = planner(arm, max_attempts=1).plan(OUT_OF_REACH, arm.vector({"elbow": 2.5}))
    assert (result.status, result.iterations) == ("NO_SOLUTION", 0)
    assert "elbow" in result.message and "2.5" in result.message


def test_what_cannot_be_planned_for_is_refused(arm: ControlledRobot) -> None:
    seed = arm.vector(BENT)
    with pytest.raises(SolverError, match="no target"):
        planner(arm).plan({}, seed)
    with pytest.raises(RobotError, match="tool"):
        planner(arm).plan({"tol": Pose()}, seed)
    with pytest.raises(RobotError, match="elbow"):
        planner(arm).plan(OUT_OF_REACH, seed, held={"elbou": 0.0})
    with pytest.raises(SolverError, match="outside its limits"):
        planner(arm).plan(OUT_OF_REACH, seed, held={"elbow": 2.5})
    seed[0] = math.nan
    with pytest.raises(SolverError, match="seed"):
        planner(arm).plan(OUT_OF_REACH, seed)


def test_two_frames_are_planned_for_at_once(tmp_path: Path) -> None:
    twins = robot(
        joint("left", parent="base", child="left_hand", axis="0 1 0", xyz="0 1 0"),
        joint("right", parent="base", child="right_hand", axis="0 1 0", xyz="0 -1 0"),
        links="base left_hand right_hand",
    )
    pair = controlled_from_urdf(Path(write_urdf(tmp_path, twins)), ("right", "left"))
    goal = np.array([0.4, -0.7])
    targets = {name: pose_of(pair, goal, name) for name in ("left_hand", "right_hand")}
    result = planner(pair).plan(targets, np.zeros(2))
    assert result.succeeded and result.positions == pytest.approx(goal, abs=0.01)


def test_a_slider_without_limits_is_searched_around_the_seed(tmp_path: Path) -> None:
    rail = robot(
        joint("rail", "prismatic", parent="base", child="cart", inside=NO_RANGE),
        joint("turn", parent="cart", child="hand", xyz="0.2 0 0", inside=limit(-1, 1)),
        links="base cart hand",
    )
    cart = controlled_from_urdf(Path(write_urdf(tmp_path, rail)), ("rail", "turn"))
    assert np.isinf([cart.lower[0], cart.upper[0]]).all() and not cart.is_bounded[0]
    config = CONFIG.with_values(max_iterations=1)
    starts = {}

    def keep_going(attempt: int, iterations: int) -> bool:
        del iterations
        starts[attempt] = cart.positions_from_q(plan._tasks.configuration.q)[0]
        return True

    plan = Planner(cart, config, PlanningConfig(max_attempts=5))
    plan.plan({"hand": Pose(np.array([50.0, 0, 0]))}, np.array([3.0, 0.0]), keep_going=keep_going)
    assert starts[1] == 3.0
    for attempt in range(2, 6):
        assert 0.0 < abs(starts[attempt] - 3.0) <= 2.0 ** (attempt - 2)
