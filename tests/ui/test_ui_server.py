from __future__ import annotations

import gc
import http.client
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import viser
import websockets.asyncio.server
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.ui.guarded_page import Page, Reply, Sentinel, ask, netloc
from workbench.errors import ServerError, UsageError
from workbench.ui import server as server_module
from workbench.ui.access import Access
from workbench.ui.guard import CONTENT_SECURITY_POLICY
from workbench.ui.server import GuardedServer, ServerOptions, serve

SECRET = "correct-horse-battery"


@contextmanager
def serving(**options: Any) -> Iterator[GuardedServer]:
    running = serve(ServerOptions(**{"port": 0, **options}), {})
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="module")
def server() -> Iterator[GuardedServer]:
    with serving() as running:
        yield running


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


# Binding -------------------------------------------------------------------------------------


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


# Guard ---------------------------------------------------------------------------------------


def test_our_page_is_served_and_connects(server: GuardedServer) -> None:
    answer = ask(server.port, "/")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert b"<!doctype html>" in answer.body[:100].lower()
    assert handshake_status(server, Origin=f"http://{netloc(server)}") == 101
    assert handshake_status(server) == 101


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "localhost"]
)
def test_a_rebound_name_gets_nothing(host: str, server: GuardedServer) -> None:
    host = host.format(port=server.port)
    for target in ("/", "/healthz", "/static/logo.svg"):
        assert ask(server.port, target, headers=[("Host", host)]).status == 403
    key = "dGhlIHNhbXBsZSBub25jZQ=="
    upgrade = [
        ("Host", host), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
        ("Sec-WebSocket-Key", key), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Protocol", f"viser-v{viser.__version__}"),
    ]  # fmt: skip
    assert ask(server.port, "/", headers=upgrade).status == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:1", "file://"])
def test_a_page_of_another_origin_gets_nothing(origin: str, server: GuardedServer) -> None:
    assert ask(server.port, "/", headers=[("Origin", origin)]).status == 403
    assert handshake_status(server, Origin=origin) == 403


def test_a_request_without_host_or_with_two_gets_nothing(server: GuardedServer) -> None:
    assert ask(server.port, "/", send_host=False).status == 403
    ours = ("Host", f"127.0.0.1:{server.port}")
    assert ask(server.port, "/", headers=[ours, ours]).status == 403


@pytest.mark.parametrize("key", ["websocket", "playbackPath", "%77ebsocket", "WEBSOCKET"])
def test_a_link_to_another_scene_gets_nothing(key: str, server: GuardedServer) -> None:
    for target in (f"/?{key}=ws://evil.example", f"/?darkMode&{key}", f"/api/state?{key}=1"):
        answer = ask(server.port, target)
        assert answer.status == 403
        assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY


def test_camera_and_dark_mode_links_still_work(server: GuardedServer) -> None:
    query = "initialCameraPosition=1,1,1&initialCameraLookAt=0,0,0&initialCameraUp=0,0,1&darkMode"
    assert ask(server.port, f"/?{query}").status == 200


@pytest.mark.parametrize(
    "target", ["/", "/healthz", "/nothing", "/static/help/getting-started", "/?websocket=x"]
)
def test_every_answer_tells_the_browser_what_our_pages_may_do(
    target: str, server: GuardedServer
) -> None:
    headers = ask(server.port, target).headers
    assert headers["content-security-policy"] == (
        "connect-src 'self' data: blob:; frame-ancestors 'none'; object-src 'none'; base-uri 'none'"
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


def test_an_allowed_host_is_served_over_http_and_websocket() -> None:
    with serving(allowed_hosts=("ik.example.org:443",)) as running:
        host = ("Host", "ik.example.org")
        assert ask(running.port, "/", headers=[host]).status == 200
        ours = [host, ("Origin", "https://ik.example.org")]
        assert ask(running.port, "/", headers=ours).status == 200
        assert (
            ask(running.port, "/", headers=[host, ("Origin", "http://ik.example.org:9")]).status
            == 403
        )
        assert handshake_status(running, Origin="https://ik.example.org") == 101


def test_a_browser_that_holds_another_version_is_told_to_reload(
    server: GuardedServer, capfd: pytest.CaptureFixture[str]
) -> None:
    with (
        connect(
            f"ws://{netloc(server)}/",
            subprotocols=["viser-v0.0.0" + "x" * 200],  # pyright: ignore[reportArgumentType]
        ) as connection,
        pytest.raises(ConnectionClosed) as closed,
    ):
        connection.recv(timeout=10)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1002
    assert "Reload" in closed.value.rcvd.reason
    assert capfd.readouterr() == ("", "")


# Methods -------------------------------------------------------------------------------------


def test_head_is_get_without_the_body(server: GuardedServer) -> None:
    for target in ("/", "/healthz"):
        whole, head = ask(server.port, target), ask(server.port, target, method="HEAD")
        assert head.status == 200
        assert head.body == b""
        assert head.headers["content-length"] == str(len(whole.body))


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "PATCH"])
def test_other_methods_are_not_allowed(method: str, server: GuardedServer) -> None:
    answer = ask(server.port, "/healthz", method=method)
    assert answer.status == 405
    assert answer.headers["allow"] == "GET, HEAD"


def test_a_request_may_come_byte_by_byte(server: GuardedServer) -> None:
    host = f"Host: 127.0.0.1:{server.port}\r\n".encode()
    assert raw_answer(server.port, b"GET /healthz HTTP/1.1\r\n" + host + b"\r\n").endswith(b"ok\n")
    assert b" 405 " in raw_answer(server.port, b"POST / HTTP/1.1\r\n" + host + b"\r\n")[:20]


