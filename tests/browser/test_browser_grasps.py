"""Grasps from upload to download, as a person works with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.page import Camera, Workbench
from tests.browser.served import serve
from workbench.grasps import GraspSpec, import_grasps_from_file
from workbench.grasps.shipped import shipped_grasps
from workbench.grasps.writing import export_grasps_to_file

pytestmark = pytest.mark.browser

CAMERA = Camera(position=(1.15, -1.0, 0.75), look_at=(0.4, -0.1, 0.3))
MARKUP = '<img src=x onerror="window.wasRun=1">'
OBJECT_GIZMO = 1
"""After that of the Panda's only tool frame."""

OPEN = {"unknown", "stale", "running"}


def is_checked(state: dict[str, Any]) -> bool:
    return bool(state["grasps"]) and not any(
        grasp["state"] in OPEN for grasp in state["grasps"].values()
    )


def six_grasps(path: Path) -> GraspSpec:
    """Write the first six grasps of the shipped mug, one of which has markup for a name."""
    few = import_grasps_from_file(shipped_grasps("mug").grasps).renamed("rim_60", MARKUP)
    for name in few.get_grasp_names()[6:]:
        few = few.without(name)
    export_grasps_to_file(few, path)
    return few


def test_grasps_are_uploaded_moved_driven_to_added_to_and_downloaded(
    open_page: Callable[..., Workbench], tmp_path: Path
) -> None:
    uploaded = tmp_path / "cup.yaml"
    few = six_grasps(uploaded)
    with serve("panda") as served:
        page = open_page(served, camera=CAMERA)
        page.dismiss_notifications()
        page.tab("Grasps")
        page.upload("Grasp file", uploaded)
        served.wait_for(lambda state: len(state["grasps"]) == 6)
        page.upload("Object mesh", shipped_grasps("mug").mesh)
        before = served.wait_for(is_checked, timeout_s=90.0)
        assert before["grasps"][MARKUP]["state"] == "reached"
        row = page.page.get_by_role("button", name=f"{MARKUP[:25]}… · 0.78 · reached")
        row.click()
        served.wait_for(lambda state: state["selected_grasp"] == MARKUP)
        expect(page.page.get_by_text(MARKUP, exact=True)).to_be_visible()

        after = move_object(page, before)
        errors = [
            [state["grasps"][name]["position_error_m"] for name in few.get_grasp_names()]
            for state in (before, after)
        ]
        assert errors[0] != errors[1]

        page.button("Go").click()
        there = served.wait_for(
            lambda state: bool(state["grasp_go"]) and state["grasp_go"]["phase"] == "there",
            timeout_s=90.0,
        )
        assert there["undo"] == f"go to {MARKUP}"

        # The page follows the state a moment later, and buttons that go move what is below them.
        expect(page.page.get_by_text("The robot is holding")).to_be_visible()
        page.page.get_by_text("Add a grasp", exact=True).click()
        page.button("Add grasp").click()
        served.wait_for(lambda state: state["selected_grasp"] == "grasp_0")
        with page.page.expect_download() as download:
            page.button("Download").click()
        saved = tmp_path / download.value.suggested_filename
        download.value.save_as(saved)
        read = import_grasps_from_file(saved)
        assert read.get_grasp_names() == [*few.get_grasp_names(), "grasp_0"]
        # The robot holds the mug by the grasp it went to, so that the new one is the same.
        position_m, angle_rad = read["grasp_0"].pose.distance_to(read[MARKUP].pose)
        assert position_m < 2e-3
        assert angle_rad < 2e-2
        assert page.page.evaluate("window.wasRun") is None
        assert served.interrupt() == 0
    assert not any("Traceback" in line for line in served.lines), served.lines


def move_object(page: Workbench, before: dict[str, Any]) -> dict[str, Any]:
    """Drag the object's gizmo with the mouse and wait until all grasps were checked again."""
    page.dismiss_notifications()
    page.wait_for_frames(3)
    page.drag_object(0.05, OBJECT_GIZMO)
    moved = page.served.wait_for(
        lambda state: (
            state["grasp_object"] != before["grasp_object"] and state["undo"] == "move mug"
        )
    )
    way = np.subtract(moved["grasp_object"]["position"], before["grasp_object"]["position"])
    assert 0.02 < float(np.linalg.norm(way)) < 0.12
    return page.served.wait_for(is_checked, timeout_s=90.0)
