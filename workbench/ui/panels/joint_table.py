"""Joint table: where each joint is between its limits."""

from __future__ import annotations

import math

from workbench.live.snapshot import StateSnapshot
from workbench.live.state import SessionState
from workbench.model.description import Joint, RobotDescription
from workbench.ui.markup import plain
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext

NEAR_LIMIT = 0.02
"""Share of a joint's range within which it counts as at its limit."""


class JointTable:
    """One row a joint: name, bar, degrees and radians (mm and m for a prismatic one)."""

    def __init__(self, context: PanelContext) -> None:
        """Add the table where the gui's context is."""
        self._state = context.session.state
        self._table = context.tools.gui.add_html("")
        self._below = context.tools.gui.add_html("")
        self._epoch: int | None = None
        self.refresh(self._state)

    def refresh(self, state: SessionState) -> None:
        """Remember which joints are held, and list those that are not solved for."""
        self._state = state
        if state.epoch != self._epoch:
            self._epoch = state.epoch
            self._table.content = ""
            self._below.content = _not_solved_for(state.description)

    def show(self, snapshot: StateSnapshot) -> None:
        """Show the joints' positions."""
        if snapshot.epoch != self._state.epoch:
            return
        held = self._state.settings.held_joints
        rows = "".join(
            _row(joint, position, joint.name in held)
            for joint, position in zip(
                self._state.description.joints, snapshot.positions.tolist(), strict=True
            )
        )
        content = block(f'<table class="joints">{rows}</table>')
        if content != self._table.content:
            self._table.content = content

    def close(self) -> None:
        """Nothing is pending."""


def _row(joint: Joint, position: float, held: bool) -> str:
    margin = joint.limit_margin(position)
    near = margin is not None and margin <= NEAR_LIMIT
    mark = ' <span class="dim">held</span>' if held else ""
    kind = ' class="bad"' if near else ""
    if joint.kind == "prismatic":
        first, second = f"{_shown(1e3 * position, 1)} mm", f"{_shown(position, 3)} m"
    else:
        first, second = f"{_shown(math.degrees(position), 1)}°", f"{_shown(position, 3)} rad"
    return (
        f"<tr{kind}><td>{plain(joint.name)}{mark}</td><td>{_bar(joint, position, near)}</td>"
        f'<td class="n">{first}</td><td class="n">{second}</td></tr>'
    )


def _shown(value: float, decimals: int) -> str:
    # Adding zero turns -0.0 into 0.0.
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def _bar(joint: Joint, position: float, near: bool) -> str:
    """Draw a mark between the limits; without limits, within one turn about zero."""
    if joint.lower is None or joint.upper is None:
        low, high = -math.pi, math.pi
        position = math.remainder(position, 2.0 * math.pi) if joint.unit == "rad" else position
    else:
        low, high = joint.lower, joint.upper
    share = min(max((position - low) / (high - low), 0.0), 1.0)
    unit = "°" if joint.unit == "rad" else " m"
    factor = 180.0 / math.pi if joint.unit == "rad" else 1.0
    span = (
        f"{low * factor:.3g}{unit} to {high * factor:.3g}{unit}"
        if joint.has_limits
        else "no position limits"
    )
    edge = " edge" if near else ""
    return f'<span class="bar{edge}" title="{plain(span)}"><i style="left:{share:.1%}"></i></span>'


def _not_solved_for(description: RobotDescription) -> str:
    lines = [
        f"{plain(held.name)} at {held.position:.4g}: {plain(held.reason)}"
        for held in description.held_joints
    ]
    lines += [
        f"{plain(follower.name)} follows {plain(follower.leader)}"
        + ("" if follower.in_model else " in the picture alone")
        for follower in description.followers
    ]
    if not lines:
        return ""
    joints = "joint is" if len(lines) == 1 else "joints are"
    return block(
        f"<details><summary>{len(lines)} {joints} not solved for</summary>"
        + "<br>".join(lines)
        + "</details>"
    )
