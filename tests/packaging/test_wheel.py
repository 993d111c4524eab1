"""An installed wheel works far from any checkout."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, install it into an empty environment, return that environment's bin."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "build",
            "--wheel",
            "--no-isolation",
            "--outdir",
            folder,
            REPOSITORY,
        ],
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    environment = folder / "environment"
    venv.create(environment, with_pip=True)
    pip = [environment / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "install"]
    subprocess.run(
        [*pip, "--quiet", "--constraint", REPOSITORY / "constraints.txt", wheel],
        check=True,
        capture_output=True,
    )
    return environment / "bin"


def workbench(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command from another folder."""
    return subprocess.run(
        [installed / "workbench", *arguments],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_profiles_and_static_files_travel_in_the_wheel(installed: Path, tmp_path: Path) -> None:
    done = workbench(installed, tmp_path, "robots", "--json")
    assert done.returncode == 0, done.stderr
    names = {row["name"] for row in json.loads(done.stdout)}
    assert names == {path.stem for path in (REPOSITORY / "robots").glob("*.yaml")}

    script = (
        "from workbench.resources import resource_folder\n"
        "for name in ('robots', 'grasps', 'static'):\n"
        "    folder = resource_folder(name)\n"
        "    files = sorted(path.name for path in folder.iterdir())\n"
        "    print(name, 'site-packages' in folder.parts, *files)"
    )
    done = subprocess.run(
        [installed / "python", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    for line in done.stdout.splitlines():
        name, inside, *files = line.split()
        assert inside == "True", line
        here = {path.name for path in (REPOSITORY / name).iterdir() if path.name[0] != "."}
        assert set(files) >= here, line


@pytest.mark.slow
def test_the_installed_doctor_finds_everything_in_place(installed: Path, tmp_path: Path) -> None:
    done = workbench(installed, tmp_path, "doctor", "--port", "0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Everything is in place." in done.stdout


@pytest.mark.slow
def test_the_installed_command_serves_the_page(installed: Path, tmp_path: Path) -> None:
    from tests.browser.served import serve

    with serve("panda", command=installed / "workbench", folder=tmp_path) as page:
        assert page.get("/healthz").status == 200
        assert page.state()["robot"] == "panda"
        assert page.get("/static/help/getting-started").status == 200
