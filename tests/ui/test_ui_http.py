from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ui.guarded_page import ask
from workbench.resources import resource_folder
from workbench.ui import static_pages
from workbench.ui.guard import CONTENT_SECURITY_POLICY
from workbench.ui.http import HttpAnswer, Router, json_answer, redirect_answer, text_answer
from workbench.ui.server import GuardedServer, ServerOptions, serve
from workbench.ui.static_pages import help_names, help_page, static_file


def broken() -> HttpAnswer:
    raise RuntimeError("the secret of /home/me")


@pytest.fixture(scope="module")
def server() -> Iterator[GuardedServer]:
    routes = {
        "/api/state": lambda: json_answer({"robot": "panda", "error": None}),
        "/api/broken": broken,
        "/api/nan": lambda: json_answer({"error": math.nan}),
    }
    running = serve(ServerOptions(port=0), routes)
    yield running
    running.stop()


def test_a_route_answers_on_the_page_s_port(server: GuardedServer) -> None:
    answer = ask(server.port, "/api/state?whatever=1")
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    assert json.loads(answer.body) == {"robot": "panda", "error": None}


def test_an_unknown_path_is_not_found(server: GuardedServer) -> None:
    for target in ("/api", "/api/", "/api/other", "/api/state/", "/API/state"):
        assert ask(server.port, target).status == 404


@pytest.mark.parametrize("target", ["/api/broken", "/api/nan"])
def test_a_route_that_fails_tells_the_client_nothing_of_our_insides(
    target: str, server: GuardedServer, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = ask(server.port, target)
    assert answer.status == 500
    assert answer.text.count("\n") == 1
    assert "secret" not in answer.text and "Error" not in answer.text
    complaint = capfd.readouterr().err
    assert target in complaint and complaint.count("\n") == 1
    assert ask(server.port, "/api/state").status == 200


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_json_holds_no_number_that_json_does_not_know(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_answer({"a": [number]})


def test_folders_get_the_rest_of_the_path_without_escapes() -> None:
    seen: list[str] = []

    def folder(rest: str) -> HttpAnswer:
        seen.append(rest)
        return text_answer("yes")

    router = Router({"/exact": lambda: redirect_answer("/")}, {"/folder/": folder})
    assert router.answer("/folder/a%20b/c?d=1") is not None
    assert seen == ["a b/c"]
    exact = router.answer("/exact?x")
    assert exact is not None and exact.headers["Location"] == "/"
    assert router.answer("/folder") is None
    assert router.answer("/") is None


def test_the_start_page_has_one_address(server: GuardedServer) -> None:
    answer = ask(server.port, "/index.html")
    assert (answer.status, answer.headers["location"]) == (303, "/")


def test_static_files_are_served_with_their_types(server: GuardedServer) -> None:
    for target in ("/static/logo.svg", "/favicon.ico"):
        answer = ask(server.port, target)
        assert answer.status == 200
        assert answer.headers["content-type"] == "image/svg+xml"
        assert answer.body == (resource_folder("static") / "logo.svg").read_bytes()


@pytest.mark.parametrize(
    "target",
    [
        "/static/../pyproject.toml",
        "/static/help/../../README.md",
        "/static/%2e%2e/README.md",
        "/static/..%2fREADME.md",
        "/static/..%5cREADME.md",
        "/static//etc/hostname",
        "/static/%2Fetc/hostname.txt",
        "/static/help/%2e%2e/logo.svg",
        "/static/logo.svg%00.md",
        "/static/",
        "/static",
        "/static/help",
        "/static/help/",
        "/static/help/nothing",
        "/static/help/GETTING-STARTED",
        "/static/no.svg",
    ],
)
def test_nothing_but_static_files_can_be_read(target: str, server: GuardedServer) -> None:
    assert ask(server.port, target).status == 404


def test_a_link_out_of_the_folder_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "static" / "own.txt").write_text("own")
    monkeypatch.setattr(static_pages, "resource_folder", lambda _name: tmp_path / "static")
    assert static_file("link.txt").status == 404
    assert static_file("own.txt").body == b"own"


def test_there_are_help_pages_and_each_is_served(server: GuardedServer) -> None:
    assert help_names()[0] == "getting-started"
    assert {"tuning", "gizmos", "status", "files", "remote-access"} <= set(help_names())
    for name in help_names():
        answer = ask(server.port, f"/static/help/{name}")
        assert answer.status == 200
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
        assert "<h1>" in answer.text and "light-dark(" in answer.text


def test_links_between_help_pages_lead_somewhere() -> None:
    for name in help_names():
        page = help_page(name).body.decode()
        for target in page.split('href="/static/')[1:]:
            assert static_file(target.partition('"')[0]).status == 200


def test_tables_of_help_pages_are_tables() -> None:
    assert "<table>" in help_page("tuning").body.decode()


def test_html_in_a_help_page_is_shown_and_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "help").mkdir()
    source = "# <script>1</script>\n\n<img src=x onerror=2>\n\n[link](javascript:alert(3))\n"
    (tmp_path / "help" / "page.md").write_text(source)
    monkeypatch.setattr(static_pages, "resource_folder", lambda _name: tmp_path)
    page = help_page("page").body.decode()
    assert "<script>" not in page
    assert "<img" not in page
    assert 'href="javascript:' not in page
