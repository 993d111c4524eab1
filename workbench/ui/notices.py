"""The one way to say what just happened: a notification, to one browser or to all.

What *is* belongs on the status panel; a notification only tells of a moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, Protocol

from workbench.errors import WorkbenchError
from workbench.ui.markup import one_line

Kind = Literal["done", "refused", "failed"]

_COLOURS: dict[Kind, Literal["teal", "orange", "red"]] = {
    "done": "teal",
    "refused": "orange",
    "failed": "red",
}
_SECONDS: dict[Kind, float] = {"done": 5.0, "refused": 10.0, "failed": 20.0}
_TITLE_LENGTH_LIMIT = 80
_BODY_LENGTH_LIMIT = 600


class Recipient(Protocol):
    """A browser that can show a notification; viser's ``ClientHandle`` is one."""

    def add_notification(
        self,
        title: str,
        body: str,
        *,
        auto_close_seconds: float | None = None,
        color: Any = None,
    ) -> object:
        """Show a notification; title and body are text, not markup."""
        ...


class Notices:
    """Says things to browsers."""

    def __init__(self, everybody: Callable[[], Iterable[Recipient]]) -> None:
        """Remember how to find all browsers that are connected."""
        self._everybody = everybody

    def done(self, title: str, body: str = "", *, to: Recipient | None = None) -> None:
        """Say that something was done, to everybody unless ``to`` names one browser."""
        self._show("done", title, body, to)

    def refused(
        self, title: str, reason: str | WorkbenchError, *, to: Recipient | None = None
    ) -> None:
        """Say that something was not accepted, and why."""
        self._show("refused", title, str(reason), to)

    def failed(
        self, title: str, reason: str | WorkbenchError, *, to: Recipient | None = None
    ) -> None:
        """Say that something went wrong that was expected to work."""
        self._show("failed", title, str(reason), to)

    def _show(self, kind: Kind, title: str, body: str, to: Recipient | None) -> None:
        recipients = list(self._everybody()) if to is None else [to]
        for recipient in recipients:
            recipient.add_notification(
                one_line(title, _TITLE_LENGTH_LIMIT),
                one_line(body, _BODY_LENGTH_LIMIT),
                auto_close_seconds=_SECONDS[kind],
                color=_COLOURS[kind],
            )
