"""Served pages: an empty one for tests of controls and panels, a guarded one for what is sent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import viser

from tests.ui.guarded_page import Page, Sentinel, serving
from tests.ui.panel_rig import PanelRig
from workbench.ui.server import GuardedServer, ServerOptions, serve


@pytest.fixture(scope="session")
def page_server() -> Iterator[viser.ViserServer]:
    """Serve a page on a free port."""
    server = serve(ServerOptions(port=0), {})
    yield server.viser
    server.stop()


@pytest.fixture
def panel_rig(page_server: viser.ViserServer) -> Iterator[PanelRig]:
    """Return an empty page with a session behind it."""
    yield PanelRig(page_server.gui)
    page_server.gui.reset()


@pytest.fixture(scope="module")
def server() -> Iterator[GuardedServer]:
    """Serve a guarded page for the tests of one file."""
    with serving() as running:
        yield running


@pytest.fixture(scope="module")
def sentinel(server: GuardedServer) -> Sentinel:
    """Tell when the server has judged what a page sent."""
    return Sentinel(server)


@pytest.fixture
def page(server: GuardedServer) -> Iterator[Page]:
    """Open a page."""
    opened = Page(server.url)
    yield opened
    opened.close()


@pytest.fixture
def other(server: GuardedServer) -> Iterator[Page]:
    """Open a second page."""
    opened = Page(server.url)
    yield opened
    opened.close()
