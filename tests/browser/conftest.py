"""One browser a file of tests; a fresh page and server where a test asks.

Not one for the whole run: while Playwright is active it keeps an event loop running on the main
thread, where tests of other rooms want their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.chromium import FLAGS, find
from tests.browser.page import Camera, Workbench
from tests.browser.served import Served

# The page shows what it was told at its next frame, which software rendering may take long over.
expect.set_options(timeout=120_000)

FEW_PIXELS = 0.5
"""Pixels that are painted for one of the style sheet's, along each axis: nobody looks."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start the Chromium that ``make test`` found or installed; fail without one."""
    path = find()
    assert path, "no Chromium that starts: run `python -m tests.browser.chromium`"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Workbench]]:
    """Open pages that are closed at the end of the test."""
    pages: list[Workbench] = []

    def open_one(served: Served, *, camera: Camera | None = None) -> Workbench:
        pages.append(Workbench(browser, served, camera=camera, pixel_ratio=FEW_PIXELS))
        pages[-1].page.set_default_timeout(180_000)
        return pages[-1]

    yield open_one
    for page in pages:
        page.close()
