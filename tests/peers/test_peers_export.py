"""The ways out to DimOS, read and run by the published DimOS package itself."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
import pytest
import yaml

from tests.export.subjects import plain_subject, rich_subject, robot
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.settings import Settings
from workbench.config.tasks import PostureTaskSpec, TaskSpec
from workbench.export.dimos_config import DIMOS_VERSIONS, dimos_python
from workbench.export.kinds import export
from workbench.export.stack_plan import home_of
from workbench.export.subject import ExportSubject
from workbench.ik.streaming_engine import StreamingEngine
from workbench.ik.streaming_types import StreamingInputs
from workbench.model.controlled import ControlledRobot, controlled_from_urdf
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose

if sys.version_info[:2] not in ((3, 11), (3, 12)):
    pytest.skip(
        "NOT COMPARED WITH DIMOS: dimos 0.0.15 has no wheel for this Python; run the tests on "
        "3.11 or 3.12 to compare",
        allow_module_level=True,
    )

REPOSITORY = Path(__file__).resolve().parents[2]
BASE_LINKS = {"panda": "panda_link0", "g1": "pelvis"}
DT = 0.01
TICKS = 200

PARSER = """
import json, sys
from pydantic import Field
from dimos.core.coordination.blueprint_config.parser import BlueprintConfigParser
from dimos.core.module import Module, ModuleConfig
from dimos.manipulation.planning.kinematics.config import (
    ManipulationKinematicsConfig, PinkKinematicsConfig,
)

class Config(ModuleConfig):
    kinematics: ManipulationKinematicsConfig = Field(default_factory=PinkKinematicsConfig)

class ManipulationModule(Module):
    config: Config

what = json.load(sys.stdin)
parser = BlueprintConfigParser(ManipulationModule.blueprint())
parsed = parser.parse(what["flags"], config_path=what["file"], environ={})
(module,) = parsed._module_config_values.values()
kinematics = module["kinematics"]
print(json.dumps(kinematics if isinstance(kinematics, dict) else kinematics.model_dump()))
"""
# DimOS's own manipulation module needs its whole robot stack; the field is what matters.


def in_own_process(arguments: list[str], given: Any) -> Any:
    done = subprocess.run(
        [sys.executable, *arguments], input=json.dumps(given), check=False, capture_output=True,
        text=True, cwd=REPOSITORY,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


TUNED = ExportSubject(
    Settings(
        kinematics=PinkKinematicsConfig(
            solver="daqp", dt=0.02, max_iterations=77, damping=1e-12, position_cost=3.0,
            orientation_cost=0.25, posture_cost=0.0, joint_limit_posture_margin=0.15,
            lm_damping=1e-300, gain=0.3, safety_break=False,
        )
    )
)  # fmt: skip


@pytest.mark.parametrize(
    "subject", [TUNED, plain_subject("panda"), plain_subject("g1")], ids=["tuned", "panda", "g1"]
)
def test_dimos_reads_the_yaml_and_the_python_as_what_was_tuned(subject: ExportSubject) -> None:
    from dimos.manipulation.planning.kinematics import config as dimos

    tuned = subject.settings.kinematics.model_dump()
    for version in DIMOS_VERSIONS[2:]:
        exported = export("dimos-yaml", replace(subject, dimos_version=version), allow_loss=True)
        read = dimos.PinkKinematicsConfig(**yaml.safe_load(exported.text))
        assert read.model_dump() == tuned
    names: dict[str, Any] = {}
    exec(dimos_python(subject), names)
    assert isinstance(names["pink"], dimos.PinkKinematicsConfig)
    assert names["pink"].model_dump() == tuned


def test_dimos_reads_the_flags_as_what_was_tuned() -> None:
    flags = export("dimos-flags", TUNED).text.split()
    read = in_own_process(["-c", PARSER], {"flags": flags, "file": None})
    assert read == TUNED.settings.kinematics.model_dump()


def test_dimos_reads_the_config_file_as_what_was_tuned(tmp_path: Path) -> None:
    path = tmp_path / "tuned.json"
    path.write_text(export("dimos-json", TUNED).text)
    read = in_own_process(["-c", PARSER], {"flags": [], "file": str(path)})
    assert read == TUNED.settings.kinematics.model_dump()


def circle(arm: ControlledRobot, start: np.ndarray[Any, Any], frames: tuple[str, ...]) -> Any:
    """Yield the targets of each tick: twice round a circle through where the tools are."""
    data = arm.model.createData()
    pinocchio.framesForwardKinematics(arm.model, data, arm.q_from_positions(start))
    begin = {name: Pose.from_se3(data.oMf[arm.model.getFrameId(name)]) for name in frames}
    for tick in range(TICKS):
        angle = 4.0 * math.pi * tick / TICKS
        step = 0.08 * np.array([0.5 * math.sin(angle), math.sin(angle), 1.0 - math.cos(angle)])
        yield {name: Pose(pose.translation + step, pose.wxyz) for name, pose in begin.items()}


@cache
def loaded(name: str) -> Robot:
    return load_robot(RobotRequest(name))


def our_commands(subject: ExportSubject) -> Iterator[np.ndarray[Any, Any]]:
    """Yield the commands of the page's streaming mode."""
    description, settings = subject.robot, subject.settings
    assert description is not None
    names, start = description.joint_names, start_of(subject)
    engine = StreamingEngine(loaded(description.name))
    measured = start
    for targets in circle(controlled(subject), start, subject.tool_frames):
        result = engine.tick(
            StreamingInputs(
                settings.kinematics, DT, targets, settings.held_joints, settings.velocity_caps,
                settings.tasks, settings.limits, settings.barriers, home_of(subject),
                streaming=settings.streaming,
                measured=dict(zip(names, measured.tolist(), strict=True)),
            )
        )  # fmt: skip
        assert result.command is not None, result.status
        yield result.command
        measured = 0.5 * (measured + result.command)


