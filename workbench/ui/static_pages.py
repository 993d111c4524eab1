"""The files of ``static/``, and its help pages as HTML."""

from __future__ import annotations

import html
import re

from markdown_it import MarkdownIt

from workbench.resources import resource_folder
from workbench.ui.http import HTML, TEXT, HttpAnswer, text_answer

_CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": HTML,
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": TEXT,
}
_HELP_FOLDER = "help"
_HELP_NAME = re.compile(r"[a-z0-9-]{1,60}")

_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem;
  color: light-dark(#1c2126, #d8dde2); background: light-dark(#ffffff, #16191c); }
a { color: light-dark(#0b62a8, #79b8f3); }
h1, h2, h3 { line-height: 1.25; }
code, pre { font: 0.9em ui-monospace, monospace; background: light-dark(#f0f2f4, #23282d); }
code { padding: 0.1em 0.3em; border-radius: 3px; }
pre { padding: 0.8em; overflow-x: auto; border-radius: 6px; }
pre code { padding: 0; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid light-dark(#cbd2d9, #3a424a); padding: 0.3em 0.6em; text-align: left;
  vertical-align: top; }
nav { border-bottom: 1px solid light-dark(#cbd2d9, #3a424a); padding-bottom: 0.5rem; }
nav a { margin-right: 1rem; }
"""


def help_names() -> tuple[str, ...]:
    """Return the names of the help pages, the first one first."""
    names = sorted(path.stem for path in (resource_folder("static") / _HELP_FOLDER).glob("*.md"))
    return tuple(sorted(names, key=lambda name: name != "getting-started"))


def help_markdown(name: str) -> str:
    """Return a help page as it is written.

    Raises:
        KeyError: If there is no such page.
    """
    if name not in help_names():
        raise KeyError(name)
    return (resource_folder("static") / _HELP_FOLDER / f"{name}.md").read_text(encoding="utf-8")


def help_title(markdown: str) -> str:
    """Return the text of a page's first heading."""
    first = next((line for line in markdown.splitlines() if line.startswith("# ")), "# Help")
    return first[2:].strip()


def help_page(name: str) -> HttpAnswer:
    """Answer with a help page as HTML, raw HTML in it escaped."""
    if not _HELP_NAME.fullmatch(name) or name not in help_names():
        return _missing()
    source = help_markdown(name)
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(source)
    links = "".join(
        f'<a href="/static/help/{other}">{html.escape(help_title(help_markdown(other)))}</a>'
        for other in help_names()
    )
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(help_title(source))} - IK Workbench</title>"
        '<link rel="icon" href="/static/logo.svg">'
        f"<style>{_STYLE}</style></head>"
        f'<body><nav><a href="/">Workbench</a>{links}</nav>{body}</body></html>'
    )
    return text_answer(page, content_type=HTML)


def static_file(relative: str) -> HttpAnswer:
    """Answer with a file of ``static/``, or with a help page for ``help/NAME``.

    Args:
        relative: Path below ``/static/``, percent escapes resolved.
    """
    if relative.startswith(f"{_HELP_FOLDER}/") and not relative.endswith(".md"):
        return help_page(relative[len(_HELP_FOLDER) + 1 :])
    if "\0" in relative or "\\" in relative:
        return _missing()
    root = resource_folder("static").resolve()
    path = (root / relative).resolve()
    content_type = _CONTENT_TYPES.get(path.suffix)
    if content_type is None or not path.is_relative_to(root) or not path.is_file():
        return _missing()
    return HttpAnswer(200, content_type, path.read_bytes(), {"Cache-Control": "max-age=300"})


def favicon() -> HttpAnswer:
    """Answer what browsers ask for on their own."""
    return static_file("logo.svg")


def _missing() -> HttpAnswer:
    return text_answer("There is no such page.\n", 404)
