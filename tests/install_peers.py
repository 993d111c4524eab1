"""Install the real programs that our files and figures are compared with, for ``tests/peers``.

DimOS pulls in a whole robot stack, of which the tests need its settings, its command line and its
solver for streaming: it is installed without its dependencies, and those that these import are
named here. It has wheels for Python 3.11 and 3.12 only. Pinker has no wheels: it is built here, for
which a C compiler is needed. Where either cannot be had, its tests say so and do not run; with
``REQUIRE_PEERS`` set to anything in the environment, as in CI, Pinker has to be there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

DIMOS = "dimos==0.0.15"
DIMOS_NEEDS = [
    "pydantic-settings", "attrs", "dimos-lcm", "plum-dispatch", "reactivex", "structlog",
    "sortedcontainers", "eclipse-zenoh", "psutil", "filelock", "GitPython",
]  # fmt: skip
"""What DimOS's settings, command line and solver import beyond our own dependencies."""

DIMOS_PYTHONS = ((3, 11), (3, 12))

COMPILERS = ("cc", "gcc", "clang")

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
CONSTRAINED = [*PIP, "--constraint", "constraints.txt"]


def main() -> int:
    """Install what this interpreter and this machine can have; return an exit status."""
    return install_dimos() or install_pinker()


def install_dimos() -> int:
    """Install DimOS where it has a wheel; return an exit status."""
    if sys.version_info[:2] not in DIMOS_PYTHONS:
        version = ".".join(map(str, sys.version_info[:2]))
        print(f"NO WHEEL OF DIMOS FOR PYTHON {version}: THE TESTS AGAINST IT WILL NOT RUN")
        return 0
    # pip warns of every dependency that --no-deps leaves out: that is the point here.
    status = subprocess.run([*CONSTRAINED, *DIMOS_NEEDS], check=False).returncode
    done = subprocess.run([*PIP, "--no-deps", DIMOS], check=False, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
    return status or done.returncode


def install_pinker() -> int:
    """Build Pinker where there is a C compiler; return an exit status."""
    own = os.environ.get("CC", "").split()[:1]
    if not any(shutil.which(name) for name in (*own, *COMPILERS)):
        print("NO C COMPILER: Pinker cannot be built, THE TESTS AGAINST IT WILL NOT RUN")
        return 1 if os.environ.get("REQUIRE_PEERS") else 0
    return subprocess.run([*CONSTRAINED, "--editable", ".[peers]"], check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
