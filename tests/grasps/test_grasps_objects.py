"""Meshes of objects: what is read, what is refused, what is asked about their unit."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from workbench.errors import GraspError
from workbench.grasps import objects
from workbench.grasps.objects import load_object


def cube(side: float = 0.1) -> trimesh.Trimesh:
    return trimesh.creation.box(extents=(side, side, side))


def exported(kind: str, mesh: trimesh.Trimesh) -> bytes:
    data = mesh.export(file_type=kind)
    return data.encode() if isinstance(data, str) else bytes(data)


@pytest.mark.parametrize("kind", ["obj", "stl", "ply", "glb"])
def test_each_kind_of_mesh_is_read_from_a_file_and_from_an_upload(
    kind: str, tmp_path: Path
) -> None:
    data = exported(kind, cube())
    path = tmp_path / f"cube.{kind}"
    path.write_bytes(data)
    for source in (path, data):
        read = load_object(source, name=f"cube.{kind}")
        assert read.name == f"cube.{kind}"
        assert read.size_m == pytest.approx(0.1)
        assert read.faces_in_file == len(read.faces) == 12
        assert read.bounds == pytest.approx(np.array([[-0.05] * 3, [0.05] * 3]))
        volume = trimesh.Trimesh(read.vertices, read.faces).volume
        assert volume == pytest.approx(0.001)
        assert not any(part.vertices.flags.writeable for part in read.parts)


def test_the_faces_of_several_parts_are_numbered_through() -> None:
    data = trimesh.Scene([cube(), cube().apply_translation((0.2, 0.0, 0.0))]).export(
        file_type="glb"
    )
    assert isinstance(data, bytes)
    read = load_object(data, name="two.glb")
    assert len(read.parts) == 2
    assert trimesh.Trimesh(read.vertices, read.faces).volume == pytest.approx(0.002)


@pytest.mark.parametrize(
    ("side", "units"),
    [
        (100.0, {"millimetres", "centimetres"}),
        (1500.0, {"millimetres"}),
        (3.0, {"millimetres", "centimetres", "inches"}),
        (1e-4, {"kilometres"}),
        (1e9, set()),
    ],
)
def test_an_object_of_no_credible_size_asks_for_its_unit(side: float, units: set[str]) -> None:
    read = load_object(exported("stl", cube(side)), name="cube.stl")
    question = read.unit_question
    assert question is not None
    assert question.size_m == pytest.approx(side)
    assert {unit for _factor, unit in question.answers} == units
    assert "cube.stl would be" in question.text
    for factor, _unit in question.answers:
        assert read.scaled(factor).unit_question is None


@pytest.mark.parametrize("side", [0.0021, 0.1, 1.99])
def test_a_credible_object_asks_nothing(side: float) -> None:
    assert load_object(exported("stl", cube(side)), name="cube.stl").unit_question is None


def test_scales_multiply() -> None:
    read = load_object(exported("obj", cube(100.0)), name="cube.obj", scale=0.001).scaled(2.0)
    assert read.size_m == pytest.approx(0.2)
    assert read.scale == pytest.approx(0.002)
    for factor in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(GraspError, match="no scale"):
            read.scaled(factor)


ACCESSOR = {"componentType": 5126, "count": 3_000_000_000, "type": "VEC3"}


def glb(parts: dict[str, Any]) -> bytes:
    """Return a GLB with one triangle without data, and some parts of one's own."""
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "bufferViews": [{"buffer": 0, "byteLength": 9}], **parts,
    }  # fmt: skip
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunk = struct.pack("<II", len(text), 0x4E4F534A) + text
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunk)) + chunk


