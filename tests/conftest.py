"""What all tests share: no verdict by time, and how they are shared out among workers."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

# A loaded machine must not decide a property test.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# No test reads or leaves anything in the state folder of whoever runs the tests.
_STATE_FOLDER = tempfile.TemporaryDirectory(prefix="workbench-state-")
os.environ["XDG_STATE_HOME"] = _STATE_FOLDER.name

ONE_AFTER_THE_OTHER = ("browser", "packaging")
"""Folders whose tests share something costly: a browser that draws in software, an installation."""


class _FolderScheduling(LoadScopeScheduling):
    """Hands out tests one by one, and those of a costly folder to one worker all together."""

    def _split_scope(self, nodeid: str) -> str:
        folder = nodeid.split("/")[1] if nodeid.count("/") > 1 else ""
        return folder if folder in ONE_AFTER_THE_OTHER else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """Let xdist use it: its own groups change the ids of tests, which pytest 9.2 does not allow."""
    return _FolderScheduling(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly what was compared with no other program: a skipped test is a dot in a line."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = {report.longrepr[2] for report in reports if isinstance(report.longrepr, tuple)}
    for reason in sorted(reason for reason in reasons if "NOT COMPARED" in reason):
        terminalreporter.write_line(reason, red=True, bold=True)
