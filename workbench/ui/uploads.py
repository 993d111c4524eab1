"""Keeps uploads honest: viser holds every part in memory and believes what the client says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from viser import _messages
from viser.infra._async_message_buffer import AsyncMessageBuffer

from workbench.ui.frames import Refused

UPLOAD_LIMIT_BYTES = 50 * 1000 * 1000
_UPLOADS_AT_ONCE = 2
_LONGEST_NAME = 120
_UNSAFE_IN_NAMES = re.compile(r"[\x00-\x1f\x7f<>:\"|?*]")


@dataclass
class _Transfer:
    client_id: int
    button: str
    part_count: int
    size_bytes: int
    received_bytes: int = 0
    parts: set[int] = field(default_factory=set)


class Uploads:
    """The transfers under way. Used on the server's event loop alone."""

    def __init__(self, limit_bytes: int = UPLOAD_LIMIT_BYTES) -> None:
        """Start with none.

        Args:
            limit_bytes: Largest file that is taken.
        """
        self._limit_bytes = limit_bytes
        self._transfers: dict[str, _Transfer] = {}

    def start(self, client_id: int, message: Mapping[str, Any]) -> dict[str, Any]:
        """Take a transfer on.

        Returns:
            The message with a file name that is a name and no path.

        Raises:
            Refused: If the file is too large, the numbers do not fit together, or the client
                uploads too much at once.
        """
        size, count = message["size_bytes"], message["part_count"]
        if size > self._limit_bytes:
            raise Refused(f"The file is larger than {self._limit_bytes / 1e6:g} MB.")
        if count > size or (count == 0) != (size == 0):
            raise Refused("The number of parts does not fit the file's size.")
        if message["transfer_uuid"] in self._transfers:
            raise Refused("That upload has started already.")
        under_way = [one for one in self._transfers.values() if one.client_id == client_id]
        if len(under_way) >= _UPLOADS_AT_ONCE:
            raise Refused("Wait until the other uploads are done.")
        if count:
            button = message["source_component_uuid"]
            self._transfers[message["transfer_uuid"]] = _Transfer(client_id, button, count, size)
        return {**message, "filename": safe_name(message["filename"])}

    def part(self, client_id: int, message: Mapping[str, Any]) -> None:
        """Take one part.

        Raises:
            Refused: If the transfer is not this client's, or the part does not fit what was
                announced; the transfer is over then.
        """
        key = message["transfer_uuid"]
        transfer = self._transfers.get(key)
        if transfer is None or transfer.client_id != client_id:
            raise Refused("There is no such upload.", known=True)
        index, size = message["part_index"], len(message["content"])
        transfer.received_bytes += size
        last = len(transfer.parts) + 1 == transfer.part_count
        too_short = last and transfer.received_bytes != transfer.size_bytes
        if (
            message["source_component_uuid"] != transfer.button
            or index >= transfer.part_count
            or index in transfer.parts
            or size == 0
            or transfer.received_bytes > transfer.size_bytes
            or too_short
        ):
            del self._transfers[key]
            raise Refused("The upload is not what was announced.")
        transfer.parts.add(index)
        if last:
            del self._transfers[key]

    def drop_client(self, client_id: int) -> None:
        """Forget the transfers of a client that went away."""
        gone = [key for key, one in self._transfers.items() if one.client_id == client_id]
        for key in gone:
            del self._transfers[key]


def forget_acknowledged(buffer: AsyncMessageBuffer) -> None:
    """Delete viser's acknowledgements of uploads, once every open page has got them.

    viser keeps them and sends them to each page that opens later, which then tells of uploads of
    files called "undefined".

    Args:
        buffer: The messages that every new page gets.
    """
    with buffer.buffer_lock:
        got_by_all = min(buffer.generator_cursors.values(), default=buffer.message_counter)
        for number, message in list(buffer.message_from_id.items()):
            if number <= got_by_all and isinstance(message, _messages.FileTransferPartAck):
                buffer.pop_message_locked(number)


def safe_name(name: str) -> str:
    """Return the last segment of a file name, without characters that mean something elsewhere."""
    last = re.split(r"[/\\]", name)[-1]
    cleaned = _UNSAFE_IN_NAMES.sub("_", last).strip(" .")
    return cleaned[-_LONGEST_NAME:] or "upload"
