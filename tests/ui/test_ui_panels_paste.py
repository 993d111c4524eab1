"""Pasted settings: what would change is shown first, taken in one step, and never executed."""

from __future__ import annotations

from dataclasses import replace

import pytest
import viser

from tests.live.live_fakes import fake_bundle, start_settings
from tests.ui.dialog_rig import DialogBrowser
from tests.ui.panel_rig import PanelRig, labelled
from workbench.config.settings import ToolTarget
from workbench.export.dimos_config import dimos_flags, dimos_json
from workbench.export.subject import ExportSubject
from workbench.poses import Pose
from workbench.ui.panels.file import FilePanel
from workbench.ui.panels.paste_dialog import REST_S, PasteDialog

FLAGS = (
    "dimos run manipulation --manipulationmodule.kinematics.gain=0.3 "
    "--manipulationmodule.kinematics.solver=daqp --manipulationmodule.kinematics.lm-damping=10"
)


@pytest.fixture
def browser(panel_rig: PanelRig) -> DialogBrowser:
    """Open the dialog."""
    browser = DialogBrowser(panel_rig.gui)
    PasteDialog(browser, panel_rig.context)  # pyright: ignore[reportArgumentType]
    return browser


def paste(rig: PanelRig, browser: DialogBrowser, text: str) -> None:
    browser.set(browser.window["text"], text)
    rig.page.run(REST_S + 0.01)
    rig.run_jobs()
    rig.page.run(0.01)


def test_flags_are_compared_taken_and_undone_in_one_step(
    panel_rig: PanelRig, browser: DialogBrowser
) -> None:
    before = panel_rig.config
    take = browser.window["Take"]
    assert take.disabled
    paste(panel_rig, browser, FLAGS + " --viewer.port=7")
    assert "DimOS flags" in browser.shown
    assert '<td>gain</td><td class="n">0.5</td><td class="n">0.3</td>' in browser.shown
    assert "viewer.port is not about kinematics" in browser.shown
    assert panel_rig.config == before and not take.disabled
    browser.click(take)
    assert panel_rig.config.gain == 0.3
    assert not panel_rig.gui._modal_handle_from_uuid
    title, body = panel_rig.other.told[-1]
    assert title == "Taken: DimOS flags" and "gain 0.5 to 0.3" in body
    assert panel_rig.session.undo() == "paste DimOS flags"
    assert panel_rig.config == before and panel_rig.session.state.undo_label is None


def test_a_controllers_arguments_bring_its_rate(
    panel_rig: PanelRig, browser: DialogBrowser
) -> None:
    paste(
        panel_rig, browser,
        'c = PinkIKController(robot, dt=1/60, gain=0.2, solver="daqp", tool_frame="left")',
    )  # fmt: skip
    assert "100 Hz" in browser.shown and "60 Hz" in browser.shown
    assert "the gizmos stay on left, right" in browser.shown
    browser.click(browser.window["Take"])
    settings = panel_rig.session.state.settings
    assert (settings.rate_hz, settings.kinematics.gain) == (60.0, 0.2)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("--manipulationmodule.kinematics.gain=7", "kinematics.gain: is out of range (got '7')"),
        ("gain: 0.5\nlm_dampin: 1\n", "pasted text:2: lm_dampin"),
        ('{"kinematics": {"gain": "<b>"}}', "gain"),
        ("gain=0.2, tool_frame='elbow'", "this robot has no such frame (got 'elbow')"),
        ("gain=0.2, dt=1/5000", "rate_hz: is out of range (got 5000.0)"),
        ("gain=__import__('os').abort()", "is not a literal"),
        ("hello there", "pasted text"),
    ],
)
def test_what_is_wrong_is_said_with_its_place_and_nothing_can_be_taken(
    panel_rig: PanelRig, browser: DialogBrowser, text: str, reason: str
) -> None:
    before = panel_rig.session.state.settings
    paste(panel_rig, browser, text)
    assert reason in browser.shown, browser.shown
    assert "<b>" not in browser.window_html
    assert browser.window["Take"].disabled
    browser.click(browser.window["Take"])
    assert panel_rig.session.state.settings == before


