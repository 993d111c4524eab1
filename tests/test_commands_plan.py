"""``workbench plan --robot``: JSON out, and one sentence for each mistake."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.ik.test_ik_streaming import pose_of
from tests.robots_inline import SIX_AXIS_ARM, write_urdf
from workbench.cli import main
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.planning import PlanningConfig
from workbench.config.settings import Settings
from workbench.config.tasks import DampingTaskSpec
from workbench.live.session_file import SessionFile, write_session
from workbench.model.controlled import ControlledRobot, controlled_from_request
from workbench.model.request import RobotRequest

TARGET = "tool=0.55,0.1,0.25,0.6,0,0.8,0"
START = ("--start", "shoulder=0.4", "--start", "elbow=0.9", "--start", "pitch=0.8")


@pytest.fixture
def arm(tmp_path: Path) -> str:
    return write_urdf(tmp_path, SIX_AXIS_ARM)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(("plan", *words))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_a_plan_is_printed_as_json(capsys: pytest.CaptureFixture[str], arm: str) -> None:
    status, out, err = run(capsys, "--robot", arm, "--target", TARGET, *START)
    plan = json.loads(out)
    assert (status, err, plan["status"]) == (0, "", "SUCCESS")
    assert set(plan["positions"]) == {"yaw", "shoulder", "elbow", "roll", "pitch", "twist"}
    assert plan["position_error_m"] <= 1e-3 and plan["orientation_error_rad"] <= 1e-2
    assert 1 <= plan["attempt"] == plan["attempts"] <= 10 and plan["iterations"] >= 1
    assert run(capsys, "--robot", arm, "--target", TARGET, *START)[1] == out


def target(robot: ControlledRobot, frame: str, **positions: float) -> str:
    """Return --target's text for where a frame is at some positions."""
    pose = pose_of(robot, robot.vector(positions), frame)
    return f"{frame}=" + ",".join(map(repr, [*pose.translation.tolist(), *pose.wxyz.tolist()]))


def test_a_profile_plans_for_both_of_its_hands(capsys: pytest.CaptureFixture[str]) -> None:
    robot, _ = controlled_from_request(RobotRequest("dual_arm_7dof"))
    status, out, _ = run(
        capsys, "--robot", "dual_arm_7dof", "--attempts", "20", "--seed", "3",
        "--position-tolerance", "0.002", "--orientation-tolerance", "0.02",
        "--target", target(robot, "left_hand", left_joint1=0.4, left_joint4=1.0),
        "--target", target(robot, "right_hand", right_joint1=0.2, right_joint4=0.8),
    )  # fmt: skip
    plan = json.loads(out)
    assert (status, plan["status"], plan["seed"]) == (0, "SUCCESS", 3)
    assert len(plan["positions"]) == 14


