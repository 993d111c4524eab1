"""The self-collision barrier: its rows and derivatives, and robots on the way into themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pink
import pinocchio as pin
import pytest
import qpsolvers
from pink.tasks import FrameTask, PostureTask

from tests.ik.engines import CALM
from tests.robots_inline import joint, limit, mimic, write_urdf
from workbench.config.limits import SelfCollisionBarrierSpec
from workbench.errors import SolverError
from workbench.ik.bounds import JointBounds
from workbench.ik.forward import tool_poses
from workbench.ik.look_ahead import solve_apart
from workbench.ik.self_collision import (
    HullDistanceBarrier,
    make_self_collision_barrier,
)
from workbench.ik.tick import LiveEngine
from workbench.ik.types import TickInputs
from workbench.model.collision import CollisionModel, build_collision_model
from workbench.model.collision_nearest import NearestPairs, Proximity
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose

DT = 0.01
DISTANCE_M = 0.02
SPEC = SelfCollisionBarrierSpec(name="self", minimum_distance_m=DISTANCE_M)


@dataclass
class Rig:
    """A robot that follows targets with Pink alone and the barrier."""

    robot: Robot
    collision: CollisionModel
    spec: SelfCollisionBarrierSpec = SPEC
    avoids: bool = True
    targets: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        model = self.robot.model.copy()
        self.configuration = pink.Configuration(model, model.createData(), self.robot.home_q)
        self.bounds = JointBounds(model, self.robot.velocity_caps)
        self.barrier = make_self_collision_barrier(
            self.robot, self.collision, self.spec, model, self.bounds
        )
        selection = self.collision.selection(self.spec.minimum_distance_m)
        self.watch = NearestPairs(model, self.collision, selection)
        self.differentiator = self.collision.create_data()

    def put(self, q: np.ndarray) -> None:
        self.configuration.update(q)

    def place(self, frame: str) -> np.ndarray:
        return self.configuration.get_transform_frame_to_world(frame).translation.copy()

    def distance(self) -> float:
        closest = self.watch.closest_pair(self.configuration.data)
        assert closest is not None
        return closest.distance_m

    def step(self) -> np.ndarray:
        posture = PostureTask(cost=1e-3)
        posture.set_target_from_configuration(self.configuration)
        tasks: list[pink.Task] = [posture]
        for frame, place in self.targets.items():
            task = FrameTask(frame, 1.0, 0.0, lm_damping=1.0, gain=0.5)
            task.set_target(pin.SE3(np.eye(3), place))
            tasks.append(task)
        barriers = [self.barrier] if self.avoids else []
        velocity = solve_apart(
            lambda: pink.solve_ik(
                self.configuration, tasks, DT, solver="daqp", damping=1e-8,
                limits=[self.bounds], barriers=barriers,
            ),
            self.configuration, barriers, DT,
        )  # fmt: skip
        q = pin.integrate(self.configuration.model, self.configuration.q, velocity * DT)
        self.put(self.bounds.clamp(q))
        return velocity

    def smallest_distance(self, steps: int) -> float:
        smallest = np.inf
        for _ in range(steps):
            self.step()
            smallest = min(smallest, self.distance())
        return smallest


@cache
def hulled(name: str) -> tuple[Robot, CollisionModel]:
    """Return a robot of the catalogue and its hulls."""
    robot = load_robot(RobotRequest(name))
    return robot, build_collision_model(robot)


def sphere(radius: float, xyz: str = "0 0 0") -> str:
    return (
        f'<collision><origin xyz="{xyz}"/><geometry><sphere radius="{radius}"/></geometry>'
        "</collision>"
    )


def box(size: str, xyz: str = "0 0 0") -> str:
    return f'<collision><origin xyz="{xyz}"/><geometry><box size="{size}"/></geometry></collision>'


def link(name: str, *collisions: str) -> str:
    return f'<link name="{name}">{"".join(collisions)}</link>'


SLOT = (
    '<robot name="slot">'
    + link("base", box("0.1 0.5 0.5", "-0.15 0 0"), box("0.1 0.5 0.5", "0.15 0 0"))
    + link("carriage", sphere(0.01, "0 2 0"))
    + link("ball", sphere(0.09))
    + joint("up", "prismatic", "base", "carriage", xyz="0 0 0", inside=limit(-0.1, 2, 0.5))
    + joint("across", "prismatic", "carriage", "ball", xyz="0 0 0", axis="1 0 0",
            inside=limit(-1, 1, 0.5))
    + "</robot>"
)  # fmt: skip
"""A ball on a gantry, and a slot that is 1 cm wider than the ball on either side."""

PINCERS = (
    '<robot name="pincers">'
    + link("base", sphere(0.02))
    + link("palm", sphere(0.02))
    + link("left", box("0.05 0.02 0.2", "0 0 0.1"))
    + link("right", box("0.05 0.02 0.2", "0 0 0.1"))
    + joint("wrist", parent="base", child="palm", axis="1 0 0", xyz="0 0 0.3")
    + joint("jaw", parent="palm", child="left", axis="1 0 0", xyz="0 0.1 0.1")
    + joint("opposite", parent="palm", child="right", axis="1 0 0", xyz="0 -0.1 0.1",
            inside=limit() + mimic("jaw", -0.7, 0.1))
    + "</robot>"
)  # fmt: skip


def gantry(folder: Path, across: float, **options: Any) -> Rig:
    """Return the gantry with its ball in the slot, off its middle by ``across`` m."""
    path = write_urdf(folder, SLOT)
    robot = load_robot(RobotRequest(path, tool_frames=("ball",)))
    # At home the ball is above the slot, or the pair would be left out.
    object.__setattr__(robot, "home_q", np.array([1.0, 0.0]))
    spec = SelfCollisionBarrierSpec(name="self", minimum_distance_m=DISTANCE_M, **options)
    rig = Rig(robot, build_collision_model(robot), spec)
    rig.put(np.array([0.0, across]))
    return rig


# Rows --------------------------------------------------------------------------------------


def test_a_row_is_pinks_with_the_room_of_the_pair_and_its_derivative(tmp_path: Path) -> None:
    rig = gantry(tmp_path, 0.0)
    rig.put(np.array([1.0, 0.05]))
    matrix, vector = rig.barrier.compute_qp_inequalities(rig.configuration, DT)
    room = rig.barrier.compute_barrier(rig.configuration)
    # The nearest corner of the right-hand box is 0.05 m to the right and 0.75 m below.
    assert room[0] == pytest.approx(np.hypot(0.05, 0.75) - 0.09 - DISTANCE_M)
    direction = np.array([0.75, -0.05]) / np.hypot(0.05, 0.75)
    assert rig.barrier.compute_jacobian(rig.configuration)[0] == pytest.approx(direction, abs=1e-6)
    assert matrix[0] == pytest.approx(-direction / DT, abs=1e-4)
    assert vector == pytest.approx(SPEC.gain * room)
    assert rig.barrier.row_pairs()[0] == ("base", "ball")


def test_the_room_that_is_left_is_never_used_up_twice(tmp_path: Path) -> None:
    rig = gantry(tmp_path, 0.0, gain=500.0)
    rig.put(np.array([1.0, 0.05]))
    _, vector = rig.barrier.compute_qp_inequalities(rig.configuration, DT)
    assert vector == pytest.approx(rig.barrier.compute_barrier(rig.configuration) / DT)


def test_the_weight_of_standing_still_is_pinks(tmp_path: Path) -> None:
    rig = gantry(tmp_path, 0.0, safe_displacement_gain=3.0)
    weight, linear = rig.barrier.compute_qp_objective(rig.configuration)
    norm = np.linalg.norm(rig.barrier.compute_jacobian(rig.configuration))
    assert np.allclose(weight, 3.0 / norm**2 * np.eye(2))
    assert not linear.any()
    weight, _ = gantry(tmp_path, 0.0).barrier.compute_qp_objective(rig.configuration)
    assert not weight.any()


def differentiated(
    rig: Rig, pairs: list[int], q: np.ndarray, coordinate: int, step: float = 1e-6
) -> np.ndarray:
    """Return the central difference of the distances of some pairs, m/rad or m/m."""
    model, distances = rig.configuration.model, []
    data, hulls = model.createData(), rig.differentiator
    for sign in (1, -1):
        tangent = np.zeros(model.nv)
        tangent[coordinate] = sign * step
        pin.forwardKinematics(model, data, pin.integrate(model, q, tangent))
        pin.updateGeometryPlacements(model, data, rig.collision.geometry, hulls)
        found = [pin.computeDistance(rig.collision.geometry, hulls, pair) for pair in pairs]
        distances.append([result.min_distance for result in found])
    return (np.array(distances[0]) - np.array(distances[1])) / (2 * step)


@pytest.mark.parametrize(
    "name", ["panda", "dual_arm_7dof on a floating base", "a gripper with a follower"]
)
def test_the_derivatives_are_those_of_finite_differences(name: str, tmp_path: Path) -> None:
    if name == "a gripper with a follower":
        robot = load_robot(RobotRequest(write_urdf(tmp_path, PINCERS), tool_frames=("palm",)))
        assert [follower.in_model for follower in robot.description.followers] == [True]
    else:
        source, _, floats = name.partition(" on ")
        robot = load_robot(RobotRequest(source, floating_base=bool(floats)))
    rig = Rig(robot, build_collision_model(robot))
    generator = np.random.default_rng(3)
    model, compared = rig.configuration.model, 0
    for _ in range(6):
        tangent = 0.3 * generator.normal(size=model.nv)
        q = pin.integrate(model, robot.home_q, tangent)
        rig.put(q)
        jacobian = rig.barrier.compute_jacobian(rig.configuration)
        near = rig.watch.nearest(rig.configuration.data, rig.barrier.dim)
        # Overlaps are measured to a micrometre only: too coarse to differentiate.
        clear = [row for row, found in enumerate(near) if found.distance_m > 1e-3]
        for coordinate in range(model.nv):
            expected = differentiated(rig, [near[row].pair for row in clear], q, coordinate)
            assert np.allclose(jacobian[clear, coordinate], expected, atol=2e-3)
            compared += len(clear)
    assert compared >= 6 * model.nv


# Too close already -------------------------------------------------------------------------


def test_links_that_are_too_close_part_within_their_bounds(tmp_path: Path) -> None:
    rig = gantry(tmp_path, 0.0)
    rig.put(np.array([0.28, 0.0]))  # the ball nearly sits on both rims
    before = rig.distance()
    assert before < DISTANCE_M
    for _ in range(100):
        velocity = rig.step()
        assert np.all(np.abs(velocity) <= 0.5 + 1e-6)
    assert rig.distance() == pytest.approx(DISTANCE_M, abs=1e-4)


def test_links_that_overlap_part_as_well(tmp_path: Path) -> None:
    rig = gantry(tmp_path, 0.0)
    rig.put(np.array([0.28, 0.03]))
    assert rig.distance() < 0.0
    for _ in range(200):
        rig.step()
    assert rig.distance() == pytest.approx(DISTANCE_M, abs=1e-4)


def test_a_robot_that_cannot_part_from_itself_still_moves(tmp_path: Path) -> None:
    rig = gantry(tmp_path, 0.002)
    rig.targets = {"ball": np.array([0.0, 0.0, 0.8])}
    # 8 and 12 mm to the sides, 20 mm asked for on both: no step meets that.
    assert rig.distance() == pytest.approx(0.008)
    with pytest.raises(pink.exceptions.NoSolutionFound):
        pink.solve_ik(rig.configuration, [], DT, solver="daqp", damping=1e-3,
                      limits=[rig.bounds], barriers=[rig.barrier])  # fmt: skip
    smallest = rig.smallest_distance(250)
    assert smallest >= 0.008 - 1e-6
    assert np.allclose(rig.place("ball"), (0.0, 0.0, 0.8), atol=2e-3)
    assert rig.barrier.demand_recovery


# What is foreseen --------------------------------------------------------------------------


def test_a_step_that_brings_links_too_close_is_foreseen_and_gets_a_row(tmp_path: Path) -> None:
    rig = gantry(tmp_path, 0.0)
    rig.put(np.array([0.32, 0.0]))
    rows = len(rig.barrier.compute_qp_inequalities(rig.configuration, DT)[1])
    assert rig.barrier.foresee(rig.configuration, np.array([0.01, 0.0]))
    assert not rig.barrier.foresee(rig.configuration, np.array([-0.06, 0.0]))
    matrix, vector = rig.barrier.compute_qp_inequalities(rig.configuration, DT)
    assert len(vector) > rows
    # The new rows forbid that step.
    assert np.any((matrix @ np.array([-0.06, 0.0]) > vector)[rows:])
    rig.barrier.forget_foreseen()
    assert len(rig.barrier.compute_qp_inequalities(rig.configuration, DT)[1]) == rows


def test_a_step_that_no_row_can_mend_is_shortened_or_dropped(tmp_path: Path) -> None:
    rig = gantry(tmp_path, 0.0)
    rig.put(np.array([0.32, 0.0]))
    # A solver that does not care for rows at all.
    velocity = solve_apart(
        lambda: np.array([-0.06 / DT, 0.0]), rig.configuration, [rig.barrier], DT
    )
    rig.put(rig.configuration.q + velocity * DT)
    assert rig.distance() >= 0.95 * DISTANCE_M
    assert -6.0 < velocity[0] < 0.0


def test_rows_that_leave_no_solution_shorten_the_step_instead(tmp_path: Path) -> None:
    rig = gantry(tmp_path, 0.0)
    rig.put(np.array([0.32, 0.0]))
    rows = len(rig.barrier.compute_qp_inequalities(rig.configuration, DT)[1])

    def solve() -> np.ndarray:
        matrix, vector = rig.barrier.compute_qp_inequalities(rig.configuration, DT)
        if len(vector) > rows:
            problem = qpsolvers.Problem(np.eye(2), np.zeros(2), matrix, vector)
            raise pink.exceptions.NoSolutionFound(problem, qpsolvers.Solution(problem))
        return np.array([-0.06 / DT, 0.0])

    velocity = solve_apart(solve, rig.configuration, [rig.barrier], DT)
    assert -6.0 < velocity[0] < 0.0


def test_a_velocity_that_is_no_number_goes_to_the_caller_and_spoils_nothing(
    tmp_path: Path,
) -> None:
    rig = gantry(tmp_path, 0.0)
    rig.put(np.array([1.0, 0.0]))
    nothing = np.full(2, np.nan)
    velocity = solve_apart(lambda: nothing, rig.configuration, [rig.barrier], DT)
    assert np.isnan(velocity).all()
    assert np.isfinite(rig.step()).all()


def test_distances_are_computed_once_for_a_posture(tmp_path: Path) -> None:
    rig = gantry(tmp_path, 0.0)
    asked = []
    original = NearestPairs.nearest

    class Counting(NearestPairs):
        def nearest(self, data: Any, count: int) -> tuple[Proximity, ...]:
            asked.append(count)
            return original(self, data, count)

    selection = rig.collision.selection(DISTANCE_M)
    rig.barrier = HullDistanceBarrier(
        Counting(rig.configuration.model, rig.collision, selection),
        minimum_distance_m=DISTANCE_M, gain=20.0, pair_count=8, bounds=rig.bounds,
    )  # fmt: skip
    rig.put(np.array([1.0, 0.0]))
    for _ in range(10):
        rig.step()
        assert rig.barrier.closest_pair(rig.configuration) is not None
    # Once at the start, then once for each step ahead.
    assert len(asked) == 11


# In the engine -----------------------------------------------------------------------------


def into_itself() -> tuple[LiveEngine, TickInputs]:
    """Return an arm whose target is inside its own base."""
    robot, collision = hulled("ur5")
    engine = LiveEngine(robot)
    engine.set_collision(collision)
    (frame,) = robot.description.tool_frames
    inside = Pose(np.array([0.05, 0.0, 0.15]), tool_poses(robot, {})[frame].wxyz)
    return engine, TickInputs(CALM, DT, {frame: inside}, barriers=(SPEC,))


def test_the_engine_keeps_links_apart_and_names_the_closest_pair() -> None:
    engine, inputs = into_itself()
    result = engine.tick(inputs)
    smallest = np.inf
    for _ in range(150):
        result = engine.tick(inputs)
        assert result.status.ok, result.status.cause
        assert result.closest_pair is not None
        smallest = min(smallest, result.closest_pair.distance_m)
    assert 0.95 * DISTANCE_M - 1e-6 <= smallest < 1.05 * DISTANCE_M
    closest = result.closest_pair
    assert closest is not None
    assert {closest.link_a, closest.link_b} <= set(engine.robot.description.frames)
    apart = np.linalg.norm(closest.point_a - closest.point_b)
    assert apart == pytest.approx(closest.distance_m, abs=1e-6)


def test_an_explanation_names_the_links_that_a_barrier_keeps_apart() -> None:
    engine, inputs = into_itself()
    for _ in range(100):
        engine.tick(inputs)
    details = [limit.detail for limit in engine.explain(inputs).limits if limit.name == SPEC.name]
    assert details == ["upper_arm_link to wrist_3_link"]


def test_the_engine_holds_and_says_so_while_there_are_no_hulls() -> None:
    robot, collision = hulled("panda")
    engine = LiveEngine(robot)
    inputs = TickInputs(CALM, DT, tool_poses(robot, {}), barriers=(SPEC,))
    result = engine.tick(inputs)
    assert not result.status.ok
    assert "hulls" in result.status.cause
    engine.set_collision(collision)
    assert engine.tick(inputs).status.ok


# Bad input ---------------------------------------------------------------------------------


def test_a_barrier_without_hulls_is_refused(tmp_path: Path) -> None:
    robot = load_robot(RobotRequest(write_urdf(tmp_path, SLOT), tool_frames=("ball",)))
    with pytest.raises(SolverError, match="the hulls of this robot's links have not been made"):
        make_self_collision_barrier(robot, None, SPEC)


def test_a_distance_that_leaves_no_pair_is_refused_with_what_would_be_right(
    tmp_path: Path,
) -> None:
    robot = load_robot(RobotRequest(write_urdf(tmp_path, PINCERS), tool_frames=("palm",)))
    spec = SelfCollisionBarrierSpec(name="self", minimum_distance_m=0.9)
    with pytest.raises(SolverError, match=r"no pair of links is left.*less: \w+ and \w+, the far"):
        make_self_collision_barrier(robot, build_collision_model(robot), spec)


# Robots ------------------------------------------------------------------------------------

INTO_THEMSELVES = {
    "panda": {"panda_hand_tcp": (0.05, 0.0, 0.15)},
    "ur5": {"tool0": (0.05, 0.0, 0.15)},
    "z1": {"gripper_tcp": (0.05, 0.0, 0.15)},
    "baxter": {"left_gripper": (0.0, 0.0, 0.2)},
    "g1": {"left_rubber_hand": (0.0, 0.0, 0.1)},
}
"""Where a tool frame would have to be inside another link."""


@pytest.mark.parametrize("name", INTO_THEMSELVES)
def test_a_robot_that_would_run_into_itself_keeps_its_distance(name: str) -> None:
    robot, collision = hulled(name)
    # Home is feasible: with nothing to do the robot stands still.
    at_home = Rig(robot, collision)
    assert np.allclose(at_home.step(), 0.0, atol=1e-6)
    assert at_home.distance() >= 1.5 * DISTANCE_M

    targets = {frame: np.array(place) for frame, place in INTO_THEMSELVES[name].items()}
    careless = Rig(robot, collision, avoids=False, targets=targets)
    assert careless.smallest_distance(150) < 0.5 * DISTANCE_M
    careful = Rig(robot, collision, targets=targets)
    start = {frame: np.linalg.norm(careful.place(frame) - targets[frame]) for frame in targets}
    assert careful.smallest_distance(150) >= 0.95 * DISTANCE_M - 1e-6
    for frame, distance in start.items():
        assert np.linalg.norm(careful.place(frame) - targets[frame]) < 0.7 * distance


def test_two_hands_that_would_change_places_through_each_other_do_not() -> None:
    # At full speed the wrists meet within a tick or two, from outside the nearest pairs.
    robot, collision = hulled("g1")
    rig = Rig(robot, collision)
    left, right = robot.description.tool_frames
    rig.targets = {left: rig.place(right), right: rig.place(left)}
    assert rig.smallest_distance(120) >= 0.95 * DISTANCE_M - 1e-6
