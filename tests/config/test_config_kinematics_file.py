"""Reading and writing the twelve fields."""

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from workbench.config.fields import field_spec
from workbench.config.kinematics import PinkKinematicsConfig, available_solvers
from workbench.config.kinematics_file import ExportHeader, read_kinematics, write_kinematics
from workbench.errors import ConfigError

MALFORMED = Path(__file__).parents[1] / "malformed" / "yaml"

HEADER = ExportHeader(
    robot="panda",
    urdf_sha256="0" * 64,
    tool_frames=("panda_hand_tcp",),
    rate_hz=100.0,
    versions={"pin": "4.1.0"},
    changed_at=datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC),
    not_in_yaml=("joint x was held at 1 rad while tuning",),
)

_positive = st.floats(5e-324, 1.7e308)
_any_cost = st.floats(0.0, 1.7e308)

configs = st.builds(
    PinkKinematicsConfig,
    solver=st.sampled_from(available_solvers()),
    dt=_positive,
    max_iterations=st.integers(1, 10**12),
    damping=_any_cost,
    position_cost=_any_cost,
    orientation_cost=_any_cost,
    posture_cost=_any_cost,
    joint_limit_posture_margin=_any_cost,
    lm_damping=_any_cost,
    gain=st.floats(0.0, 1.0, exclude_min=True),
    safety_break=st.booleans(),
)


@given(configs)
def test_export_then_import_is_the_identity(config: PinkKinematicsConfig) -> None:
    text = write_kinematics(config, HEADER)
    assert read_kinematics(text, name="export.yaml") == config
    assert read_kinematics(text.encode(), name="export.yaml") == config


@given(configs)
def test_every_yaml_reader_sees_the_same_types_and_numbers(config: PinkKinematicsConfig) -> None:
    data = yaml.safe_load(write_kinematics(config, HEADER))
    assert list(data) == list(PinkKinematicsConfig.model_fields)
    assert data == config.model_dump()
    for name, value in config.model_dump().items():
        assert type(data[name]) is type(value), name


@given(configs)
def test_json_and_wrapped_mappings_mean_the_same(config: PinkKinematicsConfig) -> None:
    data = config.model_dump()
    assert read_kinematics(json.dumps(data), name="x.json") == config
    for wrapper in ("kinematics", "pink"):
        assert read_kinematics(yaml.safe_dump({wrapper: data}), name="x.yaml") == config
        assert read_kinematics(json.dumps({wrapper: data}, indent="\t"), name="x.json") == config


@given(configs, st.lists(st.text(max_size=40), max_size=4), st.text(max_size=40))
def test_names_that_a_file_brought_never_leave_their_comment(
    config: PinkKinematicsConfig, lines: list[str], robot: str
) -> None:
    header = ExportHeader(
        robot, "0" * 64, tuple(lines), 100.0, {robot: robot}, HEADER.changed_at, tuple(lines)
    )
    text = write_kinematics(config, header)
    assert read_kinematics(text.encode(), name="x.yaml") == config
    assert yaml.safe_load(text) == config.model_dump()
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert len(comments) + len(PinkKinematicsConfig.model_fields) == len(text.splitlines())


@pytest.mark.parametrize(
    "name", ["a\nsafety_break: false", "a\rb", "a\u2028b", "a\x85b", "a\ud800"]
)
def test_a_line_break_in_a_name_is_shown_as_its_escape(name: str) -> None:
    header = ExportHeader(name, "0" * 64, (name,), 100.0, {}, HEADER.changed_at)
    text = write_kinematics(PinkKinematicsConfig(), header)
    assert text.count("\\") == 2
    assert yaml.safe_load(text)["safety_break"] is True


def test_small_numbers_are_written_so_that_yaml_1_1_reads_floats() -> None:
    text = write_kinematics(PinkKinematicsConfig(damping=1e-8, lm_damping=5e-5, dt=1e22), HEADER)
    assert "\ndamping: 1.0e-08\n" in text
    assert "\nlm_damping: 5.0e-05\n" in text
    assert "\ndt: 1.0e+22\n" in text


