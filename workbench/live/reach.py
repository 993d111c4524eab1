"""Checks which grasps the robot reaches: in processes, best grasp first, and again by itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from workbench.errors import WorkbenchError
from workbench.grasps.reach_task import ReachTask, ReachWork
from workbench.grasps.reach_types import GraspTarget, ReachResult, grasp_targets
from workbench.live.grasping import Found, Grasping, ReachCase, grasps_of, reach_case
from workbench.live.jobs import JobControl, Jobs
from workbench.live.session import Session
from workbench.live.state import SessionState
from workbench.live.workers import WorkerPool

JOB_KEY = "reach"
REST_S = 0.4
"""How long nothing may change before reach is checked again."""

_LARGEST_TASK = 8
_TASKS_PER_CHECK = 64

ReachPool = WorkerPool[ReachTask, "tuple[ReachResult, ...]"]


class ReachChecks:
    """Starts checks when asked, and by itself some time after the last change.

    Threads: the session's callbacks only note the time; :meth:`step`, on a thread of its own,
    starts a job, and the job's thread asks the processes.
    """

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        grasping: Grasping,
        *,
        failed: Callable[[Exception], None] = lambda _error: None,
        make_pool: Callable[[Callable[[], ReachWork]], ReachPool] = WorkerPool,
    ) -> None:
        """Watch from now on; nothing runs by itself before :meth:`start`.

        Args:
            session: Whose robot, settings and grasps.
            jobs: Run the checks.
            grasping: Gets the results.
            failed: Told why a check could not be made.
            make_pool: Makes the processes of a robot; tests make them here.
        """
        self._session = session
        self._jobs = jobs
        self._grasping = grasping
        self._failed = failed
        self._make_pool = make_pool
        self._pool: tuple[int, ReachPool] | None = None
        self._pool_lock = threading.Lock()
        self._one_at_a_time = threading.Lock()
        self._case = reach_case(session.state)
        self._grasps: object = None
        self._changed_at_s: float | None = session.clock()
        self._wake = threading.Event()
        self._ended = False
        self._thread: threading.Thread | None = None
        self._unsubscribe = (
            session.subscribe(self._on_change),
            grasping.subscribe(lambda _view: self._wake.set()),
        )

    # When ------------------------------------------------------------------------------------

    def start(self) -> None:
        """Check by itself, on a thread of its own."""
        self._thread = threading.Thread(target=self._run, name="reach", daemon=True)
        self._thread.start()

    def stop(self, timeout_s: float = 0.5) -> None:
        """End the thread and all processes."""
        self._ended = True
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        self._wake.set()
        with self._pool_lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool[1].stop(timeout_s)
        if self._thread is not None:
            self._thread.join(timeout_s)

    def step(self) -> float | None:
        """Start a check if it is time; returns in how many seconds it may be, None for never."""
        changed_at_s = self._changed_at_s
        if changed_at_s is None or not self._grasping.view.automatic:
            return None
        left_s = changed_at_s + REST_S - self._session.clock()
        if left_s > 0.0:
            return left_s
        self._changed_at_s = None
        case = self._case
        if case is not None and self._to_check(case):
            self._submit(case)
        return None

    @property
    def running(self) -> bool:
        """Whether a check is on."""
        return any(job.running and job.key == JOB_KEY for job in self._jobs.states)

    def check(self) -> None:
        """Check all grasps now.

        Raises:
            WorkbenchError: If there are none, or nobody has said which frame they mean.
        """
        state = self._session.state
        case = reach_case(state)
        if state.settings.grasp_scene is None:
            raise WorkbenchError("there are no grasps", expected="load some first")
        if case is None:
            raise WorkbenchError(
                "it is not known which link the gripper frame is", expected="choose one first"
            )
        self._changed_at_s = None
        self._submit(case, again=True)

    def cancel(self) -> bool:
        """Stop the check that is on; False when there is none."""
        self._changed_at_s = None
        return self._jobs.cancel(JOB_KEY)

    def _on_change(self, state: SessionState) -> None:
        case = reach_case(state)
        grasps = None if state.settings.grasp_scene is None else state.settings.grasp_scene.grasps
        if case == self._case and grasps is self._grasps:
            return
        self._case, self._grasps = case, grasps
        self._changed_at_s = self._session.clock()
        if self._grasping.view.checking is not None and self._grasping.view.checking != case:
            # What it would find is old before it is found.
            self._jobs.cancel(JOB_KEY)
        self._wake.set()

    def _run(self) -> None:
        while not self._ended:
            self._wake.wait(self.step())
            self._wake.clear()

    # What ------------------------------------------------------------------------------------

    def _to_check(self, case: ReachCase) -> list[GraspTarget]:
        """Return the grasps whose results are missing or old, best first."""
        scene = self._session.state.settings.grasp_scene
        if scene is None:
            return []
        grasps, found = grasps_of(scene), self._grasping.view.found
        targets = grasp_targets(
            grasps, case.transform_object_to_world, case.question.settings,
            case.transform_frame_to_gripper,
        )  # fmt: skip
        # One comparison for all results of the same check.
        cases = {id(one.case): one.case for one in found.values()}
        is_old = {number: other != case for number, other in cases.items()}
        return [
            target
            for target in targets
            if (old := found.get(target.name)) is None
            or old.grasp is not grasps[target.name]
            or is_old[id(old.case)]
        ]

    def _submit(self, case: ReachCase, *, again: bool = False) -> None:
        state = self._session.state
        scene, start = state.settings.grasp_scene, state.bundle.start_reach
        if scene is None or start is None:
            return
        grasps = grasps_of(scene)
        targets = self._to_check(case)
        if again:
            targets = list(
                grasp_targets(
                    grasps, case.transform_object_to_world, case.question.settings,
                    case.transform_frame_to_gripper,
                )
            )  # fmt: skip
        by_name = {target.name: grasps[target.name] for target in targets}

        def work(control: JobControl) -> None:
            with self._one_at_a_time:
                # The check before this one may still have been at it.
                control.report(0.0, f"0 of {len(targets)}")
                self._grasping.begin(case)
                count = 0

                def done(_task: ReachTask, results: tuple[ReachResult, ...]) -> None:
                    nonlocal count
                    count += len(results)
                    self._grasping.put(
                        Found(case, by_name[result.name], result) for result in results
                    )
                    if not control.cancelled:
                        control.report(count / len(targets), f"{count} of {len(targets)}")

                try:
                    tasks = list(_tasks(case, targets))
                    pool = self._pool_of(case.epoch, start)
                    pool.run(tasks, done, lambda: not control.cancelled)
                finally:
                    self._grasping.end(case)

        self._jobs.submit(f"Reach of {scene.file_name}", work, failed=self._failed, key=JOB_KEY)

    @contextmanager
    def using(self, epoch: int, start: Callable[[], ReachWork]) -> Iterator[ReachPool]:
        """Lend the processes to somebody who cannot wait: the check that is on goes on later.

        Args:
            epoch: Number of the robot that they are for.
            start: What they begin with.
        """
        if self._jobs.cancel(JOB_KEY):
            self._changed_at_s = self._session.clock()
            self._wake.set()
        with self._one_at_a_time:
            yield self._pool_of(epoch, start)

    def _pool_of(self, epoch: int, start: Callable[[], ReachWork]) -> ReachPool:
        """Return the processes of a robot; those of another one end."""
        with self._pool_lock:
            old = self._pool
            if old is not None and old[0] == epoch:
                return old[1]
            pool = self._make_pool(start)
            if self._ended:
                pool.stop()
                return pool
            self._pool = epoch, pool
        if old is not None:
            old[1].stop()
        return pool


def _tasks(case: ReachCase, targets: list[GraspTarget]) -> Iterator[ReachTask]:
    """Cut the work into pieces: one grasp each where they are few, so that colours come early."""
    size = min(max(len(targets) // _TASKS_PER_CHECK, 1), _LARGEST_TASK)
    for first in range(0, len(targets), size):
        yield ReachTask(case.question, tuple(targets[first : first + size]))