def test_no_solution_is_json_as_well_and_exit_status_1(
    capsys: pytest.CaptureFixture[str], arm: str, tmp_path: Path
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("solver: daqp\nlm_damping: 0.01\nmax_iterations: 7\n")
    status, out, _ = run(
        capsys, "--robot", arm, "--target", "tool=9,0,0,1,0,0,0", "--attempts", "2",
        "--config", str(config),
    )  # fmt: skip
    plan = json.loads(out)
    assert status == 1
    assert (plan["status"], plan["attempts"], plan["positions"]) == ("NO_SOLUTION", 2, None)
    assert plan["iterations"] == 7
    assert plan["position_error_m"] > 1.0


def test_where_the_solve_failed_there_are_no_errors_rather_than_none_left(
    capsys: pytest.CaptureFixture[str], arm: str
) -> None:
    status, out, _ = run(capsys, "--robot", arm, "--target", "tool=1e300,0,0,1,0,0,0")
    plan = json.loads(out)
    assert (status, plan["status"], plan["iterations"]) == (1, "NO_SOLUTION", 0)
    assert (plan["position_error_m"], plan["orientation_error_rad"]) == (None, None)


def test_a_plan_may_start_on_a_limit_and_not_beyond_it(
    capsys: pytest.CaptureFixture[str], arm: str
) -> None:
    robot, _ = controlled_from_request(RobotRequest(arm))
    limit = float(robot.upper[robot.joint_index("elbow")])
    words = ("--robot", arm, "--target", TARGET, "--start")
    assert run(capsys, *words, f"elbow={limit!r}")[0] == 0
    status, out, err = run(capsys, *words, f"elbow={limit + 1e-3!r}")
    assert (status, out) == (2, "")
    for evidence in ("--start elbow", repr(limit + 1e-3), f"{-limit:.6g}, {limit:.6g}"):
        assert evidence in err


def test_a_held_joint_is_held_and_out_writes_a_file(
    capsys: pytest.CaptureFixture[str], arm: str, tmp_path: Path
) -> None:
    robot, _ = controlled_from_request(RobotRequest(arm))
    goal = target(robot, "tool", shoulder=0.5, elbow=0.8, pitch=0.7, roll=0.2, twist=0.25)
    out = tmp_path / "plan.json"
    status, printed, _ = run(
        capsys, "--robot", arm, "--target", goal, *START, "--hold", "twist=0.25", "--out", str(out)
    )
    assert status == 0 and printed.startswith("SUCCESS")
    assert json.loads(out.read_text())["positions"]["twist"] == pytest.approx(0.25, abs=1e-8)


def test_a_session_plans_with_what_planning_knows_of_it(
    capsys: pytest.CaptureFixture[str], arm: str, tmp_path: Path
) -> None:
    settings = Settings(
        kinematics=PinkKinematicsConfig(solver="daqp", lm_damping=0.01, max_iterations=3),
        planning=PlanningConfig(max_attempts=2, seed=5),
        held_joints={"twist": 0.25},
        velocity_caps={"yaw": 0.1},
    )
    session = tmp_path / "mine.workbench.yaml"
    words = ("--robot", arm, "--target", "tool=9,0,0,1,0,0,0", *START, "--config", str(session))

    def plan(settings: Settings, *more: str) -> tuple[dict[str, Any], str]:
        session.write_text(write_session(SessionFile(RobotRequest(arm), settings)))
        _, out, err = run(capsys, *words, *more)
        return json.loads(out), err

    found, err = plan(settings)
    assert (found["attempts"], found["iterations"], found["seed"], err) == (2, 3, 5, "")
    assert plan(settings, "--attempts", "1", "--seed", "6")[0]["attempts"] == 1
    assert plan(replace(settings, held_joints={}))[0] != found
    assert plan(replace(settings, velocity_caps={}))[0] != found
    listed, err = plan(replace(settings, tasks=(DampingTaskSpec(name="calm", cost=100.0),)))
    assert listed == found and "lists of tasks" in err and len(err.splitlines()) == 1
    session.write_text(
        write_session(SessionFile(RobotRequest(arm), replace(settings, held_joints={"twits": 0.0})))
    )
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "") and "twits" in err and "twist" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--record"),
        (["--robot", "ARM"], "--target"),
        (["--robot", "ARM", "--record", "x.json"], "--record"),
        (["--record", "x.json", "--target", TARGET], "--target"),
        (["--record", "x.json", "--seed", "0"], "--seed"),
        (["--robot", "pandq", "--target", TARGET], "panda"),
        (["--robot", "/does/not/exist.urdf", "--target", TARGET], "/does/not/exist.urdf"),
        (["--robot", "ARM", "--target", "tool"], "qw,qx,qy,qz"),
        (["--robot", "ARM", "--target", "tool=1,2,3"], "qw,qx,qy,qz"),
        (["--robot", "ARM", "--target", "tool=nan,0,0,1,0,0,0"], "qw,qx,qy,qz"),
        (["--robot", "ARM", "--target", "tool=0,0,0,0,0,0,0"], "length zero"),
        (["--robot", "ARM", "--target", "tol=0,0,0,1,0,0,0"], "perhaps tool"),
        (["--robot", "ARM", "--target", TARGET, "--target", TARGET], "twice"),
        (["--robot", "ARM", "--target", TARGET, "--start", "elbou=0"], "elbow"),
        (["--robot", "ARM", "--target", TARGET, "--start", "elbow"], "JOINT=VALUE"),
        (["--robot", "ARM", "--target", TARGET, "--start", "elbow=9"], "outside the joint's"),
        (["--robot", "ARM", "--target", TARGET, "--hold", "elbow=9"], "outside its limits"),
        (["--robot", "ARM", "--target", TARGET, "--attempts", "0"], "--attempts"),
        (["--robot", "ARM", "--target", TARGET, "--seed", "-1"], "--seed"),
        (["--robot", "ARM", "--target", TARGET, "--seed", "x"], "--seed"),
        (["--robot", "ARM", "--target", TARGET, "--position-tolerance", "-1"],
         "--position-tolerance"),
        (["--robot", "ARM", "--target", TARGET, "--config", "/does/not/exist.yaml"],
         "/does/not/exist.yaml"),
        (["--robot", "ARM", "--target", TARGET, "--out", "/does/not/exist.json"],
         "/does/not/exist.json"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence_that_names_it(
    capsys: pytest.CaptureFixture[str], arm: str, words: list[str], said: str
) -> None:
    status, out, err = run(capsys, *(arm if word == "ARM" else word for word in words))
    assert (status, out) == (2, "")
    assert said in err and len(err.strip().splitlines()) == 1
