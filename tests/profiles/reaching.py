"""What the tests of the profiles share: every robot once, targets, and where its reach ends."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import numpy as np
import pinocchio

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.ik.forward import tool_poses
from workbench.ik.tick import LiveEngine
from workbench.ik.types import TickInputs, TickResult, ToolResult
from workbench.model.catalog import profile_names
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose, Vector, wxyz_from_rotation_vector

HAND = "allegro_hand"
ARMS = tuple(name for name in profile_names() if name != HAND)
"""Every profile but the hand, whose fingers are four joints long and centimetres short."""

STARTS_SINGULAR = "dual_arm_7dof"
"""Hangs straight down on its joint limits on purpose; farther down there is nothing to reach."""

REACHED_M = 1e-3
REACHED_RAD = np.deg2rad(1.0)


@functools.cache
def robot_of(name: str) -> Robot:
    """Return a profile's robot, loaded once a process."""
    return load_robot(RobotRequest(name))


def tools_of(names: tuple[str, ...]) -> list[tuple[str, int]]:
    """Return every profile with the number of each of its tool frames, without loading any."""
    counts = {
        "allegro_hand": 4, "baxter": 2, "dual_arm_7dof": 2, "g1": 2, "icub": 2, "romeo": 2,
        "talos": 2, "tiago_dual": 2,
    }  # fmt: skip
    return [(name, number) for name in names for number in range(counts.get(name, 1))]


def targets_with(robot: Robot, frame: str, target: Pose) -> dict[str, Pose]:
    """Return the targets of all frames: one goes to ``target``, the others keep their place."""
    return {**tool_poses(robot, {}), frame: target}


def inputs_of(
    robot: Robot,
    targets: Mapping[str, Pose],
    rate_hz: float,
    config: PinkKinematicsConfig | None = None,
) -> TickInputs:
    return TickInputs(config or robot.description.defaults, 1.0 / rate_hz, targets)


def result_of(result: TickResult, frame: str) -> ToolResult:
    return next(tool for tool in result.tools if tool.frame == frame)


def is_reached(tool: ToolResult, *, position_only: bool) -> bool:
    assert tool.position_error_m is not None and tool.orientation_error_rad is not None
    return tool.position_error_m <= REACHED_M and (
        position_only or tool.orientation_error_rad <= REACHED_RAD
    )


def random_target(start: Pose, generator: np.random.Generator, way_m: float, angle: float) -> Pose:
    """Return a pose at a distance in m and an angle in rad from ``start``, in any direction."""
    direction, axis = generator.normal(size=3), generator.normal(size=3)
    turn = wxyz_from_rotation_vector(angle * axis / np.linalg.norm(axis))
    shifted = start.translation + way_m * direction / np.linalg.norm(direction)
    return Pose(shifted, start.wxyz) @ Pose(np.zeros(3), turn)


def outward(robot: Robot, frame: str) -> Vector:
    """Return the direction from the arm's shoulder through the tool at home, a unit vector.

    The shoulder is the first joint of the chain that moves this tool frame and no other.
    """
    model = robot.model
    data = model.createData()
    pinocchio.framesForwardKinematics(model, data, robot.home_q)

    def chain(name: str) -> list[int]:
        joint, joints = model.frames[model.getFrameId(name)].parentJoint, []
        while joint > 0:
            joints.append(joint)
            joint = model.parents[joint]
        return joints[::-1]

    own = chain(frame)
    shared = {j for other in robot.description.tool_frames if other != frame for j in chain(other)}
    shoulder = next((joint for joint in own if joint not in shared), own[0])
    way = data.oMf[model.getFrameId(frame)].translation - data.oMi[shoulder].translation
    return way / np.linalg.norm(way)


def end_of_reach(robot: Robot, frame: str, direction: Vector) -> Vector:
    """Return the farthest position on a ray from home that the tool holds to 1 mm.

    The orientation stays a target. Found by bisection, with a config that is made for speed.
    """
    start = tool_poses(robot, {})[frame]
    config = robot.description.defaults.with_values(lm_damping=2.0, damping=3e-3)

    def holds(distance: float) -> bool:
        engine = LiveEngine(robot)
        target = Pose(start.translation + distance * direction, start.wxyz)
        inputs = inputs_of(robot, targets_with(robot, frame, target), 20.0, config)
        before = np.inf
        for tick in range(240):
            result = engine.tick(inputs)
            if tick % 15 == 14:
                error = result_of(result, frame).position_error_m
                assert error is not None
                if error <= REACHED_M:
                    return True
                if before - error < 2e-4:
                    return False
                before = error
        return False

    inside, outside = 0.0, 1.6
    while outside - inside > 1e-3:
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return start.translation + inside * direction
