"""Requests as they come over the socket: other hosts, origins and methods, and no HTTP at all."""

from __future__ import annotations

import pytest
import viser
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.ui.guarded_page import (
    ask,
    handshake_status,
    netloc,
    raw_answer,
    serving,
)
from workbench.ui.guard import CONTENT_SECURITY_POLICY
from workbench.ui.server import GuardedServer


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
