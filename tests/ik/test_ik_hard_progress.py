"""Hard tasks out of reach: the arm stops turning about where no step brings them nearer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.ik.engines import CALM, arm_engine, inputs, moved, poses, run
from tests.ik.listed import panda
from workbench.config.limits import PositionBarrierSpec, VelocityLimitSpec
from workbench.config.tasks import ClosedChainTaskSpec, FrameTaskSpec
from workbench.ik.tick import LiveEngine
from workbench.ik.types import TickInputs
from workbench.poses import Pose

EXACT = FrameTaskSpec(name="exact", frame="tool", orientation_cost=0.0, hard=True)


def ticks_until_held(engine: LiveEngine, tick_inputs: TickInputs, most: int = 1500) -> int:
    for tick in range(most):
        if not engine.tick(tick_inputs).status.ok:
            return tick
    raise AssertionError("it never held")


def test_an_arm_stretched_towards_a_hard_target_holds_and_says_so(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    start = poses(engine)["tool"]
    away = 3.0 * start.translation / np.linalg.norm(start.translation)
    tick_inputs = inputs({"tool": moved(start, away)}, tasks=(EXACT,))
    assert ticks_until_held(engine, tick_inputs) > 50
    q = engine.q
    result = run(engine, tick_inputs, 60)
    assert result.status.code == "infeasible" and "exact" in result.status.cause
    assert result.status.remedy and not result.velocities.any()
    assert engine.q is q
    assert engine.explain(tick_inputs).status == result.status
    back = inputs({"tool": start}, tasks=(EXACT,))
    assert engine.tick(back).status.ok, "a target within reach is followed at once"
    assert run(engine, back, 400).tools[0].position_error_m == pytest.approx(0.0, abs=1e-6)


def test_frames_of_a_closed_chain_that_turn_out_not_to_meet_are_named() -> None:
    engine = LiveEngine(panda())
    chain = ClosedChainTaskSpec(
        name="bar", frame="panda_link0", other_frame="panda_hand",
        offset=Pose(np.array([0.9, 0.0, 0.0])),
    )  # fmt: skip
    tick_inputs = TickInputs(engine.robot.description.defaults, 0.01, {}, tasks=(chain,))
    ticks_until_held(engine, tick_inputs)
    assert "bar" in engine.tick(tick_inputs).status.cause
    assert engine.tick(replace(tick_inputs, tasks=())).status.ok


def test_what_stood_in_the_way_and_is_gone_gives_another_chance(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    start = poses(engine)["tool"]
    wall = PositionBarrierSpec(
        name="wall", frame="tool", minimum=(None, None, start.translation[2] - 0.02)
    )
    blocked = inputs({"tool": moved(start, (0, 0, -0.1))}, tasks=(EXACT,), barriers=(wall,))
    ticks_until_held(engine, blocked)
    free = replace(blocked, barriers=())
    assert engine.tick(free).status.ok
    assert run(engine, free, 300).tools[0].position_error_m == pytest.approx(0.0, abs=1e-6)


def test_a_slow_arm_on_its_way_is_not_held(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    targets = {"tool": moved(poses(engine)["tool"], (0.05, 0.05, -0.05))}
    slow = VelocityLimitSpec(name="slow", share=0.005)
    tick_inputs = inputs(targets, CALM, tasks=(EXACT,), limits=(slow,))
    before = engine.observe(tick_inputs).tools[0].position_error_m
    for _ in range(400):
        assert engine.tick(tick_inputs).status.ok
        assert engine.stack.share < 1.0
    after = engine.observe(tick_inputs).tools[0].position_error_m
    assert before is not None and after is not None and after < before - 0.01
