"""The exported programs: they run by themselves and end where the workbench ends."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.export.run_exports import REPOSITORY, end_of, engine_after_circle, run_program
from tests.export.subjects import plain_subject, rich_subject, robot
from workbench.config.limits import (
    ConfigurationLimitSpec,
    PositionBarrierSpec,
    VelocityLimitSpec,
)
from workbench.config.settings import Settings, ToolTarget
from workbench.config.tasks import ComTaskSpec, FrameTaskSpec, PostureTaskSpec
from workbench.export.kinds import EXPORT_KINDS, export
from workbench.export.subject import ExportSubject
from workbench.model.describe import describe_robot
from workbench.model.request import RobotRequest
from workbench.poses import Pose

PROGRAMS = [name for name, kind in EXPORT_KINDS.items() if kind.suffix == ".py"]
ROBOTS = ("panda", "g1", "kinova", "dual_arm_7dof", "z1")


MIMIC_ARM = """<robot name="mimic">
<link name="base"/><link name="a"/><link name="b"/><link name="c"/><link name="tip"/>
<joint name="lift" type="revolute"><parent link="base"/><child link="a"/>
 <origin xyz="0 0 0.1"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="1" effort="1"/>
</joint>
<joint name="bend" type="revolute"><parent link="a"/><child link="b"/>
 <origin xyz="0.3 0 0"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="1" effort="1"/>
 <mimic joint="lift" multiplier="-0.5" offset="0.1"/>
</joint>
<joint name="base" type="continuous"><parent link="b"/><child link="c"/>
 <origin xyz="0.3 0 0"/><axis xyz="1 0 0"/>
</joint>
<joint name="twist" type="continuous"><parent link="c"/><child link="tip"/>
 <origin xyz="0.2 0 0"/><axis xyz="0 0 1"/>
</joint></robot>"""


SKEW_ARM = """<robot name="skew">
<link name="base"/><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
<link name="tip"/>
<joint name="turned" type="continuous"><parent link="base"/><child link="a"/>
 <origin xyz="0 0 0.1" rpy="0.3 -0.2 0.1"/><axis xyz="1 -2 3"/>
</joint>
<joint name="root_joint" type="revolute"><parent link="a"/><child link="b"/>
 <origin xyz="0.3 0 0"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="1" effort="1"/>
</joint>
<joint name="tip" type="prismatic"><parent link="b"/><child link="c"/>
 <origin xyz="0.1 0 0" rpy="0 0 1"/><axis xyz="1 1 0"/>
 <limit lower="-1" upper="1" velocity="1" effort="1"/>
</joint>
<joint name="early" type="revolute"><parent link="c"/><child link="d"/>
 <origin xyz="0.2 0 0"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" velocity="1" effort="1"/>
 <mimic joint="late" multiplier="0.5" offset="0.3"/>
</joint>
<joint name="late" type="revolute"><parent link="d"/><child link="tip"/>
 <origin xyz="0.2 0 0"/><axis xyz="0 2 0"/><limit lower="-2" upper="2" velocity="1" effort="1"/>
