"""Reading isaac_grasp files from disk, from an upload, from a string.

The format is that of Isaac Sim's Grasp Editor (``format: isaac_grasp``, version 1.0) and of the
programs that write it for others; :mod:`workbench.grasps.reading` says where they differ.
"""

from __future__ import annotations

from pathlib import Path

from workbench.config.yaml_io import load_yaml
from workbench.errors import ConfigError, GraspError
from workbench.grasps.reading import contents_of
from workbench.grasps.spec import GraspSpec

MAX_BYTES = 50_000_000
"""Size beyond which a grasp file is refused; 10,000 grasps take about 4 MB."""


def import_grasps_from_file(file_path: str | Path) -> GraspSpec:
    """Read an isaac_grasp file.

    Args:
        file_path: Path of the file.

    Raises:
        GraspError: If the file is refused; in one sentence with file, line, grasp and what would
            be right. Nothing of it is kept then.
    """
    return read_grasps(Path(file_path), name=str(file_path))


def read_grasps(source: Path | str | bytes, *, name: str) -> GraspSpec:
    """Read grasps from a file, or from text that was uploaded.

    Args:
        source: A file's path, or the text itself (``str`` or UTF-8 ``bytes``).
        name: How messages call the file.

    Raises:
        GraspError: As for :func:`import_grasps_from_file`.
    """
    try:
        document = load_yaml(source, name=name, max_bytes=MAX_BYTES)
    except ConfigError as error:
        expected = error.expected
        if isinstance(error.value, str) and error.value.startswith("!!python"):
            expected = "plain numbers: NumPy's become such by float(...) before they are dumped"
        raise GraspError(
            error.message, path=error.path, line=error.line, field=error.field,
            value=error.value, expected=expected,
        ) from error  # fmt: skip
    return GraspSpec.from_contents(contents_of(document))
