"""One triangle mesh in the scene: a single colour, or a colour at every vertex."""

from __future__ import annotations

import io
from typing import Protocol

import numpy as np
import trimesh
import viser
from trimesh.visual import TextureVisuals
from trimesh.visual.material import PBRMaterial

from workbench.model.description import Shape
from workbench.poses import Pose
from workbench.ui.colours import Rgb

OPAQUE = 0.999
"""From here on a mesh is drawn without blending, which sorts wrongly and costs time."""


class DrawnShape(Protocol):
    """A shape that is in the scene."""

    shape: Shape

    def set_visible(self, visible: bool) -> None:
        """Show or hide it."""
        ...

    def set_opacity(self, opacity: float) -> None:
        """Let the scene behind it shine through: 1 is solid, 0 invisible."""
        ...


def draw_shape(
    scene: viser.SceneApi,
    name: str,
    shape: Shape,
    transform_shape_to_node: Pose,
    *,
    opacity: float,
    rgb: Rgb | None = None,
    visible: bool = True,
) -> DrawnShape:
    """Draw a shape.

    Args:
        scene: Where to.
        name: Name of the mesh's node, its parent's name included.
        shape: What to draw.
        transform_shape_to_node: Pose of the shape in its parent node.
        opacity: 1 is solid, 0 invisible.
        rgb: Colour in 0 .. 255 to draw it in instead of its own.
        visible: Whether it is seen at once.
    """
    if shape.vertex_colors is not None and rgb is None:
        return _ColouredShape(
            scene, name, shape, transform_shape_to_node, opacity=opacity, visible=visible
        )
    return _PlainShape(
        scene, name, shape, transform_shape_to_node, opacity=opacity, visible=visible, rgb=rgb
    )


class _PlainShape:
    """A mesh of one colour."""

    def __init__(
        self,
        scene: viser.SceneApi,
        name: str,
        shape: Shape,
        pose: Pose,
        *,
        opacity: float,
        visible: bool,
        rgb: Rgb | None,
    ) -> None:
        self.shape = shape
        self._mesh = scene.add_mesh_simple(
            name,
            shape.vertices,
            shape.faces,
            color=rgb or _rgb(shape.rgba),
            opacity=_blended(opacity),
            # Many robots' meshes have triangles that face inwards.
            side="double",
            wxyz=pose.wxyz,
            position=pose.translation,
            visible=visible,
        )

    def set_visible(self, visible: bool) -> None:
        self._mesh.visible = visible

    def set_opacity(self, opacity: float) -> None:
        self._mesh.opacity = _blended(opacity)


class _ColouredShape:
    """A mesh with a colour at every vertex.

    The page reads such colours from a glTF file only, which has no opacity of its own: the file
    is made again when that changes.
    """

    def __init__(
        self,
        scene: viser.SceneApi,
        name: str,
        shape: Shape,
        pose: Pose,
        *,
        opacity: float,
        visible: bool,
    ) -> None:
        self.shape = shape
        self._scene = scene
        self._name = name
        self._pose = pose
        self._opacity = opacity
        self._node = self._add(visible)

    def _add(self, visible: bool) -> viser.GlbHandle:
        return self._scene.add_glb(
            self._name,
            glb_of_coloured_shape(self.shape, self._opacity),
            wxyz=self._pose.wxyz,
            position=self._pose.translation,
            visible=visible,
        )

    def set_visible(self, visible: bool) -> None:
        self._node.visible = visible

    def set_opacity(self, opacity: float) -> None:
        if opacity != self._opacity:
            self._opacity = opacity
            self._node = self._add(self._node.visible)


def glb_of_coloured_shape(shape: Shape, opacity: float) -> bytes:
    """Return a binary glTF file of a shape with a colour at every vertex.

    Args:
        shape: A shape whose ``vertex_colors`` is not None.
        opacity: 1 is solid, 0 invisible.
    """
    assert shape.vertex_colors is not None
    blended = _blended(opacity)
    alpha_byte = 255 if blended is None else round(255 * blended)
    alpha = np.full((len(shape.vertex_colors), 1), alpha_byte, dtype=np.uint8)
    material = PBRMaterial(
        baseColorFactor=[255, 255, 255, 255],
        metallicFactor=0.0,
        roughnessFactor=0.8,
        doubleSided=True,
        alphaMode="OPAQUE" if blended is None else "BLEND",
    )
    visual = TextureVisuals(material=material)
    visual.vertex_attributes["color"] = np.hstack([shape.vertex_colors, alpha])
    mesh = trimesh.Trimesh(shape.vertices, shape.faces, visual=visual, process=False)
    with io.BytesIO() as buffer:
        mesh.export(buffer, file_type="glb")
        return buffer.getvalue()


def _blended(opacity: float) -> float | None:
    return None if opacity >= OPAQUE else max(0.0, opacity)


def _rgb(rgba: tuple[float, float, float, float]) -> Rgb:
    red, green, blue = (round(255 * min(1.0, max(0.0, channel))) for channel in rgba[:3])
    return red, green, blue
