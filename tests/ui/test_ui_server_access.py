"""Tokens, cookies, and those who may only look."""

from __future__ import annotations

from tests.ui.guarded_page import (
    Page,
    Reply,
    Sentinel,
    ask,
    handshake_status,
    netloc,
    serving,
)
from workbench.ui.access import Access
from workbench.ui.server import GuardedServer

SECRET = "correct-horse-battery"


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
