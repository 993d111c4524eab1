"""The settings of streaming, planning and the simulated arm."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel, ValidationError

from workbench.config.checked import CheckedSettings
from workbench.config.fields import field_spec
from workbench.config.planning import PlanningConfig
from workbench.config.simulated_arm import SimulatedArmConfig
from workbench.config.streaming import StreamingConfig
from workbench.errors import ConfigError

MODELS = (StreamingConfig, PlanningConfig, SimulatedArmConfig)


def test_the_streaming_fields_and_defaults_are_those_of_dimos() -> None:
    assert StreamingConfig().model_dump() == {
        "timeout": 0.5,
        "max_joint_velocity_rad_s": 5.0,
        "joint_velocity_limits_rad_s": {},
        "joint_command_filter_cutoff_hz": 5.0,
        "max_command_tracking_error_deg": 10.0,
        "feedback_limit_tolerance": 1e-3,
        "command_limit_margin": 1e-4,
    }
    assert PlanningConfig().model_dump() == {
        "position_tolerance_m": 1e-3,
        "orientation_tolerance_rad": 1e-2,
        "max_attempts": 10,
        "seed": 0,
    }


@pytest.mark.parametrize("model", MODELS)
def test_every_field_says_its_unit_help_and_slider(model: type[BaseModel]) -> None:
    for name in model.model_fields:
        spec = field_spec(model, name)
        assert spec is not None and spec.help.endswith("."), name
        assert spec.slider is not None and spec.slider[0] < spec.slider[1], name


@pytest.mark.parametrize("model", MODELS)
def test_a_group_of_settings_is_frozen_through_and_through(model: type[CheckedSettings]) -> None:
    settings = model()
    name = next(iter(model.model_fields))
    with pytest.raises(ValidationError):
        setattr(settings, name, 1.0)
    caps = StreamingConfig(joint_velocity_limits_rad_s={"a": 1.0}).joint_velocity_limits_rad_s
    with pytest.raises(TypeError):
        caps["a"] = 2.0  # pyright: ignore[reportIndexIssue]


@pytest.mark.parametrize(
    ("model", "field", "value", "said"),
    [
        (StreamingConfig, "timeout", -0.1, "a finite number >= 0"),
        (StreamingConfig, "timeout", math.inf, "is not finite"),
        (StreamingConfig, "max_joint_velocity_rad_s", 0.0, "> 0"),
        (StreamingConfig, "joint_command_filter_cutoff_hz", 0.0, "or nothing for off"),
        (StreamingConfig, "joint_command_filter_cutoff_hz", "5", "is not a number"),
        (StreamingConfig, "max_command_tracking_error_deg", None, "is not a number"),
        (StreamingConfig, "max_command_tracking_error_deg", math.nan, "is not finite"),
        (StreamingConfig, "command_limit_margin", -1e-9, ">= 0"),
        (StreamingConfig, "joint_velocity_limits_rad_s", {"elbow": 0.0}, "limits_rad_s.elbow"),
        (StreamingConfig, "joint_velocity_limits_rad_s", {"elbow": math.nan}, "elbow"),
        (StreamingConfig, "joint_velocity_limits_rad_s", {"elbow": True}, "elbow"),
        (StreamingConfig, "joint_velocity_limits_rad_s", [1.0], "is not a mapping"),
        (PlanningConfig, "max_attempts", 0, "a whole number"),
        (PlanningConfig, "max_attempts", 2.5, "is not a whole number"),
        (PlanningConfig, "position_tolerance_m", -1.0, ">= 0"),
        (SimulatedArmConfig, "dropped_share", 1.5, "[0, 1]"),
        (SimulatedArmConfig, "max_velocity_rad_s", 0.0, "> 0"),
        (SimulatedArmConfig, "encoder_noise", True, "is not a number"),
    ],
)
def test_a_bad_value_is_refused_with_field_value_and_range(
    model: type[CheckedSettings], field: str, value: object, said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        model.checked(**{field: value})
    assert field in str(caught.value) and said in str(caught.value)
    values: dict[str, Any] = {field: value}
    with pytest.raises(ValidationError):
        model(**values)


def test_an_unknown_setting_is_refused_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="perhaps timeout"):
        StreamingConfig.checked(timout=1.0)
    with pytest.raises(ValidationError):
        StreamingConfig(timout=1.0)  # pyright: ignore[reportCallIssue]


def test_numbers_of_numpy_become_floats_and_a_copy_keeps_the_rest() -> None:
    config = StreamingConfig.checked(
        timeout=np.float32(0.25), joint_velocity_limits_rad_s={"a": np.int64(2)}
    )
    assert type(config.timeout) is float and config.timeout == 0.25
    changed = config.with_values(joint_command_filter_cutoff_hz=None)
    assert changed.joint_command_filter_cutoff_hz is None
    assert changed.joint_velocity_limits_rad_s == {"a": 2.0} and changed.timeout == 0.25


def test_an_arm_is_ideal_only_with_everything_off() -> None:
    assert SimulatedArmConfig().is_ideal and SimulatedArmConfig(seed=5).is_ideal
    for name, value in {
        "delay_s": 0.1, "time_constant_s": 0.1, "encoder_noise": 1e-3, "encoder_resolution": 1e-3,
        "dropped_share": 0.1, "max_velocity_rad_s": 1.0,
    }.items():  # fmt: skip
        assert not SimulatedArmConfig.checked(**{name: value}).is_ideal, name


@pytest.mark.skipif(
    sys.version_info[:2] not in ((3, 11), (3, 12)), reason="dimos has no wheel for this Python"
)
def test_the_planning_mode_iterates_with_the_fields_of_dimos() -> None:
    from dimos.manipulation.planning.kinematics import config as dimos

    fields = dimos.PinkKinematicsConfig.model_fields
    assert not fields.keys() & PlanningConfig.model_fields.keys()
    assert not fields.keys() & StreamingConfig.model_fields.keys()
