"""Grasps in a session file: nothing that was loaded, placed or authored is lost with a crash."""

from __future__ import annotations

import base64
import hashlib
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.grasps.grasp_strategies import grasps as any_grasps
from tests.live.grasps_rig import three_grasps
from tests.live.live_fakes import at
from workbench.config.grasp_scene import APPROACH_AXES, GraspScene
from workbench.errors import ConfigError
from workbench.grasps.grasp import Grasp
from workbench.grasps.objects import load_object
from workbench.grasps.shipped import shipped_grasps
from workbench.grasps.spec import GraspSpec
from workbench.live.grasp_session import GraspsText, SavedGrasps, SavedMesh
from workbench.live.grasping import GraspView
from workbench.live.session_file import SessionFile, read_session, write_session
from workbench.model.request import RobotRequest
from workbench.poses import Pose

MUG = shipped_grasps("mug").mesh
TETRAHEDRON = b"v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def file_with(saved: SavedGrasps | None) -> SessionFile:
    return SessionFile(RobotRequest("gantry"), robot="gantry", grasps=saved)


def back(saved: SavedGrasps) -> SavedGrasps:
    read = read_session(write_session(file_with(saved)), name="s").grasps
    assert read is not None
    return read


def saved(grasps: GraspSpec | None = None, mesh: Any = None, **values: Any) -> SavedGrasps:
    scene = GraspScene("crate.yaml", grasps or three_grasps(), mesh, **values)
    return SavedGrasps.of(scene, GraspView())


turned = Pose(np.array([0.0, 0.1, -0.1]), np.array([0.5, 0.5, -0.5, 0.5]))


@given(
    st.lists(any_grasps, max_size=3, unique_by=lambda grasp: grasp.name),
    st.sampled_from(sorted(APPROACH_AXES)), st.floats(0.0, 1.0), st.booleans(),
    st.none() | st.sampled_from(("left", "no", "1e5", "été <b>")),
)  # fmt: skip
@settings(max_examples=25)
def test_what_was_written_reads_back_to_the_same_grasps(
    many: list[Grasp], approach: str, number: float, switch: bool, link: str | None
) -> None:
    grasps = GraspSpec.empty(object_frame="o", gripper_frame="g")
    for grasp in many:
        grasps = grasps.with_grasp(grasp)
    scene = GraspScene(
        "a: b # <i>.yaml",
        grasps,
        None,
        at(0.4, -0.1),
        link,
        turned,
        number,
        approach,
        {"": ("left", Pose()), "/World/a: b": ("on", turned)},
    )
    names = grasps.get_grasp_names()
    view = GraspView(
        names[-1] if names else None, switch, number, not switch, fingers={"on": number}
    )
    written = SavedGrasps.of(scene, view)
    assert back(written) == written
    assert back(written).view.view.fingers == {"on": number}


def test_the_grasps_of_a_session_are_a_document_of_isaacs_own_layout() -> None:
    text = write_session(file_with(saved()))
    assert '       "grasp_1":\n          confidence: 0.3\n' in text
    inner = yaml.safe_load(text)["grasps"]["isaac_grasp"]
    assert GraspSpec(inner) == three_grasps()


def test_sessions_from_before_there_were_grasps_are_read_and_written_as_ever() -> None:
    text = write_session(file_with(None))
    assert "workbench_session: 1\n" in text
    assert "grasp" not in text
    assert read_session(text, name="s").grasps is None


def test_the_same_grasps_are_put_into_words_once() -> None:
    text, grasps = GraspsText(), three_grasps()
    assert text(grasps) is text(grasps)
    edited = grasps.renamed("grasp_1", "first")
    assert '"first"' in text(edited)
    assert text(three_grasps()) == text(grasps)


WRONG = [
    ("selected: null", "selected: grasp_9", "grasps.selected", "no such grasp"),
    ("closed: 1.0", "closed: 1.5", "grasps.closed", "from 0 to 1"),
    ("shown: true", "shown: 2", "grasps.shown", "true or false"),
    ("standoff_m: 0.1", "standoff_m: -0.1", "grasps.standoff_m", "out of range"),
    ("standoff_m: 0.1", "standoff_m: .nan", "grasps.standoff_m", "finite"),
    ('approach: "+z"', "approach: up", "grasps.approach", "+z"),
    ("known_frames: {}", "known_frames: {a: {position: [0, 0, 0]}}", "known_frames.a.link", "mis"),
    ("known_frames: {}", "known_frames: {a: left}", "grasps.known_frames.a", "not a mapping"),
    ("fingers: {}", "fingers: [1]", "grasps.fingers", "not a mapping"),
    ("fingers: {}", "fingers: {a: x}", "grasps.fingers.a", "not a number"),
    ("gripper_frame: null", "gripper_frame: [a]", "grasps.gripper_frame", "not text"),
    ("wxyz: [1.0, 0.0, 0.0, 0.0]", "wxyz: [0, 0, 0, 0]", "grasps.object.wxyz", "no rotation"),
    ("position: [0.0, 0.0, 0.0]", "position: [2000, 0, 0]", "grasps.object.position", "far"),
    ("confidence: 0.3", "confidence: good", "grasps.isaac_grasp.grasps.grasp_1.confidence", "good"),
    ("position: [0.1, 0.0, 0.0]", "position: [0.1, 0.0]", "grasps.grasp_1.position", "three"),
    ('"grasp_2":', '"grasp_1":', "grasps.grasp_1", "given twice"),
    ("format: isaac_grasp", "format: other", "grasps.isaac_grasp.format", "another format"),
    ("format_version: 1.0", "format_version: 2", "isaac_grasp.format_version", "another version"),
    ("file_name: ", "file: ", "grasps.file", "no such key"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "field", "words"), WRONG, ids=[row[1] for row in WRONG])
