"""``workbench stream`` and ``workbench plan --record`` on small records, good and bad."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.robots_inline import SIX_AXIS_ARM, write_urdf
from workbench.cli import main
from workbench.commands import reference_arithmetic

JOINTS = ["yaw", "shoulder", "elbow", "roll", "pitch", "twist"]
START = [0.0, 0.4, 0.9, 0.0, 0.8, 0.0]
TARGET = {"position": [0.6, 0.05, 0.2], "wxyz": [0.5, 0.0, 0.8, 0.1]}

Edit = Callable[[dict[str, Any]], object]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replay in this process: these records do not depend on the last bit."""
    monkeypatch.setenv(reference_arithmetic.VARIABLE, "Haswell")


def record(folder: Path, **others: Any) -> dict[str, Any]:
    write_urdf(folder, SIX_AXIS_ARM)
    return {
        "name": "arm", "robot": "arm", "urdf": "inline.urdf", "controlled_joints": JOINTS,
        "base_link": "base", "target_frames": ["tool"],
        "pink": {"solver": "daqp", "lm_damping": 1e-2}, "note": "kept", **others,
    }  # fmt: skip


def streaming(folder: Path) -> dict[str, Any]:
    tick = {"dt": 0.01, "measured": START, "targets": {"tool": TARGET}}
    return record(folder, streaming={"timeout": 0.2}, q_start=START, ticks=[tick] * 5)


def planning(folder: Path) -> dict[str, Any]:
    attempt = {"seed": START, "targets": {"tool": TARGET}}
    return record(
        folder, position_tolerance_m=1e-3, orientation_tolerance_rad=1e-2, attempts=[attempt] * 2
    )


def write(folder: Path, data: object) -> str:
    path = folder / "record.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(words)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def replayed(
    capsys: pytest.CaptureFixture[str], folder: Path, data: dict[str, Any], *words: str
) -> dict[str, Any]:
    out = folder / "out.json"
    status, _, err = run(capsys, *words, write(folder, data), "--out", str(out))
    assert status == 0, err
    return json.loads(out.read_text(encoding="utf-8"))


def test_a_record_without_commands_is_filled_and_then_compares_equal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    filled = replayed(capsys, tmp_path, streaming(tmp_path), "stream")
    assert filled["note"] == "kept" and len(filled["ticks"]) == 5
    assert all(len(tick["command"]) == 6 and tick["error"] is None for tick in filled["ticks"])
    status, out, _ = run(capsys, "stream", write(tmp_path, filled))
    assert status == 0 and "largest difference 0 rad" in out and "5 ticks" in out


def test_a_difference_is_printed_with_its_place_and_is_exit_status_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    filled = replayed(capsys, tmp_path, streaming(tmp_path), "stream")
    filled["ticks"][3]["command"][2] += 2e-6
    status, out, _ = run(capsys, "stream", write(tmp_path, filled))
    assert status == 1
    assert "largest difference 2e-06 rad" in out and "tick 3, elbow" in out
    filled["ticks"][3]["command"][2] -= 1.5e-6
    assert run(capsys, "stream", write(tmp_path, filled))[0] == 0
    filled["ticks"][1]["command"] = None
    status, out, _ = run(capsys, "stream", write(tmp_path, filled))
    assert status == 1 and "difference inf rad" in out and "tick 1" in out


