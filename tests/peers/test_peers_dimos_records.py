"""The commands ``stream`` and ``plan`` against what DimOS itself computed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.commands.streaming_record import read_streaming_record
from workbench.config.simulated_arm import SimulatedArmConfig
from workbench.ik.simulated_arm import SimulatedArm

RECORDS = Path(__file__).parent / "records"
STREAMING = sorted((RECORDS / "dimos_streaming").glob("*.json"))
PLANNING = sorted((RECORDS / "dimos_planning").glob("*.json"))
LARGEST_DIFFERENCE = 1e-6


def workbench(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line as a user does, in a process where NumPy is not loaded yet."""
    environment = {name: text for name, text in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    return subprocess.run(
        [sys.executable, "-m", "workbench.cli", *words],
        capture_output=True, text=True, check=False, env=environment,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def difference(ours: list[float] | None, theirs: list[float] | None) -> float:
    if ours is None or theirs is None:
        return 0.0 if ours is theirs else float("inf")
    return float(np.abs(np.array(ours) - np.array(theirs)).max())


def test_all_records_are_here() -> None:
    assert {path.stem for path in STREAMING} >= {
        "g1_two_hands", "panda_circle_ideal", "panda_no_filter_jittered_dt",
        "panda_step_lagging_plant",
    }  # fmt: skip
    assert {path.stem for path in PLANNING} >= {
        "g1_two_hands_planning", "panda_planning", "panda_planning_margin",
        "romeo_tight_tolerances", "ur10_position_limits",
    }  # fmt: skip


@pytest.mark.parametrize("path", STREAMING, ids=lambda path: path.stem)
def test_streaming_gives_the_commands_of_dimos(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = workbench("stream", str(path), "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    printed = re.search(r"largest difference (\S+) rad", done.stdout)
    assert printed is not None and float(printed[1]) <= LARGEST_DIFFERENCE
    theirs, ours = read(path), read(out)
    assert {**theirs, "ticks": 0} == {**ours, "ticks": 0}
    assert len(theirs["ticks"]) == len(ours["ticks"])
    for tick, replayed in zip(theirs["ticks"], ours["ticks"], strict=True):
        assert tick.keys() == replayed.keys()
        assert all(tick[key] == replayed[key] for key in ("dt", "measured", "targets"))
        assert difference(replayed["command"], tick["command"]) <= LARGEST_DIFFERENCE
        assert (replayed["error"] is None) == (tick["error"] is None)


@pytest.mark.parametrize("path", PLANNING, ids=lambda path: path.stem)
def test_planning_ends_as_that_of_dimos(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = workbench("plan", "--record", str(path), "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    theirs, ours = read(path)["attempts"], read(out)["attempts"]
    assert len(theirs) == len(ours)
    for attempt, replayed in zip(theirs, ours, strict=True):
        assert attempt.keys() == replayed.keys()
        assert all(attempt[key] == replayed[key] for key in ("status", "iterations", "targets"))
        assert difference(replayed["q"], attempt["q"]) <= LARGEST_DIFFERENCE
        if attempt["status"] == "SUCCESS":  # elsewhere 200 steps out of reach decide it
            for key in ("position_error_m", "orientation_error_rad"):
                assert replayed[key] == pytest.approx(attempt[key], abs=1e-6)


@pytest.mark.parametrize(
    ("name", "time_constant_s", "tolerance"),
    [
        ("panda_circle_ideal", 0.0, 0.0),
        ("panda_step_lagging_plant", 0.08, 1e-12),
        ("g1_two_hands", 0.04, 1e-12),
    ],
)
def test_the_simulated_arm_measures_what_the_recorded_one_measured(
    name: str, time_constant_s: float, tolerance: float
) -> None:
    record = read_streaming_record(RECORDS / "dimos_streaming" / f"{name}.json")
    ticks = record.ticks
    config = SimulatedArmConfig(time_constant_s=time_constant_s)
    arm = SimulatedArm(ticks[0].measured, config)
    for tick, following in pairwise(ticks):
        measured = arm.step(tick.command, tick.dt)
        assert np.abs(measured - following.measured).max() <= tolerance
