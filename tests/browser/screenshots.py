"""``make screenshots``: take the README's picture from the running page.

A Panda is pulled a little out of reach of its target, so that the picture shows what the page is
for: the line to the target, the distance, and the status in words.
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import ViewportSize, sync_playwright

from tests.browser.chromium import FLAGS, find
from tests.browser.page import Camera, Workbench
from tests.browser.served import serve

PICTURE = Path(__file__).resolve().parents[2] / "static" / "screenshot.png"
SIZE: ViewportSize = {"width": 1440, "height": 900}
FRAMES_TO_SETTLE = 60


def main() -> int:
    """Write the picture; returns an exit status."""
    path = find()
    if path is None:
        print("no Chromium that starts: run `python -m tests.browser.chromium`", file=sys.stderr)
        return 1
    camera = Camera(position=(1.6, 1.0, 0.9), look_at=(0.25, 0.0, 0.42))
    with sync_playwright() as playwright, serve("panda") as served:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        workbench = Workbench(browser, served, camera=camera, size=SIZE)
        (frame,) = served.state()["tools"]
        workbench.tab("Tasks")
        workbench.type("x", "0.62")
        workbench.type("z", "0.72")
        served.wait_for(lambda state: state["tools"][frame]["position_error_m"] < 2e-3)
        workbench.type("x", "0.80")
        served.wait_for(lambda state: state["status"]["code"] == "not_reached")
        workbench.tab("Tune")
        workbench.dismiss_notifications()
        workbench.wait_for_frames(FRAMES_TO_SETTLE)
        workbench.page.screenshot(path=PICTURE)
        browser.close()
    print(f"written: {PICTURE}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
