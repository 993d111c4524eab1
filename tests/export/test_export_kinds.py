"""What each kind of export says, refuses and leaves out."""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.export.subjects import plain_subject, rich_subject, robot
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.kinematics_file import read_kinematics
from workbench.config.limits import SelfCollisionBarrierSpec
from workbench.config.planning import PlanningConfig
from workbench.config.settings import Settings, ToolTarget
from workbench.config.streaming import StreamingConfig
from workbench.config.tasks import ComTaskSpec, FrameTaskSpec, JointLimitTaskSpec, PostureTaskSpec
from workbench.errors import ConfigError, UsageError
from workbench.export import python_text
from workbench.export.dimos_config import dimos_python
from workbench.export.kinds import EXPORT_KINDS, export
from workbench.export.subject import ExportSubject
from workbench.model.describe import describe_robot
from workbench.model.description import Follower, HeldJoint
from workbench.model.request import RobotRequest
from workbench.model.robot import load_robot
from workbench.poses import Pose

BARE_ARM = """<robot name="arm"><link name="base"/><link name="tip"/>
<joint name="lift" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/>
 <limit lower="-2" upper="2" velocity="1" effort="1"/></joint></robot>"""
BARE = ExportSubject(Settings())
TUNED = ExportSubject(
    Settings(
        kinematics=PinkKinematicsConfig(
            solver="daqp", gain=0.3, damping=1e-12, joint_limit_posture_margin=0.15,
            safety_break=False,
        )
    )
)  # fmt: skip


def with_settings(name: str, **values: Any) -> ExportSubject:
    subject = plain_subject(name)
    return replace(subject, settings=replace(subject.settings, **values))


def losses(kind: str, subject: ExportSubject) -> str:
    return "\n".join(EXPORT_KINDS[kind].losses(subject))


def test_the_yaml_is_read_back_as_what_was_tuned() -> None:
    text = export("dimos-yaml", TUNED).text
    assert read_kinematics(text, name="x.yaml") == TUNED.settings.kinematics
    assert list(yaml.safe_load(text)) == list(PinkKinematicsConfig.model_fields)


def test_the_json_is_a_config_file_with_the_fields_of_one_module() -> None:
    document = json.loads(export("dimos-json", TUNED).text)
    assert {key: value for key, value in document.items() if value is not None} == {
        "manipulationmodule": {"kinematics": TUNED.settings.kinematics.model_dump()}
    }


def test_the_flags_are_one_line_for_a_shell() -> None:
    text = export("dimos-flags", TUNED).text
    assert text.count("\n") == 1
    flags = dict(word.removeprefix("--").split("=") for word in shlex.split(text))
    assert len(flags) == len(PinkKinematicsConfig.model_fields)
    assert flags["manipulationmodule.kinematics.safety-break"] == "false"
    assert flags["manipulationmodule.kinematics.damping"] == "1e-12"
    assert flags["manipulationmodule.kinematics.max-iterations"] == "200"


def test_the_fields_can_be_pasted_as_python() -> None:
    source = dimos_python(TUNED)
    call = next(node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    fields = {item.arg: ast.literal_eval(item.value) for item in call.keywords}
    assert fields == TUNED.settings.kinematics.model_dump()
    assert "w, x, y, z" in source


def test_the_header_says_robot_versions_and_time() -> None:
    subject = replace(plain_subject("panda"), changed_at=datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC))
    for kind in ("dimos-yaml", "dimos-solver", "isaac", "pink"):
        text = export(kind, subject).text
        assert "robot: panda (Franka Emika Panda)" in text and "pin 4.1.0" in text
        assert "changed: 2030-01-02T03:04:05Z" in text
        assert "urdf_sha256: " + robot("panda").urdf_sha256 in text


@pytest.mark.parametrize("kind", EXPORT_KINDS)
def test_a_profiles_own_values_lose_nothing(kind: str) -> None:
    for name in ("panda", "ur5", "g1"):
        assert export(kind, plain_subject(name)).losses == ()


@pytest.mark.parametrize("kind", EXPORT_KINDS)
def test_nothing_is_dropped_silently(kind: str) -> None:
    subject = with_settings(
        "panda",
        barriers=(SelfCollisionBarrierSpec(name="wall"),),
    )
    with pytest.raises(UsageError, match=r"barrier wall \(self-collision\).*--allow-loss"):
        export(kind, subject)
    exported = export(kind, subject, allow_loss=True)
    assert exported.losses == ("barrier wall (self-collision)",)
    if EXPORT_KINDS[kind].suffix in (".py", ".yaml"):
        assert "not in this file:" in exported.text and "barrier wall" in exported.text


