"""Robot profiles, as files: whether their joints exist is for the model's tests."""

from pathlib import Path

import numpy as np
import pytest

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.profile import ProfileSource, read_profile
from workbench.errors import ConfigError
from workbench.poses import Pose
from workbench.resources import resource_folder

FULL = """\
title: An arm
source:
  package: example-robot-data
  urdf: arm/arm.urdf
  srdf: arm/arm.srdf
tool_frames:
  - flange
  - {name: tip, link: flange, xyz: [0, 0, 1e-1], rpy: [0, 0, 1.5707963267948966]}
home: {shoulder: 0.5, elbow: 1e-3}
held_joints: {finger: 0.02}
gripper_joints: [finger]
mesh_up_axis: y
floating_base: true
kinematics: {solver: daqp, damping: 1e-9}
"""


def write(folder: Path, text: str, name: str = "arm.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refused(folder: Path, text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read_profile(write(folder, text))
    assert caught.value.path == str(folder / "arm.yaml")
    return caught.value


def test_a_profile_says_everything(tmp_path: Path) -> None:
    profile = read_profile(write(tmp_path, FULL))
    assert (profile.name, profile.title) == ("arm", "An arm")
    assert profile.folder == str(tmp_path.resolve())
    assert profile.source == ProfileSource("example-robot-data", "arm/arm.urdf", "arm/arm.srdf")
    flange, tip = profile.tool_frames
    assert flange.is_link_frame and flange.link == "flange"
    assert not tip.is_link_frame and tip.link == "flange"
    assert tip.pose.is_close(Pose(np.array([0, 0, 0.1]), np.array([1, 0, 0, 1])))
    assert profile.home == {"shoulder": 0.5, "elbow": 0.001}
    assert profile.held_joints == {"finger": 0.02}
    assert profile.gripper_joints == ("finger",)
    assert profile.mesh_up_axis == "y"
    assert profile.floating_base is True
    assert profile.kinematics == PinkKinematicsConfig(solver="daqp", damping=1e-9)


def test_only_the_source_is_needed(tmp_path: Path) -> None:
    profile = read_profile(write(tmp_path, "source: {urdf: arm.urdf}\n"))
    assert profile.title == "arm"
    assert profile.source == ProfileSource(None, "arm.urdf", None)
    assert profile.tool_frames == ()
    assert profile.mesh_up_axis == "z"
    assert profile.floating_base is False
    assert profile.kinematics == PinkKinematicsConfig()


def test_a_profile_of_ones_own_may_point_anywhere(tmp_path: Path) -> None:
    profile = read_profile(write(tmp_path, "source: {urdf: /opt/arm.urdf, srdf: ../arm.srdf}\n"))
    assert profile.source == ProfileSource(None, "/opt/arm.urdf", "../arm.srdf")


def test_the_profile_in_the_readme_can_be_read(tmp_path: Path) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    blocks = [part.split("```")[0] for part in readme.split("```yaml\n")[1:]]
    (text,) = (block for block in blocks if "tool_frames:" in block)
    profile = read_profile(write(tmp_path, text))
    assert [tool.name for tool in profile.tool_frames] == ["tool0", "tip"]


def test_joints_in_a_list_are_held_at_neutral(tmp_path: Path) -> None:
    text = "source: {urdf: a.urdf}\nheld_joints: [left, right]\n"
    assert read_profile(write(tmp_path, text)).held_joints == {"left": 0.0, "right": 0.0}


def test_a_profile_is_frozen(tmp_path: Path) -> None:
    profile = read_profile(write(tmp_path, FULL))
    with pytest.raises(TypeError):
        profile.home["shoulder"] = 1.0  # type: ignore[index]


@pytest.mark.parametrize(
    ("line", "field", "text"),
    [
        (None, "source", "title: x\n"),
        (1, "source", "source: a.urdf\n"),
        (1, "source.urdf", "source: {package: example-robot-data}\n"),
        (1, "source.package", "source: {package: example_robot_data, urdf: a}\n"),
        (1, "source.urdf", "source: {package: example-robot-data, urdf: /etc/passwd}\n"),
        (1, "source.srdf", "source: {package: example-robot-data, urdf: a, srdf: ../a.srdf}\n"),
        (2, "tool_frame", "source: {urdf: a}\ntool_frame: [x]\n"),
        (2, "tool_frames", "source: {urdf: a}\ntool_frames: x\n"),
        (3, "tool_frames[0]", "source: {urdf: a}\ntool_frames:\n  - 3\n"),
        (4, "tool_frames[1]", "source: {urdf: a}\ntool_frames:\n  - x\n  - x\n"),
        (2, "tool_frames[0].link", "source: {urdf: a}\ntool_frames: [{name: x}]\n"),
        (2, "tool_frames[0].offset", "source: {urdf: a}\ntool_frames: [{name: x, offset: 1}]\n"),
        (
            2,
            "tool_frames[0].xyz",
            "source: {urdf: a}\ntool_frames: [{name: x, link: y, xyz: [0, 1]}]\n",
        ),
        (
            2,
            "tool_frames[0].rpy[1]",
            "source: {urdf: a}\ntool_frames: [{name: x, link: y, rpy: [0, up, 0]}]\n",
        ),
        (3, "home.elbow", "source: {urdf: a}\nhome:\n  elbow: .nan\n"),
        (2, "home", "source: {urdf: a}\nhome: [0, 0]\n"),
        (3, "home.elbow", "source: {urdf: a}\nheld_joints: [elbow]\nhome: {elbow: 0.5}\n"),
        (2, "held_joints[1]", "source: {urdf: a}\nheld_joints: [elbow, elbow]\n"),
        (2, "held_joints.elbow", "source: {urdf: a}\nheld_joints: {elbow: bent}\n"),
        (2, "gripper_joints[0]", "source: {urdf: a}\ngripper_joints: [[]]\n"),
        (2, "mesh_up_axis", "source: {urdf: a}\nmesh_up_axis: x\n"),
        (2, "mesh_up_axis", "source: {urdf: a}\nmesh_up_axis: [y]\n"),
        (2, "floating_base", "source: {urdf: a}\nfloating_base: 1\n"),
        (2, "kinematics.gain", "source: {urdf: a}\nkinematics: {gain: 2}\n"),
        (2, "kinematics.dampng", "source: {urdf: a}\nkinematics: {dampng: 2}\n"),
        (2, "kinematics", "source: {urdf: a}\nkinematics: 5\n"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_key(
    tmp_path: Path, line: int | None, field: str, text: str
) -> None:
    error = refused(tmp_path, text)
    assert (error.line, error.field) == (line, field), str(error)
    assert "\n" not in str(error)


def test_a_misspelt_key_names_the_nearest(tmp_path: Path) -> None:
    error = refused(tmp_path, "source: {urdf: a}\nheld_joint: [elbow]\n")
    assert error.expected is not None
    assert error.expected.startswith("perhaps held_joints")


PROFILES = (
    "allegro_hand", "baxter", "dual_arm_7dof", "g1", "icub", "kinova", "panda", "romeo", "so101",
    "talos", "tiago_dual", "ur10", "ur3", "ur5", "xarm7", "z1",
)  # fmt: skip


def test_the_robots_are_there() -> None:
    folder = resource_folder("robots")
    assert sorted(path.stem for path in folder.glob("*.yaml")) == list(PROFILES)


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_can_be_read_and_names_its_tools_and_solver(name: str) -> None:
    profile = read_profile(resource_folder("robots") / f"{name}.yaml")
    assert profile.title != name
    assert profile.tool_frames
    assert profile.kinematics.solver == "daqp"
    assert profile.floating_base is False
    without_orientation = name in ("so101", "allegro_hand")
    assert (profile.kinematics.orientation_cost == 0) is without_orientation


@pytest.mark.parametrize(
    ("name", "count"),
    [("baxter", 2), ("tiago_dual", 2), ("g1", 2), ("talos", 2), ("icub", 2), ("allegro_hand", 4)],
)
def test_robots_with_several_hands_have_a_tool_for_each(name: str, count: int) -> None:
    profile = read_profile(resource_folder("robots") / f"{name}.yaml")
    assert len(profile.tool_frames) == count


def test_only_the_icub_turns_its_meshes() -> None:
    folder = resource_folder("robots")
    turned = [
        name for name in PROFILES if read_profile(folder / f"{name}.yaml").mesh_up_axis == "y"
    ]
    assert turned == ["icub"]
