"""``make bench``: measure, print a table, write ``build/bench.json``.

Every figure with a goal is a ratio or a latency taken within this one run, from medians of many
interleaved repeats, because the machines that this runs on are shared. Nothing here decides a
test: a goal that is missed is printed as missed.

``python -m tests.bench NAME ...`` takes only those measurements and leaves the other figures of
the file as they are; a run of all starts the file afresh.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import io
import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench import __version__

MEASUREMENTS = (
    "bench_tick", "bench_robots", "bench_planner", "bench_collision", "bench_grasps",
    "bench_glyphs", "bench_scene", "bench_loop", "bench_latency",
)  # fmt: skip
RESULT = Path(__file__).resolve().parents[2] / "build" / "bench.json"
PACKAGES = ("pin", "pin-pink", "qpsolvers", "daqp", "viser", "numpy")


def main(arguments: list[str]) -> int:
    """Run all measurements, or those named; returns the exit status."""
    unknown = set(arguments) - set(MEASUREMENTS)
    if unknown:
        print(f"bench: no such measurement: {', '.join(sorted(unknown))}", file=sys.stderr)
        print(f"bench: there are {', '.join(MEASUREMENTS)}", file=sys.stderr)
        return 2
    machine = {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {
            "workbench": __version__,
            **{name: importlib.metadata.version(name) for name in PACKAGES},
        },
    }
    print(f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}")
    print(", ".join(f"{name} {version}" for name, version in machine["versions"].items()))
    rows: list[dict[str, Any]] = []
    for name in arguments or MEASUREMENTS:
        # viser greets and takes leave on stdout; the table is for figures.
        with contextlib.redirect_stdout(io.StringIO()):
            measurement = importlib.import_module(f"tests.bench.{name}")
            measured = measurement.measure()
        for row in measured:
            rows.append(row)
            _print(row)
        if hasattr(measurement, "table"):
            print("\n".join(measurement.table(measured)), flush=True)
    RESULT.parent.mkdir(exist_ok=True)
    former = _former() if arguments else {}
    RESULT.write_text(json.dumps(merged(former, machine, rows), indent=2) + "\n")
    missed = [row["name"] for row in rows if row["met"] is False]
    print(f"{len(rows)} figures, {len(missed)} goals missed; written to {RESULT}")
    return 0


def merged(
    former: Mapping[str, Any], machine: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return what the file shall hold: the newest figure of each name.

    A figure that stays from another machine, or from other versions, says so itself under
    ``machine``.

    Args:
        former: What the file holds; empty for none.
        machine: Where and with which versions the new figures were taken.
        rows: The new figures.
    """
    taken_on = former.get("machine", machine)
    elsewhere = {} if taken_on == machine else {"machine": taken_on}
    kept = {row["name"]: {**elsewhere, **row} for row in former.get("results", ())}
    fresh = {row["name"]: dict(row) for row in rows}
    return {"machine": dict(machine), "results": list({**kept, **fresh}.values())}


def _former() -> dict[str, Any]:
    try:
        return json.loads(RESULT.read_text())
    except (OSError, ValueError):
        return {}


def _print(row: dict[str, Any]) -> None:
    goal = "" if row["goal"] is None else f"goal at most {row['goal']:g}"
    verdict = {True: "met", False: "MISSED", None: ""}[row["met"]]
    print(
        f"{row['name']:58} {row['value']:9.3f} {row['unit']:6} {goal:18} {verdict:7} "
        f"{row.get('details', '')}",
        flush=True,
    )


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
