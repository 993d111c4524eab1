"""What the tests of this room share: small robots from text, and the inputs of a tick."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.robots_inline import BENT, SIX_AXIS_ARM, write_urdf
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.ik.forward import tool_poses
from workbench.ik.tick import LiveEngine
from workbench.ik.types import TickInputs, TickResult
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose, wxyz_from_rotation_vector

CALM = PinkKinematicsConfig(solver="daqp", lm_damping=1.0)
DT = 0.01


def load(folder: Path, text: str, *, tools: tuple[str, ...] = (), **options: Any) -> Robot:
    return load_robot(RobotRequest(write_urdf(folder, text), tool_frames=tools, **options))


def arm_engine(folder: Path, positions: Mapping[str, float] = BENT) -> LiveEngine:
    """Return the six-axis arm with its tool frame ``tool``, at ``positions``."""
    engine = LiveEngine(load(folder, SIX_AXIS_ARM, tools=("tool",)))
    engine.set_positions(positions)
    return engine


def positions_of(engine: LiveEngine) -> dict[str, float]:
    names = engine.robot.description.joint_names
    values = engine.robot.positions_from_q(engine.q)
    return {name: float(value) for name, value in zip(names, values, strict=True)}


def poses(engine: LiveEngine) -> dict[str, Pose]:
    """Return where the tool frames are now."""
    return dict(tool_poses(engine.robot, positions_of(engine)))


def moved(pose: Pose, xyz: Any = (0, 0, 0), rotation_vector: Any = (0, 0, 0)) -> Pose:
    """Return a pose shifted in the world and turned about its own axes."""
    turn = Pose(np.zeros(3), wxyz_from_rotation_vector(rotation_vector))
    return Pose(pose.translation + np.asarray(xyz, dtype=np.float64), pose.wxyz) @ turn


def near(engine: LiveEngine, shift: Any = (0.03, 0.02, -0.04)) -> dict[str, Pose | None]:
    """Return targets for all tool frames, a little away from where they are."""
    return {frame: moved(pose, shift, (0.1, 0, 0.2)) for frame, pose in poses(engine).items()}


def inputs(
    targets: Mapping[str, Pose | None],
    config: PinkKinematicsConfig = CALM,
    *,
    dt: float = DT,
    **options: Any,
) -> TickInputs:
    return TickInputs(config, dt, targets, **options)


def run(engine: LiveEngine, tick_inputs: TickInputs, ticks: int) -> TickResult:
    result = engine.tick(tick_inputs)
    for _ in range(ticks - 1):
        result = engine.tick(tick_inputs)
    return result
