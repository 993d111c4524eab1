"""The command line: mistakes are one sentence and exit status 2, never a traceback."""

from __future__ import annotations

import argparse
import json
import webbrowser
from pathlib import Path

import pytest

from workbench import __version__, desktop, doctor
from workbench.cli import build_parser, main
from workbench.desktop import has_desktop


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Return the exit status, stdout and stderr of a command line."""
    try:
        status = main(words)
    except SystemExit as stop:
        status = int(stop.code or 0)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_version_is_the_package_version(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--version")
    assert (status, out) == (0, f"workbench {__version__}\n")


def test_robots_lists_name_title_joints_tools_and_source(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, _ = run(capsys, "robots", "--json")
    rows = {row["name"]: row for row in json.loads(out)}
    assert status == 0
    assert len(rows["panda"]["joints"]) >= 7
    assert all(
        row["title"] and row["source"] and row["tool_frames"] and row["joints"]
        for row in rows.values()
    )
    status, table, _ = run(capsys, "robots")
    assert status == 0
    assert all(name in table for name in rows)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["serve", "pandq", "--no-browser"], "panda"),
        (["serve", "/does/not/exist.urdf"], "/does/not/exist.urdf"),
        (["serve", "panda", "--hold", "panda_joint1"], "JOINT=VALUE"),
        (["serve", "panda", "--hold", "panda_joint1=nan"], "JOINT=VALUE"),
        (["serve", "panda", "--hold", "a=1", "--hold", "a=2"], "named twice"),
        (["serve", "panda", "--hold", "panda_jiont1=0.5"], "panda_joint1"),
        (["serve", "panda", "--tool-frame", "panda_hnad"], "panda_hand"),
        (["serve", "panda", "--tool-frame", "tip=panda_hand:0,0,x,0,0,0"], "tip=panda_hand"),
        (["serve", "panda", "--config", "/does/not/exist.yaml"], "/does/not/exist.yaml"),
        (["serve", "panda", "--rate", "5"], "rate_hz"),
        (["serve", "panda", "--rate", "nan"], "rate_hz"),
        (["serve", "panda", "--port", "99999"], "99999"),
        (["serve", "panda", "--port", "-1"], "-1"),
        (["serve", "panda", "--host", "not.a.host.invalid"], "not.a.host.invalid"),
        (["serve", "panda", "--save-to", "/does/not/exist/tuned.yaml"], "/does/not/exist"),
        (["serve", "panda", "--srdf", "/does/not/exist.srdf"], "/does/not/exist.srdf"),
        (["serve", "panda", "--mesh-up-axis", "x"], "--mesh-up-axis"),
        (["serve", "panda", "--rate", "abc"], "--rate: is not a number (got 'abc')"),
        (["serve", "panda", "--port", "x"], "--port: is not a whole number (got 'x')"),
        (["doctor", "--port", "1.5"], "--port: is not a whole number (got '1.5')"),
        (["serve", "panda", "--port"], "--port: a value is missing"),
        (["serve", "panda", "--read-only=yes"], "--read-only: this option takes no value"),
        (["serve", "panda", "--prot", "1"], "--prot: there is no such option; expected perhaps"),
        (["serve", "panda", "--no-browsr"], "--no-browser"),
        (["robots", "--jsno"], "--json"),
        (["--verison"], "--version"),
        (["serve", "panda", "ur5"], "one word too many (got 'ur5')"),
        (["sevre"], "there is no such command (got 'sevre'); expected perhaps serve"),
        ([], "COMMAND: none was given; expected one of doctor, export, "),
    ],
)
def test_a_mistake_is_one_sentence_that_names_it(
    capfd: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    try:
        status = main(words)
    except SystemExit as stop:
        status = int(stop.code or 0)
    captured = capfd.readouterr()
    assert status == 2
    assert said in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""
    (sentence,) = captured.err.splitlines()
    assert sentence.startswith("workbench: ")


def test_the_readme_names_every_command_and_option() -> None:
    readme = (Path(__file__).resolve().parents[1] / "README.md").read_text()
    commands = next(
        action.choices
        for action in build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    for name, parser in commands.items():
        assert f"workbench {name}" in readme
        for action in parser._actions:
            for option in action.option_strings:
                if option not in ("-h", "--help"):
                    assert f"{option}" in readme, f"{name} {option}"


def test_a_file_that_holds_something_else_is_not_saved_over(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Things to remember\n")
    status, _, err = run(capsys, "serve", "ur5", "--no-browser", "--save-to", str(notes))
    assert status == 2
    assert str(notes) in err
    assert notes.read_text() == "# Things to remember\n"


def test_doctor_says_that_all_is_in_place(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "doctor", "--port", "0")
    assert status == 0, out
    assert "daqp" in out


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"BROWSER": "w3m"}, "linux", True),
        ({}, "darwin", True),
        ({}, "win32", True),
    ],
)
def test_a_terminal_alone_is_no_place_for_a_window(
    environment: dict[str, str], platform: str, expected: bool
) -> None:
    assert has_desktop(environment, platform) is expected


def test_doctor_calls_no_terminal_browser_openable(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(desktop.sys, "platform", "linux")
    monkeypatch.setattr(doctor.webbrowser, "get", lambda: webbrowser.GenericBrowser("lynx"))
    (said,) = [line for line in doctor.examine(port=0).lines if line.startswith("browser ")]
    assert "can be opened" not in said
    assert "open the printed URL by hand" in said
    monkeypatch.setenv("DISPLAY", ":0")
    (said,) = [line for line in doctor.examine(port=0).lines if line.startswith("browser ")]
    assert "can be opened" in said


def test_doctor_names_the_wrong_pinocchio(monkeypatch: pytest.MonkeyPatch) -> None:
    real = doctor._version
    monkeypatch.setattr(
        doctor, "_version", lambda name: "0.4.3" if name == "pinocchio" else real(name)
    )
    report = doctor.examine(port=0)
    assert not report.healthy
    text = "\n".join(report.lines)
    assert "pip uninstall pinocchio" in text
    assert "pip install --force-reinstall pin" in text
