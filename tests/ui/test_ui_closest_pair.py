"""The line between the links that are nearest each other: there only while they are watched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import viser

from tests.ui.scene_rig import Outbox, bundle, description, session, settings, snapshot
from workbench.live.session import Session
from workbench.model.collision_pairs import ClosestPair
from workbench.ui.closest_pair import ClosestPairMark, pair_text
from workbench.ui.scene_pump import ScenePump


def pair(x: float = 0.1, distance_m: float = 0.0234) -> ClosestPair:
    return ClosestPair(
        "upper", "base", distance_m, np.array([x, 0.0, 0.5]), np.array([x + distance_m, 0.0, 0.5])
    )


@dataclass
class PairRig:
    server: viser.ViserServer
    mark: ClosestPairMark

    def show(self, closest: ClosestPair | None, time_s: float = 0.0) -> bool:
        change = self.mark.change(snapshot(closest_pair=closest, time_s=time_s))
        if change is not None:
            self.mark.send(change)
        return change is not None

    def node(self, name: str = "") -> Any:
        return self.server.scene._handle_from_node_name[f"/c1{name}"]


@pytest.fixture
def rig() -> Iterator[PairRig]:
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield PairRig(server, ClosestPairMark(server, size_m=1.0, epoch=1))
    server.stop()


def test_nothing_is_drawn_while_nobody_watches(rig: PairRig) -> None:
    assert not rig.show(None)
    assert set(rig.server.scene._handle_from_node_name) == {"/WorldAxes"}


def test_a_line_joins_the_two_points_with_the_distance_at_its_middle(rig: PairRig) -> None:
    rig.show(pair())
    assert rig.node().visible
    expected = np.array([[[0.1, 0.0, 0.5], [0.1234, 0.0, 0.5]]])
    assert rig.node("/l").points == pytest.approx(expected)
    assert rig.node("/1").position == pytest.approx([0.1234, 0.0, 0.5])
    assert rig.node("/d").text == "23.4 mm: upper to base"
    assert rig.node("/d").position == pytest.approx([0.1117, 0.0, 0.5])


def test_it_goes_with_the_barrier_and_comes_back_where_the_links_are(rig: PairRig) -> None:
    rig.show(pair())
    assert rig.show(None)
    assert not rig.node().visible
    assert not rig.show(None)
    assert rig.show(pair(0.4))
    assert rig.node().visible
    assert rig.node("/0").position == pytest.approx([0.4, 0.0, 0.5])
    assert rig.node("/d").text == "23.4 mm: upper to base"


def test_nothing_is_sent_while_nothing_changes(rig: PairRig) -> None:
    rig.show(pair())
    outbox = Outbox(rig.server)
    assert not rig.show(pair(), time_s=5.0)
    assert not rig.show(pair(0.1 + 1e-9), time_s=5.0)
    assert outbox.new() == []


def test_the_words_change_ten_times_a_second_and_end_up_right(rig: PairRig) -> None:
    rig.show(pair(), time_s=0.0)
    rig.show(pair(distance_m=0.03), time_s=0.01)
    assert rig.node("/d").text == "23.4 mm: upper to base"
    assert rig.node("/l").points[0, 1, 0] == pytest.approx(0.13)
    rig.show(pair(distance_m=0.03), time_s=0.11)
    assert rig.node("/d").text == "30.0 mm: upper to base"


def test_links_that_overlap_are_said_to() -> None:
    assert pair_text(pair(distance_m=-0.002)) == "overlap 2.0 mm: upper to base"


def test_the_pump_draws_it_and_another_robot_takes_it_away() -> None:
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        about: Session = session()
        pump = ScenePump(server, about)
        about.snapshots.put(snapshot(closest_pair=pair()))
        assert pump.step()
        assert "/c1" in server.scene._handle_from_node_name
        about.replace_bundle(bundle(description("other")), settings(description("other")))
        pump.step()
        assert not any(name.startswith("/c") for name in server.scene._handle_from_node_name)
    finally:
        server.stop()
