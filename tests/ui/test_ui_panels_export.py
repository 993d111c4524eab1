"""Export dialog and copies: what each way out shows, refuses and hands over."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.export.subjects import robot
from tests.live.live_fakes import fake_bundle, start_settings
from tests.ui.dialog_rig import DialogBrowser
from tests.ui.panel_rig import PanelRig, labelled, text_of
from workbench.config.settings import ToolTarget
from workbench.config.tasks import DampingTaskSpec
from workbench.export.kinds import EXPORT_KINDS, export
from workbench.poses import Pose
from workbench.ui.panels.copy_field import copy_field
from workbench.ui.panels.export_buttons import ExportButtons
from workbench.ui.panels.export_dialog import ExportDialog, export_file_name, export_subject


def copied(field: str) -> str:
    """Return what a browser copies of the first field in a page."""
    (text,) = re.findall(r"<pre[^>]*>(.*?)</pre>", field, re.DOTALL)
    assert "<" not in text
    return html.unescape(text)


@pytest.fixture
def browser(panel_rig: PanelRig) -> DialogBrowser:
    """Open the dialogs of a panda: the gantry of other tests has no URDF."""
    panda = robot("panda")
    bundle = replace(fake_bundle("panda"), description=panda)
    targets = {name: ToolTarget(Pose()) for name in panda.tool_frames}
    settings = replace(start_settings(fake_bundle("panda")), targets=targets, home=panda.home)
    panel_rig.session.replace_bundle(bundle, settings)
    return DialogBrowser(panel_rig.gui)


def dialog(rig: PanelRig, browser: DialogBrowser, title: str = "") -> ExportDialog:
    opened = ExportDialog(browser, rig.context)  # pyright: ignore[reportArgumentType]
    if title:
        browser.set(browser.window["for"], title)
    return opened


@pytest.mark.parametrize("kind", EXPORT_KINDS.values(), ids=list(EXPORT_KINDS))
def test_every_kind_is_shown_and_downloaded_as_the_command_line_writes_it(
    panel_rig: PanelRig, browser: DialogBrowser, kind: Any
) -> None:
    dialog(panel_rig, browser, kind.title)
    text = export(kind.name, export_subject(panel_rig.session.state)).text
    assert copied(browser.window_html) == text
    browser.click(browser.window["Download"])
    assert browser.files == [(export_file_name("panda", kind), text.encode())]


def test_what_would_be_lost_is_said_first_and_left_out_only_when_asked(
    panel_rig: PanelRig, browser: DialogBrowser
) -> None:
    slow = DampingTaskSpec(name="<b>slow</b>", cost=0.5)
    panel_rig.session.edit(None, lambda settings: replace(settings, tasks=(slow,)))
    dialog(panel_rig, browser)
    switch, download = browser.window["leave that out"], browser.window["Download"]
    assert switch.visible and download.disabled
    assert "cannot express" in browser.shown and "task <b>slow</b>" in browser.shown
    assert "<b>slow" not in browser.window_html
    browser.click(download)
    assert browser.files == []
    browser.set(switch, True)
    assert not download.disabled and "gain: 0.5" in browser.shown
    # Another form loses other things: nothing is agreed to yet.
    browser.set(browser.window["for"], EXPORT_KINDS["dimos-flags"].title)
    assert switch.value is False and download.disabled
    browser.set(browser.window["for"], EXPORT_KINDS["pink"].title)
    assert not switch.visible and not download.disabled


def test_an_older_dimos_gets_no_margin_and_refuses_one_that_is_set(
    panel_rig: PanelRig, browser: DialogBrowser
) -> None:
    dialog(panel_rig, browser)
    version = browser.window["DimOS version"]
    browser.set(version, "0.0.13")
    assert "joint_limit_posture_margin" not in browser.shown and "0.0.13" in browser.shown
    browser.set(version, "0.0.15")
    assert "joint_limit_posture_margin" in browser.shown and "0.0.15" in browser.shown
    panel_rig.session.edit(None, lambda s: s.with_kinematics(joint_limit_posture_margin=0.1))
    browser.click(browser.window["Close"])
    dialog(panel_rig, browser)
    browser.set(browser.window["DimOS version"], "0.0.13")
    assert "does not know this setting (got 0.1)" in browser.shown
    assert browser.window["Download"].disabled
    browser.set(browser.window["for"], EXPORT_KINDS["dimos-flags"].title)
    assert "needs DimOS 0.0.14 or later" in browser.shown
    browser.set(browser.window["for"], EXPORT_KINDS["pink"].title)
    assert not browser.window["DimOS version"].visible


def test_what_cannot_be_written_is_said_and_the_other_kinds_still_can(
    panel_rig: PanelRig, browser: DialogBrowser
) -> None:
    state = panel_rig.session.state
    xacro = replace(state.description, urdf_path="/somewhere/<i>panda.xacro")
    bundle = replace(state.bundle, description=xacro)
    panel_rig.session.replace_bundle(bundle, state.settings)
    dialog(panel_rig, browser, EXPORT_KINDS["pinker"].title)
    assert "is no URDF" in browser.shown and "<i>" not in browser.window_html
    assert browser.window["Download"].disabled
    browser.set(browser.window["for"], EXPORT_KINDS["dimos-json"].title)
    assert not browser.window["Download"].disabled


def test_a_form_without_comments_comes_with_its_notes(
    panel_rig: PanelRig, browser: DialogBrowser
) -> None:
    dialog(panel_rig, browser, EXPORT_KINDS["dimos-flags"].title)
    assert "quaternions: w, x, y, z" in browser.shown and "tuned at 100 Hz" in browser.shown


def test_the_window_closes(panel_rig: PanelRig, browser: DialogBrowser) -> None:
    dialog(panel_rig, browser)
    close = browser.window["Close"]
    browser.click(close)
    browser.click(close)
    assert not panel_rig.gui._modal_handle_from_uuid


@pytest.mark.parametrize("name", ["../../etc", "<b>", "", "a b\nc", "\u202e", "x" * 500, "a-b.c"])
def test_a_program_is_downloaded_under_a_name_that_python_can_import(name: str) -> None:
    found = export_file_name(name, EXPORT_KINDS["dimos-solver"])
    assert re.fullmatch(r"\w+_dimos_solver\.py", found, re.ASCII) and len(found) < 90


def test_whoever_looks_may_export_but_not_paste(panel_rig: PanelRig) -> None:
    opened: list[Any] = []
    tools = replace(panel_rig.tools, open_to_lookers=opened.append)
    ExportButtons(replace(panel_rig.context, tools=tools))
    assert opened == [labelled(panel_rig.gui, "Export…")]
    browser = DialogBrowser(panel_rig.gui)
    ExportDialog(browser, replace(panel_rig.context, tools=tools))  # pyright: ignore[reportArgumentType]
    inputs = [h for label, h in browser.window.items() if label]
    assert set(map(id, inputs)) <= set(map(id, opened))


def test_the_clipboard_gets_the_config_in_force(panel_rig: PanelRig) -> None:
    buttons = ExportButtons(panel_rig.context)
    panel_rig.session.edit(None, lambda s: s.with_kinematics(gain=0.3))
    buttons.refresh(panel_rig.session.state)
    yaml, python = re.findall(r"<pre.*?</pre>", buttons._copies.content, re.DOTALL)
    assert copied(yaml) == panel_rig.context.export_text()
    assert "gain: 0.3" in copied(yaml)
    assert "gain=0.3," in copied(python) and "pink = PinkKinematicsConfig(" in copied(python)
    assert yaml.startswith("<pre") and " hidden>" in yaml
    assert "Copy as YAML" in text_of(panel_rig)


def test_a_drag_does_not_send_the_copies_again(panel_rig: PanelRig) -> None:
    buttons = ExportButtons(panel_rig.context)
    before = buttons._copied
    panel_rig.session.edit(None, lambda s: s.with_target("left", Pose()))
    buttons.refresh(panel_rig.session.state)
    assert buttons._copied is before


def test_a_text_to_copy_is_text() -> None:
    text = "one\n  <script>&amp;</script>\n\n\"'`*_\n"
    field = copy_field(text, "Copy", "Copies.", shown=True)
    assert copied(field) == text
    assert "<script" not in field and " hidden" not in field
