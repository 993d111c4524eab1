"""Check which grasps are reached: how, now or by itself, and what came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import viser

from workbench.config.grasp_scene import APPROACH_AXES
from workbench.live.grasp_edits import set_in_scene
from workbench.live.grasping import GRASP_STATES, GraspState, GraspView, grasps_of
from workbench.live.state import SessionState
from workbench.ui.colours import GRASP_COLOURS
from workbench.ui.markup import plain
from workbench.ui.numbers import parse_number
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.words import dot
from workbench.ui.typed_text import TypedForm
from workbench.ui.widgets import add_button, checkbox, dropdown, give_help, on_click

_CHECK, _CANCEL = "Check reach", "Cancel the check"
_CHECK_HELP = (
    "Plans to every grasp from home, retries from other postures, and drives the straight "
    "approach, with the settings in force and the links kept from touching; nothing moves."
)
_CANCEL_HELP = "Stops the check; what was found stays."
_FEW = 0.2
"""Share of reached grasps below which a wrong gripper frame is the likely cause."""

_BINS = 5
_DONE: tuple[GraspState, ...] = ("reached", "reached_with_retry", "approach_fails", "not_reached")


class GraspReach:
    """Standoff, direction, the button, the counts, and reached against not by confidence."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        tools, gui = context.tools, context.tools.gui
        self._form = TypedForm(tools)
        with self._form:
            self._standoff = self._form.add(
                "standoff [mm]", "How far before the grasp the straight approach begins, where the "
                "file has no pregrasp pose of its own.", "100", self._set_standoff,
            )  # fmt: skip
        self._axis = dropdown(
            tools, "approach along", "Direction of the approach in the gripper's own frame.",
            self._set_axis, "+z", options=tuple(APPROACH_AXES),
        )  # fmt: skip
        self._check = add_button(gui, _CHECK, _CHECK_HELP, icon=viser.Icon.TARGET_ARROW)
        on_click(tools, self._check, "Nothing is checked", self._start_or_cancel)
        self._automatic = checkbox(
            tools, "check by itself", "Checks again when the object stops moving or a setting "
            "changes.", context.grasping.check_by_itself, True,
        )  # fmt: skip
        self._text = gui.add_html("")

    def show(self, state: SessionState, view: GraspView, states: Mapping[str, GraspState]) -> None:
        """Show what is in force and what was found."""
        scene = state.settings.grasp_scene
        assert scene is not None
        self._standoff.show(f"{1e3 * scene.standoff_m:g}")
        self._axis.show(scene.approach)
        self._automatic.show(view.automatic)
        label = _CANCEL if self._context.reach.running else _CHECK
        if label != self._check.label:
            self._check.label = label
            self._check.icon = viser.Icon.X if label == _CANCEL else viser.Icon.TARGET_ARROW
            give_help(self._check, _CANCEL_HELP if label == _CANCEL else _CHECK_HELP)
        grasps = grasps_of(scene)
        confidences = {grasp.name: grasp.effective_confidence for grasp in grasps}
        content = block(_counts(states), _hint(states), _chart(states, confidences))
        if content != self._text.content:
            self._text.content = content

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        self._form.close()

    def _start_or_cancel(self) -> None:
        reach = self._context.reach
        if reach.running:
            reach.cancel()
        else:
            reach.check()

    def _set_standoff(self, text: str) -> str:
        value = parse_number(text)
        set_in_scene(self._context.session, standoff_m=1e-3 * value)
        return f"{value:g}"

    def _set_axis(self, axis: str) -> None:
        set_in_scene(self._context.session, approach=axis)


def _counts(states: Mapping[str, GraspState]) -> str:
    counts = Counter(states.values())
    reached = counts["reached"] + counts["reached_with_retry"]
    parts = [f"<b>{reached} of {len(states)} reached</b>"]
    for name in GRASP_STATES:
        if counts[name]:
            colour = GRASP_COLOURS[name]
            parts.append(
                f'<br><span title="{plain(colour.meaning)}">{dot(colour.css)} {counts[name]} '
                f"{plain(colour.label)}</span>"
            )
    return "".join(parts)


def _hint(states: Mapping[str, GraspState]) -> str:
    """Say what is most often wrong where few grasps are reached."""
    done = [state for state in states.values() if state in _DONE]
    reached = sum(state in ("reached", "reached_with_retry") for state in done)
    if len(done) < len(states) or not done or reached > _FEW * len(done):
        return ""
    how_many = "Few are" if reached else "None is"
    return (
        f'<div><span class="fair">▲</span> {how_many} reached. Look at the selected grasp in the '
        "scene: if the gripper is turned or off, set <b>gripper offset</b> or another <b>gripper "
        "link</b> above; if it is right, move the object nearer.</div>"
    )


def _chart(states: Mapping[str, GraspState], confidences: Mapping[str, float]) -> str:
    """Return bars: of the grasps of each confidence, how many are reached."""
    reached, others = [0] * _BINS, [0] * _BINS
    for name, state in states.items():
        if state in _DONE:
            place = min(int(confidences[name] * _BINS), _BINS - 1)
            (reached if state in ("reached", "reached_with_retry") else others)[place] += 1
    most = max((one + other for one, other in zip(reached, others, strict=True)), default=0)
    if not most:
        return ""
    rows = []
    for place in reversed(range(_BINS)):
        good, bad = reached[place], others[place]
        bars = (
            f'<i style="width:{100 * good / most:.1f}%;background:{GRASP_COLOURS["reached"].css}">'
            f'</i><i style="width:{100 * bad / most:.1f}%;'
            f'background:{GRASP_COLOURS["not_reached"].css}"></i>'
        )
        rows.append(
            f"<tr><td>{place / _BINS:.1f} to {(place + 1) / _BINS:.1f}</td>"
            f'<td style="width:55%"><span class="stack">{bars}</span></td>'
            f'<td class="n">{good} of {good + bad}</td></tr>'
        )
    return (
        "<table><tr><th>confidence</th><th>reached, and not</th><th></th></tr>"
        f"{''.join(rows)}</table>"
    )