def test_ticks_that_fail_are_replayed_as_failures(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    data = streaming(tmp_path)
    good = data["ticks"][0]
    data["ticks"] = [
        good,
        {**good, "measured": [9.0, *START[1:]]},
        {**good, "dt": 0.0},
        {**good, "dt": 10**400},
        {**good, "measured": [-(10**400), *START[1:]]},
        {**good, "measured": [math.nan, *START[1:]]},
        {**good, "targets": {"tool": {**TARGET, "position": [math.nan, 0, 0]}}},
        {**good, "targets": {}},
        good,
    ]
    ticks = replayed(capsys, tmp_path, data, "stream")["ticks"]
    assert [tick["command"] is not None for tick in ticks] == [True, *[False] * 7, True]
    assert "yaw" in ticks[1]["error"] and "-3" not in ticks[2]["error"]
    # The failures in between have left no trace.
    plain = replayed(capsys, tmp_path, {**data, "ticks": [good, good]}, "stream")["ticks"]
    assert ticks[-1]["command"] == plain[1]["command"]


def test_an_attempt_is_filled_and_then_compares_equal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    filled = replayed(capsys, tmp_path, planning(tmp_path), "plan", "--record")
    for attempt in filled["attempts"]:
        assert {"status", "iterations", "position_error_m", "orientation_error_rad"} <= set(attempt)
    status, out, _ = run(capsys, "plan", "--record", write(tmp_path, filled))
    assert status == 0 and "same status 2 of 2" in out and "same iterations 2 of 2" in out
    filled["attempts"][1]["iterations"] += 1
    status, out, _ = run(capsys, "plan", "--record", write(tmp_path, filled))
    assert status == 1 and "first other: 1" in out


def test_numpy_that_is_loaded_already_makes_the_replay_a_process_of_its_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(reference_arithmetic.VARIABLE)
    flags = reference_arithmetic._NEEDED_FLAGS
    monkeypatch.setattr(reference_arithmetic, "_processor_flags", lambda: flags)
    seen: list[list[str]] = []
    real = reference_arithmetic.subprocess.run

    def spy(command: list[str], **options: Any) -> Any:
        seen.append(command)
        assert options["env"][reference_arithmetic.VARIABLE] == reference_arithmetic.KERNELS
        return real(command, **options)

    monkeypatch.setattr(reference_arithmetic.subprocess, "run", spy)
    status, out, _ = run(capsys, "stream", write(tmp_path, streaming(tmp_path)))
    assert status == 0 and "5 with a command" in out
    assert len(seen) == 1 and reference_arithmetic.VARIABLE not in os.environ
    status, _, err = run(capsys, "plan", "--record", str(tmp_path / "none.json"))
    assert status == 2 and "none.json" in err and len(seen) == 2


def test_kernels_that_the_processor_lacks_are_not_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(reference_arithmetic.VARIABLE)
    monkeypatch.setattr(reference_arithmetic, "_processor_flags", lambda: frozenset(("sse2",)))
    assert reference_arithmetic.fix_arithmetic()
    assert reference_arithmetic.VARIABLE not in os.environ


def _first_tick(data: dict[str, Any], **values: object) -> None:
    data["ticks"] = [{**data["ticks"][0], **values}]


BAD: list[tuple[Edit, str]] = [
    (lambda data: data.pop("urdf"), "urdf"),
    (lambda data: data.update(urdf="no/such.urdf"), "no/such.urdf"),
    (lambda data: data.update(urdf=3), "urdf"),
    (lambda data: data.update(controlled_joints=[]), "controlled_joints"),
    (lambda data: data.update(controlled_joints=["yaw", "yaw"]), "twice"),
    (lambda data: data.update(controlled_joints=["yaw", "elbou"]), "elbow"),
    (lambda data: data.update(controlled_joints=["y" * 5000]), "is not a list of names"),
    (lambda data: data.update(target_frames=["to\nol"]), "target_frames"),
    (lambda data: data.update(target_frames=["tol"]), "perhaps tool"),
    (lambda data: data.update(base_link="tool"), "moves with a joint"),
    (lambda data: data.update(base_link="bass"), "perhaps base"),
    (lambda data: data.update(pink={"gian": 0.5}), "pink.gian"),
    (lambda data: data.update(pink={"gain": 5}), "pink.gain"),
    (lambda data: data.update(pink={"solver": "none"}), "daqp"),
    (lambda data: data.update(pink=[]), "pink"),
    (lambda data: data.update(streaming={"timeout": "x"}), "streaming.timeout"),
    (lambda data: data.update(streaming={"command_limit_margin": 9}), "command_limit_margin"),
    (lambda data: data.update(streaming={"joint_velocity_limits_rad_s": {"e": 1}}), "joint"),
    (lambda data: data.update(q_start=[0.0]), "q_start"),
    (lambda data: data.update(ticks=[]), "ticks"),
    (lambda data: data.update(ticks={}), "ticks"),
    (lambda data: data.update(ticks=[3]), "ticks[0]"),
    (lambda data: _first_tick(data, dt="fast"), "ticks[0].dt"),
    (lambda data: _first_tick(data, dt=True), "ticks[0].dt"),
    (lambda data: _first_tick(data, measured=[0.0]), "ticks[0].measured"),
    (lambda data: _first_tick(data, measured=["a"] * 6), "ticks[0].measured[0]"),
    (lambda data: _first_tick(data, command=[math.nan] * 6), "ticks[0].command[0]"),
    (lambda data: _first_tick(data, command=[10**400] * 6), "ticks[0].command[0]: is not a"),
    (lambda data: _first_tick(data, command=[None] * 6), "(got 'null')"),
    (lambda data: _first_tick(data, targets={"hand": TARGET}), "ticks[0].targets.hand"),
    (lambda data: _first_tick(data, targets={"tool": {"wxyz": [1, 0, 0, 0]}}), "position"),
    (lambda data: _first_tick(data, targets={"tool": {**TARGET, "wxyz": [1]}}), "w, x, y and z"),
]


@pytest.mark.parametrize(("edit", "said"), BAD, ids=[said for _, said in BAD])
def test_a_bad_record_is_one_sentence_and_exit_status_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, edit: Edit, said: str
) -> None:
    data = streaming(tmp_path)
    edit(data)
    out = tmp_path / "out.json"
    status, printed, err = run(capsys, "stream", write(tmp_path, data), "--out", str(out))
    assert (status, printed) == (2, "")
    assert said in err and len(err.strip().splitlines()) == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON"), ("{", "is not JSON"), ("[]", "is not a record"),
        ('{"a": 1,\n"b" 2}', "record.json:2"), ("[" * 100_000, "JSON"), ("\ud800", "UTF-8"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_record_is_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(text.encode("utf-8", errors="surrogatepass"))
    for words in (["stream"], ["plan", "--record"]):
        status, _, err = run(capsys, *words, str(path))
        assert status == 2 and said in err and len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("seed", [0.0], "attempts[0].seed"),
        ("seed", [math.nan] * 6, "attempts[0].seed[0]"),
        ("seed", [10**400] * 6, "attempts[0].seed[0]"),
        ("targets", {}, "attempts[0].targets"),
        ("status", 3, "attempts[0].status"),
    ],
)
def test_a_bad_attempt_is_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, key: str, value: object, said: str
) -> None:
    data = planning(tmp_path)
    data["attempts"] = [{**data["attempts"][0], key: value}]
    status, _, err = run(capsys, "plan", "--record", write(tmp_path, data))
    assert status == 2 and said in err


def test_a_folder_that_is_not_there_cannot_be_written_to(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = write(tmp_path, streaming(tmp_path))
    status, _, err = run(capsys, "stream", path, "--out", "/does/not/exist.json")
    assert status == 2 and "/does/not/exist.json" in err
