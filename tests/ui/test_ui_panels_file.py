"""File, Changes and Help, and how all panels are kept up to date."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import viser

from tests.live.live_fakes import fake_bundle, start_settings
from tests.ui.panel_rig import PanelRig, handles, html_of, labelled
from workbench.errors import ConfigError
from workbench.ui.panels.board import Board
from workbench.ui.panels.changes import ChangesPanel
from workbench.ui.panels.file import FilePanel, file_name
from workbench.ui.panels.help import HelpPanel
from workbench.ui.panels.report_window import report_html


def test_every_change_has_its_way_back(panel_rig: PanelRig) -> None:
    panel = ChangesPanel(panel_rig.context)
    panel_rig.session.edit(None, lambda s: replace(s.with_kinematics(gain=0.3), rate_hz=200.0))
    panel.refresh(panel_rig.session.state)
    panel_rig.browser.click(labelled(panel_rig.gui, "↺ 0.5"))
    assert panel_rig.config.gain == 0.5
    assert panel_rig.session.state.settings.rate_hz == 200.0
    panel.refresh(panel_rig.session.state)
    panel_rig.browser.click(labelled(panel_rig.gui, "↺ 100 Hz"))
    panel.refresh(panel_rig.session.state)
    assert panel_rig.session.changes() == ()
    assert "nothing" in html_of(panel_rig)


def upload(rig: PanelRig, name: str, content: bytes) -> None:
    rig.browser.set(labelled(rig.gui, "Import"), viser.UploadedFile(name, content))
    rig.run_jobs()


def test_an_import_is_one_step_and_says_what_it_changed(panel_rig: PanelRig) -> None:
    FilePanel(panel_rig.context)
    upload(panel_rig, "tuned.yaml", b"solver: daqp\ngain: 0.3\nlm_damping: 1e-3\n")
    assert (panel_rig.config.gain, panel_rig.config.lm_damping) == (0.3, 1e-3)
    title, body = panel_rig.browser.told[-1]
    assert title == "Imported tuned.yaml"
    assert "gain 0.5 to 0.3" in body
    assert panel_rig.other.told[-1] == (title, body)
    panel_rig.session.undo()
    assert panel_rig.config == panel_rig.session.state.bundle.defaults


@pytest.mark.parametrize("content", [b"gain: 7\n", b"gian: 0.3\n", b"\x00\x01", b"", b"- 1\n"])
def test_a_bad_file_is_refused_whole_to_who_sent_it(panel_rig: PanelRig, content: bytes) -> None:
    FilePanel(panel_rig.context)
    upload(panel_rig, "bad\u202e.yaml", content)
    assert panel_rig.config == panel_rig.session.state.bundle.defaults
    ((title, reason),) = panel_rig.browser.told
    assert title == "bad\ufffd.yaml was not imported"
    assert reason
    assert panel_rig.other.told == []
    assert panel_rig.session.state.undo_label is None


def test_a_download_holds_the_export(panel_rig: PanelRig) -> None:
    FilePanel(panel_rig.context)
    panel_rig.browser.click(labelled(panel_rig.gui, "Download"))
    ((name, content),) = panel_rig.browser.files
    assert name == "gantry_pink_kinematics.yaml"
    assert content.decode() == panel_rig.context.export_text()


@pytest.mark.parametrize("robot", ["../../etc/passwd", "<b>", "", "a b\nc", "\u202e", "x" * 500])
def test_a_downloads_name_is_a_name(robot: str) -> None:
    name = file_name(robot)
    assert name.endswith("_pink_kinematics.yaml")
    assert not set(name) & set("/\\<>\n \u202e")
    assert len(name) < 100
    assert not name.startswith(".")


def test_save_says_how_it_went_and_marks_what_is_unsaved(panel_rig: PanelRig) -> None:
    panel = FilePanel(panel_rig.context)
    panel_rig.session.edit(None, lambda s: s.with_kinematics(gain=0.3))
    panel.refresh(panel_rig.session.state)
    assert "unsaved" in html_of(panel_rig)
    panel_rig.browser.click(labelled(panel_rig.gui, "Save ●"))
    assert panel_rig.save_file.writes == 1
    panel_rig.save_file.raises = ConfigError("cannot be written", path="/somewhere")
    panel_rig.browser.click(labelled(panel_rig.gui, "Save ●"))
    assert panel_rig.browser.told[-1][0] == "Not saved"


def test_a_file_that_is_not_there_is_not_called_saved(
    panel_rig: PanelRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tuned.yaml"
    monkeypatch.setattr(panel_rig.save_file, "path", path)
    panel = FilePanel(panel_rig.context)
    assert "not written yet" in html_of(panel_rig)
    path.write_text("gain: 0.5")
    panel.refresh(panel_rig.session.state)
    assert "as saved" in html_of(panel_rig)


def test_without_a_file_to_save_to_there_is_no_save(panel_rig: PanelRig) -> None:
    FilePanel(replace(panel_rig.context, save_file=None))
    labels = [getattr(handle, "label", "") for handle in handles(panel_rig.gui)]
    assert not any("Save" in str(label) for label in labels)


def test_the_chooser_loads_another_robot_and_shows_the_one_that_runs(panel_rig: PanelRig) -> None:
    panel = FilePanel(panel_rig.context)
    chooser = labelled(panel_rig.gui, "robot")
    assert chooser.value == "Gantry"
    panel_rig.browser.set(chooser, "Franka Panda")
    assert panel_rig.loader.asked == ["panda"]
    panel.refresh(panel_rig.session.state)
    assert chooser.value == "Gantry"


def test_a_robot_from_a_file_is_an_option_only_while_it_runs(panel_rig: PanelRig) -> None:
    panel = FilePanel(panel_rig.context)
    chooser = labelled(panel_rig.gui, "robot")
    assert chooser.options == ("Gantry", "Franka Panda")
    bundle = fake_bundle("crane")
    panel_rig.session.replace_bundle(bundle, start_settings(bundle))
    panel.refresh(panel_rig.session.state)
    assert chooser.value == "from a file"
    assert chooser.value in chooser.options
    panel_rig.session.restore_previous()
    panel.refresh(panel_rig.session.state)
    assert chooser.options == ("Gantry", "Franka Panda")
    assert panel_rig.loader.asked == []


def test_back_names_the_robot_before(panel_rig: PanelRig) -> None:
    panel = FilePanel(panel_rig.context)
    bundle = fake_bundle("crane")
    panel_rig.session.replace_bundle(bundle, start_settings(bundle))
    panel.refresh(panel_rig.session.state)
    panel_rig.browser.click(labelled(panel_rig.gui, "Back to gantry"))
    assert panel_rig.loader.asked == ["back"]


def test_the_report_is_text_to_copy() -> None:
    shown = report_html("line one\n</pre><script>x</script>")
    assert "<script" not in shown
    assert shown.count("</pre>") == 1
    assert "line&#32;one&#10;" in shown


def test_many_changes_at_once_are_one_refresh_of_the_newest(panel_rig: PanelRig) -> None:
    board = Board(panel_rig.context)
    refreshed: list[int] = []
    board._panels[0].refresh = lambda state: refreshed.append(state.version)
    for gain in (0.1, 0.2, 0.3):
        panel_rig.session.edit(None, lambda s, gain=gain: s.with_kinematics(gain=gain))
    panel_rig.page.run()
    assert refreshed == [panel_rig.session.state.version]
    board.close()


def test_the_board_shows_numbers_only_while_somebody_looks(panel_rig: PanelRig) -> None:
    looks = False
    board = Board(panel_rig.context, is_watched=lambda: looks)
    panel_rig.loop.step()
    board.start()
    panel_rig.page.run(1.0)
    assert "On its way" not in html_of(panel_rig)
    assert "Reached" not in html_of(panel_rig)
    looks = True
    panel_rig.page.run(1.0)
    assert "Reached" in html_of(panel_rig) or "On its way" in html_of(panel_rig)
    board.close()
    panel_rig.page.run(5.0)


def test_a_snapshot_of_the_robot_before_is_not_shown(panel_rig: PanelRig) -> None:
    board = Board(panel_rig.context)
    board.start()
    panel_rig.loop.step()
    bundle = fake_bundle("crane")
    panel_rig.session.replace_bundle(bundle, start_settings(bundle))
    panel_rig.page.run(1.0)
    assert "tick time" not in html_of(panel_rig)
    panel_rig.loop.step()
    panel_rig.page.run(1.0)
    assert "tick time" in html_of(panel_rig)
    board.close()


def test_help_shows_a_page_and_links_to_it(panel_rig: PanelRig) -> None:
    HelpPanel(panel_rig.context)
    chooser = labelled(panel_rig.gui, "page")
    assert chooser.options
    for name in chooser.options:
        panel_rig.browser.set(chooser, name)
        text = next(
            handle
            for handle in handles(panel_rig.gui)
            if type(handle).__name__ == "GuiMarkdownHandle"
        )
        assert len(text.content) > 50
        assert "/static/help/" in html_of(panel_rig)
