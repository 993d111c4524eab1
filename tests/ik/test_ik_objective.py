"""What each task adds to the QP: the parts, against Pink's sum and against definitions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pink
import pinocchio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pink.tasks import Task

from tests.ik.engines import DT, load
from tests.ik.listed import (
    baxter,
    engine_at,
    every_kind,
    floating_g1,
    panda,
    random_q,
    tool_targets,
)
from tests.robots_inline import GRIPPER
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.tasks import TASK_KINDS, TaskSpec
from workbench.ik.bounds import JointBounds
from workbench.ik.extra_tasks import ClosedChainTask, JointLimitTask
from workbench.ik.objective import task_objective
from workbench.ik.tick import LiveEngine
from workbench.ik.types import TickInputs
from workbench.model.robot import Robot

CONFIG = PinkKinematicsConfig(solver="daqp", lm_damping=0.4, gain=0.6)
ROBOTS = [panda, baxter, floating_g1]


def inputs(robot: Robot, tasks: tuple[TaskSpec, ...]) -> TickInputs:
    return TickInputs(CONFIG, DT, tool_targets(robot), tasks=tasks)


def engine_with_everything(make: Callable[[], Robot], seed: int) -> LiveEngine:
    robot = make()
    q = random_q(robot, np.random.default_rng(seed))
    return engine_at(robot, q, inputs(robot, every_kind(robot)))


@pytest.mark.parametrize("make", ROBOTS)
@settings(max_examples=8)
@given(seed=st.integers(0, 10**6))
def test_every_task_adds_what_pink_says(make: Callable[[], Robot], seed: int) -> None:
    engine = engine_with_everything(make, seed)
    configuration = engine.stack.configuration
    assert len(engine.stack.tasks) >= 14
    for _name, task in engine.stack.named_tasks:
        objective = task_objective(task, configuration)
        hessian, gradient = task.compute_qp_objective(configuration)
        assert_same(objective.hessian, hessian)
        assert_same(objective.gradient, gradient)


def assert_same(ours: np.ndarray, theirs: np.ndarray) -> None:
    assert np.abs(ours - theirs).max() <= 1e-12 * max(1.0, float(np.abs(theirs).max()))


def test_between_them_the_robots_have_every_kind() -> None:
    kinds = {spec.kind for make in ROBOTS for spec in every_kind(make())}
    assert kinds == set(TASK_KINDS)


def test_the_parts_are_those_of_the_definition() -> None:
    """W = diag(cost), -a W e, mu = l |a W e|^2, for e = log(T_bt) of a frame task."""
    engine = engine_with_everything(panda, 3)
    tool = engine.robot.description.tool_frames[0]
    pose = engine.stack.configuration.get_transform_frame_to_world(tool)
    target = pinocchio.XYZQUATToSE3(tool_targets(engine.robot)[tool].xyz_xyzw)  # type: ignore[union-attr]
    error = pinocchio.log6(pose.inverse() * target).vector
    cost = np.array([1, 2, 3, 0.5, 0, 2])
    found = task_objective(dict(engine.stack.named_tasks)[tool], engine.stack.configuration)
    np.testing.assert_allclose(found.error, error, atol=1e-12)
    np.testing.assert_allclose(found.weighted_error, -0.7 * cost * error, atol=1e-12)
    assert found.mu == pytest.approx(0.3 * np.sum((0.7 * cost * error) ** 2), rel=1e-12)


def test_a_relative_frame_is_measured_as_pink_does() -> None:
    """The error is log(T_rt^-1 T_rf)."""
    engine = engine_with_everything(panda, 4)
    spec = next(s for s in every_kind(engine.robot) if s.name == "relative")
    configuration = engine.stack.configuration
    root = configuration.get_transform_frame_to_world(spec.root)  # type: ignore[attr-defined]
    frame = configuration.get_transform_frame_to_world(spec.frame)  # type: ignore[attr-defined]
    target = pinocchio.XYZQUATToSE3(spec.target.xyz_xyzw)  # type: ignore[attr-defined]
    found = task_objective(dict(engine.stack.named_tasks)["relative"], configuration)
    expected = pinocchio.log6(target.inverse() * root.inverse() * frame).vector
    np.testing.assert_allclose(found.error, expected, atol=1e-12)


def test_value_and_pull_are_the_quadratic_form() -> None:
    engine = engine_with_everything(baxter, 5)
    step = np.linspace(-0.1, 0.1, engine.robot.model.nv)
    for _, task in engine.stack.named_tasks:
        found = task_objective(task, engine.stack.configuration)
        constant = 0.5 * found.weighted_error @ found.weighted_error
        quadratic = 0.5 * step @ found.hessian @ step + found.gradient @ step + constant
        assert found.value(step) == pytest.approx(quadratic, rel=1e-9, abs=1e-12)
        np.testing.assert_allclose(
            found.pull(step), -(found.hessian @ step + found.gradient), atol=1e-9
        )


# Our own tasks against finite differences ----------------------------------------------------


def numerical_jacobian(task: Task, configuration: pink.Configuration) -> np.ndarray:
    model, q = configuration.model, configuration.q
    columns = []
    for index in range(model.nv):
        change = np.zeros(model.nv)
        change[index] = 1e-6
        ends = []
        for sign in (1.0, -1.0):
            configuration.update(pinocchio.integrate(model, q, sign * change))
            ends.append(task.compute_error(configuration))
        columns.append((ends[0] - ends[1]) / 2e-6)
    configuration.update(q)
    return np.array(columns).T


@pytest.mark.parametrize("make", ROBOTS)
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6))
def test_the_jacobians_of_our_own_tasks_are_derivatives(
    make: Callable[[], Robot], seed: int
) -> None:
    engine = engine_with_everything(make, seed)
    configuration = engine.stack.configuration
    ours = [t for t in engine.stack.tasks if isinstance(t, JointLimitTask | ClosedChainTask)]
    assert len(ours) == 3
    for task in ours:
        if at_kink(task, configuration):
            continue
        jacobian = task.compute_jacobian(configuration)
        np.testing.assert_allclose(jacobian, numerical_jacobian(task, configuration), atol=1e-6)


def at_kink(task: Task, configuration: pink.Configuration) -> bool:
    """Tell whether the error jumps nearby: a joint at its limit, a rotation by half a turn."""
    if isinstance(task, ClosedChainTask):
        return bool(np.linalg.norm(task.compute_error(configuration)[3:]) > 2.9)
    assert isinstance(task, JointLimitTask)
    q = configuration.q[task._indices_q]
    return bool(np.minimum(np.abs(q - task.lower), np.abs(q - task.upper)).min() < 1e-5)


def test_a_soft_limit_has_no_effect_inside_and_pushes_back_outside(tmp_path: Path) -> None:
    robot = load(tmp_path, GRIPPER)  # shoulder in [-1, 1], lift in [0, 0.4], jaw in [0, 0.04]
    engine = LiveEngine(robot)
    bounds = JointBounds(robot.model.copy(), robot.velocity_caps)
    task = JointLimitTask(bounds, 2.0, 0.1, gain=0.5)
    configuration = engine.stack.configuration
    configuration.update(robot.q_from_positions({"shoulder": 0.0, "lift": 0.2, "jaw": 0.02}))
    hessian, gradient = task.compute_qp_objective(configuration)
    assert not hessian.any() and not gradient.any(), "the jaw's limits meet in their middle"
    configuration.update(robot.q_from_positions({"shoulder": 0.95, "lift": 0.05, "jaw": 0.02}))
    np.testing.assert_allclose(task.compute_error(configuration), [0.05, -0.05, 0.0], atol=1e-12)
    assert np.array_equal(np.diag(task.compute_jacobian(configuration)), [1.0, 1.0, 0.0])
    hessian, gradient = task.compute_qp_objective(configuration)
    step = -np.linalg.pinv(hessian) @ gradient
    np.testing.assert_allclose(step, [-0.025, 0.025, 0.0], atol=1e-12)
