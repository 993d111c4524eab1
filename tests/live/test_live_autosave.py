"""The session on disk: written when changed, locked while it runs, found after an unclean end."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

from workbench.live.autosave import Autosave, discard, discard_old, leftovers


class Text:
    """A session's text, as the test says."""

    def __init__(self) -> None:
        self.now = "one"

    def __call__(self) -> str:
        return self.now


def test_it_writes_what_has_changed_and_only_then(tmp_path: Path) -> None:
    text = Text()
    autosave = Autosave(tmp_path / "state", text)
    assert autosave.step()
    assert autosave.path.read_text() == "one"
    assert not autosave.step()
    text.now = "two"
    assert autosave.step()
    assert autosave.path.read_text() == "two"
    autosave.end_cleanly()


def test_a_clean_end_leaves_nothing_and_a_running_one_is_nobodys_leftover(tmp_path: Path) -> None:
    autosave = Autosave(tmp_path, Text())
    autosave.step()
    assert leftovers(tmp_path) == ()
    autosave.end_cleanly()
    assert list(tmp_path.iterdir()) == []
    assert not autosave.step()


def test_what_a_killed_process_wrote_is_found_newest_first(tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import os, sys
        from pathlib import Path
        from workbench.live.autosave import Autosave
        autosave = Autosave(Path(sys.argv[1]), lambda: sys.argv[2])
        autosave.step()
        os._exit(1)
        """
    )
    for word in ("first", "second"):
        subprocess.run([sys.executable, "-c", program, str(tmp_path), word], check=False)
    paths = sorted(tmp_path.glob("*.yaml"), key=lambda path: path.read_text())
    for age, path in enumerate(reversed(paths)):
        os.utime(path, (1000 - age, 1000 - age))
    found = leftovers(tmp_path)
    assert [item.path.read_text() for item in found] == ["second", "first"]
    discard(found[:1])
    assert [item.path.read_text() for item in leftovers(tmp_path)] == ["first"]


def test_only_the_newest_few_are_kept(tmp_path: Path) -> None:
    for number in range(8):
        (tmp_path / f"session-{number}.workbench.yaml").write_text(str(number))
    discard_old(leftovers(tmp_path))
    assert len(leftovers(tmp_path)) == 5


def test_a_folder_that_cannot_be_written_is_said_once_and_stops_nothing(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    said: list[str] = []
    autosave = Autosave(blocked / "state", Text(), said=said.append)
    assert not autosave.step()
    assert not autosave.step()
    autosave.end_cleanly()
    assert len(said) == 1
    assert "not kept on disk" in said[0]
