"""Visuals and collisions of a URDF as shapes, and looks that cannot be drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from workbench.errors import RobotError
from workbench.model.description import Shape
from workbench.model.meshes import MeshFiles
from workbench.model.shapes import LoadedShapes, ShapeKind, load_shapes

GREY = (0.7, 0.7, 0.7, 1.0)

WEDGE = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "wedge.obj").write_text(WEDGE)
    (tmp_path / "broken.stl").write_bytes(b"not a mesh")
    (tmp_path / "red.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    (tmp_path / "colours.obj").write_text(
        "mtllib red.mtl\n" + WEDGE.replace("f 1 2 4", "usemtl red\nf 1 2 4\nusemtl blue")
    )
    Image.new("RGB", (2, 2), (0, 255, 0)).save(tmp_path / "green.png")
    return tmp_path


@pytest.fixture
def resolve(folder: Path) -> Callable[[str], Path]:
    def _resolve(uri: str) -> Path:
        path = folder / uri.rpartition("/")[2]
        if not path.is_file():
            raise RobotError("is missing", value=uri)
        return path

    return _resolve


def mesh(name: str = "wedge.obj", scale: str = "") -> str:
    return f'<geometry><mesh filename="package://p/{name}" {scale}/></geometry>'


def robot(*links: str, materials: str = "") -> ElementTree.Element:
    content = "".join(f'<link name="l{number}">{link}</link>' for number, link in enumerate(links))
    return ElementTree.fromstring(f'<robot name="r">{materials}{content}</robot>')


def visual(content: str) -> str:
    return f"<visual>{content}</visual>"


def volume(shape: Shape) -> float:
    a, b, c = (shape.vertices[shape.faces[:, k]].astype(np.float64) for k in range(3))
    return float(np.einsum("ij,ij->", np.cross(a, b), c) / 6.0)


Load = Callable[..., LoadedShapes]


@pytest.fixture
def load(resolve: Callable[[str], Path]) -> Load:
    def _load(*links: str, kind: ShapeKind = "visual", materials: str = "") -> LoadedShapes:
        return load_shapes(robot(*links, materials=materials), kind, resolve)

    return _load


@pytest.mark.parametrize(
    ("geometry", "extent"),
    [
        ('<box size="1 2 3"/>', [1, 2, 3]),
        ('<sphere radius="0.5"/>', [1, 1, 1]),
        ('<cylinder radius="0.5" length="4"/>', [1, 1, 4]),
        ('<capsule radius="0.5" length="4"/>', [1, 1, 5]),
    ],
)
def test_primitives_are_drawn_at_their_origin(
    load: Load, geometry: str, extent: list[float]
) -> None:
    origin = '<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>'
    loaded = load(visual(f"{origin}<geometry>{geometry}</geometry>"))
    (shape,) = loaded.shapes
    assert shape.link == "l0"
    assert shape.rgba == GREY
    np.testing.assert_allclose(shape.pose.translation, [1, 2, 3])
    np.testing.assert_allclose(shape.pose.act([1.0, 0, 0]), [1, 3, 3], atol=1e-12)
    np.testing.assert_allclose(np.ptp(shape.vertices, axis=0), extent, rtol=1e-5)
    assert not loaded.remarks


def test_every_visual_of_every_link_is_drawn_and_collisions_are_apart(load: Load) -> None:
    box = '<geometry><box size="1 1 1"/></geometry>'
    links = (
        visual(box) + visual(mesh()) + f"<collision>{box}</collision>",
        visual(mesh()),
        "",
    )
    assert [shape.link for shape in load(*links).shapes] == ["l0", "l0", "l1"]
    assert [shape.link for shape in load(*links, kind="collision").shapes] == ["l0"]


def test_the_scale_is_applied_along_each_axis(load: Load) -> None:
    (shape,) = load(visual(mesh(scale='scale="0.1 0.01 0.001"'))).shapes
    np.testing.assert_allclose(shape.vertices.max(axis=0), [0.1, 0.02, 0.003], rtol=1e-6)


@pytest.mark.parametrize("scale", ["-1 1 1", "1 -1 1", "1 1 -1", "-1 -1 -1", "-1 -1 1"])
def test_a_mirrored_mesh_looks_outward(load: Load, scale: str) -> None:
    (shape,) = load(visual(mesh(scale=f'scale="{scale}"'))).shapes
    assert volume(shape) == pytest.approx(1.0)
    factors = np.array(scale.split(), dtype=float)
    reached = np.where(factors < 0, shape.vertices.min(axis=0), shape.vertices.max(axis=0))
    np.testing.assert_allclose(reached, factors * [1, 2, 3])


def test_left_and_right_share_one_file_in_memory(load: Load) -> None:
    left, right = load(visual(mesh()), visual(mesh())).shapes
    assert left.vertices is right.vertices


def test_a_mesh_with_two_colours_is_two_shapes(load: Load) -> None:
    own = '<material name="m"><color rgba="0 1 0 1"/></material>'
    shapes = load(visual(mesh("colours.obj") + own)).shapes
    # The mesh's own colours win; faces without one get the URDF's.
    assert {shape.rgba for shape in shapes} == {(1, 0, 0, 1), (0, 0, 1, 1), (0, 1, 0, 1)}


@pytest.mark.parametrize(
    ("material", "rgba"),
    [
        ('<material name="m"><color rgba="0.1 0.2 0.3 0.4"/></material>', (0.1, 0.2, 0.3, 0.4)),
        ('<material name="blue"/>', (0, 0, 1, 1)),
        ('<material name="later"/>', (1, 1, 0, 1)),
        ('<material name="nobody"/>', GREY),
        ('<material name="m"><texture filename="package://p/green.png"/></material>', (0, 1, 0, 1)),
        ('<material name="m"><texture filename="package://p/none.png"/></material>', GREY),
        ('<material name="m"><color rgba="7 -1 0 1"/></material>', (1, 0, 0, 1)),
        ('<material name="m"><color rgba="red"/></material>', GREY),
        ('<material name="m"><color rgba="nan 0 0 1"/></material>', GREY),
        ("<material/>", GREY),
    ],
)
def test_materials(load: Load, material: str, rgba: tuple[float, ...]) -> None:
    shapes = load(
        visual(mesh() + material),
        visual(mesh() + '<material name="later"><color rgba="1 1 0 1"/></material>'),
        materials='<material name="blue"><color rgba="0 0 1 1"/></material>',
    ).shapes
    assert shapes[0].rgba == pytest.approx(rgba)


def test_missing_and_broken_meshes_are_listed_and_the_rest_is_drawn(load: Load) -> None:
    loaded = load(
        visual(mesh("gone.stl")) + visual(mesh()),
        visual(mesh("broken.stl")) + visual(mesh("gone.stl")),
        visual(mesh()),
    )
    assert [shape.link for shape in loaded.shapes] == ["l0", "l2"]
    assert loaded.missing == {
        "l0": ("package://p/gone.stl",),
        "l1": ("package://p/broken.stl", "package://p/gone.stl"),
    }
    # One remark a file, not one a use.
    assert [(remark.code, remark.subject) for remark in loaded.remarks] == [
        ("missing_mesh", "package://p/gone.stl"),
        ("broken_mesh", "package://p/broken.stl"),
    ]
    assert all(remark.severity == "warning" for remark in loaded.remarks)
    assert "l0 is drawn without package://p/gone.stl" in loaded.remarks[0].text


@pytest.mark.parametrize(
    "content",
    [
        "",
        "<geometry/>",
        "<geometry><teapot/></geometry>",
        '<geometry><box size="1 2"/></geometry>',
        '<geometry><box size="1 0 1"/></geometry>',
        '<geometry><sphere radius="-1"/></geometry>',
        '<geometry><sphere radius="nan"/></geometry>',
        "<geometry><sphere/></geometry>",
        '<geometry><cylinder radius="1" length="inf"/></geometry>',
        "<geometry><mesh/></geometry>",
        mesh(scale='scale="0 1 1"'),
        mesh(scale='scale="1 1"'),
        mesh(scale='scale="nan 1 1"'),
        '<origin xyz="nan 0 0"/>' + mesh(),
        '<origin rpy="0 0"/>' + mesh(),
    ],
)
def test_an_element_that_makes_no_sense_is_remarked_on_and_left_out(
    load: Load, content: str
) -> None:
    loaded = load(visual(content) + visual(mesh()))
    assert len(loaded.shapes) == 1
    (remark,) = loaded.remarks
    assert (remark.code, remark.subject) == ("bad_shape", "l0")
    assert not loaded.missing


def test_a_thinned_mesh_is_remarked_on(folder: Path, resolve: Callable[[str], Path]) -> None:
    steps = 60
    corners = [f"v {x} {y} 0" for x in range(steps) for y in range(steps)]
    squares = [
        f"f {1 + x * steps + y} {1 + (x + 1) * steps + y} {2 + (x + 1) * steps + y}"
        for x in range(steps - 1)
        for y in range(steps - 1)
    ]
    (folder / "fine.obj").write_text("\n".join(corners + squares))
    element = robot(visual(mesh("fine.obj", 'scale="0.01 0.01 0.01"')))
    loaded = load_shapes(element, "visual", resolve, meshes=MeshFiles(face_limit=1000))
    (remark,) = loaded.remarks
    assert remark.code == "thinned_mesh"
    assert f"has {(steps - 1) ** 2} faces" in remark.text
    assert 0 < len(loaded.shapes[0].faces) <= 1000


def test_progress_goes_from_zero_towards_one(resolve: Callable[[str], Path]) -> None:
    seen: list[tuple[float, str]] = []
    load_shapes(
        robot(visual(mesh()), visual(mesh())),
        "visual",
        resolve,
        progress=lambda share, link: seen.append((share, link)),
    )
    assert seen == [(0.0, "l0"), (0.5, "l1")]


def test_shapes_cross_threads_read_only(load: Load) -> None:
    box = '<geometry><box size="1 1 1"/></geometry>'
    for shape in load(
        visual(box)
        + visual(mesh())
        + visual(mesh(scale='scale="2 2 -2"'))
        + visual(mesh("colours.obj"))
    ).shapes:
        assert not shape.vertices.flags.writeable
        assert not shape.faces.flags.writeable
        assert shape.faces.flags.c_contiguous
