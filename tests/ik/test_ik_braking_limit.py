"""Acceleration limits near position limits: always a step, and never more than they allow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio
import pytest
import qpsolvers
from pink import Configuration
from pink.exceptions import NoSolutionFound
from pink.limits import AccelerationLimit

from tests.ik.engines import CALM, DT, arm_engine, inputs, moved, poses, run
from workbench.config.limits import AccelerationLimitSpec, ConfigurationLimitSpec
from workbench.ik import failures
from workbench.ik.bounds import JointBounds
from workbench.ik.braking_limit import BrakingAccelerationLimit
from workbench.ik.limit_builder import LimitBuilder
from workbench.model.robot import Robot

BRISK = CALM.with_values(gain=1.0, lm_damping=1e-3)


@pytest.mark.parametrize("largest", [3.0, 20.0])
@pytest.mark.parametrize("gain", [0.1, 0.5, 1.0])
def test_an_arm_driven_into_its_limits_brakes_in_time(
    tmp_path: Path, largest: float, gain: float
) -> None:
    engine = arm_engine(tmp_path)
    limits = (
        AccelerationLimitSpec(name="smooth", acceleration=largest),
        ConfigurationLimitSpec(name="share", gain=gain),
    )
    start = poses(engine)["tool"]
    random = np.random.default_rng(0)
    before, nearest = np.zeros(6), np.inf
    targets = {}
    for number in range(400):
        if number % 50 == 0:
            targets = {
                "tool": moved(start, 0.8 * random.normal(size=3), 2.0 * random.normal(size=3))
            }
        result = engine.tick(inputs(targets, BRISK, limits=limits))
        assert result.status.ok, (number, result.status)
        assert np.abs(result.velocities - before).max() <= largest * DT * (1.0 + 1e-6)
        before = result.velocities
        model = engine.robot.model
        way = np.minimum(model.upperPositionLimit - engine.q, engine.q - model.lowerPositionLimit)
        nearest = min(nearest, float(way.min()))
    assert nearest < 0.02, "the limits were in the way"


def rows(
    limit: AccelerationLimit, robot: Robot, q: np.ndarray, velocity: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and largest step of each joint, rad."""
    configuration = Configuration(robot.model, robot.model.createData(), q)
    limit.set_last_integration(velocity, DT)
    found = limit.compute_qp_inequalities(configuration, DT)
    assert found is not None
    size = len(limit.indices)
    return -found[1][size:], found[1][:size]


@pytest.mark.parametrize("gain", [0.1, 0.5, 1.0])
def test_braking_takes_half_of_what_a_joint_may_and_the_position_limit_no_more_than_all(
    tmp_path: Path, gain: float
) -> None:
    robot = arm_engine(tmp_path).robot
    limit = BrakingAccelerationLimit(robot.model, np.full(6, 4.0))
    jointed = slice(0, 5)  # The sixth joint turns without end.
    q, velocity = robot.model.upperPositionLimit.copy(), np.zeros(6)
    q[jointed] -= 0.1
    velocity[jointed] = np.sqrt(0.01**2 + 2 * 2.0 * 0.1) - 0.01  # On the curve, b = 2 rad/s².
    way = robot.model.upperPositionLimit - q
    for _ in range(200):
        step = np.zeros(6)
        braking = rows(limit, robot, q, velocity)[1][jointed]
        share = gain * way[jointed]
        step[jointed] = np.minimum(braking, share)
        changes = np.abs(step / DT - velocity) / DT
        assert changes.max() <= 4.0 + 1e-6
        assert np.all(braking >= share) or changes.max() <= 2.0 + 1e-6
        q, velocity = pinocchio.integrate(robot.model, q, step), step / DT
        way = robot.model.upperPositionLimit - q
        assert way[jointed].min() >= -1e-9
    assert way[jointed].max() < 1e-3


def test_far_from_position_limits_it_is_pinks_own_limit(tmp_path: Path) -> None:
    robot = arm_engine(tmp_path).robot
    q = 0.5 * (robot.model.lowerPositionLimit + robot.model.upperPositionLimit)
    velocity = np.linspace(-0.1, 0.1, 6)
    ours = rows(BrakingAccelerationLimit(robot.model, np.full(6, 4.0)), robot, q, velocity)
    theirs = rows(AccelerationLimit(robot.model, np.full(6, 4.0)), robot, q, velocity)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_a_joint_too_fast_to_brake_in_time_brakes_with_all_that_it_may(tmp_path: Path) -> None:
    robot = arm_engine(tmp_path).robot
    limit = BrakingAccelerationLimit(robot.model, np.full(6, 1.0))
    q = robot.model.upperPositionLimit - 0.01
    lower, upper = rows(limit, robot, q, np.ones(6))
    assert np.all(lower < upper)
    bounded = limit.has_configuration_limit
    np.testing.assert_allclose(upper[bounded], (1.0 - 1.0 * DT) * DT, rtol=1e-6)


def test_a_failure_names_the_acceleration_limit_that_leaves_no_step(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    start = poses(engine)["tool"]
    targets = {"tool": moved(start, (0.3, 0.3, -0.3))}
    for _ in range(60):
        assert engine.tick(inputs(targets, BRISK)).status.ok
    # A velocity limit far below the velocity that a gentle acceleration limit lets go of slowly.
    gentle = AccelerationLimitSpec(name="very gentle", acceleration=1e-3)
    moving = inputs(targets, BRISK, limits=(replace(gentle, acceleration=1e3),))
    for _ in range(5):
        assert engine.tick(moving).status.ok
    slow = {name: 1e-4 for name in engine.robot.description.joint_names}
    result = engine.tick(inputs(targets, BRISK, limits=(gentle,), velocity_caps=slow))
    assert result.status.code == "infeasible", result.status
    assert "acceleration limit 'very gentle'" in result.status.remedy


def test_a_solver_without_words_makes_the_remedy_name_the_acceleration_limit() -> None:
    problem = qpsolvers.Problem(np.eye(1), np.ones(1), np.eye(1), np.ones(1))
    error = NoSolutionFound(problem, qpsolvers.Solution(problem, found=False))
    with_limit = failures.solver_failure(error, ["elbow"], "daqp", DT, {0: "smooth"})
    assert "acceleration limit 'smooth'" in with_limit.remedy
    assert "acceleration" not in failures.solver_failure(error, ["elbow"], "daqp", DT).remedy


@pytest.mark.parametrize("acceleration", [1e-6, 1e6])
def test_the_ends_of_the_range_have_effect(tmp_path: Path, acceleration: float) -> None:
    engine = arm_engine(tmp_path)
    start = poses(engine)["tool"]
    limit = AccelerationLimitSpec(name="a", acceleration=acceleration)
    result = run(engine, inputs({"tool": moved(start, (0.1, 0, 0))}, limits=(limit,)), 3)
    assert result.status.ok, result.status
    assert (np.abs(result.velocities).max() > 1e-3) == (acceleration > 1.0)


def test_an_acceleration_limit_of_no_joint_is_none(tmp_path: Path) -> None:
    robot = arm_engine(tmp_path).robot
    configuration = Configuration(robot.model, robot.model.createData(), robot.home_q)
    builder = LimitBuilder(robot, configuration, JointBounds(robot.model, robot.velocity_caps))
    spec = AccelerationLimitSpec(name="a", acceleration=3.0)
    object.__setattr__(spec, "acceleration", 1e20)  # Pink takes it for none; files cannot say it.
    assert builder.update((spec,), ())
    builder.prepare(DT)
    assert builder.limits == ()
