"""The little style and script that the panels add to viser's page.

viser puts one control on a line and has no table. The style sheet sets the text field, its way
back and its slider into two lines, three numbers of a pose into one, and draws the tables and bars
that the panels write as HTML. The script, ``static/page.js``, makes Enter count, gives buttons
their help, and says when the connection is lost. Without either all else still works.
"""

from __future__ import annotations

from typing import Final

import viser

from workbench import __version__

_SCRIPT: Final = f"/static/page.js?{__version__}"
"""Address of the script; the version keeps a browser from running that of another one."""

_STYLE: Final = """
form:has(.mantine-Slider-root) { display: grid; grid-template-columns: 1fr auto; }
form:has(.mantine-Slider-root) > div { padding-bottom: 0.15rem; }
form:has(.mantine-Slider-root) > div:has(.mantine-Slider-root) {
  grid-column: 1 / -1; padding-bottom: 0.5rem;
}
form:has(.mantine-Slider-root) > div:has(> button) { margin-left: -0.3rem; }
form:has(.mantine-Slider-root) > div > button { height: 1.625rem; padding: 0 0.5rem;
  font-size: 0.72rem; }
form:not(:has(label)) { display: grid; grid-template-columns: 1fr 1fr; padding: 0 0.35rem; }
form:not(:has(label)) > div { margin-left: 0.25rem; margin-right: 0.25rem; }
form:not(:has(label)) button { font-size: 0.8rem; padding: 0 0.5rem; }
form .mantine-Slider-root + .mantine-NumberInput-root, form .mantine-Slider-label {
  display: none; }
.mantine-Flex-root > div:first-child:has(> p > label) {
  width: 8.1rem !important; padding-right: 0.4rem !important; }
.mantine-Paper-root .mantine-Flex-root > div:first-child:has(> p > label) {
  width: 7.45rem !important; }
.mantine-Checkbox-root { vertical-align: middle; }
form .mantine-Slider-root { margin-right: 0.4rem; }
form:has(> div:nth-of-type(3)):not(:has(.mantine-Slider-root)) {
  display: grid; grid-template-columns: repeat(3, 1fr); padding: 0 0.35rem; }
form:has(> div:nth-of-type(3)):not(:has(.mantine-Slider-root)) > div { padding: 0 0.25rem 0.4rem; }
form:has(> div:nth-of-type(3)):not(:has(.mantine-Slider-root)) > div > div > div:first-child {
  width: auto !important; padding-right: 0.3rem; }

[data-dock-tab] { padding: 0 0.4em !important; }
.mantine-Title-root[data-order] { font-size: 0.95rem; margin: 0.7rem 0 0.2rem; }
.mantine-Title-root[data-order="1"] { font-size: 1.15rem; }

.workbench { padding: 0 0.625rem 0.4rem; font-size: 0.8rem; line-height: 1.4; }
.workbench table { border-collapse: collapse; width: 100%; font-size: 0.75rem; }
.workbench th { text-align: left; font-weight: 500; opacity: 0.65; }
.workbench td, .workbench th { padding: 0.08rem 0.3rem 0.08rem 0; vertical-align: middle;
  overflow-wrap: anywhere; }
.workbench .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.workbench .dim { opacity: 0.65; }
.workbench .whole { white-space: nowrap; }
.workbench b { font-weight: 600; }
.workbench .good { color: light-dark(#0b7285, #66d9e8); }
.workbench .fair { color: light-dark(#a15c00, #ffc078); }
.workbench .bad { color: light-dark(#c92a2a, #ff8787); }
[data-mantine-color-scheme="dark"] .workbench .good { color: #66d9e8; }
[data-mantine-color-scheme="dark"] .workbench .fair { color: #ffc078; }
[data-mantine-color-scheme="dark"] .workbench .bad { color: #ff8787; }
.workbench .bar { position: relative; display: block; min-width: 3rem; height: 0.5rem;
  border-radius: 0.15rem; background: rgba(128, 128, 128, 0.22); }
.workbench .bar i { position: absolute; top: -0.1rem; width: 0.25rem; height: 0.7rem;
  margin-left: -0.125rem; border-radius: 0.1rem; background: #228be6; }
.workbench .bar.edge i { background: #e03131; }
.workbench .bar.edge { background: rgba(224, 49, 49, 0.28); }
.workbench .stack { display: flex; height: 0.6rem; margin: 0.2rem 0; overflow: hidden;
  border-radius: 0.15rem; background: rgba(128, 128, 128, 0.22); }
.workbench .stack i { display: block; height: 100%; }
.workbench details { margin-top: 0.3rem; }
.workbench summary { cursor: pointer; }
.mantine-Button-section:has(.workbench-help:first-child) { display: none; }
button:has(.workbench-big) { height: 3rem !important; font-size: 1.05rem; letter-spacing: 0.03em; }
button:has(.workbench-row) { height: 1.6rem; padding: 0 0.4rem; font-size: 0.75rem;
  font-weight: 400; }
button:has(.workbench-row) .mantine-Button-inner { justify-content: start; }
button:has(.workbench-row):not(:has(.workbench-chosen)) {
  background: rgba(128, 128, 128, 0.1) !important; color: inherit !important; }
button:has(.workbench-chosen) { outline: 2px solid #cc79a7; font-weight: 600; }
.workbench-lost:not([hidden]) { position: fixed; z-index: 1000; bottom: 1rem; left: 50%;
  transform: translateX(-50%); display: grid; gap: 0.2rem; width: min(26rem, 80vw);
  padding: 0.7rem 1rem; border-radius: 0.3rem; font: 0.85rem/1.4 system-ui, sans-serif;
  color: #fff; background: #a61e4d; box-shadow: 0 0.2rem 0.8rem rgba(0, 0, 0, 0.4); }
.workbench-pre { margin: 0.3rem 0; padding: 0.4rem; max-height: 14rem; overflow: auto;
  font-size: 0.7rem; white-space: pre-wrap; overflow-wrap: anywhere;
  background: rgba(128, 128, 128, 0.12); border-radius: 0.2rem; }
"""


def install_page_style(gui: viser.GuiApi) -> viser.GuiHtmlHandle:
    """Add the style sheet and the script. Call it outside all tabs, which are not always drawn."""
    return gui.add_html(f"<style onload=\"import('{_SCRIPT}')\">{_STYLE}</style>", order=-1e6)


def block(*rows: str) -> str:
    """Return HTML rows, each escaped by its maker, as one block in the panels' style."""
    return f'<div class="workbench">{"".join(rows)}</div>'


def rows_table(rows: list[tuple[str, ...]], head: tuple[str, ...] = ()) -> str:
    """Return a table of cells of HTML, each escaped by its maker; the first column is text."""
    header = "".join(_cell("th", text, column) for column, text in enumerate(head))
    body = "".join(
        f"<tr>{''.join(_cell('td', text, column) for column, text in enumerate(row))}</tr>"
        for row in rows
    )
    return f"<table>{f'<tr>{header}</tr>' if header else ''}{body}</table>"


def _cell(tag: str, text: str, column: int) -> str:
    kind = ' class="n"' if column else ""
    return f"<{tag}{kind}>{text}</{tag}>"
