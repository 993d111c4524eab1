"""Stands between the network and viser: every request, every answer, every connection.

viser builds its server with ``websockets.asyncio.server.serve`` and offers no way to check a
request or a message. While :class:`viser.ViserServer` is built, that function is wrapped: the
socket is ours, and so are the check of every request, the headers of every answer and the class
of every connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import http
import logging
import socket
from collections.abc import Generator
from typing import Any

import viser
import websockets.asyncio.server
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from workbench.ui.access import Entry, Keys
from workbench.ui.connection import GuardedConnection, connection_class
from workbench.ui.frames import LONGEST_FRAME_BYTES
from workbench.ui.guard import SECURITY_HEADERS, ServedHosts, refusal
from workbench.ui.http import HTML, HttpAnswer, Router, health_answer, redirect_answer, text_answer
from workbench.ui.message_filter import MessageFilter

HEALTH_PATH = "/healthz"
GOODBYE_S = 0.4
"""How long a page may take to say goodbye when the server stops."""

_MOST_CLIENTS = 64
_ROUND_S = 0.005
_QUIET_ROUNDS = 3


class Gate:
    """The guard of one server, and what ends its connections.

    Attributes:
        host: Host that was asked for.
        port: Port that is bound.
        keys: The tokens.
        filter: Judges the messages of all clients.
        is_in_place: Whether viser's server was built through the gate.
        is_open: Whether requests are let in; until then they are answered with 503.
    """

    def __init__(
        self,
        *,
        host: str,
        port: int,
        served: ServedHosts,
        keys: Keys,
        router: Router,
        listener: socket.socket,
    ) -> None:
        """Stay closed until the server is complete."""
        self.host = host
        self.port = port
        self.keys = keys
        self.filter = MessageFilter()
        self.is_open = False
        self.is_in_place = False
        self._served = served
        self._router = router
        self._listener = listener
        self._server: websockets.asyncio.server.Server | None = None

    @contextlib.contextmanager
    def wrapped_around_viser(self) -> Generator[None]:
        """Let viser's call of ``websockets.asyncio.server.serve`` come here."""
        original = websockets.asyncio.server.serve
        websockets.asyncio.server.serve = self._serve
        try:
            yield
        finally:
            websockets.asyncio.server.serve = original

    def _serve(self, handler: Any, *_address: object, **options: Any) -> _QuickServe:
        """Serve on our own socket, with viser's handlers behind ours."""
        viser_page = options.pop("process_request")

        async def refuse_other_versions(connection: ServerConnection) -> None:
            wanted = f"viser-v{viser.__version__}"
            if connection.subprotocol != wanted:
                # viser would print what the client sent; its page shows this reason.
                await connection.close(1002, "Reload the page: its version is another one")
                return
            await handler(connection)

        def answer(connection: ServerConnection, request: Request) -> Response | None:
            if not isinstance(connection, GuardedConnection):
                raise TypeError("this connection is not guarded")
            own = self._answer(connection, request)
            if own is not None:
                return _response(own)
            return None if _is_upgrade(request) else viser_page(connection, request)

        options |= {
            "process_request": answer,
            "process_response": _secure,
            "create_connection": connection_class(self.filter),
            "sock": self._listener,
            "logger": _quiet_logger(),
            "max_size": LONGEST_FRAME_BYTES,
            "server_header": None,
        }
        serve_quickly = _QuickServe(refuse_other_versions, **options)
        self._server = serve_quickly.server
        self.is_in_place = True
        return serve_quickly

    def _answer(self, connection: GuardedConnection, request: Request) -> HttpAnswer | None:
        """Answer a request, or return None for one that viser may see."""
        if not self.is_open:
            return text_answer("The server is starting.\n", 503)
        target = request.path
        reason = refusal(target, request.headers, self._served, connection.local_address)
        if reason is not None:
            return text_answer(reason + "\n", 403)
        if target.partition("?")[0] == HEALTH_PATH and not _is_upgrade(request):
            return health_answer()
        entry = self.keys.enter(target, request.headers)
        if entry.access is None:
            return _no_entry(request)
        connection.access = entry.access
        return self._answer_visitor(entry, request)

    def _answer_visitor(self, entry: Entry, request: Request) -> HttpAnswer | None:
        if _is_upgrade(request):
            is_full = len(self.filter.client_ids) >= _MOST_CLIENTS
            return text_answer("Too many pages are open.\n", 503) if is_full else None
        if entry.redirect is not None:
            cookie = {} if entry.cookie is None else {"Set-Cookie": entry.cookie}
            return redirect_answer(entry.redirect, cookie)
        return self._router.answer(request.path)

    async def say_goodbye(self) -> None:
        """Stop listening, and tell the open pages that the server goes."""
        server = self._server
        if server is None:
            return
        _stop_accepting(server)
        goodbyes = [asyncio.ensure_future(one.close(1001)) for one in server.connections]
        if goodbyes:
            await asyncio.wait(goodbyes, timeout=GOODBYE_S)


