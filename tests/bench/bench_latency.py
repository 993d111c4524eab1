"""How quickly the server answers: a drag with a pose, a GET with the state or the file."""

from __future__ import annotations

import statistics
import time
from typing import Any

from tests.bench.bench_loop import gizmos
from tests.browser.served import Served, serve
from tests.ui.guarded_page import CAMERA
from tests.wire import WireClient

ROBOT = "panda"
REPEATS = 120
STEP_M = 0.01
SETTLE_S = 0.35
GOAL_S = 0.020

REQUESTS = 100
REQUEST_GOAL_S = 0.050


def measure() -> list[dict[str, Any]]:
    """Step a resting arm's target back and forth and time the first link that turns."""
    latencies: list[float] = []
    with serve(ROBOT) as served:
        client = WireClient(served.url)
        replay = client.replay()
        name, position, wxyz = gizmos(replay)[0]
        client.send("ViewerCameraMessage", **CAMERA)
        client.send("TransformControlsDragStartMessage", name=name)
        for repeat in range(REPEATS):
            _settle(client)
            moved = [position[0], position[1], position[2] + STEP_M * ((repeat + 1) % 2)]
            sent = time.perf_counter()
            client.send("TransformControlsUpdateMessage", name=name, position=moved, wxyz=wxyz)
            latencies.append(_first_pose(client, name) - sent)
        client.send("TransformControlsDragEndMessage", name=name)
        requests = [_request_row(served, path) for path in ("/api/state", "/api/config.yaml")]
        client.close()
    median = statistics.median(latencies)
    spread = statistics.quantiles(latencies, n=20)
    return [
        {
            "name": f"gizmo message to first pose message, median, {ROBOT} at 100 Hz",
            "value": 1e3 * median,
            "unit": "ms",
            "goal": 1e3 * GOAL_S,
            "met": median <= GOAL_S,
            "details": f"p5 {1e3 * spread[0]:.1f} ms, p95 {1e3 * spread[-1]:.1f} ms, n {REPEATS}",
        },
        *requests,
    ]


def _request_row(served: Served, path: str) -> dict[str, Any]:
    """Time a GET, connection and all, while the loop runs and a page is open."""
    times: list[float] = []
    for _ in range(REQUESTS):
        began = time.perf_counter()
        assert served.get(path).status == 200
        times.append(time.perf_counter() - began)
    slow = statistics.quantiles(times, n=20)[-1]
    return {
        "name": f"GET {path} while the loop runs, p95",
        "value": 1e3 * slow,
        "unit": "ms",
        "goal": 1e3 * REQUEST_GOAL_S,
        "met": slow <= REQUEST_GOAL_S,
        "details": f"median {1e3 * statistics.median(times):.1f} ms, n {REQUESTS}",
    }


def _settle(client: WireClient) -> None:
    """Read until no link has moved for a while."""
    quiet_since = time.monotonic()
    while time.monotonic() - quiet_since < SETTLE_S:
        for window in client.windows(timeout_s=SETTLE_S):
            if any(message["type"] == "SetOrientationMessage" for message in window.messages):
                quiet_since = time.monotonic()
            if time.monotonic() - quiet_since >= SETTLE_S:
                return


def _first_pose(client: WireClient, gizmo: str) -> float:
    """Return the time at which the first pose of something else than the gizmo arrived."""
    for window in client.windows():
        now = time.perf_counter()
        for message in window.messages:
            if message["type"] == "SetOrientationMessage" and message["name"] != gizmo:
                return now
    raise AssertionError("the arm never answered")
