"""The same robot, tasks and configuration give the same QP here and in Pinker, Pink's C sibling."""

from __future__ import annotations

import importlib.util
import os

import numpy as np
import pinocchio
import pytest

from tests.bare_models import PROFILES, BareModel, bare_model
from workbench.ik.bounds import JointBounds
from workbench.ik.configuration import IndexedConfiguration
from workbench.ik.quadratic_program import KeptProgram

if importlib.util.find_spec("pinker") is None and not os.environ.get("REQUIRE_PEERS"):
    pytest.skip(
        "NOT COMPARED WITH PINKER: it is built from its source and there was no C compiler; "
        "install one and run `pip install --constraint constraints.txt --editable .[peers]`",
        allow_module_level=True,
    )

import pinker
import pinker.tasks
from pink.tasks import FrameTask, PostureTask

from tests.peers.pinker_robot import pinker_model

DT = 0.01
DAMPING = 1e-6


def random_q(bounds: JointBounds, model: pinocchio.Model, random: np.random.Generator):
    limited = np.isfinite(bounds.q_lower)
    lower, upper = (
        np.where(limited, limits, unlimited)
        for limits, unlimited in ((bounds.q_lower, -3.0), (bounds.q_upper, 3.0))
    )
    return pinocchio.normalize(model, random.uniform(lower, upper))


@pytest.fixture(params=PROFILES)
def bare(request: pytest.FixtureRequest) -> BareModel:
    return bare_model(request.param)


def test_no_robot_here_is_solved_with_mimic_joints(bare: BareModel) -> None:
    # Pinker builds without: every follower is held, so that the models are the same.
    assert not any(follower.in_model for follower in bare.structure.plan.followers)
    assert pinker_model(bare).nv == bare.model.nv


def test_the_same_problem_comes_out(bare: BareModel) -> None:
    theirs = pinker_model(bare)
    random = np.random.default_rng(20)
    bounds = JointBounds(bare.model, bare.velocity_caps)
    ours = IndexedConfiguration(bare.model, bare.home_q, bare.frames, bounds)
    peer = pinker.Configuration(theirs, theirs.create_data(), bare.home_q)
    for _ in range(10):
        q = random_q(bounds, bare.model, random)
        ours.update(q)
        peer.update(q)
        our_tasks, peer_tasks = [], []
        targets = bare.placements(random_q(bounds, bare.model, random))
        for frame, target in targets.items():
            costs = random.uniform(0.1, 5.0, (2, 3)).tolist()
            our_task = FrameTask(frame, *costs, lm_damping=1e-3, gain=0.5)
            peer_task = pinker.tasks.FrameTask(frame, *costs, lm_damping=1e-3, gain=0.5)
            our_task.set_target(target)
            peer_task.set_target(pinker.kinematics.SE3(target.rotation, target.translation))
            our_tasks.append(our_task)
            peer_tasks.append(peer_task)
        posture_q = random_q(bounds, bare.model, random)
        our_tasks.append(PostureTask(1e-2))
        peer_tasks.append(pinker.tasks.PostureTask(1e-2))
        our_tasks[-1].set_target(posture_q)
        peer_tasks[-1].set_target(posture_q)

        program = KeptProgram(ours, our_tasks)
        program.assemble(bounds, DT, DAMPING)
        problem = pinker.build_ik(peer, peer_tasks, DT, DAMPING)
        np.testing.assert_allclose(program.hessian, problem.P, rtol=0, atol=1e-9)
        np.testing.assert_allclose(program.gradient, problem.q, rtol=0, atol=1e-9)
        inequalities = bounds.compute_qp_inequalities(ours, DT)
        assert inequalities is not None
        np.testing.assert_array_equal(inequalities[0], problem.G)
        np.testing.assert_allclose(inequalities[1], problem.h, rtol=0, atol=1e-9)
