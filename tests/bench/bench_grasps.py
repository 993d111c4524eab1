"""How fast grasps are read, and found to be reached or not, on one core.

Rates count processor time, so that a neighbour on the machine costs less of them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from workbench.grasps import import_grasps_from_file
from workbench.grasps.isaac_grasp import read_grasps
from workbench.grasps.reach import ReachChecker, check_grasps
from workbench.grasps.reach_types import GraspTarget, ReachSettings, grasp_targets
from workbench.grasps.shipped import shipped_grasps, shipped_names
from workbench.model.controlled import controlled_from_request
from workbench.model.request import RobotRequest
from workbench.poses import Pose

REPEATS = 3
GRASPS_IN_FILE = 10_000
OUT_OF_REACH = Pose(np.array([0.95, 0.3, 0.2]))


def measure() -> list[dict[str, Any]]:
    """Return one row each for reading, for the shipped grasps, and for a set half out of reach."""
    robot, structure = controlled_from_request(RobotRequest("panda"))
    profile = structure.source.profile
    assert profile is not None
    settings = ReachSettings()
    checker = ReachChecker(robot, profile.kinematics, "panda_hand", settings)
    shipped: list[GraspTarget] = []
    half: list[GraspTarget] = []
    for name in shipped_names():
        spec = import_grasps_from_file(shipped_grasps(name).grasps)
        assert spec.object_pose is not None
        shipped += grasp_targets(spec, spec.object_pose, settings)
        half += grasp_targets(spec, OUT_OF_REACH, settings)
    half += shipped
    text = _file_text()
    return [
        _seconds("reading 10,000 grasps", lambda: read_grasps(text, name="grasps"), goal=2.0),
        _rate("shipped grasps checked", checker, shipped, goal=60.0),
        _rate("grasps checked, half of them out of reach", checker, half, goal=15.0),
    ]


def _seconds(name: str, work: Callable[[], object], goal: float) -> dict[str, Any]:
    value = _processor_s(work)
    return {"name": name, "value": value, "unit": "s", "goal": goal, "met": value <= goal}


def _rate(
    name: str, checker: ReachChecker, targets: list[GraspTarget], goal: float
) -> dict[str, Any]:
    value = len(targets) / _processor_s(lambda: list(check_grasps(checker, targets)))
    return {"name": name, "value": value, "unit": "1/s", "goal": goal, "met": value >= goal}


def _processor_s(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return statistics.median(taken)


def _file_text() -> str:
    """Return a file as the Grasp Editor would write it, with all digits."""
    random = np.random.default_rng(0)
    lines = ["format: isaac_grasp", "format_version: 1.0", "grasps:"]
    for number in range(GRASPS_IN_FILE):
        x, y, z, *wxyz = random.normal(size=7).tolist()
        w, *xyz = (np.array(wxyz) / np.linalg.norm(wxyz)).tolist()
        lines += [
            f'   "grasp_{number}":',
            f"      confidence: {random.random()}",
            f"      position: [{x}, {y}, {z}]",
            f"      orientation: {{w: {w}, xyz: {xyz}}}",
            "      cspace_position:",
            "         finger_joint: 0.02",
            "      pregrasp_cspace_position:",
            "         finger_joint: 0.04",
        ]
    return "\n".join(lines) + "\n"
