"""Modes: which engine drives the robot, what the hardware's buttons do, plans that are shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from live_fakes import FakeEngine, Rig, at, fake_bundle, start_settings

from workbench.config.limits import SelfCollisionBarrierSpec
from workbench.config.settings import Mode
from workbench.errors import ConfigError, RobotError
from workbench.ik.streaming_types import StreamingInputs, StreamingState, StreamingTickResult
from workbench.ik.types import EngineKind, SolveStatus, TickInputs
from workbench.live.hulls import HullMaker
from workbench.live.jobs import Jobs
from workbench.live.loop import Loop
from workbench.live.planning import Plan, plan_to_targets
from workbench.live.snapshot import StateSnapshot
from workbench.model.description import Shape
from workbench.poses import Pose


class FakeStreaming(FakeEngine):
    """Answers as a streaming engine does."""

    state: StreamingState = "tracking"

    def tick(self, inputs: TickInputs) -> StreamingTickResult:
        assert isinstance(inputs, StreamingInputs)
        return self._streamed(super().tick(inputs))

    def observe(self, inputs: TickInputs) -> StreamingTickResult:
        return self._streamed(super().observe(inputs))

    def _streamed(self, result: object) -> StreamingTickResult:
        values = {name: getattr(result, name) for name in ("status", "q", "positions")}
        values |= {"velocities": result.velocities, "tools": result.tools}  # type: ignore[attr-defined]
        return StreamingTickResult(
            **values, transform_base_to_world=self.transform_base_to_world, solve_time_s=0.0,
            state=self.state, command=values["positions"], measured=values["positions"],
            at_tracking_window=("x",),
        )  # fmt: skip


class ModeRig(Rig):
    """A loop that is stepped by hand over engines of all kinds."""

    def __init__(self) -> None:
        super().__init__()
        self.made: dict[EngineKind, FakeEngine] = {}
        points = np.zeros((4, 3), dtype=np.float32)
        box = Shape("arm", Pose(), points, np.zeros((1, 3), dtype=np.uint32))
        description = replace(self.bundle.description, collisions=(box,))
        self.bundle = replace(self.bundle, make_engine=self._make, description=description)
        self.session.replace_bundle(self.bundle, start_settings(self.bundle))
        self.loop = Loop(self.session, now_utc=self.clock.utc)
        self.waiting: list[Callable[[], None]] = []
        self.jobs = Jobs(
            lambda: self.session.state.epoch, spawn=lambda title, run: self.waiting.append(run)
        )

    def _make(self, kind: EngineKind) -> FakeEngine:
        self.made[kind] = FakeStreaming() if kind == "streaming" else FakeEngine()
        return self.made[kind]

    def tick(self, count: int = 1) -> StateSnapshot:
        snapshot = None
        for _ in range(count):
            self.clock.advance(0.01)
            snapshot = self.loop.step()
        assert snapshot is not None
        return snapshot

    def set(self, **values: object) -> None:
        self.session.edit(None, lambda settings: replace(settings, **values))

    def streaming(self) -> FakeStreaming:
        self.set(mode="streaming")
        self.tick()
        engine = self.made["streaming"]
        assert isinstance(engine, FakeStreaming)
        return engine


@pytest.fixture
def rig() -> ModeRig:
    return ModeRig()


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ({"solve_with": "fast"}, "fast"),
        ({"mode": "streaming"}, "streaming"),
        ({"mode": "isaac"}, "isaac"),
    ],
)
def test_another_engine_takes_over_where_the_robot_is(
    rig: ModeRig, values: dict[str, object], kind: EngineKind
) -> None:
    rig.type_target(at(0.5))
    before = rig.tick(30).positions
    rig.set(**values)
    after = rig.tick()
    assert rig.made[kind].commands == [dict(zip("xyz", before.tolist(), strict=True))]
    assert np.abs(after.positions - before).max() < 1e-3
    assert after.mode == rig.settings.mode
    rig.session.undo()
    assert np.abs(rig.tick().positions - before).max() < 1e-3


def test_every_engine_is_made_once_and_only_when_it_is_needed(rig: ModeRig) -> None:
    rig.tick()
    assert rig.made == {}
    for mode in ("streaming", "live", "streaming"):
        rig.set(mode=mode)
        first = rig.made.get("streaming")
        rig.tick()
    assert rig.made["streaming"] is first


# Hardware --------------------------------------------------------------------------------


def test_streaming_starts_disengaged_and_obeys_the_buttons(rig: ModeRig) -> None:
    engine = rig.streaming()

    def told() -> tuple[bool, bool]:
        rig.tick()
        inputs = engine.ticks[-1]
        assert isinstance(inputs, StreamingInputs)
        return inputs.engaged, inputs.emergency_stop

    assert told() == (False, False)
    rig.session.engage(True)
    assert told() == (True, False)
    rig.session.press_emergency_stop()
    assert told() == (False, True)
    with pytest.raises(ConfigError, match="emergency stop is pressed"):
        rig.session.engage(True)
    rig.session.release_emergency_stop()
    assert told() == (False, False)
    rig.session.engage(True)
    assert told() == (True, False)


def test_a_target_that_no_longer_arrives_grows_old(rig: ModeRig) -> None:
    engine = rig.streaming()
    rig.session.stop_targets(True)
    rig.clock.advance(0.4)
    rig.tick()
    inputs = engine.ticks[-1]
    assert isinstance(inputs, StreamingInputs)
    assert inputs.target_age_s == pytest.approx(0.41)
    rig.session.stop_targets(False)
    rig.tick()
    inputs = engine.ticks[-1]
    assert isinstance(inputs, StreamingInputs) and inputs.target_age_s == 0.0


def test_leaving_the_mode_or_the_robot_disengages(rig: ModeRig) -> None:
    rig.streaming()
    rig.session.engage(True)
    rig.set(mode="live")
    rig.set(mode="streaming")
    assert not rig.session.state.controls.engaged
    rig.session.engage(True)
    other = fake_bundle("other")
    rig.session.replace_bundle(other, start_settings(other))
    assert not rig.session.state.controls.engaged


@pytest.mark.parametrize(
    ("state", "code", "words"),
    [
        ("disengaged", "paused", "disengaged"),
        ("emergency_stop", "paused", "emergency stop"),
        ("stale", "stale_target", "older than the timeout"),
        ("no_target", "ok", "no target"),
    ],
)
def test_the_status_says_why_there_is_no_command(
    rig: ModeRig, state: StreamingState, code: str, words: str
) -> None:
    engine = rig.streaming()
    engine.state = state
    status = rig.tick().status
    assert status.code == code and words in status.text
    engine.state = "tracking"
    assert rig.tick().status.code != "paused"


@pytest.mark.parametrize(
    ("state", "solve", "code"),
    [
        ("feedback_invalid", "feedback_invalid", "outside_limits"),
        ("failed", "infeasible", "infeasible"),
        ("failed", "solver_failed", "solver_failed"),
        ("no_target", "target_invalid", "target_invalid"),
    ],
)
def test_a_refused_step_is_said_with_its_cause(
    rig: ModeRig, state: StreamingState, solve: str, code: str
) -> None:
    engine = rig.streaming()
    engine.state = state
    engine.next_status = SolveStatus(solve, "cause", "remedy")  # type: ignore[arg-type]
    status = rig.tick(3).status
    assert (status.code, status.text, status.remedy) == (code, "cause", "remedy")
    assert status.consecutive_failures == 3


def test_what_bounds_the_command_is_said_by_joint(rig: ModeRig) -> None:
    rig.streaming()
    rig.type_target(at(0.9))
    snapshot = rig.tick(2)
    assert "at the tracking window: x" in snapshot.status.text
    assert snapshot.streaming is not None
    assert snapshot.streaming.at_tracking_window == ("x",)


# Plans -----------------------------------------------------------------------------------


def planned(rig: ModeRig) -> Plan:
    plans: list[Plan] = []
    plan_to_targets(rig.session, rig.jobs, plans.append)
    rig.waiting.pop()()
    return plans[0]


def test_in_planning_mode_the_robot_stays_until_a_plan_moves_it(rig: ModeRig) -> None:
    rig.set(mode="planning")
    rig.type_target(at(0.5))
    still = rig.tick(20)
    assert still.positions.tolist() == [0.0, 0.0, 0.0]
    assert still.status.code == "not_reached" and "planning" in still.status.text
    plan = planned(rig)
    assert plan.result.succeeded and "by retry 1" in plan.text
    on_the_way = rig.tick()
    assert on_the_way.playing and 0.0 < on_the_way.positions[0] < 0.5
    assert on_the_way.status.text == "showing the path"
    arrived = rig.tick(40)
    assert not arrived.playing
    assert arrived.positions[0] == pytest.approx(0.5)
    assert arrived.status.code == "ok"
    assert rig.session.undo() == "plan to the target"
    assert rig.tick().positions.tolist() == [0.0, 0.0, 0.0]


def test_an_undo_in_the_middle_of_a_path_ends_it(rig: ModeRig) -> None:
    rig.set(mode="planning")
    rig.type_target(at(0.5))
    planned(rig)
    rig.tick()
    rig.session.undo()
    assert not rig.tick().playing
    assert rig.tick(50).positions.tolist() == [0.0, 0.0, 0.0]


def test_a_plan_that_fails_or_is_cancelled_moves_nothing(rig: ModeRig) -> None:
    rig.set(mode="planning")
    rig.type_target(at(5.0))
    assert "No plan after 10 attempts" in planned(rig).text
    plan_to_targets(rig.session, rig.jobs, lambda plan: pytest.fail("came through"))
    rig.jobs.cancel("plan")
    rig.waiting.pop()()
    assert rig.session.take_inputs().command is None


@pytest.mark.parametrize("mode", ["live", "streaming", "planning", "isaac"])
def test_the_pause_holds_the_robot_in_every_mode(rig: ModeRig, mode: Mode) -> None:
    rig.set(mode=mode)
    rig.session.set_paused(True)
    rig.type_target(at(0.5))
    snapshot = rig.tick(5)
    assert snapshot.positions.tolist() == [0.0, 0.0, 0.0]
    assert snapshot.status.code == "paused"


# Hulls -----------------------------------------------------------------------------------


def test_hulls_are_made_once_when_a_barrier_asks_and_reach_the_engine(rig: ModeRig) -> None:
    said: list[Exception] = []
    HullMaker(rig.session, rig.jobs, said.append)
    assert not rig.waiting
    rig.set(barriers=(SelfCollisionBarrierSpec(name="apart", enabled=False),))
    assert not rig.waiting
    rig.set(barriers=(SelfCollisionBarrierSpec(name="apart"),))
    rig.set_gain(0.3)
    assert len(rig.waiting) == 1
    rig.waiting.pop()()
    hulls = rig.session.state.hulls
    assert hulls is not None and said == []
    taken: list[object] = []
    rig.engine.set_collision = taken.append  # type: ignore[attr-defined]
    rig.tick(3)
    assert taken == [hulls]
    other = fake_bundle("other")
    rig.session.replace_bundle(other, start_settings(other))
    assert rig.session.state.hulls is None


def test_hulls_that_cannot_be_made_are_said_once(rig: ModeRig) -> None:
    def fail(report: Callable[[float, str], None]) -> object:
        raise RobotError("has no collision geometry")

    rig.bundle = replace(rig.bundle, make_hulls=fail)
    rig.session.replace_bundle(rig.bundle, start_settings(rig.bundle))
    said: list[Exception] = []
    HullMaker(rig.session, rig.jobs, said.append)
    rig.set(barriers=(SelfCollisionBarrierSpec(name="apart"),))
    rig.waiting.pop()()
    rig.set_gain(0.3)
    assert [str(error) for error in said] == ["has no collision geometry"]
    assert not rig.waiting
