"""The live engine: what a tick does, and what it does when the numbers are bad."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio
import pytest

from tests.ik.engines import (
    CALM,
    DT,
    arm_engine,
    inputs,
    load,
    moved,
    poses,
    positions_of,
    run,
)
from tests.robots_inline import BENT, GRIPPER, SIX_AXIS_ARM, joint, limit, robot
from workbench.config.kinematics import PinkKinematicsConfig, available_solvers
from workbench.errors import SolverError
from workbench.ik.stack import TaskStack
from workbench.ik.tick import LiveEngine
from workbench.poses import Pose

STEP = (0.03, 0.02, -0.04)


def test_the_tool_reaches_its_target_and_stays(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    target = moved(poses(engine)["tool"], STEP, (0.1, 0.0, -0.2))
    result = run(engine, inputs({"tool": target}), 200)
    (tool,) = result.tools
    assert result.status.ok
    assert tool.transform_target_to_world == target
    assert tool.transform_tool_to_world.is_close(target, 1e-6, 1e-6)
    assert tool.position_error_m is not None and tool.position_error_m < 1e-6
    assert tool.orientation_error_rad is not None and tool.orientation_error_rad < 1e-6
    np.testing.assert_allclose(result.velocities, 0.0, atol=1e-6)


def test_a_tick_integrates_the_velocity_that_it_reports(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    before = positions_of(engine)
    result = engine.tick(inputs({"tool": moved(poses(engine)["tool"], STEP)}))
    steps = result.positions - np.array(list(before.values()))
    assert np.abs(steps).max() > 1e-4
    np.testing.assert_allclose(steps, result.velocities * DT, atol=1e-12)


def test_what_a_tick_returns_cannot_be_written_to(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    result = engine.tick(inputs(poses(engine)))
    for array in (result.q, result.positions, result.velocities):
        assert not array.flags.writeable
    kept = result.q.copy()
    run(engine, inputs({"tool": moved(poses(engine)["tool"], STEP)}), 5)
    np.testing.assert_array_equal(result.q, kept)


def test_a_disabled_tool_is_reported_and_not_followed(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    start = engine.q.copy()
    result = run(engine, inputs({}), 10)
    (tool,) = result.tools
    assert tool.transform_target_to_world is None
    assert tool.position_error_m is None and tool.orientation_error_rad is None
    assert tool.transform_tool_to_world.is_close(poses(engine)["tool"])
    np.testing.assert_allclose(engine.q, start, atol=1e-12)


def test_enabling_and_disabling_takes_effect_at_the_next_tick(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    target = {"tool": moved(poses(engine)["tool"], STEP)}
    assert np.abs(engine.tick(inputs(target)).velocities).max() > 0.1
    assert np.abs(engine.tick(inputs({})).velocities).max() < 1e-9
    assert np.abs(engine.tick(inputs(target)).velocities).max() > 0.1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("position_cost", 0.0),
        ("orientation_cost", 5.0),
        ("posture_cost", 1.0),
        ("gain", 0.1),
        ("lm_damping", 50.0),
        ("damping", 0.5),
        ("solver", "proxqp"),
    ],
)
def test_a_changed_setting_acts_at_the_next_tick(
    tmp_path: Path, field: str, value: float | str
) -> None:
    engine, changed = arm_engine(tmp_path), arm_engine(tmp_path)
    target = {"tool": moved(poses(engine)["tool"], STEP, (0.2, 0.1, 0.0))}
    for each in (engine, changed):
        each.tick(inputs(target))
    other = CALM.with_values(**{field: value})
    first = engine.tick(inputs(target)).velocities
    second = changed.tick(inputs(target, other)).velocities
    assert not np.array_equal(first, second)
    # A stack built with the new setting does the same: nothing old is left in the updated one.
    fresh = arm_engine(tmp_path, positions_of(engine))
    fresh.set_positions(positions_of(changed))
    changed.set_positions(positions_of(changed))
    np.testing.assert_array_equal(
        changed.tick(inputs(target, other)).velocities, fresh.tick(inputs(target, other)).velocities
    )


def test_the_stack_is_built_once_and_updated_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = arm_engine(tmp_path)
    tasks = set(map(id, engine.stack.tasks))
    monkeypatch.setattr(TaskStack, "__init__", lambda *_: pytest.fail("the stack was rebuilt"))
    for gain in (0.2, 0.4, 0.8):
        target = {"tool": moved(poses(engine)["tool"], STEP)}
        engine.tick(inputs(target, CALM.with_values(gain=gain)))
        now = set(map(id, engine.stack.tasks))
        assert not tasks or tasks == now
        tasks = now


# Bad numbers --------------------------------------------------------------------------------


def test_a_target_that_is_no_pose_holds_the_arm_and_says_so(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    good = {"tool": moved(poses(engine)["tool"], STEP)}
    run(engine, inputs(good), 3)
    q = engine.q.copy()
    result = run(engine, inputs({"tool": None}), 3)
    assert result.status.code == "target_invalid"
    assert "tool" in result.status.cause and result.status.remedy
    np.testing.assert_array_equal(result.q, q)
    np.testing.assert_array_equal(result.velocities, 0.0)
    assert result.tools[0].transform_target_to_world is None
    assert run(engine, inputs(good), 200).tools[0].position_error_m == pytest.approx(0, abs=1e-6)


def test_a_target_with_nan_inside_counts_as_no_pose(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    poisoned = Pose.from_trusted_xyz_xyzw(np.array([math.nan, 0, 0, 0, 0, 0, 1.0]))
    result = run(engine, inputs({"tool": poisoned}), 2)
    assert result.status.code == "target_invalid"
    assert result.tools[0].position_error_m is None
    assert np.isfinite(result.q).all()
    assert engine.tick(inputs(poses(engine))).status.ok


@pytest.mark.parametrize("dt", [0.0, -0.01, math.nan, math.inf])
def test_a_step_of_no_length_holds_the_arm(tmp_path: Path, dt: float) -> None:
    engine = arm_engine(tmp_path)
    q = engine.q.copy()
    target = {"tool": moved(poses(engine)["tool"], STEP)}
    result = engine.tick(inputs(target, dt=dt))
    assert result.status.code == "solver_failed" and "step" in result.status.cause
    np.testing.assert_array_equal(result.q, q)
    assert engine.tick(inputs(target)).status.ok


def test_a_solver_that_is_not_installed_is_named(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    unknown = PinkKinematicsConfig.model_construct(**{**CALM.model_dump(), "solver": "nonesuch"})
    target = {"tool": moved(poses(engine)["tool"], STEP)}
    result = engine.tick(inputs(target, unknown))
    assert result.status.code == "solver_failed"
    assert "nonesuch" in result.status.cause and "daqp" in result.status.remedy
    assert engine.tick(inputs(target)).status.ok


@pytest.mark.parametrize("distance", [1e3, 1e9, 1e160, 1e300])
def test_a_target_at_the_end_of_the_world_never_makes_q_nan(
    tmp_path: Path, distance: float
) -> None:
    engine = arm_engine(tmp_path)
    far = {"tool": moved(poses(engine)["tool"], (distance, 0, 0))}
    result = run(engine, inputs(far), 20)
    assert np.isfinite(result.q).all()
    near = {"tool": moved(poses(arm_engine(tmp_path))["tool"], STEP)}
    engine.set_positions(BENT)
    assert run(engine, inputs(near), 200).tools[0].position_error_m == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("solver", available_solvers())
def test_every_installed_solver_reaches_the_target_quietly(
    tmp_path: Path, solver: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Warnings are errors in this suite: a solver that warns would fail here."""
    engine = arm_engine(tmp_path)
    target = {"tool": moved(poses(engine)["tool"], STEP)}
    result = run(engine, inputs(target, CALM.with_values(solver=solver)), 100)
    assert result.status.ok, result.status
    assert result.tools[0].position_error_m == pytest.approx(0, abs=2e-3)
    assert capfd.readouterr() == ("", "")


