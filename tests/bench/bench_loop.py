"""How well the loop keeps 200 Hz on a humanoid while a page is open and a target moves."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

from tests.browser.served import serve
from tests.ui.guarded_page import CAMERA
from tests.wire import WireClient

ROBOT = "g1"
RATE_HZ = 200.0
SECONDS = 12.0
DRAG_PERIOD_S = 0.05
GOAL = 1.2


def gizmos(messages: list[dict[str, Any]]) -> list[tuple[str, list[float], list[float]]]:
    """Return name, position and quaternion of every gizmo in a replay."""
    names = [m["name"] for m in messages if m["type"] == "TransformControlsMessage"]
    positions = {m["name"]: m["position"] for m in messages if m["type"] == "SetPositionMessage"}
    turns = {m["name"]: m["wxyz"] for m in messages if m["type"] == "SetOrientationMessage"}
    return [(n, positions.get(n, [0, 0, 0]), turns.get(n, [1, 0, 0, 0])) for n in names]


def measure() -> list[dict[str, Any]]:
    """Drag a hand in a circle through the socket and read the loop's own periods."""
    with serve(ROBOT, "--rate", str(RATE_HZ)) as served:
        client = WireClient(served.url)
        name, position, wxyz = gizmos(client.replay())[0]
        stop = threading.Event()
        reader = threading.Thread(target=_drain, args=(client, stop), daemon=True)
        reader.start()
        client.send("ViewerCameraMessage", **CAMERA)
        client.send("TransformControlsDragStartMessage", name=name)
        began = time.monotonic()
        while (elapsed := time.monotonic() - began) < SECONDS:
            phase = 2 * math.pi * elapsed / 4.0
            moved = [
                position[0],
                position[1] + 0.03 * math.sin(phase),
                position[2] + 0.03 * (1 - math.cos(phase)),
            ]
            client.send("TransformControlsUpdateMessage", name=name, position=moved, wxyz=wxyz)
            time.sleep(DRAG_PERIOD_S)
        timing = served.state()["timing"]
        client.send("TransformControlsDragEndMessage", name=name)
        stop.set()
        reader.join()
        client.close()
    ratio = timing["period_p99_s"] * RATE_HZ
    return [
        {
            "name": f"loop period p99 at {RATE_HZ:g} Hz, {ROBOT}, one client, moving target",
            "value": ratio,
            "unit": "x",
            "goal": GOAL,
            "met": ratio <= GOAL,
            "details": f"tick p50 {1e3 * timing['tick_p50_s']:.2f} ms, missed {timing['missed']}",
        }
    ]


def _drain(client: WireClient, stop: threading.Event) -> None:
    while not stop.is_set():
        for _ in client.windows(timeout_s=0.2):
            if stop.is_set():
                return
