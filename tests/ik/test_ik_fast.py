"""The fast way to solve a step has Pink's problem and answer, and knows when to ask Pink."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pink
import pinocchio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pink.barriers import PositionBarrier
from pink.limits import AccelerationLimit, ConfigurationLimit, Limit, VelocityLimit
from pink.tasks import DampingTask, FrameTask, LinearHolonomicTask, PostureTask, Task

from tests.bare_models import PROFILES, bare_model
from tests.ik.engines import CALM, DT, inputs, load, moved, poses
from tests.robots_inline import CHAIN, GRIPPER, SIX_AXIS_ARM
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.ik import fast
from workbench.ik.bounds import JointBounds
from workbench.ik.configuration import IndexedConfiguration
from workbench.ik.fast import FastSolver
from workbench.ik.quadratic_program import KeptProgram
from workbench.ik.tick import LiveEngine
from workbench.poses import Pose


@dataclass(frozen=True)
class Bench:
    """A robot without its meshes, twice: for us and for nothing but Pink."""

    configuration: IndexedConfiguration
    bounds: JointBounds
    pinks_configuration: pink.Configuration
    pinks_limits: list[Limit]
    frames: tuple[str, ...]

    @property
    def model(self) -> pinocchio.Model:
        return self.configuration.model

    def move_to(self, q: np.ndarray) -> None:
        self.configuration.update(q)
        self.pinks_configuration.update(q)


@cache
def bench_of(name: str, *, floating_base: bool = False) -> Bench:
    bare = bare_model(name, floating_base=floating_base)
    model, frames = bare.model, bare.frames
    pinks, caps = model.copy(), bare.velocity_caps
    bounds, q = JointBounds(model, caps), bare.home_q
    return Bench(
        IndexedConfiguration(model, q, frames, bounds),
        bounds,
        pink.Configuration(pinks, pinks.createData(), q),
        [ConfigurationLimit(pinks), VelocityLimit(pinks, caps)],
        frames,
    )


def random_q(bench: Bench, random: np.random.Generator, share_at_limits: float = 0.0) -> np.ndarray:
    """Return a configuration inside the limits, with a share of the joints exactly at them."""
    lower, upper = bench.bounds.q_lower, bench.bounds.q_upper
    limited = np.isfinite(lower) & np.isfinite(upper)
    q = random.uniform(np.where(limited, lower, -3.0), np.where(limited, upper, 3.0))
    at_lower, at_upper = random.random((2, len(q))) < 0.5 * share_at_limits
    q = np.where(limited & at_lower, lower, np.where(limited & at_upper, upper, q))
    return pinocchio.normalize(bench.model, q)


def random_tasks(
    bench: Bench, random: np.random.Generator, *, lm_damping: float, gain: float, plain: bool
) -> list[Task]:
    """Return tasks for targets that another configuration reaches, or that none reaches."""
    data = bench.model.createData()
    pinocchio.framesForwardKinematics(bench.model, data, random_q(bench, random))
    tasks: list[Task] = []
    for frame in bench.frames:
        costs = (1.0, 1.0) if plain else random.uniform(0.0, 9.0, (2, 3)).tolist()
        task = FrameTask(frame, *costs, lm_damping=lm_damping, gain=gain)
        reached = data.oMf[bench.model.getFrameId(frame)]
        task.set_target(reached if random.random() < 0.7 else pinocchio.SE3.Random())
        tasks.append(task)
    posture = PostureTask(1e-3)
    if not plain:
        root_nv = 6 if bench.model.existJointName("root_joint") else 0
        posture = PostureTask(1e-3, lm_damping=lm_damping, gain=gain)
        posture.cost = random.uniform(1e-3, 1.0, bench.model.nv - root_nv)
        tasks.insert(int(random.integers(len(tasks) + 1)), DampingTask(0.1))
    follows = random.random() < 0.4
    posture.set_target(bench.configuration.q if follows else random_q(bench, random))
    tasks.append(posture)
    return tasks


def tightest(rows: np.ndarray, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and largest step that rows with a single 1 or -1 allow."""
    lower, upper = np.full(rows.shape[1], -np.inf), np.full(rows.shape[1], np.inf)
    for row, bound in zip(rows, bounds, strict=True):
        index = int(np.flatnonzero(row)[0])
        if row[index] > 0:
            upper[index] = min(upper[index], bound)
        else:
            lower[index] = max(lower[index], -bound)
    return lower, upper


