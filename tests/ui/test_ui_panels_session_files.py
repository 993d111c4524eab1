"""Session files on the page: down, up, and back after an unclean end."""

from __future__ import annotations

from pathlib import Path

import viser

from tests.ui.panel_rig import PanelRig
from workbench.live.autosave import Leftover
from workbench.live.session_file import read_session
from workbench.ui.panels.session_files import SessionFilesPanel, session_file_name


def upload(rig: PanelRig, panel: SessionFilesPanel, content: bytes, name: str = "a.yaml") -> None:
    rig.browser.set(panel._open, viser.UploadedFile(name, content))
    rig.run_jobs()


def button(rig: PanelRig, label: str) -> viser.GuiButtonHandle:
    for handle in rig.gui._gui_input_handle_from_uuid.values():
        if isinstance(handle, viser.GuiButtonHandle) and handle.label == label:
            return handle
    raise AssertionError(label)


def test_the_session_is_downloaded_as_it_is_now(panel_rig: PanelRig) -> None:
    SessionFilesPanel(panel_rig.context)
    panel_rig.browser.click(button(panel_rig, "Save session"))
    ((name, content),) = panel_rig.browser.files
    assert name == "gantry.workbench.yaml"
    assert read_session(content, name=name).request.source == "gantry"


def test_an_uploaded_session_is_opened(panel_rig: PanelRig) -> None:
    panel = SessionFilesPanel(panel_rig.context)
    upload(panel_rig, panel, panel_rig.keeper.text().encode())
    assert panel_rig.loader.asked == ["open gantry from a.yaml"]
    assert panel._open.value.content == b""


def test_what_is_no_session_is_refused_with_the_reason_and_opens_nothing(
    panel_rig: PanelRig,
) -> None:
    panel = SessionFilesPanel(panel_rig.context)
    upload(panel_rig, panel, b"gain: 0.5\n")
    assert panel_rig.loader.asked == []
    ((title, body),) = panel_rig.browser.told
    assert title == "a.yaml was not opened"
    assert "workbench_session" in body
    assert panel_rig.other.told == []


def test_what_was_left_behind_is_offered_once(panel_rig: PanelRig, tmp_path: Path) -> None:
    path = tmp_path / "session-1.workbench.yaml"
    path.write_text(panel_rig.keeper.text())
    panel_rig.keeper.left_behind = (Leftover(path, 0.0),)
    panel = SessionFilesPanel(panel_rig.context)
    assert panel._restore.visible
    panel_rig.browser.click(panel._restore)
    panel_rig.run_jobs()
    assert panel_rig.loader.asked == [f"open gantry from {path}"]
    assert not panel._restore.visible
    panel_rig.browser.click(panel._restore)
    assert panel_rig.browser.told[-1][0] == "Nothing was restored"


def test_only_the_session_that_is_open_again_is_forgotten(
    panel_rig: PanelRig, tmp_path: Path
) -> None:
    newer, older = tmp_path / "session-2.workbench.yaml", tmp_path / "session-1.workbench.yaml"
    newer.write_text(panel_rig.keeper.text())
    panel_rig.keeper.left_behind = (Leftover(newer, 1.0), Leftover(older, 0.0))
    panel = SessionFilesPanel(panel_rig.context)
    panel_rig.browser.click(panel._restore)
    panel_rig.run_jobs()
    assert panel_rig.loader.asked == [f"open gantry from {newer}"]
    assert panel_rig.keeper.left_behind == (Leftover(older, 0.0),)
    assert panel._restore.visible


def test_what_was_left_behind_stays_where_its_robot_cannot_be_loaded(
    panel_rig: PanelRig, tmp_path: Path
) -> None:
    path = tmp_path / "session-1.workbench.yaml"
    path.write_text(panel_rig.keeper.text())
    panel_rig.keeper.left_behind = found = (Leftover(path, 0.0),)
    panel_rig.loader.opens = False
    panel = SessionFilesPanel(panel_rig.context)
    panel_rig.browser.click(panel._restore)
    panel_rig.run_jobs()
    assert panel_rig.loader.asked
    assert panel_rig.keeper.left_behind is found
    assert panel._restore.visible


def test_file_names_hold_no_path() -> None:
    assert session_file_name("../../etc/passwd") == "etc_passwd.workbench.yaml"
    assert session_file_name("..") == "robot.workbench.yaml"