def controlled(subject: ExportSubject) -> ControlledRobot:
    description = subject.robot
    assert description is not None
    return controlled_from_urdf(
        Path(description.urdf_path), description.joint_names, BASE_LINKS[description.name]
    )


def start_of(subject: ExportSubject) -> np.ndarray[Any, Any]:
    description = subject.robot
    assert description is not None
    return np.array([description.home[name] for name in description.joint_names])


def case_of(subject: ExportSubject, module: Path) -> dict[str, Any]:
    description, start = subject.robot, start_of(subject)
    assert description is not None
    module.write_text(export("dimos-solver", subject).text)
    return {
        "module": str(module), "urdf": description.urdf_path, "dt": DT, "start": start.tolist(),
        "base_link": BASE_LINKS[description.name],
        "ticks": [
            {name: (pose.translation.tolist(), pose.xyzw.tolist()) for name, pose in tick.items()}
            for tick in circle(controlled(subject), start, subject.tool_frames)
        ],
    }  # fmt: skip


def streamed(name: str, *tasks: TaskSpec) -> ExportSubject:
    """Return settings with bounds of their own and a list of tasks."""
    rich = rich_subject(name)
    settings = replace(
        rich.settings, tasks=tasks or rich.settings.tasks, limits=(), barriers=(), velocity_caps={}
    )
    return replace(rich, settings=settings)


def posture_by_joint(name: str) -> PostureTaskSpec:
    cost = {joint: 0.01 * (index + 1) for index, joint in enumerate(robot(name).joint_names)}
    return PostureTaskSpec(name="calm", cost=cost, target="present", margin=0.1)


def test_dimos_gives_the_commands_of_the_streaming_mode(tmp_path: Path) -> None:
    subjects = [
        *(plain_subject(name) for name in BASE_LINKS),
        *(streamed(name) for name in BASE_LINKS),
        streamed("panda", posture_by_joint("panda")),
    ]
    cases = [
        case_of(subject, tmp_path / f"solver_{number}.py")
        for number, subject in enumerate(subjects)
    ]
    script = str(Path(__file__).parent / "dimos_solver_run.py")
    ends = []
    for subject, theirs in zip(subjects, in_own_process([script], cases), strict=True):
        ours = np.array(list(our_commands(subject)))
        assert np.abs(ours - np.array(theirs)).max() <= 1e-6
        assert len(ours) == TICKS and np.abs(ours - ours[0]).max() > 0.02
        ends.append(ours[-1].tolist())
    # Each of the settings counts.
    for index, end in enumerate(ends):
        for other in ends[:index]:
            assert len(end) != len(other) or np.abs(np.subtract(end, other)).max() > 1e-3
