"""How fast a browser without a graphics card draws thousands of grasps.

A real Chromium with software GL shows the object and its grasps alone: a robot beside them costs
the same with and without. Frames are counted in the page while the object moves; a change counts
as shown with the frame after the one that first drew its data.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy as np
import viser
from playwright.sync_api import Browser, Page, sync_playwright

from tests.bench.many_grasps import OBJECT, many_grasps
from tests.browser.chromium import FLAGS, find
from tests.browser.page import SCENE, SMALL
from workbench.grasps.objects import load_object
from workbench.grasps.reach_types import ReachResult, ReachState
from workbench.grasps.shipped import shipped_grasps
from workbench.live.grasp_edits import load_grasps, set_in_scene
from workbench.live.grasping import Found, Grasping, grasps_of, reach_case
from workbench.live.session import Session
from workbench.model.request import RobotRequest
from workbench.poses import Pose
from workbench.ui.grasp_drawing import GraspDrawing
from workbench.ui.lighting import light_scene
from workbench.ui.loading import initial_settings, load_bundle

MANY, MOST = 2_000, 10_000
FRAMES_GOAL = 30.0
SHOWN_GOAL_S = 1.0
COUNT_S = 5.0
TIMEOUT_S = 60.0
PLACE = Pose(np.array([0.5, 0.0, 0.1]))
_LOOKS_FROM, _LOOKS_AT = (0.95, -0.45, 0.45), (0.5, 0.0, 0.18)
_SMALLEST_UPLOAD_PER_GRASP = 24
"""Bytes: two colours or two points of a single line."""

_WATCH = """(smallestUpload) => {
  const gl = WebGL2RenderingContext.prototype;
  const watch = window.watch = { frames: 0, shownMs: null };
  let drawn = false, uploaded = false, showing = false;
  const wrap = (name, before) => {
    const original = gl[name];
    gl[name] = function (...words) { before(words); return original.apply(this, words); };
  };
  for (const name of ["bufferData", "bufferSubData"])
    wrap(name, (words) => {
      if (words.some((word) => word?.byteLength >= smallestUpload)) uploaded = true;
    });
  for (const name of ["drawArrays", "drawElements"]) wrap(name, () => { drawn = true; });
  for (const name of ["drawArraysInstanced", "drawElementsInstanced"])
    wrap(name, () => { drawn = true; showing ||= uploaded; });
  const count = () => {
    if (drawn) watch.frames += 1;
    if (watch.ripe) { watch.shownMs ??= Date.now(); watch.ripe = false; }
    if (showing) { watch.ripe = true; uploaded = showing = false; }
    drawn = false;
    requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
}"""
"""Counts frames in which something was drawn, and notes when large new data were first shown."""


def measure() -> list[dict[str, Any]]:
    """Return rows for 2,000 and 10,000 grasps; none without a browser."""
    path = find()
    if path is None:
        return []
    rows: list[dict[str, Any]] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        for count, frames_goal, shown_goal_s in (
            (MANY, FRAMES_GOAL, None), (MOST, None, SHOWN_GOAL_S),
        ):  # fmt: skip
            with _stage(browser, count) as stage:
                shown_s = stage.time_of(partial(stage.load, count))
                recoloured_s = stage.time_of(partial(stage.find, "reached"))
                rows += [
                    _frames(f"{count:,} grasps, frames while the object moves", stage, frames_goal),
                    _seconds(f"{count:,} grasps shown", shown_s, shown_goal_s),
                    _seconds(f"{count:,} grasps recoloured", recoloured_s, shown_goal_s),
                ]
        browser.close()
    return rows


@dataclass(eq=False)
class _Stage:
    """A page, and the session whose grasps it shows."""

    page: Page
    session: Session
    grasping: Grasping
    drawing: GraspDrawing

    def load(self, count: int) -> None:
        """Put grasps on the bottle."""
        mesh = load_object(shipped_grasps(OBJECT).mesh, name=f"{OBJECT}.obj")
        load_grasps(self.session, "many.yaml", many_grasps(count), mesh)
        set_in_scene(self.session, transform_object_to_world=PLACE)

    def find(self, found: ReachState) -> None:
        """Give every grasp the same result."""
        scene, case = self.session.state.settings.grasp_scene, reach_case(self.session.state)
        assert scene is not None and case is not None
        self.grasping.put(
            Found(case, grasp, ReachResult(grasp.name, found, "", 1, 0.0, 0.0))
            for grasp in grasps_of(scene)
        )

    def time_of(self, change: Callable[[], None]) -> float:
        """Return the time from a change being known to its being seen, in s."""
        change()
        self.page.evaluate("window.watch.shownMs = null")
        began = time.time()
        self.drawing.refresh(self.session.state, self.grasping.view)
        self.page.wait_for_function("window.watch.shownMs", timeout=1e3 * TIMEOUT_S)
        return 1e-3 * self.page.evaluate("window.watch.shownMs") - began

    def frames_per_s(self) -> float:
        """Return how many frames a second are drawn while the object moves."""
        first = self.page.evaluate("window.watch.frames")
        began = time.perf_counter()
        while (now := time.perf_counter() - began) < COUNT_S:
            moved = PLACE @ Pose(np.array([0.0, 0.05 * np.sin(5.0 * now), 0.0]))
            set_in_scene(self.session, transform_object_to_world=moved)
            self.drawing.refresh(self.session.state, self.grasping.view)
            # Sleeps, and lets the page's own messages through.
            self.page.wait_for_timeout(10)
        frames = self.page.evaluate("window.watch.frames") - first
        return frames / (time.perf_counter() - began)


@contextmanager
def _stage(browser: Browser, count: int) -> Iterator[_Stage]:
    bundle = load_bundle(RobotRequest("panda"))
    session = Session(
        bundle, initial_settings(bundle), clock=time.monotonic, now_utc=lambda: datetime.now(UTC)
    )
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    server.initial_camera.position, server.initial_camera.look_at = _LOOKS_FROM, _LOOKS_AT
    light_scene(server)
    page = browser.new_page(viewport=SMALL)
    try:
        page.add_init_script(f"({_WATCH})({_SMALLEST_UPLOAD_PER_GRASP * count})")
        page.goto(f"http://127.0.0.1:{server.get_port()}")
        page.locator(SCENE).first.wait_for(timeout=1e3 * TIMEOUT_S)
        page.wait_for_function("window.watch.frames > 3", timeout=1e3 * TIMEOUT_S)
        yield _Stage(page, session, Grasping(), GraspDrawing(server))
    finally:
        page.close()
        server.stop()


def _frames(name: str, stage: _Stage, goal: float | None) -> dict[str, Any]:
    value = stage.frames_per_s()
    met = None if goal is None else value >= goal
    return {"name": name, "value": value, "unit": "1/s", "goal": goal, "met": met}


def _seconds(name: str, value: float, goal: float | None) -> dict[str, Any]:
    met = None if goal is None else value <= goal
    return {"name": name, "value": value, "unit": "s", "goal": goal, "met": met}
