from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from live_fakes import FakeEngine, Rig, at, fake_bundle, start_settings

from workbench.errors import SolverError
from workbench.ik.types import SolveStatus
from workbench.live.loop import Loop
from workbench.live.snapshot import StateSnapshot


class LoopRig(Rig):
    """A loop that is stepped by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = Loop(self.session, now_utc=self.clock.utc)

    def tick(self, count: int = 1) -> StateSnapshot:
        for _ in range(count - 1):
            self.clock.advance(0.01)
            self.loop.step()
        self.clock.advance(0.01)
        return self.loop.step()

    def set(self, **values: object) -> None:
        self.session.edit(None, lambda settings: replace(settings, **values))


@pytest.fixture
def rig() -> LoopRig:
    return LoopRig()


# What a tick takes and gives -------------------------------------------------------------


def test_a_tick_uses_the_settings_of_its_beginning_and_says_which(rig: LoopRig):
    rig.set_gain(0.25)
    rig.set(held_joints={"y": 0.0}, velocity_caps={"x": 1.0}, rate_hz=200)
    snapshot = rig.tick()
    (inputs,) = rig.engine.ticks
    assert inputs.config is rig.settings.kinematics
    assert inputs.dt == 1 / 200
    assert dict(inputs.held_joints) == {"y": 0.0}
    assert dict(inputs.velocity_caps) == {"x": 1.0}
    assert snapshot.settings_version == rig.session.state.version
    assert snapshot.rate_hz == 200


def test_an_edit_in_the_middle_of_a_tick_counts_at_the_next_one(rig: LoopRig):
    version = rig.session.state.version
    rig.engine.on_tick = lambda: rig.set_gain(0.1)
    assert rig.tick().settings_version == version
    assert rig.engine.ticks[0].config.gain == 0.5
    rig.engine.on_tick = None
    assert rig.tick().settings_version == version + 1
    assert rig.engine.ticks[1].config.gain == 0.1


def test_only_targets_that_are_switched_on_go_in(rig: LoopRig):
    rig.tick()
    assert list(rig.engine.ticks[0].targets) == ["left"]
    rig.session.edit(None, lambda settings: settings.with_target("left", enabled=False))
    assert rig.tick().status.text == "no target is switched on"
    assert dict(rig.engine.ticks[1].targets) == {}


def test_the_robot_follows_its_target_and_the_snapshot_shows_it(rig: LoopRig):
    rig.type_target(at(0.5))
    first = rig.tick()
    assert first.status.code == "converging"
    assert first.positions.tolist() == [0.25, 0.0, 0.0]
    last = rig.tick(20)
    assert last.status.code == "ok"
    assert last.tick == 21
    assert last.time_s == rig.clock()
    left, right = last.tools
    assert (left.result.frame, left.reached) == ("left", True)
    assert (right.result.frame, right.enabled) == ("right", False)
    assert rig.loop.latest.get() is last


def test_what_crosses_threads_cannot_be_written(rig: LoopRig):
    snapshot = rig.tick()
    for array in (snapshot.q, snapshot.positions, snapshot.velocities):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_numbers_for_plots_are_kept(rig: LoopRig):
    rig.type_target(at(0.5))
    rig.tick(3)
    records = rig.loop.records.last()
    assert records.position_error_m == pytest.approx([0.25, 0.125, 0.0625])
    assert np.isnan(records.period_s[0])
    assert records.period_s[1:] == pytest.approx([0.01, 0.01])
    rig.session.edit(None, lambda settings: settings.with_target("left", enabled=False))
    rig.tick()
    assert np.isnan(rig.loop.records.last(1).position_error_m[0])


def test_timing_is_measured_by_the_loops_clock(rig: LoopRig):
    rig.engine.on_tick = lambda: rig.clock.advance(0.002)
    timing = rig.tick(200).timing
    assert timing.tick_p50_s == pytest.approx(0.002)
    assert timing.tick_p99_s == pytest.approx(0.002)
    assert timing.period_p99_s == pytest.approx(0.012)


def test_listeners_are_called_after_the_snapshot_is_out(rig: LoopRig):
    seen: list[int] = []
    unsubscribe = rig.loop.on_tick(lambda: seen.append(rig.loop.latest.version))
    rig.tick(2)
    unsubscribe()
    rig.tick()
    assert seen == [1, 2]


def test_no_lock_is_held_while_the_engine_solves(rig: LoopRig):
    def look_from_another_thread() -> None:
        done = threading.Event()

        def use_everything() -> None:
            rig.session.set_paused(False)
            rig.session.begin_drag("right", 9)
            rig.session.end_drag("right", 9)
            rig.loop.latest.versioned()
            rig.loop.records.last()
            done.set()

        threading.Thread(target=use_everything).start()
        assert done.wait(10)

    rig.engine.on_tick = look_from_another_thread
    assert rig.tick().fault is None


# Pause and single step -------------------------------------------------------------------


def test_paused_the_robot_is_looked_at_and_not_moved(rig: LoopRig):
    rig.type_target(at(0.5))
    rig.session.set_paused(True)
    snapshot = rig.tick(5)
    assert rig.engine.ticks == []
    assert len(rig.engine.observed) == 5
    assert snapshot.status.code == "paused"
    assert snapshot.paused
    assert snapshot.tools[0].result.position_error_m == 0.5


def test_a_single_step_is_one_tick(rig: LoopRig):
    rig.type_target(at(0.5))
    rig.session.set_paused(True)
    rig.session.request_step()
    snapshot = rig.tick()
    assert snapshot.positions[0] == 0.25
    assert snapshot.status.code == "paused"
    rig.tick(3)
    assert len(rig.engine.ticks) == 1


def test_a_pose_command_counts_also_while_paused(rig: LoopRig):
    rig.session.set_paused(True)
    rig.session.command_positions("set pose", {"x": 0.5})
    assert rig.tick().positions[0] == 0.5
    rig.tick(3)
    assert rig.engine.commands == [{"x": 0.5, "y": 0.0, "z": 0.0}]


# Glide -----------------------------------------------------------------------------------


def test_a_dragged_target_glides_and_errors_are_those_to_where_it_is_going(rig: LoopRig):
    rig.tick()
    rig.session.begin_drag("left", 1)
    rig.session.drag("left", 1, at(0.5))
    snapshot = rig.tick()
    target = rig.engine.ticks[-1].targets["left"]
    assert target is not None
    assert target.translation[0] == pytest.approx(0.1)
    (left, _) = snapshot.tools
    assert left.result.transform_target_to_world == at(0.5)
    assert left.result.position_error_m == pytest.approx(0.45)
    rig.session.end_drag("left", 1)
    rig.tick(4)
    assert rig.engine.ticks[-1].targets["left"] is rig.target()


def test_with_glide_off_and_for_an_undo_the_target_jumps(rig: LoopRig):
    rig.set(glide=False)
    rig.tick()
    rig.drag_to(at(0.5))
    rig.tick()
    assert rig.engine.ticks[-1].targets["left"] == at(0.5)
    rig.set(glide=True)
    rig.tick()
    rig.session.undo()
    rig.session.undo()
    rig.tick()
    assert rig.engine.ticks[-1].targets["left"] == at(0.0)


# Failures and faults ---------------------------------------------------------------------


def test_failing_solves_are_counted_and_the_loop_recovers_by_itself(rig: LoopRig):
    rig.engine.next_status = SolveStatus("infeasible", "no solution", "loosen a limit")
    status = rig.tick(3).status
    assert (status.code, status.consecutive_failures) == ("infeasible", 3)
    rig.engine.next_status = SolveStatus()
    assert rig.tick().status.ok


def test_a_solve_that_cannot_be_set_up_holds_and_is_tried_again(rig: LoopRig):
    rig.type_target(at(0.5))
    rig.tick(2)
    rig.engine.raises = SolverError("is not installed", field="solver", value="quadprog")
    snapshot = rig.tick(2)
    assert snapshot.status.code == "solver_failed"
    assert "solver: is not installed" in snapshot.status.text
    assert snapshot.status.consecutive_failures == 2
    assert snapshot.fault is None
    assert snapshot.velocities.tolist() == [0, 0, 0]
    rig.engine.raises = None
    assert rig.tick().status.ok


def test_an_unexpected_exception_is_a_fault_that_holds_with_its_traceback(rig: LoopRig):
    rig.type_target(at(0.5))
    good = rig.tick(2)
    rig.engine.raises = ZeroDivisionError("by nothing")
    snapshot = rig.tick()
    assert snapshot.status.code == "fault"
    assert "ZeroDivisionError: by nothing" in snapshot.status.text
    assert snapshot.fault is not None
    assert "Traceback" in snapshot.fault
    assert snapshot.positions.tolist() == good.positions.tolist()
    assert snapshot.velocities.tolist() == [0, 0, 0]
    rig.engine.raises = None
    ticks = len(rig.engine.ticks)
    assert rig.tick(5).status.code == "fault"
    assert len(rig.engine.ticks) == ticks
    (fault,) = rig.loop.faults
    assert fault.count == 1


@pytest.mark.parametrize("way", ["edit", "restart", "home", "undo"])
def test_an_edit_or_a_restart_tries_again_from_the_last_good_positions(rig: LoopRig, way: str):
    rig.type_target(at(0.5))
    good = rig.tick(2).positions
    rig.engine.raises = ZeroDivisionError("by nothing")
    rig.engine.on_tick = lambda: rig.engine.q.fill(float("nan"))
    rig.tick(2)
    rig.engine.raises = rig.engine.on_tick = None
    actions = {
        "edit": lambda: rig.set_gain(0.25),
        "restart": rig.loop.restart,
        "home": rig.session.go_home,
        "undo": rig.session.undo,
    }
    actions[way]()
    snapshot = rig.tick()
    assert snapshot.fault is None
    assert snapshot.status.ok
    assert rig.engine.commands[0] == dict(zip("xyz", good.tolist(), strict=True))


def test_a_restart_without_a_fault_does_not_make_the_next_fault_try_again(rig: LoopRig):
    rig.loop.restart()
    rig.tick()
    rig.engine.raises = ZeroDivisionError("by nothing")
    rig.tick(5)
    assert len(rig.engine.ticks) == 2


def test_a_fault_that_comes_again_is_counted_and_only_the_last_are_kept(rig: LoopRig):
    rig.engine.raises = ZeroDivisionError("by nothing")
    for _ in range(3):
        rig.tick()
        rig.loop.restart()
    (fault,) = rig.loop.faults
    assert fault.count == 3
    for number in range(9):
        rig.engine.raises = ZeroDivisionError(f"number {number}")
        rig.loop.restart()
        rig.tick()
    assert [fault.text.splitlines()[-1][-1] for fault in rig.loop.faults] == list("45678")


def test_a_fault_at_the_very_first_tick_shows_the_robot_at_home(rig: LoopRig):
    rig.engine.raises = ZeroDivisionError("by nothing")
    snapshot = rig.tick()
    assert snapshot.status.code == "fault"
    assert snapshot.positions.tolist() == [0, 0, 0]
    rig.engine.raises = None
    rig.loop.restart()
    assert rig.tick().status.ok


# Robots ----------------------------------------------------------------------------------


def test_another_robot_comes_between_two_ticks_without_the_past_of_the_old_one(rig: LoopRig):
    rig.engine.raises = ZeroDivisionError("by nothing")
    rig.tick()
    engine = FakeEngine()
    bundle = fake_bundle("other", engine)
    rig.session.replace_bundle(bundle, start_settings(bundle))
    old_ticks = len(rig.engine.ticks)
    snapshot = rig.tick()
    assert snapshot.epoch == 2
    assert snapshot.fault is None
    assert snapshot.tick == 2
    assert len(rig.engine.ticks) == old_ticks
    assert len(engine.ticks) == 1


# The thread, without waiting for time ----------------------------------------------------


class DrivenLoop(LoopRig):
    """The loop's own ``run`` on a clock that its waits move on; ends after some ticks."""

    def __init__(self, *, late_s: float = 0.0, rest_after_s: float = 60.0) -> None:
        super().__init__()
        self.late_s = late_s
        self.starts: list[float] = []
        self.after_tick: dict[int, Callable[[], None]] = {}
        self.in_the_wait_after: dict[int, Callable[[], None]] = {}
        self.last_tick = 0
        self.loop = Loop(
            self.session, wait=self.wait, now_utc=self.clock.utc, rest_after_s=rest_after_s
        )
        self.loop.on_tick(self.ticked)

    def wait(self, event: threading.Event, seconds: float) -> bool:
        meanwhile = self.in_the_wait_after.pop(len(self.starts), None)
        if meanwhile is not None:
            self.clock.advance(0.3 * seconds)
            meanwhile()
            seconds *= 0.7
        if not event.is_set():
            self.clock.advance(seconds + self.late_s)
        return event.is_set()

    def ticked(self) -> None:
        self.starts.append(self.clock())
        self.after_tick.get(len(self.starts), lambda: None)()
        if len(self.starts) == self.last_tick:
            self.loop.stop()

    def run(self, ticks: int) -> list[float]:
        """Return the times between the ticks."""
        self.last_tick = ticks
        self.loop.run()
        return np.diff(self.starts).tolist()


