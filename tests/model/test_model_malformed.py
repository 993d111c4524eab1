"""Every file of the malformed corpus gives one sentence, with line and name, and no robot."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import RobotError, WorkbenchError
from workbench.model.request import RobotRequest
from workbench.model.robot import load_robot
from workbench.model.srdf import read_group_states

MALFORMED = Path(__file__).parent.parent / "malformed"

# File, line (None where the whole file is meant), and words that the sentence must hold.
URDF_CASES: dict[str, tuple[int | None, tuple[str, ...]]] = {
    "archive": (None, ("binary",)),
    "axis_four_numbers": (8, ("elbow", "axis", "three finite numbers")),
    "axis_nan": (8, ("elbow", "axis", "nan")),
    "axis_zero": (8, ("elbow", "axis of length zero")),
    "binary": (None, ("binary",)),
    "deep_nesting": (1, ("deep",)),
    "duplicate_joint": (12, ("elbow", "two joints", "line 5")),
    "duplicate_link": (4, ("base", "two links", "line 2")),
    "empty": (None, ("empty",)),
    "empty_robot": (1, ("empty robot",)),
    "endless_name": (2, ("5000 characters",)),
    "entity_expansion": (2, ("DOCTYPE", "refused")),
    "everything_held": (1, ("no joint that can move", "elbow")),
    "external_entity": (2, ("DOCTYPE", "refused")),
    "floating_joint": (4, ("elbow", "floating", "not supported", "--floating-base")),
    "joint_to_itself": (4, ("elbow", "same link")),
    "joint_without_child": (4, ("elbow", "no child link")),
    "joint_without_name": (4, ("<joint> has no name",)),
    "joint_without_parent": (4, ("elbow", "no parent link")),
    "joint_without_type": (4, ("elbow", "no type")),
    "joints_without_links": (1, ("empty robot",)),
    "latin1_in_utf8": (4, ("not well-formed",)),
    "limit_decimal_comma": (9, ("elbow", "1,5")),
    "limit_empty": (9, ("elbow", "lower")),
    "limit_infinite": (9, ("elbow", "upper", "inf")),
    "limit_nan": (9, ("elbow", "upper", "nan")),
    "limit_words": (9, ("elbow", "minus one")),
    "link_without_name": (3, ("<link> has no name",)),
    "loop": (19, ("joint c", "loop", "base", "arm", "hand")),
    "loop_beside_root": (12, ("joint b", "loop", "base", "arm")),
    "lower_above_upper": (9, ("elbow", "lower limit above its upper")),
    "mesh_escapes_by_package_name": (4, ("leaves its package", "package://../secret.stl")),
    "mesh_leaves_package": (4, ("leaves its package", "etc/passwd")),
    "mimic_circle": (11, ("joint a", "itself through b")),
    "mimic_itself": (10, ("elbow", "mimics itself")),
    "mimic_multiplier_nan": (18, ("finger", "multiplier", "nan")),
    "mimic_unknown": (18, ("finger", "elbo", "perhaps elbow")),
    "mimic_without_joint": (10, ("elbow", "mimics no joint")),
    "mujoco": (1, ("MuJoCo", "<mujoco>")),
    "not_xml": (1, ("not XML",)),
    "nothing_moves": (1, ("no joint that can move",)),
    "only_blanks": (None, ("empty",)),
    "origin_infinite_rpy": (7, ("elbow", "rpy", "inf")),
    "origin_nan": (7, ("elbow", "xyz", "nan")),
    "origin_quaternion": (7, ("elbow", "quat_xyzw")),
    "origin_two_numbers": (7, ("elbow", "xyz", "three")),
    "origin_words": (7, ("elbow", "zero 0 0")),
    "other_root": (1, ("<machine>", "<robot>")),
    "planar_joint": (4, ("elbow", "planar", "not supported")),
    "prismatic_without_limit": (4, ("elbow", "without <limit>")),
    "raw_xacro_expression": (2, ("raw xacro", "${prefix}base")),
    "raw_xacro_find": (3, ("raw xacro", "$(find arm)")),
    "raw_xacro_macro": (3, ("raw xacro", "xacro:include")),
    "remote_dtd": (2, ("DOCTYPE", "refused")),
    "revolute_without_limit": (4, ("elbow", "without <limit>", "continuous")),
    "sdf": (1, ("SDF", "<sdf>")),
    "truncated": (6, ("not well-formed",)),
    "two_parents": (19, ("joint c", "hand", "joint b already")),
    "two_roots": (4, ("2 root links", "base (line 2)", "lost (line 4)")),
    "two_trees": (4, ("2 root links", "base2")),
    "unclosed_tag": (3, ("not well-formed", "mismatched tag")),
    "undefined_entity": (2, ("undefined entity",)),
    "unknown_child": (6, ("elbow", "child", "amr", "perhaps arm")),
    "unknown_encoding": (1, ("klingon-8",)),
    "unknown_parent": (5, ("elbow", "parent", "bse", "perhaps base")),
    "unknown_type": (4, ("elbow", "revolut", "perhaps revolute")),
    "velocity_nan": (9, ("elbow", "velocity", "NaN")),
}

SRDF_CASES: dict[str, tuple[int | None, tuple[str, ...]]] = {
    "empty": (None, ("empty",)),
    "entities": (1, ("DOCTYPE",)),
    "is_a_urdf": (2, ("is a URDF",)),
    "not_xml": (1, ("not XML",)),
    "other_root": (1, ("<semantics>",)),
    "position_nan": (3, ("home", "elbow", "nan")),
    "position_words": (3, ("home", "elbow", "up")),
}


def test_every_file_of_the_corpus_has_its_expectation() -> None:
    assert {path.stem for path in (MALFORMED / "urdf").iterdir()} == set(URDF_CASES)
    assert {path.stem for path in (MALFORMED / "srdf").iterdir()} == set(SRDF_CASES)


@pytest.mark.parametrize("name", sorted(URDF_CASES))
def test_a_malformed_urdf_gives_one_sentence_with_line_and_name(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = MALFORMED / "urdf" / f"{name}.urdf"
    line, words = URDF_CASES[name]
    with pytest.raises(RobotError) as caught:
        load_robot(RobotRequest(str(path)))
    _check_sentence(caught.value, path, line, words)
    # What a C++ library has to say would stand on the terminal between our own lines.
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", sorted(SRDF_CASES))
def test_a_malformed_srdf_gives_one_sentence_with_line_and_name(name: str) -> None:
    path = MALFORMED / "srdf" / f"{name}.srdf"
    line, words = SRDF_CASES[name]
    with pytest.raises(RobotError) as caught:
        read_group_states(path)
    _check_sentence(caught.value, path, line, words)


def _check_sentence(
    error: WorkbenchError, path: Path, line: int | None, words: tuple[str, ...]
) -> None:
    text = str(error)
    assert "\n" not in text
    assert error.path == str(path)
    assert error.line == line
    for word in words:
        assert word in text
