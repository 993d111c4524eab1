"""Finds the files that a URDF names: ``package://``, ``file://``, relative and absolute paths.

A package is looked for, in this order, in the folders that the user gave, in the folders above the
URDF, in ``ROS_PACKAGE_PATH``, in ``AMENT_PREFIX_PATH`` and in the example-robot-data package. A
folder is the package ``NAME`` when it is called so or when its ``package.xml`` says so. Nothing
depends on the working directory.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from workbench.errors import RobotError, UsageError

EXAMPLE_ROBOT_DATA = "example-robot-data"

_PACKAGE_SCHEMES = ("package", "model")
_PARENTS_SEARCHED_BY_SUFFIX = 4
_LARGEST_MANIFEST_BYTES = 1_000_000


class MeshPathError(RobotError):
    """A mesh path that leaves its package: the robot is refused, not drawn without the mesh."""


class FileFinder:
    """Finds the files of one URDF.

    Attributes:
        substitutes: Files that were not where the URDF says but were found by the end of their
            path near it, by the name in the URDF.
    """

    def __init__(
        self,
        urdf_path: Path,
        package_dirs: Iterable[str | Path] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Remember where to look.

        Args:
            urdf_path: The URDF.
            package_dirs: Folders that are looked in first; each is a package or holds packages.
            environment: Stands in for ``os.environ``.

        Raises:
            UsageError: If one of the folders does not exist.
        """
        self.substitutes: dict[str, Path] = {}
        self._environment = os.environ if environment is None else environment
        self._urdf_folder = Path(os.path.abspath(urdf_path)).parent
        self._explicit = tuple(Path(os.path.abspath(os.path.expanduser(d))) for d in package_dirs)
        for folder in self._explicit:
            if not folder.is_dir():
                raise UsageError(
                    "there is no such folder", field="--package-dir", value=str(folder)
                )
        self._package_folders: dict[str, tuple[Path, ...]] = {}
        self._found: dict[str, Path] = {}

    def resolve(self, uri: str) -> Path:
        """Return the file that a URDF means.

        Raises:
            MeshPathError: If a ``package://`` path leaves its package.
            RobotError: If there is no such file, with the places that were tried.
        """
        if uri not in self._found:
            self._found[uri] = self._resolve(uri.strip())
        return self._found[uri]

    def refuse_escape(self, uri: str) -> None:
        """Raise MeshPathError if a path leaves its package; one that is missing is fine."""
        try:
            self.resolve(uri)
        except MeshPathError:
            raise
        except RobotError:
            return

    def package_folders(self, package: str) -> tuple[Path, ...]:
        """Return the folders that are the package of that name, best first."""
        if package not in self._package_folders:
            unique = dict.fromkeys(self._candidates(package))
            self._package_folders[package] = tuple(unique)
        return self._package_folders[package]

    # One way for each kind of name -------------------------------------------------------

    def _resolve(self, uri: str) -> Path:
        scheme, separator, rest = uri.partition("://")
        if not separator:
            return self._resolve_path(uri, uri)
        if scheme in _PACKAGE_SCHEMES:
            return self._resolve_package(uri, rest)
        if scheme == "file":
            path = unquote(rest.removeprefix("localhost"))
            return self._resolve_path(uri, path)
        raise RobotError("is not a file on this machine")

    def _resolve_package(self, uri: str, rest: str) -> Path:
        package, _, inside = rest.lstrip("/").partition("/")
        tried: list[Path] = []
        for relative in dict.fromkeys((inside, unquote(inside))):
            _refuse_leaving(uri, package, relative)
            for folder in self.package_folders(package):
                path = folder / relative
                tried.append(path)
                if path.is_file():
                    _refuse_link_outside(uri, package, folder, path)
                    return path
        if rest.startswith("/") and Path(rest).is_file():  # package:///home/... means a file
            return Path(rest)
        return self._by_suffix(uri, Path(unquote(rest.lstrip("/"))), tried)

    def _resolve_path(self, uri: str, text: str) -> Path:
        tried: list[Path] = []
        for name in dict.fromkeys((text, text.replace("\\", "/"))):
            for folder in (self._urdf_folder, *self._explicit):
                path = Path(os.path.normpath(folder / name))
                tried.append(path)
                if path.is_file():
                    return path
        return self._by_suffix(uri, Path(text.replace("\\", "/")), tried)

    def _by_suffix(self, uri: str, path: Path, tried: list[Path]) -> Path:
        """Find a file by the end of its path: a URDF that was copied away from its package.

        Raises:
            RobotError: If that finds nothing either.
        """
        parts = [part for part in path.parts if part not in ("..", ".", path.anchor)]
        near = [self._urdf_folder, *list(self._urdf_folder.parents)[:_PARENTS_SEARCHED_BY_SUFFIX]]
        roots = [*self._explicit, *(folder for folder in near if folder != folder.parent)]
        for start in range(len(parts)):
            last_part_alone = start == len(parts) - 1
            # A bare file name matches too easily far away from the URDF.
            for root in (*self._explicit, self._urdf_folder) if last_part_alone else roots:
                candidate = root.joinpath(*parts[start:])
                if candidate.is_file() and _is_inside(candidate, root):
                    self.substitutes[uri] = candidate
                    return candidate
        places = ", ".join(str(place) for place in list(dict.fromkeys(tried))[:4])
        raise RobotError(
            "there is no such file", expected=f"a file at {places}" if places else None
        )

    # Packages ----------------------------------------------------------------------------

    def _candidates(self, package: str) -> Iterator[Path]:
        if package in ("", ".", ".."):
            return
        for folder in self._explicit:
            yield from _package_in(folder, package)
        for folder in (self._urdf_folder, *self._urdf_folder.parents):
            yield from _package_in(folder, package)
        for entry in self._entries("ROS_PACKAGE_PATH"):
            yield from _package_in(entry, package)
            # A workspace's src/ usually holds repositories, and those hold the packages.
            yield from (
                path for path in sorted(entry.glob(f"*/{_literal(package)}")) if path.is_dir()
            )
        for entry in self._entries("AMENT_PREFIX_PATH"):
            if (entry / "share" / package).is_dir():
                yield entry / "share" / package
        if package == EXAMPLE_ROBOT_DATA and (folder := example_robot_data()) is not None:
            yield folder

    def _entries(self, variable: str) -> Iterator[Path]:
        for entry in self._environment.get(variable, "").split(os.pathsep):
            if entry.strip() and Path(entry).is_dir():
                yield Path(os.path.abspath(entry))


