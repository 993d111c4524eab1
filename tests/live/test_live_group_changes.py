"""Differences in lists and groups of settings: each has a line, a name, and a way back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from live_fakes import fake_bundle, start_settings

from workbench.config.limits import AccelerationLimitSpec
from workbench.config.robot_pose import RobotPose
from workbench.config.settings import Settings
from workbench.config.tasks import DampingTaskSpec, LowAccelerationTaskSpec
from workbench.errors import ConfigError
from workbench.live.changes import describe_change, differences, with_field_of

START = replace(
    start_settings(fake_bundle()),
    tasks=(DampingTaskSpec(name="calm", cost=0.25), LowAccelerationTaskSpec(name="smooth")),
    named_poses={"ready": RobotPose({"x": 0.1})},
)
CALM, SMOOTH = START.tasks

Edit = Callable[[Settings], Settings]
EDITS: dict[str, Edit] = {
    "calm: cost 0.25 to 0.5": lambda old: replace(
        old, tasks=(DampingTaskSpec(name="calm", cost=0.5), SMOOTH)
    ),
    "calm: cost 0.25 to x 1": lambda old: replace(
        old, tasks=(DampingTaskSpec(name="calm", cost={"x": 1.0}), SMOOTH)
    ),
    "calm off": lambda old: replace(old, tasks=(replace(CALM, enabled=False), SMOOTH)),
    "remove calm": lambda old: replace(old, tasks=(SMOOTH,)),
    "add soft start": lambda old: replace(
        old, limits=(AccelerationLimitSpec(name="soft start"),)
    ),
    "calm Damping to Low acceleration": lambda old: replace(
        old, tasks=(LowAccelerationTaskSpec(name="calm"), SMOOTH)
    ),
    "timeout 0.5 to 1 s": lambda old: replace(old, streaming=old.streaming.with_values(timeout=1)),
    "joint_command_filter_cutoff_hz 5 Hz to off": lambda old: replace(
        old, streaming=old.streaming.with_values(joint_command_filter_cutoff_hz=None)
    ),
    "max_attempts 10 to 3 attempts": lambda old: replace(
        old, planning=old.planning.with_values(max_attempts=3)
    ),
    "delay_s 0 to 0.1 s": lambda old: replace(
        old, simulated_arm=old.simulated_arm.with_values(delay_s=0.1)
    ),
    "save pose folded": lambda old: replace(
        old, named_poses={**old.named_poses, "folded": RobotPose({"x": 0.5})}
    ),
    "delete pose ready": lambda old: replace(old, named_poses={}),
    "solved with pink to fast": lambda old: replace(old, solve_with="fast"),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_has_one_line_a_name_and_a_way_back(name: str) -> None:
    edited = EDITS[name](START)
    (change,) = differences(START, edited)
    assert change.phrase == name
    assert describe_change(START, edited) == change.phrase
    assert change.start != change.now
    assert not differences(START, with_field_of(edited, START, change.field))


def test_another_order_of_the_tasks_is_a_change_of_its_own() -> None:
    (change,) = differences(START, replace(START, tasks=(SMOOTH, CALM)))
    assert change.phrase == "order of tasks"
    back = with_field_of(replace(START, tasks=(SMOOTH, CALM)), START, change.field)
    assert back == START


@pytest.mark.parametrize("field", ["streaming.nothing", "named_poses.", "plans.x", "tasks."])
def test_a_field_that_does_not_exist_is_refused(field: str) -> None:
    with pytest.raises(ConfigError, match="no such setting"):
        with_field_of(START, START, field)
