"""The list of grasps: pages of 15 rows, each a button; sorted, filtered, jumped into by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import viser

from workbench.errors import GraspError
from workbench.grasps.spec import GraspSpec
from workbench.live.grasping import GRASP_STATES, GraspState, GraspView, grasps_of
from workbench.live.state import SessionState
from workbench.ui.colours import GRASP_COLOURS
from workbench.ui.markup import one_line
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.typed_text import TypedForm
from workbench.ui.widgets import add_button, button_row, dropdown, give_row_look, on_click

ROWS: Final = 15
_NAME_LENGTH_LIMIT = 26
_ALL = "all"
_BEST, _NAME, _CONFIDENCE, _STATE, _MARGIN, _FILE = (
    "best first", "name", "confidence", "state", "margin", "as in the file",
)  # fmt: skip
_FILTERS: Final[Mapping[str, GraspState | None]] = {
    _ALL: None, **{GRASP_COLOURS[state].label: state for state in GRASP_STATES},
}  # fmt: skip


@dataclass(frozen=True)
class _Row:
    """What a row shows.

    Attributes:
        text: Name, confidence and state.
        css: Colour of the state.
        selected: Whether it is the selected grasp.
        hint: Help on hover.
    """

    text: str
    css: str
    selected: bool
    hint: str


class GraspTable:
    """Rows of the page that is looked at; the order is made anew when something changes."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        tools, gui = context.tools, context.tools.gui
        self._sort, self._filter, self._page = _BEST, _ALL, 0
        self._order: Sequence[str] = ()
        self._of: GraspSpec | None = None
        self._ranks: tuple[GraspSpec, Mapping[str, int]] | None = None
        self._sorting = dropdown(
            tools, "sort by", "Order of the rows; margin is the room that is left to the nearest "
            "joint limit.", self._set_sort, _BEST,
            options=(_BEST, _NAME, _CONFIDENCE, _STATE, _MARGIN, _FILE),
        )  # fmt: skip
        self._showing = dropdown(
            tools, "show", "Which grasps have a row.", self._set_filter, _ALL,
            options=tuple(_FILTERS),
        )  # fmt: skip
        self._form = TypedForm(tools)
        with self._form:
            self._find = self._form.add(
                "go to name", "Selects the grasp of that name, or the first that contains it.", "",
                self._jump,
            )  # fmt: skip
        self._rows = [self._add_row(number) for number in range(ROWS)]
        self._shown_rows: list[_Row | None] = [None] * ROWS
        self._text = gui.add_html("")
        with button_row(tools):
            self._back = add_button(
                gui,
                "Previous",
                "Shows the 15 rows before.",
                icon=viser.Icon.CHEVRON_LEFT,
                color="gray",
            )
            self._on = add_button(
                gui, "Next", "Shows the next 15 rows.", icon=viser.Icon.CHEVRON_RIGHT, color="gray"
            )
        on_click(tools, self._back, "This is the first page", partial(self._turn, -1))
        on_click(tools, self._on, "This is the last page", partial(self._turn, 1))

    def show(self, state: SessionState, view: GraspView, states: Mapping[str, GraspState]) -> None:
        """Show the page; it turns to a grasp that was just selected elsewhere."""
        scene = state.settings.grasp_scene
        assert scene is not None
        grasps = grasps_of(scene)
        self._of = grasps
        wanted = _FILTERS[self._filter]
        names = [name for name in self._sorted(grasps, view, states)
                 if wanted is None or states[name] == wanted]  # fmt: skip
        self._order = names
        pages = max(math.ceil(len(names) / ROWS), 1)
        self._page = min(max(self._page, 0), pages - 1)
        first = self._page * ROWS
        for number in range(ROWS):
            place = first + number
            row = _row(names[place], grasps, view, states) if place < len(names) else None
            self._show_row(number, row)
        several = pages > 1
        self._back.visible = self._on.visible = several
        self._back.disabled, self._on.disabled = self._page == 0, self._page == pages - 1
        text = f"page {self._page + 1} of {pages}, {len(names)} grasps" if several else (
            "" if names else "no grasp is in that state" if len(grasps) else "no grasps yet"
        )  # fmt: skip
        self._text.content = block(f'<span class="dim">{text}</span>' if text else "")

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        self._form.close()

    # Rows ------------------------------------------------------------------------------------

    def _add_row(self, number: int) -> viser.GuiButtonHandle:
        tools = self._context.tools
        button = add_button(tools.gui, "", "Selects this grasp.", color="gray", visible=False)
        on_click(tools, button, "Nothing is selected", partial(self._select, number))
        return button

    def _show_row(self, number: int, row: _Row | None) -> None:
        if row == self._shown_rows[number]:
            return
        self._shown_rows[number] = row
        button = self._rows[number]
        button.visible = row is not None
        if row is not None:
            button.label = row.text
            give_row_look(button, row.css, row.hint, chosen=row.selected)

    def _select(self, number: int) -> None:
        place = self._page * ROWS + number
        if place < len(self._order):
            self._context.grasping.select(self._order[place])

    # Order -----------------------------------------------------------------------------------

    def _sorted(
        self, grasps: GraspSpec, view: GraspView, states: Mapping[str, GraspState]
    ) -> list[str]:
        if self._sort == _FILE:
            return list(states)
        if self._ranks is None or self._ranks[0] is not grasps:
            ranks = {name: rank for rank, name in enumerate(grasps.ranking)}
            self._ranks = grasps, ranks
        rank = self._ranks[1]

        def margin(name: str) -> tuple[float, int]:
            result = view.result(name)
            left = None if result is None else result.limit_margin
            return (math.inf if left is None else -left), rank[name]

        keys: dict[str, Callable[[str], Any]] = {
            _BEST: rank.__getitem__,
            _NAME: _natural,
            _CONFIDENCE: lambda name: (-grasps[name].effective_confidence, rank[name]),
            _STATE: lambda name: (GRASP_STATES.index(states[name]), rank[name]),
            _MARGIN: margin,
        }
        return sorted(states, key=keys[self._sort])

    def _set_sort(self, sort: str) -> None:
        self._sort, self._page = sort, 0
        self._sorting.show(sort)
        self._show_now()

    def _set_filter(self, shown: str) -> None:
        self._filter, self._page = shown, 0
        self._showing.show(shown)
        self._show_now()

    def _turn(self, pages: int) -> None:
        self._page += pages
        self._show_now()

    def _jump(self, text: str) -> str:
        if not text:
            return ""
        wanted = text.casefold()
        names = list(self._order)
        hits = [name for name in names if name.casefold() == wanted] or [
            name for name in names if wanted in name.casefold()
        ]
        if not hits:
            raise GraspError("no grasp in the list has that in its name", value=text)
        self._page = names.index(hits[0]) // ROWS
        self._context.grasping.select(hits[0])
        self._show_now()
        return one_line(hits[0])

    def _show_now(self) -> None:
        state, view = self._context.session.state, self._context.grasping.view
        if state.settings.grasp_scene is not None:
            self.show(state, view, view.states(state))


def _row(name: str, grasps: GraspSpec, view: GraspView, states: Mapping[str, GraspState]) -> _Row:
    colour, result = GRASP_COLOURS[states[name]], view.result(name)
    confidence = grasps[name].effective_confidence
    return _Row(
        f"{one_line(name, _NAME_LENGTH_LIMIT)} · {confidence:.2f} · {colour.label}", colour.css,
        name == view.selected, f"{name}: {colour.meaning if result is None else result.text}",
    )  # fmt: skip


def _natural(name: str) -> list[tuple[bool, int, str]]:
    """Return a key by which grasp_10 comes after grasp_9."""
    parts: list[tuple[bool, int, str]] = []
    digits = text = ""
    for char in name + "\0":
        if char.isdecimal():
            digits += char
            continue
        if digits:
            parts += [(True, 0, text), (False, int(digits), "")]
            digits = text = ""
        text += char.casefold()
    return [*parts, (True, 0, text)]
