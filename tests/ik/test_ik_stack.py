"""The stack means what Pink and DimOS mean, and only computes it with less effort."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pink
import pinocchio
import pytest
from pink.limits import ConfigurationLimit, VelocityLimit
from pink.tasks import FrameTask, PostureTask

from tests import robots_inline
from tests.ik.engines import CALM, DT, arm_engine, inputs, load, moved, poses, positions_of, run
from tests.robots_inline import BENT, CHAIN, GRIPPER, SIX_AXIS_ARM, joint, limit
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.ik.bounds import JointBounds
from workbench.ik.configuration import IndexedConfiguration
from workbench.ik.posture import PresentPostureTask, inward_limits
from workbench.ik.tick import LiveEngine
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose


def random_q(robot: Robot, generator: np.random.Generator) -> np.ndarray:
    values = []
    for each in robot.description.joints:
        low = -3.0 if each.lower is None else each.lower
        high = 3.0 if each.upper is None else each.upper
        values.append(generator.uniform(low, high))
    base = Pose(generator.normal(size=3), generator.normal(size=4))
    return robot.q_from_positions(np.array(values), base)


def kinds_of_robots(folder: Path) -> list[Robot]:
    return [
        load(folder / "arm", SIX_AXIS_ARM, tools=("tool",)),
        load(folder / "chain", CHAIN),
        load(folder / "gripper", GRIPPER),
        load(folder / "floating", SIX_AXIS_ARM, tools=("tool",), floating_base=True),
        load(folder / "free", robots_inline.robot(joint("turn", "continuous", inside=""))),
    ]


def bare_pink_q(
    robot: Robot, config: PinkKinematicsConfig, targets: dict[str, Pose], ticks: int
) -> np.ndarray:
    """Return q after a loop that uses nothing but Pink."""
    model = robot.model.copy()
    configuration = pink.Configuration(model, model.createData(), robot.home_q)
    limits = [ConfigurationLimit(model), VelocityLimit(model, robot.velocity_caps)]
    tasks: list[pink.Task] = []
    for frame, target in targets.items():
        task = FrameTask(
            frame, config.position_cost, config.orientation_cost,
            lm_damping=config.lm_damping, gain=config.gain,
        )  # fmt: skip
        task.set_target(pinocchio.XYZQUATToSE3(target.xyz_xyzw))
        tasks.append(task)
    posture = PostureTask(cost=config.posture_cost)
    for _ in range(ticks):
        posture.set_target_from_configuration(configuration)
        velocity = pink.solve_ik(
            configuration, [*tasks, posture], DT, solver=config.solver, damping=config.damping,
            limits=limits, safety_break=config.safety_break,
        )  # fmt: skip
        configuration.integrate_inplace(velocity, DT)
    return configuration.q


@pytest.mark.parametrize("reachable", [True, False])
@pytest.mark.parametrize("name", ["panda", "kinova"])
def test_the_ticks_of_a_real_arm_equal_a_bare_pink_loop(name: str, reachable: bool) -> None:
    robot = load_robot(RobotRequest(name))
    engine = LiveEngine(robot)
    shift = (0.05, 0.1, -0.08) if reachable else (0.9, 0.4, 0.5)
    targets = {frame: moved(pose, shift, (0.2, 0, 0.3)) for frame, pose in poses(engine).items()}
    config = robot.description.defaults
    run(engine, inputs(targets, config), 200)
    expected = bare_pink_q(robot, config, targets, 200)
    np.testing.assert_allclose(engine.q, expected, rtol=0, atol=1e-12)


def test_the_bounds_are_pinks_row_by_row(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    for robot in kinds_of_robots(tmp_path):
        model = robot.model.copy()
        bounds = JointBounds(model, robot.velocity_caps)
        for _ in range(10):
            q = random_q(robot, generator)
            configuration = pink.Configuration(model, model.createData(), q)
            parts = [
                part
                for pinks in (ConfigurationLimit(model), VelocityLimit(model, robot.velocity_caps))
                if (part := pinks.compute_qp_inequalities(configuration, 0.02)) is not None
            ]
            ours = bounds.compute_qp_inequalities(configuration, 0.02)
            assert ours is not None
            np.testing.assert_array_equal(ours[0], np.vstack([part[0] for part in parts]))
            np.testing.assert_allclose(
                ours[1], np.hstack([part[1] for part in parts]), rtol=0, atol=1e-15
            )
            lower, upper = bounds.box(configuration, 0.02)
            middle, inside = 0.5 * (lower + upper), ours[0] @ (lower + 0.25 * (upper - lower))
            assert (lower < upper).all() and (ours[0] @ middle <= ours[1] + 1e-15).all()
            assert (inside <= ours[1] + 1e-15).all()
            assert ((ours[0] @ (upper * (1 + 1e-6))) > ours[1]).sum() >= len(upper)


def test_velocity_caps_can_be_replaced_in_the_bounds(tmp_path: Path) -> None:
    robot = load(tmp_path, SIX_AXIS_ARM, tools=("tool",))
    bounds = JointBounds(robot.model.copy(), robot.velocity_caps)
    configuration = pink.Configuration(robot.model.copy(), robot.model.createData(), robot.home_q)
    caps = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    bounds.set_velocity_caps(caps)
    inequalities = bounds.compute_qp_inequalities(configuration, 0.1)
    assert inequalities is not None
    np.testing.assert_allclose(inequalities[1][-12:], np.tile(0.1 * caps, 2))


def test_frames_and_limits_looked_up_once_are_those_that_pink_finds(tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    for robot in kinds_of_robots(tmp_path):
        model = robot.model.copy()
        bounds = JointBounds(model, robot.velocity_caps)
        frames = robot.description.tool_frames
        q = random_q(robot, generator)
        ours = IndexedConfiguration(model, q, frames, bounds)
        theirs = pink.Configuration(model, model.createData(), q)
        for frame in (*frames, robot.description.frames[0]):
            np.testing.assert_array_equal(
                ours.get_frame_jacobian(frame), theirs.get_frame_jacobian(frame)
            )
            assert ours.get_transform_frame_to_world(frame) == (
                theirs.get_transform_frame_to_world(frame)
            )
        ours.check_limits()


def test_a_configuration_outside_its_limits_is_refused_as_pink_does(tmp_path: Path) -> None:
    robot = load(tmp_path, SIX_AXIS_ARM, tools=("tool",))
    q = robot.q_from_positions({"elbow": 2.1})
    configuration = IndexedConfiguration(
        robot.model.copy(), q, ("tool",), JointBounds(robot.model.copy(), robot.velocity_caps)
    )
    with pytest.raises(pink.exceptions.NotWithinConfigurationLimits):
        configuration.check_limits()
    configuration.update_inside(q)
    configuration.check_limits()
    assert configuration.q.max() <= 2.0


# The posture --------------------------------------------------------------------------------


@pytest.mark.parametrize("margin", [0.0, 0.3, 5.0])
def test_the_posture_task_adds_what_pinks_own_adds(tmp_path: Path, margin: float) -> None:
    generator = np.random.default_rng(2)
    for robot in kinds_of_robots(tmp_path):
        model = robot.model.copy()
        bounds = JointBounds(model, robot.velocity_caps)
        configuration = pink.Configuration(model, model.createData(), random_q(robot, generator))
        ours = PresentPostureTask(bounds)
        ours.set_cost(0.3, configuration)
        ours.set_margin(margin)
        ours.follow(configuration)
        assert ours.target_q is not None
        theirs = PostureTask(cost=0.3)
        theirs.set_target(ours.target_q)
        for mine, pinks in zip(
            ours.compute_qp_objective(configuration),
            theirs.compute_qp_objective(configuration),
            strict=True,
        ):
            np.testing.assert_allclose(mine, pinks, rtol=0, atol=1e-15)


def test_the_posture_objective_is_the_gradient_of_its_squared_error(tmp_path: Path) -> None:
    """0.5 |cost (error + J dq)|^2 against finite differences of the error itself."""
    robot = load(tmp_path, SIX_AXIS_ARM, tools=("tool",), floating_base=True)
    model = robot.model.copy()
    q = random_q(robot, np.random.default_rng(3))
    configuration = pink.Configuration(model, model.createData(), q)
    task = PresentPostureTask(JointBounds(model, robot.velocity_caps))
    task.set_cost(0.7, configuration)
    task.set_margin(1.5)
    task.follow(configuration)
    hessian, gradient = task.compute_qp_objective(configuration)

    def value(step: np.ndarray) -> float:
        moved_q = pinocchio.integrate(model, q, step)
        error = pinocchio.difference(model, task.target_q, moved_q)[6:]
        return 0.5 * 0.7**2 * float(error @ error)

    size, width = model.nv, 1e-5
    numeric = np.zeros(size)
    for index in range(size):
        step = np.zeros(size)
        step[index] = width
        numeric[index] = (value(step) - value(-step)) / (2 * width)
    assert np.abs(gradient).max() > 0.01
    np.testing.assert_allclose(gradient, numeric, atol=1e-8)
    expected = 0.7**2 * np.diag([0.0] * 6 + [1.0] * (size - 6))
    np.testing.assert_allclose(hessian, expected)


def test_limits_move_inward_to_the_middle_where_they_would_cross() -> None:
    lower, upper = inward_limits(
        np.array([-1.0, -np.inf, 0.0]), np.array([1.0, np.inf, 0.1]), margin=0.2
    )
    np.testing.assert_allclose(lower, [-0.8, -np.inf, 0.05])
    np.testing.assert_allclose(upper, [0.8, np.inf, 0.05])


def test_the_posture_margin_pushes_a_joint_off_its_limit(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path, {"elbow": 2.0, "shoulder": -2.0, "twist": 3.0})
    run(engine, inputs({}, CALM.with_values(joint_limit_posture_margin=0.0)), 50)
    assert positions_of(engine)["elbow"] == pytest.approx(2.0)
    run(engine, inputs({}, CALM.with_values(joint_limit_posture_margin=0.1)), 200)
    now = positions_of(engine)
    assert now["elbow"] == pytest.approx(1.9, abs=1e-3)
    assert now["shoulder"] == pytest.approx(-1.9, abs=1e-3)
    assert now["twist"] == pytest.approx(3.0) and now["pitch"] == pytest.approx(0.0, abs=1e-6)


def test_the_posture_holds_back_and_is_left_out_at_cost_zero(tmp_path: Path) -> None:
    steps = []
    for cost in (0.0, 0.3, 3.0):
        engine = arm_engine(tmp_path)
        config = CALM.with_values(posture_cost=cost)
        target = {"tool": moved(poses(engine)["tool"], (0.01, 0.01, 0.0))}
        steps.append(np.abs(engine.tick(inputs(target, config)).velocities).sum())
        postures = [t for t in engine.stack.tasks if isinstance(t, PostureTask)]
        assert len(postures) == (1 if cost else 0)
        for posture in postures:
            assert (posture.gain, posture.lm_damping) == (1.0, 0.0)
    assert steps[0] > steps[1] > steps[2]


# Held joints --------------------------------------------------------------------------------


def test_a_held_joint_stays_while_the_others_work(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    target = {"tool": moved(poses(engine)["tool"], (0.05, 0.1, -0.05))}
    held = {"shoulder": BENT["shoulder"], "twist": 0.0}
    for _ in range(100):
        result = engine.tick(inputs(target, held_joints=held))
        assert result.status.ok
        now = positions_of(engine)
        assert now["shoulder"] == pytest.approx(BENT["shoulder"], abs=1e-9)
        assert now["twist"] == pytest.approx(0.0, abs=1e-9)
    assert abs(positions_of(engine)["yaw"]) > 0.03
    assert run(engine, inputs(target), 200).tools[0].position_error_m == pytest.approx(0, abs=1e-6)


def test_a_joint_held_elsewhere_goes_there_within_its_velocity_limit(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    index = engine.robot.joint_index("yaw")
    held = inputs({}, held_joints={"yaw": 0.5})
    result = engine.tick(held)
    assert result.status.ok
    assert result.velocities[index] == pytest.approx(2.0)
    run(engine, held, 40)
    assert positions_of(engine)["yaw"] == pytest.approx(0.5, abs=1e-9)


def test_a_held_continuous_joint_takes_the_shorter_way_round(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path, {**BENT, "twist": 3.0})
    held = inputs({}, held_joints={"twist": -3.0})
    assert engine.tick(held).velocities[engine.robot.joint_index("twist")] > 0
    run(engine, held, 40)
    assert positions_of(engine)["twist"] == pytest.approx(-3.0, abs=1e-9)


def test_a_joint_can_be_held_on_its_limit(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path, {**BENT, "elbow": 2.0})
    target = {"tool": moved(poses(engine)["tool"], (0.02, 0.05, 0.02))}
    result = run(engine, inputs(target, held_joints={"elbow": 2.0}), 50)
    assert result.status.ok
    assert positions_of(engine)["elbow"] == pytest.approx(2.0, abs=1e-9)


@pytest.mark.parametrize(("position", "limit_text"), [(2.5, "upper limit 2"), (-3, "lower limit")])
def test_holding_outside_the_limits_is_infeasible_and_says_which_joint(
    tmp_path: Path, position: float, limit_text: str
) -> None:
    engine = arm_engine(tmp_path)
    q = engine.q.copy()
    result = engine.tick(inputs(poses(engine), held_joints={"elbow": position}))
    assert result.status.code == "infeasible"
    assert "elbow" in result.status.cause and limit_text in result.status.cause
    np.testing.assert_array_equal(result.q, q)
    assert engine.tick(inputs(poses(engine))).status.ok


def test_a_held_leader_keeps_its_follower(tmp_path: Path) -> None:
    engine = LiveEngine(load(tmp_path, GRIPPER, tools=("left", "right")))
    engine.set_positions({"lift": 0.1, "jaw": 0.02})
    targets = {name: moved(pose, (0, 0.01, 0.03)) for name, pose in poses(engine).items()}
    result = run(engine, inputs(targets, held_joints={"jaw": 0.02}), 50)
    assert result.status.ok
    assert positions_of(engine)["jaw"] == pytest.approx(0.02, abs=1e-9)


def test_a_one_sided_limit_is_a_limit(tmp_path: Path) -> None:
    text = robots_inline.robot(joint("turn", inside=limit(lower=-0.2, upper=1e20)))
    engine = LiveEngine(load(tmp_path, text, tools=("arm",)))
    result = engine.tick(inputs({}, held_joints={"turn": -0.5}))
    assert result.status.code == "infeasible"
    assert engine.tick(inputs({}, held_joints={"turn": 40.0})).status.ok