</joint></robot>"""


def subject_of(request: RobotRequest, **settings: Any) -> ExportSubject:
    description = describe_robot(request)
    return ExportSubject(Settings(kinematics=description.defaults, **settings), description)


def subjects() -> dict[str, ExportSubject]:
    panda = rich_subject("panda")
    joints = robot("panda").joint_names
    special = {
        "bare": ExportSubject(Settings()),
        "held": replace(
            panda,
            settings=replace(panda.settings, held_joints={joints[2]: 0.1, joints[4]: -0.2}),
        ),
        "present": replace(
            panda,
            settings=replace(
                panda.settings,
                tasks=(PostureTaskSpec(name="x", cost=0.01, margin=0.2, gain=0.5),),
            ),
        ),
        "one hand": replace(
            plain_subject("g1"),
            settings=replace(
                plain_subject("g1").settings,
                targets={"left_rubber_hand": ToolTarget(Pose(), enabled=False)},
            ),
        ),
        "floating": subject_of(
            RobotRequest("g1", floating_base=True, hold={"left_elbow_joint": 0.6})
        ),
        "sparse": replace(
            plain_subject("panda"),
            settings=Settings(kinematics=robot("panda").defaults.with_values(solver="osqp")),
        ),
        "strange names": replace(
            plain_subject("panda"),
            robot=replace(
                robot("panda"), title='x"""\\\n"é', urdf_path="/a/'b'/" + "c" * 90 + ".urdf"
            ),
        ),
    }  # fmt: skip
    plain = {f"{name} plain": plain_subject(name) for name in ROBOTS}
    rich = {f"{name} rich": rich_subject(name) for name in ROBOTS}
    return {**plain, **rich, **special}


@pytest.fixture(params=["pink", "pinker"])
def kind(request: pytest.FixtureRequest) -> str:
    if request.param == "pinker":
        pytest.importorskip("pinker", reason="NOT COMPARED WITH PINKER: it is not installed")
    return request.param


@pytest.mark.parametrize("name", ["panda", "g1"])
def test_a_program_ends_where_the_workbench_does(tmp_path: Path, name: str, kind: str) -> None:
    subject = rich_subject(name)
    ours = engine_after_circle(RobotRequest(name), subject)
    printed = run_program(tmp_path, kind, subject)
    assert end_of(printed) == pytest.approx(ours, abs=1e-6)
    start = robot(name).home
    assert max(abs(ours[joint] - start[joint]) for joint in ours) > 1e-3
    for frame in subject.tool_frames:
        assert f"{frame}: " in printed and "rad from its target" in printed


def test_a_program_for_the_twelve_fields_alone_ends_there_too(tmp_path: Path) -> None:
    subject = plain_subject("kinova")  # continuous joints
    ours = engine_after_circle(RobotRequest("kinova"), subject)
    assert end_of(run_program(tmp_path, "pink", subject)) == pytest.approx(ours, abs=1e-6)


def test_a_sparse_solver_is_not_complained_about(tmp_path: Path) -> None:
    subject = subjects()["sparse"]
    ours = engine_after_circle(RobotRequest("panda"), subject)
    assert end_of(run_program(tmp_path, "pink", subject)) == pytest.approx(ours, abs=1e-6)


def test_limits_and_barriers_that_bind_bind_alike(tmp_path: Path) -> None:
    home = {**robot("panda").home, "panda_joint4": -0.1, "panda_joint6": 1.2}
    tight = replace(
        plain_subject("panda").settings,
        home=home,
        limits=(
            ConfigurationLimitSpec(name="ends", gain=0.001),
            VelocityLimitSpec(name="speeds", share=0.05),
        ),
        barriers=(
            PositionBarrierSpec(name="wall", frame="panda_hand", maximum=(None, 0.01, None)),
        ),
    )
    subject = replace(plain_subject("panda"), settings=tight)
    ours = engine_after_circle(RobotRequest("panda"), subject)
    assert end_of(run_program(tmp_path, "pink", subject)) == pytest.approx(ours, abs=1e-6)
    for group in ("limits", "barriers"):
        for spec in getattr(tight, group):
            without = tuple(other for other in getattr(tight, group) if other is not spec)
            loose = replace(subject, settings=replace(tight, **{group: without}))
            other = engine_after_circle(RobotRequest("panda"), loose)
            assert max(abs(other[name] - ours[name]) for name in ours) > 1e-5, spec.name


def test_held_joints_stay_where_they_are_held(tmp_path: Path) -> None:
    subject = subjects()["held"]
    ours = engine_after_circle(RobotRequest("panda"), subject)
    end = end_of(run_program(tmp_path, "pink", subject))
    assert end == pytest.approx(ours, abs=1e-6)
    assert end["panda_joint3"] == pytest.approx(0.1, abs=1e-9)


