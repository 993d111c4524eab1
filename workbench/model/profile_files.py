"""The profiles that come with the workbench, by name."""

from __future__ import annotations

from pathlib import Path

from workbench.config.profile import RobotProfile, read_profile
from workbench.errors import UsageError, did_you_mean
from workbench.resources import resource_folder


def profile_names() -> tuple[str, ...]:
    """Return the names of all profiles, sorted."""
    return tuple(sorted(path.stem for path in resource_folder("robots").glob("*.yaml")))


def profile(name: str) -> RobotProfile:
    """Return a profile by name.

    Raises:
        UsageError: If there is none, with the nearest names.
        ConfigError: If its file cannot be used.
    """
    return read_profile(profile_path(name))


def profile_path(name: str) -> Path:
    """Return the file of a profile.

    Raises:
        UsageError: If there is none, with the nearest names.
    """
    names = profile_names()
    if name not in names:
        raise UsageError(
            "there is no such robot profile and no such file", field="robot", value=name,
            expected=did_you_mean(name, names),
        )  # fmt: skip
    return resource_folder("robots") / f"{name}.yaml"
