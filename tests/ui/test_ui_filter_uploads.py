"""Files that a page sends, part by part."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ui.guarded_page import Page, Sentinel
from tests.wire import WireClient
from workbench.ui.server import GuardedServer


def upload(page: Page, button: Any, **changes: Any) -> None:
    fields: dict[str, Any] = {
        "source_component_uuid": button._impl.uuid,
        "transfer_uuid": "transfer",
        "filename": "config.yaml",
        "mime_type": "text/yaml",
        "part_count": 2,
        "size_bytes": 6,
    }
    page.send("FileTransferStartUpload", **{**fields, **changes})


def part(page: Page, button: Any, index: int, content: bytes, **changes: Any) -> None:
    fields: dict[str, Any] = {
        "source_component_uuid": button._impl.uuid,
        "transfer_uuid": "transfer",
        "part_index": index,
        "content": content,
    }
    page.send("FileTransferPart", **{**fields, **changes})


def test_an_upload_arrives_under_a_name_that_is_no_path(
    server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    button = server.viser.gui.add_upload_button("u")
    upload(page, button, filename="../../etc/pass\x00wd.yaml")
    part(page, button, 1, b"def")
    part(page, button, 0, b"abc")
    sentinel.wait(page)
    assert button.value.name == "pass_wd.yaml"
    assert button.value.content == b"abcdef"


def test_a_page_that_opens_later_hears_nothing_of_uploads(
    server: GuardedServer, page: Page
) -> None:
    button = server.viser.gui.add_upload_button("u")
    upload(page, button, transfer_uuid="earlier")
    for index, content in enumerate((b"abc", b"def")):
        part(page, button, index, content, transfer_uuid="earlier")
    page.until(lambda message: message.get("transferred_bytes") == 6)
    later = WireClient(server.url)
    try:
        told = {message["type"] for message in later.replay()}
    finally:
        later.close()
    assert "GuiUploadButtonMessage" in told
    assert "FileTransferPartAck" not in told


@pytest.mark.parametrize(
    "changes",
    [
        {"size_bytes": 60_000_000, "part_count": 115},
        {"size_bytes": 2**60},
        {"size_bytes": -1},
        {"size_bytes": 0},
        {"part_count": 0},
        {"part_count": 7},
        {"part_count": 2.5},
        {"filename": 7},
        {"filename": "x" * 2000},
        {"source_component_uuid": "none"},
    ],
)
def test_an_upload_that_cannot_be_meant_is_refused(
    changes: dict[str, Any], server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    button = server.viser.gui.add_upload_button("u")
    upload(page, button, **changes)
    part(page, button, 0, b"abc")
    part(page, button, 1, b"def")
    sentinel.wait(page)
    assert button.value.content == b""
    assert server.viser.gui._current_file_upload_states == {}


@pytest.mark.parametrize(
    "parts",
    [
        [(0, b"abc"), (0, b"def")],
        [(0, b"abc"), (2, b"def")],
        [(0, b"abc"), (1, b"defg")],
        [(0, b"abc"), (1, b"de")],
        [(0, b"abcdefg")],
        [(0, b"")],
    ],
)
def test_an_upload_that_breaks_its_word_is_dropped_with_all_that_came(
    parts: list[tuple[int, bytes]], server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    button = server.viser.gui.add_upload_button("u")
    upload(page, button)
    for index, content in parts:
        part(page, button, index, content)
    sentinel.wait(page)
    assert button.value.content == b""
    assert server.viser.gui._current_file_upload_states == {}


def test_nobody_can_write_into_somebody_else_s_upload(
    server: GuardedServer, sentinel: Sentinel, page: Page, other: Page
) -> None:
    button = server.viser.gui.add_upload_button("u")
    upload(page, button, transfer_uuid="mine")
    sentinel.wait(page)
    part(other, button, 0, b"evi", transfer_uuid="mine")
    sentinel.wait(other)
    part(page, button, 0, b"abc", transfer_uuid="mine")
    part(page, button, 1, b"def", transfer_uuid="mine")
    sentinel.wait(page)
    assert button.value.content == b"abcdef"


def test_a_client_has_two_uploads_at_once(
    server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    button = server.viser.gui.add_upload_button("u")
    for number in range(4):
        upload(page, button, transfer_uuid=f"at once {number}")
    sentinel.wait(page)
    assert len(server.viser.gui._current_file_upload_states) == 2