def test_a_tool_frame_of_ones_own_comes_along(tmp_path: Path) -> None:
    subject = plain_subject("z1")  # its tool is fixed to a link that is called like a joint
    assert [tool.name for tool in robot("z1").defined_tools] == ["gripper_tcp"]
    ours = engine_after_circle(RobotRequest("z1"), subject)
    for kind in ("pink", "pinker"):
        if kind == "pink" or find_spec("pinker") is not None:
            end = end_of(run_program(tmp_path, kind, subject))
            assert end == pytest.approx(ours, abs=1e-6)
    assert EXPORT_KINDS["isaac"].losses(subject) == ()
    frame, error = run_program(tmp_path, "isaac", subject).split()[:2]
    assert frame == "gripper_tcp:" and float(error) < 1e-4


def test_joints_held_away_from_neutral_are_where_they_are_held(tmp_path: Path, kind: str) -> None:
    hold = {"panda_joint3": 0.7, "panda_joint5": -0.4, "panda_finger_joint1": 0.03}
    request = RobotRequest("panda", hold=hold, tool_frames=("panda_leftfinger",))
    subject = subject_of(request)
    assert EXPORT_KINDS[kind].losses(subject) == ()
    ours = engine_after_circle(request, subject)
    assert end_of(run_program(tmp_path, kind, subject)) == pytest.approx(ours, abs=1e-6)
    assert set(ours).isdisjoint(hold)


def test_a_base_floats(tmp_path: Path, kind: str) -> None:
    request = RobotRequest("g1", floating_base=True, hold={"left_elbow_joint": 0.6})
    base = Pose(np.array([0.1, 0.2, 0.3]), np.array([0.8, 0.0, 0.6, 0.0]))
    subject = subject_of(
        request,
        home_base=base,
        held_joints={"waist_roll_joint": 0.2},
        tasks=(
            FrameTaskSpec(name="foot", frame="left_ankle_roll_link", position_cost=0.1),
            ComTaskSpec(name="balance", cost=(0.05, 0.02, 0.0)),
        ),
    )
    assert EXPORT_KINDS[kind].losses(subject) == ()
    ours = engine_after_circle(request, subject)
    assert end_of(run_program(tmp_path, kind, subject)) == pytest.approx(ours, abs=1e-6)


def test_joints_are_held_about_any_axis_and_whatever_their_names(tmp_path: Path, kind: str) -> None:
    # A held joint is called like a link further out, a moving one as Pinocchio calls the base's,
    # and a mimic joint that comes before its leader is held as well.
    (tmp_path / "robot.urdf").write_text(SKEW_ARM)
    request = RobotRequest(
        str(tmp_path / "robot.urdf"), floating_base=True, hold={"turned": 2.5, "tip": 0.3}
    )
    base = Pose(np.array([0.1, 0.2, 0.3]), np.array([0.8, 0.0, 0.6, 0.0]))
    subject = subject_of(request, home_base=base)
    assert subject.robot is not None
    assert subject.robot.tool_frames == ("tip",)
    assert [follower.in_model for follower in subject.robot.followers] == [False]
    ours = engine_after_circle(request, subject)
    assert end_of(run_program(tmp_path, kind, subject)) == pytest.approx(ours, abs=1e-6)
    assert set(ours) == {"root_joint", "late"}


def test_a_floating_base_with_mimic_joints_floats_and_follows(tmp_path: Path) -> None:
    # The joint that is held is called like a link, which Pinocchio finds by that name as well.
    (tmp_path / "robot.urdf").write_text(MIMIC_ARM)
    request = RobotRequest(str(tmp_path / "robot.urdf"), floating_base=True, hold={"base": 0.3})
    base = Pose(np.array([0.1, 0.2, 0.3]), np.array([0.8, 0.0, 0.6, 0.0]))
    subject = subject_of(request, home_base=base)
    assert subject.robot is not None
    assert [follower.in_model for follower in subject.robot.followers] == [True]
    assert [held.position for held in subject.robot.held_joints] == [0.3]
    ours = engine_after_circle(request, subject)
    assert end_of(run_program(tmp_path, "pink", subject)) == pytest.approx(ours, abs=1e-6)


