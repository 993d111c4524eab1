"""``workbench parity`` with the real Pinker: the same QPs and the same way, whatever the robot."""

from __future__ import annotations

import importlib.util
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
import pytest

from tests.bare_models import BareModel
from tests.export.subjects import rich_subject
from tests.ik.listed import every_kind, floating_g1
from tests.robots_inline import joint, limit, mimic, robot, write_urdf
from workbench.cli import main
from workbench.config.limits import (
    AccelerationLimitSpec,
    FloatingBaseVelocityLimitSpec,
    SelfCollisionBarrierSpec,
)
from workbench.config.settings import Settings
from workbench.config.tasks import FrameTaskSpec
from workbench.ik.parity_losses import without_mimic
from workbench.live.session_file import SessionFile, write_session
from workbench.model.pinocchio_model import add_tool_frames, build_model, joint_ids, set_limits
from workbench.model.request import RobotRequest
from workbench.model.structure import read_structure
from workbench.poses import Pose

if importlib.util.find_spec("pinker") is None and not os.environ.get("REQUIRE_PEERS"):
    pytest.skip(
        "NOT COMPARED WITH PINKER: it is built from its source and there was no C compiler; "
        "install one and run `pip install --constraint constraints.txt --editable .[peers]`",
        allow_module_level=True,
    )

from tests.peers.pinker_robot import pinker_model

ROUNDING = 1e-12

AWKWARD = robot(
    joint("root_joint", "fixed", "base", "stand", inside="", rpy="0.1 0.2 0.3"),
    joint("hub", parent="stand", child="arm", axis="0.6 0 0.8"),
    joint("arm", "continuous", "arm", "wrist", inside=limit(), axis="1 1 0", rpy="0.3 0.2 0.1"),
    joint("slide", "prismatic", "wrist", "rail", axis="1 2 3", rpy="0.1 0 0.4"),
    joint("fore", "continuous", "rail", "turned", inside="", axis="1 2 2", xyz="0.1 0.2 0.3"),
    joint("bend", parent="turned", child="fore", axis="0 1 0"),
    joint("follow", parent="fore", child="hub", inside=limit() + mimic("bend", -0.5, 0.2)),
    joint("fast", parent="hub", child="hand", inside=limit(-2, 2, 0), axis="1 0 0"),
    links="base stand arm wrist rail turned fore hub hand",
    name="awkward",
)
"""Skew axes, joints called like other links and like the floating base, and one that mimics."""


