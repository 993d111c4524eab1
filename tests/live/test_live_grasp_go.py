"""Go: before the grasp, open, straight in, close; paused, taken up again, and all the way back."""

from __future__ import annotations

import numpy as np
import pytest

from tests.live.grasps_rig import GraspRig
from tests.live.live_fakes import JOINTS, at
from workbench.config.frozen import frozen_mapping
from workbench.errors import WorkbenchError
from workbench.grasps.grasp import Grasp, WrittenPose
from workbench.grasps.gripper import FingerJoint
from workbench.live.grasp_edits import set_in_scene
from workbench.live.grasp_fingers import finger_positions
from workbench.live.grasp_go import STEP_S, GraspGo
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
