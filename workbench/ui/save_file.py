"""The file that ``serve --save-to`` names: replaced whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from workbench.errors import ConfigError, UsageError
from workbench.live.export import export_text
from workbench.live.files import replace_file
from workbench.live.session import Session


class SaveTarget:
    """Writes the export to one file that the command line named; the page never names one."""

    def __init__(self, path: Path, session: Session) -> None:
        """Take a path that :func:`checked_save_path` has passed."""
        self._path = path
        self._session = session

    @property
    def path(self) -> Path:
        """Where it is."""
        return self._path

    def save(self) -> None:
        """Replace the file by the present export.

        Raises:
            ConfigError: If it cannot be written; the old file is untouched then.
        """
        state = self._session.state
        try:
            replace_file(self._path, export_text(state))
        except OSError as error:
            raise ConfigError(
                f"cannot be written: {error.strerror or error}", path=self._path
            ) from error
        self._session.mark_saved(state)


def checked_save_path(text: str) -> Path:
    """Return the path if a file can be written there.

    Raises:
        UsageError: If it is there and no regular file, or its folder does not exist or cannot
            be written to.
    """
    path = Path(text).expanduser().absolute()
    if path.is_dir():
        raise UsageError("is a directory", field="--save-to", value=text, expected="a file")
    if path.exists() and not path.is_file():
        # It would be replaced by a file: /dev/null for every program on the machine.
        raise UsageError("is no regular file", field="--save-to", value=text, expected="a file")
    if not path.parent.is_dir():
        raise UsageError(
            "is in a folder that does not exist", field="--save-to", value=text,
            expected="a folder that is there",
        )  # fmt: skip
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise UsageError("cannot be written to", field="--save-to", value=text)
    return path
