"""Running exported programs in processes of their own, and the workbench's engine beside them."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from workbench.export.kinds import export
from workbench.export.pink_script import CIRCLE_RADIUS_M, CIRCLE_TICKS
from workbench.export.stack_plan import home_of
from workbench.export.subject import ExportSubject
from workbench.ik.tick import LiveEngine
from workbench.ik.types import TickInputs
from workbench.model.request import RobotRequest
from workbench.model.robot import load_robot
from workbench.poses import Pose

REPOSITORY = Path(__file__).resolve().parents[2]


def run_program(folder: Path, kind: str, subject: ExportSubject, *words: str) -> str:
    """Write an export, run it with warnings as errors, and return what it prints."""
    program = folder / f"run_{kind}.py"  # pink.py would import itself
    program.write_text(export(kind, subject, allow_loss=True).text)
    done = subprocess.run(
        [sys.executable, "-W", "error", str(program), *words],
        check=False, capture_output=True, text=True, cwd=folder,
        env={"PATH": "", "PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def end_of(printed: str) -> dict[str, float]:
    """Return the joint positions that a program prints at its end."""
    words = printed.splitlines()[-1].removeprefix("q: ")
    found: Any = json.loads(words)
    return found


def engine_after_circle(request: RobotRequest, subject: ExportSubject) -> dict[str, float]:
    """Return where the workbench's own engine ends on the programs' circle."""
    settings, home = subject.settings, home_of(subject)
    engine = LiveEngine(load_robot(request))
    names = engine.robot.description.joint_names
    engine.set_positions({joint: home[joint] for joint in names}, settings.home_base)

    def inputs(targets: dict[str, Pose | None]) -> TickInputs:
        return TickInputs(
            settings.kinematics, settings.dt, targets, settings.held_joints,
            settings.velocity_caps, settings.tasks, settings.limits, settings.barriers, home,
            home_base=settings.home_base,
        )  # fmt: skip

    tools = engine.observe(inputs({})).tools
    starts = {tool.frame: tool.transform_tool_to_world for tool in tools}
    result = None
    for tick in range(1, CIRCLE_TICKS + 1):
        angle = 2.0 * math.pi * tick / CIRCLE_TICKS
        step = CIRCLE_RADIUS_M * np.array([0.0, math.sin(angle), 1.0 - math.cos(angle)])
        targets: dict[str, Pose | None] = {
            frame: Pose(starts[frame].translation + step, starts[frame].wxyz)
            for frame in subject.tool_frames
        }
        result = engine.tick(inputs(targets))
        assert result.status.ok, result.status
    assert result is not None
    return dict(zip(names, result.positions.tolist(), strict=True))