def test_the_thread_keeps_absolute_deadlines_though_it_wakes_late():
    rig = DrivenLoop(late_s=0.0004)
    rig.set(rate_hz=200)
    rig.loop.set_watched(True)
    periods = rig.run(1000)
    assert sum(periods) == pytest.approx(999 * 0.005, abs=1e-3)
    assert periods == pytest.approx([0.005] * 999, abs=5e-4)


def test_after_a_stall_missed_ticks_are_skipped_and_counted():
    rig = DrivenLoop()
    rig.loop.set_watched(True)
    rig.after_tick[10] = lambda: rig.clock.advance(0.0551)
    periods = rig.run(100)
    assert sorted(periods)[-1] == pytest.approx(0.0551)
    assert min(periods) > 0.004
    assert rig.loop.step().timing.missed == 4


def test_a_rate_that_is_changed_counts_at_once():
    rig = DrivenLoop()
    rig.loop.set_watched(True)
    rig.after_tick[10] = lambda: rig.set(rate_hz=500)
    periods = rig.run(20)
    assert periods[:9] == pytest.approx([0.01] * 9)
    assert periods[9:] == pytest.approx([0.002] * 10)


def test_a_while_without_a_page_it_rests_at_10_hz():
    rig = DrivenLoop(rest_after_s=2.0)
    periods = rig.run(220)
    assert periods[:199] == pytest.approx([0.01] * 199)
    assert periods[201:] == pytest.approx([0.1] * 18)
    assert rig.loop.resting
    snapshot = rig.loop.latest.get()
    assert snapshot is not None
    assert snapshot.rate_hz == 10
    assert snapshot.timing.missed == 0
    assert rig.engine.ticks[-1].dt == 0.01


