"""Out by the dialog, back by the clipboard, and as the other side would run it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.page import SCENE, Workbench
from tests.browser.served import Served, serve
from workbench.cli import main

pytestmark = pytest.mark.browser

ROBOT = "dual_arm_7dof"
FLAGS = (
    "dimos run manipulation --manipulationmodule.kinematics.solver=daqp "
    "--manipulationmodule.kinematics.gain=0.25 --viewer.port=7"
)
REFUSE_TO_COPY = """() => {
  navigator.clipboard.writeText = () => Promise.reject(new Error("refused"));
  document.execCommand = () => false;
}"""


def download(page: Workbench, button: str, path: Path) -> Path:
    with page.page.expect_download() as waiting:
        page.button(button).last.click()
    waiting.value.save_as(path)
    return path


def test_settings_go_out_as_a_program_and_come_back_as_flags(
    open_page: Callable[..., Workbench], tmp_path: Path
) -> None:
    with serve(ROBOT, "--tool-frame", "left_hand") as served:
        page = open_page(served)
        page.tab("Tune")
        page.type("gain", "0.3")
        before = served.wait_for(lambda state: state["config"]["gain"] == 0.3)["config"]
        page.tab("File")
        session = download(page, "Save session", tmp_path / "s.workbench.yaml")

        # The dialog's file is the one that the command line writes.
        page.button("Export…").click()
        # Nothing hides what the form cannot express.
        expect(page.page.get_by_text("# for DimOS 0.0.15").first).to_be_visible()
        expect(page.page.get_by_role("option")).to_have_count(0)
        page.field("for").click()
        page.page.get_by_role("option", name="Pink: a program", exact=True).click()
        expect(page.page.get_by_text("Track a circle with Pink").first).to_be_visible()
        program = download(page, "Download", tmp_path / "tuned.py")
        page.button("Close").click()
        wanted = tmp_path / "wanted.py"
        assert main(["export", str(session), "--to", "pink", "--out", str(wanted)]) == 0
        assert program.read_text() == wanted.read_text()
        assert "gain=0.3" in program.read_text()

        # Pasted flags are compared first, and one undo takes them back.
        page.button("Paste settings…").click()
        page.page.locator("textarea").first.fill(FLAGS)
        expect(page.page.get_by_role("cell", name="lm_damping")).to_be_visible()
        expect(page.page.get_by_text("--viewer.port is not about kinematics")).to_be_visible()
        assert served.state()["config"] == before
        page.button("Take").click()
        taken = served.wait_for(lambda state: state["config"]["gain"] == 0.25)["config"]
        assert taken["lm_damping"] == 1e-6
        page.page.locator(SCENE).first.click()
        page.page.keyboard.press("Control+z")
        served.wait_for(lambda state: state["config"] == before)

        # The clipboard, and a browser that refuses it.
        page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.button("Copy as YAML").click()
        expect(page.page.get_by_text("Copied.").first).to_be_visible()
        copied = page.page.evaluate("() => navigator.clipboard.readText()")
        assert copied.encode() == served.config_yaml()
        page.page.evaluate(REFUSE_TO_COPY)
        page.button("Copy as Python").click()
        expect(page.page.get_by_text("The text is selected").first).to_be_visible()
        selected = page.page.evaluate("() => getSelection().toString()")
        assert "pink = PinkKinematicsConfig(" in selected and "gain=0.3," in selected

        drive_as_isaac_sim_and_back(page, served)


def drive_as_isaac_sim_and_back(page: Workbench, served: Served) -> None:
    z_m = served.state()["tools"]["left_hand"]["target"]["position"][2]
    for mode, title, way_m in (("isaac", "as Isaac Sim", 0.1), ("live", "live", 0.05)):
        page.tab("Run")
        page.field("mode").click()
        page.page.get_by_role("option", name=title, exact=True).click()
        served.wait_for(lambda state, mode=mode: state["mode"] == mode)
        page.tab("Tasks")
        wanted_m = round(z_m + way_m, 3)
        page.set("z", f"{wanted_m:.3f}")
        state = served.wait_for(
            lambda state, z_m=wanted_m: abs(state["tools"]["left_hand"]["position"][2] - z_m) < 2e-3
        )
        assert state["mode"] == mode and state["status"]["ok"]
        assert state["tools"]["left_hand"]["position_error_m"] < 5e-3
