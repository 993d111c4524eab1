"""The streaming solver alone: what it remembers, what it refuses, and DimOS's singular start."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
import pytest

from tests.robots_inline import BENT, SIX_AXIS_ARM, write_urdf
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.streaming import StreamingConfig
from workbench.errors import ConfigError, RobotError, SolverError
from workbench.ik.pose_tasks import PostureShape
from workbench.ik.streaming import StreamingSolver
from workbench.model.controlled import (
    ControlledRobot,
    controlled_from_request,
    controlled_from_urdf,
)
from workbench.model.request import RobotRequest
from workbench.poses import Pose

CALM = PinkKinematicsConfig(solver="daqp", lm_damping=1e-2)
DT = 0.01
NAMES = ("yaw", "shoulder", "elbow", "roll", "pitch", "twist")


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> ControlledRobot:
    path = write_urdf(tmp_path_factory.mktemp("arm"), SIX_AXIS_ARM)
    return controlled_from_urdf(Path(path), NAMES, "base")


def start(arm: ControlledRobot) -> np.ndarray:
    return arm.vector(BENT)


def pose_of(robot: ControlledRobot, positions: np.ndarray, frame: str = "tool") -> Pose:
    data = robot.model.createData()
    pinocchio.framesForwardKinematics(robot.model, data, robot.q_from_positions(positions))
    return Pose.from_se3(data.oMf[robot.model.getFrameId(frame)])


def moved(pose: Pose, *xyz: float) -> Pose:
    return Pose(pose.translation + np.array(xyz), pose.wxyz)


def solver_for(arm: ControlledRobot, **streaming: Any) -> StreamingSolver:
    return StreamingSolver(arm, CALM, StreamingConfig.checked(**streaming))


def targets_above(arm: ControlledRobot) -> Mapping[str, Pose]:
    return {"tool": moved(pose_of(arm, start(arm)), 0.0, 0.05, 0.05)}


def test_the_first_command_starts_from_the_measured_state_and_the_next_from_the_command(
    arm: ControlledRobot,
) -> None:
    solver, targets = solver_for(arm), targets_above(arm)
    first = solver.step(targets, start(arm), DT).command
    assert first is not None and not first.flags.writeable
    # The arm has not moved at all, and still the trajectory goes on.
    second = solver.step(targets, start(arm), DT).command
    assert second is not None
    goal = targets["tool"]
    distances = [goal.distance_to(pose_of(arm, q))[0] for q in (start(arm), first, second)]
    assert distances == sorted(distances, reverse=True)
    solver.reset()
    assert solver.command is None
    again = solver.step(targets, start(arm), DT).command
    assert again is not None and again.tolist() == first.tolist()


def test_a_command_reaches_the_target_when_the_arm_follows(arm: ControlledRobot) -> None:
    solver, targets, measured = solver_for(arm), targets_above(arm), start(arm)
    for _ in range(300):
        step = solver.step(targets, measured, DT)
        assert step.status.ok and step.command is not None
        measured = step.command
    assert targets["tool"].distance_to(pose_of(arm, measured))[0] < 1e-3


def test_the_window_stops_a_command_that_runs_away_from_a_blocked_arm(
    arm: ControlledRobot,
) -> None:
    solver, targets = solver_for(arm, max_command_tracking_error_deg=2.0), targets_above(arm)
    seen: set[str] = set()
    for _ in range(100):
        step = solver.step(targets, start(arm), DT)
        assert step.command is not None
        assert np.abs(step.command - start(arm)).max() <= math.radians(2.0) + 1e-12
        seen.update(step.at_tracking_window)
    assert seen


@pytest.mark.parametrize("value", [math.nan, math.inf, -2.5, 99.0])
def test_invalid_feedback_gives_no_command_and_names_the_joint(
    arm: ControlledRobot, value: float
) -> None:
    solver, targets = solver_for(arm), targets_above(arm)
    before = solver.step(targets, start(arm), DT).command
    measured = start(arm)
    measured[1] = value
    step = solver.step(targets, measured, DT)
    assert step.command is None and not step.feedback_valid
    assert step.status.code == "feedback_invalid"
    assert "shoulder" in step.status.cause and step.status.remedy
    assert solver.command is before


def test_feedback_within_its_tolerance_is_taken(arm: ControlledRobot) -> None:
    measured = start(arm)
    measured[1] = 2.0 + 0.9e-3
    assert solver_for(arm).step(targets_above(arm), measured, DT).status.ok
    strict = solver_for(arm, feedback_limit_tolerance=0.0)
    assert strict.step(targets_above(arm), measured, DT).command is None


def test_a_failed_step_keeps_command_and_history(arm: ControlledRobot) -> None:
    solver, twin, targets = solver_for(arm), solver_for(arm), targets_above(arm)
    for _ in range(3):
        solver.step(targets, start(arm), DT)
        twin.step(targets, start(arm), DT)
    far = {"tool": moved(targets["tool"], 1e300, 0, 0)}
    assert solver.step(far, start(arm), DT).command is None
    for dt in (0.0, -1.0, math.nan, math.inf):
        assert solver.step(targets, start(arm), dt).command is None
    assert solver.step({}, start(arm), DT).status.code == "target_invalid"
    after, expected = (one.step(targets, start(arm), DT).command for one in (solver, twin))
    assert after is not None and expected is not None
    assert after.tolist() == expected.tolist()


def test_bounds_that_contradict_each_other_give_no_command_until_a_reset(
    arm: ControlledRobot,
) -> None:
    solver, targets = solver_for(arm, max_command_tracking_error_deg=1.0), targets_above(arm)
    solver.step(targets, start(arm), DT)
    pushed = start(arm)
    pushed[2] += 0.3
    step = solver.step(targets, pushed, DT)
    assert step.command is None and step.feedback_valid
    assert step.status.code == "infeasible" and "elbow" in step.status.cause
    solver.reset()
    assert solver.step(targets, pushed, DT).command is not None


def test_settings_that_do_not_fit_are_refused_and_change_nothing(arm: ControlledRobot) -> None:
    solver, targets = solver_for(arm), targets_above(arm)
    solver.step(targets, start(arm), DT)
    with pytest.raises(ConfigError, match="elbow"):
        solver.configure(CALM, StreamingConfig(joint_velocity_limits_rad_s={"elbou": 1.0}))
    with pytest.raises(ConfigError, match="no range"):
        solver.configure(CALM, StreamingConfig(command_limit_margin=5.0))
    with pytest.raises(SolverError, match="outside its limits"):
        solver.configure(CALM, StreamingConfig(), held={"elbow": 2.5})
    with pytest.raises(RobotError, match="elbow"):
        solver.configure(CALM, StreamingConfig(), held={"elbou": 0.5})
    with pytest.raises(RobotError, match="tool"):
        solver.step({"tol": Pose()}, start(arm), DT)
    assert solver.step(targets, start(arm), DT).command is not None


def test_a_held_joint_stays_and_a_cap_of_the_robot_holds_as_well(arm: ControlledRobot) -> None:
    solver, targets, measured = solver_for(arm), targets_above(arm), start(arm)
    solver.configure(
        CALM, StreamingConfig(), held={"elbow": BENT["elbow"]}, velocity_limits={"shoulder": 0.1}
    )
    for _ in range(20):
        command = solver.step(targets, measured, DT).command
        assert command is not None
        assert command[2] == pytest.approx(BENT["elbow"], abs=1e-9)
        assert abs(command[1] - measured[1]) <= 0.1 * DT + 1e-12
        measured = command


def test_settings_change_without_losing_the_trajectory(arm: ControlledRobot) -> None:
    solver, targets = solver_for(arm), targets_above(arm)
    before = solver.step(targets, start(arm), DT).command
    solver.configure(CALM.with_values(gain=0.1), StreamingConfig(max_joint_velocity_rad_s=0.5))
    after = solver.step(targets, start(arm), DT).command
    assert before is not None and after is not None
    assert 0.0 < np.abs(after - before).max() <= 0.5 * DT + 1e-12


def test_a_shape_of_a_joint_that_is_not_there_is_refused(arm: ControlledRobot) -> None:
    for shape in (PostureShape(weights={"elbou": 1.0}), PostureShape(target={"elbou": 1.0})):
        with pytest.raises(RobotError, match="elbow"):
            StreamingSolver(arm, CALM, StreamingConfig(), shape)


def test_a_dual_arm_leaves_its_singular_start_in_bounded_steps() -> None:
    """DimOS's OpenArm case: all zero, joint 4 on its lower limit, the Jacobians singular."""
    robot, structure = controlled_from_request(RobotRequest("dual_arm_7dof"))
    weights = [4.0, 3.0, 0.1, 3.0, 1.0, 1.0, 0.1] * 2
    inward = [0.3 if index % 7 == 3 else 0.0 for index in range(14)]
    shape = PostureShape(
        weights=dict(zip(robot.joint_names, weights, strict=True)),
        target=dict(zip(robot.joint_names, inward, strict=True)),
    )
    config = PinkKinematicsConfig(
        solver="daqp", position_cost=8.0, orientation_cost=2.0, posture_cost=0.01
    )
    streaming = StreamingConfig(max_joint_velocity_rad_s=1.5)
    solver = StreamingSolver(robot, config, streaming, shape)
    hands = [tool.name for tool in structure.tools]
    measured = np.zeros(14)
    targets = {hand: moved(pose_of(robot, measured, hand), 0, 0, 0.1) for hand in hands}
    for _ in range(400):
        step = solver.step(targets, measured, DT)
        assert step.status.ok and step.command is not None
        assert np.abs(step.command - measured).max() <= 1.5 * DT + 1e-12
        assert (step.command >= robot.lower).all() and (step.command <= robot.upper).all()
        measured = step.command
    for hand, target in targets.items():
        position_error_m, orientation_error_rad = target.distance_to(pose_of(robot, measured, hand))
        assert position_error_m < 1e-3 and orientation_error_rad < 1e-3
    assert measured[3] > 0.3 and measured[10] > 0.3
