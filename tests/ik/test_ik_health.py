"""The health check: every solver after the same moving targets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ik.engines import CALM, arm_engine, inputs, positions_of
from workbench.ik import health
from workbench.ik.health import HealthRow, HealthTable, check_health
from workbench.ik.solvers import installed_solvers
from workbench.ik.types import RobotPose
from workbench.poses import Pose

TARGETS = {"tool": Pose()}


def test_every_installed_solver_has_a_row_at_every_rate(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    calls: list[tuple[int, int]] = []

    def keep_going(done: int, total: int) -> bool:
        calls.append((done, total))
        return True

    table = check_health(
        engine.robot, inputs(TARGETS), RobotPose(positions_of(engine)), keep_going,
        rates_hz=(50.0, 200.0), ticks=20,
    )  # fmt: skip
    found = [(row.rate_hz, row.solver) for row in table.rows]
    assert found == [(rate, name) for rate in (50.0, 200.0) for name in installed_solvers()]
    assert table.complete and calls[-1][1] == len(found)
    for row in table.rows:
        assert row.ticks == 20 and 0.0 < row.p50_ms <= row.p99_ms
        if row.solver == "daqp":
            assert row.failures == 0 and row.largest_difference == 0.0
        elif not row.failures:
            assert 0.0 <= row.largest_difference < 0.05


def test_the_robot_really_moves(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    start = RobotPose(positions_of(engine))
    run = health._Run(engine.robot, inputs(TARGETS), start, 100.0, 100, lambda: True)
    track = run.with_solver("daqp")
    assert track is not None
    assert abs(track.positions[-1] - track.positions[0]).max() > 0.05


def test_a_solver_that_fails_is_counted_and_warned_of(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    held = inputs(TARGETS, CALM, held_joints={"elbow": 3.0})  # beyond its limit: every tick holds
    table = check_health(
        engine.robot, held, RobotPose(positions_of(engine)), lambda done, total: True,
        solvers=["daqp"], rates_hz=(100.0,), ticks=10,
    )  # fmt: skip
    [row] = table.rows
    assert row.failures == 10 and "elbow" in row.first_cause
    assert table.warning("daqp", 100.0).startswith("daqp failed in 10 of 10 ticks at 100 Hz: Joint")


def test_it_ends_when_it_is_told_to(tmp_path: Path) -> None:
    engine = arm_engine(tmp_path)
    table = check_health(
        engine.robot, inputs(TARGETS), RobotPose(positions_of(engine)),
        lambda done, total: done < 1, solvers=["daqp"], rates_hz=(50.0, 100.0), ticks=5,
    )  # fmt: skip
    assert not table.complete and len(table.rows) == 1


@pytest.mark.parametrize(
    ("rate_hz", "words"),
    [(50.0, ""), (90.0, "lazy failed in 3"), (400.0, "lazy takes 7.0 ms for a tick")],
)
def test_the_nearest_rate_is_warned_of(rate_hz: float, words: str) -> None:
    def row(rate: float, failures: int, p50_ms: float) -> HealthRow:
        return HealthRow("lazy", rate, 500, failures, "no step" * (failures > 0), p50_ms, 9.0, 0.0)

    table = HealthTable((row(50.0, 0, 1.0), row(100.0, 3, 1.0), row(500.0, 0, 7.0)))
    found = table.warning("lazy", rate_hz)
    assert found.startswith(words) and bool(found) == bool(words)
    assert table.warning("unknown", rate_hz) == ""
