"""``workbench reach``: a table, JSON, exit statuses, and mistakes in a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import main
from workbench.grasps import GraspSpec, import_grasps_from_file
from workbench.grasps.shipped import shipped_grasps
from workbench.grasps.writing import export_grasps_to_file


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
    status, out, _ = run(capfd, path, "--min-reached", 3, "--json")
    document: dict[str, Any] = json.loads(out)
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
        (["--object-wxyz", "0,0,0,0"], "--object-wxyz: is no rotation"),
        (["--gripper-link", "panda_hnd"], "perhaps panda_hand"),
        (["--approach-axis", "up"], "--approach-axis"),
        (["--config", "nowhere.yaml"], "nowhere.yaml"),
        (["--robot", "pandda"], "perhaps panda"),
        (["--attempts", "0"], "max_attempts"),
        (["--standoff", "-1"], "standoff_m"),
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
