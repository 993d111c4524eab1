"""Everything that can be undone, as one frozen value."""

import math

import numpy as np
import pytest

from workbench.config.settings import Settings, ToolTarget, checked_number, settings_spec
from workbench.errors import ConfigError
from workbench.poses import Pose


def test_settings_take_copies_and_cannot_be_written_to() -> None:
    home = {"elbow": 0.5}
    settings = Settings(home=home, targets={"tool": ToolTarget(Pose())})
    home["elbow"] = 9.0
    assert settings.home["elbow"] == 0.5
    with pytest.raises(TypeError):
        settings.home["elbow"] = 1.0  # type: ignore[index]
    with pytest.raises(AttributeError):
        settings.rate_hz = 50.0  # type: ignore[misc]


@pytest.mark.parametrize("rate", [10, 100.0, 500])
def test_the_rate_lies_between_10_and_500_hz(rate: float) -> None:
    settings = Settings(rate_hz=rate)
    assert settings.dt == 1.0 / rate
    assert type(settings.rate_hz) is float


@pytest.mark.parametrize("rate", [9.99, 500.01, 0, -1, math.nan, math.inf, "100", None, True])
def test_another_rate_is_refused(rate: object) -> None:
    with pytest.raises(ConfigError, match=r"rate_hz: is out of range") as caught:
        Settings(rate_hz=rate)  # type: ignore[arg-type]
    assert caught.value.expected == "a number in [10, 500]"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("mode", "teach"),
        ("glide", 1),
        ("home", {"elbow": math.nan}),
        ("held_joints", {"elbow": "bent"}),
        ("velocity_caps", {"elbow": math.inf}),
        ("velocity_caps", {"elbow": 0.0}),
        ("velocity_caps", {"elbow": -1.0}),
        ("velocity_caps", {"elbow": True}),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_its_place(field: str, value: object) -> None:
    with pytest.raises(ConfigError) as caught:
        Settings(**{field: value})  # type: ignore[arg-type]
    assert caught.value.field is not None
    assert caught.value.field.startswith(field)


def test_changing_fields_leaves_the_old_settings_alone() -> None:
    old = Settings()
    new = old.with_kinematics(gain=0.1, damping=1e-3)
    assert (new.kinematics.gain, new.kinematics.damping) == (0.1, 1e-3)
    assert old.kinematics.gain == 0.5
    with pytest.raises(ConfigError, match="gain"):
        old.with_kinematics(gain=2.0)


def test_a_target_is_moved_or_switched_alone() -> None:
    settings = Settings(targets={"left": ToolTarget(Pose()), "right": ToolTarget(Pose())})
    there = Pose(np.array([1.0, 0.0, 0.0]))
    moved = settings.with_target("left", there)
    assert moved.targets["left"] == ToolTarget(there, enabled=True)
    assert moved.targets["right"] is settings.targets["right"]
    off = moved.with_target("left", enabled=False)
    assert off.targets["left"] == ToolTarget(there, enabled=False)
    assert list(off.targets) == ["left", "right"]
    with pytest.raises(ConfigError, match="there is no such tool frame"):
        settings.with_target("middle", there)


def test_a_field_without_a_range_has_no_spec() -> None:
    assert settings_spec(Settings, "rate_hz").unit == "Hz"
    assert checked_number(Settings, "rate_hz", 50) == 50.0
    with pytest.raises(KeyError, match="glide"):
        settings_spec(Settings, "glide")


@pytest.mark.parametrize("coordinate", [1000.1, -1e200])
def test_a_target_too_far_away_is_refused_with_its_coordinate(coordinate: float) -> None:
    with pytest.raises(ConfigError) as refused:
        ToolTarget(Pose(np.array([0.0, coordinate, 0.0])))
    assert refused.value.field == "y"
    assert "1000 m" in str(refused.value)
