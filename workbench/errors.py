"""The one exception root of the workbench.

Every error that a user can cause carries its evidence (path, line, field, value, what would be
right), so that the terminal, the page and a program that embeds the workbench can each say it in
their own way. Anything that is *not* a :class:`WorkbenchError` is a bug of ours, and shows as a
fault with its traceback.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

_VALUE_LENGTH_LIMIT = 80


class WorkbenchError(Exception):
    """Something that the user gave us cannot be used.

    Attributes:
        message: What was wrong, as one sentence without its full stop.
        path: File that holds the mistake, where there is one.
        line: Line in that file, counted from 1.
        field: Key, joint, link or option that is meant, as the user writes it.
        value: The offending value as it was found.
        expected: What would be right.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        field: str | None = None,
        value: object = None,
        expected: str | None = None,
    ) -> None:
        """Collect the evidence; :meth:`__str__` turns it into one sentence."""
        super().__init__(message)
        self.message = message
        self.path = None if path is None else str(path)
        self.line = line
        self.field = field
        self.value = value
        self.expected = expected

    def __str__(self) -> str:
        """Return ``path:line: field: message (got value); expected ...`` on a single line."""
        place = self.path or ""
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        parts = [part for part in (place, self.field) if part]
        text = ": ".join([*parts, self.message])
        if self.value is not None:
            text += f" (got {shortened(self.value)})"
        if self.expected:
            text += f"; expected {self.expected}"
        return " ".join(text.split())


class UsageError(WorkbenchError):
    """A command line that asks for something that does not exist or does not fit together."""


class ConfigError(WorkbenchError):
    """A setting, a configuration file or a profile that is refused whole."""


class RobotError(WorkbenchError):
    """A robot description that cannot be loaded."""


class GraspError(WorkbenchError):
    """A grasp file, an object or a gripper that cannot be used, or a grasp that is not there."""


class SolverError(WorkbenchError):
    """A solve that cannot be set up: an unknown frame, a solver that is not installed."""


class ServerError(WorkbenchError):
    """The page cannot be served: a taken port, a host that cannot be bound."""


def shortened(value: object, limit: int = _VALUE_LENGTH_LIMIT) -> str:
    """Return ``repr(value)``, cut in the middle of nowhere rather than filling the screen.

    Args:
        value: Any value that a file or a client brought.
        limit: Longest text returned, in characters.
    """
    text = value if isinstance(value, str) else repr(value)
    text = repr(text) if isinstance(value, str) else text
    return text if len(text) <= limit else text[: limit - 1] + "…"


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """Return the known names that look most like a misspelt one, best first."""
    candidates = list(known)
    folded = {candidate.casefold(): candidate for candidate in candidates}
    hits = get_close_matches(name.casefold(), list(folded), n=count, cutoff=0.5)
    return [folded[hit] for hit in hits]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``one of a, b, c`` with the nearest known names, or all of them when few."""
    candidates = sorted(set(known))
    hits = nearest(name, candidates)
    if hits:
        return "perhaps " + " or ".join(hits)
    shown = ", ".join(candidates[:12])
    more = f" and {len(candidates) - 12} more" if len(candidates) > 12 else ""
    return f"one of {shown}{more}" if candidates else "nothing: there are none"