@pytest.mark.skipif(find_spec("pinker") is None, reason="NOT RUN WITH PINKER: not installed")
def test_pinker_holds_mimic_joints_where_they_start(tmp_path: Path) -> None:
    (tmp_path / "robot.urdf").write_text(MIMIC_ARM)
    request = RobotRequest(str(tmp_path / "robot.urdf"))
    subject = subject_of(request)
    (loss,) = EXPORT_KINDS["pinker"].losses(subject)
    assert loss.endswith("which Pinker does not know: it is held where it starts")
    assert subject.robot is not None
    bend = -0.5 * subject.robot.home["lift"] + 0.1
    (tmp_path / "still.urdf").write_text(re.sub(" <mimic.*/>", "", MIMIC_ARM))
    still = RobotRequest(str(tmp_path / "still.urdf"), hold={"bend": bend})
    ours = engine_after_circle(still, subject_of(still))
    assert end_of(run_program(tmp_path, "pinker", subject)) == pytest.approx(ours, abs=1e-6)


def test_another_place_of_the_urdf_can_be_named(tmp_path: Path) -> None:
    moved = tmp_path / "moved.urdf"
    moved.write_bytes(Path(robot("panda").urdf_path).read_bytes())
    gone = replace(
        plain_subject("panda"), robot=replace(robot("panda"), urdf_path="/nowhere/panda.urdf")
    )
    assert "panda_hand_tcp: " in run_program(tmp_path, "pink", gone, str(moved))


@pytest.mark.parametrize(
    "subject", [rich_subject("panda"), plain_subject("g1")], ids=["one", "two"]
)
def test_the_program_for_isaac_sim_runs_against_the_controller_here(
    tmp_path: Path, subject: ExportSubject
) -> None:
    printed = run_program(tmp_path, "isaac", subject)
    frame = subject.tool_frames[0]
    assert printed.startswith(f"{frame}: ")
    assert float(printed.split()[1]) < (0.05 if subject.settings.tasks else 1e-4)


def test_all_programs_pass_ruff(tmp_path: Path) -> None:
    count = 0
    for number, subject in enumerate(subjects().values()):
        for kind in PROGRAMS:
            if EXPORT_KINDS[kind].needs_robot and subject.robot is None:
                continue
            text = export(kind, subject, allow_loss=True).text
            place = tmp_path / f"{kind.replace('-', '_')}_{number}.py"
            place.write_text(text)
            count += 1
    assert count == len(list(tmp_path.glob("*.py"))) > 40
    strict = ["--line-length", "100", "--select", "E,F,I,D,UP,B,PL,RUF"]
    strict += ["--ignore", "PLR0913,PLR0915,PLR2004,E501"]
    strict += ["--config", 'lint.pydocstyle.convention="google"']
    for words in (
        ["check", "--isolated"],
        ["check", "--isolated", "--target-version", "py311", *strict],
        ["format", "--isolated", "--check", "--diff"],
        ["format", "--isolated", "--check", "--diff", "--line-length", "100"],
    ):
        done = subprocess.run(
            [str(Path(sys.executable).parent / "ruff"), *words, str(tmp_path)],
            check=False, capture_output=True, text=True, cwd=REPOSITORY,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


def test_every_export_names_the_order_of_quaternions() -> None:
    for kind in EXPORT_KINDS:
        exported = export(kind, plain_subject("panda"))
        assert any("w, x, y, z" in note for note in exported.notes)
        if kind != "dimos-flags":  # one line of flags has room for nothing else
            assert "w, x, y, z" in exported.text