def test_a_wrong_value_is_refused_with_line_and_place(
    old: str, new: str, field: str, words: str
) -> None:
    text = write_session(file_with(saved()))
    start = text.index("\ngrasps:")
    assert old in text[start:]
    changed = f"{text[:start]}{text[start:].replace(old, new, 1)}"
    with pytest.raises(ConfigError) as caught:
        read_session(changed, name="my.workbench.yaml")
    error = caught.value
    assert field in (error.field or "")
    assert words in str(error)
    assert error.path == "my.workbench.yaml"
    assert error.line is not None
    assert (
        new.split(":", maxsplit=1)[0].strip('"')
        in text.replace(old, new, 1).splitlines()[error.line - 1]
    )


# The object's mesh ---------------------------------------------------------------------------


def test_a_mesh_from_a_file_is_found_by_its_path_in_its_size() -> None:
    mesh = load_object(MUG, name=str(MUG), scale=0.5)
    reference = back(saved(mesh=mesh)).mesh
    assert reference is not None
    assert reference == SavedMesh.of(mesh)
    assert reference.path == str(MUG.absolute())
    assert reference.sha256 == hashlib.sha256(MUG.read_bytes()).hexdigest()
    found, remark = reference.found(None)
    assert found is not None
    assert np.array_equal(found.bounds, mesh.bounds)
    assert (found.name, remark) == ("mug.obj", "")


def test_on_another_machine_it_is_found_beside_the_session_or_among_the_shipped(
    tmp_path: Path,
) -> None:
    mesh = load_object(MUG, name=str(MUG))
    away = replace(SavedMesh.of(mesh), path="/on/another/machine/mug.obj")
    assert away.found(None)[0] is not None
    own = tmp_path / "crate.obj"
    own.write_bytes(TETRAHEDRON)
    elsewhere = SavedMesh.of(load_object(own, name=str(own)))
    elsewhere = replace(elsewhere, path="/on/another/machine/crate.obj")
    assert elsewhere.found(tmp_path)[0] is not None
    gone, remark = elsewhere.found(None)
    assert gone is None
    assert "not found at /on/another/machine/crate.obj" in remark


def test_a_mesh_that_has_changed_is_loaded_and_said(tmp_path: Path) -> None:
    path = tmp_path / "crate.obj"
    path.write_bytes(TETRAHEDRON)
    reference = SavedMesh.of(load_object(path, name=str(path)))
    path.write_bytes(TETRAHEDRON.replace(b".1", b".2"))
    mesh, remark = reference.found(None)
    assert mesh is not None
    assert "has changed" in remark
    path.write_bytes(b"no mesh at all")
    mesh, remark = reference.found(None)
    assert mesh is None
    assert "was not loaded" in remark


def test_an_uploaded_mesh_is_carried_along() -> None:
    mesh = load_object(TETRAHEDRON, name="crate.obj", scale=2.0)
    reference = back(saved(mesh=mesh)).mesh
    assert reference is not None
    assert reference.path == ""
    found, remark = reference.found(None)
    assert found is not None
    assert np.array_equal(found.bounds, mesh.bounds)
    assert remark == ""


def test_an_uploaded_mesh_that_is_too_large_to_be_carried_is_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("workbench.grasps.objects.MAX_KEPT_BYTES", 20)
    reference = back(saved(mesh=load_object(TETRAHEDRON, name="crate.obj"))).mesh
    assert reference is not None
    mesh, remark = reference.found(None)
    assert mesh is None
    assert remark == "The object's mesh crate.obj is not in the session: load it again."


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("not base64!", "base64"),
        (base64.b64encode(b"not compressed").decode(), "no mesh"),
        (base64.b64encode(zlib.compress(bytes(6_000_000))).decode(), "no mesh"),
    ],
)  # fmt: skip
def test_a_mesh_that_this_program_did_not_write_is_refused(content: str, words: str) -> None:
    text = write_session(file_with(saved(mesh=load_object(TETRAHEDRON, name="crate.obj"))))
    start = text.index("content: ") + len("content: ")
    end = text.index("\n  gripper_frame", start)
    with pytest.raises(ConfigError, match=words) as caught:
        read_session(f'{text[:start]}"{content}"{text[end:]}', name="s")
    assert caught.value.field == "grasps.mesh.content"
