"""The arithmetic that records are compared in, the same on every x86-64 machine with AVX2.

OpenBLAS, which NumPy multiplies matrices with, picks its kernels by processor, and they round
differently in the last bit. At DimOS's default damping a QP amplifies that: an arm that flips
between two solutions drives two runs of DimOS itself apart by 4e-4 rad within 100 ticks, on two
processors. So a comparison fixes the kernels (those for AVX2, which most processors take anyway)
before NumPy is loaded, or starts again in a process of its own where it is loaded already.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

VARIABLE = "OPENBLAS_CORETYPE"
KERNELS = "Haswell"

_NEEDED_FLAGS = frozenset(("avx2", "fma"))


def fix_arithmetic() -> bool:
    """Fix the kernels for this process; False when it is too late because NumPy is loaded.

    A choice of the user's stays, and so does the arithmetic of processors that lack the kernels.
    """
    if VARIABLE in os.environ or not _processor_flags() >= _NEEDED_FLAGS:
        return True
    if "numpy" in sys.modules:
        return False
    os.environ[VARIABLE] = KERNELS
    return True


def run_again(words: Sequence[str]) -> int:
    """Run the command line in a process of its own with fixed kernels; returns its exit status.

    What it prints comes out here.

    Args:
        words: Words after the program's name.
    """
    here = str(Path(__file__).resolve().parents[2])
    paths = [here, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, VARIABLE: KERNELS, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        [sys.executable, "-m", "workbench.cli", *words],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode


def _processor_flags() -> frozenset[str]:
    """Return what the processor can do; empty where that is not known."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return frozenset()
    for line in text.splitlines():
        name, _, flags = line.partition(":")
        if name.strip() == "flags":
            return frozenset(flags.split())
    return frozenset()
