"""One joint on the page: its position as text and as a slider, and a lock."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import viser

from workbench.errors import ConfigError, WorkbenchError
from workbench.live.joint_moves import move_joint
from workbench.model.description import Joint
from workbench.ui.markup import one_line
from workbench.ui.page_loop import Timer
from workbench.ui.panels.context import PanelContext
from workbench.ui.pose_fields import DisplayUnit
from workbench.ui.typed_text import TypedForm
from workbench.ui.widgets import add_button, on_click

REST_OF_A_HAND_S: Final = 0.8
"""How long a slider must rest before it shows the joint again. viser does not tell when a slider is
let go of; an undo step ends after the same rest."""

_POSITIONS_PER_SI: Final = {"rad": 1800.0 / math.pi, "m": 10_000.0}
"""Positions of a slider per rad or m: a tenth of a degree, a tenth of a millimetre."""

_HALF_RANGE: Final = {"rad": math.pi, "m": 1.0}
"""How far a slider of a joint without limits reaches from zero, rad or m."""

_SYMBOLS: Final = {"degrees": "°", "radians": " rad"}
"""Units where there is little room; the others are short as they are."""

_LONGEST_NAME: Final = 40


class JointRow:
    """Shows where a joint is, and moves it or its posture target."""

    def __init__(
        self,
        context: PanelContext,
        joint: Joint,
        unit: Callable[[], DisplayUnit],
        *,
        position: float,
        epoch: int,
    ) -> None:
        """Add the controls where the gui's context is.

        Args:
            context: What the panels need.
            joint: The joint.
            unit: Unit in which its position is shown and typed.
            position: Where it is, rad or m.
            epoch: Number of its robot.
        """
        self._context = context
        self._joint = joint
        self._unit = unit
        self._position = position
        self._epoch = epoch
        self._is_held = False
        self._hand: Timer | None = None
        half = _HALF_RANGE[joint.unit]
        self._low = -half if joint.lower is None else joint.lower
        self._high = half if joint.upper is None else joint.upper
        per_si = _POSITIONS_PER_SI[joint.unit]
        first = math.floor(self._low * per_si)
        last = max(math.ceil(self._high * per_si), first + 1)
        self._ends = (first, last)
        tools, shown = context.tools, unit()
        name = one_line(joint.name, _LONGEST_NAME)
        limits = f"{shown.text(self._low)} to {shown.text(self._high)} {shown.name}"
        hint = f"Goes from {limits}." if joint.has_limits else "Has no position limits."
        self._form = TypedForm(tools)
        with self._form:
            self._text = self._form.add(name, hint, shown.text(position), self._typed)
            self._lock = add_button(
                tools.gui, "Hold",
                f"Keeps {joint.name} where it is, by a hard constraint; once more lets it go.",
                color="gray",
            )  # fmt: skip
            self._slider = tools.gui.add_slider(
                shown.name, first, last, 1, self._place_of(position), marks=(),
                hint=f"{name}: {hint}",
            )  # fmt: skip
        on_click(tools, self._lock, f"{name} stays as it is", self._toggle)
        self._slider.on_update(self._moved)

    def refresh(self, *, held: bool, goal: float | None) -> None:
        """Show whether the joint is held, and where its posture target is, rad or m."""
        self._is_held = held
        self._lock.label = "Let go" if held else "Hold"
        self._lock.color = "orange" if held else "gray"
        self._text.handle.disabled = self._slider.disabled = held
        unit = self._unit()
        self._slider.label = unit.name if goal is None else f"goal {_with_unit(goal, unit)}"
        self.show(self._position)

    def show(self, position: float) -> None:
        """Show where the joint is; what somebody types or drags is left alone.

        viser sends only what has changed.
        """
        self._position = position
        self._text.show(self._unit().text(position))
        if self._hand is None:
            self._slider.value = self._place_of(position)

    def close(self) -> None:
        """Drop what is pending: the row goes away."""
        self._form.close()
        if self._hand is not None:
            self._hand.cancel()

    def _place_of(self, position: float) -> int:
        first, last = self._ends
        return min(max(round(position * _POSITIONS_PER_SI[self._joint.unit]), first), last)

    def _position_at(self, place: float) -> float:
        position = place / _POSITIONS_PER_SI[self._joint.unit]
        return min(max(position, self._low), self._high)

    def _typed(self, text: str) -> str:
        # What is shown is rounded: typing the same again must not move anything.
        unit = self._unit()
        if text != unit.text(self._position):
            position = unit.parse(text)
            joint = self._joint
            if joint.has_limits and not self._low <= position <= self._high:
                raise ConfigError(
                    "is outside the joint's limits", field=joint.name, value=text,
                    expected=f"{unit.text(self._low)} to {unit.text(self._high)} {unit.name}",
                )  # fmt: skip
            move_joint(self._context.session, joint.name, position, epoch=self._epoch)
        return unit.text(self._position)

    def _toggle(self) -> None:
        self._context.session.hold_joint(self._joint.name, not self._is_held)

    async def _moved(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is None:
            return
        if self._hand is not None:
            self._hand.cancel()
        self._hand = self._context.tools.page.call_later(REST_OF_A_HAND_S, self._rested)
        try:
            move_joint(
                self._context.session,
                self._joint.name,
                self._position_at(self._slider.value),
                gesture=f"joint {self._joint.name} {event.client_id}",
                epoch=self._epoch,
            )
        except WorkbenchError as error:
            title = f"{self._joint.name} stays where it is"
            self._context.tools.notices.refused(title, error, to=event.client)

    def _rested(self) -> None:
        self._hand = None
        self.show(self._position)


def _with_unit(value_si: float, unit: DisplayUnit) -> str:
    return unit.text(value_si) + _SYMBOLS.get(unit.name, f" {unit.name}")
