"""``workbench doctor``: is everything here that the workbench needs?

It imports nothing heavy until it is asked, and says of each thing what it is and what would help.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import platform
import shutil
import socket
import sys
import webbrowser
from dataclasses import dataclass, field

from workbench import __version__
from workbench.desktop import has_desktop

PACKAGES = (
    "viser", "websockets", "pin", "pin-pink", "qpsolvers", "daqp", "osqp", "proxsuite", "numpy",
    "trimesh", "pycollada", "pydantic", "PyYAML", "example-robot-data",
)  # fmt: skip
OPTIONAL_PACKAGES = ("xacrodoc", "robot_descriptions", "quadprog", "pinker")

WRONG_PACKAGES = {
    "pinocchio": "the package `pinocchio` is a plug-in for the test runner nose, not the robotics "
    "library: run `pip uninstall pinocchio` and `pip install --force-reinstall pin`",
    "pink": "the package `pink` is not the inverse kinematics library: run `pip uninstall pink` "
    "and `pip install --force-reinstall pin-pink`",
}
"""Names on the package index that shadow the modules that we import, and the way out."""


@dataclass
class Report:
    """What was found.

    Attributes:
        lines: One sentence or figure each, to be printed.
        healthy: False when something would keep the workbench from running.
    """

    lines: list[str] = field(default_factory=list)
    healthy: bool = True

    def add(self, name: str, text: str) -> None:
        """Add a finding."""
        self.lines.append(f"{name:20} {text}")

    def add_problem(self, name: str, text: str) -> None:
        """Add a finding that keeps the workbench from running."""
        self.add(name, f"PROBLEM: {text}")
        self.healthy = False


def examine(*, port: int, host: str = "127.0.0.1") -> Report:
    """Look at this installation.

    Args:
        port: Port that the page would be served on.
        host: Address that it would be bound to.
    """
    report = Report()
    report.add("workbench", __version__)
    report.add("Python", f"{platform.python_version()} ({sys.executable})")
    for name in PACKAGES:
        found = _version(name)
        if found is None:
            report.add_problem(name, f"not installed: pip install {name}")
        else:
            report.add(name, found)
    for name in OPTIONAL_PACKAGES:
        report.add(name, _version(name) or "not installed (optional)")
    _examine_wrong_packages(report)
    _examine_imports(report)
    _examine_browser(report)
    _examine_port(report, host, port)
    report.lines.append("Everything is in place." if report.healthy else "See PROBLEM above.")
    return report


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _examine_wrong_packages(report: Report) -> None:
    for name, remedy in WRONG_PACKAGES.items():
        found = _version(name)
        if found is not None:
            report.add_problem(f"{name} {found}", f"wrong package: {remedy}")


def _examine_imports(report: Report) -> None:
    for module, attribute, package in (
        ("pinocchio", "SE3", "pin"),
        ("pink", "solve_ik", "pin-pink"),
    ):
        try:
            if not hasattr(importlib.import_module(module), attribute):
                report.add_problem(
                    module, f"has no {attribute}: pip install --force-reinstall {package}"
                )
        except ImportError as error:
            report.add_problem(module, f"cannot be imported ({error})")
    try:
        from workbench.config.kinematics import available_solvers

        solvers = available_solvers()
    except ImportError as error:
        report.add_problem("QP solvers", f"qpsolvers cannot be imported ({error})")
        return
    report.add("QP solvers", ", ".join(solvers))
    if "daqp" not in solvers:
        report.add_problem("QP solvers", "daqp, which the profiles use, is missing")


def _examine_browser(report: Report) -> None:
    if not has_desktop():
        report.add("browser", "no screen to open one on: open the printed URL by hand")
    else:
        try:
            report.add("browser", webbrowser.get().__class__.__name__ + " can be opened")
        except webbrowser.Error:
            report.add("browser", "none is installed here: open the printed URL by hand")
    chromium = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
    report.add("Chromium", chromium or "not found (only the tests need it)")


def _examine_port(report: Report, host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            report.add(
                f"port {port}",
                f"cannot be bound on {host} ({error.strerror}): --port 0 takes another",
            )
        except OverflowError:
            report.add_problem(f"port {port}", "is no port: 0 to 65535")
        else:
            report.add(f"port {port}", f"free on {host}")
