"""A WebSocket connection whose frames are judged before viser sees them.

``websockets`` lets a server choose the class of its connections. This one answers requests other
than GET (``websockets`` would hang up without a word) and hands viser those frames only that the
message filter admits. Whatever way viser may use to receive in a later release, it is this one or
it fails: no frame goes around the filter.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from websockets.asyncio.server import ServerConnection

from workbench.ui.access import Access
from workbench.ui.guard import SECURITY_HEADERS

if TYPE_CHECKING:
    from websockets.asyncio.server import Server
    from websockets.server import ServerProtocol

_LONGEST_METHOD = 16


class Admission(Protocol):
    """Judges the frames of all connections."""

    def admit(self, connection: GuardedConnection, frame: str | bytes) -> bytes | None:
        """Return the frame that viser may see, or None for one that is refused."""
        ...


class GuardedConnection(ServerConnection):
    """One browser tab, script or HTTP request.

    Attributes:
        access: What its visitor may do, decided at the handshake.
        client_id: viser's number of the client, None before it has one.
        head_only: Whether the request was HEAD: an answer without its body.
        admission: Judges the frames; set by :func:`connection_class`.
    """

    admission: Admission

    def __init__(self, protocol: ServerProtocol, server: Server, **options: Any) -> None:
        """Start without rights and without a number."""
        super().__init__(protocol, server, **options)
        self.access = Access.LOOK
        self.client_id: int | None = None
        self.head_only = False
        self._request_line: bytearray | None = bytearray()
        self._refused_method = False

    @property
    def local_address(self) -> str | None:
        """Address of this machine on which the connection came in."""
        name = self.transport.get_extra_info("sockname")
        return name[0] if isinstance(name, tuple) else None

    def data_received(self, data: bytes) -> None:
        """Look at the request's method first, then pass everything on."""
        if self._refused_method:
            return
        if self._request_line is None:
            super().data_received(data)
            return
        self._request_line += data
        method, space, _ = self._request_line.partition(b" ")
        if not space and len(self._request_line) <= _LONGEST_METHOD:
            return
        received, self._request_line = bytes(self._request_line), None
        if method == b"HEAD":
            self.head_only = True
            received = b"GET" + received[len(b"HEAD") :]
        elif method != b"GET":
            self._refuse_method(bytes(method))
            return
        super().data_received(received)

    def _refuse_method(self, method: bytes) -> None:
        """Answer a request that is not to read: 405, or 400 for what is no HTTP."""
        status = "405 Method Not Allowed" if method.isalpha() and method.isupper() else None
        lines = [f"HTTP/1.1 {status or '400 Bad Request'}", "Content-Length: 0"]
        lines += ["Connection: close", *(f"{name}: {value}" for name, value in SECURITY_HEADERS)]
        if status:
            lines.append("Allow: GET, HEAD")
        self.transport.write("\r\n".join([*lines, "", ""]).encode())
        # Closed at once, what is still on its way here would reset the connection, and the sender
        # would never read this answer. The time for a handshake ends it.
        self.transport.write_eof()
        self._refused_method = True

    async def recv(self, decode: bool | None = None) -> Any:
        """Return the next frame that the filter admits."""
        while True:
            # viser applies each message in a task of its own. Those of the message before get
            # their turn now, so that this one is judged by what is in force.
            await asyncio.sleep(0)
            admitted = self.admission.admit(self, await super().recv(decode))
            if admitted is not None:
                return admitted

    def recv_streaming(self, decode: bool | None = None) -> NoReturn:
        """Refuse: frames in pieces cannot be judged."""
        raise NotImplementedError("frames are received whole, through recv()")


def connection_class(admission: Admission) -> type[GuardedConnection]:
    """Return the connection class of one server, bound to its message filter."""
    return type("BoundConnection", (GuardedConnection,), {"admission": admission})
