"""The ways out to DimOS, read and run by the published DimOS package itself."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
import pytest

from tests.export.subjects import plain_subject, rich_subject
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.settings import Settings
from workbench.config.tasks import PostureTaskSpec
from workbench.export.kinds import export
from workbench.export.stack_plan import plan_stack
from workbench.export.subject import ExportSubject
from workbench.ik.pose_tasks import PostureShape
from workbench.ik.streaming import StreamingSolver
from workbench.model.controlled import ControlledRobot, controlled_from_urdf
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


def test_dimos_reads_the_flags_as_what_was_tuned() -> None:
    flags = export("dimos-flags", TUNED).text.split()
    read = in_own_process(["-c", PARSER], {"flags": flags, "file": None})
    assert read == TUNED.settings.kinematics.model_dump()


def test_dimos_reads_the_config_file_as_what_was_tuned(tmp_path: Path) -> None:
    path = tmp_path / "tuned.json"
    path.write_text(export("dimos-json", TUNED).text)
    read = in_own_process(["-c", PARSER], {"flags": [], "file": str(path)})
    assert read == TUNED.settings.kinematics.model_dump()


def circle(robot: ControlledRobot, start: np.ndarray[Any, Any], frames: tuple[str, ...]) -> Any:
    """Yield the targets of each tick: twice round a circle through where the tools are."""
    data = robot.model.createData()
    pinocchio.framesForwardKinematics(robot.model, data, robot.q_from_positions(start))
    begin = {name: Pose.from_se3(data.oMf[robot.model.getFrameId(name)]) for name in frames}
    for tick in range(TICKS):
        angle = 4.0 * math.pi * tick / TICKS
        step = 0.08 * np.array([0.5 * math.sin(angle), math.sin(angle), 1.0 - math.cos(angle)])
        yield {name: Pose(pose.translation + step, pose.wxyz) for name, pose in begin.items()}


def our_commands(subject: ExportSubject, shape: PostureShape) -> Iterator[np.ndarray[Any, Any]]:
    description = subject.robot
    assert description is not None
    robot = controlled_from_urdf(
        Path(description.urdf_path), description.joint_names, BASE_LINKS[description.name]
    )
    settings = subject.settings
    solver = StreamingSolver(robot, settings.kinematics, settings.streaming, shape)
    start = np.array([description.home[name] for name in description.joint_names])
    measured = start
    for targets in circle(robot, start, subject.tool_frames):
        step = solver.step(targets, measured, DT)
        assert step.command is not None, step.status
        yield step.command
        measured = 0.5 * (measured + step.command)


def case_of(subject: ExportSubject, module: Path) -> dict[str, Any]:
    description = subject.robot
    assert description is not None
    module.write_text(export("dimos-solver", subject, allow_loss=True).text)
    base = BASE_LINKS[description.name]
    robot = controlled_from_urdf(Path(description.urdf_path), description.joint_names, base)
    start = np.array([description.home[name] for name in description.joint_names])
    return {
        "module": str(module), "urdf": description.urdf_path, "base_link": base, "dt": DT,
        "start": start.tolist(),
        "ticks": [
            {name: (pose.translation.tolist(), pose.xyzw.tolist()) for name, pose in tick.items()}
            for tick in circle(robot, start, subject.tool_frames)
        ],
    }  # fmt: skip


def shaped(name: str, target: str | Mapping[str, float]) -> tuple[ExportSubject, PostureShape]:
    """Return settings with a posture of their own, and what they mean to the streaming mode."""
    subject = rich_subject(name)
    description = subject.robot
    assert description is not None
    cost = {joint: 0.01 * (index + 1) for index, joint in enumerate(description.joint_names)}
    spec = PostureTaskSpec(name="calm", cost=cost, target=target, margin=0.1)
    config = subject.settings.kinematics
    settings = replace(subject.settings, tasks=(spec,), limits=(), barriers=(), velocity_caps={})
    subject = replace(subject, settings=settings)
    weights = {joint: number / config.posture_cost for joint, number in cost.items()}
    return subject, PostureShape(weights, plan_stack(subject).postures[0].target or {})


def test_dimos_gives_the_commands_of_the_streaming_mode(tmp_path: Path) -> None:
    runs = [(plain_subject(name), PostureShape()) for name in BASE_LINKS]
    runs += [shaped("panda", "present"), shaped("panda", {"panda_joint2": 0.2})]
    runs += [shaped("g1", "home")]
    cases = [
        case_of(subject, tmp_path / f"solver_{number}.py")
        for number, (subject, _) in enumerate(runs)
    ]
    script = str(Path(__file__).parent / "dimos_solver_run.py")
    for (subject, shape), theirs in zip(runs, in_own_process([script], cases), strict=True):
        ours = np.array(list(our_commands(subject, shape)))
        assert np.abs(ours - np.array(theirs)).max() <= 1e-6
        assert np.abs(ours - ours[0]).max() > 0.02


def test_dimos_runs_a_solver_with_costs_by_axis_and_extra_tasks(tmp_path: Path) -> None:
    cases = [case_of(rich_subject(name), tmp_path / f"{name}.py") for name in BASE_LINKS]
    plain = case_of(plain_subject("panda"), tmp_path / "plain.py")
    script = str(Path(__file__).parent / "dimos_solver_run.py")
    *rich, without = in_own_process([script], [*cases, plain])
    assert all(np.isfinite(commands).all() for commands in rich)
    assert np.abs(np.array(rich[0]) - np.array(without)).max() > 0.01
