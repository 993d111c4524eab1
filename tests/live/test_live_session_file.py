"""The session file: what was written reads back to the same session; all else is refused whole."""

from __future__ import annotations

import math

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.limits import AccelerationLimitSpec, PositionBarrierSpec
from workbench.config.robot_pose import RobotPose
from workbench.config.settings import SETTINGS_FIELDS, Settings, ToolTarget
from workbench.config.settings_file import SETTINGS_KEYS
from workbench.config.simulated_arm import SimulatedArmConfig
from workbench.config.streaming import StreamingConfig
from workbench.config.tasks import DampingTaskSpec, FrameTaskSpec
from workbench.errors import ConfigError
from workbench.live.session_file import CameraView, SessionFile, read_session, write_session
from workbench.model.request import RobotRequest
from workbench.poses import Pose

finite = st.floats(-100.0, 100.0, allow_nan=False)
names = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=12
).filter(lambda text: text.strip() != "")
numbers = st.dictionaries(names, finite, max_size=3)
poses = st.builds(
    lambda xyz, wxyz: Pose(np.array(xyz), np.array(wxyz)),
    st.tuples(finite, finite, finite),
    st.tuples(*[st.floats(-1, 1).filter(lambda number: abs(number) > 1e-3)] * 4),
)
robot_poses = st.builds(RobotPose, numbers, poses)
all_settings = st.builds(
    Settings,
    kinematics=st.builds(
        PinkKinematicsConfig, gain=st.floats(1e-6, 1.0), damping=st.floats(0.0, 1.0)
    ),
    rate_hz=st.floats(10.0, 500.0),
    mode=st.sampled_from(("live", "streaming", "planning", "isaac")),
    solve_with=st.sampled_from(("pink", "fast")),
    glide=st.booleans(),
    targets=st.dictionaries(names, st.builds(ToolTarget, poses, st.booleans()), max_size=2),
    home=numbers,
    home_base=poses,
    held_joints=numbers,
    velocity_caps=st.dictionaries(names, st.floats(1e-3, 10.0), max_size=2),
    named_poses=st.dictionaries(names.filter(str.isprintable), robot_poses, max_size=2),
    tasks=st.sampled_from(
        ((), (DampingTaskSpec(name="calm", cost=1e-8), FrameTaskSpec(name="foot", frame="sole")))
    ),
    limits=st.sampled_from(((), (AccelerationLimitSpec(name="soft"),))),
    streaming=st.builds(
        StreamingConfig,
        timeout=st.floats(0.0, 5.0),
        joint_velocity_limits_rad_s=st.dictionaries(names, st.floats(0.1, 5.0), max_size=2),
        joint_command_filter_cutoff_hz=st.none() | st.floats(0.1, 100.0),
    ),
    simulated_arm=st.builds(SimulatedArmConfig, delay_s=st.floats(0.0, 1.0)),
)
requests = st.builds(
    RobotRequest,
    source=names,
    example=st.sampled_from(("", "standing")),
    package_dirs=st.sampled_from(((), ("/robots", "/more robots"))),
    srdf=st.none() | names,
    tool_frames=st.sampled_from(((), ("tip=hand:0,0,0.1,0,0,0",))),
    hold=numbers,
    floating_base=st.booleans(),
    mesh_up_axis=st.sampled_from((None, "y", "z")),
)
sessions = st.builds(
    SessionFile,
    request=requests,
    settings=all_settings,
    pose=st.none() | robot_poses,
    camera=st.none() | st.just(CameraView((1.0, 2.0, 3.0), (0.0, 0.0, 0.5))),
    robot=names,
    urdf_sha256=st.sampled_from(("", "12" * 32)),
)


@given(sessions)
@settings(max_examples=40)
def test_what_was_written_reads_back_to_the_same_session(session: SessionFile) -> None:
    text = write_session(session)
    read = read_session(text, name="x")
    again = read_session(text.encode(), name="x")
    assert read == again
    assert write_session(read) == write_session(again)
    assert read.request == session.request
    assert read.camera == session.camera
    assert_same(read.settings, session.settings)


def assert_same(read: Settings, written: Settings) -> None:
    """Compare all but quaternions exactly; those are normalised again when they are read."""
    for name in SETTINGS_FIELDS:
        if name not in ("targets", "home_base", "named_poses", "grasp_scene"):
            assert getattr(read, name) == getattr(written, name), name
    assert read.home_base.is_close(written.home_base)
    for frame, target in written.targets.items():
        assert read.targets[frame].enabled == target.enabled
        pose = target.transform_target_to_world
        assert read.targets[frame].transform_target_to_world.is_close(pose)
    for name, pose in written.named_poses.items():
        assert read.named_poses[name].positions == pose.positions


