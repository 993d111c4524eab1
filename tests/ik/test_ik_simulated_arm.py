"""The simulated arm: ideal when all is off, and each imperfection by itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.config.simulated_arm import SimulatedArmConfig
from workbench.ik.simulated_arm import SimulatedArm

DT = 0.01


def arm_with(**values: object) -> SimulatedArm:
    return SimulatedArm(np.zeros(2), SimulatedArmConfig.checked(**values))


@given(st.lists(st.lists(st.floats(-10, 10), min_size=2, max_size=2), min_size=1, max_size=5))
def test_with_everything_off_the_measured_state_is_the_command(commands: list[list[float]]) -> None:
    arm = arm_with()
    assert arm.config.is_ideal
    for command in commands:
        assert arm.step(np.array(command), DT).tolist() == command
    assert arm.step(None, DT).tolist() == commands[-1]


def test_a_delay_holds_a_command_back() -> None:
    arm = arm_with(delay_s=0.03)
    measured = [arm.step(np.full(2, 0.1 * tick), DT)[0] for tick in range(1, 8)]
    assert measured == pytest.approx([0.0, 0.0, 0.0, 0.1, 0.2, 0.3, 0.4])


def test_a_lag_does_63_percent_of_a_step_in_its_time_constant() -> None:
    arm = arm_with(time_constant_s=0.1)
    for _ in range(10):
        arm.step(np.ones(2), DT)
    assert arm.measured == pytest.approx(np.full(2, 1 - math.exp(-1)))


def test_a_lag_does_not_depend_on_the_tick_rate() -> None:
    slow, fast = arm_with(time_constant_s=0.1), arm_with(time_constant_s=0.1)
    fast.step(np.ones(2), 0.004)
    assert slow.step(np.ones(2), 0.01) == pytest.approx(fast.step(np.ones(2), 0.006))


def test_no_joint_is_faster_than_the_cap() -> None:
    arm = arm_with(max_velocity_rad_s=2.0)
    command = np.array([1.0, 0.001])
    assert arm.step(command, DT) == pytest.approx([0.02, 0.001])
    for _ in range(60):
        arm.step(command, DT)
    assert arm.measured.tolist() == command.tolist()


def test_noise_is_seeded_and_does_not_move_the_arm() -> None:
    first, second = arm_with(encoder_noise=0.01, seed=3), arm_with(encoder_noise=0.01, seed=3)
    other = arm_with(encoder_noise=0.01, seed=4)
    readings = np.array([first.step(np.ones(2), DT) for _ in range(400)])
    assert np.array_equal(readings, [second.step(np.ones(2), DT) for _ in range(400)])
    assert not np.array_equal(other.step(np.ones(2), DT), readings[0])
    assert readings.std() == pytest.approx(0.01, rel=0.2)
    assert first.positions.tolist() == [1.0, 1.0]


def test_encoders_round_to_their_resolution() -> None:
    arm = arm_with(encoder_resolution=0.1)
    assert arm.step(np.array([0.31, -0.46]), DT) == pytest.approx([0.3, -0.5])


def test_a_dropped_command_leaves_the_arm_with_the_one_before() -> None:
    arm = arm_with(dropped_share=0.5, seed=1)
    goals = [float(arm.step(np.full(2, float(tick)), DT)[0]) for tick in range(1, 101)]
    arrived = sum(goal == tick for tick, goal in enumerate(goals, start=1))
    assert 25 < arrived < 75
    assert goals == sorted(goals)
    lost = arm_with(dropped_share=1.0)
    assert lost.step(np.ones(2), DT).tolist() == [0.0, 0.0]


def test_a_stop_holds_where_the_arm_is_and_forgets_what_is_on_its_way() -> None:
    arm = arm_with(delay_s=0.02, time_constant_s=0.1)
    for _ in range(5):
        arm.step(np.ones(2), DT)
    arm.stop()
    there = arm.positions
    for _ in range(20):
        arm.step(None, DT)
    assert 0.0 < there[0] < 1.0
    assert arm.measured.tolist() == there.tolist()


def test_a_continuous_joint_goes_the_shorter_way_round() -> None:
    config = SimulatedArmConfig(time_constant_s=0.05)
    arm = SimulatedArm(np.array([3.1]), config, np.array([True]))
    seen = [float(arm.step(np.array([-3.1]), DT)[0]) for _ in range(100)]
    assert all(abs(position) >= 3.09 for position in seen)
    assert seen[-1] == pytest.approx(-3.1, abs=1e-6)


def test_changing_the_imperfection_leaves_the_arm_where_it_is() -> None:
    arm = arm_with()
    arm.step(np.ones(2), DT)
    arm.configure(SimulatedArmConfig(time_constant_s=0.1))
    assert arm.positions.tolist() == [1.0, 1.0]
    assert arm.step(np.zeros(2), DT)[0] == pytest.approx(math.exp(-0.1))


def test_numbers_that_are_not_finite_never_reach_the_arm() -> None:
    arm = arm_with()
    with pytest.raises(ValueError, match="finite"):
        arm.step(np.array([math.nan, 0.0]), DT)
    for dt in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="seconds"):
            arm.step(np.ones(2), dt)
    with pytest.raises(ValueError, match="finite"):
        arm.place(np.array([math.inf, 0.0]))
    assert arm.measured.tolist() == [0.0, 0.0]
    assert not arm.measured.flags.writeable
