"""How fast a browser without a graphics card draws thousands of grasps beside a robot.

Frames are counted while the object moves; a change counts as shown when a picture that the browser
has rendered has it. The browser is a real Chromium with software GL, so that a neighbour on the
machine costs frames.
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
from numpy.typing import NDArray
from playwright.sync_api import Page, sync_playwright

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
from workbench.ui.loading import initial_settings, load_bundle
from workbench.ui.scene import SceneView

FRAMES_GOAL = 30.0
SHOWN_GOAL_S = 1.0
COUNT_S = 4.0
TIMEOUT_S = 20.0
PLACE = Pose(np.array([0.6, 0.0, 0.15]))
_LOOKS_FROM, _LOOKS_AT = (1.3, -0.9, 0.8), (0.5, 0.0, 0.3)
_PICTURE = (200, 320)
_CHANGED_PIXELS = 100
_COLOUR_CHANGE = 40

_COUNT_FRAMES = """() => {
  const draws = ['drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced'];
  window.drawnFrames = 0;
  let drawn = false;
  for (const name of draws) {
    const original = WebGL2RenderingContext.prototype[name];
    WebGL2RenderingContext.prototype[name] = function (...words) {
      drawn = true;
      return original.apply(this, words);
    };
  }
  const count = () => {
    window.drawnFrames += drawn;
    drawn = false;
    requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
}"""
"""Counts animation frames in which something was drawn."""


def measure() -> list[dict[str, Any]]:
    """Return rows for 2,000 and 10,000 grasps; none without a browser."""
    path = find()
    if path is None:
        return []
    rows: list[dict[str, Any]] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        for count, frames_goal, shown_goal in (
            (2_000, FRAMES_GOAL, None), (10_000, None, SHOWN_GOAL_S),
        ):  # fmt: skip
            page = browser.new_page(viewport=SMALL)
            with _stage(page) as stage:
                shown_s = stage.time_of(partial(stage.load, count))
                recoloured_s = stage.time_of(partial(stage.find, "reached"))
                rows += [
                    _frames(f"{count:,} grasps, frames while the object moves", stage, frames_goal),
                    _seconds(f"{count:,} grasps shown", shown_s, shown_goal),
                    _seconds(f"{count:,} grasps recoloured", recoloured_s, shown_goal),
                ]
            page.close()
        browser.close()
    return rows


@dataclass(eq=False)
class _Stage:
    """A page that shows a Panda, and the session behind it."""

    page: Page
    client: viser.ClientHandle
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
        """Return the time from a change being known to a rendered picture that has it, s."""
        before = self._picture()
        change()
        began = time.perf_counter()
        self.drawing.refresh(self.session.state, self.grasping.view)
        while time.perf_counter() - began < TIMEOUT_S:
            difference = np.abs(self._picture() - before).max(axis=2)
            if int((difference > _COLOUR_CHANGE).sum()) > _CHANGED_PIXELS:
                return time.perf_counter() - began
        raise AssertionError("the change was never drawn")

    def frames_per_s(self) -> float:
        """Return how many frames a second are drawn while the object moves."""
        self.page.evaluate(_COUNT_FRAMES)
        began = time.perf_counter()
        while (now := time.perf_counter() - began) < COUNT_S:
            moved = PLACE @ Pose(np.array([0.0, 0.05 * np.sin(5.0 * now), 0.0]))
            set_in_scene(self.session, transform_object_to_world=moved)
            self.drawing.refresh(self.session.state, self.grasping.view)
            # Sleeps, and lets the page's own messages through.
            self.page.wait_for_timeout(10)
        return self.page.evaluate("window.drawnFrames") / (time.perf_counter() - began)

    def _picture(self) -> NDArray[np.float64]:
        camera = self.client.camera
        return self.client.get_render(
            *_PICTURE, wxyz=camera.wxyz, position=camera.position, fov=camera.fov,
            timeout=TIMEOUT_S,
        ).astype(np.float64)  # fmt: skip


@contextmanager
def _stage(page: Page) -> Iterator[_Stage]:
    bundle = load_bundle(RobotRequest("panda"))
    session = Session(
        bundle, initial_settings(bundle), clock=time.monotonic, now_utc=lambda: datetime.now(UTC)
    )
    description = bundle.description
    positions = np.array([description.home[name] for name in description.joint_names])
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        placements = bundle.picture.local_placements(positions, Pose())
        SceneView(server, description, placements, epoch=1).show()
        page.goto(f"http://127.0.0.1:{server.get_port()}")
        page.locator(SCENE).first.wait_for(timeout=30_000)
        client = _client(server, page)
        client.camera.position, client.camera.look_at = _LOOKS_FROM, _LOOKS_AT
        page.wait_for_timeout(2_000)
        yield _Stage(page, client, session, Grasping(), GraspDrawing(server))
    finally:
        server.stop()


def _client(server: viser.ViserServer, page: Page) -> viser.ClientHandle:
    deadline = time.monotonic() + TIMEOUT_S
    while not server.get_clients():
        assert time.monotonic() < deadline, "the page never came"
        page.wait_for_timeout(50)
    return next(iter(server.get_clients().values()))


def _frames(name: str, stage: _Stage, goal: float | None) -> dict[str, Any]:
    value = stage.frames_per_s()
    met = None if goal is None else value >= goal
    return {"name": name, "value": value, "unit": "1/s", "goal": goal, "met": met}


def _seconds(name: str, value: float, goal: float | None) -> dict[str, Any]:
    met = None if goal is None else value <= goal
    return {"name": name, "value": value, "unit": "s", "goal": goal, "met": met}
