"""``make screenshots``: take the README's pictures from the running page.

Words name the pictures to take, all by default: ``python -m tests.browser.screenshots grasps``.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, ViewportSize, sync_playwright

from tests.bench.many_grasps import OBJECT, many_grasps
from tests.browser.chromium import FLAGS, find
from tests.browser.page import SMALL, Camera, Workbench
from tests.browser.served import Served, serve
from workbench.grasps import import_grasps_from_file
from workbench.grasps.shipped import shipped_grasps
from workbench.grasps.writing import export_grasps_to_file
from workbench.poses import Pose

FOLDER = Path(__file__).resolve().parents[2] / "static"
LARGE: ViewportSize = {"width": 1440, "height": 900}
FRAMES_TO_SETTLE = 60
CHECK_TIMEOUT_S = 900.0
CLICK_TIMEOUT_MS = 180_000
MANY = 2_000
FOUR = ("rim_90", "handle_plus_0_0", "body_140", "body_220")
"""Grasps of the mug that end differently: the picture shows what their colours mean."""

_OPEN = {"unknown", "stale", "running"}


def main(names: list[str]) -> int:
    """Write the pictures, or those named; returns an exit status."""
    unknown = set(names) - set(PICTURES)
    if unknown:
        print(f"no such picture: {', '.join(sorted(unknown))}; there are {', '.join(PICTURES)}",
              file=sys.stderr)  # fmt: skip
        return 2
    path = find()
    if path is None:
        print("no Chromium that starts: run `python -m tests.browser.chromium`", file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        for name in names or PICTURES:
            picture = FOLDER / f"{name}.png"
            PICTURES[name](browser, picture)
            print(f"written: {picture}")
        browser.close()
    return 0


def out_of_reach(browser: Browser, picture: Path) -> None:
    """A Panda pulled a little out of reach: the line to the target, the distance, the words."""
    camera = Camera(position=(1.6, 1.0, 0.9), look_at=(0.25, 0.0, 0.42))
    with serve("panda") as served:
        page = Workbench(browser, served, camera=camera, size=LARGE)
        (frame,) = served.state()["tools"]
        page.tab("Tasks")
        page.type("x", "0.62")
        page.type("z", "0.72")
        served.wait_for(lambda state: state["tools"][frame]["position_error_m"] < 2e-3)
        page.type("x", "0.80")
        served.wait_for(lambda state: state["status"]["code"] == "not_reached")
        page.tab("Tune")
        _take(page, picture)


def four_grasps(browser: Browser, picture: Path) -> None:
    """Four grasps of the mug, one of them selected and shown as the Panda's own hand."""
    mug = shipped_grasps("mug")
    grasps = import_grasps_from_file(mug.grasps)
    for name in grasps.get_grasp_names():
        if name not in FOUR:
            grasps = grasps.without(name)
    assert grasps.object_pose is not None
    # Apart from the Panda's own hand, so that one sees which is which.
    grasps = grasps.with_object_pose(Pose(np.array([0.55, -0.2, 0.2]), grasps.object_pose.wxyz))
    camera = Camera(position=(0.94, -0.54, 0.45), look_at=(0.52, -0.17, 0.27))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mug.yaml"
        export_grasps_to_file(grasps, path)
        with serve("panda", "--grasps", str(path), "--object", str(mug.mesh)) as served:
            page = Workbench(browser, served, camera=camera, size=SMALL)
            _hide_gizmo(page)
            page.tab("Grasps")
            _wait_until_checked(served)
            page.page.get_by_role("button", name=FOUR[0]).click(timeout=CLICK_TIMEOUT_MS)
            served.wait_for(lambda state: state["selected_grasp"] == FOUR[0])
            _take(page, picture)


def many_grasps_checked(browser: Browser, picture: Path) -> None:
    """Two thousand grasps of the bottle, each in the colour of what became of it."""
    camera = Camera(position=(0.98, -0.52, 0.6), look_at=(0.49, -0.02, 0.24))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bottle.yaml"
        export_grasps_to_file(many_grasps(MANY), path)
        mesh = str(shipped_grasps(OBJECT).mesh)
        with serve("panda", "--grasps", str(path), "--object", mesh) as served:
            _wait_until_checked(served)  # before a page that draws takes the processor
            page = Workbench(browser, served, camera=camera, size=SMALL)
            _hide_gizmo(page)
            page.tab("Grasps")
            _take(page, picture)


PICTURES: Mapping[str, Callable[[Browser, Path], None]] = {
    "screenshot": out_of_reach,
    "grasps": four_grasps,
    "grasps_many": many_grasps_checked,
}


def _wait_until_checked(served: Served) -> None:
    deadline = time.monotonic() + CHECK_TIMEOUT_S
    while time.monotonic() < deadline:
        grasps = served.state()["grasps"].values()
        if grasps and not any(grasp["state"] in _OPEN for grasp in grasps):
            return
        time.sleep(1.0)
    raise AssertionError("the check never ended")


def _hide_gizmo(page: Workbench) -> None:
    """Switch the only tool's target off: the picture is about grasps."""
    page.tab("Tasks")
    page.row("enabled").locator("input").first.uncheck(timeout=CLICK_TIMEOUT_MS, force=True)


def _take(page: Workbench, picture: Path) -> None:
    page.dismiss_notifications()
    page.wait_for_frames(FRAMES_TO_SETTLE)
    page.page.screenshot(path=picture)
    page.close()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
