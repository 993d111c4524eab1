"""The exported file: the same bytes for the same settings, and every fact that it cannot hold."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from live_fakes import FakeClock, fake_bundle, start_settings

from workbench.config.kinematics_file import read_kinematics
from workbench.config.limits import AccelerationLimitSpec
from workbench.config.profile import ToolFrame
from workbench.config.settings import Settings, ToolTarget
from workbench.config.simulated_arm import SimulatedArmConfig
from workbench.config.streaming import StreamingConfig
from workbench.config.tasks import DampingTaskSpec, ManipulabilityTaskSpec
from workbench.live.export import export_text
from workbench.live.session import Session
from workbench.live.state import SessionState
from workbench.live.versions import package_versions
from workbench.model.description import Follower, HeldJoint
from workbench.model.request import RobotRequest
from workbench.model.robot import load_robot
from workbench.poses import Pose


def state_with(
    description: dict[str, Any] | None = None, settings: dict[str, Any] | None = None
) -> SessionState:
    """Return the state of a fake robot, all tools on, with parts of it replaced."""
    clock = FakeClock()
    bundle = fake_bundle()
    if description:
        bundle = replace(bundle, description=replace(bundle.description, **description))
    start = start_settings(bundle)
    targets = {name: replace(target, enabled=True) for name, target in start.targets.items()}
    start = replace(start, **{"targets": targets, **(settings or {})})
    return Session(bundle, start, clock=clock, now_utc=clock.utc).state


def lines_not_in_yaml(text: str) -> list[str]:
    return [line.removeprefix("# - ") for line in text.splitlines() if line.startswith("# - ")]


def test_the_file_holds_the_settings_in_force() -> None:
    state = state_with()
    assert read_kinematics(export_text(state), name="x") == state.settings.kinematics


def test_the_header_names_robot_urdf_tools_rate_versions_and_time() -> None:
    state = state_with(settings={"rate_hz": 200.0})
    text = export_text(state)
    assert "# robot: gantry (Gantry)\n" in text
    assert "# urdf_sha256: sha of gantry\n" in text
    assert "# tool_frames: left, right\n" in text
    assert "# rate: 200 Hz\n" in text
    assert f"# changed: {state.config_changed_at:%Y-%m-%dT%H:%M:%SZ}\n" in text
    for package in ("ik-workbench", "pin", "pin-pink", "qpsolvers", "daqp"):
        assert f"{package} {package_versions('daqp')[package]}" in text
    assert "unknown" not in text


def test_the_same_state_gives_the_same_bytes_and_a_later_change_does_not() -> None:
    state = state_with()
    assert export_text(state) == export_text(state)
    later = replace(state, config_changed_at=state.config_changed_at + timedelta(seconds=1))
    assert export_text(later) != export_text(state)


def test_moving_targets_changes_nothing() -> None:
    state = state_with()
    moved = state.settings.with_target("left", Pose(np.array([0.1, 0.2, 0.3])))
    assert export_text(replace(state, settings=moved, version=9)) == export_text(state)


def test_nothing_is_listed_when_the_yaml_holds_everything() -> None:
    text = export_text(state_with())
    assert lines_not_in_yaml(text) == []
    assert "not in this file" not in text


def test_joints_held_elsewhere_than_dimos_holds_them_are_listed() -> None:
    held = (
        HeldJoint("torso", 0.15, 0.0, "profile"),
        HeldJoint("head", 0.0, 0.0, "profile"),
    )
    lines = lines_not_in_yaml(export_text(state_with({"held_joints": held})))
    assert lines == [
        "joint torso is held at 0.15 (rad or m), not at neutral (0) where DimOS holds it"
    ]


def test_joints_held_on_the_page_are_listed() -> None:
    lines = lines_not_in_yaml(export_text(state_with(settings={"held_joints": {"x": 0.25}})))
    assert lines == ["joint x was held at 0.25 m while tuning"]


def test_velocity_caps_of_the_page_are_listed_against_those_of_the_urdf() -> None:
    caps = {"x": 0.5, "z": 1.5, "y": 2.0}  # 2 is what the robot has: no change
    lines = lines_not_in_yaml(export_text(state_with(settings={"velocity_caps": caps})))
    assert lines == [
        "velocity cap of joint x: 0.5 m/s, in place of the URDF's 2 m/s",
        "velocity cap of joint z: 1.5 rad/s, in place of the URDF's 2 rad/s",
    ]


def test_default_velocity_caps_are_listed_also_when_replaced() -> None:
    joints = fake_bundle().description.joints
    joints = tuple(replace(joint, velocity_limit_is_default=True) for joint in joints[:2])
    state = state_with({"joints": joints}, {"velocity_caps": {"y": 1.0}, "home": {}})
    state = replace(state, settings=replace(state.settings, home=state.description.home))
    assert lines_not_in_yaml(export_text(state)) == [
        "velocity cap of joint x: 2 m/s, a default because the URDF gives none",
        "velocity cap of joint y: 1 m/s, in place of the default of 2 m/s",
    ]


def test_tools_that_are_off_or_not_in_the_urdf_are_listed() -> None:
    tip = ToolFrame("left", "flange", Pose.from_xyz_rpy((0, 0, 0.1), (0, 0, 0.5)))
    state = state_with({"defined_tools": (tip,)})
    off = state.settings.with_target("right", enabled=False)
    assert lines_not_in_yaml(export_text(replace(state, settings=off))) == [
        "tool frame left is not in the URDF: it is fixed to link flange "
        "at xyz [0, 0, 0.1] m, rpy [0, 0, 0.5] rad",
        "tool frame right is switched off: it has no task",
    ]


def test_a_tool_frame_of_the_command_line_reaches_the_file(tmp_path: Path) -> None:
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(
        '<robot name="arm"><link name="base"/><link name="arm"/>'
        '<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>'
        '<axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>'
    )
    request = RobotRequest(str(urdf), tool_frames=("tip=arm:0.25,0,0,0,0,0",))
    description = load_robot(request).description
    bundle = replace(fake_bundle(), description=description)
    settings = Settings(targets={"tip": ToolTarget(Pose())}, home=description.home)
    clock = FakeClock()
    state = Session(bundle, settings, clock=clock, now_utc=clock.utc).state
    (line,) = lines_not_in_yaml(export_text(state))
    assert "tip is not in the URDF: it is fixed to link arm at xyz [0.25, 0, 0] m" in line


def test_followers_that_the_model_moves_are_listed() -> None:
    followers = (
        Follower("finger2", "finger1", 1.0, 0.0, in_model=True),
        Follower("finger3", "finger1", 1.0, 0.0, in_model=False),
    )
    (line,) = lines_not_in_yaml(export_text(state_with({"followers": followers})))
    assert line.startswith("joint finger2 follows finger1")


def test_a_floating_base_another_mode_glide_and_home_are_listed() -> None:
    state = state_with(
        {"floating_base": True},
        {"mode": "streaming", "glide": False, "home": {"x": 0.5, "y": 0.0, "z": 0.0}},
    )
    lines = lines_not_in_yaml(export_text(state))
    assert [line.split(":")[0] for line in lines] == [
        "the base floats",
        "home set on the page (rad or m)",
        "mode",
        "glide off",
    ]
    assert "x 0.5, y 0, z 0" in lines[1]


def test_every_setting_that_can_be_undone_is_in_the_file_or_deliberately_not() -> None:
    # A new setting has to be decided on here: in the YAML, in a comment, or in neither of them.
    assert set(Settings.__dataclass_fields__) == {
        "kinematics", "rate_hz", "mode", "solve_with", "glide", "targets", "home", "home_base",
        "held_joints", "velocity_caps", "named_poses", "tasks", "limits", "barriers", "streaming",
        "planning", "simulated_arm", "grasp_scene",
    }  # fmt: skip


def test_entries_that_are_on_and_groups_that_were_changed_are_listed() -> None:
    state = state_with(
        settings={
            "tasks": (
                DampingTaskSpec(name="calm", cost=0.25),
                ManipulabilityTaskSpec(name="dexterous", frame="left", enabled=False),
            ),
            "limits": (AccelerationLimitSpec(name="soft start"),),
            "streaming": StreamingConfig(joint_command_filter_cutoff_hz=None),
            "simulated_arm": SimulatedArmConfig(delay_s=0.05),
        }
    )
    lines = lines_not_in_yaml(export_text(state))
    assert lines[0] == "task calm (damping): cost 0.25"
    assert lines[1].startswith("limit soft start (acceleration): ")
    assert lines[2:] == [
        "streaming: joint_command_filter_cutoff_hz off",
        "tuned on a simulated arm with: delay_s 0.05 s",
    ]


def test_hostile_names_stay_inside_their_comments() -> None:
    evil = "arm\nsafety_break: false\r\u2028gain: 1"
    state = state_with()
    joints = tuple(replace(joint, name=evil + joint.name) for joint in state.description.joints)
    description = replace(
        state.description, name=evil, title=evil, tool_frames=(evil,), joints=joints
    )
    state = replace(
        state,
        bundle=replace(state.bundle, description=description),
        settings=replace(state.settings, velocity_caps={evil + "x": 0.5}, home={evil: 0.0}),
    )
    text = export_text(state)
    assert yaml.safe_load(text) == state.settings.kinematics.model_dump()
    assert read_kinematics(text.encode(), name="x") == state.settings.kinematics


def test_a_robot_without_a_title_is_named_once() -> None:
    text = export_text(state_with({"title": "gantry"}))
    assert "# robot: gantry\n" in text


def test_the_solvers_own_package_is_named() -> None:
    assert "proxsuite" in package_versions("proxqp")
    assert package_versions("no-such-solver")["no-such-solver"] == "unknown"