@cache
def example_robot_data() -> Path | None:
    """Return the folder that ``package://example-robot-data/`` means, None if not installed.

    The distribution has no Python module: its files lie under ``cmeel.prefix/share`` and are
    found through the list of files that pip keeps.
    """
    try:
        files = importlib.metadata.files(EXAMPLE_ROBOT_DATA) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    marker = f"share/{EXAMPLE_ROBOT_DATA}/robots/"
    for file in files:
        before, found, _ = str(file).replace("\\", "/").partition(marker)
        if found:
            name = f"{before}share/{EXAMPLE_ROBOT_DATA}"
            folder = Path(
                str(importlib.metadata.distribution(EXAMPLE_ROBOT_DATA).locate_file(name))
            )
            return folder.resolve() if folder.is_dir() else None
    return None


def _package_in(folder: Path, package: str) -> Iterator[Path]:
    """Yield the folder if it is the package, and its sub-folder of that name."""
    if folder.name == package or _manifest_name(folder) == package:
        yield folder
    if (folder / package).is_dir():
        yield folder / package


def _manifest_name(folder: Path) -> str | None:
    """Return the package name in a folder's ``package.xml``, None without one."""
    manifest = folder / "package.xml"
    try:
        if not manifest.is_file() or manifest.stat().st_size > _LARGEST_MANIFEST_BYTES:
            return None
        text = manifest.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    match = re.search(r"<name>\s*([^<\s]+)\s*</name>", text)
    return match.group(1) if match else None


def _refuse_leaving(uri: str, package: str, inside: str) -> None:
    normal = os.path.normpath(inside.replace("\\", "/").lstrip("/")) if inside else "."
    if package in ("", ".", "..") or normal == ".." or normal.startswith("../"):
        raise MeshPathError(
            "leaves its package directory", field="mesh", value=uri,
            expected="a path below the package",
        )  # fmt: skip


def _refuse_link_outside(uri: str, package: str, folder: Path, path: Path) -> None:
    """Refuse a symbolic link out of the package, except into the package's own sources.

    ``colcon build --symlink-install`` fills a package's share folder with links to its sources;
    the folder that they point into has a ``package.xml`` of the same name.
    """
    if _is_inside(path, folder):
        return
    target = path.resolve()
    if any(_manifest_name(parent) == package for parent in target.parents):
        return
    raise MeshPathError(
        "leaves its package directory through a symbolic link", field="mesh", value=uri,
        expected=f"a file below {folder}",
    )  # fmt: skip


def _is_inside(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _literal(name: str) -> str:
    """Return a glob pattern that matches only this name."""
    return re.sub(r"([*?\[])", r"[\1]", name)
