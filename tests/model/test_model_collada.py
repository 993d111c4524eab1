"""COLLADA files: units, axes, places, colours, and the oddities of real exporters."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from workbench.errors import RobotError
from workbench.model.collada import UpAxis
from workbench.model.links import origin_pose
from workbench.model.meshes import Mesh, read_mesh
from workbench.model.shapes import ShapeKind, load_shapes

MATERIAL = """
<library_effects><effect id="fx"><profile_COMMON>%(params)s<technique sid="t"><lambert>
  <diffuse>%(diffuse)s</diffuse>%(opacity)s
</lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="mat"><instance_effect url="#fx"/></material></library_materials>
"""

GEOMETRY = """
<geometry id="%(id)s"><mesh>
  <source id="%(id)s-p"><float_array id="%(id)s-a" count="12">0 0 0 1 0 0 1 2 0 0 0 3</float_array>
    <technique_common><accessor source="#%(id)s-a" count="4" stride="3">
      <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
    </accessor></technique_common></source>
  <vertices id="%(id)s-v"><input semantic="POSITION" source="#%(id)s-p"/></vertices>
  %(faces)s
</mesh></geometry>
"""

TRIANGLES = """<triangles count="2" material="skin">
  <input semantic="VERTEX" source="#%(id)s-v" offset="0"/><p>0 1 2 0 2 3</p></triangles>"""

POLYLIST = """<polylist count="1" material="skin"><input semantic="VERTEX" source="#%(id)s-v"
  offset="0"/><vcount>4</vcount><p>0 1 2 3</p></polylist>"""

LINES = """<lines count="1"><input semantic="VERTEX" source="#%(id)s-v"
  offset="0"/><p>0 1</p></lines>"""

INSTANCE = """<instance_geometry url="#%s"><bind_material><technique_common>
  <instance_material symbol="skin" target="#mat"/></technique_common></bind_material>
