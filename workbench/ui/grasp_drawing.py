"""Draws the object, its grasps as lines in the colour of their state, and the selected gripper.

Everything hangs on one node, which is where the object is: when the object moves, that node alone
is told. The lines' geometry is sent when the grasps change, their colours when a state does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import viser
from numpy.typing import ArrayLike, NDArray

from workbench.config.grasp_scene import GraspScene
from workbench.config.settings import Settings
from workbench.errors import WorkbenchError
from workbench.grasps.glyphs import (
    GlyphShape,
    Segments,
    glyph_colours,
    glyph_nearest_to_ray,
    glyph_segments,
)
from workbench.grasps.gripper import match_fingers
from workbench.grasps.objects import GraspObject
from workbench.live.bundle import Gripper
from workbench.live.grasp_fingers import finger_positions
from workbench.live.grasping import GraspState, GraspView, ReachCase, grasps_of, reach_case
from workbench.live.state import SessionState
from workbench.model.description import Shape
from workbench.poses import Pose
from workbench.ui.colours import GRASP_COLOURS, greyed, line_colours, state_colour
from workbench.ui.drawn_shapes import draw_shape
from workbench.ui.gripper_drawing import GripperDrawing

_ROOT = "/o"
_LINE_WIDTH_PX = 2.0
_OLD: frozenset[GraspState] = frozenset(("stale", "running"))
"""States in which a grasp keeps, greyed, the colour of what was found before."""

_PLAIN_RGBA = (0.72, 0.72, 0.76, 1.0)


@dataclass(frozen=True, eq=False)
class _Seen:
    """What was drawn last."""

    settings: Settings
    epoch: int
    case: ReachCase | None
    view: GraspView


class GraspDrawing:
    """What the scene shows of grasps. Used by the scene's thread, but for :meth:`hit`."""

    def __init__(self, server: viser.ViserServer) -> None:
        """Draw nothing yet."""
        self._server = server
        self._scene = server.scene
        self._root: viser.FrameHandle | None = None
        self._lines: viser.LineSegmentsHandle | None = None
        self._meshes = 0
        self._gripper_drawing: GripperDrawing | None = None
        self._gripper: Gripper | None = None
        self._gripper_of: tuple[int, str | None] | None = None
        self._shown: GraspScene | None = None
        self._seen: _Seen | None = None
        self._rgb: NDArray[np.uint8] | None = None
        self._pickable: tuple[Sequence[str], Segments, Pose] | None = None

    def refresh(self, state: SessionState, view: GraspView) -> bool:
        """Show the grasps in force; returns whether anything was sent."""
        settings, scene = state.settings, state.settings.grasp_scene
        seen = self._seen
        if seen is not None and settings is seen.settings and view is seen.view:
            if state.epoch == seen.epoch:
                return False
        # Settings, too, decide which results are old.
        case = reach_case(state)
        self._seen = _Seen(settings, state.epoch, case, view)
        if seen is not None and scene is seen.settings.grasp_scene and view is seen.view:
            if scene is None or (state.epoch, case) == (seen.epoch, seen.case):
                return False
        with self._server.atomic():
            if scene is None:
                self._remove()
            else:
                self._draw(state, scene, view)
        self._server.flush()
        return True

    def hit(self, origin: ArrayLike, direction: ArrayLike) -> str | None:
        """Return the grasp whose lines a ray in the world means; from any thread."""
        pickable = self._pickable
        if pickable is None:
            return None
        names, segments, transform_object_to_world = pickable
        to_object = transform_object_to_world.inverse()
        index = glyph_nearest_to_ray(
            segments, to_object.act(np.asarray(origin)), to_object.rotation @ np.asarray(direction)
        )
        return None if index is None else names[index]

    # Drawing ---------------------------------------------------------------------------------

    def _remove(self) -> None:
        if self._root is not None:
            self._root.remove()
        self._root = self._lines = self._gripper_drawing = None
        self._shown = self._pickable = self._rgb = None
        self._meshes = 0

    def _draw(self, state: SessionState, scene: GraspScene, view: GraspView) -> None:
        old, pose = self._shown, scene.transform_object_to_world
        if self._root is None:
            self._root = self._scene.add_frame(_ROOT, show_axes=False)
        if old is None or pose is not old.transform_object_to_world:
            self._root.position, self._root.wxyz = pose.translation, pose.wxyz
        if old is None or scene.mesh is not old.mesh:
            self._draw_mesh(scene.mesh)
        other_gripper = self._find_gripper(state, scene.gripper_frame)
        if (
            old is None
            or other_gripper
            or scene.grasps is not old.grasps
            or scene.transform_frame_to_gripper != old.transform_frame_to_gripper
        ):
            self._draw_lines(state, scene, view)
        else:
            self._recolour(state, view)
            assert self._pickable is not None
            self._pickable = (*self._pickable[:2], pose)
        self._shown = scene
        assert self._lines is not None
        self._lines.visible = view.shown and len(scene.grasps) > 0
        self._draw_selected(scene, view)

    def _draw_mesh(self, mesh: GraspObject | None) -> None:
        for number in range(self._meshes):
            self._scene.remove_by_name(f"{_ROOT}/m{number}")
        parts = () if mesh is None else mesh.parts
        for number, part in enumerate(parts):
            shape = Shape(
                "", Pose(), part.vertices, part.faces, part.rgba or _PLAIN_RGBA, part.vertex_colors
            )
            draw_shape(self._scene, f"{_ROOT}/m{number}", shape, Pose(), opacity=shape.rgba[3])
        self._meshes = len(parts)

    def _find_gripper(self, state: SessionState, frame: str | None) -> bool:
        """Cut the robot's gripper out; returns whether it is another one."""
        wanted = (state.epoch, frame)
        if wanted == self._gripper_of:
            return False
        self._gripper_of, self._gripper = wanted, None
        cut_out = state.bundle.gripper
        if frame is not None and cut_out is not None:
            try:
                self._gripper = cut_out(frame)
            except WorkbenchError:
                self._gripper = None  # its lines are those of a common gripper then
        if self._gripper_drawing is not None:
            self._gripper_drawing.remove()
            self._gripper_drawing = None
        return True

    def _draw_lines(self, state: SessionState, scene: GraspScene, view: GraspView) -> None:
        grasps, gripper = grasps_of(scene), self._gripper
        offset = scene.transform_frame_to_gripper
        positions, wxyz = grasps.positions, grasps.quaternions_wxyz
        if offset != Pose():
            poses = [grasp.pose @ offset for grasp in grasps]
            positions = np.array([pose.translation for pose in poses]).reshape(-1, 3)
            wxyz = np.array([pose.wxyz for pose in poses]).reshape(-1, 4)
        shape, openings = GlyphShape(), None
        if gripper is not None and len(grasps):
            fingers = [
                match_fingers(grasp.cspace_position, gripper.fingers).positions for grasp in grasps
            ]
            shape, openings = gripper.glyph_shape({}), gripper.half_openings(fingers)
        segments = glyph_segments(positions, wxyz, shape, openings)
        self._pickable = (
            grasps.get_grasp_names(), segments, scene.transform_object_to_world,
        )  # fmt: skip
        self._rgb = self._colours(state, view)
        # A page draws no line where there is none; one that has no length stands in.
        empty = np.zeros((1, 2, 3), dtype=np.float32)
        self._lines = self._scene.add_line_segments(
            f"{_ROOT}/g",
            segments if len(segments) else empty,
            line_colours(glyph_colours(self._rgb)) if len(segments) else empty.astype(np.uint8),
            thickness=_LINE_WIDTH_PX,
            thickness_units="screen",
        )

    def _recolour(self, state: SessionState, view: GraspView) -> None:
        rgb = self._colours(state, view)
        if self._lines is None or not len(rgb):
            return
        if self._rgb is not None and np.array_equal(rgb, self._rgb):
            return
        self._rgb = rgb
        self._lines.colors = line_colours(glyph_colours(rgb))

    def _colours(self, state: SessionState, view: GraspView) -> NDArray[np.uint8]:
        states, found = view.states(state), view.found
        rgb = np.array(
            [
                greyed(GRASP_COLOURS[found[name].result.state].rgb)
                if one in _OLD and name in found
                else GRASP_COLOURS[one].rgb
                for name, one in states.items()
            ],
            dtype=np.uint8,
        )
        if view.selected in states:
            rgb[list(states).index(view.selected)] = state_colour("selected").rgb
        return rgb.reshape(-1, 3)

    def _draw_selected(self, scene: GraspScene, view: GraspView) -> None:
        grasps, name = grasps_of(scene), view.selected
        if name is None or name not in grasps:
            if self._gripper_drawing is not None:
                self._gripper_drawing.hide()
            return
        if self._gripper_drawing is None:
            self._gripper_drawing = GripperDrawing(self._scene, f"{_ROOT}/s", self._gripper)
        grasp = grasps[name]
        fingers = {} if self._gripper is None else finger_positions(
            grasp, self._gripper.fingers, view.closed
        )  # fmt: skip
        self._gripper_drawing.show(grasp.pose, scene.transform_frame_to_gripper, fingers)
