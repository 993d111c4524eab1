"""Sessions from files meet their robot: names that fit, places inside limits, or a refusal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.live.grasps_rig import GraspRig
from tests.live.live_fakes import FakeEngine, Rig, at, fake_bundle, start_settings
from workbench.config.robot_pose import RobotPose
from workbench.config.settings import Settings, ToolTarget
from workbench.config.tasks import DampingTaskSpec, FrameTaskSpec
from workbench.errors import ConfigError
from workbench.grasps.objects import load_object
from workbench.grasps.shipped import shipped_grasps
from workbench.live.grasp_edits import rename_grasp, set_in_scene
from workbench.live.session_file import CameraView, SessionFile, read_session
from workbench.model.request import RobotRequest
from workbench.ui.opening import fitted, session_text

REQUEST = RobotRequest("gantry")


def test_a_session_comes_back_as_it_was() -> None:
    rig = Rig()
    rig.session.edit(
        None,
        lambda old: replace(
            old, rate_hz=200.0, tasks=(DampingTaskSpec(name="calm"),),
            named_poses={"ready": RobotPose({"x": 0.2})},
        ),
    )  # fmt: skip
    rig.type_target(at(0.25))
    rig.session.command_positions("away", {"x": 0.5}, move_targets=False)
    view = CameraView((1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    file = read_session(session_text(rig.session, REQUEST, view), name="s")
    assert (file.request, file.camera) == (REQUEST, view)
    bundle = fake_bundle()
    ready = fitted(file, bundle, "s")
    assert ready.settings == rig.settings
    assert ready.pose.positions["x"] == 0.5
    assert ready.remark == ""
    assert isinstance(bundle.engine, FakeEngine)
    assert bundle.engine.commands[-1]["x"] == 0.5
    again = Rig()
    again.session.replace_bundle(bundle, ready.settings, pose=ready.pose)
    assert again.session.present_positions()["x"] == 0.5
    assert again.session.changes() == ()


def test_what_a_file_leaves_out_is_as_at_the_robots_start() -> None:
    bundle = fake_bundle()
    ready = fitted(SessionFile(REQUEST), bundle, "s")
    start = start_settings(bundle)
    assert dict(ready.settings.home) == dict(start.home)
    for frame, target in start.targets.items():
        pose = ready.settings.targets[frame].transform_target_to_world
        assert pose == target.transform_target_to_world


def test_another_urdf_is_remarked() -> None:
    ready = fitted(SessionFile(REQUEST, urdf_sha256="other"), fake_bundle(), "s")
    assert "has changed" in ready.remark


def test_grasps_come_back_with_their_object_and_how_they_were_looked_at() -> None:
    rig = GraspRig()
    mug = shipped_grasps("mug").mesh
    set_in_scene(
        rig.session, mesh=load_object(mug, name=str(mug)), standoff_m=0.05, approach="-x",
        transform_frame_to_gripper=at(0.0, 0.0, -0.1),
    )  # fmt: skip
    rename_grasp(rig.session, rig.grasping, "grasp_2", "<b>handle</b>")
    rig.grasping.select("<b>handle</b>")
    rig.grasping.set_fingers({"finger": 0.02})
    view = rig.grasping.view
    text = session_text(rig.session, REQUEST, None, grasp_view=view)
    ready = fitted(read_session(text, name="s"), fake_bundle(), "s")
    scene = ready.settings.grasp_scene
    assert scene is not None
    assert np.array_equal(scene.mesh.bounds, rig.scene.mesh.bounds)
    assert replace(scene, mesh=None) == replace(rig.scene, mesh=None)
    assert ready.grasp_view.selected == view.selected
    assert dict(ready.grasp_view.fingers) == {"finger": 0.02}
    assert ready.remark == ""


def test_grasps_whose_mesh_or_link_is_gone_are_kept_and_it_is_said(tmp_path: Path) -> None:
    rig = GraspRig()
    mesh = tmp_path / "crate.obj"
    mesh.write_bytes(shipped_grasps("box").mesh.read_bytes() + b"# another\n")
    set_in_scene(rig.session, mesh=load_object(mesh, name=str(mesh)))
    mesh.unlink()
    text = session_text(rig.session, REQUEST, None).replace(
        "gripper_frame: left\n  frame", "gripper_frame: gone\n  frame"
    )
    bundle = fake_bundle()
    ready = fitted(read_session(text, name="s"), bundle, "s")
    scene = ready.settings.grasp_scene
    assert scene is not None
    assert (scene.grasps, scene.mesh) == (rig.scene.grasps, None)
    assert scene.gripper_frame == "left"
    assert "crate.obj is not found" in ready.remark
    assert "no link gone" in ready.remark


@pytest.mark.parametrize(
    ("settings", "pose", "words"),
    [
        (Settings(targets={"foot": ToolTarget(at(0.0))}), None, "targets.foot"),
        (Settings(home={"w": 0.0}), None, "w"),
        (Settings(held_joints={"w": 0.0}), None, "held_joints.w"),
        (Settings(), RobotPose({"w": 0.0}), "pose.positions.w"),
        (Settings(tasks=(FrameTaskSpec(name="foot", frame="sole"),)), None, "sole"),
    ],
)
def test_names_that_the_robot_does_not_have_are_refused_with_the_file(
    settings: Settings, pose: RobotPose | None, words: str
) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        fitted(SessionFile(REQUEST, settings, pose), fake_bundle(), "my.workbench.yaml")
    assert caught.value.path == "my.workbench.yaml"
