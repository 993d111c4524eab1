"""A server from its start to its end: the port, the clients, what is left behind."""

from __future__ import annotations

import asyncio
import gc
import http.client
import logging
import socket
import threading
from typing import Any

import pytest
import viser
import websockets.asyncio.server
from websockets.exceptions import ConnectionClosed

from tests.ui.guarded_page import (
    PATIENCE_S,
    Page,
    Sentinel,
    ask,
    handshake_status,
    raw_answer,
    serving,
)
from workbench.errors import ServerError, UsageError
from workbench.ui import server as server_module
from workbench.ui.server import GuardedServer, ServerOptions, serve


def test_the_default_is_loopback_port_8080() -> None:
    assert (ServerOptions().host, ServerOptions().port) == ("127.0.0.1", 8080)


def test_the_port_that_was_asked_for_is_bound() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with serving(port=port) as running:
        assert running.port == port
        assert running.url == f"http://127.0.0.1:{port}/"
        assert running.look_url is None
        assert running.viser.get_port() == port
        assert ask(port, "/").status == 200


def test_port_0_takes_a_free_one(server: GuardedServer) -> None:
    assert server.port > 0
    assert ask(server.port, "/healthz").text == "ok\n"


def test_a_taken_port_is_an_error_that_names_it_and_offers_port_0(server: GuardedServer) -> None:
    with pytest.raises(ServerError) as caught:
        serve(ServerOptions(port=server.port), {})
    assert str(server.port) in str(caught.value)
    assert "--port 0" in str(caught.value)


@pytest.mark.parametrize(
    ("host", "port"), [("192.0.2.1", 0), ("no such host.invalid", 0), ("127.0.0.1", 70000)]
)
def test_what_cannot_be_bound_is_an_error(host: str, port: int) -> None:
    with pytest.raises(ServerError, match=r"--host|--port"):
        serve(ServerOptions(host=host, port=port), {})


