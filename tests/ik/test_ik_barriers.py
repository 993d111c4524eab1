"""Walls for a frame, and a ball around one, on two robots each: with the barrier and without."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tests.ik.engines import CALM, DT
from workbench.config.limits import BarrierSpec, BodySphericalBarrierSpec, PositionBarrierSpec
from workbench.ik.forward import tool_poses
from workbench.ik.tick import LiveEngine
from workbench.ik.types import TickInputs
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose


@cache
def robot_named(name: str) -> Robot:
    return load_robot(RobotRequest(name))


def followed(
    robot: Robot, places: dict[str, np.ndarray], watched: tuple[str, ...], *barriers: BarrierSpec
) -> list[np.ndarray]:
    """Return where frames were at every tick on the way to places, shape (frames, 3) each."""
    engine = LiveEngine(robot)
    targets = {
        frame: Pose(places.get(frame, pose.translation), pose.wxyz)
        for frame, pose in tool_poses(robot, {}).items()
    }
    configuration, way = engine.stack.configuration, []
    for _ in range(150):
        result = engine.tick(TickInputs(CALM, DT, targets, barriers=barriers))
        assert result.status.ok, result.status.cause
        way.append(
            np.array([configuration.get_transform_frame_to_world(f).translation for f in watched])
        )
    return way


@pytest.mark.parametrize("side", ["minimum", "maximum"])
@pytest.mark.parametrize("name", ["panda", "baxter"])
def test_a_frame_stops_at_a_wall_that_its_target_is_behind(name: str, side: str) -> None:
    robot = robot_named(name)
    frame, pose = next(iter(tool_poses(robot, {}).items()))
    sign = 1.0 if side == "maximum" else -1.0
    wall_m = float(pose.translation[0] + sign * 0.05)
    places = {frame: pose.translation + np.array([sign * 0.15, 0.0, 0.0])}
    bounds: dict[str, object] = {side: (wall_m, None, None)}
    wall = PositionBarrierSpec(name="wall", frame=frame, **bounds)  # type: ignore[arg-type]
    free = followed(robot, places, (frame,))
    stopped = followed(robot, places, (frame,), wall)
    assert max(sign * (place[0, 0] - wall_m) for place in free) > 0.09
    beyond = [sign * (place[0, 0] - wall_m) for place in stopped]
    assert max(beyond) <= 1e-5  # what the rows, linear in the step, do not see
    assert beyond[-1] == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(
    ("name", "frames", "place"),
    [
        ("panda", ("panda_hand_tcp", "panda_link2"), (0.0, 0.0, 0.35)),
        ("baxter", ("left_gripper", "right_gripper"), (0.57, 0.0, 0.11)),
    ],
)
def test_two_frames_keep_their_distance_on_the_way_to_one_place(
    name: str, frames: tuple[str, str], place: tuple[float, float, float]
) -> None:
    robot = robot_named(name)
    places = {frame: np.array(place) for frame in robot.description.tool_frames}
    ball = BodySphericalBarrierSpec(
        name="ball", frame=frames[0], other_frame=frames[1], minimum_distance_m=0.2
    )

    def smallest_distance(*barriers: BarrierSpec) -> float:
        way = followed(robot, places, frames, *barriers)
        return min(float(np.linalg.norm(first - second)) for first, second in way)

    assert smallest_distance() < 0.15
    assert smallest_distance(ball) == pytest.approx(0.2, abs=1e-3)
