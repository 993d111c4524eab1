"""Comparing two libraries: what counts as a difference, what is left out, and where targets go."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pink
import pytest

from tests.ik.engines import load
from tests.ik.listed import engine_at, every_kind, panda, random_q
from tests.ik.stand_in_for_pinker import LazyFrameTask, put_in_pinkers_place
from tests.robots_inline import BENT, GRIPPER, SIX_AXIS_ARM, write_urdf
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.limits import (
    AccelerationLimitSpec,
    ConfigurationLimitSpec,
    PositionBarrierSpec,
    SelfCollisionBarrierSpec,
)
from workbench.config.tasks import (
    ClosedChainTaskSpec,
    DampingTaskSpec,
    FrameTaskSpec,
    PostureTaskSpec,
)
from workbench.errors import SolverError
from workbench.ik.parity import ParityResult, compare_with_pinker
from workbench.ik.parity_courses import courses
from workbench.ik.parity_library import pink_library
from workbench.ik.parity_losses import common_entries, without_mimic
from workbench.ik.parity_side import Side
from workbench.ik.types import RobotPose, TickInputs
from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.model.structure import Structure, read_structure
from workbench.poses import Pose

CALM = PinkKinematicsConfig(solver="daqp", lm_damping=1.0)
STARTS = {"left": Pose(), "right": Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.3, 0.2, 0.1))}


@cache
def arm(folder: str) -> tuple[Robot, Structure]:
    request = RobotRequest(folder, tool_frames=("tool",))
    return load_robot(request), read_structure(request)


@pytest.fixture(scope="module")
def urdf(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_urdf(tmp_path_factory.mktemp("arm"), SIX_AXIS_ARM)


def compare(urdf: str, inputs: TickInputs | None = None, **options: Any) -> ParityResult:
    robot, structure = arm(urdf)
    inputs = inputs or TickInputs(CALM, 0.01, {"tool": Pose()})
    settings = {"ticks": 10, "seed": 0, **options}
    return compare_with_pinker(robot, structure, inputs, RobotPose(BENT, Pose()), **settings)


def test_what_does_the_same_is_the_same_to_the_last_bit(
    monkeypatch: pytest.MonkeyPatch, urdf: str
) -> None:
    put_in_pinkers_place(monkeypatch)
    result = compare(urdf)
    assert result.same and result.versions["pinker"] == "a stand-in"
    assert [course.course for course in result.courses] == ["step", "circle", "random walk"]
    for course in result.courses:
        assert set(course.differences.values()) == {0.0}
        assert (course.qp_difference, course.q_difference) == (0.0, 0.0)
        assert course.failed_ticks == {"Pink": 0, "Pinker": 0}
        assert set(course.step_s) == {"Pink", "Pinker", "fast"}
        assert course.hessian_condition > 1.0


def test_every_kind_of_entry_that_both_have_is_compared(
    monkeypatch: pytest.MonkeyPatch, urdf: str
) -> None:
    put_in_pinkers_place(monkeypatch)
    robot, _ = arm(urdf)
    limits = (AccelerationLimitSpec(name="soft start", acceleration=50.0),)
    barriers = (PositionBarrierSpec(name="floor", frame="tool", minimum=(None, None, -1.0)),)
    kinds = [spec for spec in every_kind(robot) if spec.kind != "com"]  # the arm has no mass
    common = common_entries(kinds, limits, barriers)
    inputs = TickInputs(
        CALM, 0.01, {"tool": Pose()}, held_joints={"yaw": 0.0}, tasks=common.tasks,
        limits=common.limits, barriers=common.barriers,
    )  # fmt: skip
    result = compare(urdf, inputs)
    assert result.same
    assert all("fast" not in course.step_s for course in result.courses)


@pytest.mark.parametrize("postures", ["of its own", "of the list"])
def test_pink_is_given_the_problem_that_the_workbench_solves(postures: str) -> None:
    robot, random = panda(), np.random.default_rng(11)
    tasks = common_entries(every_kind(robot), (), ()).tasks
    if postures == "of its own":
        tasks = tuple(spec for spec in tasks if spec.kind != "posture")
    else:
        present = PostureTaskSpec(name="present", cost=0.3, margin=0.4, gain=0.5, lm_damping=0.2)
        foot = FrameTaskSpec(
            name="foot", frame="panda_link6", hard=True, position_cost=(1.0, 0.0, 0.0),
            orientation_cost=0.0,
        )  # fmt: skip
        tasks = (*tasks, present, foot)
    inputs = TickInputs(
        CALM.with_values(posture_cost=0.2, joint_limit_posture_margin=0.6),
        0.01,
        {"panda_hand_tcp": Pose.from_xyz_rpy((0.4, 0.1, 0.5), (0.1, 0.2, 0.3))},
        held_joints={"panda_joint2": float(robot.description.home["panda_joint2"])},
        velocity_caps={"panda_joint1": 0.3},
        tasks=tasks,
        limits=(ConfigurationLimitSpec(name="ends", gain=0.3),),
        barriers=(
            PositionBarrierSpec(
                name="box", frame="panda_hand_tcp", minimum=(-2.0, None, 0.1),
                safe_displacement_gain=0.5,
            ),
        ),
    )  # fmt: skip
    engine = engine_at(robot, random_q(robot, random), inputs)
    side = Side(pink_library(), robot.model.copy(), engine.stack, inputs, robot.home_q)
    for q in (robot.home_q, random_q(robot, random)):
        velocity = 0.1 * random.standard_normal(robot.model.nv)
        engine.stack.configuration.update(q)
        engine.stack.follow_posture()
        engine.stack.entries.moved(velocity)
        side.place(q, velocity)
        side.set_targets(
            {"panda_hand_tcp": pink_library().placement(inputs.targets["panda_hand_tcp"])}
        )
        ours, theirs = engine.stack.build(inputs.dt), side.build()
        for name in ("P", "q", "G", "h", "A"):
            np.testing.assert_allclose(
                getattr(theirs, name), getattr(ours, name), rtol=0, atol=1e-9, err_msg=name
            )


def test_a_task_that_computes_something_else_is_found_in_its_part_of_the_qp(
    monkeypatch: pytest.MonkeyPatch, urdf: str
) -> None:
    put_in_pinkers_place(monkeypatch, tasks={"FrameTask": LazyFrameTask})
    result = compare(urdf)
    assert not result.same
    for course in result.courses:
        assert course.differences["c"] > 0.0 and course.differences["G"] == 0.0
        assert 1e-9 < course.qp_difference and 0.0 < course.q_difference


def test_a_small_difference_of_the_qp_counts_by_the_largest_number_in_it(
    monkeypatch: pytest.MonkeyPatch, urdf: str
) -> None:
    put_in_pinkers_place(monkeypatch, tasks={"FrameTask": LazyFrameTask})
    light = TickInputs(CALM, 0.01, {"tool": Pose()})
    heavy = replace(light, config=CALM.with_values(position_cost=1e4, orientation_cost=1e4))
    shares = [compare(urdf, inputs).courses[0].qp_difference for inputs in (light, heavy)]
    assert shares[1] == pytest.approx(shares[0], rel=0.5)


def test_other_limits_than_pink_has_are_a_difference_without_measure(
    monkeypatch: pytest.MonkeyPatch, urdf: str
) -> None:
    def without_a_row(*arguments: Any, **options: Any) -> Any:
        problem = pink.build_ik(*arguments, **options)
        assert problem.G is not None and problem.h is not None
        problem.G, problem.h = problem.G[:-1], problem.h[:-1]
        return problem

    put_in_pinkers_place(monkeypatch, build_ik=without_a_row)
    course = compare(urdf).courses[0]
    assert course.differences["G"] == course.differences["h"] == course.qp_difference == np.inf
    assert not course.same and course.same_way


def test_answers_that_differ_where_the_qp_does_not_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, urdf: str
) -> None:
    def roughly(*arguments: Any, **options: Any) -> Any:
        return pink.solve_ik(*arguments, **options) + 1e-3

    put_in_pinkers_place(monkeypatch, solve_ik=roughly)
    for course in compare(urdf).courses:
        assert course.same_qp and not course.same_way and not course.same


def test_ticks_on_which_one_side_alone_finds_no_step_are_a_difference(
    monkeypatch: pytest.MonkeyPatch, urdf: str
) -> None:
    calls = 0

    def now_and_then(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls % 5 == 0:
            raise ValueError("matrix G is not positive definite")
        return pink.solve_ik(*arguments, **options)

    put_in_pinkers_place(monkeypatch, solve_ik=now_and_then)
    course = compare(urdf).courses[0]
    assert course.failed_ticks == {"Pink": 0, "Pinker": 2}
    assert not course.failures_agree and not course.same


def test_where_nobody_finds_a_step_nothing_was_compared(
    monkeypatch: pytest.MonkeyPatch, urdf: str
) -> None:
    put_in_pinkers_place(monkeypatch)
    hard = FrameTaskSpec(name="tool", frame="tool", hard=True)
    elsewhere = FrameTaskSpec(
        name="base", frame="base", hard=True, target=Pose(np.array([0.0, 0.0, 1.0]))
    )
    result = compare(urdf, TickInputs(CALM, 0.01, {"tool": Pose()}, tasks=(hard, elsewhere)))
    course = result.courses[0]
    assert course.failed_ticks == {"Pink": 10, "Pinker": 10} and course.failures_agree
    assert course.same_qp and not course.same


def test_a_robot_without_a_target_and_a_joint_held_outside_are_refused(
    monkeypatch: pytest.MonkeyPatch, urdf: str
) -> None:
    put_in_pinkers_place(monkeypatch)
    with pytest.raises(SolverError, match="no tool frame is switched on"):
        compare(urdf, TickInputs(CALM, 0.01, {}))
    with pytest.raises(SolverError, match="elbow: is held outside"):
        compare(urdf, TickInputs(CALM, 0.01, {"tool": Pose()}, held_joints={"elbow": 9.0}))


def test_courses_are_those_of_their_seed() -> None:
    first, again, other = (courses(STARTS, 30, 0.01, seed) for seed in (1, 1, 2))
    for one, same in zip(first, again, strict=True):
        assert one.name == same.name and len(one.targets) == 30
        assert one.targets == same.targets
    assert first[2].targets != other[2].targets
    assert first[:2] != other[:2]
    assert [course.targets for course in first[:2]] == [course.targets for course in other[:2]]


def test_a_step_goes_aside_at_once_a_circle_comes_back_and_a_walk_goes_its_own_ways() -> None:
    step, circle, walk = (course.targets for course in courses(STARTS, 100, 0.01, 0))
    for frame, start in STARTS.items():
        assert step[0][frame].distance_to(start) == pytest.approx((0.05, 0.2))
        assert step[0] is step[-1]
        assert circle[-1][frame].is_close(start)
        assert circle[49][frame].distance_to(start)[0] == pytest.approx(0.08)
        way = walk[-1][frame].distance_to(start)[0]
        assert 0.005 < way < 0.2
    left, right = (
        walk[-1][frame].translation - start.translation for frame, start in STARTS.items()
    )
    assert not np.allclose(left, right)


def test_what_one_of_the_libraries_lacks_is_named_and_taken_from_both() -> None:
    chain = ClosedChainTaskSpec(name="loop", frame="a", other_frame="b")
    calm, off = DampingTaskSpec(name="calm"), DampingTaskSpec(name="off", enabled=False)
    feet = FrameTaskSpec(name="foot", frame="a", hard=True)
    collision = SelfCollisionBarrierSpec(name="apart")
    box = PositionBarrierSpec(name="box", frame="a", minimum=(0.0, None, None))
    common = common_entries(
        (chain, calm, off, feet), (AccelerationLimitSpec(name="smooth"),), (collision, box)
    )
    assert common.tasks == (calm, feet) and common.barriers == (box,)
    assert common.left_out == (
        "task loop (closed chain): neither Pink nor Pinker has such a task",
        "barrier apart (self-collision): Pinker has no collision model",
    )
    assert [line.partition(":")[0] for line in common.remarks] == [
        "task foot (frame) is hard", "limit smooth (acceleration limits)",
    ]  # fmt: skip
    silent = common_entries(
        (replace(chain, enabled=False),), (), (replace(collision, enabled=False),)
    )
    assert silent.left_out == ()


def test_mimic_joints_are_held_where_they_are_at_home_and_named(tmp_path: Any) -> None:
    request = RobotRequest(write_urdf(tmp_path, GRIPPER), hold={"lift": 0.2})
    held, sentences = without_mimic(request, read_structure(request))
    home = read_structure(request).plan.home["jaw"]
    assert dict(held.hold) == {"lift": 0.2, "opposite": pytest.approx(0.01 - home)}
    assert len(sentences) == 1 and sentences[0].startswith("joint opposite follows jaw: Pinker")
    assert load(tmp_path, GRIPPER, hold=dict(held.hold)).description.followers == ()
    plain = RobotRequest(write_urdf(tmp_path, SIX_AXIS_ARM, "arm.urdf"))
    assert without_mimic(plain, read_structure(plain)) == (plain, ())
