"""Whether there is a desktop on which a browser can open a window."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

_NAMES_OF_A_SCREEN = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


def has_desktop(
    environment: Mapping[str, str] | None = None, platform: str | None = None
) -> bool:  # fmt: skip
    """Tell whether a browser that is opened from here gets a window of its own.

    Without a screen only a terminal's browser (lynx, w3m) is left. It cannot draw the page, and
    would take the terminal, and Ctrl+C with it. Who names a browser in ``$BROWSER`` means it.

    Args:
        environment: Environment variables; None for those of this process.
        platform: As ``sys.platform``, which None stands for; macOS and Windows always have a
            desktop.
    """
    found = os.environ if environment is None else environment
    system = sys.platform if platform is None else platform
    return system in ("darwin", "win32") or any(found.get(name) for name in _NAMES_OF_A_SCREEN)
