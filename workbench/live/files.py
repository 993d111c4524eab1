"""Writing files so that nobody ever reads half of one, and only where one belongs."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from workbench.errors import UsageError

_SYSTEM_FOLDERS = frozenset({"dev", "proc"})
"""Folders of the root whose links lead to what a process has open, such as /dev/stdout."""


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


def checked_output_path(text: str, option: str) -> Path:
    """Return the path if a file can be written there, or take the place of one.

    Args:
        text: What the command line says.
        option: The option that says it.

    Raises:
        UsageError: If it is there and no regular file, or its folder does not exist or cannot
            be written to.
    """
    try:
        path = Path(text).expanduser().absolute()
        path.exists()
    except (OSError, ValueError, RuntimeError) as error:  # too long; ~nobody
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"is no path that can be written to: {reason}", field=option, value=text
        ) from error
    if path.is_dir():
        raise UsageError("is a directory", field=option, value=text, expected="a file")
    is_open_file = path.is_symlink() and path.parts[1] in _SYSTEM_FOLDERS
    if is_open_file or (path.exists() and not path.is_file()):
        # It would be replaced by a file: /dev/null for every program on the machine, and the log
        # that /dev/stdout is led to, with all that it held.
        raise UsageError("is no regular file", field=option, value=text, expected="a file")
    if not path.parent.is_dir():
        raise UsageError(
            "is in a folder that does not exist", field=option, value=text,
            expected="a folder that is there",
        )  # fmt: skip
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise UsageError("cannot be written to", field=option, value=text)
    return path
