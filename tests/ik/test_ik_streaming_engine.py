"""The streaming engine: who may command, and what clears command and history."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
import pytest

from tests.ik.engines import CALM, DT, load, moved
from tests.robots_inline import BENT, SIX_AXIS_ARM
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.limits import FloatingBaseVelocityLimitSpec
from workbench.config.simulated_arm import SimulatedArmConfig
from workbench.config.streaming import StreamingConfig
from workbench.config.tasks import PostureTaskSpec
from workbench.errors import SolverError
from workbench.ik.forward import tool_poses
from workbench.ik.streaming_engine import StreamingEngine
from workbench.ik.streaming_types import StreamingInputs, StreamingTickResult
from workbench.ik.types import TickInputs
from workbench.model.request import RobotRequest
from workbench.model.robot import load_robot
from workbench.poses import Pose

AT_BENT = {"yaw": 0.0, "roll": 0.0, "twist": 0.0, **BENT}
LAGGING = SimulatedArmConfig(time_constant_s=0.1)


@pytest.fixture
def engine(tmp_path: Path) -> StreamingEngine:
    engine = StreamingEngine(load(tmp_path, SIX_AXIS_ARM, tools=("tool",)))
    engine.set_positions(BENT)
    return engine


def above(engine: StreamingEngine) -> Pose:
    return moved(tool_poses(engine.robot, BENT)["tool"], (0.0, 0.05, 0.05))


def inputs(engine: StreamingEngine, **options: Any) -> StreamingInputs:
    options = {"targets": {"tool": above(engine)}, "arm": LAGGING, **options}
    return StreamingInputs(options.pop("config", CALM), options.pop("dt", DT), **options)


def run(engine: StreamingEngine, ticks: int, **options: Any) -> StreamingTickResult:
    result = engine.tick(inputs(engine, **options))
    for _ in range(ticks - 1):
        result = engine.tick(inputs(engine, **options))
    return result


def test_an_engaged_engine_commands_and_the_lagging_arm_comes_after(
    engine: StreamingEngine,
) -> None:
    result = run(engine, 5)
    assert result.state == "tracking" and result.status.ok
    assert result.command is not None and result.measured is not None
    assert result.positions.tolist() == result.command.tolist()
    assert 1e-4 < np.abs(result.command - result.measured).max() < math.radians(10)
    assert np.abs(result.velocities).max() > 0
    assert not result.command.flags.writeable and not result.measured.flags.writeable
    later = run(engine, 400)
    assert later.tools[0].position_error_m == pytest.approx(0.0, abs=1e-3)
    assert later.command == pytest.approx(later.measured, abs=1e-3)


def test_with_the_arm_ideal_the_measured_state_is_the_command_before(
    engine: StreamingEngine,
) -> None:
    ideal = SimulatedArmConfig()
    first = engine.tick(inputs(engine, arm=ideal))
    second = engine.tick(inputs(engine, arm=ideal))
    assert first.command is not None and second.measured is not None
    assert second.measured.tolist() == first.command.tolist()


@pytest.mark.parametrize(
    ("options", "state"),
    [
        ({"engaged": False}, "disengaged"),
        ({"emergency_stop": True}, "emergency_stop"),
        ({"preempted_by": "a plan"}, "preempted"),
        ({"target_age_s": 0.51}, "stale"),
        ({"target_age_s": math.nan}, "stale"),
        ({"measured": {}}, "feedback_missing"),
        ({"measured": {**AT_BENT, "yaw": math.nan}},
         "feedback_invalid"),
        ({"measured": {**AT_BENT, "yaw": 3.1}},
         "feedback_invalid"),
    ],
)  # fmt: skip
def test_what_clears_command_and_history(
    engine: StreamingEngine, options: dict[str, Any], state: str
) -> None:
    first = engine.tick(inputs(engine, measured=AT_BENT))
    run(engine, 10, measured=AT_BENT)
    result = engine.tick(inputs(engine, **options))
    assert (result.state, result.command) == (state, None)
    assert not result.velocities.any()
    # The next session starts from the measured state, with no history.
    again = engine.tick(inputs(engine, measured=AT_BENT))
    assert first.command is not None and again.command is not None
    assert again.command.tolist() == first.command.tolist()


@pytest.mark.parametrize(
    ("options", "state"),
    [
        ({"targets": {}}, "no_target"),
        ({"targets": {"tool": None}}, "no_target"),
        ({"dt": 0.0}, "failed"),
        ({"dt": math.nan}, "failed"),
        ({"streaming": StreamingConfig(command_limit_margin=9.0)}, "settings_refused"),
        ({"held_joints": {"elbow": 9.0}}, "settings_refused"),
        ({"targets": {"tol": Pose()}}, "settings_refused"),
        ({"tasks": (PostureTaskSpec(name="posture", cost={"elbou": 1.0}),)}, "settings_refused"),
    ],
)
def test_what_gives_no_command_and_keeps_the_trajectory(
    engine: StreamingEngine, options: dict[str, Any], state: str
) -> None:
    before = run(engine, 10)
    arm = engine.arm.positions
    result = engine.tick(inputs(engine, **options))
    assert (result.state, result.command) == (state, None)
    assert result.positions is before.positions
    after = engine.tick(inputs(engine, measured=_by_name(engine, arm)))
    assert before.command is not None and after.command is not None
    assert 0 < np.abs(after.command - before.command).max() < 0.1


def test_refused_settings_are_one_sentence(engine: StreamingEngine) -> None:
    caps = StreamingConfig(joint_velocity_limits_rad_s={"elbou": 1.0})
    status = engine.tick(inputs(engine, streaming=caps)).status
    assert status.code == "infeasible" and "elbou" in status.cause and "elbow" in status.cause


def test_the_task_list_is_part_of_every_step(tmp_path: Path) -> None:
    robot = load(tmp_path, SIX_AXIS_ARM, tools=("tool",))
    plain, pulled = StreamingEngine(robot), StreamingEngine(robot)
    posture = PostureTaskSpec(name="elbow up", cost={"elbow": 10.0}, target={"elbow": 0.5})
    for engine in (plain, pulled):
        engine.set_positions(AT_BENT)
    here = {"tool": tool_poses(robot, AT_BENT)["tool"]}
    result = pulled.tick(inputs(pulled, targets=here, tasks=(posture,)))
    for _ in range(200):
        assert plain.tick(inputs(plain, targets=here)).status.ok
        result = pulled.tick(inputs(pulled, targets=here, tasks=(posture,)))
        assert result.status.ok and result.command is not None
        assert result.measured is not None
        assert np.abs(result.command - result.measured).max() <= math.radians(10) + 1e-12
    assert result.positions[2] == pytest.approx(0.5, abs=0.02)
    assert plain.tick(inputs(plain, targets=here)).positions[2] == pytest.approx(0.9, abs=1e-3)


def test_lists_count_on_a_floating_base_as_well_and_leave_it_where_it_is(tmp_path: Path) -> None:
    robot = load(tmp_path, SIX_AXIS_ARM, tools=("tool",), floating_base=True)
    engine = StreamingEngine(robot)
    base = Pose(np.array([0.5, 0.0, 0.2]), np.array([0.0, 0.0, 0.0, 1.0]))
    engine.set_positions(AT_BENT, base)
    here = engine.observe(inputs(engine, targets={})).tools[0].transform_tool_to_world
    posture = PostureTaskSpec(name="elbow up", cost={"elbow": 10.0}, target={"elbow": 0.5})
    fast = FloatingBaseVelocityLimitSpec(name="fast", linear_m_s=9.0, angular_rad_s=9.0)
    options = {"targets": {"tool": here}, "tasks": (posture,), "limits": (fast,)}
    for _ in range(200):
        result = engine.tick(inputs(engine, **options))
        assert result.state == "tracking" and result.status.ok, result.status
    result = engine.observe(inputs(engine, **options))
    assert result.transform_base_to_world == base
    assert result.positions[2] == pytest.approx(0.5, abs=0.02)


def test_missing_feedback_is_named(engine: StreamingEngine) -> None:
    measured = {name: position for name, position in AT_BENT.items() if name != "twist"}
    status = engine.tick(inputs(engine, measured=measured)).status
    assert "twist" in status.cause and "yaw" not in status.cause


def test_a_timeout_of_zero_never_drops_a_target(engine: StreamingEngine) -> None:
    never = StreamingConfig(timeout=0.0)
    assert engine.tick(inputs(engine, streaming=never, target_age_s=1e9)).state == "tracking"


def test_an_emergency_stop_halts_the_arm_and_disengaging_lets_it_finish(
    engine: StreamingEngine,
) -> None:
    run(engine, 10)
    there = engine.arm.positions
    run(engine, 10, emergency_stop=True)
    assert engine.arm.positions.tolist() == there.tolist()
    engine.tick(inputs(engine))
    there = engine.arm.positions
    run(engine, 10, engaged=False)
    assert engine.arm.positions.tolist() != there.tolist()


def test_after_a_stop_commands_start_from_the_measured_state(engine: StreamingEngine) -> None:
    run(engine, 30)
    stopped = engine.tick(inputs(engine, emergency_stop=True))
    assert stopped.measured is not None
    assert stopped.positions.tolist() == stopped.measured.tolist()
    after = engine.tick(inputs(engine))
    assert after.command is not None
    assert np.abs(after.command - stopped.measured).max() <= 5.0 * DT


def test_plain_inputs_mean_engaged_with_an_ideal_arm(engine: StreamingEngine) -> None:
    result = engine.tick(TickInputs(CALM, DT, {"tool": above(engine)}))
    assert result.state == "tracking" and engine.arm.config.is_ideal


def test_observing_moves_nothing(engine: StreamingEngine) -> None:
    run(engine, 5)
    arm = engine.arm.positions
    first, second = engine.observe(inputs(engine)), engine.observe(inputs(engine))
    assert engine.arm.positions is arm
    assert first.q.tolist() == second.q.tolist() and first.tools[0].position_error_m is not None
    assert engine.observe(inputs(engine, engaged=False)).state == "disengaged"
    assert engine.observe(inputs(engine, emergency_stop=True)).state == "emergency_stop"


def test_positions_are_clamped_and_bad_ones_change_nothing(engine: StreamingEngine) -> None:
    engine.set_positions({"elbow": 99.0})
    assert engine.arm.measured[2] == 2.0
    for positions, said in (({"elbou": 0.0}, "elbow"), ({"elbow": math.nan}, "finite")):
        with pytest.raises(SolverError, match=said):
            engine.set_positions(positions)
    assert engine.arm.measured[2] == 2.0


def test_a_floating_base_stays_where_it_was_put(tmp_path: Path) -> None:
    robot = load(tmp_path, SIX_AXIS_ARM, tools=("tool",), floating_base=True)
    engine = StreamingEngine(robot)
    base = Pose(np.array([0.5, 0.0, 0.2]), np.array([0.0, 0.0, 0.0, 1.0]))
    engine.set_positions(BENT, base)
    here = engine.observe(inputs(engine, targets={})).tools[0].transform_tool_to_world
    result = run(engine, 200, targets={"tool": moved(here, (0.0, 0.03, 0.03))})
    assert result.transform_base_to_world == base
    assert result.tools[0].position_error_m == pytest.approx(0.0, abs=2e-3)
    assert result.q[:3].tolist() == [0.5, 0.0, 0.2]


def _by_name(engine: StreamingEngine, positions: np.ndarray) -> dict[str, float]:
    names = engine.robot.description.joint_names
    return dict(zip(names, positions.tolist(), strict=True))


@pytest.mark.parametrize("way", [(0.0, 0.0, 0.1), (-0.1, 0.0, 0.1), (0.1, 0.1, 0.1)])
@pytest.mark.parametrize("listed", [True, False])
def test_stretched_arms_leave_their_singular_start(
    way: tuple[float, float, float], listed: bool
) -> None:
    """With the config's posture, and with an entry in its place that has costs by joint."""
    robot = load_robot(RobotRequest("dual_arm_7dof"))
    names = robot.description.joint_names
    stretched = dict.fromkeys(names, 0.0)
    elbows = [name for name in names if names.index(name) % 7 == 3]
    for frame in robot.description.tool_frames:
        jacobian = pinocchio.computeFrameJacobian(
            robot.model, robot.model.createData(), np.zeros(14), robot.model.getFrameId(frame)
        )
        assert np.linalg.matrix_rank(jacobian, tol=1e-9) == 5, "the start is singular"
    shares = (4.0, 3.0, 0.1, 3.0, 1.0, 1.0, 0.1)
    posture = PostureTaskSpec(
        name="elbows bent",
        cost={name: 0.01 * shares[index % 7] for index, name in enumerate(names)},
        target={**stretched, **dict.fromkeys(elbows, 0.3)},
    )
    engine = StreamingEngine(robot)
    engine.set_positions(stretched)
    start = tool_poses(robot, stretched)
    tick_inputs = StreamingInputs(
        PinkKinematicsConfig(
            solver="daqp", position_cost=8.0, orientation_cost=2.0, posture_cost=0.01
        ),
        DT,
        {frame: Pose(pose.translation + way, pose.wxyz) for frame, pose in start.items()},
        tasks=(posture,) if listed else (),
        streaming=StreamingConfig(max_joint_velocity_rad_s=1.5),
    )
    result = engine.tick(tick_inputs)
    for _ in range(400):
        result = engine.tick(tick_inputs)
        assert result.status.ok and result.state == "tracking", result.status
        assert np.abs(result.velocities).max() <= 1.5 + 1e-9
    for tool in result.tools:
        assert tool.position_error_m is not None and tool.position_error_m < 1e-3
    assert all(result.positions[names.index(name)] > 0.5 for name in elbows)
