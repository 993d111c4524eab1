"""The robot in the scene: which nodes there are, and what is sent when something moves."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
import viser
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.scene_rig import LINKS, Outbox, cube, description, patient, placements, row
from tests.wire import WireClient
from workbench.model.description import Link
from workbench.poses import Pose, wxyz_from_rotation_vector
from workbench.ui.drawn_shapes import glb_of_coloured_shape
from workbench.ui.node_tree import NodeTree, pose_of_row
from workbench.ui.scene import SceneOptions, SceneView


@pytest.fixture
def server() -> Iterator[viser.ViserServer]:
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield server
    server.stop()


def view_of(server: viser.ViserServer, options: SceneOptions | None = None, **changes) -> SceneView:
    view = SceneView(server, description(**changes), placements(), epoch=1, options=options)
    view.show()
    return view


def move(view: SceneView, *positions: float, **named: float) -> bool:
    """Show the robot at joint positions; tell whether anything moved."""
    moves = view.moves(placements(*positions, **named))
    if moves is not None:
        view.send(moves)
    return moves is not None


def node_names(server: viser.ViserServer) -> set[str]:
    return set(server.scene._handle_from_node_name) - {"/WorldAxes"}


def kinds_and_names(messages) -> list[tuple[str, str]]:
    return [(type(message).__name__, message.name) for message in messages]


# Nodes ---------------------------------------------------------------------------------------


def test_only_links_that_move_get_nodes_nested_along_the_tree(server):
    view_of(server, visuals=())
    assert node_names(server) == {"/r1", "/r1/0", "/r1/0/0", "/r1/0/0/0", "/r1/0/0/m4", "/floor1"}


def test_shapes_hang_on_the_node_of_their_link_or_of_the_link_that_carries_it(server):
    view_of(server)
    shapes = {name for name in node_names(server) if "/v" in name}
    assert shapes == {"/r1/v0", "/r1/v1", "/r1/0/0/v2", "/r1/0/0/0/v3"}
    mast = server.scene._handle_from_node_name["/r1/v1"]
    assert mast.position.tolist() == [0.0, 0.0, 0.5]


def test_siblings_have_different_names(server):
    twins = (*LINKS[:3], Link("twin", "mast", "elbow", moves=True, translates=False))
    SceneView(server, description(links=twins, visuals=()), placements()[:4], epoch=7)
    assert {"/r7/0", "/r7/1"} <= node_names(server)


numbers = st.floats(-2.0, 2.0, allow_nan=False)
random_poses = st.builds(
    lambda t, r: Pose(np.array(t), wxyz_from_rotation_vector(np.array(r))),
    st.tuples(numbers, numbers, numbers),
    st.tuples(numbers, numbers, numbers),
)


@patient
@given(st.lists(st.tuples(random_poses, st.booleans()), min_size=1, max_size=8), st.data())
def test_every_link_is_where_the_chain_of_all_placements_puts_it(chain, data):
    links: list[Link] = []
    for number, (_, moves) in enumerate(chain):
        parent = None if not links else data.draw(st.sampled_from(links)).name
        links.append(Link(f"link{number}", parent, "joint", moves, moves))
    rows = np.array([[*pose.translation, *pose.wxyz] for pose, _ in chain])
    tree = NodeTree(links, rows, "/r")
    nodes = tree.transforms_to_world(tree.node_placements(rows))
    world: dict[str, Pose] = {}
    for link, (pose, _) in zip(links, chain, strict=True):
        world[link.name] = pose if link.parent is None else world[link.parent] @ pose
        mount = tree.mounts[link.name]
        drawn = nodes[mount.index] @ mount.transform_link_to_node
        assert drawn.is_close(world[link.name], 1e-9, 1e-7)


# What is sent --------------------------------------------------------------------------------


def test_a_joint_that_turns_sends_its_orientation_and_nothing_else(server):
    view, outbox = view_of(server), Outbox(server)
    assert move(view, elbow=0.3)
    (message,) = outbox.new()
    assert (type(message).__name__, message.name) == ("SetOrientationMessage", "/r1/0/0")
    assert message.wxyz == pytest.approx([np.cos(0.15), 0.0, 0.0, np.sin(0.15)])


def test_a_joint_below_a_fixed_link_turns_in_the_node_that_carries_the_link(server):
    view = view_of(server)
    move(view, shoulder=0.3)
    expected = pose_of_row(placements()[1]) @ pose_of_row(placements(shoulder=0.3)[2])
    assert server.scene._handle_from_node_name["/r1/0"].wxyz == pytest.approx(
        expected.wxyz, abs=1e-6
    )


def test_a_joint_that_slides_sends_its_position_and_nothing_else(server):
    view, outbox = view_of(server), Outbox(server)
    assert move(view, slide=0.2)
    (message,) = outbox.new()
    assert (type(message).__name__, message.name) == ("SetPositionMessage", "/r1/0/0/0")
    assert message.position == pytest.approx([0.6, 0.0, 0.1])


def test_nothing_is_sent_when_nothing_moved(server):
    view, outbox = view_of(server), Outbox(server)
    assert not move(view)
    move(view, 0.1, 0.2, 0.3)
    outbox.new()
    assert not move(view, 0.1, 0.2, 0.3)
    assert outbox.new() == []


def test_a_solver_s_noise_about_its_rest_is_no_motion(server):
    view = view_of(server)
    # 2.5 steps of the rounding, where the nearest step is a toss-up.
    tie = 2.0 * np.arcsin(2.5 * 2.0**-22)
    move(view, elbow=tie)
    outbox = Outbox(server)
    for noise in (1e-18, -3e-17, 1e-12, -1e-12, 1e-9, -1e-9):
        assert not move(view, shoulder=noise, elbow=tie + noise, slide=noise)
    assert outbox.new() == []


def test_a_slow_joint_arrives_exactly_where_it_stops(server):
    view = view_of(server)
    for step in range(1, 1001):
        move(view, elbow=1e-6 * step)
    wxyz = server.scene._handle_from_node_name["/r1/0/0"].wxyz
    assert 2.0 * np.arctan2(wxyz[3], wxyz[0]) == pytest.approx(1e-3, abs=5e-7)


def test_a_page_that_connects_later_sees_the_present_pose(server):
    view = view_of(server)
    move(view, elbow=0.3)
    move(view, elbow=0.5)
    client = WireClient(f"http://127.0.0.1:{server.get_port()}")
    try:
        replay = client.replay()
    finally:
        client.close()
    turned = [
        message["wxyz"]
        for message in replay
        if message["type"] == "SetOrientationMessage" and message["name"] == "/r1/0/0"
    ]
    assert turned == [pytest.approx([np.cos(0.25), 0.0, 0.0, np.sin(0.25)])]


def test_the_box_around_the_robot_follows_its_joints(server):
    view = view_of(server)
    before = view.bounds()[1][0]
    move(view, slide=0.5)
    assert view.bounds()[1][0] == pytest.approx(before + 0.5 * np.cos(0.3), abs=1e-6)


def test_the_floor_lies_below_the_lowest_point_but_never_above_zero(server):
    view = view_of(server, visuals=(cube("base"),))
    assert view.floor_z == pytest.approx(-0.1)
    raised = placements()
    raised[0, 2] = 3.0
    assert SceneView(server, description(), raised, epoch=2).floor_z == 0.0


# Options -------------------------------------------------------------------------------------


def test_collision_meshes_are_built_when_they_are_first_shown(server):
    view = view_of(server)
    assert "/r1/0/c0" not in node_names(server)
    view.apply(SceneOptions(collision=True))
    mesh = server.scene._handle_from_node_name["/r1/0/c0"]
    assert mesh.visible
    view.apply(SceneOptions())
    assert not mesh.visible


def test_visual_meshes_can_be_hidden_and_shown(server):
    view = view_of(server)
    mesh = server.scene._handle_from_node_name["/r1/v0"]
    view.apply(SceneOptions(visual=False))
    assert not mesh.visible
    view.apply(SceneOptions())
    assert mesh.visible


def test_a_link_whose_mesh_is_missing_is_drawn_as_a_small_frame(server):
    view_of(server)
    frame = server.scene._handle_from_node_name["/r1/0/0/m4"]
    assert frame.visible
    assert frame.show_axes
    assert 0.0 < frame.axes_length < 0.1 * 1.2
    assert frame.position.tolist() == pytest.approx([0.3, 0.0, 0.1])


def test_every_link_shows_its_frame_and_its_name_fixed_ones_too(server):
    view = view_of(server)
    view.apply(SceneOptions(frames=True, names=True))
    nodes = server.scene._handle_from_node_name
    texts = {handle.text for handle in nodes.values() if isinstance(handle, viser.LabelHandle)}
    assert texts == {link.name for link in LINKS}
    assert sum(name.rsplit("/", 1)[1].startswith("f") for name in nodes) - 1 == len(LINKS)


def test_links_in_one_place_share_a_label_and_neighbours_write_on_different_sides(server):
    twin = Link("twin", "lamp", "twin_joint", moves=False, translates=False)
    links = (*LINKS, twin)
    places_of_links = np.vstack([placements(), row(Pose())])
    view = SceneView(server, description(links=links), places_of_links, epoch=1)
    view.show()
    view.apply(SceneOptions(names=True))
    nodes = server.scene._handle_from_node_name.values()
    labels = [handle for handle in nodes if isinstance(handle, viser.LabelHandle)]
    shown = [name for label in labels for name in label.text.split(", ")]
    assert sorted(shown) == sorted(link.name for link in links)
    places = [(label.name.rsplit("/", 1)[0], *label.position.tolist()) for label in labels]
    assert len(set(places)) == len(places)
    assert all(one.anchor != two.anchor for one, two in itertools.pairwise(labels))


def test_names_are_shown_on_one_line_and_cut(server):
    hostile = "<iframe>\n\x1b[31m" + 200 * "x"
    view = view_of(server, links=(Link(hostile, None, None, False, False),), visuals=())
    view.apply(SceneOptions(names=True))
    text = server.scene._handle_from_node_name["/r1/n0"].text
    assert text.startswith("<iframe> ")
    assert text.isprintable()
    assert len(text) == 60


def test_transparency_is_on_top_of_the_robots_own(server):
    glass = cube("base", rgba=(1.0, 0.5, 0.0, 0.8))
    view = view_of(server, visuals=(cube("mast"), glass))
    solid, clear = (server.scene._handle_from_node_name[f"/r1/v{number}"] for number in (0, 1))
    assert (solid.opacity, clear.opacity, clear.color) == (None, 0.8, (255, 128, 0))
    view.apply(SceneOptions(transparency=0.5))
    assert (solid.opacity, clear.opacity) == (0.5, 0.4)
    view.apply(SceneOptions())
    assert (solid.opacity, clear.opacity) == (None, 0.8)


def test_a_mesh_with_colours_at_its_vertices_becomes_transparent_as_well(server):
    colours = np.arange(24, dtype=np.uint8).reshape(8, 3)
    shape = cube("mast", vertex_colors=colours)
    view = view_of(server, visuals=(shape,))
    solid = server.scene._handle_from_node_name["/r1/v0"]
    assert b'"alphaMode":"OPAQUE"' in solid.glb_data
    assert b"COLOR_0" in solid.glb_data
    view.apply(SceneOptions(transparency=0.5, visual=False))
    faded = server.scene._handle_from_node_name["/r1/v0"]
    assert b'"alphaMode":"BLEND"' in faded.glb_data
    assert not faded.visible
    assert faded.position.tolist() == [0.0, 0.0, 0.5]


@pytest.mark.parametrize(("opacity", "alpha"), [(1.0, 255), (0.5, 128), (0.0, 0)])
def test_the_opacity_is_written_at_every_vertex(opacity, alpha):
    shape = cube("mast", vertex_colors=np.full((8, 3), 7, dtype=np.uint8))
    assert 8 * bytes([7, 7, 7, alpha]) in glb_of_coloured_shape(shape, opacity)


def test_options_that_the_robot_starts_with_are_in_force_at_once(server):
    view_of(server, SceneOptions(visual=False, collision=True, transparency=0.5, grid=False))
    nodes = server.scene._handle_from_node_name
    assert not nodes["/r1/v0"].visible
    assert nodes["/r1/v0"].opacity == 0.5
    assert nodes["/r1/0/c0"].visible
    assert not nodes["/floor1"].visible


def test_a_dark_page_has_dark_lines_on_its_floor(server):
    view = view_of(server)
    floor = server.scene._handle_from_node_name["/floor1"]
    light = floor.colors.copy()
    view.apply(SceneOptions(dark=True))
    assert (floor.colors < light).all()


@pytest.mark.parametrize(("size_m", "cell_m"), [(0.17, 0.01), (1.2, 0.1), (2.5, 0.1), (9.0, 1.0)])
def test_the_floor_s_cells_are_round_numbers_and_it_reaches_beyond_the_robot(
    server, size_m, cell_m
):
    view_of(server, size_m=size_m)
    points = server.scene._handle_from_node_name["/floor1"].points
    across = np.unique(np.abs(points[:, :, :2]))
    assert np.diff(across).min() == pytest.approx(cell_m, rel=1e-4)
    assert across.max() >= 2.0 * size_m * 0.999
    assert (points[:, :, 2] == 0.0).all()


def test_the_floor_fades_into_the_background(server):
    view_of(server)
    floor = server.scene._handle_from_node_name["/floor1"]
    distance = np.linalg.norm(floor.points, axis=2)
    assert (floor.colors[distance >= distance.max() / np.sqrt(2.0)] == 255).all()
    assert (floor.colors[distance == 0.0] < 255).all()


def test_removing_a_robot_leaves_no_node(server):
    view = view_of(server, SceneOptions(collision=True, frames=True, names=True))
    view.remove()
    assert node_names(server) == set()
