"""The looks of a robot: every ``<visual>`` or ``<collision>`` of a URDF as triangles.

A look that cannot be drawn never keeps a robot from loading. It is listed, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from xml.etree.ElementTree import Element

from workbench.errors import RobotError
from workbench.model import primitives
from workbench.model.collada import UpAxis
from workbench.model.description import Primitive, Remark, Shape
from workbench.model.links import numbers, origin_pose
from workbench.model.mesh_part import MeshPart, Rgba, average_colour, clipped_rgba
from workbench.model.meshes import Mesh, MeshFiles

ShapeKind = Literal["visual", "collision"]

_NO_SCALE = (1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class LoadedShapes:
    """What of a robot's looks could be loaded.

    Attributes:
        shapes: In the order of the file; several for a mesh with several colours.
        missing: Mesh files that are missing or unreadable, as the URDF names them, by link.
        remarks: One for each file that is missing, unreadable or thinned out, and for each
            element that makes no sense.
    """

    shapes: tuple[Shape, ...]
    missing: Mapping[str, tuple[str, ...]]
    remarks: tuple[Remark, ...]


def load_shapes(
    robot_element: Element,
    kind: ShapeKind,
    resolve: Callable[[str], Path],
    *,
    mesh_up_axis: UpAxis = "z",
    meshes: MeshFiles | None = None,
    progress: Callable[[float, str], None] | None = None,
) -> LoadedShapes:
    """Load the visual or collision shapes of all links.

    Args:
        robot_element: The ``<robot>`` element.
        kind: Which of the two.
        resolve: Returns the file that a mesh or texture name of the URDF means; raises RobotError
            for one that is missing.
        mesh_up_axis: ``y`` turns COLLADA files that say ``Y_UP``; ignored when ``meshes`` is given.
        meshes: Files that were read already: give both loads the same one when visual and
            collision share files.
        progress: Called with the share done, in [0, 1], and the link's name.
    """
    loader = _Loader(robot_element, resolve, meshes or MeshFiles(mesh_up_axis))
    jobs = [
        (link.get("name", ""), index, element)
        for link in robot_element.findall("link")
        for index, element in enumerate(link.findall(kind))
    ]
    for number, (link, index, element) in enumerate(jobs):
        if progress is not None:
            progress(number / len(jobs), link)
        loader.load(link, element, index)
    missing = {link: tuple(dict.fromkeys(files)) for link, files in loader.missing.items()}
    return LoadedShapes(tuple(loader.shapes), missing, tuple(loader.remarks.values()))


class _Loader:
    def __init__(
        self, robot_element: Element, resolve: Callable[[str], Path], meshes: MeshFiles
    ) -> None:
        self._resolve = resolve
        self._meshes = meshes
        self._named_colours: dict[str, Rgba] = {}
        self.shapes: list[Shape] = []
        self.missing: dict[str, list[str]] = {}
        self.remarks: dict[tuple[str, str], Remark] = {}
        # A material may be defined anywhere and used by name before that; the first one counts.
        for material in robot_element.iter("material"):
            colour = self._colour_in(material)
            if colour is not None:
                self._named_colours.setdefault(material.get("name", ""), colour)

    def load(self, link: str, element: Element, index: int) -> None:
        """Load one ``<visual>`` or ``<collision>``, the index-th of its link."""
        mesh = element.find("geometry/mesh")
        primitive = None
        try:
            pose = origin_pose(element)
            if mesh is None:
                primitive, parts = self._primitive(element)
            else:
                parts = self._mesh(link, mesh)
        except ValueError as error:
            self._remark("bad_shape", link, f"A <{element.tag}> of {link} is not drawn: {error}.")
            return
        fallback = self._material_of(element)
        for part in parts:
            rgba = part.rgba or fallback
            shape = Shape(
                link, pose, part.vertices, part.faces, vertex_colors=part.vertex_colors,
                primitive=primitive, element=index,
            )  # fmt: skip
            self.shapes.append(shape if rgba is None else replace(shape, rgba=rgba))

    def _primitive(self, element: Element) -> tuple[Primitive, tuple[MeshPart, ...]]:
        geometry = element.find("geometry")
        child = None if geometry is None else next(iter(geometry), None)
        if child is None:
            raise ValueError("it has no geometry")
        if child.tag == "box":
            primitive = Primitive("box", _sizes(child, "size", 3))
            vertices, faces = primitives.box(primitive.sizes)
        elif child.tag == "sphere":
            primitive = Primitive("sphere", _sizes(child, "radius"))
            vertices, faces = primitives.sphere(*primitive.sizes)
        elif child.tag == "cylinder":
            sizes = (*_sizes(child, "radius"), *_sizes(child, "length"))
            primitive = Primitive("cylinder", sizes)
            vertices, faces = primitives.cylinder(*sizes)
        elif child.tag == "capsule":
            sizes = (*_sizes(child, "radius"), *_sizes(child, "length"))
            primitive = Primitive("capsule", sizes)
            vertices, faces = primitives.capsule(*sizes)
        else:
            raise ValueError(f"a <{child.tag}> is no shape of a URDF")
        vertices.setflags(write=False)
        faces.setflags(write=False)
        return primitive, (MeshPart(vertices, faces),)

    def _mesh(self, link: str, element: Element) -> tuple[MeshPart, ...]:
        name = element.get("filename", "").strip()
        if not name:
            raise ValueError("its mesh names no file")
        scale = numbers(element.get("scale"), 3, _NO_SCALE)
        if not all(abs(factor) < float("inf") and factor != 0.0 for factor in scale):
            raise ValueError(f"its mesh has a scale of {element.get('scale')!r}")
        try:
            path = self._resolve(name)
        except RobotError as error:
            self._leave_out("missing_mesh", link, name, error)
            return ()
        try:
            mesh = self._meshes.load(path, scale)
        except RobotError as error:
            self._leave_out("broken_mesh", link, name, error)
            return ()
        self._say_if_thinned(name, mesh)
        return mesh.parts

    def _leave_out(self, code: str, link: str, name: str, error: RobotError) -> None:
        self.missing.setdefault(link, []).append(name)
        self._remark(code, name, f"{link} is drawn without {name}: {error}.", severity="warning")

    def _say_if_thinned(self, name: str, mesh: Mesh) -> None:
        if mesh.face_count < mesh.faces_in_file > self._meshes.face_limit:
            self._remark(
                "thinned_mesh", name,
                f"{name} has {mesh.faces_in_file} faces and is drawn with {mesh.face_count}.",
            )  # fmt: skip

    def _remark(
        self, code: str, subject: str, text: str, severity: Literal["info", "warning"] = "info"
    ) -> None:
        self.remarks.setdefault((code, subject), Remark(code, text, severity, subject))

    def _material_of(self, element: Element) -> Rgba | None:
        material = element.find("material")
        if material is None:
            return None
        return self._colour_in(material) or self._named_colours.get(material.get("name", ""))

    def _colour_in(self, material: Element) -> Rgba | None:
        """Return a material's own colour, its texture's mean, or None."""
        colour = material.find("color")
        texture = material.find("texture")
        try:
            if texture is not None and texture.get("filename"):
                mean = average_colour(self._resolve(texture.get("filename", "")))
                if mean is not None:
                    return mean
            if colour is not None:
                red, green, blue, alpha = numbers(colour.get("rgba"), 4, (0.7, 0.7, 0.7, 1.0))
                return clipped_rgba(red, green, blue, alpha)
        except (RobotError, ValueError):
            return None
        return None


def _sizes(element: Element, attribute: str, count: int = 1) -> tuple[float, ...]:
    """Return positive sizes in m.

    Raises:
        ValueError: If there are none, or one is not positive and finite.
    """
    values = numbers(element.get(attribute), count, ())
    if len(values) != count or not all(0.0 < value < float("inf") for value in values):
        raise ValueError(f"a <{element.tag}> has a {attribute} of {element.get(attribute)!r}")
    return values
