"""Grasps in the scene: sent once, recoloured alone, found by a ray, dragged with their object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import viser

from tests.live.grasps_rig import three_grasps
from tests.live.live_fakes import FakeClock
from tests.ui.scene_rig import Hand, Outbox, at, bundle, description, settings
from workbench.grasps.gripper_model import GripperModel, load_gripper
from workbench.grasps.objects import load_object
from workbench.grasps.reach_types import ReachResult
from workbench.live.grasp_edits import close_grasps, load_grasps, set_in_scene
from workbench.live.grasping import Found, Grasping, grasps_of, reach_case
from workbench.live.pose_edits import OBJECT
from workbench.live.session import Session
from workbench.model.request import RobotRequest
from workbench.resources import resource_folder
from workbench.ui.colours import GRASP_COLOURS, greyed, line_colours, state_colour
from workbench.ui.gizmos import Gizmos
from workbench.ui.grasp_drawing import GraspDrawing
from workbench.ui.scene_pump import ScenePump

GRIPPER_URDF = resource_folder("robots") / "two_finger_gripper.urdf"
CRATE = b"v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 2 3\nf 1 2 4\n"


@pytest.fixture(scope="module")
def gripper() -> GripperModel:
    return load_gripper(RobotRequest(str(GRIPPER_URDF)))


class DrawingRig:
    """A crane with a two-finger gripper and three grasps on a crate at x = 0.4 m."""

    def __init__(self, server: viser.ViserServer, gripper: GripperModel) -> None:
        clock = FakeClock()
        robot = replace(bundle(description(frames=("left", "right"))), gripper=lambda _: gripper)
        self.server = server
        self.session = Session(robot, settings(), clock=clock, now_utc=clock.utc)
        self.grasping = Grasping()
        self.drawing = GraspDrawing(server)
        load_grasps(
            self.session, "crate.yaml", three_grasps(), load_object(CRATE, name="crate.obj")
        )
        set_in_scene(self.session, transform_object_to_world=at(0.4))
        self.refresh()
        self.outbox = Outbox(server)

    def refresh(self) -> bool:
        return self.drawing.refresh(self.session.state, self.grasping.view)

    def news(self) -> list[tuple[str, str]]:
        """Refresh and return kind and node of every message."""
        self.refresh()
        return [(type(message).__name__, message.name) for message in self.outbox.new()]

    def node(self, name: str) -> Any:
        return self.server.scene._handle_from_node_name[name]

    def colour_of(self, index: int) -> list[int]:
        """Return the colour of a grasp's lines."""
        colours = self.node("/o/g").colors.reshape(-1, 4, 2, 3)[index]
        assert (colours == colours[0, 0]).all()
        return colours[0, 0].tolist()

    def find(self, name: str, state: Any) -> None:
        case = reach_case(self.session.state)
        scene = self.session.state.settings.grasp_scene
        assert case is not None and scene is not None
        result = ReachResult(name, state, "", 1, 0.0, 0.0)
        self.grasping.put([Found(case, grasps_of(scene)[name], result)])


@pytest.fixture
def rig(gripper: GripperModel) -> Iterator[DrawingRig]:
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield DrawingRig(server, gripper)
    server.stop()


def linear(rgb: tuple[int, int, int]) -> list[int]:
    return line_colours([rgb])[0].tolist()


def test_object_and_lines_hang_on_the_objects_place(rig: DrawingRig) -> None:
    assert rig.node("/o").position.tolist() == [0.4, 0.0, 0.0]
    assert rig.node("/o/m0").vertices.max() == pytest.approx(0.1)
    assert len(rig.node("/o/g").points) == 3 * 4
    first, last = (rig.node("/o/g").points.reshape(3, 4, 2, 3)[index] for index in (0, 2))
    assert (last - first)[..., 0] == pytest.approx(0.2, abs=1e-6)


def test_a_moved_object_sends_its_place_and_what_became_old(rig: DrawingRig) -> None:
    rig.find("grasp_1", "reached")
    rig.refresh()
    rig.outbox.new()
    set_in_scene(rig.session, transform_object_to_world=at(0.5))
    news = rig.news()
    assert ("SetPositionMessage", "/o") in news
    assert {name for _, name in news} == {"/o", "/o/g"}
    assert rig.colour_of(0) == linear(greyed(GRASP_COLOURS["reached"].rgb))
    assert rig.colour_of(1) == linear(GRASP_COLOURS["unknown"].rgb)
    set_in_scene(rig.session, transform_object_to_world=at(0.6))
    assert rig.news() == [("SetPositionMessage", "/o")]


