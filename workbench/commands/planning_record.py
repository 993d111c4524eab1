"""Replaying a planning record: single attempts, and how their outcomes differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.commands.record_file import Fields, RecordHead, read_record, write_record
from workbench.config.planning import PlanningConfig
from workbench.errors import ConfigError
from workbench.ik.planning import Planner, PlanResult
from workbench.poses import Pose

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RecordedAttempt:
    """One attempt of a record.

    Attributes:
        seed: Where it starts, in the order of commands, shape (n,).
        targets: Target of each frame that has one; None if one of them is no pose.
        status: How it ended; None where the record does not say.
        iterations: Iterations that it took.
        positions: Where it ended, shape (n,); None where it did not arrive.
    """

    seed: Vector
    targets: dict[str, Pose] | None
    status: str | None
    iterations: int
    positions: Vector | None


@dataclass(frozen=True, eq=False)
class PlanningRecord:
    """A planning record, ready to be replayed.

    Attributes:
        head: What it starts with.
        planning: Tolerances; one attempt.
        attempts: Its attempts.
    """

    head: RecordHead
    planning: PlanningConfig
    attempts: tuple[RecordedAttempt, ...]


@dataclass(frozen=True, eq=False)
class PlanningReplay:
    """What came out of a replay.

    Attributes:
        results: Outcome of each attempt; None where a target is no pose.
        compared: Attempts whose outcome the record says.
        same_status: How many of them ended the same way.
        same_iterations: How many of them took the same number of iterations.
        largest_difference: Largest difference of a position, rad or m; infinite where only one of
            the two arrived.
        first_different: The first attempt with another status or number of iterations, from 0.
    """

    results: tuple[PlanResult | None, ...]
    compared: int
    same_status: int
    same_iterations: int
    largest_difference: float
    first_different: int | None


def read_planning_record(path: Path) -> PlanningRecord:
    """Read a planning record and load its robot.

    Raises:
        ConfigError: If the file is no planning record.
        RobotError: If its robot cannot be loaded, or has no such joint or frame.
    """
    head = read_record(path)
    fields = head.fields
    tolerances = {
        name: fields.number(name)
        for name in ("position_tolerance_m", "orientation_tolerance_rad")
        if name in fields.data
    }
    try:
        planning = PlanningConfig.checked(max_attempts=1, **tolerances)
    except ConfigError as error:
        error.path = str(path)
        raise
    attempts = tuple(_attempt(entry, head) for entry in fields.objects("attempts"))
    return PlanningRecord(head, planning, attempts)


def replay_planning(record: PlanningRecord) -> PlanningReplay:
    """Plan every attempt of a record and compare the outcomes."""
    head = record.head
    planner = Planner(head.robot, head.config, record.planning)
    results = tuple(
        planner.plan(attempt.targets, attempt.seed) if attempt.targets else None
        for attempt in record.attempts
    )
    compared = same_status = same_iterations = 0
    largest, first_different = 0.0, None
    for index, (attempt, result) in enumerate(zip(record.attempts, results, strict=True)):
        if attempt.status is None:
            continue
        outcome = _outcome(result)
        compared += 1
        same_status += attempt.status == outcome["status"]
        same_iterations += attempt.iterations == outcome["iterations"]
        if first_different is None and (attempt.status, attempt.iterations) != (
            outcome["status"], outcome["iterations"],
        ):  # fmt: skip
            first_different = index
        positions = None if result is None else result.positions
        largest = max(largest, _difference(attempt.positions, positions))
    return PlanningReplay(results, compared, same_status, same_iterations, largest, first_different)


def write_planning_record(path: str, record: PlanningRecord, replay: PlanningReplay) -> None:
    """Write the replayed outcomes in the record's own format; raises UsageError."""
    entries = [
        {**entry.data, **_outcome(result)}
        for entry, result in zip(
            record.head.fields.objects("attempts"), replay.results, strict=True
        )
    ]
    write_record(path, record.head.fields, "attempts", entries)


def _attempt(entry: Fields, head: RecordHead) -> RecordedAttempt:
    size = len(head.robot.joint_names)
    has_outcome = "status" in entry.data
    targets = entry.targets(head.frames)
    if targets is not None and not targets:
        raise entry.error("is empty", "targets", expected="a target for at least one frame")
    return RecordedAttempt(
        seed=entry.positions("seed", size),
        targets=targets,
        status=entry.get("status", str, "a text") if has_outcome else None,
        iterations=entry.get("iterations", int, "a whole number") if has_outcome else 0,
        positions=entry.optional_positions("q", size),
    )


def _outcome(result: PlanResult | None) -> dict[str, Any]:
    """Return an outcome as a record holds it."""
    if result is None:
        return {
            "status": "NO_SOLUTION", "iterations": 0, "position_error_m": 0.0,
            "orientation_error_rad": 0.0, "q": None,
        }  # fmt: skip
    return {
        "status": result.status,
        "iterations": result.iterations,
        "position_error_m": result.position_error_m,
        "orientation_error_rad": result.orientation_error_rad,
        "q": None if result.positions is None else result.positions.tolist(),
    }


def _difference(recorded: Vector | None, positions: Vector | None) -> float:
    if recorded is None or positions is None:
        return 0.0 if recorded is positions else math.inf
    return float(np.abs(recorded - positions).max())
