"""Ctrl+C and SIGTERM, which end the program."""

from __future__ import annotations

import signal
from contextlib import suppress
from queue import Empty, SimpleQueue

_LISTEN_AGAIN_AFTER_S = 0.2


class Ending:
    """Hears the signals that end the program. Used by the main thread alone.

    To listen once is not enough: OSQP takes SIGINT for itself while it solves, and two threads that
    solve at the same time (the loop, and a check of the solvers) leave its handler there for good.
    """

    def __init__(self) -> None:
        """Hear nothing yet."""
        # Unlike an Event, this queue may be written by a signal handler that interrupts its reader.
        self._heard: SimpleQueue[int] = SimpleQueue()

    def listen(self) -> None:
        """Remember the signals that come from now on."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _frame: self._heard.put(number))

    def wait(self) -> int:
        """Return the first signal that has come or comes."""
        while True:
            with suppress(Empty):
                return self._heard.get(timeout=_LISTEN_AGAIN_AFTER_S)
            self.listen()
