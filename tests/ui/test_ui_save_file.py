"""Saving replaces the file whole, or leaves the old one as it was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.errors import UsageError
from workbench.live.files import checked_output_path, replace_file


def test_the_new_text_takes_the_place_of_the_old(tmp_path: Path) -> None:
    path = tmp_path / "tuned.yaml"
    path.write_text("old\n")
    path.chmod(0o640)
    replace_file(path, "new: ü\n")
    assert path.read_text(encoding="utf-8") == "new: ü\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [entry.name for entry in tmp_path.iterdir()] == ["tuned.yaml"]


def test_a_failure_half_way_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tuned.yaml"
    path.write_text("old\n")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        replace_file(path, "new\n")
    assert path.read_text() == "old\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["tuned.yaml"]


def test_a_link_goes_on_pointing_at_the_file(tmp_path: Path) -> None:
    real = tmp_path / "real.yaml"
    real.write_text("old\n")
    link = tmp_path / "link.yaml"
    link.symlink_to(real)
    replace_file(link, "new\n")
    assert link.is_symlink()
    assert real.read_text() == "new\n"


def test_a_place_that_cannot_be_written_is_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a directory"):
        checked_output_path(str(tmp_path), "--save-to")
    with pytest.raises(UsageError, match="does not exist"):
        checked_output_path(str(tmp_path / "nowhere" / "tuned.yaml"), "--save-to")
    os.mkfifo(tmp_path / "pipe")
    for place in (str(tmp_path / "pipe"), os.devnull):
        with pytest.raises(UsageError, match="is no regular file"):
            checked_output_path(place, "--save-to")
    assert checked_output_path(str(tmp_path / "tuned.yaml"), "--save-to") == tmp_path / "tuned.yaml"
