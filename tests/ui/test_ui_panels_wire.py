"""What a page really sends reaches the session; what is refused comes back to it with a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.ui.guarded_page import Page, Sentinel, is_update
from tests.ui.panel_rig import PanelRig, labelled
from workbench.ui.notices import Notices
from workbench.ui.page_loop import AsyncioPageLoop
from workbench.ui.panels.board import Board
from workbench.ui.server import ServerOptions, serve
from workbench.ui.widgets import WidgetTools


@dataclass
class Served:
    """All panels on a served page, and the page."""

    rig: PanelRig
    page: Page
    url: str


@pytest.fixture
def served() -> Iterator[Served]:
    server = serve(ServerOptions(port=0), {})
    rig = PanelRig(server.viser.gui)
    tools = WidgetTools(
        server.viser.gui,
        AsyncioPageLoop(server.viser.get_event_loop()),
        Notices(lambda: server.viser.get_clients().values()),
        server.filter.open_to_lookers,
    )
    board = Board(replace(rig.context, tools=tools))
    page = Page(server.url)
    Sentinel(server).wait(page)
    yield Served(rig, page, server.url)
    page.close()
    board.close()
    server.stop()


def until_all(page: Page, *wanted: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """Read until each of the conditions has been met by some message; return those messages."""
    found: dict[int, dict[str, Any]] = {}

    def complete(message: dict[str, Any]) -> bool:
        for number, matches in enumerate(wanted):
            if matches(message):
                found[number] = message
        return len(found) == len(wanted)

    page.until(complete)
    return [found[number] for number in range(len(wanted))]


def shows(handle: Any, value: object) -> Callable[[dict[str, Any]], bool]:
    return lambda message: is_update(message, handle) and message["updates"].get("value") == value


def test_what_is_entered_counts_and_comes_back_as_it_is_in_force(served: Served) -> None:
    field = labelled(served.rig.gui, "damping")
    for text in ("0.0000001", "0.0000001 "):
        served.page.set_value(field, text)
    until_all(served.page, shows(field, "1e-7"))
    assert served.rig.config.damping == 1e-7


def test_what_is_refused_goes_back_and_says_why(served: Served) -> None:
    field = labelled(served.rig.gui, "gain")
    served.page.set_value(field, "7 ")
    _, notice = until_all(
        served.page,
        shows(field, "0.5"),
        lambda message: message["type"] == "NotificationShowMessage",
    )
    assert served.rig.config.gain == 0.5
    assert notice["props"]["title"] == "gain stays at 0.5"
    assert "is out of range" in notice["props"]["body"]


def test_a_page_that_opens_later_shows_what_was_entered(served: Served) -> None:
    field = labelled(served.rig.gui, "gain")
    served.page.set_value(field, "0.25 ")
    until_all(served.page, shows(field, "0.25"))
    second = Page(served.url)
    second.close()
    assert any(shows(field, "0.25")(message) for message in second._replayed)


def test_a_slider_and_its_text_move_together(served: Served) -> None:
    field = labelled(served.rig.gui, "gain")
    slider = labelled(served.rig.gui, "per step")
    served.page.set_value(slider, slider.max)
    until_all(served.page, shows(field, "1"))
    assert served.rig.config.gain == 1.0
