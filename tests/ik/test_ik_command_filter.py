"""Low-pass, clamps and averaged increments: a command is never outside any of its bounds."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.robots_inline import CHAIN, joint, limit, robot, write_urdf
from workbench.config.streaming import StreamingConfig
from workbench.errors import ConfigError
from workbench.ik.command_filter import (
    CommandEnvelope,
    EmptyEnvelopeError,
    IncrementAverage,
    filtered_command,
    low_pass,
)
from workbench.model.controlled import ControlledRobot, controlled_from_urdf

ARM = robot(
    joint("first", parent="base", child="upper", inside=limit(-1, 1, 2)),
    joint("second", parent="upper", child="lower", inside=limit(-0.5, 2, 0)),
    joint("third", "continuous", parent="lower", child="hand", inside=limit(velocity=3)),
    links="base upper lower hand",
)
NAMES = ("first", "second", "third")

positions = st.lists(st.floats(-3, 3), min_size=3, max_size=3).map(np.array)


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> ControlledRobot:
    return controlled_from_urdf(Path(write_urdf(tmp_path_factory.mktemp("arm"), ARM)), NAMES)


def test_the_low_pass_does_not_depend_on_the_tick_rate() -> None:
    previous, candidate = np.zeros(1), np.ones(1)
    once = low_pass(previous, candidate, 0.02, 5.0)
    twice = low_pass(low_pass(previous, candidate, 0.01, 5.0), candidate, 0.01, 5.0)
    assert once == pytest.approx(twice, abs=1e-15)
    # The definition of the cutoff: after 1 / (2 pi f) seconds 63 % of the way is done.
    done = low_pass(previous, candidate, 1 / (2 * math.pi * 5.0), 5.0)
    assert done == pytest.approx(1 - math.exp(-1))


def test_without_a_cutoff_the_candidate_passes() -> None:
    candidate = np.array([0.3, -0.2])
    assert low_pass(np.zeros(2), candidate, 0.01, None) is candidate


def test_increments_are_weighted_newest_heaviest_and_normalised_at_the_start() -> None:
    increments = IncrementAverage()
    one, two, three, four = (np.array([number]) for number in (1.0, 10.0, 100.0, 1000.0))
    assert increments.average(one) == pytest.approx(1.0)
    increments.keep(one)
    assert increments.average(two) == pytest.approx((0.3 * 1 + 0.6 * 10) / 0.9)
    increments.keep(two)
    assert increments.average(three) == pytest.approx(0.1 * 1 + 0.3 * 10 + 0.6 * 100)
    increments.keep(three)
    assert increments.average(four) == pytest.approx(0.1 * 10 + 0.3 * 100 + 0.6 * 1000)
    increments.clear()
    assert increments.average(four) == pytest.approx(1000.0)


@given(
    previous=positions, offset=positions, candidate=positions, dt=st.floats(1e-4, 0.2),
    window_deg=st.floats(0.01, 90.0), margin=st.floats(0.0, 0.5), cap=st.floats(0.01, 10.0),
    cutoff_hz=st.none() | st.floats(0.1, 100.0),
    history=st.lists(positions, max_size=3),
)  # fmt: skip
def test_no_command_leaves_its_bounds_whatever_is_solved_for(
    *, arm: ControlledRobot, previous: np.ndarray, offset: np.ndarray, candidate: np.ndarray,
    dt: float, window_deg: float, margin: float, cap: float, cutoff_hz: float | None,
    history: list[np.ndarray],
) -> None:  # fmt: skip
    config = StreamingConfig(
        max_command_tracking_error_deg=window_deg, command_limit_margin=margin,
        max_joint_velocity_rad_s=cap, joint_velocity_limits_rad_s={"third": 0.5},
    )  # fmt: skip
    envelope, increments = CommandEnvelope(arm, config), IncrementAverage()
    for increment in history:
        increments.keep(increment)
    measured = previous + 0.05 * offset
    try:
        command, increment = filtered_command(
            candidate, previous, measured, dt,
            cutoff_hz=cutoff_hz, envelope=envelope, increments=increments,
        )  # fmt: skip
    except EmptyEnvelopeError as error:
        assert error.lower > error.upper
        return
    # First: the URDF's 2; second: no limit in the URDF, so the cap; third: its own cap.
    steps = dt * np.array([min(cap, 2.0), cap, 0.5])
    tiny = 1e-12
    for positions_ in (command, previous + increment):
        assert (np.abs(positions_ - previous) <= steps + tiny).all()
        assert (np.abs(positions_ - measured) <= math.radians(window_deg) + tiny).all()
        assert (positions_[:2] >= np.array([-1, -0.5]) + margin - tiny).all()
        assert (positions_[:2] <= np.array([1, 2]) - margin + tiny).all()


def test_bounds_that_contradict_each_other_name_the_joint(arm: ControlledRobot) -> None:
    envelope = CommandEnvelope(arm, StreamingConfig(max_command_tracking_error_deg=1.0))
    previous, measured = np.zeros(3), np.array([0.0, 0.4, 0.0])
    with pytest.raises(EmptyEnvelopeError) as caught:
        envelope.clamp(previous, previous, measured, 0.01)
    assert NAMES[caught.value.index] == "second"


def test_a_margin_that_leaves_no_range_is_refused_with_the_joint(arm: ControlledRobot) -> None:
    CommandEnvelope(arm, StreamingConfig(command_limit_margin=1.0))
    with pytest.raises(ConfigError, match="joint first") as caught:
        CommandEnvelope(arm, StreamingConfig(command_limit_margin=1.01))
    assert caught.value.field == "command_limit_margin"


def test_a_cap_of_an_unknown_joint_is_refused_with_the_nearest(arm: ControlledRobot) -> None:
    with pytest.raises(ConfigError, match="perhaps second"):
        CommandEnvelope(arm, StreamingConfig(joint_velocity_limits_rad_s={"secund": 1.0}))


def test_the_chain_of_the_other_tests_is_bounded_as_its_urdf_says(tmp_path: Path) -> None:
    chain = controlled_from_urdf(
        Path(write_urdf(tmp_path, CHAIN)), ("wrist", "shoulder"), base_link="base"
    )
    assert chain.joint_names == ("wrist", "shoulder")
    assert chain.is_continuous.tolist() == [True, False]
    assert chain.is_bounded.tolist() == [False, True]
    q = chain.q_from_positions(np.array([2.5, -0.25]))
    assert chain.positions_from_q(q) == pytest.approx([2.5, -0.25])
