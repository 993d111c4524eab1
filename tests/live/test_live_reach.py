"""Reach checks: best grasp first, again by themselves, old results told from new ones."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from typing import Any

import pytest

from tests.live.grasps_rig import GraspRig
from tests.live.live_fakes import at
from workbench.config.limits import AccelerationLimitSpec
from workbench.errors import GraspError, WorkbenchError
from workbench.live.grasp_edits import close_grasps, rename_grasp, set_in_scene
from workbench.live.pose_edits import OBJECT
from workbench.live.reach import REST_S
from workbench.live.state_parts import grasps_part
from workbench.live.workers import WorkerPool


def edit(rig: GraspRig, **changed: Any) -> None:
    rig.session.edit("change", lambda settings: replace(settings, **changed))


@pytest.fixture
def rig() -> GraspRig:
    rig = GraspRig()
    rig.rest()
    return rig


# States --------------------------------------------------------------------------------------


def test_before_the_first_check_nothing_is_known() -> None:
    rig = GraspRig()
    assert rig.states == dict.fromkeys(("grasp_1", "grasp_2", "grasp_3"), "unknown")


def test_grasps_are_checked_by_themselves_best_first(rig: GraspRig) -> None:
    assert [task.targets[0].name for task in rig.asked] == ["grasp_3", "grasp_2", "grasp_1"]
    assert rig.states == dict.fromkeys(("grasp_1", "grasp_2", "grasp_3"), "reached")


def test_colours_come_one_by_one(rig: GraspRig) -> None:
    seen: list[list[str]] = []
    rig.grasping.subscribe(lambda view: seen.append(list(view.states(rig.session.state).values())))
    rig.move(0.6)
    rig.rest()
    assert seen[0] == ["running", "running", "running"]
    assert seen[1] == ["running", "running", "reached_with_retry"]
    assert seen[-1] == ["reached", "reached_with_retry", "reached_with_retry"]


def test_results_are_old_as_soon_as_the_object_has_moved(rig: GraspRig) -> None:
    rig.move(0.8)
    assert set(rig.states.values()) == {"stale"}
    rig.rest()
    assert rig.states == {
        "grasp_1": "reached_with_retry", "grasp_2": "reached_with_retry", "grasp_3": "not_reached",
    }  # fmt: skip


def test_results_hold_again_when_the_move_is_undone(rig: GraspRig) -> None:
    rig.move(0.9)
    rig.session.undo()
    assert set(rig.states.values()) == {"reached"}
    count = len(rig.asked)
    rig.rest()
    assert len(rig.asked) == count


@pytest.mark.parametrize(
    "change",
    [
        lambda rig: rig.set_gain(0.25),
        lambda rig: set_in_scene(rig.session, standoff_m=0.2),
        lambda rig: set_in_scene(rig.session, approach="-y"),
        lambda rig: set_in_scene(rig.session, transform_frame_to_gripper=at(0.0, 0.1)),
        lambda rig: set_in_scene(rig.session, gripper_frame="right"),
        lambda rig: rig.session.hold_joint("x", True),
        lambda rig: edit(rig, velocity_caps={"x": 0.5}),
        lambda rig: edit(rig, home={"x": 0.2, "y": 0.0, "z": 0.0}),
        lambda rig: edit(rig, limits=(AccelerationLimitSpec(name="brisk"),)),
    ],
)
def test_whatever_a_result_depends_on_makes_it_old(rig: GraspRig, change) -> None:
    change(rig)
    assert set(rig.states.values()) == {"stale"}
    rig.rest()
    assert "stale" not in rig.states.values()


def test_what_is_switched_off_makes_nothing_old(rig: GraspRig) -> None:
    edit(rig, limits=(AccelerationLimitSpec(name="brisk", enabled=False),))
    assert set(rig.states.values()) == {"reached"}


def test_a_check_is_asked_with_what_the_session_holds(rig: GraspRig) -> None:
    rig.session.hold_joint("x", True)
    rig.rest()
    assert list(rig.asked[-1].question.rules.held_joints) == ["x"]


def test_a_grasp_that_was_edited_is_checked_alone(rig: GraspRig) -> None:
    before = len(rig.asked)
    rename_grasp(rig.session, rig.grasping, "grasp_2", "new")
    assert rig.states == {"grasp_1": "reached", "new": "unknown", "grasp_3": "reached"}
    rig.rest()
    assert [task.targets[0].name for task in rig.asked[before:]] == ["new"]


def test_moving_a_target_makes_nothing_old(rig: GraspRig) -> None:
    rig.type_target(at(0.3))
    assert set(rig.states.values()) == {"reached"}


# When ----------------------------------------------------------------------------------------


def test_nothing_is_checked_while_the_object_moves(rig: GraspRig) -> None:
    count = len(rig.asked)
    rig.session.begin_drag(OBJECT, 1)
    for step in range(10):
        rig.session.drag(OBJECT, 1, at(0.4 + 0.01 * step))
        rig.rest(0.5 * REST_S)
    assert len(rig.asked) == count
    rig.rest(REST_S)
    assert len(rig.asked) == count + 3


def test_a_move_in_the_middle_of_a_check_drops_the_rest_of_it(rig: GraspRig) -> None:
    rig.move(0.6)
    rig.clock.advance(1.0)
    rig.reach.step()
    moved = False

    def move_once(_view) -> None:
        nonlocal moved
        if not moved and rig.grasping.view.checking is not None:
            moved = True
            rig.move(0.9)

    rig.grasping.subscribe(move_once)
    count = len(rig.asked)
    rig.run_jobs()
    assert len(rig.asked) == count
    assert set(rig.states.values()) == {"stale"}
    rig.rest()
    assert rig.states["grasp_3"] == "not_reached"


def test_switched_off_it_waits_to_be_asked(rig: GraspRig) -> None:
    rig.grasping.check_by_itself(False)
    rig.move(0.6)
    rig.rest()
    assert set(rig.states.values()) == {"stale"}
    rig.reach.check()
    assert rig.reach.running
    rig.run_jobs()
    assert "stale" not in rig.states.values()


def test_a_cancelled_check_leaves_what_was_found_and_does_not_begin_again(rig: GraspRig) -> None:
    rig.move(0.6)
    rig.clock.advance(1.0)
    rig.reach.step()
    assert rig.reach.cancel()
    rig.run_jobs()
    rig.rest()
    assert set(rig.states.values()) == {"stale"}
    assert not rig.reach.running


def test_asking_without_grasps_or_link_says_what_is_missing(rig: GraspRig) -> None:
    close_grasps(rig.session)
    with pytest.raises(WorkbenchError, match="no grasps"):
        rig.reach.check()


def test_another_robot_gets_other_processes(rig: GraspRig) -> None:
    state = rig.session.state
    rig.session.replace_bundle(state.bundle, state.settings)
    assert set(rig.states.values()) == {"stale"}
    rig.rest()
    assert len(rig.pools) == 2
    assert rig.pools[0].stopped
    rig.reach.stop()
    assert rig.pools[1].stopped


# Told outside --------------------------------------------------------------------------------


def test_the_state_document_tells_every_grasp(rig: GraspRig) -> None:
    rig.grasping.select("grasp_2")
    rig.move(0.8)
    rig.rest()
    part = grasps_part(rig.session.state, rig.grasping.view)
    assert part["selected_grasp"] == "grasp_2"
    assert part["grasps"]["grasp_3"] == {  # type: ignore[index]
        "state": "not_reached", "confidence": pytest.approx(0.9),
        "position_error_m": pytest.approx(0.1), "orientation_error_rad": 0.0, "limiting_joint": "y",
    }  # fmt: skip
    close_grasps(rig.session)
    part = grasps_part(rig.session.state, rig.grasping.view)
    assert part["grasps"] == {}
    assert part["selected_grasp"] is None


# Processes -----------------------------------------------------------------------------------


def start_doubling(factor: int):
    """Runs in a worker's process."""

    def work(number: int) -> tuple[int, int]:
        if number < 0:
            raise GraspError("is negative", value=number, expected="more")
        return factor * number, os.getpid()

    return work


