"""Notifications go to whom they concern, as short plain text."""

from __future__ import annotations

from typing import Any, cast

from tests.ui.panel_rig import FakeBrowser
from workbench.errors import ConfigError
from workbench.ui.notices import Notices


def test_one_browser_or_everybody_is_told() -> None:
    first, second = FakeBrowser(1), FakeBrowser(2)
    notices = Notices(lambda: cast(Any, [first, second]))
    notices.done("Saved")
    notices.refused("Not taken", "too large", to=cast(Any, second))
    assert first.told == [("Saved", "")]
    assert second.told == [("Saved", ""), ("Not taken", "too large")]


def test_the_evidence_of_an_error_is_in_the_text() -> None:
    browser = FakeBrowser()
    error = ConfigError("is out of range", field="gain", value=7, line=3, expected="less")
    Notices(lambda: cast(Any, [browser])).failed("No", error)
    assert browser.told == [("No", "line 3: gain: is out of range (got 7); expected less")]


def test_what_a_file_says_stays_short_and_on_one_line() -> None:
    browser = FakeBrowser()
    Notices(lambda: cast(Any, [browser])).refused("x" * 500, "a\nb\u202ec" + "y" * 5000)
    ((title, body),) = browser.told
    assert len(title) == 80
    assert len(body) == 600
    assert body.startswith("a b\ufffdc")
