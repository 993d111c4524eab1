"""Small answers over HTTP: the read-only API next to the page.

Routes run on the server's event loop, between two messages of the page: they read what is there
already and never wait.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"
JSON = "application/json"
YAML = "application/yaml; charset=utf-8"


@dataclass(frozen=True)
class HttpAnswer:
    """One answer.

    Attributes:
        status: HTTP status code.
        content_type: MIME type of the body.
        body: The body.
        headers: Further headers, by name.
    """

    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


Route = Callable[[], HttpAnswer]


def text_answer(text: str, status: int = 200, content_type: str = TEXT) -> HttpAnswer:
    """Answer with text that changes from one request to the next."""
    return HttpAnswer(status, content_type, text.encode(), {"Cache-Control": "no-store"})


def json_answer(document: object, status: int = 200) -> HttpAnswer:
    """Answer with JSON.

    Raises:
        ValueError: If a number is NaN or infinite, which JSON does not know.
    """
    return text_answer(json.dumps(document, allow_nan=False) + "\n", status, JSON)


def redirect_answer(location: str, headers: Mapping[str, str] | None = None) -> HttpAnswer:
    """Send the browser to another path of this server (303, to be fetched with GET)."""
    answer = text_answer(f"See {location}\n", 303)
    merged = {**answer.headers, "Location": location, **(headers or {})}
    return HttpAnswer(303, TEXT, answer.body, merged)


def health_answer() -> HttpAnswer:
    """Answer a health check: the event loop runs, that is all it says."""
    return text_answer("ok\n")


@dataclass(frozen=True)
class Router:
    """Finds the answer to a path.

    Attributes:
        exact: Routes by their whole path.
        folders: Routes by a path prefix that ends in a slash; they are called with the rest of
            the path, percent escapes resolved.
        on_error: Is told of an exception in a route; the client only learns that there was one.
    """

    exact: Mapping[str, Route]
    folders: Mapping[str, Callable[[str], HttpAnswer]] = field(default_factory=dict)
    on_error: Callable[[str, Exception], None] = lambda path, error: None

    def answer(self, target: str) -> HttpAnswer | None:
        """Answer a request target, or return None for one that is not ours."""
        path = target.partition("?")[0]
        route = self._route(path)
        if route is None:
            return None
        try:
            return route()
        # A fault in one answer must neither end the connection's task nor tell the client about
        # our insides.
        except Exception as error:
            self.on_error(path, error)
            return text_answer("The server failed to answer; its terminal says why.\n", 500)

    def _route(self, path: str) -> Route | None:
        if path in self.exact:
            return self.exact[path]
        for prefix, folder in self.folders.items():
            if path.startswith(prefix):
                rest = unquote(path[len(prefix) :], errors="replace")
                return lambda: folder(rest)
        return None