@pytest.mark.parametrize(
    "rubbish", [b"\x16\x03\x01\x02\x00\x01\x00 ", b"hello there\r\n", b"x" * 100]
)
def test_what_is_no_http_is_a_bad_request(rubbish: bytes, server: GuardedServer) -> None:
    assert raw_answer(server.port, rubbish).startswith(b"HTTP/1.1 400 ")


# Access --------------------------------------------------------------------------------------


def enter(server: GuardedServer, url: str) -> str:
    """Open a printed URL as a browser does; return the cookie."""
    answer: Reply = ask(server.port, "/" + url.partition("?")[1] + url.partition("?")[2])
    assert answer.status == 303
    assert answer.headers["location"] == "/"
    return answer.headers["set-cookie"].partition(";")[0]


def test_another_address_than_loopback_needs_a_token() -> None:
    with serving(host="0.0.0.0") as running:
        assert running.url.startswith(f"http://127.0.0.1:{running.port}/?token=")
        assert ask(running.port, "/healthz").status == 200
        for target in ("/", "/static/logo.svg", "/?token=wrong-wrong-wrong"):
            assert ask(running.port, target).status == 403
        assert handshake_status(running) == 403
        cookie = enter(running, running.url)
        assert ask(running.port, "/", headers=[("Cookie", cookie)]).status == 200
        assert handshake_status(running, Cookie=cookie) == 101
        assert handshake_status(running, Cookie=cookie[:-1] + "!") == 403
        bearer = f"Bearer {running._gate.keys.edit}"
        assert ask(running.port, "/", headers=[("Authorization", bearer)]).status == 200
        assert handshake_status(running, Authorization=bearer) == 101


def test_a_cookie_does_not_open_for_a_page_of_another_origin() -> None:
    with serving(token=SECRET) as running:
        cookie = enter(running, running.url)
        evil = "http://evil.example"
        assert handshake_status(running, Cookie=cookie, Origin=evil) == 403


def test_a_link_on_another_site_leads_in_although_browsers_hold_the_cookie_back_there() -> None:
    with serving(token=SECRET) as running:
        navigation = ("Sec-Fetch-Mode", "navigate")
        led_here = ask(running.port, "/", headers=[navigation, ("Sec-Fetch-Site", "cross-site")])
        assert led_here.status == 403
        assert 'http-equiv="refresh"' in led_here.text
        again = ask(running.port, "/", headers=[navigation, ("Sec-Fetch-Site", "same-origin")])
        assert again.status == 403
        assert "refresh" not in again.text


def test_the_redirect_keeps_the_rest_of_the_query() -> None:
    with serving(token=SECRET) as running:
        answer = ask(running.port, f"/?darkMode&token={SECRET}&initialCameraUp=0,0,1")
        assert answer.status == 303
        assert answer.headers["location"] == "/?darkMode&initialCameraUp=0,0,1"
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
        assert str(running.port) in cookie.partition("=")[0]
        assert SECRET not in cookie + answer.headers["location"] + answer.text
        assert ask(running.port, f"/?token={SECRET}&websocket=x").status == 403


def test_the_second_url_only_looks() -> None:
    with serving(token=SECRET) as running:
        sentinel = Sentinel(running)
        checkbox = running.viser.gui.add_checkbox("c", False)
        gizmo = running.viser.scene.add_transform_controls("/gizmo")
        camera = running.viser.gui.add_command("top view")
        seen: list[object] = []
        running.filter.open_to_lookers(camera)

        @camera.on_trigger
        async def _(event: object) -> None:
            seen.append(event)

        assert running.look_url is not None
        looker = Page(f"http://{netloc(running)}/", Cookie=enter(running, running.look_url))
        editor = Page(f"http://{netloc(running)}/", Cookie=enter(running, running.url))
        looker.set_value(checkbox, True)
        looker.send("TransformControlsDragStartMessage", name="/gizmo")
        looker.send(
            "TransformControlsUpdateMessage",
            name="/gizmo", wxyz=[1.0, 0.0, 0.0, 0.0], position=[1.0, 0.0, 0.0],
        )  # fmt: skip
        looker.send("CommandTriggerMessage", uuid=camera._impl.uuid)
        shown = sentinel.wait(looker)
        assert checkbox.value is False
        assert list(gizmo.position) == [0.0, 0.0, 0.0]
        assert len(seen) == 1
        assert {
            "uuid": checkbox._impl.uuid,
            "updates": {"value": False},
            "type": "GuiUpdateMessage",
        } in shown
        editor.set_value(checkbox, True)
        sentinel.wait(editor)
        assert checkbox.value is True
        rights = sorted(running.can_edit(client) for client in running.filter.client_ids)
        assert rights == [False, True]
        looker.close()
        editor.close()


def test_read_only_lets_nobody_change_anything() -> None:
    with serving(read_only=True) as running:
        sentinel = Sentinel(running)
        checkbox = running.viser.gui.add_checkbox("c", False)
        page = Page(running.url)
        page.set_value(checkbox, True)
        sentinel.wait(page)
        assert checkbox.value is False
        (client,) = running.filter.client_ids
        assert running.filter.access_of(client) is Access.LOOK
        assert not running.can_edit(client)
        page.close()


# Clients -------------------------------------------------------------------------------------


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


# End -----------------------------------------------------------------------------------------


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


def test_visitors_who_come_at_the_last_moment_leave_nothing_behind() -> None:
    for _ in range(3):
        running = serve(ServerOptions(port=0), {})
        late = [socket.create_connection(("127.0.0.1", running.port)) for _ in range(8)]
        running.viser.stop()
        for visitor in late:
            visitor.close()
        running.stop()
        gc.collect()


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
