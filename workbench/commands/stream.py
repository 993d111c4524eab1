"""``workbench stream``: replay a streaming record and compare the commands with it."""

from __future__ import annotations

import argparse
from pathlib import Path

from workbench.argument_parser import ArgumentParser
from workbench.commands.reference_arithmetic import fix_arithmetic, run_again

LARGEST_DIFFERENCE = 1e-6
"""Commands that differ by more than this, rad or m, are not the same."""


def add_parser(commands: argparse._SubParsersAction[ArgumentParser]) -> None:
    """Add the command to the command line."""
    stream = commands.add_parser(
        "stream",
        help="replay a streaming record and compare the commands",
        description="Replay the inputs of a streaming record, tick by tick, and print the largest "
        "difference of the commands from the record's own; exit status 1 when it is larger than "
        f"{LARGEST_DIFFERENCE:g} rad.",
        allow_abbrev=False,
    )
    stream.set_defaults(run=run)
    stream.add_argument("record", metavar="RECORD.json", help="the record")
    stream.add_argument(
        "--out", metavar="FILE", help="write the commands to FILE, in the record's own format"
    )


def run(options: argparse.Namespace) -> int:
    """Replay, print and compare; returns the exit status."""
    if not fix_arithmetic():
        out = [] if options.out is None else ["--out", options.out]
        return run_again(["stream", *out, "--", options.record])
    from workbench.commands.streaming_record import (
        read_streaming_record,
        replay_streaming,
        write_streaming_record,
    )

    record = read_streaming_record(Path(options.record))
    replay = replay_streaming(record)
    if options.out is not None:
        write_streaming_record(options.out, record, replay)
    given = sum(step.command is not None for step in replay.steps)
    counts = f"{len(replay.steps)} ticks, {given} with a command"
    if replay.tick is None:
        print(f"nothing to compare: the record holds no commands; {counts}")
        return 0
    place = f"tick {replay.tick}"
    place += f", {replay.joint}" if replay.joint else ": a command on one side only"
    print(f"largest difference {replay.largest_difference:.3g} rad ({place}); {counts}")
    return 0 if replay.largest_difference <= LARGEST_DIFFERENCE else 1