def test_the_comment_block_says_what_an_engineer_needs() -> None:
    text = write_kinematics(PinkKinematicsConfig(), HEADER)
    for part in (
        "# robot: panda\n",
        f"# urdf_sha256: {'0' * 64}\n",
        "# tool_frames: panda_hand_tcp\n",
        "# rate: 100 Hz\n",
        "# versions: pin 4.1.0\n",
        "# changed: 2026-05-04T03:02:01Z\n",
        "# - joint x was held at 1 rad while tuning\n",
    ):
        assert part in text


def test_the_time_of_the_change_is_written_in_utc() -> None:
    elsewhere = HEADER.changed_at.astimezone(timezone(timedelta(hours=9)))
    header = ExportHeader("r", "", (), 100.0, {}, elsewhere)
    assert "# changed: 2026-05-04T03:02:01Z\n" in write_kinematics(PinkKinematicsConfig(), header)


def test_a_missing_key_means_the_default_of_dimos() -> None:
    assert read_kinematics("gain: 0.3\n", name="x") == PinkKinematicsConfig(gain=0.3)
    assert read_kinematics("gain: 0.3\n", name="x").solver == "proxqp"
    assert read_kinematics("{}", name="x") == PinkKinematicsConfig()


def test_numbers_as_python_writes_them_are_read() -> None:
    config = read_kinematics("damping: 1e-8\nlm_damping: 5e-05\ngain: 1\ndt: 1E-2\n", name="x")
    assert (config.damping, config.lm_damping, config.gain, config.dt) == (1e-8, 5e-5, 1.0, 0.01)
    assert read_kinematics("max_iterations: 1e3", name="x").max_iterations == 1000
    assert read_kinematics("max_iterations: 200.0", name="x").max_iterations == 200


# What the field meets ------------------------------------------------------------------------

_TOP = None
EXPECTED: dict[str, tuple[int | None, str | None, str]] = {
    "alias_as_key.yaml": (2, _TOP, "a key is an alias"),
    "alias_bomb.yaml": (4, "d[7]", "aliases multiply"),
    "alias_to_itself.yaml": (2, "self[0]", "names nothing that is complete"),
    "alias_to_nothing.yaml": (1, "gain", "names nothing"),
    "bad_indentation.yaml": (2, _TOP, "not well-formed"),
    "comment_only.yaml": (None, _TOP, "is empty"),
    "control_character.yaml": (None, _TOP, "control characters are not allowed"),
    "decimal_comma.yaml": (1, "gain", "is not a number (got '0,5')"),
    "dt_of_zero.yaml": (1, "dt", "expected a finite number > 0"),
    "duplicate_key.yaml": (3, "gain", "is given twice, first in line 1"),
    "empty.yaml": (None, _TOP, "is empty"),
    "foreign_key.yaml": (1, "kp", "expected one of backend"),
    "fraction_for_whole_number.yaml": (1, "max_iterations", "is not a whole number (got 12.5)"),
    "gain_above_one.yaml": (1, "gain", "(got 1.5); expected a number in (0, 1]"),
    "gain_of_zero.yaml": (1, "gain", "(got 0); expected a number in (0, 1]"),
    "infinity.yaml": (1, "position_cost", "is not finite"),
    "latin_1.yaml": (1, _TOP, "is not UTF-8 text"),
    "leading_zero.yaml": (1, "max_iterations", "is not a number (got '0100')"),
    "list.yaml": (1, _TOP, "is a list; expected a mapping"),
    "list_for_number.yaml": (1, "position_cost", "is not a number"),
    "list_for_solver.yaml": (1, "solver", "expected one of daqp"),
    "local_tag.yaml": (1, "gain", "holds a YAML tag (got '!gain')"),
    "mapping_as_key.yaml": (1, _TOP, "a key is a mapping or a list"),
    "mapping_for_number.yaml": (1, "gain", "is not a number"),
    "merge_conflict.yaml": (3, _TOP, "not well-formed"),
    "merge_key.yaml": (3, "<<", "merge keys are not read"),
    "missing_value.yaml": (1, "gain", "has no value"),
    "misspelt_key.yaml": (2, "lm_dampnig", "expected perhaps lm_damping"),
    "nan.yaml": (3, "gain", "is not finite"),
    "nan_as_python_writes_it.yaml": (1, "gain", "is not finite"),
    "negative_cost.yaml": (1, "posture_cost", "(got -0.001); expected a finite number >= 0"),
    "null.yaml": (None, _TOP, "is empty"),
    "number_for_solver.yaml": (1, "solver", "expected one of daqp"),
    "number_for_switch.yaml": (1, "safety_break", "expected true or false"),
    "numpy_scalar.yaml": (1, "gain", "holds a YAML tag (got '!!python/object/apply:numpy"),
    "other_backend.yaml": (1, "backend", "expected pink"),
    "overflow.yaml": (1, "position_cost", "is not finite"),
    "picture.yaml": (None, _TOP, "is a binary file"),
    "python_tag.yaml": (2, "gain", "holds a YAML tag (got '!!python/object/apply:os.system')"),
    "quoted_number.yaml": (1, "gain", "is text in quotes, not a number"),
    "quoted_switch.yaml": (1, "safety_break", "expected true or false"),
    "robot_description.yaml": (1, _TOP, "is a single value; expected a mapping"),
    "sentence.yaml": (1, _TOP, "is a single value; expected a mapping"),
    "sexagesimal.yaml": (1, "dt", "is not a number (got '1:30')"),
    "switch_for_number.yaml": (1, "gain", "is not a number (got True)"),
    "tab.yaml": (2, "gain", "not well-formed"),
    "truncated.json": (3, _TOP, "unexpected end of stream"),
    "two_documents.yaml": (2, _TOP, "holds a second document"),
    "unclosed_list.yaml": (2, "gain[1]", "not well-formed"),
    "underscore.yaml": (1, "max_iterations", "is not a number (got '1_000')"),
    "unknown_solver.yaml": (1, "solver", "is not installed here (got 'daqpp')"),
    "utf_16.yaml": (None, _TOP, "is a binary file"),
    "word_for_number.yaml": (1, "gain", "is not a number (got 'high')"),
    "wrapped_and_not.yaml": (2, "damping", "stands next to kinematics:"),
    "wrapped_nothing.yaml": (1, "kinematics", "has no value"),
    "wrapped_number.yaml": (1, "kinematics", "is not a mapping"),
    "wrapped_too_deep.yaml": (2, "pink.kinematics", "there is no such setting"),
    "wrapped_twice.yaml": (2, "pink", "stands next to kinematics:"),
}


