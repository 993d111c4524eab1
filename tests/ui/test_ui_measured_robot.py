"""The second, translucent robot: where the arm is measured, while that is not its command."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import trimesh
import viser

from tests.ui.scene_rig import (
    LINKS,
    CranePicture,
    Outbox,
    bundle,
    cube,
    description,
    placements,
    settings,
    snapshot,
)
from tests.ui.scene_rig import session as new_session
from workbench.config.simulated_arm import SimulatedArmConfig
from workbench.live.snapshot import StateSnapshot, StreamingView
from workbench.poses import Pose, frozen_array
from workbench.ui.colours import MEASURED_RGB
from workbench.ui.measured_robot import shapes_by_node, thinned
from workbench.ui.node_tree import NodeTree
from workbench.ui.scene_pump import ScenePump

AT_REST = (0.0, 0.0, 0.0)
LAGGING = SimulatedArmConfig(time_constant_s=0.1)


class GhostRig:
    def __init__(self, server: viser.ViserServer) -> None:
        self.server = server
        self.session = new_session()
        self.pump = ScenePump(server, self.session)
        self.set_arm(LAGGING)
        self.show()

    def set_arm(self, arm: SimulatedArmConfig) -> None:
        self.session.edit(None, lambda old: replace(old, simulated_arm=arm))

    def show(
        self,
        measured: tuple[float, ...] | None = None,
        command: tuple[float, float, float] = AT_REST,
        **changes: object,
    ) -> list[tuple[str, str]]:
        """Show the next snapshot; returns what was sent: the kind and whom it is about."""
        epoch = self.session.state.epoch
        shown: StateSnapshot = replace(snapshot(command, epoch=epoch), **changes)
        if measured is not None:
            values = frozen_array(measured)
            view = StreamingView("tracking", shown.positions, values)
            shown = replace(shown, mode="streaming", streaming=view)
        outbox = Outbox(self.server)
        self.session.snapshots.put(shown)
        self.pump.step()
        return [(type(m).__name__, getattr(m, "name", "")) for m in outbox.new()]

    def node(self, name: str) -> viser.SceneNodeHandle:
        return self.server.scene._handle_from_node_name[name]

    @property
    def drawn(self) -> set[str]:
        names = self.server.scene._handle_from_node_name
        return {name for name in names if name.startswith("/m")}


@pytest.fixture
def rig() -> Iterator[GhostRig]:
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield GhostRig(server)
    server.stop()


def test_an_arm_that_is_where_it_was_sent_is_not_drawn_twice(rig):
    assert rig.show(measured=AT_REST) == []
    assert rig.show(measured=(1e-9, 0.0, 0.0)) == []
    assert rig.drawn == set()


def test_other_modes_draw_nothing_and_send_nothing(rig):
    sent = rig.show(command=(0.2, 0.0, 0.0))
    assert sent == [("SetOrientationMessage", "/r1/0")]
    assert rig.drawn == set()


def test_the_robot_that_lags_is_drawn_where_it_is_measured(rig):
    rig.show(measured=(0.1, -0.2, 0.05), command=(0.3, 0.0, 0.0))
    assert rig.node("/m1").visible
    measured = placements(0.1, -0.2, 0.05)
    tree = NodeTree(description().links, measured, "/m1")
    for name, row in zip(tree.names, tree.node_placements(measured), strict=True):
        assert rig.node(name).position.tolist() == pytest.approx(row[:3].tolist(), abs=1e-6)
        assert rig.node(name).wxyz.tolist() == pytest.approx(row[3:].tolist(), abs=1e-6)
    mesh = rig.node("/m1/0/0/v")
    assert tuple(mesh.color) == MEASURED_RGB
    assert mesh.opacity is not None and 0.2 < mesh.opacity < 0.6


def test_once_drawn_only_the_joint_that_moved_is_sent(rig):
    rig.show(measured=(0.1, 0.0, 0.0), command=(0.3, 0.0, 0.0))
    sent = rig.show(measured=(0.2, 0.0, 0.0), command=(0.3, 0.0, 0.0))
    assert sent == [("SetOrientationMessage", "/m1/0")]
    assert rig.show(measured=(0.2, 0.0, 0.0), command=(0.3, 0.0, 0.0)) == []


def test_it_is_hidden_when_it_has_caught_up_and_comes_back_without_its_meshes(rig):
    rig.show(measured=(0.1, 0.0, 0.0), command=(0.3, 0.0, 0.0))
    sent = rig.show(measured=(0.3, 0.0, 0.0), command=(0.3, 0.0, 0.0))
    assert sent == [("SetSceneNodeVisibilityMessage", "/m1")]
    assert not rig.node("/m1").visible
    sent = rig.show(measured=(0.1, 0.1, 0.0), command=(0.3, 0.0, 0.0))
    assert {kind for kind, _ in sent} == {"SetOrientationMessage", "SetSceneNodeVisibilityMessage"}


@pytest.mark.parametrize("measured", [None, (np.nan, 0.0, 0.0)])
def test_without_feedback_that_is_a_number_it_is_hidden(rig, measured):
    rig.show(measured=(0.1, 0.0, 0.0), command=(0.3, 0.0, 0.0))
    rig.show(measured=measured, command=(0.3, 0.0, 0.0))
    assert not rig.node("/m1").visible


def test_an_ideal_arm_is_never_drawn_though_it_is_measured_a_tick_late(rig):
    rig.set_arm(SimulatedArmConfig(seed=4))
    rig.show(measured=(0.29, 0.0, 0.0), command=(0.3, 0.0, 0.0))
    assert rig.drawn == set()


def test_a_whole_turn_of_a_joint_is_the_same_place(rig):
    rig.show(measured=(0.5 - 2 * np.pi, 0.0, 0.0), command=(0.5, 0.0, 0.0))
    assert rig.drawn == set()


def test_it_stands_on_the_same_floating_base(rig):
    floating = description(
        "floating", links=(replace(LINKS[0], moves=True, translates=True), *LINKS[1:])
    )
    rig.session.replace_bundle(bundle(floating), replace(settings(), simulated_arm=LAGGING))
    rig.show()
    for x in (1.0, 2.0):
        base = Pose(np.array([x, 2.0, 3.0]))
        rig.show((0.1, 0.0, 0.0), (0.3, 0.0, 0.0), transform_base_to_world=base)
        for name in ("/r2", "/m2"):
            assert rig.node(name).position.tolist() == [x, 2.0, 3.0]


def test_it_goes_with_its_robot(rig):
    rig.show(measured=(0.1, 0.0, 0.0), command=(0.3, 0.0, 0.0))
    other = description("other")
    rig.session.replace_bundle(bundle(other), settings(other))
    rig.pump.step()
    assert rig.drawn == set()


# Its meshes ------------------------------------------------------------------------------


def tree() -> NodeTree:
    rows = CranePicture().local_placements(np.zeros(3), Pose())
    return NodeTree(description().links, rows, "/m1")


def test_all_that_hangs_on_a_node_is_one_mesh_and_the_base_is_left_out():
    robot = description(visuals=(cube("base"), cube("lower"), cube("lamp"), cube("jaw")))
    shapes = shapes_by_node(robot, tree().mounts, 1e-4)
    assert set(shapes) == {"/m1/0/0", "/m1/0/0/0"}
    both = shapes["/m1/0/0"]
    assert (len(both.vertices), len(both.faces)) == (16, 24)
    # The lamp is fixed to the lower link, 30 cm along and 10 cm up.
    assert both.vertices.max(axis=0).tolist() == pytest.approx([0.4, 0.1, 0.2])
    assert both.faces.max() == 15


def test_details_smaller_than_a_cell_go_and_the_shape_stays():
    ball = trimesh.creation.icosphere(subdivisions=4, radius=1.0)
    faces = ball.faces.astype(np.uint32)
    vertices, triangles = thinned(ball.vertices, faces, 0.2)
    assert len(vertices) < 0.3 * len(ball.vertices)
    thin = trimesh.Trimesh(vertices, triangles, process=False)
    assert np.linalg.norm(vertices, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert thin.area == pytest.approx(ball.area, rel=0.1)
    same, all_of_them = thinned(ball.vertices, faces, 1e-4)
    assert (len(same), len(all_of_them)) == (len(ball.vertices), len(faces))
