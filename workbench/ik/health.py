"""How every installed QP solver does with this robot, these settings, at several rates.

Each solver drives a robot of its own after the same moving targets, tick by tick, as the live loop
would; the reference solver does the same beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.ik.health_table import HealthRow, HealthTable
from workbench.ik.solvers import installed_solvers
from workbench.ik.tick import LiveEngine
from workbench.ik.types import RobotPose, TickInputs, TickResult
from workbench.poses import Pose, multiply_wxyz, wxyz_from_rotation_vector

if TYPE_CHECKING:
    from workbench.model.robot import Robot

REFERENCE_SOLVER = "daqp"
RATES_HZ = (50.0, 100.0, 200.0, 500.0)
TICKS = 500

_RADIUS_M = 0.05
_ANGLE_RAD = 0.2
_PERIOD_S = 2.0


def check_health(
    robot: Robot,
    inputs: TickInputs,
    start: RobotPose,
    keep_going: Callable[[int, int], bool],
    *,
    solvers: Sequence[str] | None = None,
    rates_hz: Sequence[float] = RATES_HZ,
    ticks: int = TICKS,
) -> HealthTable:
    """Drive the robot after moving targets with every solver at every rate.

    Thread-safe: engines of its own.

    Args:
        robot: The robot.
        inputs: Settings in force. The targets move around where the tools are at the start.
        start: Where the robot starts.
        keep_going: Called now and then with runs done and runs in all; the check ends early when
            it returns False.
        solvers: Solvers to check; all that are installed by default.
        rates_hz: Rates to check at.
        ticks: Ticks of each run.

    Raises:
        SolverError: If the inputs name a frame or a joint that the robot does not have.
    """
    names = installed_solvers() if solvers is None else tuple(solvers)
    rows: list[HealthRow] = []
    total = len(rates_hz) * len(names)
    for rate_hz in rates_hz:
        run = _Run(robot, inputs, start, rate_hz, ticks, lambda: keep_going(len(rows), total))
        reference = run.with_solver(REFERENCE_SOLVER)
        if reference is None:
            return HealthTable(tuple(rows), complete=False)
        for solver in names:
            track = reference if solver == REFERENCE_SOLVER else run.with_solver(solver)
            if track is None:
                return HealthTable(tuple(rows), complete=False)
            rows.append(_row(solver, rate_hz, track, reference))
    return HealthTable(tuple(rows))


@dataclass(frozen=True, eq=False)
class _Track:
    """What one run left behind.

    Attributes:
        positions: Joint positions after each tick, shape (ticks, n).
        durations_s: Duration of each tick, shape (ticks,).
        causes: Why ticks failed.
    """

    positions: NDArray[np.float64]
    durations_s: NDArray[np.float64]
    causes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Run:
    """One rate's run, to be repeated with every solver."""

    robot: Robot
    inputs: TickInputs
    start: RobotPose
    rate_hz: float
    ticks: int
    keep_going: Callable[[], bool]

    def with_solver(self, solver: str) -> _Track | None:
        """Return a run's track; None when it was ended early."""
        dt = 1.0 / self.rate_hz
        config = self.inputs.config.with_values(solver=solver)
        inputs = replace(self.inputs, config=config, dt=dt)
        engine = LiveEngine(self.robot)
        engine.set_positions(self.start.positions, self.start.transform_base_to_world)
        centres = {
            tool.frame: tool.transform_tool_to_world
            for tool in engine.observe(inputs).tools
            if tool.frame in inputs.targets
        }
        results: list[TickResult] = []
        for number in range(self.ticks):
            if number % 50 == 0 and not self.keep_going():
                return None
            targets = _moved(centres, number * dt)
            results.append(engine.tick(replace(inputs, targets=targets)))
        return _Track(
            np.array([result.positions for result in results]),
            np.array([result.solve_time_s for result in results]),
            tuple(result.status.cause for result in results if not result.status.ok),
        )


def _moved(centres: Mapping[str, Pose], time_s: float) -> dict[str, Pose]:
    """Return targets on circles that begin at the centres, turning to and fro."""
    angle = 2.0 * math.pi * time_s / _PERIOD_S
    shift = _RADIUS_M * np.array([1.0 - math.cos(angle), math.sin(angle), math.sin(2.0 * angle)])
    turn = wxyz_from_rotation_vector([0.0, 0.0, _ANGLE_RAD * math.sin(angle)])
    return {
        frame: Pose(pose.translation + shift, multiply_wxyz(pose.wxyz, turn))
        for frame, pose in centres.items()
    }


def _row(solver: str, rate_hz: float, track: _Track, reference: _Track) -> HealthRow:
    difference = np.abs(track.positions - reference.positions)
    # A continuous joint that went round the other way is not somewhere else.
    difference = np.minimum(difference, np.abs(2.0 * math.pi - difference))
    return HealthRow(
        solver=solver,
        rate_hz=rate_hz,
        ticks=len(track.durations_s),
        failures=len(track.causes),
        first_cause=track.causes[0] if track.causes else "",
        p50_ms=1e3 * float(np.percentile(track.durations_s, 50.0)),
        p99_ms=1e3 * float(np.percentile(track.durations_s, 99.0)),
        largest_difference=float(difference.max(initial=0.0)),
    )