@pytest.mark.parametrize("name", [*PROFILES, "g1, floating"])
@settings(max_examples=12)
@given(
    seed=st.integers(0, 2**32 - 1),
    dt=st.floats(1e-3, 0.1),
    # From DimOS's default on, below which the QP itself leaves the answer open.
    damping=st.floats(1e-8, 1.0),
    lm_damping=st.sampled_from([0.0, 1e-6, 1e-3, 3.0]),
    gain=st.floats(0.01, 1.0),
    share_at_limits=st.sampled_from([0.0, 0.4, 1.0]),
    plain=st.booleans(),
)
def test_the_problem_and_the_answer_are_pinks(
    *,
    name: str,
    seed: int,
    dt: float,
    damping: float,
    lm_damping: float,
    gain: float,
    share_at_limits: float,
    plain: bool,
) -> None:
    bench = bench_of(name.partition(",")[0], floating_base="floating" in name)
    random = np.random.default_rng(seed)
    bench.move_to(random_q(bench, random, share_at_limits))
    tasks = random_tasks(bench, random, lm_damping=lm_damping, gain=gain, plain=plain)
    program = KeptProgram(bench.configuration, tasks)
    program.assemble(bench.bounds, dt, damping)
    problem = pink.build_ik(
        bench.pinks_configuration, tasks, dt, damping, limits=bench.pinks_limits
    )
    hessian, gradient, rows, bounds, *_ = problem.unpack_as_dense()
    for ours, theirs in ((program.hessian, hessian), (program.gradient, gradient)):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())
    assert rows is not None and bounds is not None
    lower, upper = tightest(rows, bounds)
    np.testing.assert_allclose(program.lower, lower, rtol=0, atol=1e-15)
    np.testing.assert_allclose(program.upper, upper, rtol=0, atol=1e-15)
    ours = FastSolver().solve_ik(
        bench.configuration, tasks, dt, "daqp", damping=damping, limits=[bench.bounds]
    )
    theirs = pink.solve_ik(
        bench.pinks_configuration, tasks, dt, "daqp", damping=damping, limits=bench.pinks_limits
    )
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-8)


