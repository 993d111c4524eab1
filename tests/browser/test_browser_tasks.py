"""Add tasks on the page, turn them, take them back."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.page import SCENE, Workbench
from tests.browser.served import serve

pytestmark = pytest.mark.browser

ROBOT = "dual_arm_7dof"
"""Made of boxes and cylinders: quick to draw without a graphics card."""


def choose(page: Workbench, label: str, option: str) -> None:
    """Choose an option of a drop-down."""
    page.field(label).click()
    page.page.get_by_role("option", name=option, exact=True).click()


def open_folder(page: Workbench, title: str) -> None:
    """Open the folder of that title."""
    exact = re.compile(f"^{re.escape(title)}$")
    page.page.locator(".mantine-Paper-root").filter(has_text=exact).last.click()


def by_kind(state: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the tasks of ``/api/state`` by kind."""
    return {task["kind"]: task for task in state["tasks"]}


def test_tasks_are_added_turned_by_axis_and_undone(open_page: Callable[..., Workbench]) -> None:
    with serve(ROBOT) as served:
        page = open_page(served)
        page.tab("Tasks")
        choose(page, "new task", "Manipulability")
        page.button("Add task").click()
        served.wait_for(lambda state: "manipulability" in by_kind(state))

        choose(page, "new task", "Frame")
        page.button("Add task").click()
        state = served.wait_for(lambda state: "frame" in by_kind(state))
        (first, *_) = state["tools"]
        assert by_kind(state)["frame"]["frame"] == first
        open_folder(page, "Frame")
        # Targets have a field of that name as well: the cost's must be on the page.
        z_labels = page.page.locator("label").filter(has_text=re.compile("^z$"))
        z_labels_before = z_labels.count()
        page.button("position cost per axis").click()
        served.wait_for(lambda state: by_kind(state)["frame"]["position_cost"] == [1, 1, 1])
        expect(z_labels).to_have_count(z_labels_before + 1)
        page.set("z", "0.25")
        served.wait_for(lambda state: by_kind(state)["frame"]["position_cost"] == [1, 1, 0.25])
        assert served.state()["status"]["code"] not in ("fault", "solver_failed")

        page.page.locator(SCENE).first.click()
        for cost in ([1, 1, 1], 1):
            page.page.keyboard.press("Control+z")
            served.wait_for(
                lambda state, cost=cost: by_kind(state)["frame"]["position_cost"] == cost
            )
        for kind in ("frame", "manipulability"):
            page.page.keyboard.press("Control+z")
            served.wait_for(lambda state, kind=kind: kind not in by_kind(state))
        expect(page.button("Add task")).to_be_visible()
        expect(page.button("Remove")).to_have_count(0)
