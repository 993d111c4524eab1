"""Slow work off to the side: with progress, a way to cancel it, and results that may come too late.

A job runs on a thread of its own and reports through a :class:`JobControl`. Its result is handed
on only while it still fits: not after a cancel, not after a newer job with the same key, and not
after a robot switch, unless it was submitted for any robot.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeVar

from workbench.errors import WorkbenchError
from workbench.live.broadcast import Broadcast

T = TypeVar("T")
Phase = Literal["running", "done", "failed", "cancelled", "dropped"]

_FINISHED_KEPT = 8


@dataclass(frozen=True)
class JobState:
    """How a job stands.

    Attributes:
        number: Counts the jobs, from 1.
        key: What the job is about; a newer job with the same key supersedes it.
        title: For people.
        phase: ``dropped`` is a result that nobody wanted any more.
        progress: Share done, in [0, 1].
        text: What it is at.
        error: Why it failed, one sentence; None otherwise.
        fault: Traceback, when the failure was an error of the program; None otherwise.
    """

    number: int
    key: str
    title: str
    phase: Phase = "running"
    progress: float = 0.0
    text: str = ""
    error: str | None = None
    fault: str | None = None

    @property
    def running(self) -> bool:
        """Whether the job is still at work."""
        return self.phase == "running"


class JobCancelled(Exception):
    """Raised inside a job by :meth:`JobControl.report` when nobody wants its result any more."""


class JobControl:
    """What a job's work is given: where it reports, and where it looks whether to stop."""

    def __init__(self, report: Callable[[float, str], None]) -> None:
        """Wrap the function that publishes progress."""
        self._report = report
        self._cancelled = threading.Event()

    @property
    def cancelled(self) -> bool:
        """Whether the work should stop."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Ask the work to stop."""
        self._cancelled.set()

    def report(self, progress: float, text: str = "") -> None:
        """Say how far the work is.

        Args:
            progress: Share done, in [0, 1].
            text: What it is at.

        Raises:
            JobCancelled: When the work should stop.
        """
        if self.cancelled:
            raise JobCancelled
        self._report(min(max(progress, 0.0), 1.0), text)


class Job(Generic[T]):
    """A submitted piece of work."""

    def __init__(self, number: int, key: str, jobs: Jobs) -> None:
        """Made by :meth:`Jobs.submit`."""
        self.number = number
        self.key = key
        self.control = JobControl(
            lambda progress, text: jobs.publish(number, progress=progress, text=text)
        )
        self._jobs = jobs

    @property
    def state(self) -> JobState:
        """How it stands."""
        return self._jobs.state_of(self.number)

    def cancel(self) -> None:
        """Stop it as soon as it looks; its result is not handed on in any case."""
        self.control.cancel()


def _on_a_thread(title: str, run: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=run, name=f"job: {title}", daemon=True)
    thread.start()
    return thread


