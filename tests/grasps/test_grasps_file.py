"""isaac_grasp files: what is read of them, what is refused, what is written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from workbench.errors import GraspError
from workbench.grasps import GraspSpec, import_grasps_from_file
from workbench.grasps.isaac_grasp import read_grasps
from workbench.grasps.writing import export_grasps_to_file, grasps_to_text

CORPUS = Path(__file__).parent / "corpus"
ACCEPTED = sorted((CORPUS / "accepted").iterdir(), key=lambda path: path.name)

# File, line (None where the whole file is meant), and words that the sentence must hold.
REFUSED: dict[str, tuple[int | None, tuple[str, ...]]] = {
    "alias_bomb": (10, ("aliases multiply",)),
    "binary": (None, ("binary",)),
    "comment_only": (None, ("empty",)),
    "confidence_list": (18, ("grasp_1.confidence", "not a number")),
    "confidence_nan": (18, ("grasp_1.confidence", "not finite", "0 to 1")),
    "confidence_switch": (18, ("grasp_1.confidence", "not a number")),
    "confidence_word": (18, ("grasp_1.confidence", "'high'")),
    "deep": (6, ("nests too deep",)),
    "empty": (None, ("empty",)),
    "finger_list": (22, ("grasp_1.cspace_position.finger_joint", "not a number")),
    "finger_nan": (22, ("grasp_1.cspace_position.finger_joint", "not finite")),
    "finger_without_value": (22, ("grasp_1.cspace_position.finger_joint", "not a number")),
    "finger_word": (22, ("grasp_1.cspace_position.finger_joint", "'closed'")),
    "fingers_list": (21, ("grasp_1.cspace_position", "a list", "a mapping from joint")),
    "fingers_number": (21, ("grasp_1.cspace_position", "no mapping")),
    "format_list": (1, ("format", "another format")),
    "format_missing": (None, ("format", "missing", "format: isaac_grasp")),
    "frame_is_list": (5, ("gripper_frame", "not text")),
    "frame_is_number": (4, ("object_frame", "not text")),
    "grasp_is_list": (17, ("grasps.grasp_1", "a list", "position and orientation")),
    "grasp_without_value": (17, ("grasps.grasp_1", "no value")),
    "grasps_hold_lists": (8, ("grasps.object_in_gripper", "a list")),
    "grasps_is_list": (7, ("grasps", "a list", "a mapping from name to grasp")),
    "grasps_missing": (None, ("grasps", "missing")),
    "grasps_without_value": (7, ("grasps", "no value")),
    "is_list": (1, ("is a list",)),
    "is_text": (1, ("single value",)),
    "key_twice": (19, ("grasp_1.confidence", "twice", "line 18")),
    "latin_1": (4, ("UTF-8",)),
    "merge_key": (18, ("merge keys",)),
    "name_blank": (7, ("no name for a grasp",)),
    "name_empty": (7, ("no name for a grasp",)),
    "name_endless": (17, ("not well-formed",)),
    "name_long": (17, ("too long", "200 characters")),
    "name_twice": (17, ("grasps.grasp_0", "twice", "line 8")),
    "name_twice_with_and_without_quotes": (17, ("grasps.grasp_0", "twice", "line 8")),
    "numpy_scalar": (18, ("grasp_1.confidence", "YAML tag", "float(...)")),
    "orientation_list": (20, ("grasp_1.orientation", "a list", "{w: number, xyz: [x, y, z]}")),
    "orientation_missing": (17, ("grasp_1.orientation", "missing")),
    "orientation_rpy": (20, ("grasp_1.orientation", "w and xyz")),
    "orientation_w_null": (20, ("grasp_1.orientation.w", "not a number")),
    "orientation_w_word": (20, ("grasp_1.orientation.w", "'one'")),
    "orientation_without_w": (20, ("grasp_1.orientation", "w and xyz")),
    "orientation_x_y_z_w": (20, ("grasp_1.orientation", "{w: number, xyz: [x, y, z]}")),
    "orientation_xyz_four_numbers": (20, ("grasp_1.orientation.xyz", "three numbers")),
    "orientation_xyz_is_number": (20, ("grasp_1.orientation.xyz", "three numbers")),
    "other_format": (1, ("format", "acronym_grasp", "expected isaac_grasp")),
    "position_decimal_comma": (19, ("grasp_1.position[1]", "'0,2'")),
    "position_four_numbers": (19, ("grasp_1.position", "three numbers")),
    "position_infinite": (19, ("grasp_1.position", "not finite")),
    "position_leading_zero": (19, ("grasp_1.position[1]", "'010'")),
    "position_mapping": (19, ("grasp_1.position", "three numbers")),
    "position_missing": (17, ("grasp_1.position", "missing")),
    "position_nan": (19, ("grasp_1.position", "not finite")),
    "position_nan_as_python_writes_it": (19, ("grasp_1.position", "not finite")),
    "position_nan_in_quotes": (19, ("grasp_1.position", "not finite")),
    "position_null": (19, ("grasp_1.position[1]", "not a number")),
    "position_overflow": (19, ("grasp_1.position", "not finite")),
    "position_sexagesimal": (19, ("grasp_1.position[1]", "12:30.5")),
    "position_switch": (19, ("grasp_1.position[1]", "not a number")),
    "position_text": (19, ("grasp_1.position", "three numbers")),
    "position_two_numbers": (19, ("grasp_1.position", "three numbers")),
    "position_word": (19, ("grasp_1.position[1]", "'left'")),
    "pregrasp_orientation_alone": (17, ("grasp_1.pregrasp_position", "missing")),
    "pregrasp_position_nan": (21, ("grasp_1.pregrasp_position", "not finite")),
    "pregrasp_quaternion_zero": (22, ("grasp_1.pregrasp_orientation", "zero quaternion")),
    "quaternion_far_too_long": (20, ("grasp_1.orientation", "length 2")),
    "quaternion_in_degrees": (20, ("grasp_1.orientation", "length 90")),
    "quaternion_nan": (20, ("grasp_1.orientation", "not finite")),
    "quaternion_zero": (20, ("grasp_1.orientation", "zero quaternion", "length 1")),
    "scale_infinite": (6, ("object_scale", "no scale")),
    "scale_list": (6, ("object_scale", "not a number")),
    "scale_zero": (6, ("object_scale", "above 0")),
    "tab": (18, ("not well-formed",)),
    "tag": (18, ("grasp_1.confidence", "YAML tag")),
    "truncated_before_orientation": (17, ("grasp_1.orientation", "missing")),
    "truncated_in_orientation": (19, ("grasp_1.orientation", "no value")),
    "truncated_in_vector": (20, ("grasp_1.position", "not well-formed")),
    "two_documents": (25, ("second document",)),
    "utf_16": (None, ("UTF-8",)),
    "version_0": (2, ("format_version", "another version", "expected 1.0")),
    "version_10": (2, ("format_version", "another version")),
    "version_2": (2, ("format_version", "another version", "2.0")),
    "version_list": (2, ("format_version", "no version")),
    "version_switch": (2, ("format_version", "no version")),
    "version_word": (2, ("format_version", "'latest'")),
}

# What reading says about the files that are taken in spite of something; the others have nothing.
REMARKS: dict[str, tuple[str, ...]] = {
    "both_spellings_that_differ": ("gripper_frame_link differ",),
    "by_hand": ("format_version is missing", "6 numbers are in quotes, the first at line 10"),
    "confidence_above_one": ("1 confidence is outside 0 to 1, the first of grasp_0",),
    "quaternion_a_little_off": ("1 quaternion is brought to length 1, the first of grasp_1",),
    "version_minor": ("format_version is 1.3",),
}


def accepted(name: str) -> GraspSpec:
    return import_grasps_from_file(CORPUS / "accepted" / name)


def test_every_file_of_the_corpus_has_its_expectation() -> None:
    assert {path.stem for path in (CORPUS / "refused").iterdir()} == set(REFUSED)
    assert set(REMARKS) <= {path.stem for path in ACCEPTED}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_file_is_refused_whole_in_one_sentence(name: str) -> None:
    path = CORPUS / "refused" / f"{name}.yaml"
    line, words = REFUSED[name]
    with pytest.raises(GraspError) as caught:
        import_grasps_from_file(path)
    assert caught.value.path == str(path)
    assert caught.value.line == line
    sentence = str(caught.value)
    assert "\n" not in sentence
    for word in words:
        assert word in sentence


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.stem)
def test_a_variant_is_read_and_survives_writing(path: Path) -> None:
    spec = import_grasps_from_file(path)
    expected = REMARKS.get(path.stem, ())
    assert len(spec.remarks) == len(expected)
    for remark, words in zip(spec.remarks, expected, strict=True):
        assert words in remark
    text = grasps_to_text(spec)
    again = read_grasps(text, name=path.name)
    assert again == spec
    assert grasps_to_text(again) == text


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.stem)
def test_what_is_written_reads_the_same_without_us(path: Path) -> None:
    spec = import_grasps_from_file(path)
    plain = yaml.safe_load(grasps_to_text(spec))
    assert plain["format"] == "isaac_grasp"
    assert plain["format_version"] == 1.0
    assert list(plain["grasps"]) == spec.get_grasp_names()
    for name, grasp in plain["grasps"].items():
        ours = spec.get_grasp_dict_by_name(name)
        assert grasp["position"] == ours["position"].tolist()
        assert grasp["orientation"]["w"] == ours["orientation"]["w"]
        assert grasp["orientation"]["xyz"] == ours["orientation"]["xyz"].tolist()
        assert grasp.get("cspace_position", {}) == ours["cspace_position"]
        assert grasp.get("pregrasp_cspace_position", {}) == ours["pregrasp_cspace_position"]


def test_numbers_that_yaml_takes_for_text_are_numbers() -> None:
    spec = accepted("grasp_editor_rounding.yaml")
    assert spec["grasp_1"].written.position.tolist() == [0.1, 5e-05, -1e-16]
    assert spec["grasp_0"].pregrasp_cspace_position == {"finger_joint": 1.2e-16}


def test_both_spellings_of_the_frames_are_known() -> None:
    for name in ("grasp_editor.yaml", "other_spelling_of_frames.yaml", "both_spellings.yaml"):
        spec = accepted(name)
        assert (spec.object_frame, spec.gripper_frame) == ("/World/cup", "/World/panda_hand")
    assert accepted("both_spellings_that_differ.yaml").gripper_frame == "/World/panda_hand"
    only_poses = accepted("only_poses.yaml")
    assert (only_poses.object_frame, only_poses.gripper_frame) == (None, None)


def test_a_simulators_keys_are_typed_where_they_matter_and_kept_where_not() -> None:
    spec = accepted("simulated_data.yaml")
    assert spec.object_scale == 0.25
    assert spec.header["bite_point"] == (0.02, 0.0, 0.06)
    good, failed = spec
    assert good.pregrasp_pose is not None
    assert good.pregrasp_pose.translation.tolist() == [0.0, 0.1, -0.25]
    assert good.extras == {"bite_point": (0.02, 0.0, 0.25)}
    assert failed.effective_confidence == 0.0
    assert failed.pregrasp is not None
    assert failed.pregrasp.wxyz.tolist() == failed.written.wxyz.tolist()
    text = grasps_to_text(spec)
    # A date without quotes is one to other readers, before and after.
    assert "created_at: 2026-01-31T10:00:00\n" in text
    assert "created_with: grasp_sim\n" in text


def test_a_grasp_without_confidence_counts_as_sure_and_stays_without() -> None:
    spec = accepted("by_hand.yaml")
    assert spec["low"].confidence is None
    assert spec["low"].effective_confidence == 1.0
    assert spec.get_grasp_dict_by_name("low")["confidence"] == 1.0
    assert "confidence" not in grasps_to_text(spec)
    assert spec["höher \U0001f375"].written.position.tolist() == [0.1, 0.2, 0.5]


def test_the_ranking_of_a_file_comes_before_its_confidence() -> None:
    assert accepted("ranked.yaml").ranking == ("c", "a", "b")
    assert accepted("only_poses.yaml").ranking == ("grasp_0", "grasp_1")
    assert accepted("simulated_data.yaml").ranking == ("grasp_7_2", "grasp_9_0")


def test_quaternions_keep_their_digits_unless_they_are_far_off() -> None:
    rounded = accepted("rounded_quaternions.yaml")["grasp_1"]
    assert rounded.written.wxyz.tolist() == [0.00332, 0.98453, 0.16837, 0.04837]
    assert np.linalg.norm(rounded.pose.wxyz) == pytest.approx(1.0, abs=1e-15)
    corrected = accepted("quaternion_a_little_off.yaml")["grasp_1"]
    assert corrected.written.wxyz == pytest.approx([np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0])


def test_the_layout_is_isaacs_own() -> None:
    assert grasps_to_text(accepted("grasp_editor.yaml")) == (
        "format: isaac_grasp\n"
        "format_version: 1.0\n"
        "\n"
        "object_frame: /World/cup\n"
        "gripper_frame: /World/panda_hand\n"
        "\n"
        "grasps:\n"
        '   "grasp_0":\n'
        "      confidence: 0.9\n"
        "      position: [0.1, 0.2, 0.3]\n"
        "      orientation: {w: 1.0, xyz: [0.0, 0.0, 0.0]}\n"
        "      cspace_position:\n"
        "         finger_joint: 0.02\n"
        "      pregrasp_cspace_position:\n"
        "         finger_joint: 0.04\n"
        "\n"
        '   "grasp_1":\n'
        "      confidence: 0.8\n"
        "      position: [0.1, 0.2, -0.3]\n"
        "      orientation: {w: 0.0, xyz: [1.0, 0.0, 0.0]}\n"
        "      cspace_position:\n"
        "         finger_joint: 0.03\n"
        "      pregrasp_cspace_position:\n"
        "         finger_joint: 0.04\n"
    )


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    spec = accepted("grasp_editor.yaml")
    path = tmp_path / "grasps.yaml"
    export_grasps_to_file(spec, path)
    assert import_grasps_from_file(path) == spec
    with pytest.raises(GraspError, match="cannot be written"):
        export_grasps_to_file(spec, tmp_path / "missing" / "grasps.yaml")
    assert [entry.name for entry in tmp_path.iterdir()] == ["grasps.yaml"]


def test_a_missing_file_is_one_sentence() -> None:
    with pytest.raises(GraspError, match=r"^nowhere\.yaml: no such file$"):
        import_grasps_from_file("nowhere.yaml")


def test_a_large_file_is_refused_unread() -> None:
    with pytest.raises(GraspError, match="too large"):
        read_grasps("#" * 50_000_001, name="upload")


def test_an_upload_is_read_from_its_bytes() -> None:
    data = (CORPUS / "accepted" / "grasp_editor.yaml").read_bytes()
    assert read_grasps(data, name="upload") == accepted("grasp_editor.yaml")


def test_ten_thousand_grasps_are_read_whole() -> None:
    grasp = (
        '   "grasp_{n}":\n'
        "      confidence: 0.{n}\n"
        "      position: [0.{n}, -0.0{n}, 5e-05]\n"
        "      orientation: {{w: 0.5, xyz: [0.5, -0.5, 0.5]}}\n"
        "      cspace_position:\n"
        "         finger_joint: 0.01\n"
    )
    text = "format: isaac_grasp\nformat_version: 1.0\ngrasps:\n" + "".join(
        grasp.format(n=number) for number in range(10_000)
    )
    spec = read_grasps(text, name="many")
    assert len(spec) == 10_000
    assert spec.positions.shape == (10_000, 3)
    assert spec.quaternions_wxyz.shape == (10_000, 4)
    assert spec["grasp_9999"].written.position.tolist() == [0.9999, -0.09999, 5e-05]
    with pytest.raises(GraspError, match=r"^many:60003: grasps\.grasp_9999\.cspace"):
        read_grasps(text[:-5] + ".nan\n", name="many")
