"""What the tests of listed tasks share: robots, random configurations, one entry of each kind."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from workbench.config.tasks import (
    ClosedChainTaskSpec,
    ComTaskSpec,
    DampingTaskSpec,
    FrameTaskSpec,
    JointCouplingTaskSpec,
    JointLimitTaskSpec,
    JointVelocityTaskSpec,
    LinearHolonomicTaskSpec,
    LowAccelerationTaskSpec,
    ManipulabilityTaskSpec,
    OmniwheelTaskSpec,
    PostureTaskSpec,
    RelativeFrameTaskSpec,
    RollingTaskSpec,
    TaskSpec,
)
from workbench.config.tasks_values_joints import Relation
from workbench.ik.tick import LiveEngine
from workbench.ik.types import TickInputs
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose
from workbench.resources import resource_folder

WHEELS = ("wheel_left_joint", "wheel_right_joint")
HUBS = ("wheel_left_link", "wheel_right_link")
WHEEL_RADIUS_M = 0.0985


@cache
def panda() -> Robot:
    return load_robot(RobotRequest("panda"))


@cache
def baxter() -> Robot:
    return load_robot(RobotRequest("baxter"))


@cache
def floating_g1() -> Robot:
    return load_robot(RobotRequest("g1", floating_base=True))


def wheeled_tiago(folder: Path) -> Robot:
    """Return tiago_dual on a floating base, its drive wheels free."""
    text = (resource_folder("robots") / "tiago_dual.yaml").read_text(encoding="utf-8")
    text = text.partition("\nexamples:")[0] + "\n"  # they free the wheels themselves
    for joint in WHEELS:
        assert f"  - {joint}\n" in text
        text = text.replace(f"  - {joint}\n", "")
    path = folder / "tiago_on_wheels.yaml"
    path.write_text(text + "floating_base: true\n", encoding="utf-8")
    return load_robot(RobotRequest(str(path)))


def random_q(robot: Robot, generator: np.random.Generator) -> np.ndarray:
    """Return a configuration well inside the limits, its base anywhere."""
    values = []
    for joint in robot.description.joints:
        low = -3.0 if joint.lower is None else joint.lower
        high = 3.0 if joint.upper is None else joint.upper
        values.append(generator.uniform(low + 0.05 * (high - low), high - 0.05 * (high - low)))
    base = Pose(generator.normal(size=3), generator.normal(size=4))
    return robot.q_from_positions(np.array(values), base)


def every_kind(robot: Robot) -> tuple[TaskSpec, ...]:
    """Return a soft entry of every kind that a robot can have."""
    description = robot.description
    names, frames = description.joint_names, description.frames
    tool, middle, last = description.tool_frames[0], frames[len(frames) // 2], frames[-1]
    costs = {name: 0.1 + 0.01 * index for index, name in enumerate(names)}
    tasks: list[TaskSpec] = [
        FrameTaskSpec(
            name="tool", frame=tool, position_cost=(1, 2, 3), orientation_cost=(0.5, 0, 2),
            gain=0.7, lm_damping=0.3,
        ),
        FrameTaskSpec(
            name="frame", frame=middle, position_cost=0.4, orientation_cost=0.2,
            target=Pose.from_xyz_rpy((0.3, 0.2, 0.4), (0.3, 0.2, 0.1)),
        ),
        RelativeFrameTaskSpec(
            name="relative", frame=tool, root=middle, position_cost=(1, 0, 2), lm_damping=0.1,
            target=Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.5, 0.1, 0.2)),
        ),
        PostureTaskSpec(name="posture", cost=costs, target="home", gain=0.3, lm_damping=0.2),
        ComTaskSpec(name="com", cost=(1, 2, 0), target=(0.1, 0.0, 0.5)),
        DampingTaskSpec(name="damping", cost=costs),
        LowAccelerationTaskSpec(name="low acceleration", cost=0.2),
        JointVelocityTaskSpec(name="velocity", velocities={names[0]: 0.3}, cost=costs),
        JointCouplingTaskSpec(name="coupling", ratios={names[0]: 1, names[1]: -2}, cost=0.3),
        LinearHolonomicTaskSpec(
            name="equations", lm_damping=0.1,
            equations=(Relation({names[0]: 1.0, names[2]: 0.5}, 0.2), Relation({names[1]: 1.0})),
        ),
        JointLimitTaskSpec(name="soft limit", cost=costs, margin=0.3, lm_damping=0.1),
        ClosedChainTaskSpec(name="point", frame=tool, other_frame=middle, hard=False),
        ClosedChainTaskSpec(
            name="pose", frame=tool, other_frame=last if last != tool else middle, hard=False,
            holds="pose", offset=Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.5, 0.1, 0.2)),
            position_cost=(1, 2, 3), orientation_cost=0.5,
        ),
    ]  # fmt: skip
    if not description.floating_base:
        tasks.append(ManipulabilityTaskSpec(name="manipulability", frame=tool, axes="position"))
    else:
        tasks += [
            RollingTaskSpec(name="rolling", hub_frame=tool, wheel_radius_m=0.2, cost=(1, 2, 3)),
            OmniwheelTaskSpec(name="omniwheel", hub_frame=tool, wheel_radius_m=0.2, cost=(1, 2)),
        ]
    return tuple(tasks)


def engine_at(robot: Robot, q: np.ndarray, tick_inputs: TickInputs) -> LiveEngine:
    """Return an engine at a configuration, its tasks up to date for a step."""
    engine = LiveEngine(robot)
    engine.stack.update(tick_inputs)
    engine.stack.configuration.update(q)
    engine.stack.follow_posture()
    engine.stack.entries.moved(0.1 * np.arange(robot.model.nv, dtype=np.float64))
    engine.stack.entries.prepare(tick_inputs.dt)
    return engine


def tool_targets(robot: Robot) -> dict[str, Pose | None]:
    """Return a target near the origin for every tool."""
    return {
        frame: Pose.from_xyz_rpy((0.4, 0.1 * index, 0.5), (0.1, 0.2, 0.3))
        for index, frame in enumerate(robot.description.tool_frames)
    }
