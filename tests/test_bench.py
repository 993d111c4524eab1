"""What ``python -m tests.bench NAME`` leaves of ``build/bench.json``."""

from __future__ import annotations

import json
import types
from pathlib import Path
from typing import Any

import pytest

from tests.bench import __main__ as bench

MACHINE = {"processor": "slow", "cores": 2}
OTHER_MACHINE = {"processor": "fast", "cores": 8}


def row(name: str, value: float) -> dict[str, Any]:
    return {"name": name, "value": value, "unit": "s", "goal": None, "met": None}


def test_the_newest_figure_of_each_name_stays() -> None:
    former = {"machine": MACHINE, "results": [row("a", 1.0), row("b", 2.0)]}
    held = bench.merged(former, MACHINE, [row("b", 3.0), row("c", 4.0)])
    assert held == {"machine": MACHINE, "results": [row("a", 1.0), row("b", 3.0), row("c", 4.0)]}


def test_a_figure_from_another_machine_says_so_however_often_others_are_taken() -> None:
    former = {"machine": OTHER_MACHINE, "results": [row("a", 1.0), row("b", 2.0)]}
    once = bench.merged(former, MACHINE, [row("b", 3.0)])
    twice = bench.merged(once, MACHINE, [row("b", 4.0)])
    assert twice["machine"] == MACHINE
    assert twice["results"] == [{"machine": OTHER_MACHINE, **row("a", 1.0)}, row("b", 4.0)]


def test_a_run_of_some_measurements_keeps_the_rest_and_a_run_of_all_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = tmp_path / "build" / "bench.json"
    values = iter((1.0, 2.0, 3.0, 4.0, 5.0))

    def measurement(module: str) -> types.SimpleNamespace:
        return types.SimpleNamespace(measure=lambda: [row(module.rpartition(".")[2], next(values))])

    def held() -> dict[str, float]:
        return {row["name"]: row["value"] for row in json.loads(result.read_text())["results"]}

    monkeypatch.setattr(bench, "RESULT", result)
    monkeypatch.setattr(bench, "MEASUREMENTS", ("first", "second"))
    monkeypatch.setattr(bench.importlib, "import_module", measurement)
    bench.main([])
    bench.main(["second"])
    assert held() == {"first": 1.0, "second": 3.0}
    monkeypatch.setattr(bench, "MEASUREMENTS", ("second",))
    bench.main([])
    assert held() == {"second": 4.0}
