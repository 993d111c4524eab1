"""Processes that do the same kind of work side by side: one loads what it needs, once, and answers.

Each worker has a pipe of its own and is told one task at a time. Unlike those of
:mod:`concurrent.futures` such processes may be ended in the middle of their work, and end by
themselves when the program that started them is gone: their pipe then ends as well.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from workbench.errors import WorkbenchError

T = TypeVar("T")
R = TypeVar("R")

_LOOK_EVERY_S = 0.1
_NICENESS = 5
"""The loop, which an arm hangs on, goes first."""


def core_count() -> int:
    """Return how many cores this program may use."""
    with suppress(AttributeError):  # not on macOS
        return max(len(os.sched_getaffinity(0)), 1)
    return os.cpu_count() or 1


class WorkerPool(Generic[T, R]):
    """A few processes that are started when there is something to do. Used by one thread at a time.

    :meth:`stop` may be called from any thread.
    """

    def __init__(
        self,
        start: Callable[..., Callable[[T], R]],
        arguments: tuple[object, ...] = (),
        *,
        count: int | None = None,
    ) -> None:
        """Start nothing yet.

        Args:
            start: Called once in each process with the arguments; returns what does a task. A
                function at the top of a module.
            arguments: Values that can be pickled.
            count: How many processes; one a core by default.
        """
        self._start = start
        self._arguments = arguments
        self._count = core_count() if count is None else count
        self._lock = threading.Lock()
        self._workers: dict[Connection, BaseProcess] = {}
        self._stopped = False

    def run(
        self,
        tasks: Sequence[T],
        done: Callable[[T, R], None],
        keep_going: Callable[[], bool] = lambda: True,
    ) -> bool:
        """Do all tasks, the first ones first.

        Args:
            tasks: What to do; can be pickled.
            done: Receives each task and what came out of it, in the order in which they end.
            keep_going: Asked several times a second; when it says no, no more tasks are begun and
                what comes out of those that are being done is dropped.

        Returns:
            Whether all was done.

        Raises:
            WorkbenchError: What a task, or loading what it needs, raised.
        """
        waiting = list(reversed(tasks))
        dropped = False
        busy: dict[Connection, T] = {}
        try:
            for connection in self._ready(min(self._count, len(waiting))):
                busy[connection] = waiting.pop()
                connection.send(busy[connection])
            while busy:
                ready = wait(list(busy), timeout=_LOOK_EVERY_S)
                if self._stopped:
                    return False
                if not keep_going():
                    # Those that are at it need what they have loaded for the next tasks.
                    dropped = True
                    waiting.clear()
                for connection in ready:
                    assert isinstance(connection, Connection)
                    # One that is gone is still busy: it ends with this run.
                    result = _received(connection)
                    task = busy.pop(connection)
                    if waiting:
                        busy[connection] = waiting.pop()
                        connection.send(busy[connection])
                    if not dropped:
                        done(task, result)
        except OSError as error:
            if self._stopped:
                return False
            raise WorkbenchError("a process of the check has ended by itself") from error
        finally:
            self._end(list(busy))
        return not (dropped or self._stopped)

    def stop(self, timeout_s: float = 0.5) -> None:
        """End all processes, at once."""
        self._stopped = True
        with self._lock:
            connections = list(self._workers)
        self._end(connections, timeout_s)

    def _ready(self, count: int) -> list[Connection]:
        with self._lock:
            for connection, process in list(self._workers.items()):
                if not process.is_alive():
                    # It has ended while nobody asked it for anything.
                    del self._workers[connection]
                    connection.close()
            while len(self._workers) < count and not self._stopped:
                ours, theirs = get_context("spawn").Pipe()
                process = get_context("spawn").Process(
                    target=_serve, args=(theirs, self._start, self._arguments), daemon=True
                )
                with _without_interrupts():
                    process.start()
                theirs.close()
                self._workers[ours] = process
            return list(self._workers)[:count]

    def _end(self, connections: Sequence[Connection], timeout_s: float = 0.5) -> None:
        with self._lock:
            ended = [
                (connection, self._workers.pop(connection))
                for connection in connections
                if connection in self._workers
            ]
        for _, process in ended:
            process.terminate()
        for connection, process in ended:
            process.join(timeout_s)
            if process.is_alive():
                process.kill()
            connection.close()


def _received(connection: Connection) -> Any:
    try:
        kind, value = connection.recv()
    except EOFError as error:
        raise OSError("the pipe has ended") from error
    if kind == "failed":
        raise value
    return value


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Start processes that Ctrl+C does not reach: it goes to all that belong to a terminal.

    A process inherits which signals the thread that started it blocks.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The first start would bring up Python's helper process, and unblock the signal after it.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    connection: Connection, start: Callable[..., Callable[[Any], Any]], arguments: tuple[Any, ...]
) -> None:
    """What a worker's process does, until its pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(AttributeError, OSError):
        os.nice(_NICENESS)
    work: Callable[[Any], Any] | None = None
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        try:
            work = work or start(*arguments)
            answer = "done", work(task)
        except Exception as error:
            # Whatever it is, it is the asking side's to say.
            answer = "failed", error
        try:
            connection.send(answer)
        except OSError:
            return
