from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from live_fakes import Rig, at, commanded, fake_bundle, start_settings

from workbench.errors import RobotError
from workbench.ik.types import ConvergenceResult
from workbench.live.convergence import solve_to_convergence
from workbench.live.jobs import JobControl, Jobs, JobState


class Bench:
    """Jobs that wait until they are told to run, on the test's own thread."""

    def __init__(self) -> None:
        self.epoch = 1
        self.waiting: list[Callable[[], None]] = []
        self.jobs = Jobs(lambda: self.epoch, spawn=self.spawn)
        self.heard: list[tuple[JobState, ...]] = []
        self.jobs.subscribe(self.heard.append)

    def spawn(self, title: str, run: Callable[[], None]) -> None:
        self.waiting.append(run)

    def run(self) -> None:
        while self.waiting:
            self.waiting.pop(0)()


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_job_hands_its_result_on(bench: Bench):
    results: list[int] = []
    job = bench.jobs.submit("Count", lambda control: 42, results.append)
    assert job.state == JobState(1, "Count", "Count")
    assert results == []
    bench.run()
    assert results == [42]
    assert (job.state.phase, job.state.progress) == ("done", 1.0)


def test_progress_can_be_followed(bench: Bench):
    def work(control: JobControl) -> None:
        control.report(0.25, "reading meshes")
        control.report(7.0)

    bench.jobs.submit("Load", work)
    bench.run()
    followed = [(states[0].phase, states[0].progress, states[0].text) for states in bench.heard]
    assert followed == [
        ("running", 0.0, ""),
        ("running", 0.25, "reading meshes"),
        ("running", 1.0, ""),
        ("done", 1.0, ""),
    ]


def test_a_cancelled_job_stops_where_it_reports_and_hands_nothing_on(bench: Bench):
    results: list[str] = []
    reached: list[str] = []

    def work(control: JobControl) -> str:
        control.report(0.1)
        job.cancel()
        reached.append("before")
        control.report(0.2)
        reached.append("after")
        return "too late"

    job = bench.jobs.submit("Load", work, results.append)
    bench.run()
    assert reached == ["before"]
    assert results == []
    assert job.state.phase == "cancelled"


def test_a_job_that_does_not_look_is_cancelled_all_the_same(bench: Bench):
    results: list[str] = []

    def work(control: JobControl) -> str:
        assert bench.jobs.cancel("load")
        assert control.cancelled
        return "too late"

    bench.jobs.submit("Load", work, results.append, key="load")
    bench.run()
    assert results == []
    assert not bench.jobs.cancel("load")


def test_a_newer_job_of_the_same_key_supersedes_the_older(bench: Bench):
    results: list[str] = []
    first = bench.jobs.submit("Load panda", lambda control: "panda", results.append, key="robot")
    other = bench.jobs.submit("Solve", lambda control: "solved", results.append)
    second = bench.jobs.submit("Load ur5", lambda control: "ur5", results.append, key="robot")
    bench.run()
    assert results == ["solved", "ur5"]
    assert [job.state.phase for job in (first, other, second)] == ["cancelled", "done", "done"]


def test_a_result_for_a_robot_that_is_gone_is_dropped(bench: Bench):
    results: list[str] = []

    def work(control: JobControl) -> str:
        bench.epoch = 2
        return "for robot 1"

    bound = bench.jobs.submit("Solve", work, results.append)
    bench.run()
    assert results == []
    assert bound.state.phase == "dropped"
    bench.epoch = 1
    bench.jobs.submit("Load", work, results.append, any_robot=True)
    bench.run()
    assert results == ["for robot 1"]


def test_a_users_mistake_fails_with_its_sentence(bench: Bench):
    errors: list[Exception] = []

    def work(control: JobControl) -> None:
        raise RobotError("has two roots", path="arm.urdf", line=3)

    job = bench.jobs.submit("Load", work, failed=errors.append)
    bench.run()
    assert job.state.phase == "failed"
    assert job.state.error == "arm.urdf:3: has two roots"
    assert job.state.fault is None
    assert isinstance(errors[0], RobotError)


@pytest.mark.parametrize("where", ["work", "done"])
def test_an_error_of_the_program_fails_with_its_traceback(bench: Bench, where: str):
    def fail(_: object) -> None:
        raise ZeroDivisionError("by nothing")

    errors: list[Exception] = []
    if where == "work":
        job = bench.jobs.submit("Load", fail, failed=errors.append)
    else:
        job = bench.jobs.submit("Load", lambda control: None, fail, errors.append)
    bench.run()
    assert job.state.error == "ZeroDivisionError: by nothing"
    assert job.state.fault is not None
    assert "Traceback" in job.state.fault
    assert len(errors) == 1


def test_how_a_cancelled_job_fails_interests_nobody(bench: Bench):
    errors: list[Exception] = []

    def work(control: JobControl) -> None:
        control.cancel()
        raise RobotError("half read")

    job = bench.jobs.submit("Load", work, failed=errors.append)
    bench.run()
    assert job.state.phase == "cancelled"
    assert errors == []


def test_only_the_last_few_finished_jobs_are_remembered(bench: Bench):
    for number in range(20):
        bench.jobs.submit(f"job {number}", lambda control: None)
        bench.run()
    titles = [state.title for state in bench.jobs.states]
    assert titles == [f"job {number}" for number in range(11, 20)]


def test_stopping_cancels_and_joins_running_threads():
    jobs = Jobs(lambda: 1)
    started = threading.Event()
    ended = threading.Event()

    def work(control: JobControl) -> None:
        started.set()
        while not control.cancelled:
            pass
        ended.set()

    jobs.submit("Load", work)
    assert started.wait(10)
    assert jobs.stop(timeout_s=10)
    assert ended.is_set()


def test_after_the_stop_nothing_is_handed_on(bench: Bench):
    results: list[int] = []
    bench.jobs.stop()
    job = bench.jobs.submit("Late", lambda control: 1, results.append)
    bench.run()
    assert results == []
    assert job.state.phase == "cancelled"


# Solve to convergence --------------------------------------------------------------------


class ConvergenceRig(Rig):
    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[Callable[[], None]] = []
        self.jobs = Jobs(
            lambda: self.session.state.epoch, spawn=lambda title, run: self.waiting.append(run)
        )
        self.results: list[ConvergenceResult] = []


def test_solving_to_convergence_moves_the_robot_and_not_the_target_as_one_step():
    rig = ConvergenceRig()
    rig.type_target(at(0.5))
    solve_to_convergence(rig.session, rig.jobs, rig.results.append)
    rig.waiting.pop()()
    assert rig.results[0].iterations == 10
    assert commanded(rig) == {"x": 0.5, "y": 0.0, "z": 0.0}
    assert rig.target() == at(0.5)
    assert rig.session.undo() == "solve to convergence"
    assert commanded(rig) == {"x": 0.0, "y": 0.0, "z": 0.0}


def test_a_cancelled_solve_moves_nothing():
    rig = ConvergenceRig()
    job = solve_to_convergence(rig.session, rig.jobs, rig.results.append)
    job.cancel()
    rig.waiting.pop()()
    assert rig.results == []
    assert rig.session.take_inputs().command is None


def test_a_solve_for_a_robot_that_is_gone_moves_nothing():
    rig = ConvergenceRig()
    rig.type_target(at(0.5))
    solve_to_convergence(rig.session, rig.jobs, rig.results.append)
    bundle = fake_bundle("other")
    rig.session.replace_bundle(bundle, start_settings(bundle))
    rig.waiting.pop()()
    assert rig.results == []
    assert rig.session.take_inputs().command is None
