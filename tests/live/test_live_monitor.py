from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from live_fakes import at

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.ik.types import SolveStatus, TickInputs, TickResult, ToolResult
from workbench.live.monitor import Monitor, is_reached
from workbench.live.snapshot import Status, ToolState
from workbench.poses import Pose, frozen_array

CONFIG = PinkKinematicsConfig(solver="daqp")
STILL = np.zeros(2)
DT = 0.01


def tool(
    position_error_m: float, orientation_error_rad: float = 0.0, *, frame: str = "hand",
    target: Pose | None = None,
) -> ToolResult:  # fmt: skip
    goal = at(1.0) if target is None else target
    return ToolResult(frame, Pose(), goal, position_error_m, orientation_error_rad)


def switched_off(frame: str = "other") -> ToolResult:
    return ToolResult(frame, Pose(), None, None, None)


class Watch:
    """Feeds a monitor with ticks 10 ms apart."""

    def __init__(self) -> None:
        self.monitor = Monitor()
        self.now_s = 0.0
        self.inputs = TickInputs(CONFIG, DT, {"hand": at(1.0)})

    def tick(
        self,
        *tools: ToolResult,
        velocities: np.ndarray = STILL,
        status: SolveStatus | None = None,
        paused: bool = False,
        at_limit: tuple[str, ...] = (),
        saturated: tuple[str, ...] = (),
    ) -> tuple[Status, tuple[ToolState, ...]]:
        self.now_s += DT
        result = TickResult(
            status=status or SolveStatus(),
            q=frozen_array(STILL),
            positions=frozen_array(STILL),
            velocities=frozen_array(velocities),
            transform_base_to_world=Pose(),
            tools=tools,
            solve_time_s=1e-4,
            saturated_velocity=saturated,
            at_limit=at_limit,
        )
        if paused:
            return self.monitor.stood_still(self.inputs, result)
        return self.monitor.ticked(self.now_s, self.inputs, result)

    def ticks(
        self, count: int, *tools: ToolResult, at_limit: tuple[str, ...] = ()
    ) -> tuple[Status, tuple[ToolState, ...]]:
        for _ in range(count - 1):
            self.tick(*tools, at_limit=at_limit)
        return self.tick(*tools, at_limit=at_limit)

    def weigh(self, **values: float) -> None:
        self.inputs = replace(self.inputs, config=CONFIG.with_values(**values))


@pytest.fixture
def watch() -> Watch:
    return Watch()


# Reached ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position_m", "orientation_rad", "reached"),
    [
        (1e-3, 10e-3, True),
        (1.01e-3, 0.0, False),
        (0.0, 10.1e-3, False),
        (0.0, 0.0, True),
    ],
)
def test_reached_is_within_1_mm_and_10_mrad(
    watch: Watch, position_m: float, orientation_rad: float, reached: bool
):
    status, (state,) = watch.tick(tool(position_m, orientation_rad))
    assert state.reached is reached
    assert status.code == ("ok" if reached else "converging")


def test_an_error_whose_cost_is_zero_does_not_count():
    far_turned, far_moved = tool(0.0, 1.0), tool(0.5, 0.0)
    position_only = CONFIG.with_values(orientation_cost=0)
    assert is_reached(far_turned, position_only)
    assert not is_reached(far_moved, position_only)
    orientation_only = CONFIG.with_values(position_cost=0)
    assert is_reached(far_moved, orientation_only)
    assert not is_reached(far_turned, orientation_only)


def test_with_both_costs_off_both_errors_count_and_the_remedy_says_so(watch: Watch):
    watch.weigh(position_cost=0, orientation_cost=0)
    status, (state,) = watch.ticks(60, tool(0.5))
    assert state.reached is False
    assert status.code == "not_reached"
    assert "both costs are off" in status.remedy


# Converging, not reached -----------------------------------------------------------------


def test_an_error_that_falls_by_a_percent_in_half_a_second_converges(watch: Watch):
    for index in range(300):
        status, (state,) = watch.tick(tool(0.5 * 0.9997**index))
        assert state.code == "converging"
        assert status.code == "converging"


