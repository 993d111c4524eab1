"""Robots of the optional package ``robot_descriptions``, from its cache and never from the network.

Importing one of that package's modules clones a repository when it is not in the cache. So the
function that clones is replaced for the time of the import by one that only looks.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from workbench.errors import RobotError, UsageError, did_you_mean

_PACKAGE = "robot_descriptions"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class CachedDescription:
    """A robot description that lies in the cache.

    Attributes:
        name: Name of its module.
        urdf: Its URDF or xacro file.
        package_dirs: Folders in which its packages are.
        xacro_arguments: Arguments of the xacro file, by name.
    """

    name: str
    urdf: Path
    package_dirs: tuple[Path, ...]
    xacro_arguments: Mapping[str, str] = field(default_factory=dict)


def cached_description(name: str) -> CachedDescription:
    """Find a robot description in the cache.

    Args:
        name: Module name such as ``panda_description``; the ending may be left out.

    Raises:
        RobotError: If the package is not installed or the description is not in the cache.
        UsageError: If there is no such description with a URDF.
    """
    if importlib.util.find_spec(_PACKAGE) is None:
        raise RobotError(
            "the package robot_descriptions is not installed", field=f"{_PACKAGE}:{name}",
            expected="pip install robot_descriptions",
        )  # fmt: skip
    module = _import_without_network(_module_name(name))
    urdf = getattr(module, "URDF_PATH", None) or getattr(module, "XACRO_PATH", None)
    short_name = module.__name__.rpartition(".")[2]
    if urdf is None:
        raise UsageError("has no URDF", field=f"{_PACKAGE}:{short_name}")
    folders = [
        Path(folder)
        for path in (
            getattr(module, "PACKAGE_PATH", None),
            getattr(module, "REPOSITORY_PATH", None),
        )
        if path is not None
        for folder in (path, os.path.dirname(path))
    ]
    folders += [Path(path) for path in getattr(module, "XACRO_PACKAGE_PATHS", {}).values()]
    existing = tuple(dict.fromkeys(folder for folder in folders if folder.is_dir()))
    arguments = {key: str(value) for key, value in getattr(module, "XACRO_ARGS", {}).items()}
    return CachedDescription(short_name, Path(urdf), existing, arguments)


def _module_name(name: str) -> str:
    known = set(getattr(importlib.import_module(_PACKAGE), "DESCRIPTIONS", {}))
    for candidate in (name, f"{name}_description"):
        if candidate in known:
            return candidate
        # A description of the user's own may be a module of the package without being listed.
        if _NAME.fullmatch(candidate) and importlib.util.find_spec(f"{_PACKAGE}.{candidate}"):
            return candidate
    raise UsageError(
        "there is no such robot description", field=_PACKAGE, value=name,
        expected=did_you_mean(name, known),
    )  # fmt: skip


def _import_without_network(name: str) -> ModuleType:
    cache: Any = importlib.import_module(f"{_PACKAGE}._cache")
    original = cache.clone_to_cache

    def look_only(description_name: str, commit: str | None = None) -> str:
        folder = _cache_folder(cache, description_name, commit)
        if not (folder / ".git").exists():
            raise RobotError(
                "is not in the cache, and the workbench downloads nothing",
                field=f"{_PACKAGE}:{name}",
                expected=f"this to be run first: python -m robot_descriptions pull {name}",
            )
        return str(folder)

    cache.clone_to_cache = look_only
    try:
        return importlib.import_module(f"{_PACKAGE}.{name}")
    finally:
        cache.clone_to_cache = original


def _cache_folder(cache: Any, description_name: str, commit: str | None) -> Path:
    """Return where the package keeps a repository, by its own rules."""
    root = os.environ.get("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")
    relative = cache.REPOSITORIES[description_name].cache_path
    if commit is not None:
        relative = f"{relative}-{commit}/{relative}"
    return Path(os.path.expanduser(root)) / relative
