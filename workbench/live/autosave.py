"""Keeps the session on disk while it runs, so that an unclean end loses five seconds at most.

Every running workbench writes a file of its own into the state folder and holds a lock on it; the
operating system drops the lock however the process ends. A file that nobody holds a lock on was
left behind by an unclean end, and is what ``serve --restore`` opens.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from workbench.live.files import replace_file
from workbench.live.session_file import SUFFIX

INTERVAL_S = 5.0
_KEPT = 5
_PREFIX = "session-"


@dataclass(frozen=True)
class Leftover:
    """A session that was left behind.

    Attributes:
        path: Its file.
        written_at_s: When it was last written, in s since the epoch.
    """

    path: Path
    written_at_s: float


class Autosave:
    """Writes a session every few seconds, when it has changed."""

    def __init__(
        self,
        folder: Path,
        text: Callable[[], str],
        *,
        interval_s: float = INTERVAL_S,
        said: Callable[[str], None] = lambda _text: None,
    ) -> None:
        """Take a file of its own in a folder; nothing is written before :meth:`step`.

        Args:
            folder: The state folder; made where it is not there.
            text: Returns the session as a file's text.
            interval_s: Time between two looks, s.
            said: Told once, in a sentence, when the file cannot be written.
        """
        self._text = text
        self._interval_s = interval_s
        self._said = said
        self._written: str | None = None
        self._failed = False
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock: IO[str] | None = None
        self.path = folder / f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}{SUFFIX}"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock = _locked(_lock_path(self.path))
        except OSError as error:
            self._fail(error)

    def start(self) -> None:
        """Write on a thread of its own from now on."""
        self._thread = threading.Thread(target=self._run, name="autosave", daemon=True)
        self._thread.start()

    def step(self) -> bool:
        """Write the session if it has changed; returns whether it was written."""
        if self._lock is None:
            return False
        text = self._text()
        if text == self._written:
            return False
        try:
            replace_file(self.path, text)
        except OSError as error:
            self._fail(error)
            return False
        self._written, self._failed = text, False
        return True

    def end_cleanly(self) -> None:
        """Stop, and leave nothing behind."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join(1.0)
        if self._lock is not None:
            self.path.unlink(missing_ok=True)
            _lock_path(self.path).unlink(missing_ok=True)
            self._lock.close()
            self._lock = None

    def _run(self) -> None:
        while not self._ended.wait(self._interval_s):
            self.step()

    def _fail(self, error: OSError) -> None:
        if not self._failed:
            self._failed = True
            reason = error.strerror or str(error)
            self._said(f"The session is not kept on disk: {self.path}: {reason}.")


def leftovers(folder: Path) -> tuple[Leftover, ...]:
    """Return the sessions that were left behind by unclean ends, newest first."""
    found = []
    for path in folder.glob(f"{_PREFIX}*{SUFFIX}"):
        try:
            lock = _locked(_lock_path(path))
            written_at_s = path.stat().st_mtime
        except OSError:  # somebody holds it, or it has just gone
            continue
        lock.close()
        found.append(Leftover(path, written_at_s))
    return tuple(sorted(found, key=lambda item: item.written_at_s, reverse=True))


def discard(found: tuple[Leftover, ...]) -> None:
    """Delete sessions that were left behind."""
    for leftover in found:
        leftover.path.unlink(missing_ok=True)
        _lock_path(leftover.path).unlink(missing_ok=True)


def discard_old(found: tuple[Leftover, ...]) -> tuple[Leftover, ...]:
    """Delete all but the newest few, which are returned."""
    discard(found[_KEPT:])
    return found[:_KEPT]


def _lock_path(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def _locked(path: Path) -> IO[str]:
    """Return the file with a lock on it; raises OSError (BlockingIOError) where another has it."""
    stream = path.open("a", encoding="utf-8")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        stream.close()
        raise
    return stream
