"""The scene's thread, step by step: what it draws, when, and how robots are exchanged."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
import viser

from tests.ui.scene_rig import Outbox, at, bundle, description, session, settings, snapshot
from tests.wire import WireClient
from workbench.live.session import Session
from workbench.ui.gizmos import GizmoOptions
from workbench.ui.scene_pump import ScenePump


@dataclass
class PumpRig:
    server: viser.ViserServer
    session: Session
    pump: ScenePump

    def show(self, *positions: float, epoch: int = 1) -> None:
        slide = (*positions, 0.0, 0.0, 0.0)[:3]
        self.session.snapshots.put(snapshot((slide[0], slide[1], slide[2]), epoch=epoch))
        self.pump.step()

    def switch_robot(self) -> None:
        self.session.replace_bundle(bundle(description("other")), settings(description("other")))

    def nodes(self) -> set[str]:
        return {name.split("/")[1] for name in self.server.scene._handle_from_node_name}


@pytest.fixture
def rig() -> Iterator[PumpRig]:
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    about = session()
    yield PumpRig(server, about, ScenePump(server, about))
    server.stop()


def test_the_robot_is_drawn_at_home_before_the_loop_has_said_anything(rig):
    rig.pump.step()
    assert rig.server.scene._handle_from_node_name["/r1"].visible
    assert rig.server.scene._handle_from_node_name["/g1_0"].visible


def test_a_tick_moves_the_robot_and_sends_nothing_else(rig):
    rig.show()
    outbox = Outbox(rig.server)
    rig.show(0.2, 0.1)
    names = [(type(message).__name__, message.name) for message in outbox.new()]
    assert names == [("SetOrientationMessage", "/r1/0"), ("SetOrientationMessage", "/r1/0/0")]


def test_a_step_without_news_sends_nothing(rig):
    rig.show(0.2)
    outbox = Outbox(rig.server)
    rig.pump.step()
    rig.show(0.2)
    assert outbox.new() == []


def test_what_moves_leaves_at_once_and_as_one(rig, monkeypatch):
    rig.show()
    order: list[str] = []
    buffer = rig.server._websock_server.get_message_buffer()
    monkeypatch.setattr(type(buffer), "flush", lambda _self: order.append("flush"))
    end = type(buffer).atomic_end
    monkeypatch.setattr(
        type(buffer), "atomic_end", lambda self: (order.append("end"), end(self))[1]
    )
    rig.show(0.2, 0.1, 0.3)
    assert order == ["end", "flush"]
    rig.show(0.2, 0.1, 0.3)
    assert order == ["end", "flush"], "a look that finds nothing new wakes nobody"


def test_a_step_says_whether_it_sent_anything(rig):
    rig.show()
    rig.session.snapshots.put(snapshot((0.2, 0.0, 0.0)))
    assert rig.pump.step()
    rig.session.snapshots.put(snapshot((0.2, 0.0, 0.0)))
    assert not rig.pump.step()


def test_a_snapshot_of_another_robot_is_not_drawn(rig):
    rig.show()
    outbox = Outbox(rig.server)
    rig.show(0.5, epoch=2)
    assert outbox.new() == []


def test_another_robot_takes_the_place_of_the_old_one(rig):
    rig.show()
    rig.switch_robot()
    rig.pump.step()
    assert rig.nodes() == {"WorldAxes", "r2", "floor2", "t2", "g2_0", "g2_1"}
    client = WireClient(f"http://127.0.0.1:{rig.server.get_port()}")
    try:
        replay = client.replay()
    finally:
        client.close()
    alive = set()
    for message in replay:
        if "props" in message and "name" in message and message["type"].endswith("Message"):
            alive.add(message["name"])
        if message["type"] == "RemoveSceneNodeMessage":
            alive.discard(message["name"])
    assert any(name.startswith("/r2/") for name in alive)
    assert not {name for name in alive if name.startswith(("/r1", "/g1", "/t1", "/floor1"))}


def test_the_new_robot_appears_complete_and_in_the_moment_in_which_the_old_one_goes(rig):
    rig.show()
    outbox = Outbox(rig.server)
    rig.switch_robot()
    rig.pump.step()
    messages = outbox.new()
    shows = max(
        number
        for number, message in enumerate(messages)
        if type(message).__name__ == "SetSceneNodeVisibilityMessage" and message.name == "/r2"
    )
    removes = next(
        number
        for number, message in enumerate(messages)
        if type(message).__name__ == "RemoveSceneNodeMessage" and message.name == "/r1"
    )
    created = [
        number
        for number, message in enumerate(messages)
        if type(message).__name__ in ("MeshMessage", "FrameMessage")
        and message.name.startswith("/r2")
    ]
    assert messages[shows].visible
    assert max(created) < shows < removes < shows + 5


def test_options_are_kept_when_the_robot_is_switched(rig):
    rig.show()
    rig.pump.change(replace(rig.pump.options, collision=True), GizmoOptions(shown=False))
    rig.switch_robot()
    rig.pump.step()
    assert rig.server.scene._handle_from_node_name["/r2/0/c0"].visible
    assert not rig.server.scene._handle_from_node_name["/g2_0"].visible


def test_a_change_of_options_shows_at_the_next_step(rig):
    rig.show()
    rig.pump.change(replace(rig.pump.options, visual=False))
    rig.pump.step()
    assert not rig.server.scene._handle_from_node_name["/r1/v0"].visible


def test_dark_is_for_the_whole_page(rig):
    rig.show()
    outbox = Outbox(rig.server)
    rig.pump.change(replace(rig.pump.options, dark=True))
    rig.pump.step()
    (theme,) = [m for m in outbox.new() if type(m).__name__ == "ThemeConfigurationMessage"]
    assert theme.dark_mode
    assert not theme.show_share_button
    rig.pump.step()
    assert outbox.new() == []


def test_a_typed_target_moves_its_gizmo_at_the_next_step(rig):
    rig.show()
    rig.session.edit("typed", lambda old: old.with_target("hand", at(0.1, 0.2, 0.3)))
    rig.pump.step()
    gizmo = rig.server.scene._handle_from_node_name["/g1_0"]
    assert gizmo.position.tolist() == [0.1, 0.2, 0.3]


def test_new_pages_start_with_the_robot_that_is_there_now(rig):
    rig.show()
    before = rig.server.initial_camera.position
    big = description("big", visuals=())
    rig.session.replace_bundle(bundle(big), settings(big))
    rig.pump.step()
    assert rig.server.initial_camera.position.tolist() != before.tolist()


def test_the_thread_draws_when_woken_and_ends_when_told(rig):
    drawn = threading.Event()
    rig.session.snapshots.put(snapshot((0.3, 0.0, 0.0)))
    step = rig.pump.step
    rig.pump.step = lambda: (step(), drawn.set())[0]
    rig.pump.start()
    assert drawn.wait(timeout=20.0)
    rig.pump.stop()
    assert "scene" not in {thread.name for thread in threading.enumerate()}


def test_a_fault_while_drawing_is_told_and_does_not_end_the_thread():
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    told: list[str] = []
    heard, drawn = threading.Event(), threading.Event()

    def hear(fault: str) -> None:
        told.append(fault)
        heard.set()

    pump = ScenePump(server, session(), on_fault=hear, rest_after_fault_s=0.0)
    step, faults = pump.step, iter([RuntimeError("no canvas")])

    def fail_once() -> bool:
        for fault in faults:
            raise fault
        drawn.set()
        return step()

    pump.step = fail_once
    pump.start()
    assert heard.wait(timeout=20.0)
    pump.wake()
    assert drawn.wait(timeout=20.0)
    pump.stop()
    server.stop()
    assert "no canvas" in told[0]