def test_workers_do_all_tasks_elsewhere_hand_on_what_they_raise_and_end_at_once() -> None:
    pool: WorkerPool[int, tuple[int, int]] = WorkerPool(start_doubling, (3,), count=2)
    found: dict[int, tuple[int, int]] = {}
    try:
        assert pool.run(list(range(20)), found.__setitem__)
        assert {number: result[0] for number, result in found.items()} == {
            number: 3 * number for number in range(20)
        }
        assert os.getpid() not in {pid for _, pid in found.values()}
        with pytest.raises(GraspError, match=r"is negative \(got -1\); expected more"):
            pool.run([-1], found.__setitem__)
        assert not pool.run([5], found.__setitem__, lambda: False)
        assert pool.run([7], found.__setitem__)
    finally:
        began = time.monotonic()
        pool.stop()
        assert time.monotonic() - began < 2.0
    assert not pool.run([80], found.__setitem__)
    assert 80 not in found


def start_asking():
    return lambda _task: signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_ctrl_c_does_not_reach_a_worker_from_its_first_moment_on() -> None:
    pool: WorkerPool[int, set[int]] = WorkerPool(start_asking, count=1)
    blocked: dict[int, set[int]] = {}
    try:
        assert pool.run([1], blocked.__setitem__)
    finally:
        pool.stop()
    assert signal.SIGINT in blocked[1]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_a_worker_that_is_killed_at_work_or_at_rest_is_said_and_replaced() -> None:
    pool: WorkerPool[int, int] = WorkerPool(_start_dying, count=1)
    found: dict[int, int] = {}
    try:
        with pytest.raises(WorkbenchError, match="ended by itself"):
            pool.run([0, 1], found.__setitem__)
        assert pool.run([2], found.__setitem__)
        os.kill(found[2], signal.SIGKILL)
        os.waitid(os.P_PID, found[2], os.WEXITED | os.WNOWAIT)
        assert pool.run([3], found.__setitem__)
    finally:
        pool.stop()
    assert set(found) == {2, 3}
    assert found[2] != found[3]


def _start_dying():
    def work(number: int) -> int:
        if number == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return os.getpid()

    return work


def test_a_check_whose_process_ends_is_told_and_leaves_nothing_running(rig: GraspRig) -> None:
    rig.move(0.6)
    rig.clock.advance(1.0)
    rig.reach.step()

    def die(*_: object) -> bool:
        raise WorkbenchError("a process of the check has ended by itself")

    rig.pools[0].run = die  # type: ignore[method-assign]
    rig.run_jobs()
    assert [str(error) for error in rig.failures] == ["a process of the check has ended by itself"]
    assert set(rig.states.values()) == {"stale"}
    assert not rig.reach.running