def parity(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    """Return what the command says of 10 ticks, where all is the same up to rounding."""
    status = main(["parity", "--ticks", "10", "--json", *map(str, words)])
    captured = capsys.readouterr()
    assert (status, captured.err) == (0, "")
    found = json.loads(captured.out)
    for course in found["courses"].values():
        assert course["qp_relative_difference"] < ROUNDING
        assert course["q_difference"] < 1e-9
    return found


def session(folder: Path, request: RobotRequest, settings: Settings) -> Path:
    path = folder / "tuned.workbench.yaml"
    path.write_text(write_session(SessionFile(request, settings)))
    return path


@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_an_awkward_robot_is_the_same_for_both(tmp_path: Path, base: str) -> None:
    path = write_urdf(tmp_path, AWKWARD)
    request = RobotRequest(
        path, floating_base=base == "floating", hold={"slide": 0.3, "fore": 0.7},
        tool_frames=("hand", "tip=hub:0.1,0.2,0.3,0.4,0.5,0.6"),
    )  # fmt: skip
    request, mimics = without_mimic(request, read_structure(request))
    assert len(mimics) == 1
    structure = read_structure(request)
    plan, floating = structure.plan, structure.floating_base
    model = build_model(structure.urdf, plan.followers, plan.locked, floating_base=floating)
    set_limits(model, plan.limits, floating_base=floating)
    add_tool_frames(model, structure.tools)
    peer = pinker_model(BareModel(structure, model, ("hand", "tip"), pinocchio.neutral(model)))

    assert [peer.names[index] for index in joint_ids(model).values()] == list(joint_ids(model))
    random = np.random.default_rng(7)
    tangent = random.uniform(-1.0, 1.0, model.nv)
    q = pinocchio.integrate(model, pinocchio.neutral(model), tangent)
    data, peer_data = model.createData(), peer.create_data()
    pinocchio.framesForwardKinematics(model, data, q)
    from pinker import kinematics

    kinematics.frames_forward_kinematics(peer, peer_data, q)
    for name in (*structure.urdf.links, "tip"):
        ours = data.oMf[model.getFrameId(name)]
        theirs = peer_data.oMf[peer.get_frame_id(name)]
        np.testing.assert_allclose(theirs.rotation, ours.rotation, rtol=0, atol=ROUNDING)
        np.testing.assert_allclose(theirs.translation, ours.translation, rtol=0, atol=ROUNDING)


def test_a_robot_with_mimic_joints_runs_on_both(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = write_urdf(tmp_path, AWKWARD)
    found = parity(capsys, "--robot", path, "--hold", "slide=0.3", "--floating-base")
    assert len(found["left_out"]) == 1 and "joint follow follows bend" in found["left_out"][0]


def test_fingers_that_mimic_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    path = rich_subject("panda").robot
    assert path is not None
    found = parity(capsys, "--robot", path.urdf_path)
    assert found["left_out"][0].startswith("joint panda_finger_joint2 follows panda_finger_joint1")


def test_a_session_with_something_of_everything(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    settings = rich_subject("panda").settings
    settings = replace(
        settings,
        held_joints={"panda_joint3": 0.1},
        barriers=(*settings.barriers, SelfCollisionBarrierSpec(name="self")),
    )
    found = parity(capsys, "--config", session(tmp_path, RobotRequest("panda"), settings))
    assert found["left_out"] == ["barrier self (self-collision): Pinker has no collision model"]


def test_every_kind_of_task_and_limit_on_a_floating_base_that_stands_askew(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    g1 = floating_g1()
    settings = Settings(
        kinematics=g1.description.defaults,
        tasks=every_kind(g1),
        limits=(
            FloatingBaseVelocityLimitSpec(name="calm base"),
            AccelerationLimitSpec(name="smooth", acceleration=100.0),
        ),
        home_base=Pose.from_xyz_rpy((1.0, 2.0, 3.0), (0.3, -0.2, 0.1)),
    )
    request = RobotRequest("g1", floating_base=True)
    found = parity(capsys, "--config", session(tmp_path, request, settings))
    assert len(found["left_out"]) == 3 and found["floating_base"]


def test_a_hard_tool_is_held_by_both(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    hard = FrameTaskSpec(
        name="left", frame="left_hand", hard=True, position_cost=1.0, orientation_cost=0.0
    )
    request = RobotRequest("dual_arm_7dof")
    daqp = Settings().kinematics.with_values(solver="daqp")
    settings = Settings(kinematics=daqp, tasks=(hard,))
    found = parity(capsys, "--config", session(tmp_path, request, settings))
    for course in found["courses"].values():
        assert course["failed_ticks"] == {"Pink": 0, "Pinker": 0}


@pytest.mark.parametrize(("profile", "example"), [("g1", "standing"), ("tiago_dual", "driving")])
def test_examples_are_the_same(
    capsys: pytest.CaptureFixture[str], profile: str, example: str
) -> None:
    found = parity(capsys, "--robot", profile, "--example", example)
    assert found["floating_base"]


def test_a_urdf_that_pinker_cannot_read_is_said_in_a_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    odd = robot(joint("turn")).replace('<axis xyz="0 0 1"/>', "<axis/>")
    assert main(["parity", "--robot", write_urdf(tmp_path, odd)]) == 2
    err = capsys.readouterr().err
    assert "is refused by Pinker" in err and err.count("\n") == 1
