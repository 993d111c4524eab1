"""Files between a browser and the panels: what was uploaded, and what a download is called."""

from __future__ import annotations

import re

import viser

from workbench.ui.markup import one_line

_UNSAFE_IN_FILE_NAMES = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST_STEM = 60
_LONGEST_SHOWN_NAME = 80


def taken_upload(button: viser.GuiUploadButtonHandle) -> tuple[str, bytes] | None:
    """Return name (on one line) and contents of an upload, and keep neither; None for none."""
    upload: viser.UploadedFile = button.value
    if not upload.name:
        return None
    # viser would keep the bytes for as long as the page lives.
    button._impl.value = viser.UploadedFile("", b"")
    return one_line(upload.name, _LONGEST_SHOWN_NAME), upload.content


def safe_stem(name: str, otherwise: str) -> str:
    """Return a name as the first part of a file's name.

    Args:
        name: Any text; a robot's or a file's name may hold a path.
        otherwise: What stands for a name of which nothing is left.
    """
    return _UNSAFE_IN_FILE_NAMES.sub("_", name).strip("._")[:_LONGEST_STEM] or otherwise
