"""The page's robot under Isaac Sim's controller: the controller's own steps, and nothing else."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.errors import SolverError
from workbench.ik.types import TickInputs
from workbench.isaac.controller import PinkIKController
from workbench.isaac.engine import IsaacEngine
from workbench.isaac.robots import PinkRobot
from workbench.isaac.states import JointState, RobotState, SpatialState
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose

CONFIG = PinkKinematicsConfig(solver="daqp", lm_damping=1e-3, gain=0.5)
DT = 0.01


@pytest.fixture(scope="module")
def robot() -> Robot:
    return load_robot(RobotRequest("dual_arm_7dof"))


def inputs(targets: dict[str, Pose | None], **changes: Any) -> TickInputs:
    values: dict[str, Any] = {"config": CONFIG, "dt": DT, "targets": targets, **changes}
    return TickInputs(**values)


def bent(robot: Robot) -> dict[str, float]:
    return {name: 0.3 for name in robot.description.joint_names}


def test_its_steps_are_those_of_the_controller_alone(robot: Robot) -> None:
    engine = IsaacEngine(robot)
    engine.set_positions(bent(robot))
    frames, names = list(robot.description.tool_frames), list(robot.description.joint_names)
    frame = frames[0]
    start = engine.observe(inputs({})).tools[0].transform_tool_to_world
    target = Pose(start.translation + np.array([0.05, 0.02, 0.04]), start.wxyz)
    model = robot.model.copy()
    q0 = robot.q_from_positions(engine.observe(inputs({})).positions)
    controller = PinkIKController(
        PinkRobot(Path(), model, model.createData(), names, q0=q0),
        names, frames, tool_frame=frame, position_cost=CONFIG.position_cost,
        orientation_cost=CONFIG.orientation_cost, posture_cost=CONFIG.posture_cost,
        damping=CONFIG.damping, gain=CONFIG.gain, lm_damping=CONFIG.lm_damping, solver="daqp",
        dt=DT,
    )  # fmt: skip
    positions = engine.observe(inputs({})).positions

    def state(values: np.ndarray) -> RobotState:
        return RobotState(joints=JointState.from_name(names, positions=(names, values)))

    controller.reset(state(positions), None, 0.0)
    setpoint = RobotState(
        sites=SpatialState.from_name(
            frames,
            positions=([frame], target.translation[None]),
            orientations=([frame], target.wxyz[None]),
        )
    )
    result = engine.observe(inputs({frame: target}))
    for _ in range(20):
        step = controller.forward(state(positions), setpoint, 0.0)
        assert step is not None and step.joints is not None and step.joints.positions is not None
        positions = np.asarray(step.joints.positions, dtype=np.float64)
        result = engine.tick(inputs({frame: target}))
        assert result.status.ok
        np.testing.assert_allclose(result.positions, positions, atol=1e-6)
    assert result.tools[0].position_error_m is not None
    assert result.tools[0].position_error_m < 0.06


def test_it_follows_the_first_tool_that_is_on_and_asks_nothing_of_the_others(robot: Robot) -> None:
    engine = IsaacEngine(robot)
    engine.set_positions(bent(robot))
    first, second = (tool.transform_tool_to_world for tool in engine.observe(inputs({})).tools)
    left, right = robot.description.tool_frames
    moved = Pose(second.translation + np.array([0.0, 0.0, 0.03]), second.wxyz)
    result = engine.observe(inputs({}))
    for _ in range(100):
        result = engine.tick(inputs({right: moved}))
    assert result.tools[1].position_error_m == pytest.approx(0.0, abs=1e-3)
    both = engine.tick(inputs({left: first, right: second}))
    assert both.tools[0].transform_target_to_world is not None
    assert both.tools[1].transform_target_to_world is None


def test_what_is_no_target_or_no_time_is_a_status_and_moves_nothing(robot: Robot) -> None:
    engine = IsaacEngine(robot)
    frame = robot.description.tool_frames[0]
    before = engine.observe(inputs({})).positions
    assert engine.tick(inputs({frame: None})).status.code == "target_invalid"
    assert not engine.tick(inputs({frame: Pose()}, dt=0.0)).status.ok
    assert engine.tick(inputs({})).status.ok
    np.testing.assert_array_equal(engine.observe(inputs({})).positions, before)


def test_unknown_names_and_positions_that_are_no_numbers_are_refused(robot: Robot) -> None:
    engine = IsaacEngine(robot)
    before = engine.observe(inputs({})).positions
    with pytest.raises(SolverError):
        engine.set_positions({"elbwo": 0.0})
    with pytest.raises(SolverError):
        engine.set_positions({robot.description.joint_names[0]: math.nan})
    with pytest.raises(SolverError):
        engine.tick(inputs({"hand": Pose()}))
    np.testing.assert_array_equal(engine.observe(inputs({})).positions, before)


def test_a_step_over_a_limit_does_not_stop_it_for_good() -> None:
    panda = load_robot(RobotRequest("panda"))
    engine = IsaacEngine(panda)
    frame = panda.description.tool_frames[0]
    below = Pose(np.array([0.0, 0.0, -1.0]), np.array([0.0, 1.0, 0.0, 0.0]))
    asked = inputs({frame: below}, config=PinkKinematicsConfig(solver="osqp"))
    results = [engine.tick(asked) for _ in range(100)]
    assert {result.status.code for result in results} == {"ok"}
    assert any(result.at_limit for result in results)
    elbow = panda.description.joints[3]
    assert min(result.positions[3] for result in results) == elbow.lower


def test_a_start_outside_the_limits_is_named_with_its_joint(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = IsaacEngine(robot)
    frame, joint = robot.description.tool_frames[0], robot.description.joints[1]
    assert joint.upper is not None
    monkeypatch.setattr(engine, "_inside_limits", lambda positions: positions)
    engine.set_positions({joint.name: joint.upper + 0.1})
    status = engine.tick(inputs({frame: Pose()})).status
    assert status.code == "outside_limits"
    assert f"Joint {joint.name} is at {joint.upper + 0.1:.6g}" in status.cause
