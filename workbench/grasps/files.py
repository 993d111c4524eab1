"""A grasp file and its object's mesh, found by path or by the name of those that are shipped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.grasps.isaac_grasp import import_grasps_from_file
from workbench.grasps.objects import OBJECT_SUFFIXES, GraspObject, load_object
from workbench.grasps.shipped import shipped_grasps, shipped_names
from workbench.grasps.spec import GraspSpec


@dataclass(frozen=True, eq=False)
class GraspFiles:
    """What was read.

    Attributes:
        name: Name of the grasp file, without its folder.
        grasps: The grasps.
        mesh: The object; None where there is no file of it.
    """

    name: str
    grasps: GraspSpec
    mesh: GraspObject | None


def read_grasp_files(grasps: str | Path, mesh: str | Path | None = None) -> GraspFiles:
    """Read grasps, and the object that belongs to them.

    Args:
        grasps: Path of an isaac_grasp file, or the name of one that is shipped, such as ``mug``.
        mesh: Path of the object's mesh; by default the file that the grasps name, if it lies beside
            them.

    Raises:
        GraspError: If a file is refused.
    """
    path = Path(grasps).expanduser()
    if not path.exists() and str(grasps) in shipped_names():
        path = shipped_grasps(str(grasps)).grasps
    spec = import_grasps_from_file(path)
    mesh_path = _beside(path, spec) if mesh is None else Path(mesh).expanduser()
    if mesh_path is None:
        return GraspFiles(path.name, spec, None)
    # Where the grasps name another size of the object than its mesh has.
    read = load_object(mesh_path, name=str(mesh_path), scale=spec.object_scale)
    return GraspFiles(path.name, spec, read)


def _beside(path: Path, spec: GraspSpec) -> Path | None:
    """Return the mesh that a file names, where it lies in the same folder; never one elsewhere."""
    name = (spec.object_file or "").replace("\\", "/").rpartition("/")[2]
    candidate = path.parent / name
    is_mesh = Path(name).suffix.lower() in OBJECT_SUFFIXES
    return candidate if is_mesh and candidate.is_file() else None
