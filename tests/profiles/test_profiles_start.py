"""Every profile loads whole, and starts where a solver can begin."""

from __future__ import annotations

import pytest

from tests.profiles.reaching import STARTS_SINGULAR, robot_of, tools_of
from workbench.ik.tick import LiveEngine
from workbench.ik.types import TickInputs
from workbench.model.catalog import profile, profile_names

HOME_MARGIN = 0.02
"""Share of a joint's range: what the joint table calls "at its limit"."""


@pytest.mark.parametrize("name", profile_names())
def test_a_profile_loads_and_every_visual_resolves(name: str) -> None:
    description = robot_of(name).description
    assert description.name == name
    assert description.title == profile(name).title
    assert description.visuals
    missing = {link.name: link.missing_files for link in description.links if link.missing_files}
    assert missing == {}
    warnings = [remark for remark in description.remarks if remark.severity == "warning"]
    assert warnings == []


@pytest.mark.parametrize("name", profile_names())
def test_home_is_complete_and_inside_the_limits_with_a_margin(name: str) -> None:
    description = robot_of(name).description
    assert set(description.home) == set(description.joint_names)
    for joint in description.joints:
        margin = joint.limit_margin(description.home[joint.name])
        smallest = 0.0 if name == STARTS_SINGULAR else HOME_MARGIN
        assert margin is None or margin >= smallest, f"{joint.name}: {margin}"


@pytest.mark.parametrize("name", profile_names())
def test_a_profile_sets_daqp_and_its_robot_rests_at_home(name: str) -> None:
    robot = robot_of(name)
    assert robot.description.defaults.solver == "daqp"
    engine = LiveEngine(robot)
    at_home = {tool.frame: tool.transform_tool_to_world for tool in engine.observe(
        TickInputs(robot.description.defaults, 0.01, {})).tools}  # fmt: skip
    result = engine.tick(TickInputs(robot.description.defaults, 0.01, at_home))
    assert result.status.ok
    assert abs(result.velocities).max() < 1e-6


def test_every_tool_frame_is_among_those_that_the_other_tests_visit() -> None:
    frames = [(name, n) for name in profile_names()
              for n in range(len(robot_of(name).description.tool_frames))]  # fmt: skip
    assert tools_of(profile_names()) == frames


@pytest.mark.parametrize("name", profile_names())
def test_only_short_chains_leave_the_orientation_out(name: str) -> None:
    free = name in ("so101", "allegro_hand")
    assert (robot_of(name).description.defaults.orientation_cost == 0.0) == free
