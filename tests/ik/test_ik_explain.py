"""Why a step is what it is: the parts add up, and the right ones are named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import qpsolvers

from tests.ik.engines import CALM, arm_engine, inputs, load, moved, poses, run
from tests.ik.listed import panda
from tests.robots_inline import SIX_AXIS_ARM
from workbench.config.limits import PositionBarrierSpec
from workbench.config.tasks import (
    DampingTaskSpec,
    FrameTaskSpec,
    JointLimitTaskSpec,
    PostureTaskSpec,
)
from workbench.ik import explain
from workbench.ik.explanation import Explanation, Holder, Pull
from workbench.ik.tick import LiveEngine
from workbench.ik.types import SolveStatus
from workbench.poses import Pose

HOME = {"shoulder": 0.4, "elbow": 0.9, "pitch": 0.8}


def pull_of(explanation: Explanation, task: str = "tool") -> Pull:
    [pull] = [pull for pull in explanation.pulls if pull.task == task]
    return pull


def shares(pull: Pull) -> dict[str, float]:
    return {holder.name: holder.share for holder in pull.holders}


def test_a_posture_that_pulls_back_is_named_with_its_share(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    targets = {"tool": moved(poses(engine)["tool"], (0.05, 0.0, -0.05))}
    rest = PostureTaskSpec(name="rest", cost=0.5, target="home")
    tick_inputs = inputs(targets, tasks=(rest,), home=HOME)
    result = run(engine, tick_inputs, 400)
    q = engine.q
    explanation = engine.explain(tick_inputs)
    error_m = result.tools[0].position_error_m
    assert engine.q is q and error_m is not None and error_m > 0.005
    pull = pull_of(explanation)
    assert shares(pull)["rest"] == pytest.approx(1.0, abs=0.01)
    assert explanation.words == "rest holds 100 %"
    assert sum(task.share for task in explanation.tasks) == pytest.approx(1.0)
    assert [(task.name, task.kind) for task in explanation.tasks] == [
        ("tool", "frame"),
        ("rest", "posture"),
    ]


@pytest.mark.parametrize("solver", qpsolvers.available_solvers)
def test_what_holds_a_tool_adds_up_to_the_whole(tmp_path: Path, solver: str) -> None:
    engine = arm_engine(tmp_path)
    targets = {"tool": moved(poses(engine)["tool"], (0.2, 0.1, -0.1))}
    tasks = (
        PostureTaskSpec(name="rest", cost=0.2, target="home"),
        DampingTaskSpec(name="calm", cost=0.1),
    )
    tick_inputs = inputs(targets, tasks=tasks, home=HOME, held_joints={"yaw": 0.0})
    run(engine, tick_inputs, 3)
    config = CALM.with_values(solver=solver)
    explanation = engine.explain(replace(tick_inputs, config=config))
    assert explanation.status.ok
    pull = pull_of(explanation)
    assert sum(shares(pull).values()) == pytest.approx(1.0, abs=0.02)
    assert {"rest", "calm"} <= shares(pull).keys()
    assert explanation.lm_damping > 0.0


def test_a_joint_at_its_limit_is_named_with_its_side(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    rest = PostureTaskSpec(name="rest", cost=1.0, target={"elbow": 1.99, "shoulder": 0.4})
    config = CALM.with_values(lm_damping=0.0)
    run(engine, inputs({}, config, tasks=(rest,)), 200)
    engine.set_positions({"elbow": 2.0})
    # A tool that is pulled up the way that only more elbow would take it.
    before = poses(engine)["tool"]
    engine.set_positions({"elbow": 1.9})
    away = before.translation - poses(engine)["tool"].translation
    engine.set_positions({"elbow": 2.0})
    targets = {"tool": Pose(before.translation + away, before.wxyz)}
    explanation = engine.explain(inputs(targets, config, held_joints={
        name: at for name, at in (("yaw", 0.0), ("roll", 0.0), ("twist", 0.0))
    }))  # fmt: skip
    limits = {(limit.name, limit.quantity, limit.side) for limit in explanation.limits}
    assert ("joint elbow", "position", "upper") in limits
    assert "joint elbow at its upper limit" in explanation.words


def test_a_velocity_limit_is_told_from_a_position_limit(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    targets = {"tool": moved(poses(engine)["tool"], (0.3, 0.3, -0.1))}
    slow = {"shoulder": 0.01, "elbow": 0.01}
    explanation = engine.explain(inputs(targets, velocity_caps=slow))
    found = {(limit.name, limit.quantity) for limit in explanation.limits}
    assert {("joint shoulder", "velocity"), ("joint elbow", "velocity")} <= found
    assert "at its velocity limit holds" in explanation.words


def test_a_barrier_is_named(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    start = poses(engine)["tool"]
    wall = PositionBarrierSpec(
        name="table", frame="tool", minimum=(None, None, start.translation[2] - 0.02)
    )
    tick_inputs = inputs({"tool": moved(start, (0, 0, -0.1))}, barriers=(wall,))
    run(engine, tick_inputs, 200)
    explanation = engine.explain(tick_inputs)
    assert shares(pull_of(explanation))["table"] > 0.5
    assert "barrier table (z at its minimum) holds" in explanation.words


def test_a_target_out_of_reach_is_called_that() -> None:
    engine = LiveEngine(panda())
    [frame] = engine.robot.description.tool_frames
    config = CALM.with_values(lm_damping=0.01)
    position_only = FrameTaskSpec(name="t", frame=frame, orientation_cost=0.0)
    targets = {frame: Pose(np.array([0.0, 0.0, 3.0]))}
    tick_inputs = inputs(targets, config, tasks=(position_only,))
    run(engine, tick_inputs, 600)
    explanation = engine.explain(tick_inputs)
    pull = pull_of(explanation, frame)
    assert pull.stuck or any(holder.kind == "limit" for holder in pull.holders)
    assert explanation.words


def test_a_tool_that_has_arrived_has_nothing_to_say(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    tick_inputs = inputs(dict(poses(engine)))
    run(engine, tick_inputs, 20)
    explanation = engine.explain(tick_inputs)
    assert explanation.words == "" and not pull_of(explanation).holders


def test_the_damping_in_effect_is_that_of_the_error(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    targets = {"tool": moved(poses(engine)["tool"], (0.1, 0.0, 0.0))}
    config = CALM.with_values(lm_damping=2.0, gain=0.5, orientation_cost=0.0)
    found = engine.explain(inputs(targets, config))
    assert found.lm_damping == pytest.approx(2.0 * (0.5 * 0.1) ** 2, rel=1e-6)
    assert found.tikhonov_damping == config.damping


def test_a_refused_step_is_explained_by_its_status(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    assert engine.explain(inputs({"tool": None})).status.code == "target_invalid"
    hard = tuple(
        FrameTaskSpec(name=name, frame="hand", target=Pose(np.array([x, 0, 0.5])), hard=True)
        for name, x in (("one", 0.1), ("two", 0.2))
    )
    explanation = engine.explain(inputs({}, tasks=hard))
    assert explanation.status.code == "infeasible" and "one" in explanation.words


def test_multipliers_are_found_without_a_solver_that_gives_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = arm_engine(tmp_path)
    targets = {"tool": moved(poses(engine)["tool"], (0.3, 0.3, -0.1))}
    tick_inputs = inputs(
        targets, velocity_caps={"shoulder": 0.01, "elbow": 0.01}, held_joints={"roll": 0.0}
    )
    told = engine.explain(tick_inputs)
    real = explain.solve

    def without_duals(problem: qpsolvers.Problem, solver: str) -> qpsolvers.Solution:
        solution = real(problem, solver)
        solution.z = solution.y = None
        return solution

    monkeypatch.setattr(explain, "solve", without_duals)
    found = engine.explain(tick_inputs)
    assert told.duals_from_solver and not found.duals_from_solver
    assert {limit.name for limit in found.limits} == {limit.name for limit in told.limits}
    ours, theirs = shares(pull_of(found)), shares(pull_of(told))
    assert ours.keys() == theirs.keys()
    assert all(ours[name] == pytest.approx(theirs[name], abs=1e-3) for name in ours)


def test_every_row_has_a_label_with_all_entries_on(tmp_path: Path) -> None:
    from workbench.config.limits import AccelerationLimitSpec, FloatingBaseVelocityLimitSpec

    engine = LiveEngine(load(tmp_path, SIX_AXIS_ARM, tools=("tool",), floating_base=True))
    start = poses(engine)["tool"]
    tick_inputs = inputs(
        {"tool": moved(start, (1.0, 0, 0))},
        tasks=(JointLimitTaskSpec(name="soft"),),
        limits=(
            AccelerationLimitSpec(name="a", acceleration=1.0),
            FloatingBaseVelocityLimitSpec(name="b", linear_m_s=1e-3, angular_rad_s=1e-3),
        ),
        barriers=(PositionBarrierSpec(name="w", frame="tool", maximum=(5.0, None, 5.0)),),
    )
    explanation = engine.explain(tick_inputs)
    assert explanation.status == SolveStatus()
    assert ("the floating base", "base velocity") in {
        (limit.name, limit.quantity) for limit in explanation.limits
    }


def test_whoever_helps_is_named_beside_who_holds_more_than_the_whole() -> None:
    holders = (
        Holder("right", "task", 2.0, "right"),
        Holder("left", "task", -0.995, "left"),
        Holder("damping", "damping", -0.005, "damping"),
    )
    explanation = Explanation(pulls=(Pull("body", 1.0, holders),))
    assert explanation.words == "right holds 200 %, left helps with 100 %"