def test_a_robot_is_described_for_an_export_as_for_the_page(tmp_path: Path) -> None:
    bare = tmp_path / "arm.urdf"
    bare.write_text(BARE_ARM)
    for name in ("g1", str(bare)):
        request = RobotRequest(name)
        described, loaded = describe_robot(request), load_robot(request).description
        assert described.defaults == loaded.defaults
        for field in fields(described):
            if field.name not in {"visuals", "collisions", "remarks", "size_m", "mass_kg", "links"}:
                assert getattr(described, field.name) == getattr(loaded, field.name), field.name


def test_entries_that_are_switched_off_are_no_loss() -> None:
    off = FrameTaskSpec(name="x", frame="panda_hand", enabled=False)
    assert losses("dimos-yaml", with_settings("panda", tasks=(off,))) == ""


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"held_joints": {"panda_joint2": 0.25}}, "joint panda_joint2 was held at 0.25 rad"),
        ({"velocity_caps": {"panda_joint1": 0.5}}, "velocity cap of joint panda_joint1: 0.5 rad/s"),
        ({"streaming": StreamingConfig(timeout=0.1)}, "setting timeout: 0.1 instead of 0.5"),
        ({"planning": PlanningConfig(max_attempts=3)}, "setting max_attempts: 3 instead of 10"),
        ({"tasks": (ComTaskSpec(name="com"),)}, "task com (centre of mass)"),
    ],
)
def test_twelve_fields_hold_nothing_else(values: dict[str, Any], sentence: str) -> None:
    assert sentence in losses("dimos-yaml", with_settings("panda", **values))


def test_another_model_of_the_robot_is_a_loss() -> None:
    subject = plain_subject("panda")
    description = replace(
        robot("panda"),
        held_joints=(HeldJoint("panda_finger_joint1", 0.02, 0.0, ""),),
        followers=(Follower("b", "a", 1.0, 0.0, True),),
        floating_base=True,
    )
    found = losses("dimos-yaml", replace(subject, robot=description))
    for part in ("panda_finger_joint1 is held at 0.02", "b follows a", "the base floats"):
        assert part in found
    assert found.splitlines() == losses("isaac", replace(subject, robot=description)).splitlines()
    assert losses("pink", replace(subject, robot=description)) == ""
    assert "Pinker does not know" in losses("pinker", replace(subject, robot=description))


def test_a_task_that_only_the_workbench_has_is_a_loss_everywhere() -> None:
    subject = with_settings("panda", tasks=(JointLimitTaskSpec(name="soft"),))
    for kind in EXPORT_KINDS:
        assert "task soft (soft joint limit)" in losses(kind, subject)


def test_a_hard_constraint_is_a_loss_where_it_would_become_a_cost() -> None:
    hard = FrameTaskSpec(name="must", frame="panda_hand_tcp", hard=True)
    assert "task must (frame), a hard constraint" in losses(
        "pink", with_settings("panda", tasks=(hard,))
    )


def test_isaac_sims_controller_knows_no_margin_and_no_safety_switch() -> None:
    found = losses("isaac", replace(TUNED, robot=robot("panda")))
    assert "joint_limit_posture_margin 0.15" in found and "safety_break off" in found


def test_another_mode_is_not_what_a_program_runs() -> None:
    for kind in ("pink", "pinker", "isaac"):
        assert "mode streaming" in losses(kind, with_settings("panda", mode="streaming"))


def test_isaac_sims_mode_is_what_its_program_runs_and_no_other_one() -> None:
    subject = with_settings("panda", mode="isaac")
    assert export("isaac", subject).losses == ()
    for kind in ("pink", "pinker"):
        assert "mode isaac" in losses(kind, subject)


def test_a_default_cap_is_a_loss_for_dimos_which_reads_the_urdf_alone() -> None:
    subject = plain_subject("panda")
    first, second, *others = robot("panda").joints
    standing_in = (
        replace(first, velocity_limit=3.0, velocity_limit_is_default=True),
        replace(second, velocity_limit_is_default=True),
    )
    subject = replace(
        subject,
        robot=replace(robot("panda"), joints=(*standing_in, *others)),
        settings=replace(subject.settings, velocity_caps={second.name: 0.5}),
    )
    for kind in EXPORT_KINDS:
        if kind.startswith("dimos"):
            assert losses(kind, subject).splitlines() == [
                f"velocity cap of joint {second.name}: 0.5 rad/s",
                f"velocity cap of joint {first.name}: 3 rad/s, a default because the URDF gives "
                "none",
            ]
        else:
            assert losses(kind, subject) == ""
            written = export(kind, subject).text
            assert re.search(rf'"{first.name}": (\[.*, )?3\.0\b', written)


