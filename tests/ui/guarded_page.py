"""A page of a guarded server as a script drives it, for the server's tests."""

from __future__ import annotations

import http.client
import itertools
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import viser
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.wire import WireClient
from workbench.ui.server import GuardedServer, ServerOptions, serve

PATIENCE_S = 10.0
CAMERA: dict[str, Any] = {
    "wxyz": [1.0, 0.0, 0.0, 0.0],
    "position": [1.0, 1.0, 1.0],
    "fov": 1.3,
    "near": 0.01,
    "far": 1000.0,
    "image_height": 600,
    "image_width": 800,
    "look_at": [0, 0, 0],
    "up_direction": [0.0, 0.0, 1.0],
}


@dataclass(frozen=True)
class Reply:
    """An answer over HTTP, header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


def ask(
    port: int,
    target: str,
    *,
    method: str = "GET",
    host: str = "127.0.0.1",
    headers: list[tuple[str, str]] | None = None,
    send_host: bool = True,
) -> Reply:
    """Send one request with exactly these headers."""
    connection = http.client.HTTPConnection(host, port, timeout=PATIENCE_S)
    try:
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        if send_host and not any(name.lower() == "host" for name, _ in headers or ()):
            connection.putheader(
                "Host", f"{host}:{port}" if ":" not in host else f"[{host}]:{port}"
            )
        for name, value in headers or ():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        names = {name.lower(): value for name, value in answer.getheaders()}
        return Reply(answer.status, names, answer.read())
    finally:
        connection.close()


class Page(WireClient):
    """A connected page: it has sent its camera, and can wait for what comes back."""

    def __init__(self, url: str, *, camera: bool = True, **headers: str) -> None:
        super().__init__(url, timeout_s=PATIENCE_S, **headers)
        self._replayed = self.replay()
        if camera:
            self.send("ViewerCameraMessage", **CAMERA)

    def set_value(self, handle: Any, value: object) -> None:
        self.send("GuiUpdateMessage", uuid=handle._impl.uuid, updates={"value": value})

    def until(self, matches: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
        """Return the messages up to the first one that matches, that one included."""
        seen: list[dict[str, Any]] = []
        for window in self.windows():
            seen.extend(window.messages)
            if any(matches(message) for message in window.messages):
                return seen
        raise AssertionError(f"what was waited for never came; {len(seen)} other messages did")


def is_update(message: dict[str, Any], handle: Any) -> bool:
    """Tell whether a message gives a control a value."""
    return message["type"] == "GuiUpdateMessage" and message["uuid"] == handle._impl.uuid


class Sentinel:
    """Tells when everything that a page sent has been judged.

    A value that its drop-down does not have comes back at once, and only to the page that sent
    it; messages are judged in order.
    """

    def __init__(self, server: GuardedServer) -> None:
        self._handle = server.viser.gui.add_dropdown("sentinel", ["this"])
        self._numbers = itertools.count()

    def wait(self, page: Page) -> list[dict[str, Any]]:
        """Return what the page got until its messages had been judged, without the sentinel's."""
        uuid = self._handle._impl.uuid
        page.set_value(self._handle, f"not this {next(self._numbers)}")
        seen = page.until(lambda message: is_update(message, self._handle))
        return [message for message in seen if message.get("uuid") != uuid]


def pose_of(gizmo: viser.TransformControlsHandle) -> tuple[list[float], list[float]]:
    return [float(number) for number in gizmo.position], [float(number) for number in gizmo.wxyz]


def netloc(server: GuardedServer) -> str:
    return urlsplit(server.url).netloc


def about(messages: list[dict[str, Any]], handle: Any) -> list[dict[str, Any]]:
    return [message for message in messages if is_update(message, handle)]


@contextmanager
def serving(**options: Any) -> Iterator[GuardedServer]:
    running = serve(ServerOptions(**{"port": 0, **options}), {})
    try:
        yield running
    finally:
        running.stop()


def handshake_status(server: GuardedServer, **headers: str) -> int:
    """Return the status with which a WebSocket handshake is answered, 101 when it succeeds."""
    address = ("127.0.0.1", server.port)
    try:
        with socket.create_connection(address) as raw, connect(
            f"ws://{netloc(server)}/",
            sock=raw,
            subprotocols=[f"viser-v{viser.__version__}"],  # pyright: ignore[reportArgumentType]
            additional_headers=headers,
            max_queue=None,
        ):  # fmt: skip
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


def raw_answer(port: int, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as raw:
        for number in range(len(request)):
            raw.sendall(request[number : number + 1])
        received = b""
        while chunk := raw.recv(65536):
            received += chunk
        return received
