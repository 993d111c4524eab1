from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.datastructures import Headers

from workbench.errors import UsageError
from workbench.ui.guard import (
    Authority,
    ServedHosts,
    is_loopback,
    query_keys,
    refusal,
)

LOOPBACK = ServedHosts.build(("127.0.0.1",), 8080)


def judge(target: str = "/", *, served: ServedHosts = LOOPBACK, **headers: str) -> str | None:
    return refusal(target, Headers({"Host": "127.0.0.1:8080", **headers}), served)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8080", "localhost:8080", "LocalHost:8080", "[::1]:8080", "[0:0::1]:8080"]
)
def test_loopback_names_with_the_bound_port_are_served(host: str) -> None:
    assert LOOPBACK.allows_host(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "evil.example:8080",
        "127.0.0.1",
        "127.0.0.1:8081",
        "127.0.0.1:8080.evil.example",
        "127.0.0.1:8080@evil.example",
        "user@127.0.0.1:8080",
        "localhost.evil.example:8080",
        "127.0.0.1:08080000",
        "127.0.0.1:0",
        "127.0.0.1:65536",
        "127.0.0.1:-1",
        "127.0.0.1:8080/",
        "127.1:8080",
        "2130706433:8080",
        "::1:8080",
        "[::1",
        "[::2]:8080",
        "[evil]:8080",
        "local host:8080",
        "localhost:8080, evil.example",
        "localhost:\uff18\uff10\uff18\uff10",
    ],
)
def test_other_hosts_are_not(host: str) -> None:
    assert not LOOPBACK.allows_host(host)


def test_a_port_of_80_need_not_be_written() -> None:
    served = ServedHosts.build(("127.0.0.1",), 80)
    assert served.allows_host("localhost")
    assert served.allows_origin("http://localhost")
    assert not served.allows_origin("https://localhost")


def test_an_allowed_name_is_served_on_its_port_alone() -> None:
    served = ServedHosts.build(("127.0.0.1",), 8080, ["ik.example.org:8443"])
    assert served.allows_host("IK.example.org:8443")
    assert served.allows_origin("https://ik.example.org:8443")
    assert not served.allows_host("ik.example.org:8080")
    assert not served.allows_host("ik.example.org")
    assert not served.allows_origin("https://ik.example.org")


def test_an_allowed_name_without_a_port_is_served_where_a_proxy_or_we_are() -> None:
    served = ServedHosts.build(("127.0.0.1",), 8080, ["ik.example.org"])
    for host in (
        "ik.example.org",
        "ik.example.org:80",
        "ik.example.org:443",
        "ik.example.org:8080",
    ):
        assert served.allows_host(host)
    assert served.allows_origin("https://ik.example.org")
    assert not served.allows_host("ik.example.org:9000")
    assert not served.allows_host("other.ik.example.org")


@pytest.mark.parametrize("text", ["", "a b", "http://x", "x:y", "x:0", "x:99999", "x/", "[::1"])
def test_what_is_no_host_cannot_be_allowed(text: str) -> None:
    with pytest.raises(UsageError, match="--allow-host"):
        ServedHosts.build(("127.0.0.1",), 8080, [text])


def test_the_bound_address_is_served() -> None:
    served = ServedHosts.build(("192.0.2.7",), 8080)
    assert served.allows_host("192.0.2.7:8080")
    assert not served.allows_host("192.0.2.8:8080")


def test_a_wildcard_serves_the_address_that_a_connection_came_in_on() -> None:
    served = ServedHosts.build(("0.0.0.0",), 8080)
    assert served.allows_host("192.0.2.7:8080", "192.0.2.7")
    assert served.allows_host("192.0.2.7:8080", "::ffff:192.0.2.7")
    assert not served.allows_host("192.0.2.7:8080", "192.0.2.8")
    assert not served.allows_host("192.0.2.7:9090", "192.0.2.7")
    assert not LOOPBACK.allows_host("192.0.2.7:8080", "192.0.2.7")


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8080", "https://localhost:8080"])
def test_our_own_pages_may_ask(origin: str) -> None:
    assert judge(Origin=origin) is None


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "NULL",
        "",
        "http://evil.example",
        "http://127.0.0.1",
        "http://127.0.0.1:8081",
        "http://127.0.0.1:8080.evil.example",
        "http://127.0.0.1:8080/",
        "ws://127.0.0.1:8080",
        "file://",
        "127.0.0.1:8080",
        "chrome-extension://127.0.0.1:8080",
        "http://evil.example http://127.0.0.1:8080",
    ],
)
def test_pages_of_other_origins_may_not(origin: str) -> None:
    assert judge(Origin=origin) is not None