</instance_geometry>"""


def geometry(name: str = "g", faces: str = TRIANGLES) -> str:
    return GEOMETRY % {"id": name, "faces": faces % {"id": name}}


def document(
    *,
    asset: str = "",
    material: str = MATERIAL % {"params": "", "diffuse": "<color>1 0 0 1</color>", "opacity": ""},
    geometries: str | None = None,
    node: str | None = None,
    scene: str | None = None,
) -> str:
    node = f"<node>{INSTANCE % 'g'}</node>" if node is None else node
    if scene is None:
        scene = (
            f'<library_visual_scenes><visual_scene id="s">{node}</visual_scene>'
            '</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene>'
        )
    return (
        '<?xml version="1.0" encoding="utf-8"?>'
        '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">'
        f"<asset>{asset}</asset>{material}"
        f"<library_geometries>{geometry() if geometries is None else geometries}"
        f"</library_geometries>{scene}</COLLADA>"
    )


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Mesh]:
    def _read(text: str, mesh_up_axis: UpAxis = "z") -> Mesh:
        path = tmp_path / "mesh.dae"
        path.write_text(text)
        return read_mesh(path, mesh_up_axis)

    return _read


def corner(mesh: Mesh) -> list[float]:
    """The largest coordinate along each axis."""
    corners = [part.vertices.max(axis=0) for part in mesh.parts]
    return np.max(corners, axis=0).astype(np.float64).round(6).tolist()


def normals(mesh: Mesh) -> np.ndarray:
    (part,) = mesh.parts
    a, b, c = (part.vertices[part.faces[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def test_the_unit_is_applied(read: Callable[..., Mesh]) -> None:
    assert corner(read(document())) == [1, 2, 3]
    millimetres = '<unit name="millimeter" meter="0.001"/>'
    assert corner(read(document(asset=millimetres))) == [0.001, 0.002, 0.003]


def test_the_unit_scales_the_places_of_the_nodes_as_well(read: Callable[..., Mesh]) -> None:
    moved = f"<node><translate>10 0 0</translate>{INSTANCE % 'g'}</node>"
    mesh = read(document(asset='<unit meter="0.01"/>', node=moved))
    assert corner(mesh) == [0.11, 0.02, 0.03]


@pytest.mark.parametrize("meter", ["0", "-1", "nan"])
def test_a_unit_that_makes_no_sense_is_an_error(read: Callable[..., Mesh], meter: str) -> None:
    with pytest.raises(RobotError, match="unit"):
        read(document(asset=f'<unit meter="{meter}"/>'))


def test_the_up_axis_is_ignored_unless_the_robot_says_otherwise(
    read: Callable[..., Mesh],
) -> None:
    y_up = document(asset="<up_axis>Y_UP</up_axis>")
    assert corner(read(y_up)) == [1, 2, 3]
    # y becomes z, and z becomes -y.
    assert corner(read(y_up, "y")) == [1, 0, 2]
    assert corner(read(document(asset="<up_axis>Z_UP</up_axis>"), "y")) == [1, 2, 3]


def test_nodes_nest_and_turn(read: Callable[..., Mesh]) -> None:
    nested = (
        "<node><rotate>0 0 1 90</rotate><node><matrix>1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1</matrix>"
        f"<scale>2 2 2</scale>{INSTANCE % 'g'}</node></node>"
    )
    assert corner(read(document(node=nested))) == [0, 7, 6]


def test_a_mirrored_node_keeps_its_faces_outward(read: Callable[..., Mesh]) -> None:
    plain = normals(read(document()))
    mirrored = f"<node><scale>1 1 -1</scale>{INSTANCE % 'g'}</node>"
    # A mirrored normal keeps its direction in the plane of the mirror.
    np.testing.assert_allclose(
        normals(read(document(node=mirrored))), plain * [1, 1, -1], atol=1e-6
    )


@pytest.mark.parametrize("faces", [TRIANGLES, POLYLIST, LINES + POLYLIST])
def test_kinds_of_faces(read: Callable[..., Mesh], faces: str) -> None:
    assert read(document(geometries=geometry(faces=faces))).face_count == 2


def test_the_diffuse_colour_is_the_parts_colour(read: Callable[..., Mesh]) -> None:
    assert read(document()).parts[0].rgba == (1.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("opacity", "alpha"),
    [
        ("<transparent><color>1 1 1 1</color></transparent>"
         "<transparency><float>0.4</float></transparency>", 0.4),
        ('<transparent opaque="RGB_ZERO"><color>1 1 1 1</color></transparent>'
         "<transparency><float>0.4</float></transparency>", 0.6),
        # Invisible as written; the exporter meant opaque.
        ("<transparency><float>0</float></transparency>", 1.0),
    ],
)  # fmt: skip
def test_opacity(read: Callable[..., Mesh], opacity: str, alpha: float) -> None:
    material = MATERIAL % {
        "params": "", "diffuse": "<color>0 0 1 1</color>", "opacity": opacity
    }  # fmt: skip
    rgba = read(document(material=material)).parts[0].rgba
    assert rgba is not None
    assert rgba[3] == pytest.approx(alpha, abs=1e-5)


@pytest.mark.parametrize(
    ("file", "rgba"), [("skin.png", (0.0, 0.0, 1.0, 1.0)), ("nowhere.png", None)]
)
def test_a_texture_becomes_its_mean_colour(
    read: Callable[..., Mesh], tmp_path: Path, file: str, rgba: tuple[float, ...] | None
) -> None:
    Image.new("RGB", (8, 8), (0, 0, 255)).save(tmp_path / "skin.png")
    params = (
        '<newparam sid="surface"><surface type="2D"><init_from>image</init_from></surface>'
        '</newparam><newparam sid="sampler"><sampler2D><source>surface</source></sampler2D>'
        "</newparam>"
    )
    material = (
        f'<library_images><image id="image"><init_from>{file}</init_from></image>'
        "</library_images>"
        + MATERIAL
        % {"params": params, "diffuse": '<texture texture="sampler"/>', "opacity": ""}
    )
    assert read(document(material=material)).parts[0].rgba == rgba


def test_geometries_of_one_colour_are_one_part(read: Callable[..., Mesh]) -> None:
    mesh = read(
        document(
            geometries=geometry("g") + geometry("h"),
            node=f"<node>{INSTANCE % 'g'}</node>"
            f"<node><translate>9 0 0</translate>{INSTANCE % 'h'}</node>",
        )
    )
    assert len(mesh.parts) == 1
    assert mesh.face_count == 4
    assert corner(mesh) == [10, 2, 3]


def test_geometries_of_different_colours_are_different_parts(read: Callable[..., Mesh]) -> None:
    bare = '<node><instance_geometry url="#h"/></node>'
    mesh = read(
        document(
            geometries=geometry("g") + geometry("h"), node=f"<node>{INSTANCE % 'g'}</node>{bare}"
        )
    )
    assert {part.rgba for part in mesh.parts} == {(1.0, 0.0, 0.0, 1.0), None}


@pytest.mark.parametrize(
    "text",
    [
        document(scene=""),
        document(scene="<scene/>"),
        document(scene="<library_visual_scenes/><scene></scene>"),
        document(
            scene='<library_visual_scenes><visual_scene id="s"><node>'
            f"{INSTANCE % 'g'}</node></visual_scene></library_visual_scenes>"
        ),
        document().replace("<mesh>", "<!-- made by hand --><mesh><!-- again -->"),
        document().replace("<p>", "<!-- two --><p>").replace("<node>", "<node><!-- n -->"),
        document(node=f"<node>{INSTANCE % 'g'}</node><node>{INSTANCE % 'missing'}</node>"),
        document(material=""),
        document(geometries=geometry() + '<geometry id="empty"><mesh/></geometry>'),
        document(geometries=geometry() + '<geometry id="h"><convex_mesh/></geometry>'),
    ],
    ids=[
        "no scene", "empty scene", "empty visual scenes", "scene not named", "comments",
        "more comments", "broken reference", "no materials", "empty geometry", "convex mesh",
    ],
)  # fmt: skip
def test_odd_files_are_drawn_as_far_as_they_go(read: Callable[..., Mesh], text: str) -> None:
    mesh = read(text)
    assert mesh.face_count == 2
    assert corner(mesh) == [1, 2, 3]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not xml at all",
        "<COLLADA/>",
        "<robot/>",
        document(geometries=""),
        document(geometries=geometry(faces=LINES)),
        document().replace("0 2 3</p>", "0 2 99</p>"),
        document().replace("0 0 3</float_array>", "0 zero 3</float_array>"),
        document()[:-200],
    ],
    ids=[
        "empty", "text", "no content", "other xml", "no geometry", "only lines",
        "index out of range", "no number", "cut off",
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_an_error(read: Callable[..., Mesh], text: str) -> None:
    with pytest.raises(RobotError, match=r"mesh\.dae: "):
        read(text)


def test_entities_are_refused(read: Callable[..., Mesh]) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "1"><!ENTITY b "&a;&a;">]>'
    with pytest.raises(RobotError, match="declares XML entities"):
        read(document().replace("<COLLADA", bomb + "<COLLADA"))


def gaps(path: str, mesh_up_axis: UpAxis, kind: ShapeKind = "visual") -> tuple[float, float]:
    """Mean and largest distance from a joint's origin to its parent link's mesh, in m."""
    package = next(
        Path(str(file.locate()))
        for file in importlib.metadata.files("example-robot-data") or ()
        if str(file).endswith(path)
    )
    share = next(parent for parent in package.parents if parent.name == "share")
    robot = ElementTree.parse(package).getroot()
    shapes = load_shapes(
        robot,
        kind,
        lambda uri: share / uri.removeprefix("package://"),
        mesh_up_axis=mesh_up_axis,
    ).shapes
    points: dict[str, list[np.ndarray]] = {}
    for shape in shapes:
        points.setdefault(shape.link, []).append(shape.pose.act(shape.vertices))
    distances = []
    for joint in robot.findall("joint"):
        parent = joint.find("parent")
        blocks = points.get("" if parent is None else parent.get("link", ""))
        if blocks:
            offsets = np.concatenate(blocks) - origin_pose(joint).translation
            distances.append(float(np.linalg.norm(offsets, axis=1).min()))
    return float(np.mean(distances)), max(distances)


@pytest.mark.parametrize("kind", ["visual", "collision"])
def test_icubs_meshes_meet_its_joints_only_with_y_up(kind: ShapeKind) -> None:
    path = "icub_description/robots/icub.urdf"
    turned, as_written = gaps(path, "y", kind), gaps(path, "z", kind)
    assert turned[0] < 0.03 and turned[1] < 0.11
    assert as_written[0] > 2.0 * turned[0] and as_written[1] > 0.16


def test_baxters_meshes_meet_its_joints_only_without_y_up() -> None:
    path = "baxter_description/urdf/baxter.urdf"
    as_written, turned = gaps(path, "z"), gaps(path, "y")
    assert as_written[0] < 0.05 and as_written[1] < 0.12
    assert turned[0] > 1.5 * as_written[0] and turned[1] > 0.4
