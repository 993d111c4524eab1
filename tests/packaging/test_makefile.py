"""``make`` does what the README says, and says what is missing in one line."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
_MAKE_VARIABLES = ("MFLAGS", "PYTHON", "ROBOT", "ARGS", "PYTEST_ARGS")

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(folder: Path, *words: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run make in a folder, optionally with another PATH."""
    # What the make around this one was told, as `make test PYTHON=...`, is not for this one.
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("MAKE") and name not in _MAKE_VARIABLES
    } | ({"PATH": path} if path else {})
    return subprocess.run(
        [shutil.which("make") or "make", *words],
        cwd=folder, capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder with the Makefile alone and its prerequisites."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(REPOSITORY / name, tmp_path)
    return tmp_path


def script(path: Path, text: str) -> None:
    """Write an executable shell script."""
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def tools(folder: Path) -> str:
    """Return a PATH that has the ordinary tools but no Python."""
    folder.mkdir()
    for name in ("sh", "sed", "touch", "echo", "test", "rm"):
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(found)
    return str(folder)


def test_without_python_make_says_in_one_line_what_to_install(checkout: Path) -> None:
    done = make(checkout, "setup", path=tools(checkout / "tools"))
    assert done.returncode != 0
    said = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(said) == 1
    assert "Python 3.11" in said[0] and "install" in said[0]


def test_a_python_that_is_too_old_counts_as_none(checkout: Path) -> None:
    path = tools(checkout / "tools")
    script(checkout / "tools" / "python3", "exit 1\n")
    done = make(checkout, "setup", path=path)
    assert "Python 3.11" in done.stderr


def test_without_the_venv_module_make_says_in_one_line_what_to_install(checkout: Path) -> None:
    path = tools(checkout / "tools")
    script(checkout / "tools" / "python3", 'case "$2" in *ensurepip*) exit 1;; esac; exit 0\n')
    done = make(checkout, "setup", path=path)
    assert done.returncode != 0
    said = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(said) == 1
    assert "python3-venv" in said[0]


def test_a_second_make_run_installs_nothing(checkout: Path) -> None:
    (checkout / ".venv" / "bin").mkdir(parents=True)
    for name in (".venv/bin/python", ".venv/.installed-run"):
        (checkout / name).touch()
    done = make(checkout, "--dry-run", "run", "ROBOT=ur5", "ARGS=--port 8090")
    assert done.returncode == 0, done.stderr
    assert "pip install" not in done.stdout
    assert "workbench serve ur5 --port 8090" in done.stdout


def test_changed_constraints_are_installed_again(checkout: Path) -> None:
    (checkout / ".venv" / "bin").mkdir(parents=True)
    for name in (".venv/bin/python", ".venv/.installed-run"):
        (checkout / name).touch()
    os.utime(checkout / "constraints.txt", (2**31, 2**31))
    assert "pip" in make(checkout, "--dry-run", "run").stdout


def test_ctrl_c_in_a_terminal_ends_make_run_with_status_0(checkout: Path) -> None:
    """The page has a process group of its own, so that make does not report an interrupt."""
    binaries = checkout / ".venv" / "bin"
    binaries.mkdir(parents=True)
    script(
        binaries / "workbench",
        # Blocked before "Ready", so that none is lost between the word and the wait.
        f'exec {sys.executable} -c "import signal; interrupt = {{signal.SIGINT}}; '
        "signal.pthread_sigmask(signal.SIG_BLOCK, interrupt); "
        "print('Ready: here', flush=True); signal.sigwait(interrupt)\"\n",
    )
    for name in (".venv/bin/python", ".venv/.installed-run"):
        (checkout / name).touch()
    terminal = (
        "import os, pty, sys\nsys.exit(os.waitstatus_to_exitcode(pty.spawn(['make', 'run'])))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", terminal],
        cwd=checkout, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
    ) as process:  # fmt: skip
        assert process.stdin is not None and process.stdout is not None
        said = b""
        while b"Ready: here" not in said:
            said += process.stdout.read(1000)
        process.stdin.write(b"\x03")
        assert process.wait(30) == 0


def test_constraints_hold_names_and_versions_only() -> None:
    lines = (REPOSITORY / "constraints.txt").read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert pins
    for pin in pins:
        name, separator, version = pin.partition("==")
        assert separator and name.replace("-", "").replace("_", "").replace(".", "").isalnum()
        assert version[0].isdigit() and " " not in version and "/" not in version