@pytest.mark.parametrize("options", [{"allowed_hosts": ("a b",)}, {"token": "short"}])
def test_an_option_that_is_refused_leaves_the_port_free(options: dict[str, Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with pytest.raises(UsageError):
        serve(ServerOptions(port=port, **options), {})
    socket.create_server(("127.0.0.1", port)).close()


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_ipv6_loopback_needs_no_token() -> None:
    with serving(host="::1") as running:
        assert running.url == f"http://[::1]:{running.port}/"
        assert ask(running.port, "/", host="::1").status == 200
        assert ask(running.port, "/", host="::1", headers=[("Host", "[::2]:80")]).status == 403
        page = Page(running.url)
        page.close()


def test_nothing_is_printed_from_start_to_stop(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with serving() as running:
        page = Page(running.url)
        page.send("ShareUrlRequest")
        Sentinel(running).wait(page)
        ask(running.port, "/")
        ask(running.port, "/", method="POST")
        raw_answer(running.port, b"\x16\x03\x01 tls\r\n\r\n")
        raw_answer(running.port, b"GET / HTTP/1.0\r\n\r\n")
    assert capfd.readouterr() == ("", "")
    # Warnings and errors would go to the terminal where nobody captures logs.
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_websockets_is_left_as_it_was() -> None:
    before = websockets.asyncio.server.serve
    with serving():
        assert websockets.asyncio.server.serve is before


def test_a_viser_that_starts_its_server_another_way_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class OtherViser:
        def __init__(self, **_options: object) -> None:
            self.stopped = False

        def stop(self) -> None:
            self.stopped = True

    monkeypatch.setattr(viser, "ViserServer", OtherViser)
    with pytest.raises(ServerError, match="cannot be guarded"):
        serve(ServerOptions(port=0), {})


def test_a_viser_whose_messages_have_other_fields_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server_module, "RULES", {**server_module.RULES, "GuiUpdateMessage": {}})
    with pytest.raises(ServerError, match="GuiUpdateMessage"):
        serve(ServerOptions(port=0), {})


def test_nobody_comes_in_before_the_message_filter_is_in_place() -> None:
    with serving() as running:
        running._gate.is_open = False
        assert ask(running.port, "/").status == 503
        assert ask(running.port, "/healthz").status == 503
        assert handshake_status(running) == 503
        running._gate.is_open = True
        assert handshake_status(running) == 101


def test_pages_that_open_and_close_are_counted() -> None:
    with serving() as running:
        came, went = threading.Event(), threading.Event()
        numbers: list[int] = []
        running.on_connect(lambda client: (numbers.append(client), came.set())[1])
        running.on_disconnect(lambda client: (numbers.append(client), went.set())[1])
        assert running.client_count == 0
        page = Page(running.url)
        assert came.wait(5) and running.client_count == 1
        page.close()
        assert went.wait(5) and running.client_count == 0
        assert numbers[0] == numbers[1]
        assert not running.can_edit(numbers[0])


def test_viser_s_public_tunnel_stays_shut() -> None:
    with serving() as running:
        page = Page(running.url)
        page.send("ShareUrlRequest")
        Sentinel(running).wait(page)
        assert running.viser._share_tunnel is None
        with pytest.raises(ServerError):
            running.viser.request_share_url()
        running.viser.gui.configure_theme(dark_mode=True)
        late = Page(running.url, camera=False)
        themes = [one for one in late._replayed if one["type"] == "ThemeConfigurationMessage"]
        assert themes and themes[-1]["dark_mode"] is True
        assert not any(theme["show_share_button"] for theme in themes)
        page.close()
        late.close()


def test_stop_ends_everything_and_frees_the_port(capfd: pytest.CaptureFixture[str]) -> None:
    running = serve(ServerOptions(port=0), {})
    page = Page(running.url)
    half_open = http.client.HTTPConnection("127.0.0.1", running.port)
    half_open.connect()
    assert half_open.sock is not None
    half_open.sock.sendall(b"GET / HT")
    thread = running.viser._websock_server._server_thread
    running.stop()
    running.stop()
    assert thread is not None and not thread.is_alive()
    socket.create_server(("127.0.0.1", running.port)).close()
    with pytest.raises(ConnectionClosed):
        while True:
            page.connection.recv(timeout=5)
    half_open.close()
    assert capfd.readouterr() == ("", "")


def test_visitors_who_come_at_the_last_moment_leave_nothing_behind(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        running = serve(ServerOptions(port=0), {})
        loop = running.viser.get_event_loop()
        thread = running.viser._websock_server._server_thread
        late: list[socket.socket] = []
        stopping = come_while_it_stops(running, late)
        asyncio.run_coroutine_threadsafe(stopping, loop).result(PATIENCE_S)
        running.stop()
        assert thread is not None and not thread.is_alive()
        assert asyncio.all_tasks(loop) == set()
        for visitor in late:
            assert is_hung_up_on(visitor)
            visitor.close()
        # What the loop still holds would complain when it is collected.
        del running, loop
        gc.collect()
    assert [record.getMessage() for record in caplog.records] == []
    assert capfd.readouterr().err == ""


async def come_while_it_stops(running: GuardedServer, late: list[socket.socket]) -> None:
    """Connect in the very turn of the server's loop that ends it: it accepts while it stops."""
    late += [socket.create_connection(("127.0.0.1", running.port)) for _ in range(8)]
    stop_event = running.viser._websock_server._stop_event
    assert stop_event is not None
    stop_event.set()


def is_hung_up_on(visitor: socket.socket) -> bool:
    """Tell whether the other end of a connection is closed."""
    visitor.settimeout(1.0)
    try:
        return visitor.recv(1) == b""
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


def test_a_page_that_never_answers_does_not_hold_up_the_end() -> None:
    running = serve(ServerOptions(port=0), {})
    with socket.create_connection(("127.0.0.1", running.port)) as silent:
        request = (
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{running.port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Protocol: viser-v{viser.__version__}\r\n\r\n"
        )
        silent.sendall(request.encode())
        assert b"101" in silent.recv(100)
        thread = running.viser._websock_server._server_thread
        running.stop()
        assert thread is not None and not thread.is_alive()