def test_an_error_that_falls_by_less_is_not_reached_after_half_a_second(watch: Watch):
    codes = [watch.tick(tool(0.5 * 0.9999**index))[0].code for index in range(100)]
    assert codes[:50] == ["converging"] * 50
    assert codes[50:] == ["not_reached"] * 50


def test_an_error_that_grows_is_not_reached(watch: Watch):
    codes = [watch.tick(tool(0.1 + 0.001 * index))[0].code for index in range(60)]
    assert codes[-1] == "not_reached"


def test_a_target_that_moves_begins_anew(watch: Watch):
    for index in range(300):
        goal = at(1.0 + 0.01 * (index // 20))
        status, _ = watch.tick(tool(0.5, target=goal))
        assert status.code == "converging"


def test_other_weights_and_a_pose_command_begin_anew(watch: Watch):
    watch.ticks(60, tool(0.5))
    watch.weigh(position_cost=2)
    assert watch.tick(tool(0.5))[0].code == "converging"
    watch.ticks(60, tool(0.5))
    watch.monitor.reset()
    assert watch.tick(tool(0.5))[0].code == "converging"


def test_progress_in_an_error_without_a_cost_is_none(watch: Watch):
    watch.weigh(orientation_cost=0)
    codes = [watch.tick(tool(0.5, 1.0 - 0.01 * index))[0].code for index in range(60)]
    assert codes[-1] == "not_reached"


def test_each_tool_has_a_code_of_its_own_and_the_worst_is_said(watch: Watch):
    def tick(coming: float) -> tuple[Status, tuple[ToolState, ...]]:
        near, far = tool(0.0, frame="near"), tool(0.5, frame="far")
        return watch.tick(near, tool(coming, frame="coming"), far, switched_off())

    status, states = [tick(0.5 * 0.95**index) for index in range(60)][-1]
    assert [state.code for state in states] == ["ok", "converging", "not_reached", None]
    assert [state.enabled for state in states] == [True, True, True, False]
    assert states[3].reached is None
    assert status.code == "not_reached"
    assert "far is 500.0 mm" in status.text
    assert "near" not in status.text


def test_without_any_target_all_is_well(watch: Watch):
    status, _ = watch.tick(switched_off())
    assert (status.code, status.text) == ("ok", "no target is switched on")


# Words -----------------------------------------------------------------------------------


def test_limits_that_bind_are_named_with_a_remedy(watch: Watch):
    status, _ = watch.ticks(60, tool(0.0123, 0.1), at_limit=("elbow", "wrist"))
    assert status.text == (
        "not reached: hand is 12.3 mm and 5.7° away; at a position limit: elbow, wrist"
    )
    assert "another posture" in status.remedy
    status, _ = watch.tick(tool(0.0123), saturated=("elbow",))
    assert "at its velocity limit: elbow" in status.text
    watch.inputs = replace(watch.inputs, held_joints={"elbow": 0.0})
    status, _ = watch.ticks(60, tool(0.5))
    assert "held: elbow" in status.text
    assert "let the held joints go" in status.remedy


def test_a_tool_that_is_only_turned_wrongly_gets_its_own_remedy(watch: Watch):
    status, _ = watch.ticks(60, tool(0.0, 0.5))
    assert "orientation_cost" in status.remedy


def test_an_error_that_is_not_asked_for_is_not_spoken_of(watch: Watch):
    watch.weigh(orientation_cost=0)
    status, _ = watch.ticks(60, tool(0.0123, 0.5))
    assert status.text == "not reached: hand is 12.3 mm away"
    assert status.remedy == "move the target within reach, or lower posture_cost"
    watch.weigh(position_cost=0, posture_cost=0)
    status, _ = watch.ticks(60, tool(0.0123, 0.5))
    assert status.text == "not reached: hand is 28.6° away"


# Oscillation -----------------------------------------------------------------------------


def test_joints_that_reverse_at_every_tick_are_oscillating(watch: Watch):
    for index in range(20):
        flip = np.array([2.0, 0.0]) * (-1) ** index
        last = watch.tick(tool(0.5 - 0.02 * (index % 2)), velocities=flip)
        if index > 10:
            assert last[0].oscillating
    status, (state,) = watch.tick(tool(0.5), velocities=np.array([2.0, 0.0]))
    assert status.oscillating
    assert "oscillating at its reach: raise lm_damping" in status.text
    assert "now 1e-06" in status.remedy
    assert status.code == state.code == "not_reached"


@pytest.mark.parametrize(
    "speed_at",
    [
        pytest.param(lambda tick: 0.04 * (-1) ** tick, id="too slow to see"),
        pytest.param(lambda tick: 2.0 * math.sin(2 * math.pi * tick / 6), id="every third tick"),
        pytest.param(lambda tick: 2.0, id="one way"),
        pytest.param(lambda tick: 2.0 * (-1) ** tick if tick < 5 else 0.0, id="for a moment"),
    ],
)
def test_other_motion_is_not(watch: Watch, speed_at):
    for index in range(30):
        status, _ = watch.tick(tool(0.5), velocities=np.array([speed_at(index), 0.0]))
        assert not status.oscillating


def test_reversing_at_a_target_that_is_reached_is_not_the_users_concern(watch: Watch):
    for index in range(20):
        status, _ = watch.tick(tool(1e-4), velocities=np.array([2.0, 0.0]) * (-1) ** index)
        assert status.code == "ok"
        assert not status.oscillating


# Failures and pauses ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("solve_code", "code"),
    [
        ("solver_failed", "solver_failed"),
        ("infeasible", "infeasible"),
        ("target_invalid", "target_invalid"),
        ("outside_limits", "outside_limits"),
        ("velocity_exceeded", "solver_failed"),
    ],
)
def test_a_failed_solve_is_said_with_cause_remedy_and_how_many_in_a_row(
    watch: Watch, solve_code, code: str
):
    failure = SolveStatus(solve_code, "proxqp found no solution", "choose daqp")
    for count in (1, 2, 3):
        status, _ = watch.tick(tool(0.5), status=failure)
        assert status == Status(code, "proxqp found no solution", "choose daqp", count)  # pyright: ignore[reportArgumentType]
        assert not status.ok
    status, _ = watch.tick(tool(0.5))
    assert status.consecutive_failures == 0
    assert status.ok


def test_failed_ticks_do_not_count_as_time_without_progress(watch: Watch):
    watch.tick(tool(0.5))
    for _ in range(100):
        watch.tick(tool(0.5), status=SolveStatus("infeasible"))
    assert watch.tick(tool(0.4999))[0].code == "converging"


def test_paused_is_said_and_is_no_time_without_progress(watch: Watch):
    watch.tick(tool(0.5))
    for _ in range(100):
        status, (state,) = watch.tick(tool(0.5), paused=True)
        assert status.code == "paused"
        assert "hand is 500.0 mm" in status.text
        assert state.code == "converging"
    assert watch.tick(tool(0.5))[0].code == "converging"


def test_a_pause_keeps_what_was_known_and_sees_what_is_reached(watch: Watch):
    watch.ticks(60, tool(0.5))
    assert watch.tick(tool(0.5), paused=True)[1][0].code == "not_reached"
    assert watch.tick(tool(0.0), paused=True)[1][0].reached is True
    assert watch.tick(tool(0.5, target=at(2.0)), paused=True)[1][0].reached is False


def test_a_tool_is_not_blamed_on_the_joints_of_another_arm(watch: Watch):
    joints = {"hand": frozenset({"shoulder"}), "other": frozenset({"other_shoulder"})}
    watch.monitor = Monitor(joints.__getitem__)
    status, _ = watch.ticks(60, tool(0.5), at_limit=("other_shoulder", "shoulder"))
    assert status.text.endswith("at a position limit: shoulder")
    status, _ = watch.ticks(60, tool(0.5), at_limit=("other_shoulder",))
    assert "limit" not in status.text
