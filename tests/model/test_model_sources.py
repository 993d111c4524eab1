"""Where robots come from: profiles, URDFs, xacro files, cached robot descriptions."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path

import pytest

from tests.robots_inline import CHAIN, GRIPPER, joint, robot, write_urdf
from workbench.errors import ConfigError, RobotError, UsageError, WorkbenchError
from workbench.model import xacro_file
from workbench.model.catalog import profile, profile_names, profile_summaries
from workbench.model.request import RobotRequest
from workbench.model.robot import load_robot
from workbench.model.sources import find_source
from workbench.model.structure import read_structure

# Profiles --------------------------------------------------------------------------------------


def test_every_profile_can_be_listed_with_joints_tools_and_source() -> None:
    summaries = {row["name"]: row for row in profile_summaries()}
    assert set(summaries) == set(profile_names())
    panda = summaries["panda"]
    assert panda["joints"] == [f"panda_joint{number}" for number in range(1, 8)]
    assert panda["tool_frames"] == ["panda_hand_tcp"]
    assert panda["source"] == "example-robot-data: panda_description/urdf/panda.urdf"
    assert summaries["dual_arm_7dof"]["source"] == "workbench: dual_arm_7dof.urdf"


def test_a_misspelt_profile_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"'pnda'.*perhaps panda"):
        profile("pnda")
    with pytest.raises(UsageError, match=r"no such robot profile and no such file.*panda"):
        load_robot(RobotRequest("pnda"))


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(UsageError, match="no robot is named"):
        load_robot(RobotRequest("  "))


def test_a_profile_of_one_s_own_is_a_path(tmp_path: Path) -> None:
    write_urdf(tmp_path, GRIPPER, "sub/arm.urdf")
    (tmp_path / "mine.yaml").write_text(
        "title: My arm\nsource: {urdf: sub/arm.urdf}\ntool_frames: [palm]\n"
        "home: {lift: 0.2}\nheld_joints: {jaw: 0.01}\ngripper_joints: [jaw]\n"
        "kinematics: {gain: 0.25}\n"
    )
    description = load_robot(RobotRequest(str(tmp_path / "mine.yaml"))).description
    assert (description.name, description.title) == ("mine", "My arm")
    assert description.joint_names == ("shoulder", "lift")
    assert description.home["lift"] == 0.2
    assert description.tool_frames == ("palm",)
    assert description.gripper_joints == ("jaw",)
    assert description.defaults.gain == 0.25
    assert {held.name: held.reason for held in description.held_joints}["jaw"] == (
        "held by the profile"
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("home: {elbwo: 0.1}", r"elbwo.*perhaps elbow"),
        ("held_joints: {elbwo: 0.1}", r"elbwo.*perhaps elbow"),
        ("gripper_joints: [elbwo]", r"elbwo.*perhaps elbow"),
        ("tool_frames: [hnad]", r"hnad.*perhaps hand"),
    ],
)
def test_a_profile_that_names_what_is_not_there_is_refused(
    tmp_path: Path, line: str, words: str
) -> None:
    write_urdf(tmp_path, CHAIN)
    (tmp_path / "mine.yaml").write_text(f"source: {{urdf: inline.urdf}}\n{line}\n")
    with pytest.raises(RobotError, match=words):
        load_robot(RobotRequest(str(tmp_path / "mine.yaml")))


def test_the_command_line_comes_before_the_profile(tmp_path: Path) -> None:
    write_urdf(tmp_path, CHAIN)
    (tmp_path / "mine.yaml").write_text(
        "source: {urdf: inline.urdf}\ntool_frames: [hand]\nheld_joints: {wrist: 0.1}\n"
        "home: {elbow: 0.3}\nmesh_up_axis: y\n"
    )
    structure = read_structure(
        RobotRequest(
            str(tmp_path / "mine.yaml"), tool_frames=("lower",),
            hold={"wrist": 0.2, "elbow": 0.4}, mesh_up_axis="z", floating_base=True,
        )
    )  # fmt: skip
    assert [tool.name for tool in structure.tools] == ["lower"]
    assert {h.name: h.position for h in structure.plan.held} == {"wrist": 0.2, "elbow": 0.4}
    assert structure.mesh_up_axis == "z"
    assert structure.floating_base


def test_a_broken_profile_is_a_config_error(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("sorce: {urdf: a.urdf}\n")
    with pytest.raises(ConfigError):
        load_robot(RobotRequest(str(tmp_path / "mine.yaml")))


# URDFs -----------------------------------------------------------------------------------------


def test_a_urdf_is_loaded_from_any_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_urdf(tmp_path / "mit leerzeichen", CHAIN, "ärm.urdf")
    monkeypatch.chdir(tmp_path)
    description = load_robot(RobotRequest("mit leerzeichen/ärm.urdf")).description
    assert description.urdf_path == path
    assert description.name == "inline"
    assert description.urdf_sha256 == hashlib.sha256(Path(path).read_bytes()).hexdigest()
    assert description.defaults.lm_damping == 3.0
    assert description.defaults.damping == 3e-3


@pytest.mark.parametrize("name", ["gone.urdf", "gone.urdf.xacro", "gone.yaml", "no/folder/a.urdf"])
def test_a_file_that_does_not_exist_is_one_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(RobotError, match="no such file") as caught:
        load_robot(RobotRequest(str(tmp_path / name)))
    assert caught.value.path == str(tmp_path / name)


def test_a_misspelt_file_names_its_neighbour(tmp_path: Path) -> None:
    write_urdf(tmp_path, CHAIN, "my_robot.urdf")
    with pytest.raises(RobotError, match=r"perhaps my_robot.urdf"):
        load_robot(RobotRequest(str(tmp_path / "my_robto.urdf")))


def test_a_folder_is_no_urdf(tmp_path: Path) -> None:
    (tmp_path / "robot.urdf").mkdir()
    for name in (tmp_path, tmp_path / "robot.urdf"):
        with pytest.raises(RobotError, match="is a folder"):
            load_robot(RobotRequest(str(name)))


def test_a_device_is_no_urdf() -> None:
    with pytest.raises(RobotError, match="not a regular file"):
        load_robot(RobotRequest("/dev/null"))


def test_a_file_without_permission_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(write_urdf(tmp_path, CHAIN))

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(RobotError, match="cannot be read: Permission denied"):
        load_robot(RobotRequest(str(path)))


def test_an_expanded_xacro_file_that_kept_its_namespace_is_a_urdf(tmp_path: Path) -> None:
    text = CHAIN.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ')
    assert load_robot(RobotRequest(write_urdf(tmp_path, text))).description.joint_names


def test_dollar_signs_of_a_simulator_s_plugin_are_not_xacro(tmp_path: Path) -> None:
    text = CHAIN.replace("</robot>", '<gazebo><plugin args="$(arg x) ${y}"/></gazebo></robot>')
    assert load_robot(RobotRequest(write_urdf(tmp_path, text))).description.joint_names


def test_progress_runs_from_nothing_to_everything(tmp_path: Path) -> None:
    calls: list[tuple[float, str]] = []
    load_robot(
        RobotRequest(write_urdf(tmp_path, CHAIN)),
        progress=lambda share, text: calls.append((share, text)),
    )
    shares = [share for share, _ in calls]
    assert shares[0] == 0.0 and shares[-1] == 1.0
    assert shares == sorted(shares)
    assert all(text for _, text in calls)


# SRDF ------------------------------------------------------------------------------------------


def test_the_home_of_an_srdf_counts_where_the_profile_has_none(tmp_path: Path) -> None:
    srdf = tmp_path / "arm.srdf"
    srdf.write_text(
        '<robot name="inline"><group_state name="folded" group="arm">'
        '<joint name="elbow" value="0.9"/></group_state>'
        '<group_state name="home" group="arm"><joint name="elbow" value="0.5"/>'
        '<joint name="root_joint" value="0 0 1 0 0 0 1"/><joint name="lost" value="1"/>'
        "</group_state></robot>"
    )
    request = RobotRequest(write_urdf(tmp_path, CHAIN), srdf=str(srdf))
    description = load_robot(request).description
    assert description.home["elbow"] == 0.5
    said = next(remark for remark in description.remarks if remark.code == "srdf_home")
    assert "home" in said.text and "lost" in said.text


def test_a_missing_srdf_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match=r"gone\.srdf: there is no such file"):
        load_robot(RobotRequest(write_urdf(tmp_path, CHAIN), srdf=str(tmp_path / "gone.srdf")))


# xacro -----------------------------------------------------------------------------------------

XACRO = """<robot name="made" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="reach" value="${0.1 * 2}"/>
  <xacro:include filename="parts/joint.xacro"/>
  <link name="base"/>
  <link name="arm"/>
  <xacro:elbow/>