def test_the_while_is_a_minute():
    rig = DrivenLoop()
    rig.set(rate_hz=10)
    rig.after_tick = {
        599: lambda: results.append(rig.loop.resting),
        603: lambda: results.append(rig.loop.resting),
    }
    results: list[bool] = []
    rig.run(605)
    assert results == [False, True]


@pytest.mark.parametrize("sign_of_life", ["page", "edit", "command", "restart"])
def test_a_resting_loop_wakes_at_once(sign_of_life: str):
    rig = DrivenLoop(rest_after_s=2.0)
    rig.in_the_wait_after[210] = {
        "page": lambda: rig.loop.set_watched(True),
        "edit": lambda: rig.set_gain(0.3),
        "command": lambda: rig.session.command_positions("set pose", {"x": 0.5}),
        "restart": rig.loop.restart,
    }[sign_of_life]
    periods = rig.run(220)
    assert periods[206:209] == pytest.approx([0.1] * 3)
    assert periods[209] == pytest.approx(0.03)
    assert periods[210:] == pytest.approx([0.01] * 9)
    assert not rig.loop.resting


def test_watched_it_never_rests():
    rig = DrivenLoop(rest_after_s=2.0)
    rig.loop.set_watched(True)
    assert rig.run(400) == pytest.approx([0.01] * 399)


