"""One server for all tests of controls and panels; each starts on an empty page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import viser

from tests.ui.panel_rig import PanelRig
from workbench.ui.server import ServerOptions, serve


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
