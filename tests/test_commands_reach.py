"""``workbench reach``: a table, JSON, exit statuses, and mistakes in a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import main
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.limits import PositionBarrierSpec
from workbench.config.settings import Settings
from workbench.grasps import GraspSpec, import_grasps_from_file
from workbench.grasps.shipped import shipped_grasps
from workbench.grasps.writing import export_grasps_to_file
from workbench.live.session_file import SessionFile, write_session
from workbench.live.workers import WorkerPool
from workbench.model.request import RobotRequest


def few(path: Path, count: int = 3, *, frame: bool = True) -> Path:
    """Write the first grasps of the shipped box."""
    grasps = import_grasps_from_file(shipped_grasps("box").grasps)
    for name in grasps.get_grasp_names()[count:]:
        grasps = grasps.without(name)
    if not frame:
        header = {k: v for k, v in grasps.header.items() if not k.endswith("_frame")}
        header = {k: v for k, v in header.items() if not k.startswith("object_")}
        grasps = GraspSpec({**header, "grasps": grasps.get_grasp_dicts()})
    export_grasps_to_file(grasps, path)
    return path


def run(capfd: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    status = main(["reach", *map(str, words)])
    captured = capfd.readouterr()
    return status, captured.out, captured.err


def test_grasps_are_checked_in_processes_and_printed_best_first(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = few(tmp_path / "box.yaml")
    status, out, err = run(capfd, path, "--min-reached", 3, "--json")
    document: dict[str, Any] = json.loads(out)
    assert err == ""
    assert document["robot"] == "panda"
    assert set(next(iter(document["results"].values()))) == {
        "state", "text", "confidence", "attempts", "position_error_m", "orientation_error_rad",
        "limiting_joint", "limit_margin", "manipulability", "approach_share", "approach_s",
        "solve_s",
    }  # fmt: skip
    assert list(document["results"]) == list(import_grasps_from_file(path).ranking)
    assert document["gripper_link"] == "panda_hand"
    states = [result["state"] for result in document["results"].values()]
    reached = sum(state.startswith("reached") for state in states)
    assert document["reached"] == reached
    assert status == (0 if reached >= 3 else 1)


def test_too_few_reached_are_exit_status_1_and_the_table_says_why(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = few(tmp_path / "box.yaml", 2)
    status, out, _ = run(
        capfd, path, "--object-position", "3,0,0.2", "--object-wxyz", "1,0,0,0", "--attempts", 1,
        "--min-reached", 1,
    )  # fmt: skip
    assert status == 1
    assert out.splitlines()[-1] == "0 of 2 grasps reached"
    assert "not_reached" in out
    assert "mm and" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--object-position", "1,2"], "--object-position: is not 3 numbers"),
        (["--object-position", "nan,0,0"], "--object-position: is not 3 numbers"),
        (["--object-position", "1e9,0,0"], "--object-position x: is too far away"),
        (["--object-wxyz", "0,0,0,0"], "--object-wxyz: is no rotation"),
        (["--object-wxyz", "1,0,0"], "--object-wxyz: is not 4 numbers"),
        (["--gripper-link", "panda_hnd"], "perhaps panda_hand"),
        (["--approach-axis", "up"], "--approach-axis"),
        (["--config", "nowhere.yaml"], "nowhere.yaml"),
        (["--robot", "pandda"], "perhaps panda"),
        (["--robot", "ur5"], "--gripper-link, such as"),
        (["--attempts", "0"], "--attempts: is out of range"),
        (["--standoff", "-1"], "--standoff: is out of range"),
        (["--standoff", "nan"], "--standoff: is out of range"),
        (["--seed", "-1"], "--seed: is out of range"),
        (["--min-reached", "-1"], "--min-reached: is out of range"),
        (["--min-reached", "many"], "--min-reached: is not a whole number"),
        (["--hold", "panda_joint1"], "--hold: is not JOINT=VALUE"),
        (["--hold", "panda_joint9=0"], "perhaps panda_joint"),
        (["--hold", "panda_joint1=0", "--hold", "panda_joint1=1"], "is named twice"),
        (["--hold", "panda_joint4=1"], "--hold panda_joint4: is outside the joint's limits"),
    ],
)
def test_mistakes_are_one_sentence(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], said: str
) -> None:
    status, out, err = run(capfd, few(tmp_path / "box.yaml"), *words)
    assert status == 2
    assert said in err
    assert out == ""
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "grasps.yaml"), ("grasps: [", "grasps.yaml"), ("format: other", "format"),
        ("format: isaac_grasp\nformat_version: 2.0\ngrasps: {}", "format_version"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_grasp_file_is_one_sentence(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, text: str | None, said: str
) -> None:
    path = tmp_path / "grasps.yaml"
    if text is not None:
        path.write_text(text)
    status, out, err = run(capfd, path)
    assert (status, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1


def test_a_session_brings_its_robot_its_held_joints_and_its_lists(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = few(tmp_path / "box.yaml", 1)
    session = SessionFile(
        RobotRequest("panda"),
        Settings(
            kinematics=PinkKinematicsConfig(solver="daqp", gain=0.5, damping=5e-3),
            held_joints={"panda_joint1": 1.5},
            barriers=(
                PositionBarrierSpec(name="table", frame="panda_hand", minimum=(None, None, 0.0)),
            ),
        ),
    )  # fmt: skip
    source = tmp_path / "tuned.workbench.yaml"
    source.write_text(write_session(session))
    status, out, err = run(capfd, path, "--config", source, "--attempts", 1, "--json")
    document = json.loads(out)
    assert status == 0
    assert document["robot"] == "panda"
    assert document["held_joints"] == {"panda_joint1": 1.5}
    (result,) = document["results"].values()
    assert result["state"] == "not_reached"
    assert "held: panda_joint1" in result["text"]
    # Plans, like those of the planning mode, know no lists: that is said, here and in the document.
    assert err == f"note: {document['note']}\n"
    assert "table" in err


def test_a_joint_that_is_held_may_be_named_in_the_command(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = few(tmp_path / "box.yaml", 1)
    status, out, _ = run(capfd, path, "--hold", "panda_joint1=1.5", "--attempts", 1)
    assert status == 0
    assert "held: panda_joint1" in out


def test_ctrl_c_ends_the_processes_and_is_no_success(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[bool] = []

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(WorkerPool, "run", interrupt)
    monkeypatch.setattr(WorkerPool, "stop", lambda _pool: stopped.append(True))
    status, out, err = run(capfd, few(tmp_path / "box.yaml", 1))
    assert (status, out, err) == (130, "", "workbench: interrupted\n")
    assert stopped


def test_what_a_file_does_not_say_is_asked_for(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = few(tmp_path / "bare.yaml", frame=False)
    status, _, err = run(capfd, path)
    assert (status, "--object-position" in err) == (2, True)
    status, _, err = run(capfd, path, "--object-position", "0.5,0,0.2")
    assert (status, "--gripper-link, such as" in err) == (2, True)


def test_serve_takes_an_object_only_with_grasps(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "ur5", "--no-browser", "--object", "mug.obj"]) == 2
    assert "--grasps FILE as well" in capfd.readouterr().err
    assert main(["serve", "ur5", "--no-browser", "--gripper-frame", "palm"]) == 2
    assert "--gripper PATH as well" in capfd.readouterr().err
