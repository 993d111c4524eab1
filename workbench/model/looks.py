"""Loads a robot's visual and collision shapes, and says what of them is missing or odd."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workbench.config.profile import MeshUpAxis
from workbench.model.description import Remark, Shape
from workbench.model.extent import oversize_remark, oversized_links
from workbench.model.meshes import MeshFiles
from workbench.model.packages import FileFinder, MeshPathError
from workbench.model.shapes import LoadedShapes, ShapeKind, load_shapes
from workbench.model.urdf import Urdf

Progress = Callable[[float, str], None]


@dataclass(frozen=True, eq=False)
class Looks:
    """What can be drawn of a robot.

    Attributes:
        visuals: Visual shapes.
        collisions: Collision shapes.
        missing: Mesh files that were not found, as the URDF names them, by link.
        oversized: Links whose visual shapes are too large to be true.
        remarks: What there is to say about all that.
    """

    visuals: tuple[Shape, ...]
    collisions: tuple[Shape, ...]
    missing: Mapping[str, tuple[str, ...]]
    oversized: frozenset[str]
    remarks: tuple[Remark, ...]


def load_looks(
    urdf: Urdf, files: FileFinder, mesh_up_axis: MeshUpAxis, progress: Progress
) -> Looks:
    """Load everything that can be drawn; what cannot is remarked upon.

    Args:
        urdf: The robot.
        files: Finds its meshes.
        mesh_up_axis: ``y`` when COLLADA files mean what their ``<up_axis>`` says.
        progress: Called with the share done, in [0, 1], and what is being done.

    Raises:
        RobotError: If a path leaves its package, with its line.
    """
    _refuse_escapes(urdf, files)
    meshes = MeshFiles(mesh_up_axis)

    def load(kind: ShapeKind, start: float, share: float) -> LoadedShapes:
        return load_shapes(
            urdf.element,
            kind,
            files.resolve,
            meshes=meshes,
            progress=lambda part, link: progress(start + share * part, f"{kind} shapes of {link}"),
        )

    visual, collision = load("visual", 0.0, 0.7), load("collision", 0.7, 0.3)
    missing = {
        link: tuple(dict.fromkeys(visual.missing.get(link, ()) + collision.missing.get(link, ())))
        for link in (*visual.missing, *collision.missing)
    }
    sizes = oversized_links(urdf, visual.shapes)
    remarks = list(dict.fromkeys([*visual.remarks, *collision.remarks]))
    if sizes:
        remarks.append(oversize_remark(sizes))
    if files.substitutes:
        remarks.append(_substitutes_remark(files))
    return Looks(visual.shapes, collision.shapes, missing, frozenset(sizes), tuple(remarks))


def _refuse_escapes(urdf: Urdf, files: FileFinder) -> None:
    for element in urdf.element.iter():
        name = element.get("filename")
        if element.tag not in ("mesh", "texture") or not name:
            continue
        try:
            files.refuse_escape(name)
        except MeshPathError as error:
            raise urdf.file.error(
                error.message, element, field=element.tag, value=name, expected=error.expected
            ) from error


def _substitutes_remark(files: FileFinder) -> Remark:
    name, path = next(iter(files.substitutes.items()))
    count = len(files.substitutes)
    subject = "1 mesh file is" if count == 1 else f"{count} mesh files are"
    return Remark(
        "mesh_found_elsewhere",
        f"{subject} not where the URDF says, and found by the end of the path: {name} at {path}.",
        "info",
        name,
    )
