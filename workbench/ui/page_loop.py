"""The page's own event loop: where widgets are read and written, one thing after the other.

viser runs ``async def`` callbacks on this loop, in order. What other threads want to say to the
widgets is put on it as well, so that no panel is ever written by two threads at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """A call that is due later."""

    def cancel(self) -> None:
        """Drop the call; nothing happens when it has been made already."""
        ...


class PageLoop(Protocol):
    """Runs calls one after the other."""

    def call_soon(self, action: Callable[[], None]) -> None:
        """Run an action as soon as possible. May be called from any thread."""
        ...

    def call_later(self, delay_s: float, action: Callable[[], None]) -> Timer:
        """Run an action after a delay. Only for callers that run on the loop themselves."""
        ...


class AsyncioPageLoop:
    """The page loop of a running viser server."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wrap viser's loop, ``server.get_event_loop()``."""
        self._loop = loop

    def call_soon(self, action: Callable[[], None]) -> None:
        """See :meth:`PageLoop.call_soon`; dropped when the server has stopped."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(action)

    def call_later(self, delay_s: float, action: Callable[[], None]) -> Timer:
        """See :meth:`PageLoop.call_later`."""
        return self._loop.call_later(delay_s, action)
