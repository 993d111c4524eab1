"""Text from outside, made safe for the page.

The page's Markdown and HTML elements run whatever markup they get, and names, paths and messages
come from files, clients and libraries. Every such string goes through :func:`plain` (inside
Markdown or HTML), :func:`preformatted` (HTML, with its line breaks) or :func:`one_line` (labels and
notifications, which show text as it is).
"""

from __future__ import annotations

import unicodedata

_STAND_IN = "\N{REPLACEMENT CHARACTER}"
_BREAKS = frozenset("\n\r\t\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_NAME_LENGTH_LIMIT = 300


def one_line(text: str, limit: int | None = None) -> str:
    """Return text without line breaks and without characters that one cannot see.

    Line breaks and tabs become spaces. Control characters, lone surrogates and format characters
    become U+FFFD: among the latter are those that change the direction of writing, with which a
    name can look like another one.

    Args:
        text: Any string.
        limit: Longest text returned, in characters; a longer one ends in an ellipsis.
    """
    shown = "".join(_visible(character) for character in text)
    return shown if limit is None or len(shown) <= limit else shown[: limit - 1] + "…"


def plain(text: str, limit: int | None = _NAME_LENGTH_LIMIT) -> str:
    """Return markup that shows exactly :func:`one_line` of a text, in Markdown and in HTML alike.

    Everything that either language could read as structure becomes a numeric character reference:
    CommonMark (section 2.5) and HTML both read one as the bare character, never as structure.

    Args:
        text: Any string.
        limit: Longest text shown, in characters; None shows all of it.
    """
    return "".join(_reference(character) for character in one_line(text, limit))


def preformatted(text: str, limit: int = 20_000) -> str:
    """Return an HTML ``<pre>`` block that shows a text with its line breaks. Not for Markdown.

    Args:
        text: Any string, such as a traceback.
        limit: Longest text shown, in characters; of a longer one the end is shown.
    """
    kept = text if len(text) <= limit else "…" + text[-(limit - 1) :]
    lines = (plain(line, limit=None) for line in kept.splitlines())
    return f'<pre class="workbench-pre">{"<br>".join(lines)}</pre>'


def _visible(character: str) -> str:
    if character in _BREAKS:
        return " "
    return _STAND_IN if unicodedata.category(character) in _HIDDEN_CATEGORIES else character


def _reference(character: str) -> str:
    harmless = character.isalnum() or ord(character) > 0x7F
    # NO-BREAK SPACE and its kind are stripped or collapsed at the edges of a block.
    if harmless and not character.isspace():
        return character
    return f"&#{ord(character)};"
