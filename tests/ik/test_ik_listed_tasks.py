"""Listed tasks in a running engine: what Pink alone would do, and what each kind does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pink
import pinocchio
import pytest
from pink.barriers import PositionBarrier
from pink.limits import ConfigurationLimit, VelocityLimit
from pink.tasks import DampingTask, FrameTask, PostureTask

from tests.ik.engines import (
    CALM,
    DT,
    arm_engine,
    inputs,
    load,
    near,
    positions_of,
    run,
)
from tests.ik.listed import panda
from tests.robots_inline import SIX_AXIS_ARM
from workbench.config.limits import (
    AccelerationLimitSpec,
    ConfigurationLimitSpec,
    PositionBarrierSpec,
    VelocityLimitSpec,
)
from workbench.config.tasks import (
    ComTaskSpec,
    DampingTaskSpec,
    FrameTaskSpec,
    JointCouplingTaskSpec,
    JointVelocityTaskSpec,
    LinearHolonomicTaskSpec,
    LowAccelerationTaskSpec,
    ManipulabilityTaskSpec,
    PostureTaskSpec,
    RelativeFrameTaskSpec,
)
from workbench.config.tasks_values_joints import Relation
from workbench.errors import SolverError
from workbench.ik.braking_limit import BrakingAccelerationLimit
from workbench.ik.tick import LiveEngine
from workbench.ik.types import TickInputs

# The same as a loop that uses nothing but Pink -----------------------------------------------


def test_listed_entries_are_what_a_bare_pink_loop_would_have() -> None:
    robot = panda()
    config = robot.description.defaults
    frame = robot.description.tool_frames[0]
    engine = LiveEngine(robot)
    target = near(engine)[frame]
    assert target is not None
    ticks = 40
    entries = TickInputs(
        config, DT, {frame: target},
        tasks=(
            FrameTaskSpec(
                name="tool", frame=frame, position_cost=(1, 2, 3), orientation_cost=0.2, gain=0.4
            ),
            PostureTaskSpec(name="rest", cost=0.05, target="home"),
            DampingTaskSpec(name="calm", cost=0.02),
        ),
        limits=(
            AccelerationLimitSpec(name="a", acceleration=5.0),
            ConfigurationLimitSpec(name="c", gain=0.25),
            VelocityLimitSpec(name="v", share=0.5),
        ),
        barriers=(
            PositionBarrierSpec(
                name="floor", frame=frame, minimum=(None, None, target.translation[2] + 0.01)
            ),
        ),
    )  # fmt: skip
    result = run(engine, entries, ticks)
    assert result.status.ok

    model = robot.model.copy()
    configuration = pink.Configuration(model, model.createData(), robot.home_q)
    # Pink's own limit can leave no step close to position limits; all else is Pink as it is.
    acceleration = BrakingAccelerationLimit(model, np.full(model.nv, 5.0))
    limits = [
        ConfigurationLimit(model, 0.25),
        VelocityLimit(model, 0.5 * robot.velocity_caps),
        acceleration,
    ]
    barrier = PositionBarrier(
        frame, indices=[2], p_min=np.array([target.translation[2] + 0.01]), gain=10.0
    )
    tool = FrameTask(frame, [1.0, 2.0, 3.0], 0.2, lm_damping=config.lm_damping, gain=0.4)
    tool.set_target(pinocchio.XYZQUATToSE3(target.xyz_xyzw))
    posture = PostureTask(cost=0.05)
    posture.set_target(robot.home_q)
    for _ in range(ticks):
        velocity = pink.solve_ik(
            configuration, [tool, posture, DampingTask(0.02)], DT, solver=config.solver,
            damping=config.damping, limits=limits, barriers=[barrier],
        )  # fmt: skip
        acceleration.set_last_integration(velocity, DT)
        configuration.integrate_inplace(velocity, DT)
    np.testing.assert_allclose(result.q, configuration.q, atol=1e-9)


def test_empty_lists_leave_the_plain_stack_as_it_is(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    engine.tick(inputs(near(engine), tasks=(DampingTaskSpec(name="calm"),)))
    assert [name for name, _ in engine.stack.named_tasks] == ["tool", "posture", "calm"]
    engine.tick(inputs(near(engine)))
    assert [name for name, _ in engine.stack.named_tasks] == ["tool", "posture"]
    engine.tick(inputs(near(engine), tasks=(DampingTaskSpec(name="calm", enabled=False),)))
    assert [name for name, _ in engine.stack.named_tasks] == ["tool", "posture"]


def test_an_entry_takes_the_place_of_the_tools_own_task_and_gives_it_back(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    targets = near(engine)
    spec = FrameTaskSpec(name="mine", frame="tool", position_cost=(3, 4, 5), gain=0.25)
    engine.tick(inputs(targets, tasks=(spec,)))
    [(name, task), _] = engine.stack.named_tasks
    assert name == "tool" and list(task.cost) == [3, 4, 5, 1, 1, 1]  # type: ignore[arg-type]
    assert (task.gain, task.lm_damping) == (0.25, CALM.lm_damping)
    engine.tick(inputs(targets))
    [(_, task), _] = engine.stack.named_tasks
    assert list(task.cost) == [1] * 6 and task.gain == CALM.gain  # type: ignore[arg-type]
    engine.tick(inputs({}, tasks=(spec,)))
    assert [name for name, _ in engine.stack.named_tasks] == ["posture"], "the gizmo is off"


def test_an_entry_that_has_not_changed_keeps_its_task(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    calm, slow = DampingTaskSpec(name="calm"), DampingTaskSpec(name="slow")
    engine.tick(inputs(near(engine), tasks=(calm, slow)))
    before = dict(engine.stack.named_tasks)
    engine.tick(inputs(near(engine), tasks=(calm, replace(slow, cost=3.0))))
    after = dict(engine.stack.named_tasks)
    assert after["calm"] is before["calm"] and after["slow"] is not before["slow"]


def test_a_frame_that_is_no_tool_follows_the_config_where_its_entry_is_open(
    tmp_path: Path,
) -> None:
    engine = arm_engine(tmp_path)
    tick_inputs = inputs(near(engine), tasks=(FrameTaskSpec(name="elbow", frame="fore"),))
    engine.tick(tick_inputs)
    engine.tick(replace(tick_inputs, config=CALM.with_values(gain=0.125)))
    assert dict(engine.stack.named_tasks)["elbow"].gain == 0.125


@pytest.mark.parametrize(
    "entry",
    [
        FrameTaskSpec(name="x", frame="elbw"),
        RelativeFrameTaskSpec(name="x", frame="tool", root="bsae"),
        PostureTaskSpec(name="x", target={"elbw": 1.0}),
        JointCouplingTaskSpec(name="x", ratios={"elbw": 1, "yaw": 1}),
        LinearHolonomicTaskSpec(name="x", equations=(Relation({"elbw": 1.0}),)),
    ],
)
def test_an_unknown_name_is_refused_and_nothing_is_half_applied(tmp_path: Path, entry: Any) -> None:
    engine = arm_engine(tmp_path)
    good = inputs(near(engine))
    engine.tick(good)
    q, before = engine.q, engine.stack.named_tasks
    changed = replace(good, config=CALM.with_values(gain=0.1), tasks=(entry,))
    with pytest.raises(SolverError, match="there is no such"):
        engine.tick(changed)
    assert engine.q is q and engine.stack.named_tasks == before
    assert engine.tick(replace(good, config=changed.config)).status.ok
    assert engine.stack.named_tasks[0][1].gain == 0.1


# What single kinds do ------------------------------------------------------------------------


def settled(engine: LiveEngine, *tasks: Any, ticks: int = 300, **options: Any) -> LiveEngine:
    config = CALM.with_values(lm_damping=0.0)
    tick_inputs = inputs({}, config, tasks=tasks, **options)
    for _ in range(ticks):
        result = engine.tick(tick_inputs)
        assert result.status.ok, result.status
    return engine


def test_a_posture_pulls_to_home_to_given_positions_or_stays(tmp_path: Path) -> None:
    home = {"shoulder": 0.2, "elbow": 0.3}
    to_home = settled(
        arm_engine(tmp_path), PostureTaskSpec(name="p", cost=1.0, target="home"), home=home
    )
    assert positions_of(to_home)["shoulder"] == pytest.approx(0.2, abs=1e-3)
    target = {"elbow": -0.5}
    there = settled(
        arm_engine(tmp_path), PostureTaskSpec(name="p", cost=1.0, target=target), home=home
    )
    assert positions_of(there)["elbow"] == pytest.approx(-0.5, abs=1e-3)
    assert positions_of(there)["shoulder"] == pytest.approx(0.2, abs=1e-3)
    stays = settled(arm_engine(tmp_path), PostureTaskSpec(name="p", cost=1.0))
    assert positions_of(stays)["elbow"] == pytest.approx(0.9, abs=1e-6)


def test_a_postures_margin_keeps_its_target_away_from_the_limits(tmp_path: Path) -> None:
    task = PostureTaskSpec(name="p", cost=1.0, target={"elbow": 2.0}, margin=0.3)
    assert positions_of(settled(arm_engine(tmp_path), task))["elbow"] == pytest.approx(
        1.7, abs=1e-3
    )


def test_joints_move_at_the_velocity_that_they_are_given(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    task = JointVelocityTaskSpec(name="turn", velocities={"yaw": 0.4, "twist": -0.2}, cost=1.0)
    config = CALM.with_values(posture_cost=0.0)
    result = engine.tick(inputs({}, config, tasks=(task,)))
    velocities = dict(zip(engine.robot.description.joint_names, result.velocities, strict=True))
    assert velocities["yaw"] == pytest.approx(0.4, abs=1e-4)
    assert velocities["twist"] == pytest.approx(-0.2, abs=1e-4)
    assert velocities["elbow"] == pytest.approx(0.0, abs=1e-6)


def test_coupled_joints_and_equations_hold(tmp_path: Path) -> None:
    engine = settled(
        arm_engine(tmp_path),
        JointCouplingTaskSpec(name="twice", ratios={"shoulder": 1.0, "elbow": -2.0}),
        LinearHolonomicTaskSpec(name="sum", equations=(Relation({"yaw": 1, "roll": 2}, 0.6),)),
    )
    at = positions_of(engine)
    assert at["shoulder"] == pytest.approx(2 * at["elbow"], abs=1e-4)
    assert at["yaw"] + 2 * at["roll"] == pytest.approx(0.6, abs=1e-4)


@pytest.mark.parametrize("floating", [False, True])
def test_low_acceleration_keeps_the_velocity_and_forgets_it_when_the_robot_is_put(
    tmp_path: Path, floating: bool
) -> None:
    engine = LiveEngine(load(tmp_path, SIX_AXIS_ARM, tools=("tool",), floating_base=floating))
    push = JointVelocityTaskSpec(name="turn", velocities={"yaw": 0.4}, cost=1.0)
    keep = LowAccelerationTaskSpec(name="keep", cost=1.0)
    config = CALM.with_values(posture_cost=0.0)
    engine.tick(inputs({}, config, tasks=(push,)))
    result = run(engine, inputs({}, config, tasks=(keep,)), 5)
    assert result.status.ok and result.velocities[0] == pytest.approx(0.4, abs=1e-3)
    engine.set_positions({"yaw": 0.0})
    assert engine.tick(inputs({}, config, tasks=(keep,))).velocities[0] == pytest.approx(0.0)


def test_manipulability_grows_and_is_steady_at_a_singular_posture() -> None:
    robot = panda()
    frame = robot.description.tool_frames[0]
    task = ManipulabilityTaskSpec(name="m", frame=frame, axes="position", cost=10.0, rate=0.01)
    engine = LiveEngine(robot)
    straight = {"panda_joint2": 0.0, "panda_joint4": -0.08, "panda_joint6": 1.6}
    engine.set_positions(straight)
    config = CALM.with_values(posture_cost=1e-3)
    tick_inputs = inputs({}, config, tasks=(task,))
    engine.tick(tick_inputs)
    measure = dict(engine.stack.named_tasks)["m"]
    before = measure.compute_manipulability(engine.stack.configuration)  # type: ignore[attr-defined]
    result = run(engine, tick_inputs, 50)
    after = measure.compute_manipulability(engine.stack.configuration)  # type: ignore[attr-defined]
    assert result.status.ok and after > before + 1e-3
    whole = ManipulabilityTaskSpec(name="m", frame="panda_link4", axes="all")
    assert engine.tick(replace(tick_inputs, tasks=(whole,))).status.ok, "four joints, six motions"


def test_the_centre_of_mass_goes_where_it_shall() -> None:
    robot = panda()
    engine = LiveEngine(robot)
    model, data = robot.model, robot.model.createData()
    start = pinocchio.centerOfMass(model, data, engine.q).copy()
    task = ComTaskSpec(
        name="com", cost=(1, 1, 0), target=tuple((start + np.array([0.03, -0.02, 0.5])).tolist())
    )
    settled(engine, task)
    moved_by = pinocchio.centerOfMass(model, data, engine.q) - start
    np.testing.assert_allclose(moved_by[:2], [0.03, -0.02], atol=1e-3)
    back = settled(engine, ComTaskSpec(name="com"))
    found = pinocchio.centerOfMass(model, data, back.q)
    np.testing.assert_allclose(found, start, atol=1e-3, err_msg="no target is that of home")