# Versions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["0.0.13", "0.0.13.post1"])
def test_the_oldest_dimos_gets_no_key_that_it_does_not_know(version: str) -> None:
    text = export("dimos-yaml", replace(BARE, dimos_version=version)).text
    assert "posture_margin" not in text and "gain" in text
    with pytest.raises(UsageError, match=r"joint_limit_posture_margin.*got 0\.15.*0\.0\.14"):
        export("dimos-yaml", replace(TUNED, dimos_version=version), allow_loss=True)


@pytest.mark.parametrize("kind", ["dimos-json", "dimos-flags", "dimos-solver"])
@pytest.mark.parametrize("version", ["0.0.13", "0.0.13.post1"])
def test_the_oldest_dimos_takes_no_form_that_came_later(kind: str, version: str) -> None:
    with pytest.raises(UsageError, match=r"needs DimOS 0\.0\.14 or later.*dimos-yaml"):
        export(kind, replace(BARE, dimos_version=version), allow_loss=True)


@pytest.mark.parametrize("kind", ["dimos-yaml", "dimos-json", "dimos-flags", "dimos-solver"])
def test_dimos_0_0_14_takes_every_form_and_a_margin_where_there_is_one(kind: str) -> None:
    for subject in (BARE, TUNED):
        older, present = (
            export(kind, replace(subject, dimos_version=version)).text
            for version in ("0.0.14", "0.0.15")
        )
        margin = re.compile(r"joint.limit.posture.margin")
        assert bool(margin.search(older)) == (subject is TUNED)
        assert margin.search(present)


def test_a_version_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError, match=r"0\.0\.99.*0\.0\.15"):
        export("dimos-yaml", replace(BARE, dimos_version="0.0.99"))


def test_unknown_kinds_and_missing_robots_are_refused() -> None:
    with pytest.raises(UsageError, match="perhaps dimos-yaml"):
        export("dimos-yml", BARE)
    for kind in ("isaac", "pink", "pinker"):
        with pytest.raises(UsageError, match="needs a robot"):
            export(kind, BARE)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"tasks": (FrameTaskSpec(name="x", frame="panda_hnd"),)}, "tasks.x.frame: .*panda_hand"),
        ({"tasks": (PostureTaskSpec(name="x", target={"joint9": 0.1}),)}, "no such joint"),
        ({"velocity_caps": {"joint9": 0.1}}, "velocity_caps.joint9"),
        ({"targets": {"hand": ToolTarget(Pose())}}, "no such tool frame"),
        ({"streaming": StreamingConfig(joint_velocity_limits_rad_s={"j": 1.0})}, "no such joint"),
    ],
)
def test_names_that_the_robot_lacks_are_refused(values: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        export("pink", with_settings("panda", **values), allow_loss=True)


def test_a_program_needs_a_tool_and_a_urdf() -> None:
    off = {"panda_hand_tcp": ToolTarget(Pose(), enabled=False)}
    for kind in ("pink", "isaac"):
        with pytest.raises(UsageError, match="no tool frame that is switched on"):
            export(kind, with_settings("panda", targets=off))
    xacro = replace(plain_subject("panda"), robot=replace(robot("panda"), urdf_path="/x.xacro"))
    with pytest.raises(UsageError, match="is no URDF"):
        export("pink", xacro)


# Solver class --------------------------------------------------------------------------------


def test_the_solver_class_is_plain_where_the_fields_say_it_all() -> None:
    text = export("dimos-solver", plain_subject("panda")).text
    assert "class TunedPinkPoseTargetSolver(PinkPoseTargetSolver):" in text
    assert "_create_tasks" not in text and "TARGET_FRAMES" in text


def test_the_solver_class_holds_costs_by_axis_and_joint_a_fixed_posture_and_extra_tasks() -> None:
    text = export("dimos-solver", rich_subject("panda"), allow_loss=True).text
    for part in (
        "def _create_tasks(", "def _update_current_posture_target(", "POSTURE = {", "per_joint(",
        'tasks["extra/above"]', "ManipulabilityTask(", '"max_joint_velocity_rad_s": 2.0',
        '"joint_command_filter_cutoff_hz": None',
    ):  # fmt: skip
        assert part in text


# Python text ---------------------------------------------------------------------------------


@given(st.text(max_size=30))
def test_any_text_is_a_literal_of_printable_ascii(words: str) -> None:
    literal = python_text.text(words)
    assert literal.isascii() and literal.isprintable()
    assert ast.literal_eval(literal) == words


@given(st.dictionaries(st.text(max_size=8), st.floats(allow_nan=False, allow_infinity=False)))
def test_numbers_come_back_to_the_last_digit(numbers: Mapping[str, float]) -> None:
    assert ast.literal_eval(python_text.mapping(numbers)) == dict(numbers)


@given(st.lists(st.text(max_size=60), max_size=4))
def test_comments_stay_comments(lines: list[str]) -> None:
    for line in python_text.comment(lines).splitlines():
        assert line.startswith("#") and line.isascii() and line.isprintable()