def test_names_that_the_robot_does_not_have_are_refused_with_the_nearest(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    for options in ({"targets": {"tol": Pose()}}, {"held_joints": {"elbwo": 0.0}},
                    {"velocity_caps": {"elbwo": 1.0}}):  # fmt: skip
        with pytest.raises(SolverError, match=r"tool|elbow"):
            engine.tick(replace(inputs({}), **options))
    with pytest.raises(SolverError, match="elbow"):
        engine.set_positions({"elbwo": 0.0})
    with pytest.raises(SolverError, match="finite"):
        engine.set_positions({"elbow": math.nan})


# Limits -------------------------------------------------------------------------------------


def test_a_robot_at_its_limits_goes_on_and_comes_back(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    home = poses(engine)
    away = {"tool": moved(home["tool"], (0.1, 3.0, -2.0))}
    result = run(engine, inputs(away), 600)
    assert result.status.ok
    lower, upper = engine.stack.bounds.q_lower, engine.stack.bounds.q_upper
    assert (result.q >= lower).all() and (result.q <= upper).all()
    assert result.at_limit
    result = run(engine, inputs(home), 800)
    assert result.tools[0].position_error_m == pytest.approx(0, abs=1e-3)


def test_joints_within_two_percent_of_a_limit_are_named(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    engine.set_positions({"elbow": 1.95, "shoulder": -1.93, "pitch": 0.0, "twist": math.pi})
    assert engine.observe(inputs({})).at_limit == ("shoulder", "elbow")
    engine.set_positions({"elbow": 1.91, "shoulder": -1.91})
    assert engine.observe(inputs({})).at_limit == ()


def test_positions_outside_the_limits_are_clamped_when_set(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    engine.set_positions({"elbow": 9.0, "shoulder": -9.0, "twist": 9.0})
    now = positions_of(engine)
    assert now["elbow"] == 2.0 and now["shoulder"] == -2.0
    assert now["twist"] == pytest.approx(9.0 - 2 * math.pi)
    assert now["pitch"] == pytest.approx(BENT["pitch"])


def test_a_start_outside_the_limits_is_brought_back_at_the_velocity_limit(tmp_path: Path) -> None:
    engine = start_outside(tmp_path, elbow=2.05)
    target = {"tool": poses(arm_engine(tmp_path))["tool"]}
    result = engine.tick(inputs(target))
    assert result.status.code == "outside_limits"
    assert "elbow" in result.status.cause and "2.05" in result.status.cause
    assert "2" in result.status.cause and result.status.remedy
    index = engine.robot.joint_index("elbow")
    assert result.velocities[index] == pytest.approx(-2.0)
    assert result.positions[index] == pytest.approx(2.05 - 2.0 * DT)
    codes = [engine.tick(inputs(target)).status.code for _ in range(5)]
    assert codes == ["outside_limits", "outside_limits", "ok", "ok", "ok"]


@pytest.mark.parametrize("safety_break", [True, False])
def test_the_limits_hold_whatever_safety_break_says(
    tmp_path: Path, safety_break: bool, caplog: pytest.LogCaptureFixture
) -> None:
    engine = start_outside(tmp_path, elbow=2.5)
    config = CALM.with_values(safety_break=safety_break)
    target = {"tool": poses(arm_engine(tmp_path))["tool"]}
    result = run(engine, inputs(target, config), 400)
    assert result.status.ok
    assert result.tools[0].position_error_m == pytest.approx(0, abs=1e-3)
    assert not caplog.records


def test_rounding_outside_a_limit_is_no_failure(tmp_path: Path) -> None:
    engine = start_outside(tmp_path, elbow=2.0 + 5e-7)
    assert engine.tick(inputs({})).status.ok
    assert engine.q.max() <= 2.0


def start_outside(folder: Path, **positions: float) -> LiveEngine:
    loaded = load(folder, SIX_AXIS_ARM, tools=("tool",))
    home_q = loaded.q_from_positions({**BENT, **positions})
    object.__setattr__(loaded, "home_q", home_q)
    return LiveEngine(loaded)


# Velocities ---------------------------------------------------------------------------------


def test_no_joint_exceeds_its_velocity_limit_and_the_saturated_are_named(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    far = {"tool": moved(poses(engine)["tool"], (-0.3, 0.3, -0.2), (0, 0, 2.0))}
    named: set[str] = set()
    for _ in range(100):
        result = engine.tick(inputs(far, CALM.with_values(gain=1.0, lm_damping=0.0)))
        assert result.status.ok
        assert np.abs(result.velocities).max() <= 2.0 * (1 + 1e-9)
        named |= set(result.saturated_velocity)
    assert named and named <= set(engine.robot.description.joint_names)
    assert run(engine, inputs({}), 1).saturated_velocity == ()


def test_a_velocity_cap_replaces_the_robots_limit_until_it_is_taken_away(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    index = engine.robot.joint_index("yaw")
    # A pure turn about the base's axis: the yaw joint alone.
    start = poses(engine)["tool"]
    turned = Pose.from_xyz_rpy((0, 0, 0), (0, 0, 0.5)) @ start
    capped = inputs({"tool": turned}, velocity_caps={"yaw": 0.25})
    results = [engine.tick(capped) for _ in range(20)]
    assert max(abs(result.velocities[index]) for result in results) <= 0.25 * (1 + 1e-9)
    assert "yaw" in results[-1].saturated_velocity
    assert engine.tick(inputs({"tool": turned})).velocities[index] > 0.5


def test_a_solver_that_ignores_the_velocity_limits_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = arm_engine(tmp_path)
    q = engine.q.copy()
    too_fast = np.full(6, 1.0)
    too_fast[2] = 2.0 + 0.5 / DT
    monkeypatch.setattr(engine.stack, "solve", lambda dt: too_fast.copy())
    result = engine.tick(inputs({}))
    assert result.status.code == "velocity_exceeded"
    assert "elbow" in result.status.cause and result.status.remedy
    np.testing.assert_array_equal(result.q, q)


def test_a_solver_that_is_a_little_lax_is_scaled_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = arm_engine(tmp_path)
    lax = np.array([0.5, 1.0, 2.05, 0.0, 0.0, 0.0])
    monkeypatch.setattr(engine.stack, "solve", lambda dt: lax.copy())
    result = engine.tick(inputs({}))
    assert result.status.ok
    np.testing.assert_allclose(result.velocities, lax * 2.0 / 2.05)
    assert result.saturated_velocity == ("elbow",)


def test_a_solver_that_returns_nan_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = arm_engine(tmp_path)
    q = engine.q.copy()
    with monkeypatch.context() as patch:
        patch.setattr(engine.stack, "solve", lambda dt: np.full(6, math.nan))
        result = engine.tick(inputs({}))
    assert result.status.code == "solver_failed" and "finite" in result.status.cause
    np.testing.assert_array_equal(result.q, q)
    assert engine.tick(inputs({})).status.ok


def test_an_exception_that_nobody_expects_is_not_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = arm_engine(tmp_path)

    def broken(dt: float) -> np.ndarray:
        raise KeyError("a bug")

    monkeypatch.setattr(engine.stack, "solve", broken)
    with pytest.raises(KeyError, match="a bug"):
        engine.tick(inputs({}))


# Joints of other kinds ----------------------------------------------------------------------


def test_a_continuous_joint_turns_past_pi_without_a_jump(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path, {**BENT, "twist": 3.1})
    target = {"tool": moved(poses(engine)["tool"], rotation_vector=(0, 0, 0.3))}
    result = run(engine, inputs(target), 100)
    assert result.tools[0].orientation_error_rad == pytest.approx(0, abs=1e-6)
    assert positions_of(engine)["twist"] == pytest.approx(3.4 - 2 * math.pi, abs=1e-3)
    index = engine.stack.configuration.model.joints[6].idx_q
    assert np.hypot(*engine.q[index : index + 2]) == pytest.approx(1.0)


def test_prismatic_and_mimic_joints_follow(tmp_path: Path) -> None:
    engine = LiveEngine(load(tmp_path, GRIPPER, tools=("left", "right")))
    engine.set_positions({"lift": 0.1, "jaw": 0.02})
    start = poses(engine)
    target = {"left": moved(start["left"], (0, 0.005, 0.05))}
    result = run(engine, inputs(target, CALM.with_values(orientation_cost=0.0)), 300)
    assert result.status.ok
    assert result.tools[0].position_error_m == pytest.approx(0, abs=1e-5)
    now = positions_of(engine)
    assert now["lift"] == pytest.approx(0.15, abs=1e-3)
    leader = engine.robot.description.followers[0].leader
    follower_moved = (
        result.tools[1].transform_tool_to_world.translation - start["right"].translation
    )
    assert leader == "jaw" and follower_moved[1] == pytest.approx(0.02 - now["jaw"], abs=1e-4)


def test_a_floating_base_carries_the_arm_to_a_far_target(tmp_path: Path) -> None:
    loaded = load(tmp_path, SIX_AXIS_ARM, tools=("tool",), floating_base=True)
    engine = LiveEngine(loaded)
    engine.set_positions(BENT)
    start = poses(engine)["tool"]
    result = run(engine, inputs({"tool": moved(start, (1.5, 0.5, 0.0))}), 600)
    assert result.status.ok
    assert result.tools[0].position_error_m == pytest.approx(0, abs=1e-3)
    assert np.linalg.norm(result.transform_base_to_world.translation) > 0.5
    base = result.transform_base_to_world
    engine.set_positions({"yaw": 0.2})
    assert engine.observe(inputs({})).transform_base_to_world.is_close(base)
    assert positions_of(engine)["yaw"] == pytest.approx(0.2)


def test_a_robot_whose_joints_are_all_held_still_ticks(tmp_path: Path) -> None:
    text = robot(joint("turn", inside=limit()), joint("lift", "prismatic", "arm", "hand"),
                 links="base arm hand")  # fmt: skip
    engine = LiveEngine(load(tmp_path, text, tools=("hand",), hold={"turn": 0.0}))
    result = run(engine, inputs(poses(engine)), 3)
    assert result.status.ok


def test_observing_moves_nothing_and_measures_everything(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    q = engine.q.copy()
    target = moved(poses(engine)["tool"], STEP)
    result = engine.observe(inputs({"tool": target}))
    assert result.status.ok
    assert result.tools[0].position_error_m == pytest.approx(np.linalg.norm(STEP))
    np.testing.assert_array_equal(result.q, q)
    np.testing.assert_array_equal(result.velocities, 0.0)
    assert engine.observe(inputs({"tool": None})).status.code == "target_invalid"


def test_the_errors_are_those_of_the_poses(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    target = moved(poses(engine)["tool"], STEP, (0.4, -0.2, 0.1))
    (tool,) = engine.tick(inputs({"tool": target})).tools
    data = engine.robot.model.createData()
    pinocchio.framesForwardKinematics(engine.robot.model, data, engine.q)
    placement = data.oMf[engine.robot.model.getFrameId("tool")]
    goal = pinocchio.XYZQUATToSE3(target.xyz_xyzw)
    assert tool.position_error_m == pytest.approx(
        np.linalg.norm(placement.translation - goal.translation), abs=1e-12
    )
    assert tool.orientation_error_rad == pytest.approx(
        np.linalg.norm(pinocchio.log3(placement.rotation.T @ goal.rotation)), abs=1e-9
    )


def test_a_posture_cost_whose_square_overflows_fails_the_solve_and_no_more(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    targets = {"tool": moved(poses(engine)["tool"], STEP)}
    config = PinkKinematicsConfig(solver="daqp", posture_cost=1e200)
    assert not engine.tick(inputs(targets, config=config)).status.ok
    assert engine.tick(inputs(targets)).status.ok
