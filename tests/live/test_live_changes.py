from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from live_fakes import at, fake_bundle, start_settings

from workbench.config.settings import Settings
from workbench.errors import ConfigError
from workbench.live.changes import describe_change, differences, with_field_of
from workbench.poses import Pose

START = start_settings(fake_bundle())


def turned(angle_rad: float) -> Pose:
    return Pose.from_xyz_rpy(np.zeros(3), np.array([0.0, 0.0, angle_rad]))


EDITS: list[tuple[Settings, str, str]] = [
    (START.with_kinematics(gain=0.3), "kinematics.gain", "gain 0.5 to 0.3"),
    (START.with_kinematics(damping=0), "kinematics.damping", "damping 1e-8 to 0"),
    (START.with_kinematics(solver="osqp"), "kinematics.solver", "solver daqp to osqp"),
    (
        START.with_kinematics(safety_break=False),
        "kinematics.safety_break",
        "safety_break on to off",
    ),
    (replace(START, rate_hz=200), "rate_hz", "rate 100 to 200 Hz"),
    (replace(START, mode="streaming"), "mode", "mode live to streaming"),
    (replace(START, glide=False), "glide", "glide on to off"),
    (START.with_target("left", at(0.1)), "targets.left", "move left"),
    (START.with_target("left", turned(0.3)), "targets.left", "turn left"),
    (START.with_target("left", enabled=False), "enabled.left", "left off"),
    (START.with_target("right", enabled=True), "enabled.right", "right on"),
    (replace(START, home={"x": 0.5, "y": 0.0, "z": 0.0}), "home", "set home"),
    (replace(START, held_joints={"y": 0.2}), "held_joints.y", "hold y"),
    (
        replace(START, velocity_caps={"y": 0.2}),
        "velocity_caps.y",
        "velocity limit of y the robot's to 0.2",
    ),
]


@pytest.mark.parametrize(("after", "field", "name"), EDITS, ids=[name for *_, name in EDITS])
def test_every_kind_of_edit_has_a_name_and_a_way_back(after: Settings, field: str, name: str):
    assert describe_change(START, after) == name
    (change,) = differences(START, after)
    assert change.field == field
    assert change.start != change.now
    assert with_field_of(after, START, field) == START
    assert with_field_of(START, after, field) == after


def test_letting_a_held_joint_go_is_named_so():
    held = replace(START, held_joints={"y": 0.2})
    assert describe_change(held, START) == "free y"


def test_an_edit_of_two_things_names_both_and_one_of_many_counts():
    two = START.with_kinematics(gain=0.3, lm_damping=1)
    assert describe_change(START, two) == "lm_damping 10 to 1 and gain 0.5 to 0.3"
    four = replace(two.with_kinematics(damping=0), rate_hz=50)
    assert describe_change(START, four) == "damping 1e-8 to 0 and 3 more"


def test_nothing_changed_is_no_difference():
    assert differences(START, replace(START)) == ()
    assert describe_change(START, replace(START)) == "no change"


def test_the_home_line_counts_joints_and_names_the_farthest():
    (change,) = differences(START, replace(START, home={"x": 0.1, "y": -0.5, "z": 0.0}))
    assert change.now == "2 of 3 joints elsewhere, y by 0.5"


@pytest.mark.parametrize("field", ["gain", "kinematics.gian", "targets.nowhere", "held_joints", ""])
def test_a_field_that_does_not_exist_is_refused_by_name(field: str):
    with pytest.raises(ConfigError, match="no such setting"):
        with_field_of(START, START, field)
