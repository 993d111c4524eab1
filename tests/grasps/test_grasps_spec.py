"""GraspSpec: the five methods of Isaac Sim's, and what a program wants besides."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.grasps.grasp_strategies import grasps, text, written_poses
from workbench.errors import GraspError
from workbench.grasps import GraspSpec
from workbench.grasps.grasp import Axis, Grasp, WrittenPose
from workbench.grasps.isaac_grasp import read_grasps
from workbench.grasps.writing import grasps_to_text
from workbench.poses import Pose

REFERENCE = """\
format: isaac_grasp
format_version: 1.0
object_frame: /World/object
gripper_frame: /World/gripper
grasps:
   "grasp_0":
      confidence: 0.75
      position: [-0.16092263248852018, -0.038428768425693295, 0.006097281324666166]
      orientation: {w: -0.5646981385843403, xyz: [0.5896903202987852, -0.41637607386027325, \
0.40001537913185486]}
      cspace_position:
         finger_joint: 0.5
      pregrasp_cspace_position:
         finger_joint: 0.0
   "grasp_1":
      confidence: 0.5
      position: [0.0, 0.0, 0.1]
      orientation: {w: 1.0, xyz: [0.0, 0.0, 0.0]}
      tcp: [0.0, 0.0, 0.2]
"""


@pytest.fixture
def spec() -> GraspSpec:
    return read_grasps(REFERENCE, name="reference.yaml")


# As in Isaac Sim -----------------------------------------------------------------------------


def test_the_gripper_is_where_isaac_puts_it(spec: GraspSpec) -> None:
    translation, wxyz = spec.compute_gripper_pose_from_rigid_body_pose(
        "grasp_0", np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0])
    )
    assert translation == pytest.approx([0.83907737, -0.03842877, 0.00609728], abs=1e-6)
    file_wxyz = np.array([-0.56469814, 0.58969032, -0.41637607, 0.40001538])
    assert np.abs(wxyz @ file_wxyz) == pytest.approx(1.0, abs=1e-6)


def test_the_object_is_where_isaac_puts_it(spec: GraspSpec) -> None:
    gripper_quat = np.array([0.8, 0.0, 0.2, 0.0])
    translation, wxyz = spec.compute_rigid_body_pose_from_gripper_pose(
        "grasp_0", np.array([0.0, 0.2, 0.0]), gripper_quat / np.linalg.norm(gripper_quat)
    )
    assert translation == pytest.approx([0.09281761, 0.19917378, 0.13709212], abs=1e-6)
    expected = np.array([0.64882371, 0.66910164, -0.26698466, 0.24505096])
    assert wxyz * np.sign(wxyz @ expected) == pytest.approx(expected, abs=1e-6)


def test_quaternions_of_any_length_are_rotations(spec: GraspSpec) -> None:
    short = spec.compute_rigid_body_pose_from_gripper_pose("grasp_0", [0, 0.2, 0], [8, 0, 2, 0])
    assert short[0] == pytest.approx([0.09281761, 0.19917378, 0.13709212], abs=1e-6)


def test_names_and_dicts_are_those_of_the_file(spec: GraspSpec) -> None:
    assert spec.get_grasp_names() == ["grasp_0", "grasp_1"]
    grasp = spec.get_grasp_dict_by_name("grasp_0")
    assert list(grasp) == [
        "confidence", "position", "orientation", "cspace_position", "pregrasp_cspace_position",
    ]  # fmt: skip
    assert grasp["confidence"] == 0.75
    assert isinstance(grasp["position"], np.ndarray)
    assert grasp["position"].tolist()[0] == -0.16092263248852018
    assert grasp["orientation"]["w"] == -0.5646981385843403
    assert grasp["orientation"]["xyz"].tolist()[2] == 0.40001537913185486
    assert grasp["cspace_position"] == {"finger_joint": 0.5}
    assert grasp["pregrasp_cspace_position"] == {"finger_joint": 0.0}
    assert list(spec.get_grasp_dicts()) == spec.get_grasp_names()
    assert spec.get_grasp_dicts()["grasp_1"]["tcp"] == [0.0, 0.0, 0.2]


def test_what_is_handed_out_may_be_changed_without_harm(spec: GraspSpec) -> None:
    spec.get_grasp_dicts()["grasp_0"]["position"][0] = 7.0
    spec.get_grasp_dicts().clear()
    spec.get_grasp_names().clear()
    spec.compute_gripper_pose_from_rigid_body_pose("grasp_0", [0, 0, 0], [1, 0, 0, 0])[0][0] = 7.0
    assert spec == read_grasps(REFERENCE, name="again")


def test_an_unknown_name_is_refused_with_the_nearest(spec: GraspSpec) -> None:
    calls: list[Callable[[], object]] = [
        lambda: spec.get_grasp_dict_by_name("grasp_2"),
        lambda: spec.compute_gripper_pose_from_rigid_body_pose("grasp_2", [0] * 3, [1, 0, 0, 0]),
        lambda: spec.compute_rigid_body_pose_from_gripper_pose("grasp_2", [0] * 3, [1, 0, 0, 0]),
        lambda: spec["grasp_2"],
        lambda: spec.renamed("grasp_2", "x"),
        lambda: spec.without("grasp_2"),
    ]
    for call in calls:
        with pytest.raises(GraspError, match="perhaps grasp_"):
            call()


def test_what_is_no_pose_is_refused(spec: GraspSpec) -> None:
    for translation, wxyz in (
        ([0, 0], [1, 0, 0, 0]),
        ([0, 0, np.nan], [1, 0, 0, 0]),
        ([0, 0, 0], [0, 0, 0, 0]),
        ([0, 0, 0], [1, 0, 0]),
        ("here", [1, 0, 0, 0]),
    ):
        with pytest.raises(GraspError, match="rb_trans, rb_quat"):
            spec.compute_gripper_pose_from_rigid_body_pose("grasp_0", translation, wxyz)


def test_data_that_another_reader_parsed_are_taken() -> None:
    data = {
        "format": "isaac_grasp",
        "format_version": 1.0,
        "grasps": {
            "a": {
                "confidence": np.float32(0.5),
                "position": np.array([0.1, 0.2, 0.3]),
                "orientation": {"w": 1.0, "xyz": (0.0, 0.0, 0.0)},
            }
        },
    }
    spec = GraspSpec(data)
    assert spec["a"].confidence == 0.5
    assert spec["a"].written.position.tolist() == [0.1, 0.2, 0.3]
    again = GraspSpec({**data, "grasps": spec.get_grasp_dicts()})
    assert again["a"].pose == spec["a"].pose
    data["grasps"]["a"]["position"] = [0.1, 0.2]
    with pytest.raises(GraspError, match=r"grasp data: grasps\.a\.position"):
        GraspSpec(data)
    with pytest.raises(GraspError, match="another format"):
        GraspSpec({**data, "format": "acronym"})
    assert len(GraspSpec({"grasps": spec.get_grasp_dicts()})) == 1
    with pytest.raises(GraspError, match="no mapping"):
        GraspSpec([])  # type: ignore[arg-type]


# Round trips ---------------------------------------------------------------------------------


@given(st.lists(grasps, max_size=4, unique_by=lambda grasp: grasp.name), text, text)
def test_export_then_import_is_the_identity(
    many: list[Grasp], object_frame: str, gripper_frame: str
) -> None:
    spec = GraspSpec.empty(object_frame=object_frame, gripper_frame=gripper_frame)
    for grasp in many:
        spec = spec.with_grasp(grasp)
    written = grasps_to_text(spec)
    again = read_grasps(written, name="again")
    assert again == spec
    assert again.remarks == ()
    assert grasps_to_text(again) == written


@given(grasps, written_poses())
def test_the_two_compute_methods_are_inverses(grasp: Grasp, body: WrittenPose) -> None:
    spec = GraspSpec.empty(object_frame="o", gripper_frame="g").with_grasp(grasp)
    gripper = spec.compute_gripper_pose_from_rigid_body_pose(grasp.name, body.position, body.wxyz)
    back = spec.compute_rigid_body_pose_from_gripper_pose(grasp.name, *gripper)
    assert back[0] == pytest.approx(body.position, abs=1e-12)
    assert abs(back[1] @ body.wxyz) == pytest.approx(1.0, abs=1e-12)


# Editing -------------------------------------------------------------------------------------


def test_a_pose_is_added_under_a_free_name(spec: GraspSpec) -> None:
    pose = Pose(np.array([0.0, 0.1, 0.2]), np.array([0.0, 1.0, 0.0, 0.0]))
    added = spec.with_pose(
        spec.free_name(), pose, confidence=0.25,
        cspace_position={"finger_joint": 0.01}, pregrasp_cspace_position={"finger_joint": 0.04},
    )  # fmt: skip
    assert added.get_grasp_names() == ["grasp_0", "grasp_1", "grasp_2"]
    assert added["grasp_2"].pose == pose
    assert added["grasp_2"].cspace_position == {"finger_joint": 0.01}
    assert len(spec) == 2
    assert spec.without("grasp_0").free_name() == "grasp_0"


def test_a_name_is_given_once(spec: GraspSpec) -> None:
    with pytest.raises(GraspError, match="taken"):
        spec.with_grasp(spec["grasp_0"])
    with pytest.raises(GraspError, match="taken"):
        spec.renamed("grasp_0", "grasp_1")
    with pytest.raises(GraspError, match="taken"):
        spec.with_mirrored("grasp_0", "grasp_1", "z")
    with pytest.raises(GraspError, match="no name"):
        spec.renamed("grasp_0", " ")
    with pytest.raises(GraspError, match="at most 200"):
        spec.renamed("grasp_0", "x" * 201)


def test_numbers_out_of_range_are_refused(spec: GraspSpec) -> None:
    for confidence in (-0.1, 1.1, float("nan")):
        with pytest.raises(GraspError, match="0 to 1"):
            spec.with_changes("grasp_0", confidence=confidence)
    with pytest.raises(GraspError, match=r"grasp_0\.finger"):
        spec.with_changes("grasp_0", cspace_position={"finger": float("inf")})


def test_renaming_keeps_the_place_and_everything_else(spec: GraspSpec) -> None:
    renamed = spec.renamed("grasp_0", "rim")
    assert renamed.get_grasp_names() == ["rim", "grasp_1"]
    assert renamed["rim"].written == spec["grasp_0"].written
    assert spec.renamed("grasp_0", "grasp_0") is spec


def test_a_change_touches_nothing_else(spec: GraspSpec) -> None:
    changed = spec.with_changes(
        "grasp_1", confidence=0.9, cspace_position={"a": 1.0}, pregrasp_cspace_position={"a": 2.0}
    )
    assert changed["grasp_0"] is spec["grasp_0"]
    assert changed["grasp_1"].written == spec["grasp_1"].written
    assert changed["grasp_1"].extras == spec["grasp_1"].extras
    assert (changed["grasp_1"].confidence, spec["grasp_1"].confidence) == (0.9, 0.5)
    assert changed["grasp_1"].pregrasp_cspace_position == {"a": 2.0}
    moved = spec.with_changes("grasp_1", pose=Pose(np.ones(3)))
    assert moved["grasp_1"].pose == Pose(np.ones(3))


@pytest.mark.parametrize(
    ("axis", "signs"), [("x", (1, -1, -1)), ("y", (-1, 1, -1)), ("z", (-1, -1, 1))]
)
def test_a_mirrored_duplicate_lies_across_the_axis(
    spec: GraspSpec, axis: Axis, signs: tuple[int, int, int]
) -> None:
    mirrored = spec.with_mirrored("grasp_0", "twin", axis)
    assert mirrored.get_grasp_names() == ["grasp_0", "twin", "grasp_1"]
    original, twin = mirrored["grasp_0"].pose, mirrored["twin"].pose
    point = np.array([0.01, 0.02, 0.1])
    assert twin.act(point) == pytest.approx(original.act(point) * signs)
    assert mirrored["twin"].cspace_position == spec["grasp_0"].cspace_position
    back = mirrored.with_mirrored("twin", "same", axis)["same"].pose
    assert back.is_close(original)
    assert spec.with_mirrored("grasp_1", "twin", axis)["twin"].extras == {}


def test_no_other_axis_mirrors(spec: GraspSpec) -> None:
    with pytest.raises(GraspError, match="x, y or z"):
        spec.with_mirrored("grasp_0", "twin", "w")  # type: ignore[arg-type]


def test_a_files_ranking_follows_names_that_change() -> None:
    ranked = read_grasps(
        REFERENCE.replace("grasps:", "ranking: [grasp_1, grasp_0]\ngrasps:"), name="ranked"
    )
    assert ranked.renamed("grasp_1", "best").ranking == ("best", "grasp_0")
    assert ranked.without("grasp_1").header["ranking"] == ("grasp_0",)
    assert ranked.ranking == ("grasp_1", "grasp_0")
