"""What tells how far a tool is from its target, and the colours' one meaning each."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import viser

from tests.ui.scene_rig import Outbox, at, description, snapshot, tool_state, turned_about_z
from workbench.live.snapshot import ToolState
from workbench.poses import Pose
from workbench.ui.colours import CLOSEST_PAIR_RGB, LEGEND, line_colours, state_colour
from workbench.ui.target_marks import TargetMarks, distance_text


@dataclass
class MarkRig:
    server: viser.ViserServer
    marks: TargetMarks

    def show(self, *tools: ToolState, time_s: float = 0.0) -> bool:
        hand, camera = (*tools, tool_state("camera", Pose(), None, enabled=False))[:2]
        changes = self.marks.changes(snapshot(tools=(hand, camera), time_s=time_s))
        self.marks.send(changes)
        return bool(changes)

    def node(self, kind: str, number: int = 0) -> Any:
        return self.server.scene._handle_from_node_name[f"/t1/{number}{kind}"]

    @property
    def ball(self) -> Any:
        return self.node("b")

    @property
    def line(self) -> Any:
        return self.node("l")

    @property
    def label(self) -> Any:
        return self.node("d")


@pytest.fixture
def rig() -> Iterator[MarkRig]:
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield MarkRig(server, TargetMarks(server, description(), epoch=1))
    server.stop()


def test_a_reached_target_is_marked_without_a_line(rig):
    rig.show(tool_state("hand", at(0.5), at(0.5)))
    assert rig.ball.visible
    assert rig.ball.position.tolist() == [0.5, 0.0, 0.0]
    assert rig.ball.color == state_colour("reached").rgb
    assert not rig.line.visible
    assert not rig.label.visible


@pytest.mark.parametrize(
    ("code", "state"),
    [("ok", "reached"), ("converging", "converging"), ("not_reached", "not_reached")],
)
def test_the_target_s_colour_says_whether_it_is_reached(rig, code, state):
    rig.show(tool_state("hand", at(0.0), at(0.5), code=code))
    rgb = state_colour(state).rgb
    assert rig.ball.color == rgb
    assert rig.line.colors.tolist() == line_colours([[rgb, rgb]]).tolist()


def test_a_line_runs_from_the_tool_to_the_target_with_the_distance_in_mm_and_degrees(rig):
    target = Pose(np.array([0.3, 0.4, 0.0]), turned_about_z(0.1).wxyz)
    rig.show(tool_state("hand", at(0.3), target, code="not_reached"))
    assert rig.line.visible
    assert rig.line.points == pytest.approx(np.array([[[0.3, 0, 0], [0.3, 0.4, 0]]]), abs=1e-6)
    assert rig.label.visible
    assert rig.label.text == "400.0 mm, 5.7°"
    assert rig.label.position.tolist() == pytest.approx([0.3, 0.4, 0.0])


def test_a_tool_that_is_only_turned_gets_words_and_no_line(rig):
    rig.show(tool_state("hand", at(0.3), at(0.3) @ turned_about_z(0.2), code="converging"))
    assert not rig.line.visible
    assert rig.label.text == "0.0 mm, 11.5°"


def test_the_line_goes_when_the_target_is_reached(rig):
    rig.show(tool_state("hand", at(0.0), at(0.5), code="converging"))
    rig.show(tool_state("hand", at(0.5), at(0.5)))
    assert not rig.line.visible
    assert not rig.label.visible


def test_a_line_that_comes_back_runs_to_where_the_tool_is_now(rig):
    rig.show(tool_state("hand", at(0.0), at(0.5), code="converging"))
    rig.show(tool_state("hand", at(0.5), at(0.5)))
    rig.show(tool_state("hand", at(0.5), at(0.9), code="converging"))
    assert rig.line.points == pytest.approx(np.array([[[0.5, 0, 0], [0.9, 0, 0]]]))


def test_a_frame_that_is_off_has_no_marks(rig):
    rig.show(tool_state("hand", at(0.0), at(0.5), code="not_reached"))
    rig.show(tool_state("hand", at(0.0), None, enabled=False))
    assert [rig.ball.visible, rig.line.visible, rig.label.visible] == [False, False, False]


def test_each_tool_has_its_own_marks(rig):
    rig.show(tool_state("hand", at(0.5), at(0.5)), tool_state("camera", at(0.1), at(0.2)))
    assert rig.node("b", 1).position.tolist() == pytest.approx([0.2, 0.0, 0.0])


def test_nothing_is_sent_while_nothing_changes(rig):
    tool = tool_state("hand", at(0.0), at(0.5), code="not_reached")
    assert rig.show(tool)
    outbox = Outbox(rig.server)
    assert not rig.show(tool, time_s=5.0)
    trembling = tool_state("hand", at(1e-9, -1e-18), at(0.5), code="not_reached")
    assert not rig.show(trembling, time_s=5.0)
    assert outbox.new() == []


def test_the_words_change_ten_times_a_second_and_end_up_right(rig):
    tools = [tool_state("hand", at(0.001 * step), at(0.5), code="converging") for step in range(4)]
    rig.show(tools[0], time_s=0.0)
    rig.show(tools[1], time_s=0.01)
    assert rig.label.text == "500.0 mm, 0.0°"
    assert rig.line.points[0, 0, 0] == pytest.approx(0.001)
    rig.show(tools[2], time_s=0.11)
    assert rig.label.text == "498.0 mm, 0.0°"
    rig.show(tools[3], time_s=0.12)
    rig.show(tools[3], time_s=0.22)
    assert rig.label.text == "497.0 mm, 0.0°"


def test_removing_the_marks_leaves_no_node(rig):
    rig.marks.remove()
    assert set(rig.server.scene._handle_from_node_name) == {"/WorldAxes"}


def test_a_distance_is_told_in_mm_and_degrees():
    assert distance_text(0.01234, 0.1) == "12.3 mm, 5.7°"


def test_every_colour_has_one_meaning():
    assert len({colour.rgb for colour in LEGEND}) == len(LEGEND)
    assert len({colour.label for colour in LEGEND}) == len(LEGEND)


def linear(rgb: tuple[int, int, int]) -> np.ndarray:
    share = np.array(rgb) / 255.0
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


# How the red-blind and the green-blind see linear RGB (Viénot, Brettel, Mollon 1999).
DICHROMAT = {
    "protan": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deutan": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
}


@pytest.mark.parametrize("vision", DICHROMAT)
def test_the_colour_blind_tell_the_lines_of_the_scene_apart(vision):
    lines = [state_colour(name).rgb for name in ("reached", "converging", "not_reached")]
    lines.append(CLOSEST_PAIR_RGB)
    seen = [
        np.clip(np.array(DICHROMAT[vision]) @ linear(rgb), 0.0, 1.0) ** (1 / 2.2) for rgb in lines
    ]
    for one, other in itertools.combinations(seen, 2):
        assert np.abs(one - other).max() > 0.15


def test_lines_get_the_linear_numbers_of_a_colour():
    assert line_colours((0, 255, 128)).tolist() == [0, 255, 55]
