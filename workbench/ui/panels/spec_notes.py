"""What an entry says of itself besides its fields; pieces of escaped HTML."""

from __future__ import annotations

from workbench.config.limits import SelfCollisionBarrierSpec
from workbench.config.tasks import FrameTaskSpec, PostureTaskSpec
from workbench.config.tasks_spec import Spec
from workbench.live.state import SessionState
from workbench.ui.markup import plain
from workbench.ui.page_style import block


def entry_title(spec: Spec) -> str:
    """Return a folder's title: name and kind, and whether it is off."""
    same = spec.name.casefold() == spec.title.casefold()
    title = spec.title if same else f"{spec.name} · {spec.title}"
    return title if spec.enabled else f"{title} (off)"


def entry_note(spec: Spec, state: SessionState) -> str:
    """Return what an entry does, and what follows from it on this robot."""
    lines = [f'<span class="dim">{plain(spec.summary)}</span>']
    if isinstance(spec, FrameTaskSpec) and spec.frame in state.description.tool_frames:
        lines.append(
            f"{plain(spec.frame)} is a tool frame: this task takes the place of its plain one, "
            "and its target is that of the gizmo."
        )
    elif isinstance(spec, PostureTaskSpec):
        lines.append("It takes the place of the posture task of the Tune tab.")
    elif isinstance(spec, SelfCollisionBarrierSpec):
        lines.append(_pairs_note(spec, state))
    return block("<br>".join(lines))


def _pairs_note(spec: SelfCollisionBarrierSpec, state: SessionState) -> str:
    if state.hulls is None:
        if spec.enabled:
            return "The hulls of the links are being made."
        return "The hulls of the links are made when it is switched on."
    selection = state.hulls.selection(spec.minimum_distance_m)
    kept, left_out = len(selection.kept), selection.left_out
    text = f"<b>{kept} pair{'' if kept == 1 else 's'} of links kept apart</b>"
    if not left_out:
        return text
    pairs_by_reason: dict[str, list[str]] = {}
    for pair in left_out:
        pairs_by_reason.setdefault(pair.text, []).append(f"{pair.link_a} to {pair.link_b}")
    reasons = "".join(
        f"<div><b>{plain(reason)}</b><br>{'<br>'.join(plain(pair) for pair in pairs)}</div>"
        for reason, pairs in pairs_by_reason.items()
    )
    return f"{text}<details><summary>{len(left_out)} left out</summary>{reasons}</details>"
