"""Turn the config on the page, take the file away, bring it back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import expect

from tests.browser.page import SCENE, Workbench
from tests.browser.served import Served, serve

pytestmark = pytest.mark.browser

ROBOT = "dual_arm_7dof"
"""Made of boxes and cylinders: quick to draw without a graphics card."""


def config_of(served: Served) -> dict[str, object]:
    """Return the exported config as any YAML reader sees it."""
    return yaml.safe_load(served.config_yaml())


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serve(ROBOT) as one:
        yield one


def test_what_is_typed_is_exported_downloaded_and_loaded_back(
    served: Served, open_page: Callable[..., Workbench], tmp_path: Path
) -> None:
    first = open_page(served)
    first.tab("Tune")
    first.set("position_cost", "2.5")
    first.set("orientation_cost", "1e-4")
    first.set("gain", "0.3")
    tuned = {"position_cost": 2.5, "orientation_cost": 1e-4, "gain": 0.3}
    served.wait_for(lambda state: tuned.items() <= state["config"].items())
    assert tuned.items() <= config_of(served).items()

    first.tab("File")
    with first.page.expect_download() as waiting:
        first.button("Download").click()
    downloaded = tmp_path / "tuned.yaml"
    waiting.value.save_as(downloaded)
    assert downloaded.read_bytes() == served.config_yaml()

    # A change, then the file again: one step that undo takes back.
    first.tab("Tune")
    first.set("gain", "0.9")
    served.wait_for(lambda state: state["config"]["gain"] == 0.9)
    first.tab("File")
    with first.page.expect_file_chooser() as choosing:
        first.button("Import").click()
    choosing.value.set_files(downloaded)
    served.wait_for(lambda state: state["config"]["gain"] == 0.3)
    first.page.locator(SCENE).first.click()
    first.page.keyboard.press("Control+z")
    served.wait_for(lambda state: state["config"]["gain"] == 0.9)

    # Nothing is lost by a reload, and a second browser shows the same.
    first.reload()
    first.tab("Tune")
    expect(first.field("gain")).to_have_value("0.9")
    expect(first.field("position_cost")).to_have_value("2.5")
    second = open_page(served)
    second.tab("Tune")
    expect(second.field("gain")).to_have_value("0.9")
    second.set("gain", "0.4")
    served.wait_for(lambda state: state["config"]["gain"] == 0.4)
    expect(first.field("gain")).to_have_value("0.4")


def test_a_value_that_is_refused_goes_back_with_the_reason(
    served: Served, open_page: Callable[..., Workbench]
) -> None:
    page = open_page(served)
    page.tab("Tune")
    in_force = served.state()["config"]["gain"]
    page.set("gain", "7")
    expect(page.page.get_by_text("is out of range").first).to_be_visible()
    expect(page.field("gain")).to_have_value(f"{in_force:g}")
    assert served.state()["config"]["gain"] == in_force


def test_a_prefix_of_a_typed_value_never_counts(
    served: Served, open_page: Callable[..., Workbench]
) -> None:
    page = open_page(served)
    page.tab("Tune")
    version = served.state()["latest_settings_version"]
    page.type("posture_cost", "0.0025")
    served.wait_for(lambda state: state["config"]["posture_cost"] == 0.0025)
    assert served.state()["latest_settings_version"] == version + 1
