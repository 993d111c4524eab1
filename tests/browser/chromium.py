"""Find a Chromium that really starts, or install one.

``python -m tests.browser.chromium`` prints its path and is what ``make test`` runs first. Looked
at, in this order: ``$CHROME``, ``chromium``, ``google-chrome``, Playwright's own. One that does not
start counts as none.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

START_TIMEOUT_S = 60

FLAGS = (
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-gpu-compositing",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)
"""Software rendering, under root, without a word to the outside.

The page around the canvas is put together without OpenGL: in software that costs more than it
saves.
"""


def candidates() -> Iterator[str]:
    """Yield paths of browsers that may exist, best first."""
    named = os.environ.get("CHROME")
    for name in (named, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        path = shutil.which(name) if name else None
        if path:
            yield path
    own = _playwright_chromium()
    if own:
        yield own


def _playwright_chromium() -> str | None:
    """Return the path at which Playwright's own Chromium would lie, if it is there."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def starts(path: str) -> bool:
    """Tell whether a browser renders an empty page; snap stubs and broken installs do not."""
    with tempfile.TemporaryDirectory() as profile:
        try:
            done = subprocess.run(
                [
                    path, "--headless", *FLAGS, f"--user-data-dir={profile}",
                    "--dump-dom", "data:text/html,<p>started</p>",
                ],
                capture_output=True, text=True, timeout=START_TIMEOUT_S, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return False
    return done.returncode == 0 and "started" in done.stdout


@functools.cache
def find() -> str | None:
    """Return the path of the first browser that starts, or None."""
    return next((path for path in candidates() if starts(path)), None)


def install() -> None:
    """Install a browser: Debian's package where that is possible, else Playwright's."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if is_root and shutil.which("apt-get") and _is_debian():
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], check=False, env=environment)
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"],
            check=False,
            env=environment,
        )
        return
    subprocess.run(
        [sys.executable, "-m", "playwright", "install", "--with-deps", "chromium"], check=False
    )


def _is_debian() -> bool:
    release = Path("/etc/os-release")
    text = release.read_text() if release.exists() else ""
    return "\nID=debian" in "\n" + text


def main() -> int:
    """Print the browser's path; install one first where there is none."""
    path = find()
    if path is None:
        print("No Chromium that starts was found: installing one ...", flush=True)
        install()
        find.cache_clear()
        path = find()
    if path is None:
        print(
            "There is no Chromium for the browser tests: install Debian's package chromium, or "
            "name a browser in the environment variable CHROME",
            file=sys.stderr,
        )
        return 1
    print(f"Chromium for the browser tests: {path}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
