"""Numbers as they are typed and shown, and what a slider's positions mean."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.config.fields import FieldSpec, field_spec
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.number_text import number_text
from workbench.config.settings import Settings, settings_spec
from workbench.errors import ConfigError
from workbench.ui.numbers import SliderScale, parse_number

finite = st.floats(allow_nan=False, allow_infinity=False)


def spec_of(name: str) -> FieldSpec:
    spec = field_spec(PinkKinematicsConfig, name)
    assert spec is not None
    return spec


NUMBER_FIELDS = [
    name
    for name in PinkKinematicsConfig.model_fields
    if (spec := field_spec(PinkKinematicsConfig, name)) is not None and spec.slider
]
WHOLE = ("max_iterations",)
SCALES = {
    **{name: SliderScale.of(spec_of(name), whole=name in WHOLE) for name in NUMBER_FIELDS},
    "rate_hz": SliderScale.of(settings_spec(Settings, "rate_hz")),
}  # fmt: skip


@given(finite)
def test_what_is_shown_reads_back_as_the_same_number(value: float) -> None:
    assert parse_number(number_text(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e-8, "1e-8"), (0.00000001, "1e-8"), (0.5, "0.5"), (10.0, "10"), (0.001, "0.001"),
     (0.0, "0"), (200, "200"), (1e22, "1e22"), (-2.5, "-2.5")],
)  # fmt: skip
def test_numbers_are_short(value: float, text: str) -> None:
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e-8", 1e-8), ("0.00000001", 1e-8), (" .5 ", 0.5), ("5.", 5.0), ("1E+3", 1000.0),
     ("\N{MINUS SIGN}2", -2.0), ("+1", 1.0)],
)  # fmt: skip
def test_numbers_are_read_as_people_type_them(text: str, value: float) -> None:
    assert parse_number(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "abc", "1e", "1e-", ".", "nan", "inf", "1_000", "0x10", "1 2", "1,5", "1e999", "--1"],
)
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_number(text)


def test_a_decimal_comma_is_named() -> None:
    with pytest.raises(ConfigError, match=r"a decimal point: 0\.5"):
        parse_number("0,5")


@pytest.mark.parametrize("name", SCALES)
def test_every_position_of_a_slider_is_found_again_from_its_value(name: str) -> None:
    scale = SCALES[name]
    for position in range(scale.last + 1):
        assert scale.position_of(scale.value_at(position)) == position


@pytest.mark.parametrize("name", SCALES)
def test_a_slider_sets_no_value_that_its_field_refuses(name: str) -> None:
    scale = SCALES[name]
    spec = settings_spec(Settings, name) if name == "rate_hz" else spec_of(name)
    values = [scale.value_at(position) for position in range(scale.last + 1)]
    assert all(spec.allows(value) for value in values)
    assert values == sorted(set(values))
    assert spec.slider is not None
    assert values[-1] == spec.slider[1]
    assert values[1 if scale.off else 0] == spec.slider[0]


def test_the_left_end_is_off_where_zero_is_allowed_and_only_there() -> None:
    for name in ("position_cost", "orientation_cost", "posture_cost", "lm_damping", "damping"):
        assert SCALES[name].value_at(0) == 0.0
        assert SCALES[name].marks()[0] == (0, "off")
    for name in ("dt", "gain"):
        assert SCALES[name].value_at(0) > 0.0
        assert all(label != "off" for _, label in SCALES[name].marks())


def test_lm_damping_reaches_100() -> None:
    scale = SCALES["lm_damping"]
    assert scale.value_at(scale.last) == 100.0


@given(finite, st.sampled_from(sorted(SCALES)))
def test_any_value_has_a_place_on_the_slider(value: float, name: str) -> None:
    scale = SCALES[name]
    assert 0 <= scale.position_of(value) <= scale.last


@given(st.floats(1e-3, 1e2))
def test_a_slider_stands_within_half_a_step_of_its_value(value: float) -> None:
    scale = SCALES["position_cost"]
    nearest = scale.value_at(scale.position_of(value))
    # Half a step, and the rounding to two digits.
    assert abs(math.log10(nearest / value)) <= 0.5 / 20 + 0.025


def test_marks_name_the_values_at_their_positions() -> None:
    for scale in SCALES.values():
        for position, label in scale.marks():
            shown = 0.0 if label == "off" else parse_number(label)
            assert scale.value_at(position) == pytest.approx(shown)
