"""Drive the page as a person does: find fields by their labels, drag gizmos with the mouse."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from numpy.typing import ArrayLike, NDArray
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from tests.bench.bench_loop import gizmos
from tests.browser.served import Served
from tests.wire import WireClient
from workbench.poses import rotation_from_wxyz

FIELD_OF_VIEW_DEG = 75.0
"""Vertical; viser's default, which the workbench leaves alone."""

SCENE = "canvas[data-engine^='three.js']"
"""The canvas that three.js draws on; the plots have canvases of their own."""

SMALL: ViewportSize = {"width": 1280, "height": 800}
"""The smallest size that the page is made for."""

PAINT_NOTHING = """
for (const { prototype } of [WebGLRenderingContext, WebGL2RenderingContext]) {
  for (const name of ["clear", "drawArrays", "drawElements", "drawArraysInstanced",
                      "drawElementsInstanced"]) {
    if (name in prototype) prototype[name] = () => {};
  }
}
"""
"""Leaves the canvas empty: the page does all that it does, but no processor paints triangles."""

STRIKE_KEYS = """
async (input, text) => {
  const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  for (let end = 1; end <= text.length; end++) {
    write.call(input, text.slice(0, end));
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((done) => setTimeout(done, 60));
  }
}
"""
"""Lets every beginning of a text stand in a field just long enough for viser to send it."""

DRAG_STEPS = 8

GRIP_SHARE = 0.9
"""Where along its arrow a gizmo is taken: its head, away from the arcs that turn it."""