def test_old_colours_are_greyed_until_the_new_ones_come(rig: DrawingRig) -> None:
    rig.find("grasp_1", "reached")
    rig.find("grasp_2", "not_reached")
    set_in_scene(rig.session, transform_object_to_world=at(0.5))
    rig.refresh()
    old = [greyed(GRASP_COLOURS[state].rgb) for state in ("reached", "not_reached")]
    assert old[0] != old[1]
    assert [rig.colour_of(index) for index in (0, 1)] == [linear(rgb) for rgb in old]
    case = reach_case(rig.session.state)
    assert case is not None
    rig.grasping.begin(case)
    rig.refresh()
    assert [rig.colour_of(index) for index in (0, 1)] == [linear(rgb) for rgb in old]
    assert rig.colour_of(2) == linear(GRASP_COLOURS["running"].rgb)
    rig.find("grasp_1", "not_reached")
    rig.refresh()
    assert rig.colour_of(0) == linear(GRASP_COLOURS["not_reached"].rgb)


def test_a_joint_that_is_held_makes_colours_old(rig: DrawingRig) -> None:
    rig.find("grasp_1", "reached")
    rig.refresh()
    joint = rig.session.state.description.joint_names[0]
    rig.session.edit("hold", lambda settings: replace(settings, held_joints={joint: 0.0}))
    assert rig.refresh()
    assert rig.colour_of(0) == linear(greyed(GRASP_COLOURS["reached"].rgb))


def test_a_result_sends_colours_and_no_geometry(rig: DrawingRig) -> None:
    rig.find("grasp_2", "approach_fails")
    rig.refresh()
    (message,) = rig.outbox.new()
    assert set(message.updates) == {"colors"}
    assert rig.colour_of(1) == linear(GRASP_COLOURS["approach_fails"].rgb)
    assert rig.colour_of(0) == linear(GRASP_COLOURS["unknown"].rgb)


def test_nothing_new_sends_nothing(rig: DrawingRig) -> None:
    rig.refresh()
    rig.outbox.new()
    assert not rig.refresh()
    rig.session.edit(None, lambda settings: settings.with_target("hand", at(0.1)))
    assert rig.news() == []


def test_the_selected_grasp_has_its_colour_and_the_real_gripper(rig: DrawingRig) -> None:
    rig.grasping.select("grasp_3")
    rig.refresh()
    assert rig.colour_of(2) == linear(state_colour("selected").rgb)
    assert rig.node("/o/s").visible
    assert rig.node("/o/s").position.tolist() == pytest.approx([0.3, 0.0, 0.0])
    assert any(name.startswith("/o/s/h/0/v") for name in rig.server.scene._handle_from_node_name)
    rig.grasping.select(None)
    rig.refresh()
    assert not rig.node("/o/s").visible


def test_closing_the_fingers_moves_their_links_alone(
    rig: DrawingRig, gripper: GripperModel
) -> None:
    scene = rig.session.state.settings.grasp_scene
    assert scene is not None
    leader = next(finger for finger in gripper.fingers if finger.leader is None)
    grasps = grasps_of(scene).with_changes(
        "grasp_1", cspace_position={leader.name: leader.clamped(1e-3)},
        pregrasp_cspace_position={leader.name: leader.clamped(0.02)},
    )  # fmt: skip
    set_in_scene(rig.session, grasps=grasps)
    rig.grasping.select("grasp_1")
    rig.refresh()
    rig.outbox.new()
    rig.grasping.close_fingers(0.0)
    news = rig.news()
    assert news
    assert all(name.startswith("/o/s/h/") for _, name in news)


def test_an_offset_turns_the_lines_and_shows_the_files_frame(rig: DrawingRig) -> None:
    before = rig.node("/o/g").points.copy()
    set_in_scene(rig.session, transform_frame_to_gripper=at(0.0, 0.0, 0.05))
    rig.refresh()
    moved = rig.node("/o/g").points - before
    assert moved[..., 2] == pytest.approx(0.05, abs=1e-6)
    assert np.abs(moved[..., :2]).max() < 1e-6