def test_only_the_text_that_stands_there_counts(
    panel_rig: PanelRig, browser: DialogBrowser
) -> None:
    text = browser.window["text"]
    paste(panel_rig, browser, FLAGS)
    browser.set(text, FLAGS + " ")
    # The offer belonged to another text.
    assert browser.window["Take"].disabled and ">0.3<" not in browser.shown
    panel_rig.page.run(REST_S + 0.01)
    browser.set(text, "--manipulationmodule.kinematics.gain=0.9")
    panel_rig.run_jobs()
    panel_rig.page.run(0.01)
    assert browser.window["Take"].disabled and ">0.3<" not in browser.shown
    panel_rig.page.run(REST_S)
    panel_rig.run_jobs()
    panel_rig.page.run(0.01)
    assert ">0.9<" in browser.shown and not browser.window["Take"].disabled


def test_what_others_changed_meanwhile_is_shown_before_it_is_overwritten(
    panel_rig: PanelRig, browser: DialogBrowser
) -> None:
    paste(panel_rig, browser, FLAGS)
    panel_rig.session.edit(None, lambda s: s.with_kinematics(gain=0.8))
    browser.click(browser.window["Take"])
    assert panel_rig.config.gain == 0.8
    assert browser.told[-1][0] == "Not taken yet"
    assert ">0.8<" in browser.shown
    browser.click(browser.window["Take"])
    assert panel_rig.config.gain == 0.3


def test_a_frame_of_the_robot_before_is_not_taken(
    panel_rig: PanelRig, browser: DialogBrowser
) -> None:
    paste(panel_rig, browser, "gain=0.2, solver='daqp', tool_frame='left'")
    bundle = fake_bundle("crane")
    description = replace(bundle.description, frames=("hook",), tool_frames=("hook",))
    panel_rig.session.replace_bundle(
        replace(bundle, description=description),
        replace(start_settings(bundle), targets={"hook": ToolTarget(Pose())}),
    )
    before = panel_rig.config
    browser.click(browser.window["Take"])
    assert panel_rig.config == before
    assert "no such frame" in browser.told[-1][1]


def test_what_is_in_force_already_is_not_taken_again(
    panel_rig: PanelRig, browser: DialogBrowser
) -> None:
    paste(panel_rig, browser, dimos_flags(ExportSubject(panel_rig.session.state.settings)))
    assert "it holds what is in force" in browser.shown
    assert browser.window["Take"].disabled


def test_a_closed_window_reads_nothing(panel_rig: PanelRig, browser: DialogBrowser) -> None:
    browser.set(browser.window["text"], FLAGS)
    browser.click(browser.window["Close"])
    panel_rig.page.run(1.0)
    assert panel_rig.waiting_jobs == []
    PasteDialog(browser, panel_rig.context)  # pyright: ignore[reportArgumentType]
    browser.set(browser.window["text"], FLAGS)
    panel_rig.page.run(1.0)
    browser.click(browser.window["Close"])
    panel_rig.run_jobs()
    panel_rig.page.run(1.0)
    assert panel_rig.session.state.undo_label is None


def test_a_file_for_dimoss_config_option_is_imported(panel_rig: PanelRig) -> None:
    FilePanel(panel_rig.context)
    wanted = panel_rig.config.with_values(gain=0.3)
    text = dimos_json(ExportSubject(panel_rig.session.state.settings.with_kinematics(gain=0.3)))
    content = text.replace("{", '{"viewer": {"port": 7},', 1).encode()
    panel_rig.browser.set(
        labelled(panel_rig.gui, "Import"), viser.UploadedFile("dimos.json", content)
    )
    panel_rig.run_jobs()
    assert panel_rig.config == wanted
    title, body = panel_rig.browser.told[-1]
    assert title == "Imported dimos.json"
    assert "gain 0.5 to 0.3; not taken: section viewer is not about kinematics" in body
