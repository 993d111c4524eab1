"""Text to take along: shown as it is, with a button that puts it on the clipboard.

The copying is done by ``static/page.js`` and needs no answer from the server, so that the browser
still counts it as the user's own doing. Where it is refused all the same (browsers may, without
https or without the focus), the text is shown and selected, and a sentence says so.
"""

from __future__ import annotations

from typing import Final

from workbench.ui.markup import plain

PREVIEW_STYLE: Final = "max-height:45vh;white-space:pre;overflow:auto"
_SIDE_BY_SIDE: Final = "display:inline-block;max-width:100%;margin-right:0.4rem"
_BUTTON_STYLE: Final = (
    "margin:0.3rem 0.4rem 0.3rem 0;padding:0.25rem 0.8rem;cursor:pointer;font-size:0.8rem"
)


def copy_field(text: str, label: str, hint: str, *, shown: bool) -> str:
    """Return HTML: a button, and the text that it copies.

    Args:
        text: Any string; it is shown escaped, and copied as it is shown.
        label: What the button says.
        hint: Help on hover.
        shown: Whether the text is there from the start, or only where it cannot be copied.
    """
    # A line break right after <pre> would be dropped, and <br> is not part of the text.
    lines = "&#10;".join(plain(line, limit=None) for line in text.split("\n"))
    return (
        f'<div data-copied="" style="{"" if shown else _SIDE_BY_SIDE}">'
        f'<pre class="workbench-pre" tabindex="0" aria-label="{plain(label)}" '
        f'style="{PREVIEW_STYLE}"{"" if shown else " hidden"}>{lines}</pre>'
        f'<button type="button" data-copy="" title="{plain(hint)}" style="{_BUTTON_STYLE}">'
        f'{plain(label)}</button><span class="dim" role="status"></span></div>'
    )
