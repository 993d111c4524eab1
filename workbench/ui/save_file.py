"""The file that ``serve --save-to`` names: replaced whole or not at all."""

from __future__ import annotations

from pathlib import Path

from workbench.errors import ConfigError
from workbench.live.export import export_text
from workbench.live.files import replace_file
from workbench.live.session import Session


class SaveTarget:
    """Writes the export to one file that the command line named; the page never names one."""

    def __init__(self, path: Path, session: Session) -> None:
        """Take a path that :func:`~workbench.live.files.checked_output_path` has passed."""
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
