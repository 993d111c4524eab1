"""The exported file against the program that it is for: the published DimOS package itself."""

import sys
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from workbench.config.kinematics import PinkKinematicsConfig, available_solvers
from workbench.config.kinematics_file import ExportHeader, read_kinematics, write_kinematics
from workbench.config.profile import read_profile
from workbench.resources import resource_folder

if sys.version_info[:2] not in ((3, 11), (3, 12)):
    pytest.skip(
        "NOT COMPARED WITH DIMOS: dimos 0.0.15 has no wheel for this Python; run the tests on "
        "3.11 or 3.12 to compare",
        allow_module_level=True,
    )

# Where DimOS can be installed it has to be: these tests fail rather than skip without it.
from dimos.manipulation.planning.kinematics import config as dimos

PROFILES = sorted(resource_folder("robots").glob("*.yaml"))
HEADER = ExportHeader(
    "robot", "0" * 64, ("tool",), 100.0, {"pin": "4"}, datetime(2030, 1, 1, tzinfo=UTC), ("a line",)
)

configs = st.builds(
    PinkKinematicsConfig,
    solver=st.sampled_from(available_solvers()),
    dt=st.floats(1e-6, 10.0),
    max_iterations=st.integers(1, 10**6),
    damping=st.floats(0.0, 1e3),
    position_cost=st.floats(0.0, 1e3),
    orientation_cost=st.floats(0.0, 1e3),
    posture_cost=st.floats(0.0, 1e3),
    joint_limit_posture_margin=st.floats(0.0, 1.0),
    lm_damping=st.floats(0.0, 1e3),
    gain=st.floats(0.0, 1.0, exclude_min=True),
    safety_break=st.booleans(),
)


def load_as_dimos_does(text: str) -> Any:
    return dimos.PinkKinematicsConfig(**yaml.safe_load(text))


def test_the_fields_types_and_defaults_are_those_of_dimos() -> None:
    ours, theirs = PinkKinematicsConfig.model_fields, dimos.PinkKinematicsConfig.model_fields
    assert list(ours) == list(theirs)
    for name in theirs:
        assert ours[name].annotation == theirs[name].annotation, name
        assert ours[name].default == theirs[name].default, name
        assert type(ours[name].default) is type(theirs[name].default), name


@given(configs)
def test_dimos_reads_from_the_export_what_was_set(config: PinkKinematicsConfig) -> None:
    loaded = load_as_dimos_does(write_kinematics(config, HEADER))
    assert loaded.model_dump() == config.model_dump()


@given(configs)
def test_what_dimos_writes_is_read_here(config: PinkKinematicsConfig) -> None:
    theirs = dimos.PinkKinematicsConfig(**config.model_dump())
    assert read_kinematics(yaml.safe_dump(theirs.model_dump()), name="x.yaml") == config
    assert read_kinematics(theirs.model_dump_json(), name="x.json") == config


def test_a_file_without_keys_means_the_same_to_both() -> None:
    ours = read_kinematics("gain: 0.3\n", name="x.yaml")
    assert load_as_dimos_does("gain: 0.3\n").model_dump() == ours.model_dump()


def test_dimos_refuses_any_key_that_is_not_its_own() -> None:
    # The reason why everything else rides in comments.
    text = write_kinematics(PinkKinematicsConfig(), HEADER) + "rate_hz: 100\n"
    with pytest.raises(ValueError, match="rate_hz"):
        load_as_dimos_does(text)


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: path.stem)
def test_dimos_accepts_the_defaults_of_every_profile(path: Any) -> None:
    config = read_profile(path).kinematics
    loaded = load_as_dimos_does(write_kinematics(config, HEADER))
    assert loaded.model_dump() == config.model_dump()
