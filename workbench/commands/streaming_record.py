"""Replaying a streaming record: the same inputs, tick by tick, and how the commands differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.commands.record_file import RecordHead, read_record, write_record
from workbench.config.streaming import StreamingConfig
from workbench.errors import ConfigError
from workbench.ik.streaming import StreamingSolver
from workbench.ik.streaming_types import StreamingStep
from workbench.ik.types import SolveStatus
from workbench.poses import Pose

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RecordedTick:
    """One tick of a record.

    Attributes:
        dt: Length of the tick, s.
        measured: Measured positions, in the order of commands, shape (n,).
        targets: Target of each frame that has one; None if one of them is no pose.
        compared: Whether the record says what came out.
        command: What came out, shape (n,); None where no command did.
    """

    dt: float
    measured: Vector
    targets: dict[str, Pose] | None
    compared: bool
    command: Vector | None


@dataclass(frozen=True, eq=False)
class StreamingRecord:
    """A streaming record, ready to be replayed.

    Attributes:
        head: What it starts with.
        streaming: Bounds of the commands.
        ticks: Its ticks.
    """

    head: RecordHead
    streaming: StreamingConfig
    ticks: tuple[RecordedTick, ...]


@dataclass(frozen=True, eq=False)
class StreamingReplay:
    """What came out of a replay.

    Attributes:
        steps: Outcome of each tick.
        compared: Ticks whose outcome the record says.
        largest_difference: Largest difference of a command's position from the record, rad or m;
            infinite where only one of the two has a command.
        tick: The tick with the largest difference, from 0; None if nothing was compared.
        joint: Its joint; empty where only one of the two has a command.
    """

    steps: tuple[StreamingStep, ...]
    compared: int
    largest_difference: float
    tick: int | None
    joint: str


def read_streaming_record(path: Path) -> StreamingRecord:
    """Read a streaming record and load its robot.

    Raises:
        ConfigError: If the file is no streaming record, or its bounds do not fit the robot.
        RobotError: If its robot cannot be loaded, or has no such joint or frame.
    """
    head = read_record(path)
    fields, size = head.fields, len(head.robot.joint_names)
    streaming = fields.settings("streaming", StreamingConfig)
    fields.optional_positions("q_start", size)
    ticks = tuple(
        RecordedTick(
            dt=tick.number("dt"),
            measured=tick.positions("measured", size, finite=False),
            targets=tick.targets(head.frames),
            compared="command" in tick.data,
            command=tick.optional_positions("command", size),
        )
        for tick in fields.objects("ticks")
    )
    return StreamingRecord(head, streaming, ticks)


def replay_streaming(record: StreamingRecord) -> StreamingReplay:
    """Run the solver over a record's inputs and compare the commands.

    Raises:
        ConfigError: If the bounds do not fit the robot.
    """
    head = record.head
    try:
        solver = StreamingSolver(head.robot, head.config, record.streaming)
    except ConfigError as error:
        raise ConfigError(
            error.message, path=head.fields.path, field=f"streaming.{error.field}",
            value=error.value, expected=error.expected,
        ) from error  # fmt: skip
    steps = tuple(_step(solver, tick) for tick in record.ticks)
    largest, worst, joint, compared = 0.0, None, "", 0
    for index, (tick, step) in enumerate(zip(record.ticks, steps, strict=True)):
        if not tick.compared:
            continue
        compared += 1
        difference, name = _difference(tick.command, step.command, head.robot.joint_names)
        if worst is None or difference > largest:
            largest, worst, joint = difference, index, name
    return StreamingReplay(steps, compared, largest, worst, joint)


def write_streaming_record(path: str, record: StreamingRecord, replay: StreamingReplay) -> None:
    """Write the replayed commands in the record's own format; raises UsageError."""
    entries = [
        {
            **entry.data,
            "command": None if step.command is None else step.command.tolist(),
            "error": None if step.command is not None else step.status.cause,
        }
        for entry, step in zip(record.head.fields.objects("ticks"), replay.steps, strict=True)
    ]
    write_record(path, record.head.fields, "ticks", entries)


def _step(solver: StreamingSolver, tick: RecordedTick) -> StreamingStep:
    if tick.targets is None:
        return StreamingStep(SolveStatus("target_invalid", "A target is not a pose."))
    return solver.step(tick.targets, tick.measured, tick.dt)


def _difference(
    recorded: Vector | None, command: Vector | None, names: tuple[str, ...]
) -> tuple[float, str]:
    if recorded is None or command is None:
        return (0.0 if recorded is command else math.inf), ""
    differences = np.abs(recorded - command)
    worst = int(differences.argmax())
    return float(differences[worst]), names[worst]
