"""Install the real programs that our files must be read by, for the tests in ``tests/peers``.

DimOS pulls in a whole robot stack, of which the tests need one module: it is installed without
its dependencies, and the two that this module imports are named here. It has wheels for Python
3.11 and 3.12 only; elsewhere those tests say so and do not run.
"""

from __future__ import annotations

import subprocess
import sys

DIMOS = "dimos==0.0.15"
DIMOS_NEEDS = ["pydantic-settings"]
DIMOS_PYTHONS = ((3, 11), (3, 12))


def main() -> int:
    """Install what this interpreter can have; return an exit status."""
    if sys.version_info[:2] not in DIMOS_PYTHONS:
        version = ".".join(map(str, sys.version_info[:2]))
        print(f"DimOS has no wheel for Python {version}: the tests against it will not run")
        return 0
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    # pip warns of every dependency that --no-deps leaves out: that is the point here.
    status = subprocess.run(
        [*pip, "--constraint", "constraints.txt", *DIMOS_NEEDS], check=False
    ).returncode
    done = subprocess.run([*pip, "--no-deps", DIMOS], check=False, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
    return status or done.returncode


if __name__ == "__main__":
    raise SystemExit(main())
