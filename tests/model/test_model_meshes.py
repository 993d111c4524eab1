"""STL, OBJ, PLY and GLB files as the field writes them, and files that only look like meshes."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray
from PIL import Image
from trimesh.visual import TextureVisuals
from trimesh.visual.material import PBRMaterial

from workbench.errors import RobotError
from workbench.model import meshes
from workbench.model.meshes import MeshFiles, read_mesh

TRIANGLES = np.array(
    [[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 0], [0, 1, 0]]], dtype=np.float32
)

ASCII_STL = """solid two
 facet normal 0 0 1
  outer loop
   vertex 0 0 0
   vertex 1.0 0 0
   vertex 0 1e0 0
  endloop
 endfacet
 facet normal 0 0 1
  outer loop
   VERTEX 1 0 0
   VERTEX 1 1 0
   VERTEX 0 1 0
  endloop
 endfacet
endsolid two
"""

SQUARE_OBJ = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


def binary_stl(triangles: NDArray, header: bytes = b"") -> bytes:
    facets = b"".join(struct.pack("<12fH", 0, 0, 1, *facet.ravel(), 0) for facet in triangles)
    return header.ljust(80, b"\0") + struct.pack("<I", len(triangles)) + facets


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def area(path: Path) -> float:
    total = 0.0
    for part in read_mesh(path).parts:
        a, b, c = (part.vertices[part.faces[:, k]] for k in range(3))
        total += 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
    return total


@pytest.mark.parametrize(
    "content",
    [
        binary_stl(TRIANGLES),
        binary_stl(TRIANGLES, b"solid that is binary all the same"),
        binary_stl(TRIANGLES) + b"trailing junk",
        ASCII_STL,
        ASCII_STL.replace("\n", "\r\n"),
        ASCII_STL.replace("\n", " "),
    ],
    ids=["binary", "binary_solid", "binary_junk", "ascii", "ascii_crlf", "ascii_one_line"],
)
def test_stl_is_read_whichever_kind_it_is(tmp_path: Path, content: str | bytes) -> None:
    mesh = read_mesh(written(tmp_path, "square.STL", content))
    (part,) = mesh.parts
    assert part.faces.shape == (2, 3)
    assert len(part.vertices) == 4, "shared vertices are welded"
    assert part.rgba is None
    assert area(tmp_path / "square.STL") == pytest.approx(1.0)


def test_what_is_returned_is_read_only(tmp_path: Path) -> None:
    (part,) = read_mesh(written(tmp_path, "a.stl", ASCII_STL)).parts
    assert not part.vertices.flags.writeable
    assert not part.faces.flags.writeable
    assert (part.vertices.dtype, part.faces.dtype) == (np.float32, np.uint32)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.stl", b"", "no STL"),
        ("a.stl", binary_stl(TRIANGLES)[:-20], "too few for 2 facets"),
        ("a.stl", b"\x89PNG\r\n" + bytes(200), "has no faces|no STL"),
        ("a.stl", "solid nothing\nendsolid", "has no faces"),
        ("a.stl", ASCII_STL.replace("VERTEX 0 1 0\n", ""), "middle of a facet"),
        ("a.stl", binary_stl(TRIANGLES * np.float32("nan")), "has no faces"),
        ("a.obj", "", "has no faces"),
        ("a.obj", SQUARE_OBJ, "has no faces"),
        ("a.obj", SQUARE_OBJ + "f 1 2 5\n", "vertex which does not exist"),
        ("a.obj", SQUARE_OBJ + "f 1 2 x\n", "."),
        ("a.obj", "v 0 0\nv 1 0\n", "counts of numbers"),
        ("a.obj", "v 0 0 zero\n", "."),
        ("a.ply", b"ply\nformat ascii 1.0\n", "."),
        ("a.glb", b"glTF" + bytes(40), "."),
        ("a.dae", b"", "."),
        ("a.step", b"", "not drawn: .step"),
        ("a", b"", "no suffix"),
    ],
)
def test_a_file_that_is_no_mesh_is_an_error_that_names_it(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    path = written(tmp_path, name, content)
    with pytest.raises(RobotError, match=message) as caught:
        read_mesh(path)
    assert caught.value.path == str(path)
    assert "\n" not in str(caught.value)


def test_a_folder_and_a_missing_file_are_errors_too(tmp_path: Path) -> None:
    (tmp_path / "folder.stl").mkdir()
    for name in ("folder.stl", "missing.stl"):
        with pytest.raises(RobotError):
            read_mesh(tmp_path / name)


@pytest.mark.parametrize(
    "faces",
    [
        "f 1 2 3 4",
        "f 1 2 3\nf 1 3 4",
        "f 1/1 2/2 3/3 4/4",
        "f 1//9 2//9 3//9 4//9",
        "f 1/1/9 2/2/9 3/3/9 4/4/9",
        "f -4 -3 -2 -1",
        "f 1 2 3 # the first\nf 1/1 3/3 4/4",
        "f 1 2 \\\n 3 4",
        "  f 1 2 3 4\t",
        "f 1 2 3 4\r\n",
        "s off\ng lid\nvn 0 0 1\nvt 0 0\nf 1 2 3\n\n# end\nf 1 3 4",
        "l 1 2\nf 1 2\nf 1 2 3 4",
    ],
)
def test_obj_faces_are_read_in_every_spelling(tmp_path: Path, faces: str) -> None:
    path = written(tmp_path, "a.obj", SQUARE_OBJ + faces)
    assert read_mesh(path).face_count == 2
    assert area(path) == pytest.approx(1.0)


def test_obj_polygons_of_different_sizes_in_one_run(tmp_path: Path) -> None:
    # Four and two make as many corners as three and three: counting all of them is not enough.
    path = written(tmp_path, "a.obj", SQUARE_OBJ + "f 1 2 3 4\nf 1 2\nf 1 2 3\n")
    assert area(path) == pytest.approx(1.0 + 0.5)


def test_negative_obj_indices_count_from_where_they_stand(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "a.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf -3 -2 -1\n",
    )
    (part,) = read_mesh(path).parts
    assert part.vertices[:, 0].max() == 6.0
    assert area(path) == pytest.approx(1.0)


def test_obj_vertices_may_carry_a_colour(tmp_path: Path) -> None:
    coloured = SQUARE_OBJ.replace("\n", " 0.1 0.2 0.3\n")
    assert area(written(tmp_path, "a.obj", coloured + "f 1 2 3 4")) == pytest.approx(1.0)


def test_obj_materials_become_parts_with_their_colours(tmp_path: Path) -> None:
    Image.new("RGB", (4, 4), (0, 255, 0)).save(tmp_path / "skin.png")
    written(
        tmp_path,
        "two words.mtl",
        "# colours\nnewmtl red\nKd 0.8 0 0\nd 0.5\n\nnewmtl glass\nKd 0 0 1\nTr 0.25\n"
        "newmtl textured\nKd 1 1 1\nmap_Kd skin.png\nnewmtl invisible\nKd 1 1 0\nd 0\n",
    )
    path = written(
        tmp_path,
        "a.obj",
        "mtllib two words.mtl\n" + SQUARE_OBJ + "usemtl red\nf 1 2 3\nusemtl glass\nf 1 3 4\n"
        "usemtl textured\nf 1 2 4\nusemtl red\nf 2 3 4\nusemtl nobody\nf 1 2 3\n"
        "usemtl invisible\nf 1 2 3\n",
    )
    parts = {part.rgba: len(part.faces) for part in read_mesh(path).parts}
    assert parts == {
        (0.8, 0.0, 0.0, 0.5): 2,
        (0.0, 0.0, 1.0, 0.75): 1,
        (0.0, 1.0, 0.0, 1.0): 1,
        (1.0, 1.0, 0.0, 1.0): 1,
        None: 1,
    }


@pytest.mark.parametrize("library", ["nowhere.mtl", "../../../../../etc/passwd", "http://x/a.mtl"])
def test_obj_without_its_material_file_is_drawn_without_colours(
    tmp_path: Path, library: str
) -> None:
    path = written(tmp_path, "a.obj", f"mtllib {library}\n{SQUARE_OBJ}usemtl red\nf 1 2 3 4")
    (part,) = read_mesh(path).parts
    assert part.rgba is None


def test_a_material_file_outside_the_meshs_surroundings_is_not_opened(tmp_path: Path) -> None:
    written(tmp_path, "secret.mtl", "newmtl red\nKd 1 0 0\n")
    folder = tmp_path / "package" / "meshes" / "deep"
    folder.mkdir(parents=True)
    library = "mtllib ../../../secret.mtl\n"
    path = written(folder, "a.obj", library + SQUARE_OBJ + "usemtl red\nf 1 2 3 4")
    assert read_mesh(path).parts[0].rgba is None


def test_ply_keeps_its_vertex_colours(tmp_path: Path) -> None:
    box = trimesh.creation.box()
    colors = np.tile([10, 20, 30, 255], (len(box.vertices), 1))
    mesh = trimesh.Trimesh(box.vertices, box.faces, vertex_colors=colors, process=False)
    path = tmp_path / "a.ply"
    mesh.export(path)
    (part,) = read_mesh(path).parts
    assert part.vertex_colors is not None
    assert part.vertex_colors.shape == part.vertices.shape
    assert part.vertex_colors.tolist()[0] == [10, 20, 30]
    assert part.rgba == pytest.approx((10 / 255, 20 / 255, 30 / 255, 1.0))


def test_glb_is_read_with_the_places_and_colours_of_its_nodes(tmp_path: Path) -> None:
    scene = trimesh.Scene()
    red = TextureVisuals(material=PBRMaterial(baseColorFactor=[255, 0, 0, 255]))
    box = trimesh.creation.box()
    box = trimesh.Trimesh(box.vertices, box.faces, visual=red)
    scene.add_geometry(box, transform=trimesh.transformations.translation_matrix([5, 0, 0]))
    path = tmp_path / "a.glb"
    scene.export(path)
    (part,) = read_mesh(path).parts
    np.testing.assert_allclose(part.vertices.mean(axis=0), [5, 0, 0], atol=1e-6)
    assert part.rgba == (1.0, 0.0, 0.0, 1.0)


def test_a_mesh_that_is_too_fine_is_thinned_and_says_how_many_faces_it_has(tmp_path: Path) -> None:
    sphere = trimesh.creation.icosphere(subdivisions=5)
    path = tmp_path / "sphere.stl"
    sphere.export(path)
    mesh = read_mesh(path, face_limit=4000)
    assert mesh.faces_in_file == 20480
    assert 1000 < mesh.face_count <= 4000
    np.testing.assert_allclose(np.ptp(mesh.parts[0].vertices, axis=0), 2.0, atol=0.1)


def test_a_file_beyond_all_bounds_is_not_even_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meshes, "BYTE_LIMIT", 100)
    with pytest.raises(RobotError, match="too large to draw"):
        read_mesh(written(tmp_path, "a.stl", ASCII_STL))


def test_a_file_used_twice_is_read_once(tmp_path: Path) -> None:
    path = written(tmp_path, "a.stl", ASCII_STL)
    files = MeshFiles()
    first = files.load(path)
    mirrored = files.load(path, (1.0, -1.0, 1.0))
    path.unlink()
    assert files.load(path) is first
    assert files.load(path, (1.0, -1.0, 1.0)) is mirrored
    assert mirrored.parts[0].vertices[:, 1].min() == -1.0


def test_a_broken_file_stays_broken_for_the_whole_load(tmp_path: Path) -> None:
    path = written(tmp_path, "a.stl", b"")
    files = MeshFiles()
    for _ in range(2):
        with pytest.raises(RobotError, match="no STL"):
            files.load(path)
        written(tmp_path, "a.stl", ASCII_STL)
