"""Hard tasks and closed chains in a running engine, and what contradicts what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.ik.engines import (
    arm_engine,
    inputs,
    moved,
    near,
    poses,
    positions_of,
    run,
)
from workbench.config.limits import (
    AccelerationLimitSpec,
    PositionBarrierSpec,
    VelocityLimitSpec,
)
from workbench.config.tasks import (
    ClosedChainTaskSpec,
    FrameTaskSpec,
    LinearHolonomicTaskSpec,
    PostureTaskSpec,
)
from workbench.config.tasks_values_joints import Relation
from workbench.ik.conflicts import _conflict
from workbench.ik.constraints import Conflict
from workbench.ik.forward import tool_poses
from workbench.ik.tick import LiveEngine
from workbench.model.robot import Robot
from workbench.poses import Pose


def test_a_hard_frame_is_held_whatever_pulls_at_others(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    start = poses(engine)["tool"]
    pull = PostureTaskSpec(name="pull", cost=10.0, target={"elbow": -1.0})
    hard = FrameTaskSpec(name="still", frame="tool", orientation_cost=0.0, hard=True)
    result = run(engine, inputs({"tool": start}, tasks=(pull, hard)), 100)
    assert result.status.ok
    position_error_m, orientation_error_rad = poses(engine)["tool"].distance_to(start)
    assert position_error_m < 1e-6, "a weight of any size would give way"
    assert orientation_error_rad > 0.05, "axes without cost are free"


def test_a_hard_target_far_away_is_approached_in_steps(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    targets = near(engine, (0.05, 0.05, -0.05))
    hard = FrameTaskSpec(name="exact", frame="tool", hard=True)
    first = engine.tick(inputs(targets, tasks=(hard,)))
    assert first.status.ok
    result = run(engine, inputs(targets, tasks=(hard,)), 150)
    assert result.tools[0].position_error_m == pytest.approx(0.0, abs=1e-9)


def test_a_hard_target_is_approached_no_faster_than_the_limits_allow(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    targets = near(engine, (0.03, 0.03, -0.03))
    hard = FrameTaskSpec(name="exact", frame="tool", hard=True)
    slow = VelocityLimitSpec(name="slow", share=0.2)
    tick_inputs = inputs(targets, tasks=(hard,), limits=(slow,))
    result = engine.observe(tick_inputs)
    for _ in range(250):
        assert engine.explain(tick_inputs).status.ok
        result = engine.tick(tick_inputs)
        assert result.status.ok, result.status
        assert np.abs(result.velocities).max() <= 0.2 * engine.robot.velocity_caps.max() + 1e-9
    assert result.tools[0].position_error_m == pytest.approx(0.0, abs=1e-6)


def test_a_hard_target_is_reached_from_rest_under_an_acceleration_limit(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    targets = near(engine, (0.03, 0.03, -0.03))
    hard = FrameTaskSpec(name="exact", frame="tool", hard=True)
    limit = AccelerationLimitSpec(name="smooth", acceleration=2.0)
    tick_inputs = inputs(targets, tasks=(hard,), limits=(limit,))
    assert engine.tick(tick_inputs).status.ok
    result = run(engine, tick_inputs, 300)
    assert result.tools[0].position_error_m == pytest.approx(0.0, abs=1e-4)


CONTRADICTIONS: list[tuple[str, Callable[[LiveEngine], dict[str, Any]], tuple[str, ...]]] = [
    (
        "two frames of one link",
        lambda engine: {
            "tasks": (
                FrameTaskSpec(name="first", frame="hand", hard=True),
                FrameTaskSpec(
                    name="second", frame="hand", hard=True, target=Pose(np.array([0.1, 0, 0.5]))
                ),
            )
        },
        ("first", "second", "contradict"),
    ),
    (
        "a held joint and an equation",
        lambda engine: {
            "held_joints": {"yaw": 0.0},
            "tasks": (
                LinearHolonomicTaskSpec(
                    name="turned", equations=(Relation({"yaw": 1.0}, 0.5),), hard=True
                ),
            ),
        },
        ("turned", "yaw", "contradict"),
    ),
    (
        "a constraint and the velocity limits",
        lambda engine: {
            "tasks": (FrameTaskSpec(name="exact", frame="tool", hard=True),),
            "velocity_caps": {"shoulder": 1e-5, "elbow": 1e-5, "pitch": 1e-5},
        },
        ("exact", "limits of"),
    ),
    (
        "a constraint and a barrier",
        lambda engine: {
            "tasks": (FrameTaskSpec(name="exact", frame="tool", hard=True),),
            "barriers": (
                PositionBarrierSpec(
                    name="wall",
                    frame="tool",
                    minimum=(None, None, poses(engine)["tool"].translation[2] - 1e-4),
                    gain=1.0,
                ),
            ),
        },
        ("exact", "wall"),
    ),
]


@pytest.mark.parametrize(("what", "make", "words"), CONTRADICTIONS)
def test_hard_things_that_contradict_are_named_and_the_engine_recovers(
    tmp_path: Path, what: str, make: Any, words: tuple[str, ...]
) -> None:
    engine = arm_engine(tmp_path)
    options = make(engine)
    targets = near(engine, (0.0, 0.0, -0.1))
    q = engine.q
    for _ in range(2):
        result = engine.tick(inputs(targets, **options))
        assert result.status.code == "infeasible", what
        assert all(word in result.status.cause for word in words), result.status.cause
        assert result.status.remedy
    assert np.array_equal(engine.q, q)
    assert engine.tick(inputs(targets)).status.ok


def test_a_closed_chain_whose_rows_say_the_same_is_held() -> None:
    """Both hands of a two-armed robot on one point: hold it while one is dragged."""
    robot = load_dual()
    left, right = robot.description.tool_frames
    engine = LiveEngine(robot)
    engine.set_positions(
        {f"{side}_joint{number}": at for side in ("left", "right") for number, at in BENT_ARM}
    )
    start = dict(tool_poses(robot, positions_of(engine)))
    between = start[left].inverse() @ start[right]
    chain = ClosedChainTaskSpec(
        name="bar", frame=left, other_frame=right, holds="pose", offset=between
    )
    again = replace(chain, name="bar again")
    targets = {left: moved(start[left], (0.05, 0, 0.05))}
    result = run(engine, inputs(targets, tasks=(chain, again)), 120)
    assert result.status.ok, result.status
    end = dict(tool_poses(robot, positions_of(engine)))
    assert (end[left].inverse() @ end[right]).is_close(between, 1e-4, 1e-4)
    assert end[left].distance_to(start[left])[0] > 0.04


BENT_ARM = ((1, 0.3), (2, 0.4), (4, 1.2), (6, 0.4))


def load_dual() -> Robot:
    from workbench.model.request import RobotRequest
    from workbench.model.robot import load_robot

    return load_robot(RobotRequest("dual_arm_7dof"))


def test_what_stands_in_the_way_is_two_lists_with_an_and_each() -> None:
    conflict = Conflict(("wall",), ("chain",), tuple(range(6)))
    assert _conflict(conflict, "abcdef", frozenset({"wall"})).cause == (
        "No step meets wall together with chain, and with the limits of a, b, c and 3 other "
        "joints; the arm holds."
    )


def test_a_barrier_is_not_told_to_become_soft() -> None:
    barriers = frozenset({"wall", "roof"})
    alone = _conflict(Conflict(("wall",), ("roof",), (0,)), "abcdef", barriers)
    assert "soft" not in alone.remedy
    beside_a_chain = _conflict(Conflict(("wall",), ("chain",), (0,)), "abcdef", barriers)
    assert "soft" in beside_a_chain.remedy