class _QuickServe(websockets.asyncio.server.serve):
    """``serve`` that waits for nobody at its end, and leaves nothing behind in its loop."""

    async def __aexit__(self, *exception: Any) -> None:
        _stop_accepting(self.server)
        # One that was accepted a moment ago appears some turns of the loop later.
        quiet_rounds = 0
        while quiet_rounds < _QUIET_ROUNDS:
            quiet_rounds = 0 if self.server.handlers else quiet_rounds + 1
            for connection in list(self.server.handlers):
                connection.transport.abort()
            await asyncio.sleep(_ROUND_S)
        self.server.close(close_connections=False)
        await super().__aexit__(*exception)
        # What is left when the loop closes would be complained about on the terminal.
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await asyncio.get_running_loop().shutdown_asyncgens()
        await asyncio.sleep(_ROUND_S)


def _stop_accepting(server: websockets.asyncio.server.Server) -> None:
    """Let nobody else in, before the server is closed.

    asyncio drops a connection without closing it when its server was closed between the acceptance
    of the connection and the making of its transport.
    """
    loop = asyncio.get_running_loop()
    for listener in server.sockets:
        # Windows' loop has no readers, and accepts in another way.
        with contextlib.suppress(NotImplementedError):
            loop.remove_reader(listener.fileno())


def _no_entry(request: Request) -> HttpAnswer:
    """Answer a visitor without a token, or one whose cookie the browser held back.

    A strict cookie is not sent when a page of another site led here (a terminal in a browser that
    shows our URL, say), not even after our own redirect. From our own page it is.
    """
    message = "Open the URL with the token that the server printed."
    led_here = request.headers.get_all("Sec-Fetch-Site") == ["cross-site"]
    if led_here and request.headers.get_all("Sec-Fetch-Mode") == ["navigate"]:
        again = '<meta http-equiv="refresh" content="0">'
        return text_answer(f"<!doctype html>{again}<title>403</title>{message}\n", 403, HTML)
    return text_answer(message + "\n", 403)


def _is_upgrade(request: Request) -> bool:
    return bool(request.headers.get_all("Upgrade"))


def _response(answer: HttpAnswer) -> Response:
    headers = Headers(
        {
            "Content-Type": answer.content_type,
            "Content-Length": str(len(answer.body)),
            **answer.headers,
        }
    )
    return Response(answer.status, http.HTTPStatus(answer.status).phrase, headers, answer.body)


def _secure(connection: ServerConnection, request: Request, response: Response) -> Response:
    """Add to every answer what the browser is to enforce; leave the body off for HEAD."""
    for name, value in SECURITY_HEADERS:
        if name not in response.headers:
            response.headers[name] = value
    if response.status_code != 101 and "Connection" not in response.headers:
        response.headers["Connection"] = "close"
    if isinstance(connection, GuardedConnection) and connection.head_only:
        response.body = b""
    return response


def _quiet_logger() -> logging.Logger:
    """Return a logger for ``websockets`` that is silent about visitors who hang up or talk rubbish.

    What remains is an exception in a connection's handler: a bug, to be seen.
    """
    logger = logging.getLogger("workbench.ui.connections")
    if not logger.filters:
        logger.addFilter(lambda record: record.getMessage() == "connection handler failed")
    return logger
