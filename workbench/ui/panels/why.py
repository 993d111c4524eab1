"""Why the arm does what it does: each task's share as a bar, who holds what, and in words."""

from __future__ import annotations

from typing import Final

from workbench.ik.explanation import Explanation, TaskShare
from workbench.live.snapshot import StateSnapshot
from workbench.live.state import SessionState
from workbench.ui.colours import Rgb, css
from workbench.ui.markup import plain
from workbench.ui.page_style import block, rows_table
from workbench.ui.panels.context import PanelContext

_SHARE_RGB: Final[tuple[Rgb, ...]] = (
    (64, 104, 148), (167, 191, 214), (104, 88, 150), (198, 186, 222), (108, 117, 125),
    (196, 203, 209),
)  # fmt: skip
"""Dull, because bright colours mean states here; neighbours differ in lightness, which every kind
of colour vision tells apart, and the list below names each."""

_SMALLEST_SHARE = 0.005
_SMALLEST_ERROR = 1e-4
_SMALLEST_DAMPING = 1e-12
_LONGEST_LIST = 6


class WhyPanel:
    """Read-only lines."""

    def __init__(self, context: PanelContext) -> None:
        """Add the lines where the gui's context is."""
        self._context = context
        self._html = context.tools.gui.add_html("")
        self._html.visible = False

    def refresh(self, state: SessionState) -> None:
        """Show nothing of another robot."""
        if self._context.why() is None:
            self._html.visible = False

    def show(self, snapshot: StateSnapshot) -> None:
        """Show the newest explanation."""
        explained = self._context.why()
        if explained is None or explained.epoch != snapshot.epoch:
            self._html.visible = False
            return
        content = why_block(explained.explanation)
        if content != self._html.content:
            self._html.content = content
        self._html.visible = bool(content)

    def close(self) -> None:
        """Nothing is pending."""


def why_block(explanation: Explanation) -> str:
    """Return an explanation as escaped HTML; empty where there is nothing to explain."""
    if not explanation.status.ok or not explanation.tasks:
        return ""
    parts = ['<details open><summary><b>Why</b> <span class="dim">share of the objective</span>'
             "</summary>"]  # fmt: skip
    # Shares of what is zero to rounding would say nothing.
    if any(task.error >= _SMALLEST_ERROR for task in explanation.tasks):
        parts += [_bar(explanation.tasks), rows_table(_rows(explanation.tasks))]
    else:
        parts.append('<span class="dim">Every task has what it asks for.</span>')
    if explanation.words:
        # As it is: it may begin with the name of a task, which is no word to capitalise.
        parts.append(f"<div>{plain(explanation.words)}.</div>")
    damping = explanation.lm_damping
    if damping >= _SMALLEST_DAMPING:
        parts.append(f'<div class="dim">LM damping in effect {damping:.2g} cost²</div>')
    if not explanation.duals_from_solver:
        parts.append('<div class="dim">Limits are worked out from the step: no multipliers.</div>')
    return block(*parts, "</details>")


def _bar(tasks: tuple[TaskShare, ...]) -> str:
    """Return the stacked bar; task names are its parts' titles."""
    parts = "".join(
        f'<i style="width:{100.0 * task.share:.1f}%;background:{_colour(index)}" '
        f'title="{plain(task.name)} {100.0 * task.share:.0f} %"></i>'
        for index, task in enumerate(tasks)
        if task.share >= _SMALLEST_SHARE
    )
    return f'<div class="stack">{parts}</div>'


def _rows(tasks: tuple[TaskShare, ...]) -> list[tuple[str, ...]]:
    largest = sorted(enumerate(tasks), key=lambda item: -item[1].share)
    rows = [
        (
            f'<span style="color:{_colour(index)}">■</span> {plain(task.name)}',
            f"{100.0 * task.share:.0f} %",
        )
        for index, task in largest[:_LONGEST_LIST]
        if task.share >= _SMALLEST_SHARE
    ]
    others = [task.share for _index, task in largest[_LONGEST_LIST:]]
    if sum(others, 0.0) >= _SMALLEST_SHARE:
        rows.append((f"{len(others)} more", f"{100.0 * sum(others):.0f} %"))
    return rows


def _colour(index: int) -> str:
    return css(_SHARE_RGB[index % len(_SHARE_RGB)])
