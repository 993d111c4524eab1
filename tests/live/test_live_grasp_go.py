"""Go: before the grasp, open, straight in, close; paused, taken up again, and all the way back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.live.grasps_rig import GraspRig
from tests.live.live_fakes import JOINTS, at
from workbench.config.frozen import frozen_mapping
from workbench.errors import GraspError, WorkbenchError
from workbench.grasps.grasp import Grasp, WrittenPose
from workbench.grasps.gripper import FingerJoint
from workbench.live.grasp_edits import set_in_scene
from workbench.live.grasp_fingers import finger_positions
from workbench.live.grasp_go import JOB_KEY, GraspGo
from workbench.live.grasp_way import STEP_S
from workbench.live.loop import Loop
from workbench.poses import Pose


class GoRig(GraspRig):
    """A session whose loop and way advance together."""

    def __init__(self) -> None:
        super().__init__()
        self.rest()
        self.loop = Loop(self.session)
        self.go = GraspGo(
            self.session, self.jobs, self.grasping, self.reach, failed=self.failures.append
        )
        self.seen: list[tuple[str, bool]] = []
        self.pass_time(0.1)

    @property
    def positions(self) -> list[float]:
        return self.engine.q.tolist()

    @property
    def phase(self) -> str | None:
        go = self.grasping.view.go
        return None if go is None else go.phase

    def start(self, name: str = "grasp_3") -> None:
        self.go.go(name)
        self.run_jobs()

    def pass_time(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP_S)):
            self.clock.advance(STEP_S)
            self.loop.step()
            self.go.step()
            go = self.grasping.view.go
            if go is not None and (go.phase, go.backwards) not in self.seen[-1:]:
                self.seen.append((go.phase, go.backwards))

    def step_labels(self) -> list[str]:
        """Return the names of all steps that undo would take back, oldest first."""
        return [step.label for step in self.session._history._done]

    def until(self, phase: str | None, longest_s: float = 20.0) -> None:
        for _ in range(round(longest_s / STEP_S)):
            if self.phase == phase:
                return
            self.pass_time(STEP_S)
        raise AssertionError(f"{self.phase} instead of {phase}; {self.seen}")


@pytest.fixture
def rig() -> GoRig:
    return GoRig()


def test_the_robot_goes_before_the_grasp_opens_goes_in_and_closes(rig: GoRig) -> None:
    rig.start()
    assert rig.phase == "moving"
    rig.until("opening")
    assert rig.positions == pytest.approx([0.7, 0.0, -0.1], abs=1e-9)
    rig.until("approaching")
    assert rig.grasping.view.closed == 0.0
    rig.until("there")
    assert rig.positions == pytest.approx([0.7, 0.0, 0.0], abs=1e-9)
    assert rig.grasping.view.closed == 1.0
    assert rig.seen == [
        ("moving", False), ("opening", False), ("approaching", False), ("closing", False),
        ("there", False),
    ]  # fmt: skip


def test_it_stays_there_and_is_one_step_of_undo(rig: GoRig) -> None:
    before = rig.positions
    rig.start()
    rig.until("there")
    rig.pass_time(1.0)
    assert rig.positions == pytest.approx([0.7, 0.0, 0.0], abs=1e-6)
    assert rig.session.undo() == "go to grasp_3"
    rig.pass_time(0.1)
    assert rig.positions == pytest.approx(before, abs=1e-6)
    assert rig.phase is None


def test_no_joint_is_faster_than_its_limit_and_nothing_jumps(rig: GoRig) -> None:
    rig.start()
    last = np.array(rig.positions)
    while rig.phase == "moving":
        rig.pass_time(STEP_S)
        now = np.array(rig.positions)
        assert np.abs(now - last).max() <= 2.0 * STEP_S
        last = now


def test_a_pause_holds_it_and_it_goes_on_from_there(rig: GoRig) -> None:
    rig.start()
    rig.pass_time(0.2)
    rig.go.pause()
    rig.pass_time(0.02)
    held = rig.positions
    rig.pass_time(2.0)
    assert rig.phase == "paused"
    assert rig.positions == pytest.approx(held, abs=1e-6)
    assert 0.0 < held[0] < 0.7
    rig.go.go_on()
    rig.until("there")
    assert rig.positions == pytest.approx([0.7, 0.0, 0.0], abs=1e-9)


def test_a_pause_and_going_on_are_no_steps_of_undo(rig: GoRig) -> None:
    before, steps = rig.positions, rig.step_labels()
    rig.start()
    rig.pass_time(0.3)
    for _ in range(2):
        rig.go.pause()
        rig.pass_time(2.0)
        rig.go.go_on()
        rig.pass_time(0.1)
    rig.until("there")
    assert rig.step_labels() == [*steps, "go to grasp_3"]
    assert rig.session.undo() == "go to grasp_3"
    rig.pass_time(0.1)
    assert rig.positions == pytest.approx(before, abs=1e-6)
    rig.session.redo()
    rig.pass_time(0.1)
    assert rig.positions == pytest.approx([0.7, 0.0, 0.0], abs=1e-6)


def test_the_way_back_is_a_step_of_its_own_and_a_pause_on_it_is_none(rig: GoRig) -> None:
    steps = rig.step_labels()
    rig.start()
    rig.until("there")
    rig.go.back()
    rig.pass_time(0.2)
    rig.go.pause()
    rig.pass_time(1.0)
    rig.go.go_on()
    rig.until(None)
    assert rig.step_labels() == [*steps, "go to grasp_3", "back from grasp_3"]
    rig.session.undo()
    rig.pass_time(0.1)
    assert rig.positions == pytest.approx([0.7, 0.0, 0.0], abs=1e-6)


ENDS: dict[str, Callable[[GoRig], object]] = {
    "undo": lambda rig: rig.session.undo(),
    "home": lambda rig: rig.session.go_home(),
    "a joint slider": lambda rig: rig.session.command_positions("set x", {"x": 0.3}),
    "another robot": lambda rig: rig.session.replace_bundle(rig.bundle, rig.settings),
}


@pytest.mark.parametrize("when", ["moving", "paused", "there"])
@pytest.mark.parametrize("what", ENDS)
def test_whatever_else_moves_the_robot_ends_it(rig: GoRig, what: str, when: str) -> None:
    rig.start()
    rig.pass_time(0.2)
    if when == "paused":
        rig.go.pause()
    rig.until(when)
    ENDS[what](rig)
    rig.go.step()
    assert rig.phase is None
    sent = rig.session.commands_sent
    rig.go.pause()
    rig.go.go_on()
    rig.go.back()
    assert rig.session.commands_sent == sent


@pytest.mark.parametrize("paused", [False, True])
def test_a_target_that_is_moved_takes_the_robot_off_its_way(rig: GoRig, paused: bool) -> None:
    rig.start()
    rig.pass_time(0.2)
    if paused:
        rig.go.pause()
    else:
        rig.until("there")
    rig.set_gain(0.25)
    rig.go.step()
    assert rig.phase == ("paused" if paused else "there")
    rig.type_target(at(0.2))
    rig.go.step()
    assert rig.phase is None


def test_the_emergency_stop_holds_it_on_its_way(rig: GoRig) -> None:
    rig.start()
    rig.pass_time(0.2)
    rig.session.press_emergency_stop()
    rig.pass_time(0.02)
    held = rig.positions
    rig.pass_time(1.0)
    assert rig.phase == "paused"
    assert rig.positions == pytest.approx(held, abs=1e-6)
    for attempt in (rig.go.go_on, rig.go.back, lambda: rig.go.go("grasp_1")):
        with pytest.raises(WorkbenchError, match="emergency stop"):
            attempt()
    rig.session.release_emergency_stop()
    rig.go.go_on()
    rig.until("there")


def test_a_robot_that_drifted_meanwhile_does_not_jump(rig: GoRig) -> None:
    rig.start()
    rig.until("there")
    rig.engine.q[1] = 0.3  # as a posture task does with what the targets leave free
    rig.go.step()
    rig.pass_time(STEP_S)
    rig.go.back()
    last = np.array(rig.positions)
    while rig.phase is not None:
        rig.pass_time(STEP_S)
        now = np.array(rig.positions)
        assert np.abs(now - last).max() <= 0.03
        last = now


# The search ----------------------------------------------------------------------------------


def test_the_move_before_the_grasp_goes_round_what_would_touch(rig: GoRig) -> None:
    asked: list[Any] = []

    def find(start: Any, end: Any, goes_on: Callable[[], bool]) -> Any:
        assert goes_on()
        asked.append((start, end))
        return start, {"x": 0.0, "y": 0.5, "z": 0.0}, end

    rig.session.replace_bundle(replace(rig.bundle, free_move=find), rig.settings)
    rig.pass_time(0.1)
    rig.start()
    highest = 0.0
    while rig.phase == "moving":
        rig.pass_time(STEP_S)
        highest = max(highest, rig.positions[1])
    assert highest == pytest.approx(0.5)
    ((_, end),) = asked
    assert list(end.values()) == pytest.approx([0.7, 0.0, -0.1], abs=1e-9)
    rig.until("there")


def test_where_there_is_no_free_way_the_robot_stays_and_it_is_said(rig: GoRig) -> None:
    def find(*_args: Any) -> Any:
        raise GraspError("no way there was found")

    rig.session.replace_bundle(replace(rig.bundle, free_move=find), rig.settings)
    rig.pass_time(0.1)
    before = rig.positions
    rig.start()
    rig.pass_time(0.5)
    assert rig.positions == before
    assert rig.phase is None
    assert "no way" in str(rig.failures[0])


def test_a_search_that_is_cancelled_or_whose_robot_goes_leaves_nothing_behind(rig: GoRig) -> None:
    rig.go.go("grasp_3")
    rig.jobs.cancel(JOB_KEY)
    rig.run_jobs()
    assert rig.phase is None
    rig.go.go("grasp_3")
    rig.session.replace_bundle(rig.bundle, rig.settings)
    rig.go.step()
    assert rig.phase is None
    rig.run_jobs()
    assert rig.phase is None


def test_a_robot_that_was_moved_during_the_search_is_not_sent_off(rig: GoRig) -> None:
    def find(start: Any, end: Any, _goes_on: object) -> Any:
        rig.session.command_positions("set x", {"x": 0.3})
        return start, end

    rig.session.replace_bundle(replace(rig.bundle, free_move=find), rig.settings)
    rig.pass_time(0.1)
    rig.start()
    assert rig.phase is None
    assert "changed" in str(rig.failures[0])


@pytest.mark.parametrize("paused", [False, True])
def test_it_comes_back_the_way_it_went(rig: GoRig, paused: bool) -> None:
    start = rig.positions
    rig.start()
    rig.until("there")
    rig.seen.clear()
    rig.go.back()
    rig.until("approaching")
    assert rig.grasping.view.closed == 0.0
    if paused:
        rig.go.pause()
        rig.pass_time(0.5)
        rig.go.go_on()
    rig.until(None)
    assert rig.positions == pytest.approx(start, abs=0.05)
    assert {backwards for _, backwards in rig.seen} == {True}


def test_a_grasp_out_of_reach_moves_nothing_and_says_why(rig: GoRig) -> None:
    rig.move(0.9)
    before = rig.positions
    rig.start()
    rig.pass_time(0.5)
    assert rig.positions == before
    assert rig.phase is None
    assert "not reached" in str(rig.failures[0])


def test_what_has_changed_meanwhile_keeps_it_from_going(rig: GoRig) -> None:
    rig.go.go("grasp_3")
    rig.move(0.5)
    rig.run_jobs()
    assert rig.phase is None
    assert "changed" in str(rig.failures[0])


def test_what_cannot_be_gone_to_is_refused_at_once(rig: GoRig) -> None:
    with pytest.raises(WorkbenchError, match="no such grasp"):
        rig.go.go("grasp_9")
    set_in_scene(rig.session, gripper_frame=None)
    with pytest.raises(WorkbenchError, match="which link"):
        rig.go.go("grasp_3")


def test_another_robot_ends_it(rig: GoRig) -> None:
    rig.start()
    rig.pass_time(0.1)
    rig.session.replace_bundle(rig.bundle, rig.settings)
    rig.go.step()
    assert rig.phase is None
    rig.go.pause()
    assert rig.session.state.undo_label is None


# Fingers -------------------------------------------------------------------------------------


def test_fingers_are_between_before_and_in_the_grasp_and_followers_follow() -> None:
    fingers = (FingerJoint("a", 0.0, 0.04), FingerJoint("b", None, None, "a", -1.0, 0.01))
    grasp = Grasp(
        "x", WrittenPose.of(Pose()), 1.0, frozen_mapping({"a": 0.01}), frozen_mapping({"a": 0.03})
    )
    assert finger_positions(grasp, fingers, 0.0) == pytest.approx({"a": 0.03, "b": -0.02})
    assert finger_positions(grasp, fingers, 0.5) == pytest.approx({"a": 0.02, "b": -0.01})
    assert finger_positions(grasp, fingers, 1.0) == pytest.approx({"a": 0.01, "b": 0.0})
    one_sided = Grasp("x", WrittenPose.of(Pose()), 1.0, frozen_mapping({"a": 0.02}))
    assert finger_positions(one_sided, fingers, 0.0)["a"] == 0.02
    assert set(JOINTS).isdisjoint(finger_positions(grasp, fingers, 0.0))
    assert at(0.0) == Pose()