def test_a_request_without_host_is_refused() -> None:
    assert refusal("/", Headers(), LOOPBACK) is not None


def test_a_request_with_two_hosts_or_two_origins_is_refused() -> None:
    two = Headers([("Host", "127.0.0.1:8080"), ("host", "127.0.0.1:8080")])
    assert refusal("/", two, LOOPBACK) is not None
    ours = "http://127.0.0.1:8080"
    mixed = Headers(
        [("Host", "127.0.0.1:8080"), ("Origin", ours), ("Origin", "http://evil.example")]
    )
    assert refusal("/", mixed, LOOPBACK) is not None


@pytest.mark.parametrize(
    "target",
    [
        "/?websocket=ws://evil.example",
        "/?websocket",
        "/?playbackPath=https://evil.example/x.viser",
        "/?darkMode&playbackPath=x",
        "/?WebSocket=x",
        "/?PLAYBACKPATH=x",
        "/?%77ebsocket=x",
        "/?%77%65%62%73%6f%63%6b%65%74=x",
        "/?%2577ebsocket=x",
        "/?+websocket=x",
        "/?websocket%20=x",
        "/?a=1&&websocket=x",
        "/api/state?websocket=x",
    ],
)
def test_a_link_that_names_another_source_of_the_scene_is_refused(target: str) -> None:
    assert judge(target) is not None


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "/?",
        "/?initialCameraPosition=1,2,3&initialCameraLookAt=0,0,0&initialCameraUp=0,0,1&darkMode",
        "/?darkMode=1",
        "/?note=websocket",
        "/?websockets=1",
    ],
)
def test_other_links_are_not(target: str) -> None:
    assert judge(target) is None


@pytest.mark.parametrize(
    "target",
    ["", "*", "http://evil.example/", "//evil.example/", "/\\evil.example", "/\xe9", "/\t"],
)
def test_a_target_that_is_no_path_here_is_refused(target: str) -> None:
    assert judge(target) is not None


@given(
    st.text(st.characters(codec="ascii"), max_size=30),
    st.sampled_from(["websocket", "playbackPath"]),
)
def test_no_neighbour_in_the_query_hides_a_forbidden_key(neighbour: str, key: str) -> None:
    neighbour = neighbour.replace("#", "").replace("&", "")
    assert key.casefold() in query_keys(f"{neighbour}&{key}=1&{neighbour}")


@given(st.data())
def test_no_escaping_of_single_letters_hides_a_forbidden_key(data: st.DataObject) -> None:
    letters = [
        f"%{ord(letter):02x}" if data.draw(st.booleans()) else letter for letter in "playbackPath"
    ]
    assert "playbackpath" in query_keys("".join(letters) + "=1")


@given(st.text(max_size=60))
def test_any_text_is_judged_without_an_exception(text: str) -> None:
    LOOPBACK.allows_host(text)
    LOOPBACK.allows_origin(text)
    authority = Authority.parse(text)
    assert authority is None or authority.host
    assert isinstance(judge("/?" + text), str | None)


@given(st.integers(1, 65535), st.sampled_from(["localhost", "127.0.0.1", "[::1]"]))
def test_the_bound_port_is_the_only_one_that_is_served(port: int, host: str) -> None:
    assert LOOPBACK.allows_host(f"{host}:{port}") is (port == 8080)


def test_loopback_is_more_than_one_address() -> None:
    assert is_loopback("127.0.0.1") and is_loopback("127.3.2.1") and is_loopback("::1")
    assert is_loopback("::ffff:127.0.0.1")
    assert not is_loopback("0.0.0.0") and not is_loopback("::") and not is_loopback("192.0.2.7")
    assert not is_loopback("localhost")