class Calls:
    """Counts what goes to Pink."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        solve_ik = pink.solve_ik

        def counted(*args: Any, **options: Any) -> np.ndarray:
            self.count += 1
            return solve_ik(*args, **options)

        monkeypatch.setattr(fast.pink, "solve_ik", counted)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    return Calls(monkeypatch)


@pytest.fixture
def bench() -> Bench:
    bench = bench_of("panda")
    bench.move_to(random_q(bench, np.random.default_rng(3)))
    return bench


def tasks_of(bench: Bench) -> list[Task]:
    random = np.random.default_rng(4)
    return random_tasks(bench, random, lm_damping=1e-3, gain=0.5, plain=True)


def compare(bench: Bench, solver: FastSolver, tasks: list[Task], **options: Any) -> None:
    """Solve with both and expect the same."""
    ours = solver.solve_ik(
        bench.configuration, tasks, DT, "daqp", damping=1e-6, limits=[bench.bounds], **options
    )
    theirs = pink.solve_ik(
        bench.pinks_configuration, tasks, DT, "daqp", damping=1e-6, limits=bench.pinks_limits,
        **options,
    )  # fmt: skip
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-8)


def test_kept_arrays_follow_whatever_changes(bench: Bench) -> None:
    solver, tasks = FastSolver(), tasks_of(bench)
    hand, posture = tasks
    assert isinstance(hand, FrameTask) and isinstance(posture, PostureTask)
    compare(bench, solver, tasks)
    hand.set_position_cost([0.5, 2.0, 0.0])
    hand.gain, hand.lm_damping = 0.9, 0.0
    compare(bench, solver, tasks)
    hand.cost = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    posture.cost = 0.3
    compare(bench, solver, tasks)
    hand.set_target(pinocchio.SE3.Identity())
    bench.move_to(random_q(bench, np.random.default_rng(5)))
    compare(bench, solver, tasks)
    tasks.insert(0, DampingTask(0.2))
    compare(bench, solver, tasks)
    compare(bench, solver, [posture])
    compare(bench, solver, [])
    other = bench_of("ur5")
    other.move_to(random_q(other, np.random.default_rng(6)))
    compare(other, solver, tasks_of(other))
    compare(bench, solver, tasks)


@pytest.mark.parametrize("name", ["kinova", "panda"])
def test_joints_without_limits_are_left_without(name: str) -> None:
    bench, random = bench_of(name), np.random.default_rng(8)
    caps = np.array(bench.bounds.velocity_caps)
    caps[::2] = np.inf
    bounds = JointBounds(bench.model, caps)
    limits = [ConfigurationLimit(bench.model), VelocityLimit(bench.model, caps)]
    for _ in range(20):
        bench.move_to(random_q(bench, random, 0.2))
        tasks = random_tasks(bench, random, lm_damping=0.0, gain=1.0, plain=True)
        ours = FastSolver().solve_ik(
            bench.configuration, tasks, DT, "daqp", damping=1e-6, limits=[bounds]
        )
        theirs = pink.solve_ik(
            bench.pinks_configuration, tasks, DT, "daqp", damping=1e-6, limits=limits
        )
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-8 * np.abs(theirs).max())


def test_hard_constraints_are_kept_as_pink_keeps_them(bench: Bench, calls: Calls) -> None:
    matrix = np.zeros((2, bench.model.nv))
    matrix[0, 1] = matrix[1, 3] = 1.0
    hold = LinearHolonomicTask(matrix, np.array([0.0, 0.004]), bench.configuration.q)
    tasks = tasks_of(bench)
    velocity = FastSolver().solve_ik(
        bench.configuration, tasks, DT, "daqp", damping=1e-6, limits=[bench.bounds],
        constraints=[hold],
    )  # fmt: skip
    assert not calls.count
    np.testing.assert_allclose(velocity[[1, 3]], [0.0, 0.4], atol=1e-6)
    compare(bench, FastSolver(), tasks, constraints=[hold])


def test_what_it_can_do_does_not_go_to_pink(bench: Bench, calls: Calls) -> None:
    limits: list[Limit] = [bench.bounds]
    FastSolver().solve_ik(bench.configuration, tasks_of(bench), DT, "daqp", limits=limits)
    assert not calls.count


class _OtherFrameTask(FrameTask):
    pass


@pytest.mark.parametrize("change", ["solver", "limit", "default limits", "barrier", "task"])
def test_everything_else_goes_to_pink(change: str, bench: Bench, calls: Calls) -> None:
    configuration, tasks = bench.configuration, tasks_of(bench)
    limits: list[Limit] | None = [bench.bounds]
    solver, barriers = "daqp", None
    if change == "solver":
        solver = "proxqp"
    elif change == "limit":
        acceleration = AccelerationLimit(bench.model, np.full(bench.model.nv, 1e6))
        limits = [bench.bounds, acceleration]
    elif change == "default limits":
        limits = None
    elif change == "barrier":
        barriers = [PositionBarrier(bench.frames[0], p_max=np.full(3, 9.0))]
    else:
        other = _OtherFrameTask(bench.frames[0], 1.0, 1.0)
        other.set_target(pinocchio.SE3.Identity())
        tasks.append(other)
    velocity = FastSolver().solve_ik(
        configuration, tasks, DT, solver, damping=1e-6, limits=limits, barriers=barriers
    )
    assert calls.count == 1
    assert velocity.shape == (bench.model.nv,)


def test_outside_the_limits_pink_has_the_word(bench: Bench) -> None:
    q = np.array(bench.bounds.q_upper)
    q[2] += 0.1
    bench.move_to(q)
    for configuration in (bench.configuration, bench.pinks_configuration):
        with pytest.raises(pink.exceptions.NotWithinConfigurationLimits):
            FastSolver().solve_ik(configuration, tasks_of(bench), DT, "daqp", limits=[bench.bounds])


def test_a_target_that_is_missing_is_said_by_pink(bench: Bench) -> None:
    with pytest.raises(pink.exceptions.TargetNotSet):
        FastSolver().solve_ik(
            bench.configuration, [FrameTask("panda_hand_tcp", 1.0, 1.0)], DT, "daqp",
            limits=[bench.bounds],
        )  # fmt: skip


def engines(folder: Path, text: str, **options: Any) -> tuple[LiveEngine, LiveEngine]:
    robot = load(folder, text, **options)
    return LiveEngine(robot, "fast"), LiveEngine(robot, "pink")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (SIX_AXIS_ARM, {"tools": ("tool",)}),
        (SIX_AXIS_ARM, {"tools": ("tool", "upper"), "floating_base": True}),
        (CHAIN, {}),
        (GRIPPER, {}),
    ],
)
def test_an_engine_that_solves_fast_ticks_as_one_that_solves_with_pink(
    tmp_path: Path, text: str, options: dict[str, Any]
) -> None:
    quick, slow = engines(tmp_path, text, **options)
    start = poses(slow)
    for step in range(60):
        # Far away in between, so that velocity and position limits are met.
        shift = (0.05, 0.1, -0.08) if step < 20 else (2.0, -3.0, 1.0)
        targets = {frame: moved(pose, shift, (0.4, 0, 0.3)) for frame, pose in start.items()}
        held = {quick.robot.description.joint_names[1]: 0.1} if step >= 40 else {}
        tick = inputs(targets, CALM if step % 2 else PinkKinematicsConfig(solver="daqp"),
                      held_joints=held)  # fmt: skip
        ours, theirs = quick.tick(tick), slow.tick(tick)
        np.testing.assert_allclose(ours.q, theirs.q, rtol=0, atol=1e-9)
        assert ours.status == theirs.status
        assert ours.saturated_velocity == theirs.saturated_velocity


@pytest.mark.parametrize(
    "changes",
    [
        {"targets": {"tool": Pose(np.array([1e300, 0.0, 0.0]))}},
        {"targets": {"tool": None}},
        {"dt": 0.0},
        {"config": PinkKinematicsConfig(solver="daqp", position_cost=1e200)},
        {"held_joints": {"elbow": 9.0}},
        {"velocity_caps": {"elbow": 1e-12}},
    ],
)
def test_a_failed_solve_has_the_same_status(tmp_path: Path, changes: dict[str, Any]) -> None:
    quick, slow = engines(tmp_path, SIX_AXIS_ARM, tools=("tool",))
    good = {"targets": poses(slow), "config": CALM, "dt": DT}
    statuses = []
    for engine in (quick, slow):
        before = engine.q
        statuses.append(engine.tick(inputs(**{**good, **changes})).status)
        if not statuses[-1].ok:
            np.testing.assert_array_equal(engine.q, before)
        assert engine.tick(inputs(**good)).status.ok
    assert statuses[0] == statuses[1]
