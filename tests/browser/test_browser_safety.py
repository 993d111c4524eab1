"""Links and files that mean harm do none in a real browser."""

from __future__ import annotations

import html
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.page import Workbench
from tests.browser.served import Served, serve

pytestmark = pytest.mark.browser

ROBOT = "dual_arm_7dof"
"""Made of boxes and cylinders: quick to draw without a graphics card."""

MARKER = "injected_by_a_name"


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serve(ROBOT) as one:
        yield one


@pytest.mark.parametrize("key", ["websocket", "playbackPath", "web%73ocket"])
def test_a_link_that_names_another_server_is_refused(
    served: Served, browser: Browser, key: str
) -> None:
    asked: list[str] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    elsewhere = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
    try:
        page = browser.new_page()
        host, port = "127.0.0.1", elsewhere.server_address[1]
        answer = page.goto(f"{served.url}?{key}=ws://{host}:{port}/evil")
        assert answer is not None and answer.status == 403
        page.close()
    finally:
        elsewhere.shutdown()
        elsewhere.server_close()
    assert asked == []


def test_the_page_may_talk_to_its_own_server_only(
    served: Served, open_page: Callable[..., Workbench]
) -> None:
    page = open_page(served)
    blocked = page.page.evaluate(
        "() => fetch('http://127.0.0.1:9/').then(() => 'sent', error => String(error))"
    )
    assert "Failed to fetch" in blocked
    assert any("Content Security Policy" in line for line in page.console)


def test_names_that_are_markup_run_nothing(
    open_page: Callable[..., Workbench], tmp_path: Path
) -> None:
    script = f"<script>parent.document.title='{MARKER}'</script>"

    def name(part: str) -> str:
        return html.escape(f'<iframe srcdoc="{html.escape(script)}"></iframe>{part}')

    urdf = tmp_path / "markup.urdf"
    urdf.write_text(
        f"""<robot name="{name("robot")}">
  <link name="{name("base")}"><visual><geometry><mesh filename="{name("mesh")}.stl"/></geometry>
  </visual></link>
  <link name="{name("arm")}"><visual><geometry><box size="0.1 0.1 0.4"/></geometry></visual></link>
  <link name="{name("hand")}"/>
  <joint name="{name("shoulder")}" type="revolute">
    <parent link="{name("base")}"/><child link="{name("arm")}"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="0" effort="1"/></joint>
  <joint name="{name("elbow")}" type="revolute"><origin xyz="0 0 0.4"/>
    <parent link="{name("arm")}"/><child link="{name("hand")}"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
</robot>"""
    )
    with serve(str(urdf)) as served:
        page = open_page(served)
        tabs = page.page.get_by_role("tab")
        for index in range(tabs.count()):
            tabs.nth(index).click()
            assert page.page.locator("iframe").count() == 0
        assert page.page.title() != MARKER
        assert len(served.state()["joints"]) == 2