def test_the_while_begins_when_the_last_page_closes():
    rig = DrivenLoop(rest_after_s=2.0)
    rig.loop.set_watched(True)
    rig.after_tick[400] = lambda: rig.loop.set_watched(False)
    rig.after_tick[598] = lambda: results.append(rig.loop.resting)
    results: list[bool] = []
    rig.run(610)
    assert results == [False]
    assert rig.loop.resting


def test_a_listener_that_fails_does_not_end_the_thread():
    rig = DrivenLoop()

    def fail() -> None:
        raise RuntimeError("the pump is gone")

    rig.loop.on_tick(fail)
    assert len(rig.run(5)) == 4
    assert "the pump is gone" in rig.loop.faults[0].text


def test_the_thread_ends_at_once_when_it_is_stopped(rig: LoopRig):
    ticked = threading.Event()
    rig.loop.on_tick(ticked.set)
    rig.loop.start()
    assert ticked.wait(10)
    assert rig.loop.running
    assert rig.loop.stop(timeout_s=10)
    assert not rig.loop.running


def test_python_changes_threads_quickly_while_the_loop_runs_and_as_before_afterwards():
    rig = DrivenLoop()
    intervals: list[float] = []
    rig.after_tick[1] = lambda: intervals.append(sys.getswitchinterval())
    before = sys.getswitchinterval()
    try:
        sys.setswitchinterval(0.003)
        rig.run(2)
        assert intervals == pytest.approx([1e-4])
        assert sys.getswitchinterval() == pytest.approx(0.003)
    finally:
        sys.setswitchinterval(before)


def test_stopping_what_never_ran_is_no_error(rig: LoopRig):
    assert rig.loop.stop()
