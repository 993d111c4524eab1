"""What all tests share: no verdict by time, and how they are shared out among workers."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A loaded machine must not decide a property test.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# No test reads or leaves anything in the state folder of whoever runs the tests.
_STATE_FOLDER = tempfile.TemporaryDirectory(prefix="workbench-state-")
os.environ["XDG_STATE_HOME"] = _STATE_FOLDER.name

ONE_AFTER_THE_OTHER = ("browser", "packaging")
"""Folders whose tests share something costly: a browser that draws in software, an installation."""


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep each of those folders on one worker."""
    here = Path(__file__).parent
    for item in items:
        folder = item.path.relative_to(here).parts[0]
        if folder in ONE_AFTER_THE_OTHER:
            item.add_marker(pytest.mark.xdist_group(folder))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly what was compared with no other program: a skipped test is a dot in a line."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = {report.longrepr[2] for report in reports if isinstance(report.longrepr, tuple)}
    for reason in sorted(reason for reason in reasons if "NOT COMPARED" in reason):
        terminalreporter.write_line(reason, red=True, bold=True)
