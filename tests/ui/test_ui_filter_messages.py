"""Messages that are no values: those that pages send, and rubbish."""

from __future__ import annotations

import math

import msgspec
import pytest

from tests.ui.guarded_page import CAMERA, Page, Sentinel
from workbench.ui.frames import RULES
from workbench.ui.server import GuardedServer

NAN = math.nan


def test_forms_commands_and_holds_must_exist(
    server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    gui = server.viser.gui
    heard: list[str] = []
    with gui.add_form("f") as form:
        gui.add_text("t", "")
    command = gui.add_command("c")
    disabled = gui.add_command("d", disabled=True)
    button = gui.add_button("hold")

    @form.on_submit
    async def _(_: object) -> None:
        heard.append("form")

    @command.on_trigger
    async def _(_: object) -> None:
        heard.append("command")

    @disabled.on_trigger
    async def _(_: object) -> None:
        heard.append("disabled")

    @button.on_hold(callback_hz=10.0)
    async def _(_: object) -> None:
        heard.append("hold")

    refused = server.filter.refused_count
    for kind in ("GuiFormSubmitMessage", "GuiFormDirtyMessage", "CommandTriggerMessage"):
        page.send(kind, uuid=button._impl.uuid)
    page.send("CommandTriggerMessage", uuid=disabled._impl.uuid)
    page.send("GuiButtonHoldMessage", uuid=button._impl.uuid, frequency=11.0)
    page.send("GuiButtonHoldMessage", uuid="none", frequency=10.0)
    sentinel.wait(page)
    assert heard == []
    assert server.filter.refused_count == refused + 7
    page.send("GuiFormSubmitMessage", uuid=form._impl.uuid)
    page.send("CommandTriggerMessage", uuid=command._impl.uuid)
    page.send("GuiButtonHoldMessage", uuid=button._impl.uuid, frequency=10.0)
    sentinel.wait(page)
    assert heard == ["form", "command", "hold"]


@pytest.mark.parametrize(
    "message",
    [
        {"type": "ShareUrlRequest"},
        {"type": "ShareUrlDisconnect"},
        {"type": "ResetGuiMessage"},
        {"type": "RunJavascriptMessage", "source": "alert(1)"},
        {"type": "SetPositionMessage", "name": "/gizmo", "position": [1.0, 1.0, 1.0]},
        {"type": "SceneNodeUpdateMessage", "name": "/gizmo", "updates": {"scale": 9.0}},
        {"type": "GuiRemoveMessage", "uuid": "x"},
        {"type": "Message"},
        {"type": "NoSuchMessage"},
        {"type": 7},
        {"type": ["GuiUpdateMessage"]},
        {},
        [],
        None,
        "GuiUpdateMessage",
        {"type": "GuiUpdateMessage"},
        {"type": "GuiUpdateMessage", "uuid": ["x"], "updates": {"value": 1}},
        {"type": "ViewerCameraMessage", **CAMERA, "fov": "wide"},
        {"type": "ViewerCameraMessage", **CAMERA, "position": [NAN, 0, 0]},
        {"type": "ViewerCameraMessage", **CAMERA, "image_width": 1e400},
    ],
)
def test_messages_that_clients_do_not_send_are_dropped(
    message: object, server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    refused = server.filter.refused_count
    page.connection.send(msgspec.msgpack.encode(message))
    sentinel.wait(page)
    assert server.filter.refused_count == refused + 2


@pytest.mark.parametrize(
    "frame", ["text", b"", b"\xc1", b"\x82\xa4type", b"\x91" * 200_000, b"\xdf\xff\xff\xff\xff"],
    ids=["text", "empty", "reserved", "cut off", "deep", "huge map"],
)  # fmt: skip
def test_rubbish_kills_neither_server_nor_connection_and_prints_nothing(
    frame: str | bytes, sentinel: Sentinel, page: Page, capfd: pytest.CaptureFixture[str]
) -> None:
    page.connection.send(frame)
    sentinel.wait(page)
    assert capfd.readouterr() == ("", "")


def test_every_field_of_every_message_is_checked() -> None:
    for kind, rules in RULES.items():
        for name, rule in rules.items():
            assert not rule.accepts(object()), (kind, name)
