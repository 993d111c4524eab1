"""What a page sends while it drags a gizmo: whose drag it is, and that a pose is a pose."""

from __future__ import annotations

import math
import threading

import pytest

from tests.ui.guarded_page import Page, Sentinel, pose_of
from workbench.ui.server import GuardedServer

NAN, INFINITY = math.nan, math.inf
IDENTITY = [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("wxyz", [0.0, 0.0, 0.0, 0.0]),
        ("wxyz", [2.0, 0.0, 0.0, 0.0]),
        ("wxyz", [NAN, 0.0, 0.0, 1.0]),
        ("wxyz", [1.0, 0.0, 0.0]),
        ("wxyz", "1000"),
        ("position", [NAN, 0.0, 0.0]),
        ("position", [0.0, INFINITY, 0.0]),
        ("position", [1e9, 0.0, 0.0]),
        ("position", [0.0, 0.0]),
        ("position", ["0", "0", "0"]),
        ("position", [True, False, True]),
        ("position", None),
        ("owner", "client 1"),
        ("name", "/no/such/gizmo"),
        ("name", 7),
        ("extra", 1),
    ],
)
def test_a_bad_pose_moves_no_gizmo_and_the_sender_is_put_right(
    field: str, value: object, server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    gizmo = server.viser.scene.add_transform_controls("/gizmo", position=(0.1, 0.2, 0.3))
    before = pose_of(gizmo)
    page.send("TransformControlsDragStartMessage", name="/gizmo", owner="")
    fields = {"name": "/gizmo", "wxyz": IDENTITY, "position": [1.0, 1.0, 1.0], "owner": ""}
    page.send("TransformControlsUpdateMessage", **{**fields, field: value})
    page.send("TransformControlsDragEndMessage", name="/gizmo", owner="")
    seen = sentinel.wait(page)
    assert pose_of(gizmo) == before
    if field != "name":
        poses = [message for message in seen if message.get("name") == "/gizmo"]
        assert any(
            message["type"] == "SetPositionMessage" and message["position"] == [0.1, 0.2, 0.3]
            for message in poses
        )


def test_a_drag_moves_the_gizmo_with_a_unit_quaternion(
    server: GuardedServer, sentinel: Sentinel, page: Page, other: Page
) -> None:
    gizmo = server.viser.scene.add_transform_controls("/dragged")
    page.send("TransformControlsDragStartMessage", name="/dragged", owner="")
    page.send(
        "TransformControlsUpdateMessage",
        name="/dragged", wxyz=[0.99, 0.0, 0.0, 0.0], position=[1, 2, 3], owner="",
    )  # fmt: skip
    page.send("TransformControlsDragEndMessage", name="/dragged", owner="")
    sentinel.wait(page)
    assert pose_of(gizmo) == ([1.0, 2.0, 3.0], IDENTITY)
    other.until(
        lambda message: (
            message["type"] == "SetPositionMessage"
            and message.get("name") == "/dragged"
            and message["position"] == [1.0, 2.0, 3.0]
        )
    )


def drag(page: Page, phase: str, name: str, x: float = 0.0) -> None:
    if phase == "Update":
        page.send(
            "TransformControlsUpdateMessage",
            name=name, wxyz=IDENTITY, position=[x, 0.0, 0.0], owner="",
        )  # fmt: skip
    else:
        page.send(f"TransformControls{phase}Message", name=name, owner="")


def test_who_starts_a_drag_owns_the_gizmo_until_its_end(
    server: GuardedServer, sentinel: Sentinel, page: Page, other: Page
) -> None:
    reasons: list[str] = []
    server.filter.on_refused(lambda _client, reason: reasons.append(reason))
    gizmo = server.viser.scene.add_transform_controls("/owned")
    drag(page, "DragStart", "/owned")
    drag(page, "Update", "/owned", 1.0)
    sentinel.wait(page)
    owner = server.filter.owner_of("/owned")
    drag(other, "DragStart", "/owned")
    drag(other, "Update", "/owned", 2.0)
    drag(other, "DragEnd", "/owned")
    seen = sentinel.wait(other)
    assert pose_of(gizmo)[0] == [1.0, 0.0, 0.0]
    assert server.filter.owner_of("/owned") == owner is not None
    assert reasons.count("Somebody else is moving that gizmo.") == 1
    assert any(
        message["type"] == "SetPositionMessage" and message["position"] == [1.0, 0.0, 0.0]
        for message in seen
        if message.get("name") == "/owned"
    )
    drag(page, "DragEnd", "/owned")
    sentinel.wait(page)
    assert server.filter.owner_of("/owned") is None
    drag(other, "DragStart", "/owned")
    drag(other, "Update", "/owned", 3.0)
    sentinel.wait(other)
    assert pose_of(gizmo)[0] == [3.0, 0.0, 0.0]


def test_a_disconnect_frees_the_gizmo(
    server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    heard: list[tuple[str, str]] = []
    freed = threading.Event()

    def owner(name: str, _client: int, phase: str) -> bool:
        if name == "/left":
            heard.append((name, phase))
            if phase == "end":
                freed.set()
        return True

    server.filter.gizmo_owner(owner)
    server.viser.scene.add_transform_controls("/left")
    leaving = Page(server.url)
    drag(leaving, "DragStart", "/left")
    sentinel.wait(leaving)
    leaving.close()
    assert freed.wait(5.0)
    assert heard == [("/left", "start"), ("/left", "end")]
    drag(page, "DragStart", "/left")
    sentinel.wait(page)
    assert server.filter.owner_of("/left") is not None


def test_the_page_s_own_rules_can_refuse_a_drag(
    server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    server.filter.gizmo_owner(lambda name, _client, _phase: name != "/fixed")
    gizmo = server.viser.scene.add_transform_controls("/fixed")
    drag(page, "DragStart", "/fixed")
    drag(page, "Update", "/fixed", 1.0)
    sentinel.wait(page)
    assert pose_of(gizmo)[0] == [0.0, 0.0, 0.0]
    assert server.filter.owner_of("/fixed") is None


def test_a_pose_outside_a_drag_moves_no_gizmo_and_the_sender_is_put_right(
    server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    gizmo = server.viser.scene.add_transform_controls("/resting")
    drag(page, "Update", "/resting", 1.0)
    seen = sentinel.wait(page)
    assert pose_of(gizmo)[0] == [0.0, 0.0, 0.0]
    assert any(
        message["type"] == "SetPositionMessage" and message["position"] == [0.0, 0.0, 0.0]
        for message in seen
        if message.get("name") == "/resting"
    )


def test_a_hidden_gizmo_cannot_be_dragged(
    server: GuardedServer, sentinel: Sentinel, page: Page
) -> None:
    gizmo = server.viser.scene.add_transform_controls("/hidden", visible=False)
    drag(page, "DragStart", "/hidden")
    drag(page, "Update", "/hidden", 1.0)
    sentinel.wait(page)
    assert pose_of(gizmo)[0] == [0.0, 0.0, 0.0]
