"""What an error says to a person, and what evidence it carries for a program."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import (
    ConfigError,
    RobotError,
    ServerError,
    SolverError,
    UsageError,
    WorkbenchError,
    did_you_mean,
    nearest,
    shortened,
)


def test_the_sentence_is_place_field_message_value_and_what_would_be_right() -> None:
    error = ConfigError(
        "is out of range", path="a.yaml", line=3, field="gain", value=2.0, expected="a number <= 1"
    )
    assert str(error) == "a.yaml:3: gain: is out of range (got 2.0); expected a number <= 1"


@pytest.mark.parametrize(
    ("evidence", "sentence"),
    [
        ({}, "went wrong"),
        ({"path": "a.yaml"}, "a.yaml: went wrong"),
        ({"line": 3}, "line 3: went wrong"),
        ({"field": "gain"}, "gain: went wrong"),
        ({"value": 0}, "went wrong (got 0)"),
        ({"value": False}, "went wrong (got False)"),
        ({"value": ""}, "went wrong (got '')"),
        ({"expected": "x"}, "went wrong; expected x"),
    ],
)
def test_evidence_that_is_not_there_leaves_no_trace(
    evidence: dict[str, object], sentence: str
) -> None:
    assert str(WorkbenchError("went wrong", **evidence)) == sentence  # type: ignore[arg-type]


@given(st.text(max_size=50), st.text(max_size=300), st.text(max_size=50), st.text(max_size=300))
def test_the_sentence_is_one_line_whatever_a_file_brought(
    field: str, value: str, path: str, message: str
) -> None:
    error = RobotError(message, path=path, field=field, value=value)
    assert len(str(error).splitlines()) <= 1
    assert (error.message, error.field, error.value, error.path) == (message, field, value, path)


@pytest.mark.parametrize("kind", [UsageError, ConfigError, RobotError, SolverError, ServerError])
def test_every_kind_is_a_workbench_error(kind: type[WorkbenchError]) -> None:
    with pytest.raises(WorkbenchError, match=r"^no$"):
        raise kind("no")


@given(st.text() | st.binary() | st.integers() | st.lists(st.text()))
def test_a_value_is_shown_in_at_most_eighty_characters(value: object) -> None:
    assert len(shortened(value)) <= 80
    assert len(shortened(value, limit=10)) <= 10


def test_a_short_value_is_shown_as_it_is() -> None:
    assert shortened("gain") == "'gain'"
    assert shortened(0.5) == "0.5"
    assert shortened([1, 2]) == "[1, 2]"


def test_the_nearest_names_come_best_first_and_in_their_own_spelling() -> None:
    assert nearest("PANDA_HAND", ["panda_hand_tcp", "panda_hand", "left"])[0] == "panda_hand"
    assert nearest("dampnig", ["damping", "lm_damping", "gain"])[0] == "damping"
    assert nearest("zzz", ["damping"]) == []


def test_a_misspelt_name_gets_the_nearest_or_all_that_there_are() -> None:
    assert did_you_mean("pandaa", ["panda", "ur5"]) == "perhaps panda"
    assert did_you_mean("qqqq", ["ur5", "panda"]) == "one of panda, ur5"
    assert did_you_mean("qqqq", []) == "nothing: there are none"
    many = did_you_mean("qqqq", [f"joint{number}" for number in range(20)])
    assert many.endswith(" and 8 more")
