"""What comes from outside shows as the text that it is, in Markdown and in HTML."""

from __future__ import annotations

import re
import unicodedata
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from workbench.ui.markup import one_line, plain, preformatted

ATTACKS = [
    "<iframe srcdoc=\"<script>alert('x')</script>\"></iframe>",
    "<img src=x onerror=alert(1)>",
    "[link](javascript:alert(1))",
    "![image](https://example.org/x.png)",
    "`code` **bold** _em_ ~~gone~~",
    "# heading",
    "- item\n- item",
    "    code block",
    "1. one",
    "a | b\n--|--\nc | d",
    "{alert(1)}",
    "<!-- comment -->",
    "&lt;script&gt;",
    "&#60;b&#62;",
    "\\*escaped\\*",
    "https://example.org www.example.org me@example.org",
    "---",
    "> quote",
    "```\nfence\n```",
    "[^1]: note",
    "<https://example.org>",
    "\u00a0\u00a0text\u3000",
]


class Reader(HTMLParser):
    """Collects the tags and the text of a piece of HTML, as a browser reads it."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_comment(self, data: str) -> None:
        self.tags.append("comment")

    def handle_data(self, data: str) -> None:
        self.text += data


def read(markup: str) -> Reader:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader


@given(st.text() | st.sampled_from(ATTACKS))
@example("\ud800")
@example("a\u202eb")
def test_markdown_shows_the_same_text_and_no_other_structure(text: str) -> None:
    markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    shown = read(markdown.render(plain(text, limit=None)))
    assert set(shown.tags) <= {"p"}
    # A paragraph ends in a line break of its own.
    assert shown.text.removesuffix("\n") == one_line(text)


@given(st.text() | st.sampled_from(ATTACKS))
def test_html_shows_the_same_text_and_no_tag(text: str) -> None:
    shown = read(plain(text, limit=None))
    assert shown.tags == []
    assert shown.text == one_line(text)


@given(st.text() | st.sampled_from(ATTACKS))
def test_an_attribute_holds_the_same_text(text: str) -> None:
    attributes: dict[str, str | None] = {}

    class AttributeReader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            attributes.update(attrs)

    AttributeReader().feed(f'<span title="{plain(text, limit=None)}"></span>')
    assert attributes == {"title": one_line(text)}


@given(st.text())
def test_one_line_holds_nothing_that_cannot_be_seen(text: str) -> None:
    shown = one_line(text)
    assert len(shown) == len(text)
    assert not any(
        unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") for character in shown
    )
    shown.encode()


def test_a_name_that_turns_its_direction_does_not_look_like_another() -> None:
    assert one_line("panda\u202egpj.exe") == "panda\ufffdgpj.exe"


def test_a_long_name_is_cut() -> None:
    assert one_line("x" * 50, 10) == "x" * 9 + "…"
    assert len(one_line("x" * 10, 10)) == 10
    assert plain("<" * 1000).count("&#60;") == 299


def test_a_traceback_keeps_its_lines_and_is_no_markup() -> None:
    shown = preformatted("Traceback:\n  <b>line</b>\n\nValueError: x")
    assert shown.count("<br>") == 3
    assert "<b>" not in shown
    assert read(shown).tags == ["pre", "br", "br", "br"]


def test_of_a_long_text_the_end_is_shown() -> None:
    shown = read(preformatted("start\n" + "x" * 100 + "\nend", limit=50)).text
    assert shown.endswith("end")
    assert "start" not in shown


@pytest.mark.parametrize("text", ATTACKS)
def test_no_character_of_the_languages_is_left_as_it_is(text: str) -> None:
    assert not re.search(r"[<>\[\]`*_{}|~\\#!\"']", re.sub(r"&#\d+;", "", plain(text)))
