"""Draws a robot: shapes, frames and names on nodes that are nested along the kinematic tree.

A joint that turned is one orientation in its parent node, and everything behind it follows. The
nodes' short names matter: see :mod:`workbench.ui.node_tree`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import viser
from numpy.typing import NDArray

from workbench.model.description import RobotDescription, Shape
from workbench.ui.colours import COLLISION_RGB, MISSING_MESH_RGB, Rgb
from workbench.ui.drawn_shapes import DrawnShape, draw_shape
from workbench.ui.floor import Floor
from workbench.ui.markup import one_line
from workbench.ui.moving_nodes import Moves, MovingNodes

_COLLISION_OPACITY = 0.45
_FRAME_SHARE_OF_SIZE = 0.1
_MISSING_FRAME_SHARE_OF_SIZE = 0.04
_NAME_LENGTH_LIMIT = 60
_SAME_PLACE_DECIMALS = 4
_ANCHORS = ("top-left", "bottom-right", "bottom-left", "top-right")
"""Neighbours along the arm have their names on different sides, where they overlap less."""


@dataclass(frozen=True)
class SceneOptions:
    """What of the robot is shown, the same for every browser.

    Attributes:
        visual: Whether visual meshes are shown.
        collision: Whether collision meshes are shown.
        frames: Whether each link's frame is shown.
        names: Whether each link's name is shown.
        transparency: Of the visual meshes, 0 (as the robot's file says) to 1 (invisible).
        grid: Whether the floor's grid is shown.
        dark: Whether the page is dark.
    """

    visual: bool = True
    collision: bool = False
    frames: bool = False
    names: bool = False
    transparency: float = 0.0
    grid: bool = True
    dark: bool = False


class SceneView:
    """One robot in the scene of a server. Used by one thread at a time."""

    def __init__(
        self,
        server: viser.ViserServer,
        description: RobotDescription,
        placements: NDArray[np.float64],
        *,
        epoch: int,
        options: SceneOptions | None = None,
    ) -> None:
        """Draw the robot, hidden until :meth:`show`.

        Args:
            server: The server whose clients shall see it.
            description: The robot.
            placements: Each link's placement in its parent, as
                :meth:`workbench.live.bundle.Picture.local_placements` returns them.
            epoch: Number of the robot; the first part of every name.
            options: What to show.
        """
        self.epoch = epoch
        self.description = description
        self.options = options or SceneOptions()
        self._scene = server.scene
        self._nodes = MovingNodes(self._scene, description.links, placements, f"/r{epoch}")
        self._mounts = self._nodes.mounts
        self._visuals = [
            self._draw(shape, f"v{number}", self._opacity(shape))
            for number, shape in enumerate(description.visuals)
        ]
        self._missing = [
            self._add_missing(link.name, f"m{number}")
            for number, link in enumerate(description.links)
            if link.missing_files
        ]
        self._collisions: list[DrawnShape] | None = None
        self._frames: list[viser.FrameHandle] | None = None
        self._labels: list[viser.LabelHandle] | None = None
        self._outlines = self._outlines_of_nodes()
        self.floor_z = min(0.0, float(self.bounds()[0][2]))
        self._floor = Floor(
            self._scene,
            f"/floor{epoch}",
            size_m=description.size_m,
            z_m=self.floor_z,
            dark=self.options.dark,
        )
        self._apply_visibility()

    # What moves ------------------------------------------------------------------------------

    def moves(self, placements: NDArray[np.float64]) -> Moves | None:
        """Return what moved since the last :meth:`send`, None for nothing.

        Args:
            placements: As for the constructor.
        """
        return self._nodes.moves(placements)

    def send(self, moves: Moves) -> None:
        """Tell the pages what moved: one message for each joint, within ``server.atomic()``."""
        self._nodes.send(moves)

    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return lower and upper corner of a box around the robot in the world, in m, (3,) each."""
        transforms = self._nodes.transforms_to_world()
        points = np.concatenate(
            [transforms[index].act(outline) for index, outline in self._outlines.items()]
        )
        return points.min(axis=0), points.max(axis=0)

    # What is shown ---------------------------------------------------------------------------

    def show(self) -> None:
        """Make the robot visible, complete as it is."""
        self._nodes.visible = True
        self._floor.visible = self.options.grid

    def remove(self) -> None:
        """Take every node of this robot out of the scene."""
        self._nodes.remove()
        self._floor.remove()

    def apply(self, options: SceneOptions) -> None:
        """Show what the options say; builds collision meshes, frames and names when first shown."""
        old, self.options = self.options, options
        if options.transparency != old.transparency:
            for drawn in self._visuals:
                drawn.set_opacity(self._opacity(drawn.shape))
        self._apply_visibility()
        if options.dark != old.dark:
            self._floor.set_dark(options.dark)
        if options.grid != old.grid:
            self._floor.visible = options.grid

    def _opacity(self, shape: Shape) -> float:
        return shape.rgba[3] * (1.0 - self.options.transparency)

    def _apply_visibility(self) -> None:
        options = self.options
        if options.collision and self._collisions is None:
            self._collisions = [
                self._draw(shape, f"c{number}", _COLLISION_OPACITY, COLLISION_RGB)
                for number, shape in enumerate(self.description.collisions)
            ]
        if options.frames and self._frames is None:
            self._frames = [
                self._add_frame(link, f"f{number}") for number, link in enumerate(self._mounts)
            ]
        if options.names and self._labels is None:
            self._labels = [
                self._add_label(links, number)
                for number, links in enumerate(self._links_by_place().values())
            ]
        for drawn in self._visuals:
            drawn.set_visible(options.visual)
        for frame in self._missing:
            frame.visible = options.visual
        for drawn in self._collisions or ():
            drawn.set_visible(options.collision)
        for frame in self._frames or ():
            frame.visible = options.frames
        for label in self._labels or ():
            label.visible = options.names

    # Nodes -----------------------------------------------------------------------------------

    def _draw(
        self, shape: Shape, short_name: str, opacity: float, rgb: Rgb | None = None
    ) -> DrawnShape:
        mount = self._mounts[shape.link]
        return draw_shape(
            self._scene,
            f"{mount.name}/{short_name}",
            shape,
            mount.transform_link_to_node @ shape.pose,
            opacity=opacity,
            rgb=rgb,
        )

    def _add_missing(self, link: str, short_name: str) -> viser.FrameHandle:
        return self._add_axes(link, short_name, _MISSING_FRAME_SHARE_OF_SIZE, MISSING_MESH_RGB)

    def _add_frame(self, link: str, short_name: str) -> viser.FrameHandle:
        return self._add_axes(link, short_name, _FRAME_SHARE_OF_SIZE, (255, 255, 255))

    def _add_axes(
        self, link: str, short_name: str, share_of_size: float, origin_rgb: Rgb
    ) -> viser.FrameHandle:
        mount = self._mounts[link]
        length_m = share_of_size * self.description.size_m
        return self._scene.add_frame(
            f"{mount.name}/{short_name}",
            axes_length=length_m,
            axes_radius=0.05 * length_m,
            origin_color=origin_rgb,
            wxyz=mount.transform_link_to_node.wxyz,
            position=mount.transform_link_to_node.translation,
        )

    def _links_by_place(self) -> Mapping[tuple[object, ...], list[str]]:
        """Return the links whose frames stay in the same place, which share one label."""
        places: dict[tuple[object, ...], list[str]] = {}
        for link, mount in self._mounts.items():
            translation = mount.transform_link_to_node.translation.round(_SAME_PLACE_DECIMALS)
            places.setdefault((mount.name, *translation.tolist()), []).append(link)
        return places

    def _add_label(self, links: list[str], number: int) -> viser.LabelHandle:
        mount = self._mounts[links[0]]
        return self._scene.add_label(
            f"{mount.name}/n{number}",
            one_line(", ".join(links), _NAME_LENGTH_LIMIT),
            position=mount.transform_link_to_node.translation,
            font_screen_scale=0.7,
            anchor=_ANCHORS[number % len(_ANCHORS)],
        )

    def _outlines_of_nodes(self) -> Mapping[int, NDArray[np.float64]]:
        """Return points that span what hangs on each node, in that node, by its index; (m, 3)."""
        points: dict[int, list[NDArray[np.float64]]] = {}
        for shape in self.description.visuals:
            if len(shape.vertices):
                mount = self._mounts[shape.link]
                pose = mount.transform_link_to_node @ shape.pose
                points.setdefault(mount.index, []).append(pose.act(_box_corners(shape.vertices)))
        if not points:
            for mount in self._mounts.values():
                origin = mount.transform_link_to_node.translation[None, :]
                points.setdefault(mount.index, []).append(origin)
        return {index: np.concatenate(parts) for index, parts in points.items()}


def _box_corners(vertices: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the eight corners of the box around points, shape (8, 3)."""
    lower, upper = vertices.min(axis=0), vertices.max(axis=0)
    return np.array([[x, y, z] for x in (lower[0], upper[0]) for y in (lower[1], upper[1])
                     for z in (lower[2], upper[2])], dtype=np.float64)  # fmt: skip
