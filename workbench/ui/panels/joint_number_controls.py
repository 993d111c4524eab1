"""A number for all joints that opens into one a joint, and folds back."""

from __future__ import annotations

import viser

from workbench.live.state import SessionState
from workbench.ui.markup import one_line, plain
from workbench.ui.number_control import Absence, NumberControl
from workbench.ui.page_style import block
from workbench.ui.panels.group_field import GroupField
from workbench.ui.widgets import WidgetTools, add_button, button_row, on_click

_NAME_LENGTH_LIMIT = 40


class JointNumberControls:
    """Numbers by joint; a joint that has none follows the one for all.

    It opens by itself where a joint has a number of its own, so that none stays unseen. "As one"
    takes all of them away, as one step.
    """

    def __init__(self, tools: WidgetTools, item: GroupField, for_all: GroupField) -> None:
        """Add the controls where the gui's context is, folded.

        Args:
            tools: For its controls.
            item: The field; its value is a mapping of joint names to numbers.
            for_all: The number that counts for joints without one of their own.
        """
        self._tools = tools
        self._field = item
        self._for_all = for_all
        self._opened = False
        self._epoch: int | None = None
        self._controls: dict[str, NumberControl] = {}
        self._text = tools.gui.add_html("")
        with button_row(tools):
            self._open = add_button(
                tools.gui, "Joint by joint", f"Opens one number a joint. {item.spec.help}",
                icon=viser.Icon.ARROWS_DIAGONAL,
            )  # fmt: skip
            self._fold = add_button(
                tools.gui, "As one", "Takes all joints' own numbers away and folds them back.",
                icon=viser.Icon.ARROWS_DIAGONAL_MINIMIZE_2,
            )  # fmt: skip
        on_click(tools, self._open, "Nothing was opened", self._open_up)
        on_click(tools, self._fold, "They stay", self._as_one)
        self._place = tools.gui.add_folder(None)
        self._built: viser.GuiFolderHandle | None = None

    def refresh(self, state: SessionState) -> None:
        """Show the numbers in force."""
        if state.epoch != self._epoch:
            self._epoch, self._opened = state.epoch, False
            self._take_down()
        values = self._field.value(state)
        self._opened = self._opened or bool(values)
        if self._opened and self._built is None:
            self._build(state.description.joint_names)
        elif not self._opened:
            self._take_down()
        for_all = self._for_all.value(state)
        for joint, control in self._controls.items():
            control.show(values.get(joint), None, stand_in=for_all)
        self._open.disabled, self._fold.disabled = self._opened, not self._opened
        self._place.visible = self._opened
        count = len(values)
        own = {0: "one for all", 1: "1 joint has its own"}.get(count, f"{count} joints have theirs")
        title = f'<span title="{plain(self._field.spec.help)}">{plain(self._field.label)}</span>'
        self._text.content = block(f'{title}: <span class="dim">{own}</span>')

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        for control in self._controls.values():
            control.close()

    def _build(self, joints: tuple[str, ...]) -> None:
        with self._place:
            self._built = self._tools.gui.add_folder(None)
        with self._built:
            for joint in joints:
                self._controls[joint] = self._add(joint)

    def _add(self, joint: str) -> NumberControl:
        field = self._field

        def set_value(value: float, gesture: str | None) -> None:
            field.ask({**field.value(), joint: value}, gesture)

        def clear() -> None:
            field.ask({name: value for name, value in field.value().items() if name != joint})

        return NumberControl(
            self._tools, one_line(joint, _NAME_LENGTH_LIMIT), field.spec, set_value,
            value=None, default=None, absence=Absence("as all", clear),
        )  # fmt: skip

    def _take_down(self) -> None:
        self.close()
        self._controls = {}
        if self._built is not None:
            self._built.remove()
            self._built = None

    def _open_up(self) -> None:
        self._opened = True
        self.refresh(self._field.session.state)

    def _as_one(self) -> None:
        self._opened = False
        if self._field.value():
            self._field.ask({})
        self.refresh(self._field.session.state)
