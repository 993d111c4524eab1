"""Expands a xacro file with the optional package ``xacrodoc``, which brings xacro itself."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from xml.parsers.expat import ExpatError

from workbench.errors import RobotError
from workbench.model.packages import FileFinder
from workbench.model.xml_file import parse_xml, read_file

_MOST_PACKAGES = 50

# xacro evaluates expressions of the file; whatever they raise is the file's mistake.
_FAILURES = (
    ExpatError, OSError, ValueError, LookupError, NameError, TypeError, AttributeError,
    ArithmeticError, RuntimeError, SyntaxError,
)  # fmt: skip


def expand_xacro(
    path: Path, package_dirs: Sequence[str] = (), arguments: Mapping[str, str] | None = None
) -> bytes:
    """Return the URDF that a xacro file expands to.

    Args:
        path: The xacro file.
        package_dirs: Folders in which ``$(find PACKAGE)`` looks first; then as for meshes.
        arguments: Values of its ``<xacro:arg>``; the others take their defaults.

    Raises:
        RobotError: If ``xacrodoc`` is not installed, the file is not XML, or xacro refuses it.
    """
    parse_xml(read_file(path, "xacro"), path, "xacro")
    if importlib.util.find_spec("xacrodoc") is None:
        raise RobotError(
            "is a xacro file, and xacrodoc, which expands those, is not installed", path=path,
            expected="pip install xacrodoc (or run xacro yourself: xacro FILE > robot.urdf)",
        )  # fmt: skip
    xacro = importlib.import_module("xacro")
    substitution = importlib.import_module("xacro.substitution_args")
    packages = importlib.import_module("xacrodoc.packages")
    packages.reset()
    packages.walk_up_from(path)
    failures = (
        *_FAILURES, xacro.XacroException, substitution.SubstitutionException,
        packages.PackageNotFoundError,
    )  # fmt: skip
    try:
        return _expand(xacro, packages, path, package_dirs, dict(arguments or {}))
    except failures as error:
        raise RobotError(f"cannot be expanded by xacro: {_reason(error)}", path=path) from error


def _expand(
    xacro: ModuleType, packages: ModuleType, path: Path, package_dirs: Sequence[str],
    arguments: dict[str, str],
) -> bytes:  # fmt: skip
    """Expand, and tell xacrodoc of each package that it asks for and we know."""
    finder = FileFinder(path, package_dirs)
    for _ in range(_MOST_PACKAGES):
        try:
            # process_file keeps the file's own folder for relative includes, whatever the cwd is.
            return xacro.process_file(str(path), mappings=arguments).toxml(encoding="utf-8")
        except (xacro.XacroException, packages.PackageNotFoundError) as error:
            cause = getattr(error, "exc", None) or error
            if not isinstance(cause, packages.PackageNotFoundError) or not cause.args:
                raise
            name = str(cause.args[0])
            folders = finder.package_folders(name)
            if not folders:
                raise
            packages.update_package_cache({name: folders[0]})
    raise ValueError(f"it needs more than {_MOST_PACKAGES} packages")


def _reason(error: Exception) -> str:
    """Return what xacro means: its own exceptions wrap others, and repeat them."""
    cause = getattr(error, "exc", None)
    if cause is None:
        return " ".join(str(error).split()) or type(error).__name__
    prefix = str(error.args[0] or "") if error.args else ""
    if prefix and isinstance(cause, OSError):
        return " ".join(prefix.split())
    parts = ["" if prefix.startswith("<class") else prefix, cause, getattr(error, "suffix", "")]
    return " ".join(" ".join(str(part) for part in parts if part).split())
