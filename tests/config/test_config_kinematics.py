"""The twelve fields: their ranges, their words and what they refuse."""

import numpy as np
import pytest
from pydantic import ValidationError

from workbench.config.fields import FieldSpec, field_spec
from workbench.config.kinematics import PinkKinematicsConfig, available_solvers
from workbench.errors import ConfigError

FIELDS = tuple(PinkKinematicsConfig.model_fields)
COSTS = (
    "damping", "position_cost", "orientation_cost", "posture_cost", "joint_limit_posture_margin",
    "lm_damping",
)  # fmt: skip


@pytest.mark.parametrize("name", [name for name in FIELDS if name != "backend"])
def test_every_field_says_its_unit_its_help_and_its_range(name: str) -> None:
    spec = field_spec(PinkKinematicsConfig, name)
    assert spec is not None
    assert spec.help.endswith(".")
    if spec.slider is not None:
        assert spec.allows(spec.slider[0]) and spec.allows(spec.slider[1])
        assert PinkKinematicsConfig.model_fields[name].default <= spec.slider[1]


def test_the_slider_of_lm_damping_reaches_100() -> None:
    spec = field_spec(PinkKinematicsConfig, "lm_damping")
    assert spec is not None and spec.slider is not None
    assert spec.slider[1] == 100.0


@pytest.mark.parametrize("name", COSTS)
def test_costs_and_dampings_may_be_off_but_not_negative(name: str) -> None:
    assert getattr(PinkKinematicsConfig().with_values(**{name: 0.0}), name) == 0.0
    assert getattr(PinkKinematicsConfig().with_values(**{name: 1e6}), name) == 1e6
    with pytest.raises(ConfigError) as caught:
        PinkKinematicsConfig().with_values(**{name: -1e-12})
    assert (caught.value.field, caught.value.value) == (name, -1e-12)


def test_numbers_of_every_kind_become_floats() -> None:
    config = PinkKinematicsConfig.checked(gain=1, position_cost=np.float32(2.5), dt=np.int64(1))
    assert (type(config.gain), type(config.position_cost), type(config.dt)) == (float, float, float)
    assert (config.gain, config.position_cost, config.dt) == (1.0, 2.5, 1.0)
    assert type(PinkKinematicsConfig.checked(max_iterations=50.0).max_iterations) is int


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gain", 0.0), ("gain", 1.0 + 1e-9), ("gain", -0.5), ("gain", "0.5"), ("gain", True),
        ("gain", None), ("gain", [0.5]), ("gain", np.array([0.5, 0.5])), ("gain", float("nan")),
        ("dt", 0.0), ("dt", float("inf")), ("max_iterations", 0), ("max_iterations", 1.5),
        ("max_iterations", float("inf")), ("safety_break", 1), ("safety_break", "yes"),
        ("solver", "magic"), ("solver", None), ("solver", 3), ("backend", "jacobian"),
        ("backend", None), ("position_cost", 10**400),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_refused_with_what_would(name: str, value: object) -> None:
    with pytest.raises(ConfigError) as caught:
        PinkKinematicsConfig.checked(**{name: value})
    assert caught.value.field == name
    assert caught.value.expected
    with pytest.raises(ValidationError):
        PinkKinematicsConfig(**{name: value})  # type: ignore[arg-type]


def test_an_unknown_field_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"dampnig: there is no such setting; expected perhaps"):
        PinkKinematicsConfig.checked(dampnig=1.0)
    with pytest.raises(ValidationError):
        PinkKinematicsConfig(dampnig=1.0)  # type: ignore[call-arg]


def test_a_config_cannot_be_changed_in_place() -> None:
    config = PinkKinematicsConfig()
    with pytest.raises(ValidationError):
        config.gain = 0.1
    assert config.with_values(gain=0.1).gain == 0.1
    assert config.gain == 0.5


def test_the_solvers_that_are_depended_on_are_there() -> None:
    assert {"daqp", "osqp", "proxqp"} <= set(available_solvers())


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (FieldSpec("", "", minimum=0.0), "a finite number >= 0"),
        (FieldSpec("", "", minimum=0.0, minimum_excluded=True), "a finite number > 0"),
        (FieldSpec("", "", minimum=0.0, maximum=1.0), "a number in [0, 1]"),
        (
            FieldSpec("", "", minimum=0.0, maximum=1.0, minimum_excluded=True),
            "a number in (0, 1]",
        ),
        (FieldSpec("", "", maximum=5.0), "a finite number <= 5"),
        (FieldSpec("", ""), "a finite number"),
    ],
)
def test_a_range_is_said_in_words(spec: FieldSpec, text: str) -> None:
    assert spec.range_text == text


def test_only_a_logarithmic_slider_from_zero_has_an_off() -> None:
    assert FieldSpec("", "", minimum=0.0, scale="logarithmic").zero_is_off
    assert not FieldSpec(
        "", "", minimum=0.0, minimum_excluded=True, scale="logarithmic"
    ).zero_is_off
    assert not FieldSpec("", "", minimum=0.0).zero_is_off
