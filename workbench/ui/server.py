"""The page's server: viser's, bound to exactly the port that was asked for, behind the guard."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import functools
import socket
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import NoReturn

import rich
import viser
from viser import _messages
from viser.infra import WebsockClientConnection
from viser.infra._messages import wire_field_names

from workbench.errors import ServerError
from workbench.ui.access import Access, Keys
from workbench.ui.binding import bind
from workbench.ui.connection import GuardedConnection
from workbench.ui.frames import RULES
from workbench.ui.gate import GOODBYE_S, HEALTH_PATH, Gate
from workbench.ui.guard import ServedHosts, is_loopback, is_wildcard
from workbench.ui.http import HttpAnswer, Route, Router, health_answer, redirect_answer
from workbench.ui.static_pages import favicon, static_file
from workbench.ui.uploads import forget_acknowledged

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8080
_BUILDING = threading.Lock()
"""Two servers that are built at once would each wrap the other's function."""


@dataclass(frozen=True)
class ServerOptions:
    """Where and for whom the page is served.

    Attributes:
        host: Address or name to bind.
        port: Port to bind; 0 takes a free one.
        allowed_hosts: Further ``NAME[:PORT]`` under which the page may be reached.
        token: Token that visitors need; None for a random one where one is needed.
        read_only: Whether everybody only looks.
        title: Shown at the top of the page's main panel.
    """

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    allowed_hosts: tuple[str, ...] = ()
    token: str | None = None
    read_only: bool = False
    title: str | None = "IK Workbench"


class GuardedServer:
    """A running server. Made by :func:`serve`.

    Attributes:
        viser: The viser server that draws the page.
        filter: Judges what browsers send.
        host: Host that was asked for.
        port: Port that is bound.
    """

    def __init__(self, gate: Gate, server: viser.ViserServer) -> None:
        """Take over a server that is built."""
        self.viser = server
        self.filter = gate.filter
        self.host = gate.host
        self.port = gate.port
        self._gate = gate
        self._connect_callbacks: list[Callable[[int], None]] = []
        self._disconnect_callbacks: list[Callable[[int], None]] = []
        self._stopped = False
        # viser ends itself at exit, too, and says so; what was registered last runs first.
        atexit.register(self.stop)
        infrastructure = server._websock_server
        infrastructure.on_client_connect(self._client_came)
        infrastructure.on_client_disconnect(self._client_went)

    @property
    def url(self) -> str:
        """Address of the page for a browser on this machine, with the token where one is needed."""
        return self._address() + self._gate.keys.query(Access.EDIT)

    @property
    def look_url(self) -> str | None:
        """Address whose token only looks; None where no token is needed."""
        query = self._gate.keys.query(Access.LOOK)
        return self._address() + query if query else None

    @property
    def client_count(self) -> int:
        """How many pages are open."""
        return len(self.filter.client_ids)

    def can_edit(self, client_id: int) -> bool:
        """Tell whether a client may change things."""
        return self.filter.access_of(client_id) is Access.EDIT

    def on_connect(self, callback: Callable[[int], None]) -> None:
        """Tell ``callback(client_id)`` of every page that opens, on the server's event loop."""
        self._connect_callbacks.append(callback)

    def on_disconnect(self, callback: Callable[[int], None]) -> None:
        """Tell ``callback(client_id)`` of every page that closes, on the server's event loop."""
        self._disconnect_callbacks.append(callback)

    def stop(self) -> None:
        """Close every connection and end the server's thread, without a word; at most 1 s."""
        if self._stopped:
            return
        self._stopped = True
        atexit.unregister(self.stop)
        with _viser_keeps_quiet():
            self._say_goodbye()
            self.viser.stop()

    def _say_goodbye(self) -> None:
        goodbye = self._gate.say_goodbye()
        try:
            said = asyncio.run_coroutine_threadsafe(goodbye, self.viser.get_event_loop())
        except RuntimeError:
            goodbye.close()  # The loop has ended already, and everybody is gone.
            return
        with contextlib.suppress(TimeoutError, CancelledError):
            said.result(timeout=2 * GOODBYE_S)

    @property
    def outside_url(self) -> str | None:
        """Address of the page for other machines, when every address of this one is bound."""
        if not is_wildcard(self.host):
            return None
        address = outside_address(ipv6=":" in self.host)
        if address is None:
            return None
        return self._address(address) + self._gate.keys.query(Access.EDIT)

    def _address(self, host: str | None = None) -> str:
        host = host or self.host
        if is_wildcard(host):
            host = "127.0.0.1" if host != "::" else "::1"
        return f"http://[{host}]:{self.port}/" if ":" in host else f"http://{host}:{self.port}/"

    async def _client_came(self, outbox: WebsockClientConnection) -> None:
        connection = self.viser._websock_server._live_connections[outbox.client_id]
        if not isinstance(connection, GuardedConnection):
            raise TypeError("viser accepted a connection that is not guarded")
        forget_acknowledged(self.viser._websock_server._broadcast_buffer)
        self.filter.add_client(connection, outbox)
        for callback in self._connect_callbacks:
            callback(outbox.client_id)

    async def _client_went(self, outbox: WebsockClientConnection) -> None:
        self.filter.drop_client(outbox.client_id)
        for callback in self._disconnect_callbacks:
            callback(outbox.client_id)


