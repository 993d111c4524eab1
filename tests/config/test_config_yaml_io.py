"""Reading YAML that somebody else wrote."""

import math
import os
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from workbench.config import yaml_io
from workbench.config.document import Document, PlainText, dotted, finite_number_from, number_from
from workbench.config.yaml_io import load_yaml
from workbench.errors import ConfigError


def read(text: str | bytes) -> Document:
    return load_yaml(text, name="file.yaml")


def test_values_keys_and_lines_are_read() -> None:
    document = read("a: 1\nb:\n  - 0.5\n  - {c: true}\nd: ~\ne: 'text'\n")
    assert document.data == {"a": 1, "b": [0.5, {"c": True}], "d": None, "e": "text"}
    assert document.line_of("a") == 1
    assert document.line_of("b") == 2
    assert document.line_of("b", 0) == 3
    assert document.line_of("b", 1, "c") == 4
    assert document.line_of("e") == 6
    assert document.line_of("nothing") is None
    assert document.line_of("b", 7) is None
    assert document.line_of("b", 0, "deeper") is None
    assert document.line_of() is None


def test_an_error_about_a_place_has_its_line_and_its_way() -> None:
    error = read("tools:\n  - {xyz: [0, 0, x]}\n").error("is odd", "tools", 0, "xyz", 2, value="x")
    assert (error.line, error.field) == (2, "tools[0].xyz[2]")
    assert str(error) == "file.yaml:2: tools[0].xyz[2]: is odd (got 'x')"


def test_keys_are_text_whatever_they_look_like() -> None:
    document = read("1: a\njoint_0.0: b\non: c\n~: d\n1e-8: e\n")
    assert list(document.data) == ["1", "joint_0.0", "on", "~", "1e-8"]


def test_json_is_read_by_the_same_rules() -> None:
    document = read('{"a":1e-8,\n\t"b": [1, 2.5, true, null],\n\t"c": "1e-8"}')
    assert number_from(document.data["a"]) == 1e-8
    assert document.data["b"] == [1, 2.5, True, None]
    assert document.line_of("c") == 3
    with pytest.raises(ValueError, match="text in quotes"):
        number_from(document.data["c"])


def test_a_byte_order_mark_is_no_part_of_the_first_key() -> None:
    assert read(b"\xef\xbb\xbfgain: 1\n").data == {"gain": 1}
    assert read("\ufeffgain: 1\n").data == {"gain": 1}


def test_windows_line_ends_count_once() -> None:
    assert read("a: 1\r\nb: 2\r\n").line_of("b") == 2


@pytest.mark.parametrize(
    "text",
    ["1e-8", "5e-05", "-4e-06", "1e5", "1.0e5", "1E+3", ".5", "1.", "-0", "+7", "12", "0.5e-3"],
)
def test_numbers_that_yaml_reads_as_text_are_numbers_where_one_is_wanted(text: str) -> None:
    assert finite_number_from(read(f"x: {text}").data["x"]) == float(text)


@pytest.mark.parametrize(
    "text",
    ["010", "1_000", "0x10", "12:30.5", "0,5", "1e", "e5", "--1", "1 m", "\u0661", "on"],
)
def test_what_only_looks_like_a_number_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="is not a number"):
        number_from(read(f"x: {text}").data["x"])


@pytest.mark.parametrize(
    "text", [".nan", ".NaN", "nan", "NaN", ".inf", ".INF", "-.inf", "inf", "-Infinity"]
)
def test_numbers_that_are_not_finite_are_told_apart(text: str) -> None:
    assert not math.isfinite(number_from(read(f"x: {text}").data["x"]))
    with pytest.raises(ValueError, match="is not finite"):
        finite_number_from(read(f"x: {text}").data["x"])


def test_whole_numbers_of_any_length_are_read_or_refused_but_never_break() -> None:
    assert read("x: " + "9" * 30).data["x"] == int("9" * 30)
    with pytest.raises(ValueError, match="is too large a number"):
        number_from(read("x: " + "9" * 350).data["x"])
    assert math.isinf(number_from(read("x: " + "9" * 100_000).data["x"]))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_way_of_writing_a_float_reads_back(number: float) -> None:
    written = (repr(number), f"{number:.17g}", yaml.safe_dump(number).split("\n")[0])
    for text in written:
        assert finite_number_from(read(f"x: {text}").data["x"]) == number


_scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**12), 10**12), st.text(max_size=8),
    st.floats(allow_nan=False, allow_infinity=False),
)  # fmt: skip
_values = st.recursive(
    _scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("abcxyz_.", min_size=1, max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text("abcxyz", min_size=1, max_size=5), _values, max_size=5))
def test_what_pyyaml_writes_is_read_as_pyyaml_reads_it(data: dict[str, object]) -> None:
    text = yaml.safe_dump(data, allow_unicode=False)
    assert read(text).data == yaml.safe_load(text)


_any_text = st.text(st.characters(), max_size=60)  # lone surrogates as well


@given(_any_text | st.binary(max_size=60))
@example("a: \ud800")
def test_any_text_and_any_bytes_are_read_or_refused_in_one_line(source: str | bytes) -> None:
    try:
        assert isinstance(read(source).data, dict)
    except ConfigError as error:
        assert "\n" not in str(error)


def test_an_alias_repeats_a_value() -> None:
    assert read("a: &x [1, 2]\nb: *x\n").data == {"a": [1, 2], "b": [1, 2]}


def test_a_value_that_holds_itself_is_refused() -> None:
    with pytest.raises(ConfigError, match="names nothing that is complete before it"):
        read("a: &x\n  b: *x\n")


def test_an_anchor_that_is_set_anew_never_means_the_unfinished_value() -> None:
    with pytest.raises(ConfigError, match="names nothing"):
        read("a: &x [1]\nb: &x [*x]\n")


def test_aliases_that_multiply_are_refused_quickly() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 60)]
    with pytest.raises(ConfigError, match="aliases multiply") as caught:
        read("\n".join(lines))
    assert caught.value.line == 4


@pytest.mark.parametrize("opening", ["[", '{"a":', "- ", "a:\n"])
def test_nesting_without_end_is_refused(opening: str) -> None:
    if opening == "a:\n":
        text = "".join(" " * i + opening for i in range(400))
    else:
        text = "x: " + opening * 900 if opening != "- " else "x:\n" + opening * 900
    with pytest.raises(ConfigError, match=r"nests too deep|not well-formed"):
        read(text)


def test_moderate_nesting_is_fine() -> None:
    assert read("x: " + "[" * 60 + "]" * 60).data["x"]


def test_a_hundred_megabytes_are_refused_without_reading_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large.yaml"
    with path.open("wb") as file:
        file.truncate(100_000_000)

    def refuse(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("the file was opened")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ConfigError, match=r"is too large with 100\.0 MB.*at most 1 MB"):
        load_yaml(path, name="large.yaml")


def test_text_and_bytes_have_the_same_cap(tmp_path: Path) -> None:
    for source in ("a: " + "ä" * 60, ("a: " + "ä" * 60).encode()):
        with pytest.raises(ConfigError, match="is too large"):
            load_yaml(source, name="x", max_bytes=100)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no /dev/zero here")
def test_a_device_without_end_is_refused() -> None:
    with pytest.raises(ConfigError, match="is too large"):
        load_yaml(Path("/dev/zero"), name="/dev/zero")


def test_a_missing_file_and_a_directory_are_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.yaml: no such file"):
        load_yaml(tmp_path / "gone.yaml", name="gone.yaml")
    with pytest.raises(ConfigError, match="folder: is a directory"):
        load_yaml(tmp_path, name="folder")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_yaml(tmp_path / ("x" * 5000), name="long")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_yaml(Path("with\0nul.yaml"), name="nul")


def test_a_file_that_may_not_be_read_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret.yaml"
    path.write_text("gain: 0.5\n")

    def refuse(*_args: object, **_kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ConfigError, match=r"secret\.yaml: cannot be read: Permission denied"):
        load_yaml(path, name="secret.yaml")


def test_the_pure_python_parser_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: 1e-8\nb: [x, 'y', {c: 2.5}]\n"
    fast = read(text)
    monkeypatch.setattr(yaml_io, "_Loader", yaml.SafeLoader)
    slow = read(text)
    assert slow.data == fast.data
    assert isinstance(slow.data["a"], PlainText)
    assert not isinstance(slow.data["b"][1], PlainText)
    assert slow.line_of("b", 2, "c") == 2


def test_a_way_is_written_as_people_write_it() -> None:
    assert dotted(("tool_frames", 0, "xyz")) == "tool_frames[0].xyz"
    assert dotted(()) == ""