class Jobs:
    """The session's background jobs. All methods may be called from any thread."""

    def __init__(
        self,
        epoch: Callable[[], int],
        *,
        spawn: Callable[[str, Callable[[], None]], threading.Thread | None] = _on_a_thread,
    ) -> None:
        """Start without jobs.

        Args:
            epoch: Returns the number of the present robot.
            spawn: Runs a function on a thread and returns the thread; tests run it at once.
        """
        self._epoch = epoch
        self._spawn = spawn
        self._lock = threading.Lock()
        self._states: dict[int, JobState] = {}
        self._running: dict[int, Job[object]] = {}
        self._threads: dict[int, threading.Thread] = {}
        self._count = 0
        self._stopped = False
        self._subscribers: Broadcast[tuple[JobState, ...]] = Broadcast()

    @property
    def states(self) -> tuple[JobState, ...]:
        """All running jobs and the last few finished ones, oldest first."""
        with self._lock:
            return tuple(self._states.values())

    def state_of(self, number: int) -> JobState:
        """Return the state of a job that runs or finished a short while ago; raises KeyError."""
        with self._lock:
            return self._states[number]

    def subscribe(self, listener: Callable[[tuple[JobState, ...]], None]) -> Callable[[], None]:
        """Call ``listener`` with all states after every change; returns an unsubscriber."""
        return self._subscribers.subscribe(listener)

    def submit(
        self,
        title: str,
        work: Callable[[JobControl], T],
        done: Callable[[T], None] | None = None,
        failed: Callable[[Exception], None] | None = None,
        *,
        key: str | None = None,
        any_robot: bool = False,
    ) -> Job[T]:
        """Start a job.

        Args:
            title: For people: "Loading panda".
            work: Does the work, on the job's thread.
            done: Receives the result, on the job's thread, unless it came too late. What it
                raises counts as the job's failure.
            failed: Receives what ``work`` or ``done`` raised.
            key: What it is about, the title by default; a running job with the same key is
                cancelled and its result dropped.
            any_robot: Whether the result counts after a robot switch as well.
        """
        epoch = None if any_robot else self._epoch()
        with self._lock:
            self._count += 1
            job: Job[T] = Job(self._count, title if key is None else key, self)
            for other in self._running.values():
                if other.key == job.key:
                    other.cancel()
            if self._stopped:
                job.cancel()
            self._states[job.number] = JobState(job.number, job.key, title)
            self._running[job.number] = job  # pyright: ignore[reportArgumentType]
            self._forget_old_ones()
            self._subscribers.queue(tuple(self._states.values()))
        self._subscribers.deliver()

        def run() -> None:
            self._run(job, work, done, failed, epoch)

        thread = self._spawn(title, run)
        if thread is not None:
            with self._lock:
                if job.number in self._running:
                    self._threads[job.number] = thread
        return job

    def cancel(self, key: str) -> bool:
        """Cancel the running job of that key; False when there is none."""
        with self._lock:
            jobs = [job for job in self._running.values() if job.key == key]
        for job in jobs:
            job.cancel()
        return bool(jobs)

    def stop(self, timeout_s: float = 1.0) -> bool:
        """Cancel everything; returns whether all threads ended in time.

        Args:
            timeout_s: Longest wait for each thread, in s.
        """
        with self._lock:
            self._stopped = True
            jobs, threads = list(self._running.values()), list(self._threads.values())
        for job in jobs:
            job.cancel()
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(timeout_s)
        return not any(thread.is_alive() for thread in threads)

    def publish(
        self,
        number: int,
        *,
        phase: Phase = "running",
        progress: float | None = None,
        text: str | None = None,
        error: str | None = None,
        fault: str | None = None,
    ) -> None:
        """Change a job's state and tell the subscribers; what is not given stays."""
        with self._lock:
            state = self._states[number]
            self._states[number] = replace(
                state,
                phase=phase,
                progress=state.progress if progress is None else progress,
                text=state.text if text is None else text,
                error=error,
                fault=fault,
            )
            if phase != "running":
                self._running.pop(number, None)
                self._threads.pop(number, None)
            self._subscribers.queue(tuple(self._states.values()))
        self._subscribers.deliver()

    def _run(
        self,
        job: Job[T],
        work: Callable[[JobControl], T],
        done: Callable[[T], None] | None,
        failed: Callable[[Exception], None] | None,
        epoch: int | None,
    ) -> None:
        try:
            result = work(job.control)
            if job.control.cancelled:
                self.publish(job.number, phase="cancelled")
                return
            if epoch is not None and epoch != self._epoch():
                self.publish(job.number, phase="dropped")
                return
            if done is not None:
                done(result)
        except JobCancelled:
            self.publish(job.number, phase="cancelled")
        except WorkbenchError as error:
            self._fail(job, error, None, failed)
        except Exception as error:
            self._fail(job, error, traceback.format_exc(), failed)
        else:
            self.publish(job.number, phase="done", progress=1.0)

    def _fail(
        self,
        job: Job[T],
        error: Exception,
        fault: str | None,
        failed: Callable[[Exception], None] | None,
    ) -> None:
        if job.control.cancelled:
            # Whoever cancelled it does not want to hear how it went.
            self.publish(job.number, phase="cancelled")
            return
        sentence = str(error) if fault is None else f"{type(error).__name__}: {error}"
        self.publish(job.number, phase="failed", error=sentence, fault=fault)
        if failed is not None:
            failed(error)

    def _forget_old_ones(self) -> None:
        finished = [number for number, state in self._states.items() if not state.running]
        for number in finished[:-_FINISHED_KEPT]:
            del self._states[number]
