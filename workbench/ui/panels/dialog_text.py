"""What the windows of export and paste have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from workbench.ui.markup import plain

WIDE_MODAL: Final = (
    "<style>.mantine-Modal-content:has(.workbench-wide){flex-basis:46rem}</style>"
    '<div class="workbench-wide"></div>'
)
"""Makes the window that holds it wide enough for a program."""

_LIST_STYLE: Final = "margin:0.1rem 0 0.4rem;padding-left:1.2rem"


def warned_list(title: str, lines: Sequence[str]) -> str:
    """Return HTML for sentences about what is left out; nothing for none."""
    if not lines:
        return ""
    items = "".join(f"<li>{plain(line, limit=None)}</li>" for line in lines)
    return f'<span class="fair">{plain(title)}</span><ul style="{_LIST_STYLE}">{items}</ul>'


def refusal(reason: str) -> str:
    """Return HTML for why something cannot be done."""
    return f'<span class="bad">{plain(reason, limit=None)}</span>'
