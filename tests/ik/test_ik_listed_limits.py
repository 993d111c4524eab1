"""Listed limits and barriers in a running engine, and wheels on a floor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.ik.engines import (
    CALM,
    DT,
    arm_engine,
    inputs,
    load,
    moved,
    near,
    poses,
    run,
)
from tests.ik.listed import HUBS, WHEEL_RADIUS_M, wheeled_tiago
from tests.robots_inline import SIX_AXIS_ARM
from workbench.config.limits import (
    AccelerationLimitSpec,
    BodySphericalBarrierSpec,
    FloatingBaseVelocityLimitSpec,
    PositionBarrierSpec,
    SelfCollisionBarrierSpec,
)
from workbench.config.tasks import (
    FrameTaskSpec,
    OmniwheelTaskSpec,
    RollingTaskSpec,
)
from workbench.errors import SolverError
from workbench.ik.tick import LiveEngine
from workbench.model.robot import Robot
from workbench.poses import Pose


def test_no_joint_accelerates_more_than_it_may(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    limit = AccelerationLimitSpec(name="a", acceleration={"shoulder": 3.0, "elbow": 3.0})
    before = np.zeros(6)
    targets = near(engine, (0.2, 0.1, -0.1))
    for number in range(60):
        if number == 30:
            targets = near(engine, (-0.2, 0.0, 0.1))
        result = engine.tick(inputs(targets, tasks=(), limits=(limit,)))
        assert result.status.ok, result.status
        change = np.abs(result.velocities - before)
        assert change[1:3].max() <= 3.0 * DT + 1e-9
        before = result.velocities


def test_a_floating_base_keeps_to_its_own_limit(tmp_path: Path) -> None:
    engine = LiveEngine(load(tmp_path, SIX_AXIS_ARM, tools=("tool",), floating_base=True))
    limit = FloatingBaseVelocityLimitSpec(name="slow", linear_m_s=(0.1, 0.0, 0.1))
    start = poses(engine)["tool"]
    base = engine.observe(inputs({})).transform_base_to_world
    far = {"tool": moved(start, (1.0, 1.0, 0.0))}
    result = run(engine, inputs(far, limits=(limit,)), 10)
    way = result.transform_base_to_world.translation - base.translation
    assert result.status.ok and way[0] == pytest.approx(0.1 * 10 * DT, rel=0.05)
    assert abs(way[1]) < 1e-3
    with pytest.raises(SolverError, match="needs a floating base"):
        arm_engine(tmp_path / "fixed").tick(inputs({}, limits=(limit,)))


def test_a_position_barrier_stops_a_tool_at_a_plane(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    start = poses(engine)["tool"].translation
    wall = PositionBarrierSpec(
        name="wall", frame="tool", minimum=(None, None, start[2] - 0.03),
        maximum=(start[0] + 0.02, None, None),
    )  # fmt: skip
    targets = near(engine, (0.1, 0.0, -0.1))
    result = run(engine, inputs(targets, barriers=(wall,)), 200)
    found = result.tools[0].transform_tool_to_world.translation
    assert found[2] == pytest.approx(start[2] - 0.03, abs=2e-3) and found[2] > start[2] - 0.031
    assert found[0] < start[0] + 0.021


def test_two_frames_keep_their_distance(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    start = poses(engine)["tool"].translation
    distance = float(np.linalg.norm(start))
    barrier = BodySphericalBarrierSpec(
        name="apart", frame="tool", other_frame="base", minimum_distance_m=distance - 0.02
    )
    targets = {"tool": Pose(0.7 * start, poses(engine)["tool"].wxyz)}
    result = run(engine, inputs(targets, barriers=(barrier,)), 200)
    found = float(np.linalg.norm(result.tools[0].transform_tool_to_world.translation))
    assert result.status.ok and found == pytest.approx(distance - 0.02, abs=5e-3)
    assert found > distance - 0.021


def test_a_self_collision_barrier_without_hulls_holds_the_arm(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    barrier = SelfCollisionBarrierSpec(name="bodies")
    result = engine.tick(inputs(near(engine), barriers=(barrier,)))
    assert result.status.code == "infeasible" and "bodies" in result.status.cause
    off = replace(barrier, enabled=False)
    assert engine.tick(inputs(near(engine), barriers=(off,))).status.ok


# Wheels --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiago(tmp_path_factory: pytest.TempPathFactory) -> Robot:
    return wheeled_tiago(tmp_path_factory.mktemp("tiago"))


def test_wheels_roll_without_slipping(tiago: Robot) -> None:
    """The base drives ahead by as much as its wheels turn; sideways it cannot go."""
    base = tiago.description.links[0].name
    wheels = tuple(
        RollingTaskSpec(name=hub, hub_frame=hub, wheel_radius_m=WHEEL_RADIUS_M, cost=100.0)
        for hub in HUBS
    )
    engine = LiveEngine(tiago)
    names = tiago.description.joint_names
    before = tiago.positions_from_q(engine.q)
    ahead = FrameTaskSpec(
        name="ahead", frame=base, target=Pose(np.array([0.2, 0.1, 0.0])), position_cost=1.0
    )
    config = CALM.with_values(lm_damping=0.0)
    result = run(engine, inputs({}, config, tasks=(*wheels, ahead)), 200)
    assert result.status.ok, result.status
    way = result.transform_base_to_world.translation
    turned = np.unwrap([before, result.positions], axis=0)[1] - before
    assert way[0] == pytest.approx(0.2, abs=5e-3)
    for joint in ("wheel_left_joint", "wheel_right_joint"):
        angle = turned[names.index(joint)]
        assert angle * WHEEL_RADIUS_M == pytest.approx(way[0], abs=0.02), joint
    assert abs(way[1]) < 0.02, "wheels do not go sideways"
    assert abs(way[2]) < 2e-3, "they stay on the floor"


def test_omniwheels_may_slip_sideways(tiago: Robot) -> None:
    base = tiago.description.links[0].name
    wheels = tuple(
        OmniwheelTaskSpec(name=hub, hub_frame=hub, wheel_radius_m=WHEEL_RADIUS_M, cost=100.0)
        for hub in HUBS
    )
    engine = LiveEngine(tiago)
    aside = FrameTaskSpec(name="aside", frame=base, target=Pose(np.array([0.0, 0.1, 0.0])))
    config = CALM.with_values(lm_damping=0.0)
    result = run(engine, inputs({}, config, tasks=(*wheels, aside)), 200)
    assert result.status.ok
    np.testing.assert_allclose(
        result.transform_base_to_world.translation, [0.0, 0.1, 0.0], atol=5e-3
    )
