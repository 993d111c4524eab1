"""Tells subscribers of values in the order in which they came about, without holding a lock."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from typing import Generic, TypeVar

T = TypeVar("T")


class Broadcast(Generic[T]):
    """A queue of values and the subscribers that hear of each of them once, in order.

    :meth:`queue` may be called with the owner's lock held; :meth:`deliver` must not. When two
    threads deliver at once, one of them does it for both, so that no subscriber ever hears of an
    older value after a newer one, and none is called by two threads at a time. A subscriber may
    itself cause further values: they are delivered after the present one.
    """

    def __init__(self) -> None:
        """Start without subscribers."""
        self._lock = threading.Lock()
        self._listeners: tuple[Callable[[T], None], ...] = ()
        self._queue: deque[T] = deque()
        self._delivering = False

    def subscribe(self, listener: Callable[[T], None]) -> Callable[[], None]:
        """Call ``listener`` with every value from now on; returns an unsubscriber."""
        with self._lock:
            self._listeners = (*self._listeners, listener)

        def unsubscribe() -> None:
            with self._lock:
                self._listeners = tuple(item for item in self._listeners if item is not listener)

        return unsubscribe

    def queue(self, value: T) -> None:
        """Append a value; takes no lock."""
        self._queue.append(value)

    def deliver(self) -> None:
        """Call the subscribers with all queued values, unless another thread is at it.

        An exception of one subscriber keeps no other from hearing of the value, and is raised
        here.
        """
        with self._lock:
            if self._delivering:
                return
            self._delivering = True
        try:
            while True:
                with self._lock:
                    if not self._queue:
                        # Under the same lock as the look into the queue: whoever queues next
                        # either is seen here or finds that nobody delivers.
                        self._delivering = False
                        return
                    value = self._queue.popleft()
                    listeners = self._listeners
                with ExitStack() as stack:
                    # The stack calls every listener, also after one that raised.
                    for listener in reversed(listeners):
                        stack.callback(listener, value)
        except BaseException:
            with self._lock:
                self._delivering = False
            raise
