"""Every control of the page says on hover what it does."""

from __future__ import annotations

import html
import re

import pytest
import viser

from tests.ui.panel_rig import FakeBrowser, PanelRig, handles, labelled
from workbench.ui.panels.board import Board
from workbench.ui.panels.report_window import report_html
from workbench.ui.panels.scene import ScenePanel
from workbench.ui.scene_pump import ScenePump
from workbench.ui.widgets import add_button, give_help

LEAST_CHARACTERS = 15
BUTTONS = (viser.GuiButtonHandle, viser.GuiUploadButtonHandle)


def help_of(button: viser.GuiButtonHandle | viser.GuiUploadButtonHandle) -> str | None:
    """Return the help that the page's script finds in a button, None for none."""
    icon = button._icon_html or ""
    found = re.findall(r'<span class="workbench-help[^"]*" data-help="([^"]*)"', icon)
    assert len(found) <= 1
    return html.unescape(found[0]) if found else None


def test_every_control_has_a_help(page_server: viser.ViserServer, panel_rig: PanelRig) -> None:
    pump = ScenePump(page_server, panel_rig.session)
    Board(panel_rig.context, add_scene_panel=lambda: ScenePanel(panel_rig.tools, pump))
    # A change brings the buttons that lead back.
    panel_rig.session.edit(None, lambda settings: settings.with_kinematics(gain=0.3))
    panel_rig.page.run(0.1)
    controls = [handle for handle in handles(panel_rig.gui) if hasattr(handle, "hint")]
    assert len(controls) > 50
    for control in controls:
        text = help_of(control) if isinstance(control, BUTTONS) else control.hint
        assert text is not None and len(text) > LEAST_CHARACTERS, control.label


def test_the_button_in_the_report_has_a_help() -> None:
    assert re.search(r'<button type="button" [^>]*title="\w', report_html("text"))


@pytest.mark.parametrize("icon", [None, viser.Icon.HOME])
def test_a_help_is_text_and_keeps_the_icon(
    panel_rig: PanelRig, icon: viser.IconName | None
) -> None:
    button = add_button(panel_rig.gui, "Go", 'a "quoted" <b>text</b> &amp;', icon=icon)
    assert help_of(button) == 'a "quoted" <b>text</b> &amp;'
    assert "<b>" not in (button._icon_html or "")
    assert ("<svg" in (button._icon_html or "")) is (icon is not None)


def test_a_help_stays_with_a_button_that_changes_its_icon(panel_rig: PanelRig) -> None:
    Board(panel_rig.context)
    pause = labelled(panel_rig.gui, "Pause")
    first, icon = help_of(pause), pause.icon
    FakeBrowser().click(pause)
    panel_rig.page.run(0.1)
    assert pause.label == "Run" and pause.icon != icon
    assert help_of(pause) not in (None, first)
    give_help(pause, "something else")
    assert help_of(pause) == "something else"
