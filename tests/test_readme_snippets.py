"""The README's sections on using the result: every snippet in them runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from workbench.config.profile import read_profile
from workbench.resources import resource_folder

REPOSITORY = Path(__file__).resolve().parents[1]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXPECTED = {
    "Grasps": ("reached", "rim_90 ["),
    "Use it in DimOS": ("--manipulationmodule.kinematics.gain=0.5", "daqp 0.5", "7 joints"),
    "Use it in Isaac Sim": ("panda_hand_tcp: ", "'panda_joint7': "),
    "Use it in plain Pink": (" rad from its target\nq: {", "["),
    "Use it in Pinker": (" rad from its target\nq: {",),
}
"""What the snippets of each section print, among other things, in this order."""


def section(title: str) -> str:
    """Return the text under a heading of the README."""
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"^##+ {re.escape(title)}\n(.*?)(?=^##)", text, re.MULTILINE | re.DOTALL)
    return found


def run(language: str, code: str, folder: Path) -> str:
    """Run a snippet in a process of its own and return what it prints."""
    words = {"sh": ["sh", "-eu", "-c", code], "python": [sys.executable, "-c", code]}[language]
    done = subprocess.run(
        words, check=False, capture_output=True, text=True, cwd=folder,
        env={"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    assert done.returncode == 0, f"{code}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a tuned config; the commands on its path are those of this checkout."""
    tuned = "\n".join(
        f"{name}: {str(value).lower()}"
        for name, value in read_profile(resource_folder("robots") / "panda.yaml")
        .kinematics.model_dump()
        .items()
    )
    (tmp_path / "tuned.yaml").write_text(tuned + "\n")
    (tmp_path / "bin").mkdir()
    for name, words in (("python", ""), ("workbench", "-m workbench.cli")):
        command = tmp_path / "bin" / name
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        command.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("title", EXPECTED)
def test_the_snippets_run_one_after_the_other(title: str, folder: Path) -> None:
    if title == "Use it in DimOS" and sys.version_info[:2] not in ((3, 11), (3, 12)):
        pytest.skip("NOT RUN WITH DIMOS: it has no wheel for this Python")
    if title == "Use it in Pinker" and find_spec("pinker") is None:
        pytest.skip("NOT RUN WITH PINKER: it is not installed")
    snippets = FENCE.findall(section(title))
    assert snippets
    printed = "".join(run(language, code, folder) for language, code in snippets)
    place = 0
    for words in EXPECTED[title]:
        assert words in printed[place:], printed
        place = printed.index(words, place) + len(words)