</robot>
"""
ELBOW = f"""<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="elbow">{joint("elbow", xyz="0 0 ${reach}")}</xacro:macro>
</robot>
"""
needs_xacro = pytest.mark.skipif(
    importlib.util.find_spec("xacrodoc") is None, reason="the optional xacrodoc is not installed"
)


@needs_xacro
def test_a_xacro_file_is_expanded_from_any_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_urdf(tmp_path / "description", XACRO, "arm.urdf.xacro")
    write_urdf(tmp_path / "description", ELBOW, "parts/joint.xacro")
    monkeypatch.chdir("/")
    loaded = load_robot(RobotRequest(path))
    assert loaded.description.joint_names == ("elbow",)
    assert loaded.description.urdf_path == path
    arm = loaded.picture.local_placements([0.0], loaded.base_pose(loaded.home_q))[1]  # pyright: ignore[reportArgumentType]
    assert arm[2] == pytest.approx(0.2)


@needs_xacro
def test_xacro_finds_packages_as_meshes_do(tmp_path: Path) -> None:
    text = XACRO.replace("parts/joint.xacro", "$(find joints_of_mine)/joint.xacro")
    path = write_urdf(tmp_path / "description", text, "arm.xacro")
    write_urdf(tmp_path / "elsewhere" / "joints_of_mine", ELBOW, "joint.xacro")
    request = RobotRequest(path, package_dirs=(str(tmp_path / "elsewhere"),))
    assert load_robot(request).description.joint_names == ("elbow",)
    with pytest.raises(RobotError, match="joints_of_mine"):
        load_robot(RobotRequest(path))


@needs_xacro
@pytest.mark.parametrize(
    "change",
    [
        ("parts/joint.xacro", "parts/gone.xacro"),
        ("${0.1 * 2}", "${0.1 * }"),
        ("${0.1 * 2}", "${1 / 0}"),
        ("${0.1 * 2}", "${unknown}"),
        ("<xacro:elbow/>", "<xacro:elbwo/>"),
        ("<xacro:elbow/>", '<xacro:elbow side="left"/>'),
        ('<link name="base"/>', '<link name="$(arg prefix)base"/>'),
        ("<xacro:elbow/>", "<xacro:elbow>"),
        ("<robot ", '<!DOCTYPE robot [<!ENTITY a "b">]><robot '),
    ],
)
def test_a_xacro_file_that_cannot_be_expanded_is_one_sentence(
    tmp_path: Path, change: tuple[str, str]
) -> None:
    path = write_urdf(tmp_path, XACRO.replace(*change), "arm.xacro")
    write_urdf(tmp_path, ELBOW, "parts/joint.xacro")
    with pytest.raises(RobotError) as caught:
        load_robot(RobotRequest(path))
    assert caught.value.path == path
    assert "\n" not in str(caught.value)


def test_without_xacrodoc_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_urdf(tmp_path, XACRO, "arm.xacro")
    monkeypatch.setattr(xacro_file.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(RobotError, match="pip install xacrodoc"):
        load_robot(RobotRequest(path))


# robot_descriptions ----------------------------------------------------------------------------

CACHE_MODULE = """
REPOSITORIES = {"arm-repository": type("Repository", (), {"cache_path": "arm_repository"})}


