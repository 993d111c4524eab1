"""Buttons and keys: what they say on hover, what they do, and what is left of them offline."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from playwright.sync_api import expect

from tests.browser.page import SCENE, Workbench
from tests.browser.served import serve

pytestmark = pytest.mark.browser

ROBOT = "dual_arm_7dof"
"""Made of boxes and cylinders: quick to draw without a graphics card."""


def test_buttons_say_what_they_do_and_undo_and_redo_do_it(
    open_page: Callable[..., Workbench],
) -> None:
    with serve(ROBOT) as served:
        page = open_page(served)
        page.tab("Tune")
        page.set("gain", "0.3")
        served.wait_for(lambda state: state["config"]["gain"] == 0.3)
        page.tab("Run")
        page.button("Undo").hover()
        expect(page.button("Undo")).to_have_attribute(
            "title", re.compile("^Takes the last change back")
        )
        # A button that cannot be pressed explains itself as well.
        expect(page.button("Redo")).to_be_disabled()
        expect(page.button("Redo")).to_have_attribute(
            "title", re.compile("^Makes the change again")
        )
        page.button("Undo").click()
        served.wait_for(lambda state: state["config"]["gain"] == 0.5)
        page.button("Redo").click()
        served.wait_for(lambda state: state["config"]["gain"] == 0.3)


def test_ctrl_s_writes_the_file(open_page: Callable[..., Workbench], tmp_path: Path) -> None:
    saved = tmp_path / "tuned.yaml"
    with serve(ROBOT, "--save-to", str(saved)) as served:
        page = open_page(served)
        page.tab("Tune")
        page.set("posture_cost", "0.02")
        served.wait_for(lambda state: state["config"]["posture_cost"] == 0.02)
        page.page.locator(SCENE).first.click()
        page.page.keyboard.press("Control+s")
        expect(page.page.get_by_text("Saved", exact=True)).to_be_visible()
        assert yaml.safe_load(saved.read_bytes())["posture_cost"] == 0.02
        assert saved.read_bytes() == served.config_yaml()


def test_a_page_says_that_its_server_is_gone_and_comes_back_with_it(
    open_page: Callable[..., Workbench],
) -> None:
    with serve(ROBOT) as served:
        page = open_page(served)
        port = urlsplit(served.url).port
    lost = page.page.get_by_text("No connection to the workbench")
    expect(lost).to_be_visible()
    expect(page.page.get_by_text("start it again", exact=False)).to_be_visible()
    with serve(ROBOT, "--port", str(port)) as served:
        expect(lost).to_be_hidden()
        page.wait_until_connected()
        page.tab("Tune")
        page.set("gain", "0.4")
        served.wait_for(lambda state: state["config"]["gain"] == 0.4)
