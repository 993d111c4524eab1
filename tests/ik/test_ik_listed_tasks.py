"""Listed tasks, limits, barriers and constraints in a running engine."""

from __future__ import annotations

from collections.abc import Callable
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

from tests.ik.engines import CALM, DT, arm_engine, inputs, load, moved, poses, positions_of, run
from tests.ik.listed import HUBS, WHEEL_RADIUS_M, panda, wheeled_tiago
from tests.robots_inline import SIX_AXIS_ARM
from workbench.config.limits import (
    AccelerationLimitSpec,
    BodySphericalBarrierSpec,
    ConfigurationLimitSpec,
    FloatingBaseVelocityLimitSpec,
    PositionBarrierSpec,
    SelfCollisionBarrierSpec,
    VelocityLimitSpec,
)
from workbench.config.tasks import (
    ClosedChainTaskSpec,
    ComTaskSpec,
    DampingTaskSpec,
    FrameTaskSpec,
    JointCouplingTaskSpec,
    JointVelocityTaskSpec,
    LinearHolonomicTaskSpec,
    LowAccelerationTaskSpec,
    ManipulabilityTaskSpec,
    OmniwheelTaskSpec,
    PostureTaskSpec,
    RelativeFrameTaskSpec,
    RollingTaskSpec,
)
from workbench.config.tasks_values_joints import Relation
from workbench.errors import SolverError
from workbench.ik.braking_limit import BrakingAccelerationLimit
from workbench.ik.forward import tool_poses
from workbench.ik.tick import LiveEngine
from workbench.ik.types import TickInputs
from workbench.model.robot import Robot
from workbench.poses import Pose


def near(engine: LiveEngine, shift: Any = (0.03, 0.02, -0.04)) -> dict[str, Pose | None]:
    return {frame: moved(pose, shift, (0.1, 0, 0.2)) for frame, pose in poses(engine).items()}


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


# Hard tasks ----------------------------------------------------------------------------------


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


# Limits and barriers -------------------------------------------------------------------------


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
