"""What a page sends as the value of a control: taken when it is one, else refused for everybody."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import viser

from tests.ui.guarded_page import CAMERA, Page, Sentinel, about, is_update
from workbench.errors import ConfigError
from workbench.ui import corrections
from workbench.ui.server import GuardedServer

NAN, INFINITY = math.nan, math.inf

A_LONG_TIME_S = 3600.0
"""A rest that no test waits for: how busy the machine is must not decide what counts as typed."""


def controls(gui: viser.GuiApi) -> dict[str, tuple[Any, object]]:
    """One control of each kind, with a value that it takes."""
    return {
        "slider": (gui.add_slider("s", 0.0, 1.0, 0.1, 0.5), 0.75),
        "whole slider": (gui.add_slider("s", 0, 10, 1, 5), 7),
        "number": (gui.add_number("n", 0.5, min=0.001, max=2.0), 1.5),
        "unbounded number": (gui.add_number("n", 0.5), -1e6),
        "whole number": (gui.add_number("n", 5), 6),
        "vector2": (gui.add_vector2("v", (0.0, 0.0), min=(-1.0, -1.0), max=(1.0, 1.0)), [0.5, -1]),
        "vector3": (gui.add_vector3("v", (0.0, 0.0, 0.0)), [1.0, 2.0, 3.0]),
        "thumbs": (gui.add_multi_slider("m", 0.0, 1.0, 0.1, (0.2, 0.8)), [0.3, 0.4]),
        "checkbox": (gui.add_checkbox("c", False), True),
        "text": (gui.add_text("t", "before"), "after"),
        "paragraph": (gui.add_text("t", "before", multiline=True), "one\ntwo"),
        "dropdown": (gui.add_dropdown("d", ["a", "b"]), "b"),
        "colour": (gui.add_rgb("r", (1, 2, 3)), [255, 0, 7]),
        "colour with alpha": (gui.add_rgba("r", (1, 2, 3, 4)), [255, 0, 7, 8]),
    }


BAD_VALUES: list[tuple[str, object]] = [
    *[
        (kind, value)
        for kind in ("slider", "number", "unbounded number")
        for value in (NAN, INFINITY, -INFINITY, "0.5", True, None, [0.5], {"a": 1}, b"0", [])
    ],
    *[("slider", value) for value in (1e9, -0.1, 1.1)],
    *[("number", value) for value in (-3.0, 0.0, 0, 2.5)],
    *[("whole slider", value) for value in (11, -1, 5.5, "5", NAN)],
    *[("whole number", value) for value in (5.5, NAN, INFINITY, None)],
    *[
        ("vector2", value)
        for value in ([0.0], [0.0, 0.0, 0.0], [0.0, NAN], [0.0, 1.5], "00", None, [[0.0], 0.0], 0.0)
    ],
    *[("vector3", value) for value in ([0.0, 0.0], [0.0, 0.0, INFINITY], [True, 0.0, 0.0])],
    *[("thumbs", value) for value in ([0.1], [0.8, 0.2], [0.0, 2.0], [0.2, NAN], [0.2, 0.3, 0.4])],
    *[("checkbox", value) for value in (1, 0, "true", None, [])],
    *[("text", value) for value in (1, None, "x" * 5000, "two\nlines", "nul\0", ["a"], b"bytes")],
    *[("paragraph", value) for value in ("x" * 300_000, 7)],
    *[("dropdown", value) for value in ("c", "", None, 0, ["a"])],
    *[("colour", value) for value in ([256, 0, 0], [-1, 0, 0], [0.5, 0, 0], [1, 2], "red")],
    *[("colour with alpha", value) for value in ([1, 2, 3], [1, 2, 3, NAN])],
]


@pytest.fixture(scope="module")
def every_kind(server: GuardedServer) -> dict[str, tuple[Any, object]]:
    return controls(server.viser.gui)


@pytest.mark.parametrize("kind", [
    "slider", "whole slider", "number", "unbounded number", "whole number", "vector2", "vector3",
    "thumbs", "checkbox", "text", "paragraph", "dropdown", "colour", "colour with alpha",
])  # fmt: skip
def test_a_good_value_is_applied_and_reaches_the_other_page(
    kind: str, sentinel: Sentinel, page: Page, other: Page,
    every_kind: dict[str, tuple[Any, object]],
) -> None:  # fmt: skip
    handle, value = every_kind[kind]
    before = handle.value
    page.set_value(handle, value)
    expected = tuple(value) if isinstance(value, list) else value
    seen = other.until(
        lambda message: (
            message.get("uuid") == handle._impl.uuid and message["updates"]["value"] == value
        )
    )
    assert seen and handle.value == expected
    assert about(sentinel.wait(page), handle) == []
    handle.value = before


@pytest.mark.parametrize(("kind", "value"), BAD_VALUES)
def test_a_bad_value_changes_nothing_for_anyone(
    kind: str, value: object, server: GuardedServer, shared_pages: tuple[Page, Page],
    every_kind: dict[str, tuple[Any, object]],
) -> None:  # fmt: skip
    page, other = shared_pages
    handle, _ = every_kind[kind]
    sentinel = Sentinel(server)
    before, refused = handle.value, server.filter.refused_count
    page.set_value(handle, value)
    sentinel.wait(page)
    assert handle.value == before
    assert type(handle.value) is type(before)
    assert server.filter.refused_count == refused + 2
    assert about(sentinel.wait(other), handle) == []


@pytest.fixture(scope="module")
def shared_pages(server: GuardedServer) -> Iterator[tuple[Page, Page]]:
    pages = (Page(server.url), Page(server.url))
    yield pages
    for opened in pages:
        opened.close()


def test_the_sender_is_shown_the_value_in_force(
    server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    checkbox = server.viser.gui.add_checkbox("c", True)
    page.set_value(checkbox, "no")
    answers = about(sentinel.wait(page), checkbox)
    assert answers[-1]["type"] == "GuiUpdateMessage"
    assert answers[-1]["updates"] == {"value": True}


def test_a_number_that_is_still_being_typed_is_put_right_after_a_rest(
    server: GuardedServer, sentinel: Sentinel, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 0.3 < corrections.TYPING_REST_S < 1.0
    monkeypatch.setattr(corrections, "TYPING_REST_S", A_LONG_TIME_S)
    reasons: list[str] = []
    server.filter.on_refused(lambda _client, reason: reasons.append(reason))
    number = server.viser.gui.add_number("rate", 100, min=10, max=500)
    page.set_value(number, 2)
    assert about(sentinel.wait(page), number) == []
    assert "The value is at least 10." not in reasons
    monkeypatch.setattr(corrections, "TYPING_REST_S", 0.0)
    page.set_value(number, 3)
    seen = page.until(lambda message: is_update(message, number))
    assert about(seen, number)[-1]["updates"] == {"value": 100}
    assert "The value is at least 10." in reasons


def test_a_number_that_was_typed_to_the_end_is_left_alone(
    server: GuardedServer, sentinel: Sentinel, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corrections, "TYPING_REST_S", A_LONG_TIME_S)
    number = server.viser.gui.add_number("rate", 100, min=10, max=500)

    def is_to_be_put_right() -> bool:
        clients = server.filter._clients.values()
        return any(number._impl.uuid in client.corrections._timers for client in clients)

    page.set_value(number, 2)
    sentinel.wait(page)
    assert is_to_be_put_right()
    page.set_value(number, 25)
    assert about(sentinel.wait(page), number) == []
    assert not is_to_be_put_right()
    assert number.value == 25


def test_what_a_slider_rounds_past_its_limit_is_the_limit(
    server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    slider = server.viser.gui.add_slider("joint", -math.pi, math.pi, 0.01, 0.0)
    page.set_value(slider, 3.1415927)
    sentinel.wait(page)
    assert slider.value == math.pi


def test_no_other_attribute_of_a_control_can_be_set(
    server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    slider = server.viser.gui.add_slider("s", 0.0, 1.0, 0.1, 0.5)
    called = threading.Event()

    @slider.on_update
    async def _(_: object) -> None:
        called.set()

    uuid = slider._impl.uuid
    for updates in (
        {"update_cb": []}, {"value": 0.7, "update_cb": []}, {"label": "pwned"}, {"max": 9.0}, {},
        {"removed": True}, {"gui_api": None}, [], "value", None,
    ):  # fmt: skip
        page.send("GuiUpdateMessage", uuid=uuid, updates=updates)
    answers = about(sentinel.wait(page), slider)
    assert (slider.value, slider.label, slider.max) == (0.5, "s", 1.0)
    assert answers[-1]["updates"] == {"value": 0.5}
    page.set_value(slider, 0.6)
    assert called.wait(5.0)


def test_an_unknown_or_removed_control_is_refused(
    server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    gone = server.viser.gui.add_checkbox("gone", False)
    gone.remove()
    refused = server.filter.refused_count
    page.set_value(gone, True)
    page.send("GuiUpdateMessage", uuid="no such number", updates={"value": 1})
    sentinel.wait(page)
    assert gone.value is False
    assert server.filter.refused_count == refused + 3


def test_disabled_and_hidden_controls_take_nothing(
    server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    gui = server.viser.gui
    disabled = gui.add_checkbox("c", False, disabled=True)
    hidden = gui.add_checkbox("c", False, visible=False)
    with gui.add_folder("folder", visible=False), gui.add_folder("inner"):
        in_folder = gui.add_checkbox("c", False)
    group = gui.add_tab_group()
    with group.add_tab("tab"):
        in_tab = gui.add_checkbox("c", False)
    page.set_value(in_tab, True)
    sentinel.wait(page)
    assert in_tab.value is True
    group.visible = False
    for control in (disabled, hidden, in_folder, in_tab):
        page.set_value(control, not control.value)
    sentinel.wait(page)
    assert [disabled.value, hidden.value, in_folder.value, in_tab.value] == [
        False,
        False,
        False,
        True,
    ]


def test_a_progress_bar_is_no_control(
    server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    bar = server.viser.gui.add_progress_bar(10.0)
    page.set_value(bar, 90.0)
    sentinel.wait(page)
    assert bar.value == 10.0


def test_a_button_is_pressed_and_nothing_else(
    server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    presses: list[object] = []
    button = server.viser.gui.add_button("b")

    @button.on_click
    async def _(event: object) -> None:
        presses.append(event)

    for value in (1, "yes", False, None):
        page.set_value(button, value)
    sentinel.wait(page)
    assert presses == []
    page.set_value(button, True)
    sentinel.wait(page)
    assert len(presses) == 1


def test_a_button_group_has_its_options_only(
    server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    group = server.viser.gui.add_button_group("g", ["front", "top"])
    page.set_value(group, "below")
    sentinel.wait(page)
    assert group.value == "front"
    page.set_value(group, "top")
    sentinel.wait(page)
    assert group.value == "top"


def test_a_further_check_of_a_control_can_refuse(
    server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    text = server.viser.gui.add_text("name", "panda")
    reasons: list[tuple[int, str]] = []
    server.filter.on_refused(lambda client, reason: reasons.append((client, reason)))

    def only_known(value: str) -> None:
        if value not in ("panda", "ur5"):
            raise ConfigError("there is no such robot", value=value)

    server.filter.check(text, only_known)
    page.set_value(text, "pandas")
    answers = about(sentinel.wait(page), text)
    assert text.value == "panda"
    assert answers[-1]["updates"] == {"value": "panda"}
    assert any("no such robot" in reason for _, reason in reasons)
    page.set_value(text, "ur5")
    sentinel.wait(page)
    assert text.value == "ur5"


def test_a_page_without_a_camera_cannot_change_a_value_that_nobody_would_hear_of(
    server: GuardedServer, page: Page, sentinel: Sentinel
) -> None:
    checkbox = server.viser.gui.add_checkbox("c", False)
    early = Page(server.url, camera=False)
    early.set_value(checkbox, True)
    early.send("ViewerCameraMessage", **CAMERA)
    sentinel.wait(early)
    assert checkbox.value is False
    early.set_value(checkbox, True)
    sentinel.wait(early)
    assert checkbox.value is True
    early.close()


def test_a_value_right_after_the_first_camera_counts(
    server: GuardedServer, sentinel: Sentinel
) -> None:
    heard = threading.Event()
    checkbox = server.viser.gui.add_checkbox("c", False)

    @checkbox.on_update
    async def _(_: object) -> None:
        heard.set()

    quick = Page(server.url)
    quick.set_value(checkbox, True)
    assert heard.wait(5.0)
    quick.close()


def test_a_correction_that_a_newer_value_overtook_is_sent_again(
    server: GuardedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkbox = server.viser.gui.add_checkbox("c", False)
    message = {"type": "GuiUpdateMessage", "uuid": checkbox._impl.uuid, "updates": {"value": 7}}
    monkeypatch.setattr(corrections, "_SECOND_LOOK_S", 0.0)
    sent: list[object] = []

    class Outbox:
        client_id = 0

        def queue_message(self, message: Any) -> None:
            sent.append(message.updates["value"])

    async def refuse_and_change() -> None:
        outbox: Any = Outbox()
        puts_right = corrections.Corrections(outbox)
        puts_right.put_right(server.viser, message, is_typing=False, tell=lambda: None)
        checkbox.value = True
        while len(sent) < 2:
            await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(refuse_and_change(), 5.0))
    assert sent == [False, True]
