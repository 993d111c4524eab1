"""``workbench parity``: table, JSON, exit statuses, and mistakes in a sentence."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pink
import pytest

from tests.ik.stand_in_for_pinker import LazyFrameTask, put_in_pinkers_place
from tests.robots_inline import GRIPPER, SIX_AXIS_ARM, write_urdf
from workbench.cli import main
from workbench.config.limits import SelfCollisionBarrierSpec
from workbench.config.settings import Settings, ToolTarget
from workbench.config.tasks import ClosedChainTaskSpec, FrameTaskSpec
from workbench.live.session_file import SessionFile, write_session
from workbench.model.request import RobotRequest
from workbench.poses import Pose


@pytest.fixture
def arm(tmp_path: Path) -> str:
    return write_urdf(tmp_path, SIX_AXIS_ARM)


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    status = main(["parity", "--ticks", "10", *map(str, words)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def document(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    status, out, err = run(capsys, *words, "--json")
    found = json.loads(out)
    assert (status, err) == (0 if found["same"] else 1, "")
    return found


def session(folder: Path, request: RobotRequest, settings: Settings) -> Path:
    path = folder / "tuned.workbench.yaml"
    path.write_text(write_session(SessionFile(request, settings)))
    return path


def test_the_table_has_a_row_for_each_course_and_a_verdict(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arm: str
) -> None:
    put_in_pinkers_place(monkeypatch)
    status, out, err = run(capsys, "--robot", arm, "--floating-base", "--tool-frame", "tool")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("six_axis_arm, 6 joints on a floating base, solver daqp: three")
    assert "pinker a stand-in" in lines[1]
    rows = {line[:12].strip(): line[12:].split() for line in lines[5:8]}
    assert list(rows) == ["step", "circle", "random walk"]
    assert all(len(cells) == 11 for cells in rows.values())
    assert lines[-1].startswith("the same: QPs to 1e-09 of their largest number, q to 1e-06")


def test_json_says_it_all_and_the_same_seed_says_the_same(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arm: str
) -> None:
    put_in_pinkers_place(monkeypatch, tasks={"FrameTask": LazyFrameTask})
    words = ("--robot", arm, "--rate", 50)
    first, again, other = (document(capsys, *words, "--seed", seed) for seed in (3, 3, 4))
    assert (first["rate_hz"], first["ticks"], first["seed"]) == (50.0, 10, 3)
    assert first["tolerance"] == {"qp_relative": 1e-9, "q": 1e-6}
    for found in (first, again, other):
        for course in found["courses"].values():
            assert set(course.pop("step_s")) == {"Pink", "Pinker", "fast"}
    assert first == again
    walks = [found["courses"].pop("random walk") for found in (first, other)]
    assert walks[0] != walks[1] and first["courses"] == other["courses"]


def test_a_difference_is_exit_status_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arm: str
) -> None:
    put_in_pinkers_place(monkeypatch, tasks={"FrameTask": LazyFrameTask})
    status, out, _ = run(capsys, "--robot", arm)
    assert status == 1
    assert out.splitlines()[-1].startswith("NOT THE SAME")
    assert "the QPs are the same" not in out


def test_answers_that_differ_by_themselves_are_explained(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arm: str
) -> None:
    def roughly(*arguments: Any, **options: Any) -> Any:
        return pink.solve_ik(*arguments, **options) + 1e-3

    put_in_pinkers_place(monkeypatch, solve_ik=roughly)
    status, out, _ = run(capsys, "--robot", arm)
    assert status == 1
    assert "step: the QPs are the same, daqp's answers are not: H has the condition number" in out


def test_ticks_without_a_step_are_counted_and_infinity_is_no_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arm: str
) -> None:
    def never(*arguments: Any, **options: Any) -> Any:
        raise ValueError("matrix G is not positive definite")

    def other_rows(*arguments: Any, **options: Any) -> Any:
        problem = pink.build_ik(*arguments, **options)
        problem.G = problem.h = None
        return problem

    put_in_pinkers_place(monkeypatch, solve_ik=never, build_ik=other_rows)
    status, out, _ = run(capsys, "--robot", arm)
    assert status == 1
    assert "daqp found no step (Pink on 0, Pinker on 10 of 10 ticks, NOT THE SAME ONES)" in out
    course = document(capsys, "--robot", arm)["courses"]["circle"]
    assert course["failed_ticks"] == {"Pink": 0, "Pinker": 10}
    assert course["qp_relative_difference"] is None and course["qp_difference"]["G"] is None


def test_costs_that_overflow_are_failures_on_both_sides_and_no_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arm: str
) -> None:
    put_in_pinkers_place(monkeypatch)
    config = tmp_path / "heavy.yaml"
    config.write_text("solver: daqp\nposition_cost: 1.0e+200\n")
    status, out, err = run(capsys, "--robot", arm, "--config", config)
    assert (status, err) == (1, "")
    assert "Pink on 10, Pinker on 10 of 10 ticks, the same ones" in out
    assert "circle: there was no way to compare" in out


def test_a_session_brings_its_robot_and_what_both_can_hold_of_its_settings(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put_in_pinkers_place(monkeypatch)
    request = RobotRequest(write_urdf(tmp_path, GRIPPER), tool_frames=("left", "right"))
    settings = Settings(
        rate_hz=200.0,
        mode="streaming",
        targets={"left": ToolTarget(Pose()), "right": ToolTarget(Pose(), enabled=False)},
        velocity_caps={"lift": 0.2},
        tasks=(
            FrameTaskSpec(name="grip", frame="left", position_cost=3.0, orientation_cost=0.0),
            ClosedChainTaskSpec(name="loop", frame="left", other_frame="palm", hard=False),
        ),
        barriers=(SelfCollisionBarrierSpec(name="apart"),),
    )
    path = session(tmp_path, request, settings)
    found = document(capsys, "--config", path)
    assert found["robot"] == "inline" and found["rate_hz"] == 200.0 and found["same"]
    assert [line.partition(":")[0] for line in found["left_out"]] == [
        "joint opposite follows jaw", "task loop (closed chain)",
        "barrier apart (self-collision)",
    ]  # fmt: skip
    assert found["remarks"] == ["mode streaming: the plain steps of the live loop are compared"]
    out = run(capsys, "--config", path)[1]
    assert out.count("left out on both sides: ") == 3 and "compared otherwise: mode" in out


def test_the_robot_of_a_session_may_be_named_and_stays_what_it_is_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arm: str
) -> None:
    put_in_pinkers_place(monkeypatch)
    path = session(tmp_path, RobotRequest(arm, floating_base=True), Settings())
    assert document(capsys, "--config", path, "--robot", arm)["floating_base"]
    other = document(capsys, "--config", path, "--robot", arm, "--tool-frame", "tool")
    assert not other["floating_base"]


def test_a_config_is_taken_for_the_robot_that_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arm: str
) -> None:
    put_in_pinkers_place(monkeypatch)
    path = tmp_path / "tuned.json"
    path.write_text('{"manipulationmodule": {"kinematics": {"solver": "osqp", "gain": 0.3}}}')
    found = document(capsys, "--robot", arm, "--config", path)
    assert found["solver"] == "osqp" and found["same"]
    assert all("fast" not in course["step_s"] for course in found["courses"].values())


def test_without_pinker_a_sentence_says_how_to_get_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pinker", None)
    status, out, err = run(capsys, "--robot", "no such robot")
    assert (status, out) == (2, "")
    assert err == (
        "workbench: Pinker is not installed; expected pip install 'ik-workbench[peers]' and a C "
        "compiler: Pinker is built from its source\n"
    )


def test_a_pinker_that_cannot_be_loaded_is_said_with_its_reason(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "pinker"
    package.mkdir()
    (package / "__init__.py").write_text("from . import _kinematics_c\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == "pinker"]:
        monkeypatch.delitem(sys.modules, name)
    status, _, err = run(capsys, "--robot", "panda")
    assert status == 2 and err.count("\n") == 1
    assert "Pinker cannot be loaded: cannot import name '_kinematics_c'" in err
    assert "C compiler" in err


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arm: str) -> dict[str, object]:
    """Return the files that mistakes are made with, by the word that stands for each."""
    put_in_pinkers_place(monkeypatch)
    config = tmp_path / "tuned.yaml"
    config.write_text("solver: daqp\n")
    request = RobotRequest(write_urdf(tmp_path, GRIPPER, "gripper.urdf"))
    saved = session(tmp_path, request, Settings(velocity_caps={"lift": 0.2}))
    return {"ARM": arm, "CONFIG": config, "SESSION": saved}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--robot: no robot is named"),
        (["--robot", "pandda"], "perhaps panda"),
        (["--robot", "ARM", "--ticks", "2"], "--ticks: is out of range (got 2)"),
        (["--robot", "ARM", "--seed", "-1"], "--seed: is out of range (got -1)"),
        (["--robot", "ARM", "--rate", "nan"], "rate_hz"),
        (["--robot", "ARM", "--rate", "fast"], "--rate: is not a number"),
        (["--robot", "ARM", "--hold", "roll=0", "--hold", "roll=1"], "a joint is named twice"),
        (["--robot", "ARM", "--config", "nowhere.yaml"], "nowhere.yaml"),
        (["--robot", "ARM", "--example", "standing"], "only profiles have examples"),
        (["--config", "CONFIG"], "--robot: no robot is named"),
        (["--config", "SESSION", "--floating-base"], "--floating-base: cannot be used with the"),
        (["--config", "SESSION", "--robot", "ARM"], "velocity_caps.lift: this robot has no such"),
    ],
)
def test_mistakes_are_one_sentence(
    capsys: pytest.CaptureFixture[str], places: dict[str, object], words: list[str], said: str
) -> None:
    status, out, err = run(capsys, *(places.get(word, word) for word in words))
    assert (status, out) == (2, "")
    assert said in err and err.count("\n") == 1
