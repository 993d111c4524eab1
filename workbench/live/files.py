"""Writing files so that nobody ever reads half of one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace_file(path: Path, text: str) -> None:
    """Write a text file so that a reader sees the old or the new one, never half of it.

    The new text goes into a file beside it, reaches the disk and then takes the name. A link is
    followed, so that it goes on pointing at the file; permissions of an existing file stay.

    Raises:
        OSError: If something cannot be written.
    """
    path = Path(os.path.realpath(path))
    descriptor, temporary = tempfile.mkstemp(
        dir=path.parent, prefix=f".{path.name[:64]}.", suffix=".new"
    )
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        try:
            mode = path.stat().st_mode & 0o7777
        except FileNotFoundError:
            mask = os.umask(0)
            os.umask(mask)
            mode = 0o666 & ~mask
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