def test_a_ray_finds_the_grasp_that_it_passes(rig: DrawingRig) -> None:
    middle = rig.node("/o/g").points.reshape(3, 4, 2, 3)[1].mean(axis=(0, 1))
    point = middle + np.array([0.4, 0.0, 0.0])
    eye = point + np.array([0.0, -1.0, 0.0])
    assert rig.drawing.hit(eye, [0.0, 1.0, 0.0]) == "grasp_2"
    assert rig.drawing.hit(eye, [0.0, -1.0, 0.0]) is None
    set_in_scene(rig.session, transform_object_to_world=at(2.0))
    rig.refresh()
    assert rig.drawing.hit(eye, [0.0, 1.0, 0.0]) is None
    close_grasps(rig.session)
    rig.refresh()
    assert rig.drawing.hit(eye, [0.0, 1.0, 0.0]) is None


def test_grasps_that_are_closed_leave_nothing_and_come_back_whole(rig: DrawingRig) -> None:
    close_grasps(rig.session)
    rig.refresh()
    assert not any(name.startswith("/o") for name in rig.server.scene._handle_from_node_name)
    rig.session.undo()
    rig.refresh()
    assert len(rig.node("/o/g").points) == 12
    rig.grasping.show(False)
    rig.refresh()
    assert not rig.node("/o/g").visible


def test_a_set_without_grasps_is_drawn_as_none(rig: DrawingRig) -> None:
    scene = rig.session.state.settings.grasp_scene
    assert scene is not None
    empty = grasps_of(scene)
    for name in empty.get_grasp_names():
        empty = empty.without(name)
    set_in_scene(rig.session, grasps=empty)
    rig.refresh()
    assert not rig.node("/o/g").visible
    assert rig.drawing.hit([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]) is None


# Clicks and the gizmo ------------------------------------------------------------------------


def test_a_click_in_the_scene_selects(rig: DrawingRig) -> None:
    pump = ScenePump(rig.server, rig.session, grasping=rig.grasping)
    pump.step()
    middle = rig.node("/o/g").points.reshape(3, 4, 2, 3)[2].mean(axis=(0, 1))
    eye = middle + np.array([0.4, -1.0, 0.0])

    class Click:
        ray_origin = tuple(eye)
        ray_direction = (0.0, 1.0, 0.0)

    def click(where: Any) -> None:
        with pytest.raises(StopIteration):
            pump._clicked(where).send(None)

    click(Click())
    assert rig.grasping.view.selected == "grasp_3"
    Click.ray_direction = (0.0, -1.0, 0.0)
    click(Click())
    assert rig.grasping.view.selected == "grasp_3"


def test_the_objects_gizmo_moves_the_object_as_one_step(rig: DrawingRig) -> None:
    gizmos = Gizmos(rig.server, rig.session)
    gizmos.rebuild(rig.session.state)
    hand = Hand(rig.server)
    assert gizmos.may_start("/go1", 1, "start")
    hand.start("/go1")
    hand.move("/go1", at(0.45, 0.1))
    assert rig.session.state.drags == {OBJECT: 1}
    assert not gizmos.may_start("/go1", 2, "start")
    hand.move("/go1", at(0.5, 0.2))
    hand.end("/go1")
    scene = rig.session.state.settings.grasp_scene
    assert scene is not None
    assert scene.transform_object_to_world == at(0.5, 0.2)
    assert rig.session.undo() == "move crate"
    gizmos.refresh(rig.session.state)
    assert rig.node("/go1").position.tolist() == [0.4, 0.0, 0.0]


def test_the_gizmo_is_there_exactly_while_there_are_grasps(rig: DrawingRig) -> None:
    gizmos = Gizmos(rig.server, rig.session)
    gizmos.rebuild(rig.session.state)
    assert rig.node("/go1").visible
    close_grasps(rig.session)
    gizmos.refresh(rig.session.state)
    assert "/go1" not in rig.server.scene._handle_from_node_name
    assert not gizmos.may_start("/go1", 1, "start")
