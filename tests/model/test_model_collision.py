"""Convex hulls of collision shapes, and which pairs of links are watched."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import coal
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.robots_inline import joint, write_urdf
from workbench.errors import RobotError
from workbench.model.collision import HOME_MARGIN, CollisionModel, build_collision_model
from workbench.model.collision_hulls import FLAT_HALF_THICKNESS_M, thickened
from workbench.model.collision_nearest import NearestPairs
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
CUBE_FACES = [
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
]  # fmt: skip


def write_stl(path: Path, points: np.ndarray, faces: Sequence[tuple[int, int, int]]) -> None:
    data = bytearray(80) + struct.pack("<I", len(faces))
    for face in faces:
        data += struct.pack("<12f", 0, 0, 0, *np.asarray(points)[list(face)].ravel()) + b"\0\0"
    path.write_bytes(bytes(data))


def collision(shape: str, xyz: str = "0 0 0", rpy: str = "0 0 0") -> str:
    return f'<collision><origin xyz="{xyz}" rpy="{rpy}"/><geometry>{shape}</geometry></collision>'


def link(name: str, *collisions: str) -> str:
    return f'<link name="{name}">{"".join(collisions)}</link>'


def sphere(radius: float = 0.05, xyz: str = "0 0 0") -> str:
    return collision(f'<sphere radius="{radius}"/>', xyz)


def chain(*links: str, names: str = "a b c d", lengths: float = 0.3, extra: str = "") -> str:
    """Return links one above the other, each turning about x on the one before."""
    listed = names.split()
    joints = [
        joint(f"j{number}", parent=parent, child=child, axis="1 0 0", xyz=f"0 0 {lengths}")
        for number, (parent, child) in enumerate(pairwise(listed))
    ]
    return f'<robot name="chain">{"".join(links)}{"".join(joints)}{extra}</robot>'


def four_spheres() -> str:
    return chain(*(link(name, sphere()) for name in "abcd"))


def load(folder: Path, text: str, srdf: str | None = None) -> Robot:
    path = None
    if srdf is not None:
        path = folder / "inline.srdf"
        path.write_text(f'<robot name="chain">\n{srdf}\n</robot>')
    request = RobotRequest(write_urdf(folder, text), srdf=None if path is None else str(path))
    return load_robot(request)


def kept(model: CollisionModel, minimum_distance_m: float = 0.02) -> set[tuple[str, str]]:
    return {(pair.link_a, pair.link_b) for pair in model.selection(minimum_distance_m).kept}


def left_out(model: CollisionModel, minimum_distance_m: float = 0.02) -> dict[str, str]:
    pairs = model.selection(minimum_distance_m).left_out
    return {f"{pair.link_a} {pair.link_b}": pair.reason for pair in pairs}


# Shapes ------------------------------------------------------------------------------------


def test_primitives_stay_primitives(tmp_path: Path) -> None:
    shapes = (
        '<box size="0.1 0.2 0.3"/>', '<sphere radius="0.1"/>',
        '<cylinder radius="0.1" length="0.4"/>', '<capsule radius="0.1" length="0.4"/>',
    )  # fmt: skip
    text = chain(*(link(n, collision(s)) for n, s in zip("abcd", shapes, strict=True)), lengths=1)
    found = [
        o.geometry for o in build_collision_model(load(tmp_path, text)).geometry.geometryObjects
    ]
    assert [type(shape) for shape in found] == [coal.Box, coal.Sphere, coal.Cylinder, coal.Capsule]
    assert np.allclose(2 * np.array(found[0].halfSide), (0.1, 0.2, 0.3))
    assert found[1].radius == 0.1
    assert (found[2].radius, found[2].halfLength) == (0.1, 0.2)
    assert (found[3].radius, found[3].halfLength) == (0.1, 0.2)


def test_meshes_become_hulls_where_they_are_drawn_scaled_and_mirrored(tmp_path: Path) -> None:
    write_stl(tmp_path / "cube.stl", CUBE, CUBE_FACES)
    mesh = collision('<mesh filename="cube.stl" scale="0.1 -0.1 0.2"/>', "0 0 0.5", "0 0 1.5707963")
    ball = link("c", sphere(0.1, "0.5 0 0.2"))
    robot = load(tmp_path, chain(link("a", mesh), link("b", sphere()), ball, names="a b c"))
    model = build_collision_model(robot)
    hull = model.geometry.geometryObjects[0]
    points = np.array([hull.placement.act(np.array(p)) for p in hull.geometry.points()])
    (shape,) = (shape for shape in robot.description.collisions if shape.link == "a")
    drawn = shape.pose.act(shape.vertices.astype(float))
    assert np.allclose(points.min(axis=0), drawn.min(axis=0), atol=1e-6)
    assert np.allclose(points.max(axis=0), drawn.max(axis=0), atol=1e-6)
    # Turned by a quarter, the mirrored y axis points along +x: the hull reaches from 0 to 0.1.
    assert np.allclose(points.max(axis=0), (0.1, 0.1, 0.7), atol=1e-6)
    # The sphere's centre is at (0.5, 0, 0.8): from there to the edge at (0.1, 0..0.1, 0.7).
    (pair,) = model.candidates
    assert pair.distance_at_home_m == pytest.approx(np.hypot(0.4, 0.1) - 0.1, abs=1e-6)


def test_a_mesh_of_several_colours_is_one_hull(tmp_path: Path) -> None:
    (tmp_path / "two.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    vertices = "".join(f"v {x} {y} {z}\n" for x, y, z in CUBE)
    faces = [f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in CUBE_FACES]
    (tmp_path / "two.obj").write_text(
        "".join(("mtllib two.mtl\n", vertices, "usemtl red\n", *faces[:6], "usemtl blue\n",
                 *faces[6:]))
    )  # fmt: skip
    mesh = collision('<mesh filename="two.obj" scale="0.1 0.1 0.1"/>')
    robot = load(tmp_path, chain(link("a", mesh), link("b"), link("c", sphere()), names="a b c"))
    assert len([shape for shape in robot.description.collisions if shape.link == "a"]) == 2
    model = build_collision_model(robot)
    assert model.links == ("a", "c")
    assert model.geometry.geometryObjects[0].geometry.num_points == 8


FLAT_MESHES = {
    "one triangle": ([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0)], [(0, 1, 2)]),
    "a sheet": ([(0, 0, 0), (0.1, 0, 0), (0.1, 0.1, 0), (0, 0.1, 0)], [(0, 1, 2), (0, 2, 3)]),
    "a line": ([(0, 0, 0), (0.1, 0, 0), (0.05, 0, 0)], [(0, 1, 2)]),
}


@pytest.mark.parametrize("name", FLAT_MESHES)
def test_a_mesh_without_volume_counts_as_thin(name: str, tmp_path: Path) -> None:
    points, faces = FLAT_MESHES[name]
    vertices = "".join(f"v {x} {y} {z}\n" for x, y, z in points)
    triangles = "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in faces)
    (tmp_path / "flat.obj").write_text(vertices + triangles)
    flat = link("a", collision('<mesh filename="flat.obj"/>'))
    robot = load(tmp_path, chain(flat, link("b", sphere()), link("c", sphere()), names="a b c"))
    model = build_collision_model(robot)
    assert "flat_collision_mesh" in [remark.code for remark in model.remarks]
    (pair,) = model.candidates
    expected = 0.6 - 0.05 - FLAT_HALF_THICKNESS_M
    assert pair.distance_at_home_m == pytest.approx(expected, abs=2 * FLAT_HALF_THICKNESS_M)


@given(
    arrays(np.float64, st.tuples(st.integers(1, 12), st.just(3)), elements=st.floats(-1, 1)),
    st.integers(0, 3),
)
def test_thickened_points_have_a_volume_and_stay_where_they_are(
    points: np.ndarray, rank: int
) -> None:
    points = points * (np.arange(3) < rank)
    solid = thickened(points)
    # Every thin direction moves a point by half the thickness at most.
    limit = np.sqrt(3) * FLAT_HALF_THICKNESS_M + 1e-12
    assert np.all(solid.min(axis=0) >= points.min(axis=0) - limit)
    assert np.all(solid.max(axis=0) <= points.max(axis=0) + limit)
    axes = np.linalg.eigh(np.cov(solid.T))[1]
    assert np.ptp(solid @ axes, axis=0).min() >= 5e-7
    listed = coal.StdVec_Vec3s()
    for point in solid:
        listed.append(point)
    assert coal.Convex.convexHull(listed, False, "Qt").num_points >= 4


def test_a_mesh_at_the_end_of_the_world_is_refused_with_its_link(tmp_path: Path) -> None:
    write_stl(tmp_path / "far.stl", CUBE * 1e9, CUBE_FACES)
    far = link("a", collision('<mesh filename="far.stl"/>'))
    robot = load(tmp_path, chain(far, link("b"), link("c", sphere()), names="a b c"))
    with pytest.raises(RobotError, match=r"^a: a collision mesh has no points within 10 km"):
        build_collision_model(robot)


def test_a_missing_mesh_leaves_its_link_unguarded_and_says_so(tmp_path: Path) -> None:
    cube = '<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>'
    lost = link("a", cube, collision('<mesh filename="gone.stl"/>'))
    robot = load(tmp_path, chain(lost, *(link(name, sphere()) for name in "bcd")))
    model = build_collision_model(robot)
    assert model.links == ("b", "c", "d")
    (remark,) = model.remarks
    assert remark.code == "no_collision_shape"
    assert remark.text.endswith("no collision geometry: a.")


def test_a_robot_without_collision_geometry_is_refused_in_one_sentence(tmp_path: Path) -> None:
    robot = load(tmp_path, chain(*(link(name) for name in "abcd")))
    with pytest.raises(RobotError, match=r"chain: has no collision geometry") as caught:
        build_collision_model(robot)
    assert caught.value.path == robot.description.urdf_path


# Pairs -------------------------------------------------------------------------------------


def test_neighbours_are_left_out_and_all_other_links_are_watched(tmp_path: Path) -> None:
    model = build_collision_model(load(tmp_path, four_spheres()))
    assert kept(model) == {("a", "c"), ("a", "d"), ("b", "d")}
    assert left_out(model) == {"a b": "neighbours", "b c": "neighbours", "c d": "neighbours"}


def test_links_without_collision_geometry_do_not_part_neighbours(tmp_path: Path) -> None:
    text = chain(link("a", sphere()), link("b"), link("c", sphere()), link("d", sphere()))
    model = build_collision_model(load(tmp_path, text))
    assert left_out(model) == {"a c": "neighbours", "c d": "neighbours"}


def test_two_arms_on_one_base_are_not_neighbours(tmp_path: Path) -> None:
    left = joint("left", parent="base", child="left_arm", xyz="0 0.2 0")
    right = joint("right", parent="base", child="right_arm", xyz="0 -0.2 0")
    arms = link("left_arm", sphere()) + link("right_arm", sphere())
    text = f'<robot name="two">{link("base", sphere())}{arms}{left}{right}</robot>'
    model = build_collision_model(load(tmp_path, text))
    assert kept(model) == {("left_arm", "right_arm")}


def test_links_that_no_joint_moves_against_each_other_are_left_out(tmp_path: Path) -> None:
    fixed = joint("weld", "fixed", parent="d", child="tip", inside="", xyz="0 0 0.3")
    more = joint("weld2", "fixed", parent="tip", child="tool", inside="", xyz="0 0 0.3")
    links = [link(name, sphere()) for name in ("a", "b", "c", "d", "tip", "tool")]
    model = build_collision_model(load(tmp_path, chain(*links, extra=fixed + more)))
    reasons = left_out(model)
    assert reasons["d tip"] == reasons["d tool"] == reasons["tip tool"] == "rigid"
    assert ("c", "tool") in kept(model)


def test_a_held_joint_makes_links_rigid(tmp_path: Path) -> None:
    path = write_urdf(tmp_path, four_spheres())
    robot = load_robot(RobotRequest(path, hold={"j1": 0.5}))
    model = build_collision_model(robot)
    assert left_out(model)["b c"] == "rigid"


def test_pairs_that_the_srdf_disables_are_left_out_with_its_word(tmp_path: Path) -> None:
    srdf = '<disable_collisions link1="d" link2="a" reason="Never"/>'
    model = build_collision_model(load(tmp_path, four_spheres(), srdf))
    (pair,) = (pair for pair in model.left_out if pair.reason == "srdf")
    assert {pair.link_a, pair.link_b} == {"a", "d"}
    assert pair.text == "The SRDF disables them (Never)."
    assert ("a", "d") not in kept(model)


def test_unknown_links_in_an_srdf_are_said_and_do_no_harm(tmp_path: Path) -> None:
    srdf = (
        '<disable_collisions link1="a" link2="dd" reason="Never"/>\n'
        '<disable_collisions link1="gripper" link2="a"/>\n'
        '<disable_collisions link1="a" link2="c"/>'
    )
    model = build_collision_model(load(tmp_path, four_spheres(), srdf))
    assert kept(model) == {("a", "d"), ("b", "d")}
    (remark,) = model.remarks
    assert remark.code == "srdf_unknown_link"
    assert "dd, gripper" in remark.text
    assert "line 2" in remark.text


def test_a_pair_without_names_in_an_srdf_is_refused_with_its_line(tmp_path: Path) -> None:
    robot = load(tmp_path, four_spheres(), '<disable_collisions link1="a" reason="Never"/>')
    with pytest.raises(RobotError, match=r"inline\.srdf:2: disable_collisions: names no two links"):
        build_collision_model(robot)


def test_pairs_too_close_at_home_are_left_out_for_the_distance_in_force(tmp_path: Path) -> None:
    # Spheres of 5 cm, centres 0.6 and 0.9 apart: 0.5, 0.5 and 0.8 m between the surfaces.
    model = build_collision_model(load(tmp_path, four_spheres()))
    limit = 0.5 / HOME_MARGIN
    assert kept(model, limit * 0.999) == {("a", "c"), ("a", "d"), ("b", "d")}
    assert kept(model, limit * 1.001) == {("a", "d")}
    close = [p for p in model.selection(limit * 1.001).left_out if p.reason == "close_at_home"]
    assert [pair.distance_at_home_m for pair in close] == pytest.approx([0.5, 0.5])
    assert "500.0 mm" in close[0].text
    assert kept(model, 10.0) == set()
    assert len(model.selection(10.0).left_out) == 6


def test_links_that_overlap_at_home_are_left_out_even_for_no_distance(tmp_path: Path) -> None:
    text = chain(link("a", sphere(0.4)), link("b"), link("c", sphere(0.1)), link("d", sphere(0.4)))
    model = build_collision_model(load(tmp_path, text))
    assert model.candidates[0].distance_at_home_m == pytest.approx(0.1)
    overlapping = text.replace('radius="0.4"', 'radius="0.5"')
    model = build_collision_model(load(tmp_path, overlapping))
    (pair,) = (p for p in model.selection(0.0).left_out if p.reason == "close_at_home")
    assert pair.distance_at_home_m == pytest.approx(-0.1, abs=1e-6)
    assert pair.text == "At home they overlap by 100.0 mm."


# The job -----------------------------------------------------------------------------------


def test_progress_goes_from_nothing_to_all(tmp_path: Path) -> None:
    told: list[tuple[float, str]] = []
    robot = load(tmp_path, four_spheres())
    build_collision_model(robot, progress=lambda share, text: told.append((share, text)))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert "hull of c" in [text for _, text in told]


def test_an_exception_of_the_progress_report_ends_the_work(tmp_path: Path) -> None:
    class Cancelled(Exception):
        pass

    def cancel(share: float, text: str) -> None:
        if share > 0.3:
            raise Cancelled

    robot = load(tmp_path, four_spheres())
    with pytest.raises(Cancelled):
        build_collision_model(robot, progress=cancel)


# The nearest pairs -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["panda", "talos"])
def test_the_nearest_pairs_are_those_of_computing_every_distance(name: str) -> None:
    robot = load_robot(RobotRequest(name))
    collision = build_collision_model(robot)
    selection = collision.selection(0.02)
    nearest = NearestPairs(robot.model, collision, selection)
    data, every = robot.model.createData(), collision.create_data()
    generator = np.random.default_rng(7)
    q, velocity = robot.home_q, np.zeros(robot.model.nv)
    computed = 0
    for step in range(60):
        # A walk with small steps, a jump now and then, and ticks on which nothing moves.
        if step % 20 == 19:
            q = pin.integrate(robot.model, robot.home_q, generator.normal(size=robot.model.nv))
        elif step % 7:
            velocity = 0.9 * velocity + generator.normal(size=robot.model.nv)
            q = pin.integrate(robot.model, q, 0.01 * velocity)
        pin.forwardKinematics(robot.model, data, q)
        found = nearest.nearest(data, 10)
        computed += nearest.computed
        pin.updateGeometryPlacements(robot.model, data, collision.geometry, every)
        pin.computeDistances(collision.geometry, every)
        distances = np.array([every.distanceResults[int(i)].min_distance
                              for i in selection.shape_pairs])  # fmt: skip
        expected = np.sort(distances)[:10]
        # Overlaps are measured by a method that stops at a micrometre.
        assert np.allclose([near.distance_m for near in found], expected, atol=2e-6)
        for near in found:
            between = near.point_b - near.point_a
            assert between @ near.normal == pytest.approx(near.distance_m, abs=1e-6)
            assert np.linalg.norm(near.normal) == pytest.approx(1.0)
    assert computed < 0.8 * 60 * len(selection.shape_pairs)


def test_a_hull_that_turns_about_its_own_middle_is_not_overlooked(tmp_path: Path) -> None:
    rotor = collision('<box size="0.02 1 0.02"/>')
    joints = (
        joint("j0", parent="base", child="mid", xyz="0 0 0"),
        joint("turn", "continuous", parent="mid", child="rotor", xyz="0 0 0"),
        joint("j2", parent="base", child="side", xyz="0 0 0"),
        joint("j3", parent="side", child="post", xyz="0 0 0"),
    )
    links = (
        link("base", sphere(0.05, "0.65 0 0")), link("mid", sphere(0.01, "0 0 -3")),
        link("rotor", rotor), link("side", sphere(0.01, "0 0 3")),
        link("post", sphere(0.05, "0.65 0 0.6")),
    )  # fmt: skip
    robot = load(tmp_path, f'<robot name="rotor">{"".join((*links, *joints))}</robot>')
    model = build_collision_model(robot)
    nearest = NearestPairs(robot.model, model, model.selection(0.02))
    data = robot.model.createData()
    for angle, distance in ((0.0, 0.5), (np.pi / 2, 0.1)):
        q = robot.q_from_positions({"turn": angle})
        pin.forwardKinematics(robot.model, data, q)
        (found,) = nearest.nearest(data, 1)
        assert found.distance_m == pytest.approx(distance, abs=1e-6)


def test_the_closest_pair_has_its_names_points_and_distance(tmp_path: Path) -> None:
    robot = load(tmp_path, chain(link("a", sphere(0.05, "0 0.1 0")), link("b"),
                                 link("c", sphere(0.1)), link("d", sphere(0.02))))  # fmt: skip
    collision = build_collision_model(robot)
    nearest = NearestPairs(robot.model, collision, collision.selection(0.02))
    data = robot.model.createData()
    pin.forwardKinematics(robot.model, data, robot.home_q)
    closest = nearest.closest_pair(data)
    assert closest is not None
    assert (closest.link_a, closest.link_b) == ("a", "d")
    centres = np.array([[0, 0.1, 0], [0, 0, 0.9]])
    way = centres[1] - centres[0]
    direction = way / np.linalg.norm(way)
    assert closest.distance_m == pytest.approx(np.linalg.norm(way) - 0.07)
    assert np.allclose(closest.point_a, centres[0] + 0.05 * direction)
    assert np.allclose(closest.point_b, centres[1] - 0.02 * direction)
    assert not closest.point_a.flags.writeable


def test_without_pairs_nothing_is_nearest(tmp_path: Path) -> None:
    robot = load(tmp_path, four_spheres())
    collision = build_collision_model(robot)
    nearest = NearestPairs(robot.model, collision, collision.selection(100.0))
    data = robot.model.createData()
    pin.forwardKinematics(robot.model, data, robot.home_q)
    assert nearest.closest_pair(data) is None
