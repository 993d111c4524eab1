"""A client that speaks viser's wire format, for tests and benchmarks without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import msgspec
import viser
import zstandard
from websockets.sync.client import ClientConnection, connect

_HEADER_BYTES = 16


@dataclass(frozen=True)
class Window:
    """One frame from the server.

    Attributes:
        messages: The decoded messages, each with its ``type``.
        size_bytes: Length of the frame on the wire.
    """

    messages: tuple[dict[str, Any], ...]
    size_bytes: int


def decode(frame: bytes) -> Window:
    """Decode a frame: two lengths, a compressed msgpack document, raw arrays (left out)."""
    compressed_size = int.from_bytes(frame[8:_HEADER_BYTES], "little")
    compressed = frame[_HEADER_BYTES : _HEADER_BYTES + compressed_size]
    document = msgspec.msgpack.decode(zstandard.ZstdDecompressor().decompress(compressed))
    return Window(tuple(document["messages"]), len(frame))


class WireClient:
    """A connected page, as the server sees it."""

    def __init__(self, url: str, *, timeout_s: float = 10.0, **headers: str) -> None:
        """Connect; ``url`` is the page's http URL."""
        parts = urlsplit(url)
        self.timeout_s = timeout_s
        self.connection: ClientConnection = connect(
            f"ws://{parts.netloc}/",
            subprotocols=[f"viser-v{viser.__version__}"],  # pyright: ignore[reportArgumentType]
            additional_headers=headers,
            compression=None,
            max_size=None,
            # A page that is not read is closed at once, not after a timeout.
            max_queue=None,
            open_timeout=timeout_s,
        )

    def send(self, message_type: str, **fields: object) -> None:
        """Send one message as viser's page would."""
        self.connection.send(msgspec.msgpack.encode({"type": message_type, **fields}))

    def windows(self, *, timeout_s: float | None = None) -> Iterator[Window]:
        """Yield frames until none comes for the time given."""
        while True:
            try:
                frame = self.connection.recv(
                    timeout=self.timeout_s if timeout_s is None else timeout_s
                )
            except TimeoutError:
                return
            assert isinstance(frame, bytes)
            yield decode(frame)

    def replay(self) -> list[dict[str, Any]]:
        """Return what a page gets on connecting, up to viser's end-of-replay marker."""
        messages: list[dict[str, Any]] = []
        for window in self.windows():
            messages.extend(window.messages)
            if any(message["type"] == "ReplayDoneMessage" for message in window.messages):
                return messages
        raise AssertionError("the server never finished its replay")

    def close(self) -> None:
        """Disconnect."""
        self.connection.close()
