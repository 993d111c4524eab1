"""Solve to convergence: the planner's question, with the planner's step and budget."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.ik.engines import CALM, arm_engine, inputs, load, moved, poses, positions_of, run
from tests.robots_inline import BENT, GRIPPER
from workbench.config.robot_pose import RobotPose
from workbench.errors import SolverError
from workbench.ik.convergence import solve_to_convergence
from workbench.ik.forward import tool_poses
from workbench.poses import Pose, wxyz_from_rpy

START = RobotPose(BENT)


def always(iteration: int) -> bool:
    return True


def test_it_converges_and_the_positions_reach_the_target(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    target = moved(poses(engine)["tool"], (0.1, 0.1, -0.1), (0.0, 0.3, 0.0))
    counted: list[int] = []

    def keep_going(iteration: int) -> bool:
        counted.append(iteration)
        return True

    result = solve_to_convergence(engine.robot, inputs({"tool": target}), START, keep_going)
    assert result.converged and result.status.ok
    assert 1 < result.iterations == len(counted) < CALM.max_iterations
    assert counted == list(range(result.iterations))
    assert result.position_error_m <= 1e-3 and result.orientation_error_rad <= 10e-3
    reached = tool_poses(engine.robot, result.pose.positions)["tool"]
    assert reached.is_close(target, 1e-3, 10e-3)


def test_it_steps_with_the_configs_dt_and_not_with_the_loops(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    target = {"tool": moved(poses(engine)["tool"], (0.1, 0.2, -0.1))}
    iterations = [
        solve_to_convergence(
            engine.robot,
            inputs(target, CALM.with_values(dt=dt), dt=loop_dt),
            RobotPose(BENT),
            always,
        ).iterations
        for dt, loop_dt in ((0.01, 0.001), (0.01, 0.5), (0.2, 0.001))
    ]
    assert iterations[0] == iterations[1] > iterations[2]


def test_it_stops_at_the_iteration_budget_without_convergence(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    far = {"tool": moved(poses(engine)["tool"], (5.0, 0, 0))}
    result = solve_to_convergence(
        engine.robot, inputs(far, CALM.with_values(max_iterations=7)), START, always
    )
    assert not result.converged and result.iterations == 7
    assert result.position_error_m > 1.0


def test_it_stops_when_told_to(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    far = {"tool": moved(poses(engine)["tool"], (5.0, 0, 0))}
    result = solve_to_convergence(engine.robot, inputs(far), START, lambda iteration: iteration < 3)
    assert not result.converged and result.iterations == 3


def test_a_start_at_the_target_takes_no_step(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    result = solve_to_convergence(engine.robot, inputs(poses(engine)), START, always)
    assert result.converged and result.iterations == 0
    for name, position in BENT.items():
        assert result.pose.positions[name] == pytest.approx(position)


def test_an_invalid_target_is_reported_and_not_solved(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    result = solve_to_convergence(engine.robot, inputs({"tool": None}), START, always)
    assert not result.converged and result.iterations == 0
    assert result.status.code == "target_invalid"


def test_the_posture_is_that_of_the_start_as_when_planning(tmp_path: Path) -> None:
    """A search that lets a heavy posture follow converges; one that holds it does not."""
    engine = arm_engine(tmp_path)
    target = {"tool": moved(poses(engine)["tool"], (0.1, 0.05, -0.05))}
    heavy = CALM.with_values(posture_cost=0.3, dt=0.05)
    result = solve_to_convergence(engine.robot, inputs(target, heavy), START, always)
    assert not result.converged
    followed = run(engine, inputs(target, heavy, dt=0.05), CALM.max_iterations)
    assert followed.tools[0].position_error_m == pytest.approx(0, abs=1e-3)


def test_held_joints_stay_during_the_search(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    target = {"tool": moved(poses(engine)["tool"], (0.05, 0.1, 0.0))}
    config = CALM.with_values(orientation_cost=0.0, max_iterations=30)
    result = solve_to_convergence(
        engine.robot,
        inputs(target, config, held_joints={"elbow": BENT["elbow"]}),
        RobotPose(BENT),
        always,
    )
    assert result.pose.positions["elbow"] == pytest.approx(BENT["elbow"], abs=1e-9)
    assert result.position_error_m < 1e-3


def test_the_live_engine_does_not_move_and_threads_do_not_meet(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    q = engine.q.copy()
    targets = [
        {"tool": moved(poses(engine)["tool"], (0.02 * i, 0.1 - 0.02 * i, 0.0))} for i in range(8)
    ]

    def solve(target: dict[str, Pose]) -> tuple[int, list[float]]:
        result = solve_to_convergence(engine.robot, inputs(target), START, always)
        return result.iterations, list(result.pose.positions.values())

    alone = [solve(target) for target in targets]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(solve, targets))
    assert together == alone
    np.testing.assert_array_equal(engine.q, q)


def test_forward_kinematics_agrees_with_the_engine(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path, {**BENT, "twist": 2.0, "yaw": -1.0})
    (tool,) = engine.observe(inputs({})).tools
    assert tool_poses(engine.robot, positions_of(engine))["tool"].is_close(
        tool.transform_tool_to_world, 1e-12, 1e-9
    )


def test_forward_kinematics_starts_from_home_and_refuses_unknown_joints(tmp_path: Path) -> None:
    loaded = load(tmp_path, GRIPPER, tools=("left", "right"))
    at_home = tool_poses(loaded, {})
    assert list(at_home) == ["left", "right"]
    lifted = tool_poses(loaded, {"lift": loaded.description.home["lift"] + 0.1})
    rise = lifted["left"].translation - at_home["left"].translation
    np.testing.assert_allclose(rise, [0, 0, 0.1], atol=1e-12)
    with pytest.raises(SolverError, match="lift"):
        tool_poses(loaded, {"lfit": 0.0})


def test_a_floating_base_starts_and_ends_where_it_is_and_not_at_the_origin(tmp_path: Path) -> None:
    loaded = load(tmp_path, GRIPPER, tools=("left", "right"), floating_base=True)
    base = Pose(np.array([1.0, -2.0, 0.5]), wxyz_from_rpy([0.0, 0.2, 1.0]))
    start = RobotPose(loaded.description.home, base)
    here = {name: base @ pose for name, pose in tool_poses(loaded, {}).items()}
    still = solve_to_convergence(loaded, inputs(here), start, always)
    assert still.converged and still.iterations == 0
    assert still.pose.transform_base_to_world.is_close(base)
    target = moved(here["left"], (0.2, 0.1, 0.3))
    moving = solve_to_convergence(loaded, inputs({"left": target}), start, always)
    assert moving.converged
    end = moving.pose
    reached = end.transform_base_to_world @ tool_poses(loaded, end.positions)["left"]
    assert reached.is_close(target, 1e-3, 10e-3)