def test_every_setting_but_grasps_is_in_the_file() -> None:
    # Grasps have a section of their own beside the settings; see test_live_grasp_session.py.
    assert set(SETTINGS_KEYS) == set(SETTINGS_FIELDS) - {"grasp_scene"}
    written = yaml.safe_load(write_session(SessionFile(RobotRequest("panda"))))
    assert tuple(written["settings"]) == SETTINGS_KEYS


def test_a_file_with_the_robot_alone_means_all_defaults() -> None:
    read = read_session("workbench_session: 1\nrobot: {source: panda}\n", name="x")
    assert read == SessionFile(RobotRequest("panda"), robot="panda")


def test_small_numbers_are_numbers_for_every_reader() -> None:
    tiny = Settings(tasks=(DampingTaskSpec(name="calm", cost=1e-8),))
    written = yaml.safe_load(write_session(SessionFile(RobotRequest("panda"), tiny)))
    assert written["settings"]["tasks"][0]["cost"] == 1e-8


def with_settings(text: str) -> str:
    return "workbench_session: 1\nrobot: {source: panda}\nsettings:\n  " + text + "\n"


@pytest.mark.parametrize(
    ("text", "field", "line"),
    [
        ("gain: 0.5\n", "workbench_session", None),
        ("workbench_session: 2\nrobot: {source: panda}\n", "workbench_session", 1),
        ("workbench_session: true\nrobot: {source: panda}\n", "workbench_session", 1),
        ("workbench_session: 1\n", "robot", None),
        ("workbench_session: 1\nrobot: panda\n", "robot", 2),
        ("workbench_session: 1\nrobot: {}\n", "robot.source", 2),
        ("workbench_session: 1\nrobot: {source: panda}\nsetings: {}\n", "setings", 3),
        ("workbench_session: 1\nrobot: {source: a, hold: {j: x}}\n", "robot.hold.j", 2),
        ("workbench_session: 1\nrobot: {source: a, mesh_up_axis: w}\n", "robot.mesh_up_axis", 2),
        (with_settings("rate_hz: 5000"), "settings.rate_hz", 4),
        (with_settings("mode: fly"), "settings.mode", 4),
        (with_settings("glide: 1"), "settings.glide", 4),
        (with_settings("kinematics: {gain: 2}"), "settings.kinematics.gain", 4),
        (with_settings("home: {a: .nan}"), "settings.home.a", 4),
        (with_settings("velocity_caps: {a: 0}"), "settings.velocity_caps.a", 4),
        (with_settings("home_base: {wxyz: [1, 0, 0, 0]}"), "settings.home_base.position", 4),
        (
            with_settings("home_base: {position: [0, 0, 0], wxyz: [0, 0, 0, 0]}"),
            "settings.home_base.wxyz",
            4,
        ),
        (with_settings("targets: {t: {position: [0, 0]}}"), "settings.targets.t.position", 4),
        (
            with_settings("targets: {t: {position: [0, 1.0e+9, 0]}}"),
            "settings.targets.t.position[1]",
            4,
        ),
        (
            with_settings("home_base: {position: [1.0e+300, 0, 0]}"),
            "settings.home_base.position[0]",
            4,
        ),
        (with_settings("named_poses: {'': {positions: {}}}"), "settings.named_poses.", 4),
        (with_settings("streaming: {timeout: -1}"), "settings.streaming.timeout", 4),
        (with_settings("streaming: {time_out: 1}"), "settings.streaming.time_out", 4),
        (with_settings("simulated_arm: {delay_s: 1e9}"), "settings.simulated_arm.delay_s", 4),
        (with_settings("tasks: [{kind: nothing, name: a}]"), "settings.tasks[0].kind", 4),
        (
            with_settings("tasks: [{kind: damping, name: a}, {kind: damping, name: a}]"),
            "settings.tasks[1].name",
            4,
        ),
        (
            "workbench_session: 1\nrobot: {source: a}\n"
            "camera: {position: [0, 0, 0], look_at: [0, 0, 0]}\n",
            "camera.look_at",
            3,
        ),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(text: str, field: str, line: int | None) -> None:
    with pytest.raises(ConfigError) as caught:
        read_session(text, name="s.workbench.yaml")
    error = caught.value
    assert (error.field, error.line) == (field, line)
    assert error.path == "s.workbench.yaml"


def test_a_number_that_yaml_takes_for_text_is_read_as_one() -> None:
    text = with_settings("streaming: {feedback_limit_tolerance: 1e-8}")
    tolerance = read_session(text, name="x").settings.streaming.feedback_limit_tolerance
    assert math.isclose(tolerance, 1e-8)


def test_barriers_come_back_as_they_were() -> None:
    barrier = PositionBarrierSpec(name="table", frame="hand", minimum=(None, None, 0.0))
    session = SessionFile(RobotRequest("panda"), Settings(barriers=(barrier,)))
    assert read_session(write_session(session), name="x").settings.barriers == (barrier,)