def test_every_file_of_the_corpus_is_expected_to_fail_in_its_way() -> None:
    assert sorted(path.name for path in MALFORMED.iterdir()) == sorted(EXPECTED)


@pytest.mark.parametrize("file", EXPECTED)
def test_a_malformed_file_is_refused_whole_with_line_key_and_what_would_be_right(
    file: str,
) -> None:
    line, field, sentence = EXPECTED[file]
    with pytest.raises(ConfigError) as caught:
        read_kinematics(MALFORMED / file, name=file)
    error = caught.value
    assert (error.path, error.line, error.field) == (file, line, field)
    assert sentence in str(error)
    assert "\n" not in str(error)
    assert len(str(error)) < 400


_numbers = [
    name
    for name in PinkKinematicsConfig.model_fields
    if name not in ("backend", "solver", "safety_break")
]
_wrong_values: list[Any] = [
    "x", "", None, True, [], {}, float("nan"), float("inf"), -1.0,
]  # fmt: skip


@pytest.mark.parametrize("field", _numbers)
@pytest.mark.parametrize("value", _wrong_values, ids=repr)
def test_every_number_refuses_what_is_none_of_its_range(field: str, value: object) -> None:
    text = json.dumps({"solver": "daqp", field: value}, indent=1)
    with pytest.raises(ConfigError) as caught:
        read_kinematics(text, name="x.json")
    spec = field_spec(PinkKinematicsConfig, field)
    assert spec is not None
    assert (caught.value.line, caught.value.field) == (3, field)
    assert caught.value.expected is not None
    assert caught.value.expected.replace("whole ", "") == spec.range_text


@pytest.mark.parametrize("value", ["daqp", "yes", "", "[0.3]", "0.3"])
def test_a_key_that_is_none_is_named_whatever_its_value_is(value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_kinematics(f"solver: daqp\ngian: {value}\n", name="x.yaml")
    assert (caught.value.line, caught.value.field) == (2, "gian")
    assert str(caught.value) == "x.yaml:2: gian: there is no such setting; expected perhaps gain"
