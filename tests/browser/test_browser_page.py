"""What the page promises of its looks: what fits, and what a link may ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.page import PAINT_NOTHING, SMALL, Workbench
from tests.browser.served import Served, serve

pytestmark = pytest.mark.browser

ROBOT = "dual_arm_7dof"
FIRST_GROUP = (
    "position_cost", "orientation_cost", "posture_cost", "gain", "lm_damping", "damping",
)  # fmt: skip


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serve(ROBOT) as one:
        yield one


def test_the_first_group_fits_a_small_screen_without_scrolling(
    served: Served, open_page: Callable[..., Workbench]
) -> None:
    page = open_page(served)
    page.tab("Tune")
    for name in FIRST_GROUP:
        expect(page.field(name)).to_be_in_viewport(ratio=1.0)
        box = page.field(name).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= SMALL["height"]
        assert box["x"] + box["width"] <= SMALL["width"]


def test_a_link_may_still_ask_for_the_dark(served: Served, browser: Browser) -> None:
    page = browser.new_page()
    page.add_init_script(PAINT_NOTHING)
    page.goto(served.url + "?darkMode")
    expect(page.locator("html[data-mantine-color-scheme='dark']")).to_be_attached()
    page.close()


def test_the_robot_is_switched_from_the_page_while_the_loop_runs(
    served: Served, open_page: Callable[..., Workbench]
) -> None:
    page = open_page(served)
    page.tab("File")
    page.field("robot").click()
    page.page.get_by_role("option", name="Universal Robots UR5", exact=False).first.click()
    state = served.wait_for(lambda state: state["robot"] == "ur5" and state["tick"] > 0)
    assert len(state["joints"]) == 6
    page.page.get_by_role("button", name="Back to", exact=False).click()
    served.wait_for(lambda state: state["robot"] == ROBOT)