@dataclass(frozen=True)
class Camera:
    """A pinhole camera in the world.

    Attributes:
        position: Where it is, in m.
        look_at: What it looks at, in m.
    """

    position: Sequence[float]
    look_at: Sequence[float]

    def project(self, point: ArrayLike, box: dict[str, float]) -> NDArray[np.float64]:
        """Return the pixel of a point in the world on a canvas with the given bounding box."""
        eye = np.asarray(self.position, dtype=float)
        forward = np.asarray(self.look_at, dtype=float) - eye
        forward /= np.linalg.norm(forward)
        right = np.cross(forward, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        up = np.cross(right, forward)
        ray = np.asarray(point, dtype=float) - eye
        half_height_m = np.tan(np.radians(FIELD_OF_VIEW_DEG / 2)) * (ray @ forward)
        scale = box["height"] / 2 / half_height_m
        return np.array(
            [
                box["x"] + box["width"] / 2 + scale * (ray @ right),
                box["y"] + box["height"] / 2 - scale * (ray @ up),
            ]
        )


class Workbench:
    """One open page of a served workbench."""

    def __init__(
        self,
        browser: Browser,
        served: Served,
        *,
        camera: Camera | None = None,
        size: ViewportSize = SMALL,
        pixel_ratio: float = 1.0,
    ) -> None:
        """Open the page and wait until it is there.

        Args:
            browser: Where to open it.
            served: What is served.
            camera: Where to look from; without one nothing needs to be seen of the scene, and
                nothing of it is painted.
            size: Size of the page.
            pixel_ratio: Pixels that are painted for one of the style sheet's, along each axis.
        """
        self.served = served
        self.camera = camera
        self.page: Page = browser.new_page(viewport=size, device_scale_factor=pixel_ratio)
        if camera is None:
            self.page.add_init_script(PAINT_NOTHING)
        self.console: list[str] = []
        self.page.on("console", lambda message: self.console.append(message.text))
        query = ""
        if camera is not None:
            query = "?" + urlencode(
                {
                    "initialCameraPosition": ",".join(map(str, camera.position)),
                    "initialCameraLookAt": ",".join(map(str, camera.look_at)),
                }
            )
        self.page.goto(served.url + query)
        self.wait_until_connected()

    def wait_until_connected(self) -> None:
        """Wait until the page has its state; every page shows the loop's status by then."""
        expect(self.page.locator(SCENE).first).to_be_visible(timeout=30_000)
        expect(self.page.get_by_text("Status", exact=True).first).to_be_visible(timeout=30_000)
        expect(self.page.get_by_role("tab", name="Tune")).to_be_visible(timeout=30_000)

    def reload(self) -> None:
        """Press the browser's reload."""
        self.page.reload()
        self.wait_until_connected()

    def close(self) -> None:
        """Close the page."""
        self.page.close()

    # Fields ------------------------------------------------------------------------------

    def tab(self, name: str) -> None:
        """Bring a tab to the front."""
        tab = self.page.get_by_role("tab", name=name, exact=True)
        if tab.get_attribute("aria-selected") != "true":
            tab.click()

    def row(self, label: str) -> Locator:
        """Return the line of a control; viser puts label and control into one flex box."""
        # viser breaks long names with <wbr>, so only the whole text can be compared.
        exact = re.compile(f"^{re.escape(label)}$")
        labelled = self.page.locator("label").filter(has_text=exact)
        return self.page.locator(".mantine-Flex-root").filter(has=labelled).last

    def field(self, label: str) -> Locator:
        """Return the text input on the line of a label."""
        return self.row(label).locator("input").first

    def type(self, label: str, text: str, *, enter: bool = True) -> None:
        """Replace a field's text key by key, and press Enter.

        The keys are struck within the page: on a busy machine the way there takes longer than the
        rest after which a text counts.
        """
        field = self.field(label)
        field.click()
        field.evaluate(STRIKE_KEYS, text)
        if enter:
            field.press("Enter")

    def set(self, label: str, text: str) -> None:
        """Put a text into a field in one go, where typing itself is not tested, and press Enter."""
        self.field(label).fill(text)
        self.field(label).press("Enter")

    def upload(self, button: str, path: Path) -> None:
        """Press an upload button and choose a file."""
        with self.page.expect_file_chooser() as chosen:
            self.button(button).click()
        chosen.value.set_files(path)

    def button(self, name: str) -> Locator:
        """Return a button by its text."""
        return self.page.get_by_role("button", name=name, exact=True)

    def dismiss_notifications(self) -> None:
        """Close what tells of a moment, such as viser's word on software rendering."""
        closers = self.page.locator(".mantine-Notification-closeButton")
        # All in one go: one may leave by itself while a click waits for it to hold still.
        closers.evaluate_all("buttons => buttons.forEach(button => button.click())")
        expect(closers).to_have_count(0, timeout=30_000)

    # The scene ---------------------------------------------------------------------------

    def canvas_box(self) -> dict[str, float]:
        """Return the bounding box of the 3D canvas, in pixels of the page."""
        box = self.page.locator(SCENE).first.bounding_box()
        assert box is not None
        return {key: float(value) for key, value in box.items()}  # pyright: ignore[reportArgumentType]

    def gizmo_scale_m(self, index: int = 0) -> tuple[str, float]:
        """Return the scene name and the arm length of a gizmo, as every page is told them."""
        client = WireClient(self.served.url)
        try:
            messages = client.replay()
        finally:
            client.close()
        name = gizmos(messages)[index][0]
        scale = next(
            m["props"]["scale"]
            for m in messages
            if m["type"] == "TransformControlsMessage" and m["name"] == name
        )
        for message in messages:
            if message["type"] == "SceneNodeUpdateMessage" and message["name"] == name:
                scale = message["updates"].get("scale", scale)
        return name, float(scale)

    def drag(self, frame: str, distance_m: float, index: int = 0) -> NDArray[np.float64]:
        """Take one of a gizmo's arrows with the mouse, pull it along its axis and let go.

        Args:
            frame: Tool frame whose gizmo is meant; its arrows point along the target's axes.
            distance_m: How far to pull, roughly: the mouse works in pixels.
            index: Which gizmo it is, in the order of the scene.

        Returns:
            Unit vector in the world along the arrow that was taken, the one seen best.
        """
        return self.pull(self.served.state()["tools"][frame]["target"], distance_m, index)

    def drag_object(self, distance_m: float, index: int) -> NDArray[np.float64]:
        """Pull the gizmo of the grasps' object as :meth:`drag` does that of a frame."""
        return self.pull(self.served.state()["grasp_object"], distance_m, index)

    def pull(
        self, target: dict[str, list[float]], distance_m: float, index: int
    ) -> NDArray[np.float64]:
        """Pull a gizmo that is at a pose of ``/api/state``."""
        assert self.camera is not None
        _, scale = self.gizmo_scale_m(index)
        origin, box = np.array(target["position"]), self.canvas_box()
        arrows = rotation_from_wxyz(target["wxyz"]).T
        lengths = [
            np.linalg.norm(
                self.camera.project(origin + scale * arrow, box) - self.camera.project(origin, box)
            )
            for arrow in arrows
        ]
        arrow = arrows[int(np.argmax(lengths))]
        start = self.camera.project(origin + GRIP_SHARE * scale * arrow, box)
        end = self.camera.project(origin + (GRIP_SHARE * scale + distance_m) * arrow, box)
        mouse = self.page.mouse
        mouse.move(*start)
        self.wait_for_frames(2)  # the arrow lights up under a resting mouse before it can be taken
        mouse.move(start[0] + 1, start[1])
        mouse.down()
        for step in range(1, DRAG_STEPS + 1):
            mouse.move(*(start + (end - start) * step / DRAG_STEPS))
            self.wait_for_frames(1)
        mouse.up()
        return arrow

    def wait_for_frames(self, count: int) -> None:
        """Wait until the browser has drawn."""
        for _ in range(count):
            self.page.evaluate("() => new Promise(done => requestAnimationFrame(done))")
