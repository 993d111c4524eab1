"""``workbench export``: what it prints and writes, and one sentence for each mistake."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import stat
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tests.export.subjects import plain_subject, rich_subject
from workbench.cli import main
from workbench.commands.export import KINDS
from workbench.live.session_file import SessionFile, write_session
from workbench.model.request import RobotRequest
from workbench.resources import resource_folder


@pytest.fixture
def config(tmp_path: Path) -> str:
    path = tmp_path / "tuned.yaml"
    path.write_text("solver: daqp\ngain: 0.3\n")
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(("export", *words))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    assert err.startswith("workbench: ") and err.count("\n") == 1
    return err


def test_a_config_is_printed(capsys: pytest.CaptureFixture[str], config: str) -> None:
    status, out, err = run(capsys, config, "--to", "dimos-yaml")
    assert (status, err) == (0, "")
    assert yaml.safe_load(out)["gain"] == 0.3


def test_what_has_no_comments_comes_with_notes_beside_it(
    capsys: pytest.CaptureFixture[str], config: str
) -> None:
    for kind in ("dimos-json", "dimos-flags"):
        status, out, err = run(capsys, config, "--to", kind)
        assert status == 0 and "note: quaternions: w, x, y, z" in err and "#" not in out


@pytest.mark.parametrize("kind", ["dimos-yaml", "dimos-json"])
def test_an_export_is_a_config_again(
    capsys: pytest.CaptureFixture[str], config: str, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / f"again.{kind}"
    status, out, _ = run(capsys, config, "--to", kind, "--robot", "panda", "--out", str(path))
    assert (status, out) == (0, f"{kind} written to {path}\n")
    again = run(capsys, str(path), "--to", "dimos-json")[1]
    assert json.loads(again)["manipulationmodule"]["kinematics"]["gain"] == 0.3


def test_a_program_is_written_for_the_robot_that_is_named(
    capsys: pytest.CaptureFixture[str], config: str, tmp_path: Path
) -> None:
    path = tmp_path / "circle.py"
    assert run(capsys, config, "--to", "pink", "--robot", "ur5", "--out", str(path))[0] == 0
    assert "ur5_robot.urdf" in path.read_text() and "gain=0.3" in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) & 0o600 == 0o600
    assert "needs a robot" in refusal(capsys, config, "--to", "pink")


def test_the_commands_of_the_help_page_write_every_kind(
    capsys: pytest.CaptureFixture[str], config: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert Path(config).name == "tuned.yaml"
    text = (resource_folder("static") / "help" / "export.md").read_text(encoding="utf-8")
    kinds = []
    for line in re.findall(r"^workbench export (.*)$", text, re.MULTILINE):
        words = shlex.split(line)
        status, out, _ = run(capsys, *words)
        assert status == 0
        kinds.append(words[words.index("--to") + 1])
        if "--out" in words:
            assert (tmp_path / words[-1]).stat().st_size > 0
        else:
            assert out.startswith("--manipulationmodule.kinematics.")
    assert kinds == list(KINDS)


def test_a_session_brings_its_robot_and_all_its_settings(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "panda.workbench.yaml"
    session = SessionFile(RobotRequest("panda"), rich_subject("panda").settings)
    path.write_text(write_session(session))
    status, out, err = run(capsys, str(path), "--to", "pink")
    assert (status, err) == (0, "")
    assert 'tasks["extra/above"]' in out and "panda.urdf" in out
    assert "task calm (posture)" in refusal(capsys, str(path), "--to", "dimos-yaml")
    status, out, err = run(capsys, str(path), "--to", "dimos-yaml", "--allow-loss")
    assert status == 0 and "left out: task calm (posture)\n" in err
    assert "# - task calm (posture)" in out
    wrong = refusal(capsys, str(path), "--to", "pink", "--robot", "ur5", "--allow-loss")
    assert "this robot has no such" in wrong


def test_the_robot_of_a_session_may_be_named_and_stays_what_it_is_there(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "panda.workbench.yaml"
    request = RobotRequest("panda", hold={"panda_joint3": 0.5})
    path.write_text(write_session(SessionFile(request, plain_subject("panda").settings)))
    plain = run(capsys, str(path), "--to", "pink")
    assert run(capsys, str(path), "--to", "pink", "--robot", "panda") == plain
    assert '"panda_joint3": 0.5,' in plain[1]


def test_a_session_with_names_that_its_robot_lacks_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    settings = replace(rich_subject("panda").settings, velocity_caps={"joint9": 1.0})
    path = tmp_path / "x.workbench.yaml"
    path.write_text(write_session(SessionFile(RobotRequest("panda"), settings)))
    assert "velocity_caps.joint9" in refusal(capsys, str(path), "--to", "pink")


def test_the_old_file_stays_when_nothing_can_be_written(
    capsys: pytest.CaptureFixture[str], config: str, tmp_path: Path
) -> None:
    assert "is a directory" in refusal(capsys, config, "--to", "dimos-yaml", "--out", str(tmp_path))
    lost = str(tmp_path / "nowhere" / "x.yaml")
    assert "folder that does not exist" in refusal(
        capsys, config, "--to", "dimos-yaml", "--out", lost
    )
    below = str(Path(config) / "x.yaml")
    assert "folder that does not exist" in refusal(
        capsys, config, "--to", "dimos-yaml", "--out", below
    )
    old = tmp_path / "old.yaml"
    old.write_text("old")
    refusal(capsys, config, "--to", "pink", "--out", str(old))
    refusal(capsys, str(tmp_path / "no.yaml"), "--to", "dimos-yaml", "--out", str(old))
    assert old.read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"tuned.yaml", "old.yaml"}


@pytest.mark.parametrize("place", ["/proc/tuned.yaml", "/proc/version", "/proc/self/tuned.yaml"])
@pytest.mark.skipif(not Path("/proc/version").exists(), reason="has no folder that nobody may use")
def test_a_place_where_nobody_may_write_is_named(
    capsys: pytest.CaptureFixture[str], config: str, place: str
) -> None:
    sentence = refusal(capsys, config, "--to", "dimos-yaml", "--out", place)
    assert place in sentence and re.search("cannot be written|no regular file", sentence)


@pytest.mark.parametrize("step", ["tempfile.mkstemp", "os.fsync", "os.replace"])
def test_the_old_file_stays_when_writing_fails_halfway(
    capsys: pytest.CaptureFixture[str], config: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, step: str,
) -> None:  # fmt: skip
    def fail(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    old = tmp_path / "old.yaml"
    old.write_text("old")
    monkeypatch.setattr(step, fail)
    sentence = refusal(capsys, config, "--to", "dimos-yaml", "--out", str(old))
    assert "old.yaml: cannot be written: No space left on device" in sentence
    assert old.read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"tuned.yaml", "old.yaml"}


@pytest.mark.parametrize("guarded", ["folder", "file"])
def test_what_may_not_be_written_to_is_refused_before_anything_is_done(
    capsys: pytest.CaptureFixture[str], config: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, guarded: str,
) -> None:  # fmt: skip
    old = tmp_path / "old.yaml"
    old.write_text("old")
    place = {"folder": tmp_path, "file": old}[guarded]
    # The tests may run as root, who may write everywhere.
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != place)
    assert "cannot be written to" in refusal(
        capsys, config, "--to", "dimos-yaml", "--out", str(old)
    )
    assert old.read_text() == "old"


@pytest.mark.parametrize(
    ("out", "complaint"), [("x" * 300, "File name too long"), ("~nobody-9/x", "home directory")]
)
def test_what_cannot_be_a_path_is_told_as_such(
    capsys: pytest.CaptureFixture[str], config: str, out: str, complaint: str
) -> None:
    assert complaint in refusal(capsys, config, "--to", "dimos-yaml", "--out", out)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="has no names for open files")
def test_a_log_that_a_process_has_open_is_not_replaced(
    capsys: pytest.CaptureFixture[str], config: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    log.write_text("old\n")
    with log.open("a") as stream:  # as /dev/stdout is, behind "workbench ... >> log"
        out = f"/dev/fd/{stream.fileno()}"
        sentence = refusal(capsys, config, "--to", "dimos-yaml", "--out", out)
    assert "is no regular file" in sentence
    assert log.read_text() == "old\n"


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="has no names for open files")
def test_a_pipe_is_read_and_a_dash_prints(
    capsys: pytest.CaptureFixture[str], config: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    reading, writing = os.pipe()
    os.write(writing, Path(config).read_bytes())
    os.close(writing)
    status, out, err = run(capsys, f"/dev/fd/{reading}", "--to", "dimos-yaml", "--out", "-")
    os.close(reading)
    assert (status, err) == (0, "")
    assert yaml.safe_load(out)["gain"] == 0.3
    assert [path.name for path in tmp_path.iterdir()] == ["tuned.yaml"]


def test_what_is_no_regular_file_is_not_replaced(
    capsys: pytest.CaptureFixture[str], config: str, tmp_path: Path
) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        sentence = refusal(capsys, config, "--to", "dimos-yaml", "--out", str(path))
        assert "is no regular file" in sentence
        assert path.is_fifo()


def test_a_program_may_not_have_the_name_of_what_it_imports(
    capsys: pytest.CaptureFixture[str], config: str, tmp_path: Path
) -> None:
    out = str(tmp_path / "pink.py")
    sentence = refusal(capsys, config, "--to", "pink", "--robot", "panda", "--out", out)
    assert "would import itself" in sentence and "tuned_pink.py" in sentence
    assert not Path(out).exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--to", "dimos-yml"), "--to: is none of its values (got 'dimos-yml'); expected perhaps"),
        ((), "--to"),
        (("--to", "dimos-yaml", "--dimos-version", "9.9"), "9.9'); expected one of 0.0.13, 0.0"),
        (("--to", "dimos-yaml", "--dimos-version", ""), "no release of DimOS"),
        (("--to", "dimos-yaml", "--dimos-version", "0.0.16"), "perhaps 0.0.1"),
        (("--to", "pink", "--robot", "pandda"), "perhaps panda"),
    ],
)
def test_mistakes_on_the_command_line_are_named(
    capsys: pytest.CaptureFixture[str], config: str, words: tuple[str, ...], sentence: str
) -> None:
    assert sentence in refusal(capsys, config, *words)


def test_what_is_no_config_is_named_with_its_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("solver: daqp\ngian: 0.3\n")
    assert "bad.yaml:2: gian" in refusal(capsys, str(path), "--to", "dimos-yaml")
