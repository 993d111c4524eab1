"""The grasps that come with the workbench: one isaac_grasp file each, with its object's mesh."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.errors import UsageError, did_you_mean
from workbench.resources import resource_folder


@dataclass(frozen=True)
class ShippedGrasps:
    """Two files that belong together.

    Attributes:
        name: Name to choose them by.
        grasps: The isaac_grasp file.
        mesh: The object's mesh.
    """

    name: str
    grasps: Path
    mesh: Path


def shipped_names() -> tuple[str, ...]:
    """Return the names of all, sorted."""
    return tuple(sorted(path.stem for path in resource_folder("grasps").glob("*.yaml")))


def shipped_grasps(name: str) -> ShippedGrasps:
    """Return the files of that name.

    Raises:
        UsageError: If there are none.
    """
    known = shipped_names()
    if name not in known:
        raise UsageError("there are no such grasps", value=name, expected=did_you_mean(name, known))
    folder = resource_folder("grasps")
    return ShippedGrasps(name, folder / f"{name}.yaml", folder / f"{name}.obj")