def clone_to_cache(description_name, commit=None):
    raise AssertionError("this would download")
"""
ARM_MODULE = """
from os import path
from ._cache import clone_to_cache as _clone_to_cache

REPOSITORY_PATH = _clone_to_cache("arm-repository", commit=None)
PACKAGE_PATH = path.join(REPOSITORY_PATH, "arm_description")
URDF_PATH = path.join(PACKAGE_PATH, "urdf", "arm.urdf")
"""


@pytest.fixture
def descriptions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that looks like robot_descriptions, and an empty cache; returns the cache."""
    package = tmp_path / "site" / "robot_descriptions"
    package.mkdir(parents=True)
    names = '{"arm_description": 1, "leg_description": 1, "mujoco_only_description": 1}'
    (package / "__init__.py").write_text(f"DESCRIPTIONS = {names}\n")
    (package / "_cache.py").write_text(CACHE_MODULE)
    (package / "arm_description.py").write_text(ARM_MODULE)
    (package / "mujoco_only_description.py").write_text("MJCF_PATH = 'a.xml'\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    cache = tmp_path / "cache"
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(cache))
    for name in [name for name in sys.modules if name.startswith("robot_descriptions")]:
        monkeypatch.delitem(sys.modules, name)
    return cache


@pytest.fixture(autouse=True)
def _forget_descriptions() -> object:
    yield
    for name in [name for name in sys.modules if name.startswith("robot_descriptions")]:
        del sys.modules[name]


@pytest.mark.parametrize("name", ["arm_description", "arm"])
def test_a_cached_robot_description_is_loaded_without_the_network(
    descriptions: Path, name: str
) -> None:
    (descriptions / "arm_repository" / ".git").mkdir(parents=True)
    write_urdf(descriptions / "arm_repository" / "arm_description" / "urdf", CHAIN, "arm.urdf")
    description = load_robot(RobotRequest(f"robot_descriptions:{name}")).description
    assert description.name == "arm_description"
    assert description.joint_names == ("shoulder", "elbow", "wrist")
    assert "arm_description" in description.source


def test_a_description_that_is_not_cached_says_what_to_run(descriptions: Path) -> None:
    with pytest.raises(RobotError, match="python -m robot_descriptions pull arm_description"):
        find_source(RobotRequest("robot_descriptions:arm_description"))
    assert not descriptions.exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [("amr_description", "perhaps arm_description"), ("mujoco_only_description", "has no URDF"),
     ("../evil", "no such robot description")],
)  # fmt: skip
def test_a_description_that_does_not_exist_is_refused(
    descriptions: Path, name: str, words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        find_source(RobotRequest(f"robot_descriptions:{name}"))


def test_without_the_package_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(WorkbenchError, match="pip install robot_descriptions"):
        find_source(RobotRequest("robot_descriptions:panda_description"))


def test_a_robot_whose_names_are_html_keeps_them(tmp_path: Path) -> None:
    name = "&lt;iframe srcdoc='x'&gt;"
    text = robot(joint(name, child=name), links="base").replace(
        "</robot>", f'<link name="{name}"/></robot>'
    )
    description = load_robot(RobotRequest(write_urdf(tmp_path, text))).description
    assert description.joint_names == ("<iframe srcdoc='x'>",)
    assert description.tool_frames == ("<iframe srcdoc='x'>",)