def ply_that_claims(vertices: str) -> bytes:
    return (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\nproperty float x\n"
        "property float y\nproperty float z\nelement face 1\n"
        "property list uchar int vertex_indices\nend_header\n"
    ).encode()


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("cup.usd", b"#usda 1.0", "expected one of .obj, .stl, .ply, .glb"),
        ("cup", b"", "no suffix"),
        ("cup.obj", b"", "is empty"),
        ("cup.stl", b"", "is empty"),
        ("cup.ply", b"glTF", "is no PLY file"),
        ("cup.glb", b"solid cup", "is no GLB file"),
        ("cup.obj", b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "no faces"),
        ("cup.obj", b"v 0 0 0\nv 1e308 0 0\nv 0 1 0\nf 1 2 3\n", "no faces"),
        ("cup.stl", bytes(80) + b"\xff\xff\xff\xff" + bytes(50), "4294967295 facets"),
        ("cup.ply", ply_that_claims("4000000000"), "cup.ply"),
        ("cup.ply", ply_that_claims("-3"), "cup.ply"),
        ("cup.glb", glb({"buffers": [{"uri": "file:///etc/passwd", "byteLength": 9}]}), "cup.glb"),
        ("cup.glb", glb({"accessors": [ACCESSOR]}), "cup.glb"),
        ("cup.glb", glb({"accessors": [{**ACCESSOR, "bufferView": 0}]}), "cup.glb"),
        ("cup.glb", glb({"nodes": [{"children": [1]}, {"children": [0], "mesh": 0}]}), "cup.glb"),
        ("cup.obj", b"v 0 0 0\n", "no faces"),
        ("cup.stl", b"hello", "no STL"),
        ("cup.ply", b"ply\nformat ascii 1.0\n", "cup.ply"),
        ("cup.glb", b"glTF\x02\0\0\0", "cup.glb"),
        ("cup.obj", b"v 0 0 0\nf 1 2 3\n", "cup.obj"),
    ],
)
def test_what_is_no_mesh_is_refused_in_one_sentence(name: str, data: bytes, words: str) -> None:
    with pytest.raises(GraspError) as caught:
        load_object(data, name=name)
    assert words in str(caught.value)
    assert caught.value.path == name


def test_a_texture_that_a_ply_names_is_not_looked_for(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    data = exported("ply", cube()).replace(b"ply\n", b"ply\ncomment TextureFile /etc/passwd\n", 1)
    assert load_object(data, name="cup.ply").size_m == pytest.approx(0.1)
    assert caplog.text + capfd.readouterr().err == ""


def test_a_size_that_no_picture_can_show_is_refused() -> None:
    data = exported("obj", cube())
    for scale in (1e300, 1e-300):
        with pytest.raises(GraspError, match="can be seen"):
            load_object(data, name="cup.obj", scale=scale)


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "cup.obj")
    (tmp_path / "mug.obj").mkdir()
    for name in ("cup.obj", "mug.obj"):
        with pytest.raises(GraspError, match="no regular file"):
            load_object(tmp_path / name, name=name)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GraspError, match="No such file"):
        load_object(tmp_path / "cup.obj", name="cup.obj")


def test_a_file_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(objects, "MAX_BYTES", 100)
    data = exported("stl", cube())
    path = tmp_path / "cube.stl"
    path.write_bytes(data)
    for source in (path, data):
        with pytest.raises(GraspError, match="too large"):
            load_object(source, name="cube.stl")


def test_a_fine_mesh_is_thinned() -> None:
    fine = trimesh.creation.icosphere(subdivisions=6, radius=0.05)
    read = load_object(exported("stl", fine), name="ball.stl")
    assert read.faces_in_file == len(fine.faces) > objects.MAX_FACES
    assert 0 < len(read.faces) <= objects.MAX_FACES
    assert read.size_m == pytest.approx(0.1, rel=0.03)


def test_an_upload_names_no_neighbours(tmp_path: Path) -> None:
    (tmp_path / "colours.mtl").write_text("newmtl red\nKd 1 0 0\n")
    text = exported("obj", cube()).decode()
    lines = [line for line in text.splitlines() if not line.startswith("mtllib")]
    data = "\n".join([f"mtllib {tmp_path}/colours.mtl", "usemtl red", *lines]).encode()
    read = load_object(data, name="cube.obj")
    assert all(part.rgba is None for part in read.parts)
