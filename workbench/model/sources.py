"""Where a robot comes from: a profile, a URDF, a xacro file or a cached robot description."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.config.profile import ProfileSource, RobotProfile, read_profile
from workbench.errors import RobotError, UsageError, did_you_mean
from workbench.model.packages import EXAMPLE_ROBOT_DATA, example_robot_data
from workbench.model.profile_files import profile, profile_names
from workbench.model.request import RobotRequest
from workbench.model.robot_descriptions import cached_description
from workbench.model.xacro_file import expand_xacro
from workbench.model.xml_file import XmlFile, parse_xml, read_file
from workbench.resources import resource_folder

ROBOT_DESCRIPTIONS_PREFIX = "robot_descriptions:"

_PROFILE_SUFFIXES = (".yaml", ".yml")
_XACRO_SUFFIXES = (".xacro",)


@dataclass(frozen=True, eq=False)
class RobotSource:
    """A robot's files, found and parsed, not yet understood.

    Attributes:
        text: Where it came from, in words.
        file: The URDF; for a xacro file its expansion.
        srdf: Path of the SRDF, None where there is none.
        package_dirs: Folders in which its packages are looked for first.
        profile: Its profile, None for a bare URDF.
        name: Name for the robot where there is a better one than the URDF's, else None.
    """

    text: str
    file: XmlFile
    srdf: Path | None
    package_dirs: tuple[str, ...]
    profile: RobotProfile | None = None
    name: str | None = None


def find_source(request: RobotRequest) -> RobotSource:
    """Find and read the files that a request means.

    A name with a path separator or a known suffix, or that of an existing file, is a path;
    anything else is a profile's name.

    Raises:
        UsageError: If there is no such profile.
        RobotError: If a file is missing or is not what it should be.
        ConfigError: If the profile cannot be used.
    """
    source = request.source.strip()
    srdf = None if request.srdf is None else _user_path(request.srdf)
    if source.startswith(ROBOT_DESCRIPTIONS_PREFIX):
        _refuse_example(request)
        found = cached_description(source.removeprefix(ROBOT_DESCRIPTIONS_PREFIX))
        dirs = (*request.package_dirs, *(str(folder) for folder in found.package_dirs))
        file = _read_urdf(found.urdf, dirs, found.xacro_arguments)
        return RobotSource(
            f"robot_descriptions {found.name}, {found.urdf}", file, srdf, dirs, name=found.name
        )
    if not source:
        raise UsageError("no robot is named", field="robot", expected="a profile's name or a path")
    if not _looks_like_path(source):
        return _from_profile(profile(source), request, srdf)
    path = _user_path(source)
    if path.suffix.lower() in _PROFILE_SUFFIXES:
        if not path.is_file():
            raise _missing(path, source)
        return _from_profile(read_profile(path), request, srdf)
    if not path.exists():
        raise _missing(path, source)
    _refuse_example(request)
    file = _read_urdf(path, request.package_dirs)
    return RobotSource(str(path), file, srdf, request.package_dirs)


def _refuse_example(request: RobotRequest) -> None:
    if request.example:
        raise UsageError(
            "only profiles have examples", field="example", value=request.example,
            expected="a profile's name instead of " + request.source,
        )  # fmt: skip


def _from_profile(found: RobotProfile, request: RobotRequest, srdf: Path | None) -> RobotSource:
    if request.example:
        found = found.for_example(request.example)
    folder = _profile_folder(found)
    path = folder / found.source.urdf
    if srdf is None and found.source.srdf is not None:
        srdf = folder / found.source.srdf
    file = _read_urdf(path, request.package_dirs)
    own = Path(found.folder) == resource_folder("robots").resolve()
    place = found.source.package or ("workbench" if own else found.folder)
    return RobotSource(
        f"{place}: {found.source.urdf}", file, srdf, request.package_dirs, found, found.name
    )


def _profile_folder(found: RobotProfile) -> Path:
    source: ProfileSource = found.source
    if source.package is None:
        return Path(found.folder)
    folder = example_robot_data()
    if folder is None:
        raise RobotError(
            f"the package {EXAMPLE_ROBOT_DATA}, which holds this robot, is not installed",
            field=found.name, expected=f"pip install {EXAMPLE_ROBOT_DATA}",
        )  # fmt: skip
    return folder / "robots"


def _read_urdf(
    path: Path, package_dirs: tuple[str, ...], xacro_arguments: Mapping[str, str] | None = None
) -> XmlFile:
    if path.suffix.lower() in _XACRO_SUFFIXES:
        return parse_xml(expand_xacro(path, package_dirs, xacro_arguments), path, "URDF")
    return parse_xml(read_file(path, "URDF"), path, "URDF")


def _looks_like_path(source: str) -> bool:
    suffixes = (".urdf", ".xml", *_XACRO_SUFFIXES, *_PROFILE_SUFFIXES)
    if source.lower().endswith(suffixes) or os.sep in source or "/" in source:
        return True
    return source not in profile_names() and Path(source).exists()


def _user_path(text: str) -> Path:
    return Path(os.path.abspath(os.path.expanduser(text)))


def _missing(path: Path, source: str) -> RobotError:
    try:
        neighbours = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    except OSError:
        return RobotError("there is no such file: its folder does not exist", path=path)
    same_suffix = [name for name in neighbours if Path(name).suffix == path.suffix]
    names = [*same_suffix, *(name for name in profile_names() if name == Path(source).stem)]
    return RobotError(
        "there is no such file", path=path,
        expected=did_you_mean(path.name, names) if names else None,
    )  # fmt: skip