def outside_address(*, ipv6: bool) -> str | None:
    """Return this machine's address as other machines see it, or None without a network.

    Connecting a datagram socket sends nothing; it only makes the system choose a route, here to an
    address that is reserved for documentation (RFC 5737, RFC 3849).
    """
    family, far_away = (socket.AF_INET6, "2001:db8::1") if ipv6 else (socket.AF_INET, "192.0.2.1")
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((far_away, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return None


def serve(options: ServerOptions, routes: Mapping[str, Route]) -> GuardedServer:
    """Start the server; requests are answered with 503 until its message filter is in place.

    Args:
        options: Where and for whom.
        routes: Answers over HTTP by path, besides those for health and static files. They run on
            the server's event loop and must be quick.

    Raises:
        ServerError: If the port is taken, the host cannot be bound, or the installed viser is
            not built as this guard expects.
        UsageError: If an allowed host or the token cannot be used.
    """
    listener = bind(options.host, options.port)
    try:
        bound_host, port = listener.getsockname()[:2]
        served = ServedHosts.build((options.host, bound_host), port, options.allowed_hosts)
        keys = Keys.make(
            needed=not is_loopback(bound_host),
            token=options.token,
            port=port,
            read_only=options.read_only,
        )
    except Exception:
        listener.close()
        raise
    gate = Gate(
        host=options.host,
        port=port,
        served=served,
        keys=keys,
        router=_router(routes),
        listener=listener,
    )
    with _BUILDING, _viser_keeps_quiet(), gate.wrapped_around_viser():
        server = viser.ViserServer(host=options.host, port=port, label=options.title, verbose=False)
    if not gate.is_in_place:
        server.stop()
        listener.close()
        raise ServerError(
            "the installed viser starts its server in a way that cannot be guarded",
            field="viser",
            value=viser.__version__,
            expected="a 1.1 release",
        )
    guarded = GuardedServer(gate, server)
    try:
        _check_viser(server)
    except ServerError:
        guarded.stop()
        raise
    _close_share_tunnel(server)
    gate.filter.attach(server)
    gate.is_open = True
    return guarded


def _router(routes: Mapping[str, Route]) -> Router:
    def report(path: str, error: Exception) -> None:
        print(f"{path} failed: {type(error).__name__}: {error}", file=sys.stderr)

    def start_page() -> HttpAnswer:
        # viser's page takes the path that it was loaded from for a part of the server's address.
        return redirect_answer("/")

    own = {HEALTH_PATH: health_answer, "/favicon.ico": favicon, "/index.html": start_page}
    return Router({**own, **routes}, {"/static/": static_file}, report)


def _close_share_tunnel(server: viser.ViserServer) -> None:
    """Make sure that neither a client nor our own code can publish the page through viser's tunnel.

    The clients' messages are not on the filter's list; this takes away what they would call.
    """

    def refuse(verbose: bool = True) -> NoReturn:
        raise ServerError("the page is never published through viser's public tunnel")

    server.request_share_url = refuse
    configure_theme = functools.partial(server.gui.configure_theme, show_share_button=False)
    server.gui.configure_theme = configure_theme
    server.gui.configure_theme()


def _check_viser(server: viser.ViserServer) -> None:
    """Fail at the start if this viser is not the one that the filter was written for.

    Raises:
        ServerError: If something that the filter reads is gone, or a message has other fields.
    """
    infrastructure = server._websock_server
    needed: tuple[tuple[object, tuple[str, ...]], ...] = (
        (
            infrastructure,
            ("_broadcast_buffer", "_live_connections", "on_client_connect", "on_client_disconnect"),
        ),
        (
            getattr(infrastructure, "_broadcast_buffer", None),
            (
                "buffer_lock",
                "generator_cursors",
                "message_counter",
                "message_from_id",
                "pop_message_locked",
            ),
        ),
        (
            server.gui,
            (
                "_gui_input_handle_from_uuid",
                "_container_handle_from_uuid",
                "_command_handle_from_uuid",
                "_drop_uploads_from_client",
            ),
        ),
        (server.scene, ("_handle_from_transform_controls_name",)),
    )
    missing = [
        f"{type(holder).__name__}.{name}"
        for holder, names in needed
        for name in names
        if not hasattr(holder, name)
    ]
    known = _messages.Message._subclass_from_type_string()
    for kind, rules in RULES.items():
        fields = set(wire_field_names(known[kind])) if kind in known else set()
        if fields != set(rules):
            missing.append(kind)
    if missing:
        raise ServerError(
            f"the installed viser {viser.__version__} is not the one that the message filter knows",
            field=", ".join(missing),
            expected="a 1.1 release",
        )


@contextlib.contextmanager
def _viser_keeps_quiet() -> Generator[None]:
    """Keep viser's banners, which it prints through rich's shared console, off the terminal."""
    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before
