"""Which link of the robot a file's gripper frame is, and how the two lie to each other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from workbench.live.grasp_edits import frame_match, set_in_scene
from workbench.live.grasping import GraspState, GraspView
from workbench.live.state import SessionState
from workbench.poses import Pose, wxyz_from_rotation_vector
from workbench.ui.markup import plain
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.pose_fields import ANGLE_UNITS, LENGTH_UNITS, DisplayUnit, PoseFields
from workbench.ui.widgets import dropdown

_NOBODY_KNOWS = "choose …"
_OTHER = "other"
_DEPTH_M = 0.1034
"""From a Panda's hand to between its fingertips, a common other choice of gripper frame."""


def _turned(axis: int, degrees: float) -> Pose:
    vector = [0.0, 0.0, 0.0]
    vector[axis] = math.radians(degrees)
    return Pose(wxyz=wxyz_from_rotation_vector(vector))


PRESETS: Final[Mapping[str, Pose]] = {
    "the same frame": Pose(),
    "turned 90° about z": _turned(2, 90.0),
    "turned -90° about z": _turned(2, -90.0),
    "turned 180° about z": _turned(2, 180.0),
    "turned 180° about x": _turned(0, 180.0),
    "x of the file is the approach": _turned(1, 90.0),
    "between the fingertips": Pose((0.0, 0.0, -_DEPTH_M)),  # pyright: ignore[reportArgumentType]
}
"""The robot's link in the file's gripper frame, for the differences that are met in practice."""

_HINTS = (
    "Position of the robot's link in the file's gripper frame.",
    "Orientation of the robot's link in the file's gripper frame: turned by roll about x, then by "
    "pitch about y, then by yaw about z, all axes of the file's frame.",
)


class GraspFrame:
    """The chooser of the link, presets of the offset, and the offset in numbers."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        tools, gui = context.tools, context.tools.gui
        self._text = gui.add_html("", visible=False)
        self._link = dropdown(
            tools, "gripper link", "The robot's link that the file's gripper frame is.",
            self._choose, _NOBODY_KNOWS, options=(_NOBODY_KNOWS,),
        )  # fmt: skip
        with gui.add_folder("Gripper offset", expand_by_default=False):
            self._preset = dropdown(
                tools, "gripper offset", "How the robot's link lies in the file's gripper frame. A "
                "wrong one is the most common reason why nothing is reached.",
                self._choose_preset, next(iter(PRESETS)), options=(*PRESETS, _OTHER),
            )  # fmt: skip
            gui.add_html(block('<span class="dim">in m and degrees</span>'))
            self._pose = PoseFields(tools, Pose(), _units, self._set_offset, _HINTS)

    def show(self, state: SessionState, view: GraspView, states: Mapping[str, GraspState]) -> None:
        """Show what is in force, and ask where nobody knows."""
        del view, states
        scene = state.settings.grasp_scene
        assert scene is not None
        match = frame_match(scene, state.description)
        links = tuple(dict.fromkeys([*match.candidates, *state.description.frames]))
        if scene.gripper_frame is None:
            links = (_NOBODY_KNOWS, *links)
        self._link.offer(links, scene.gripper_frame or _NOBODY_KNOWS)
        self._text.visible = scene.gripper_frame is None
        if scene.gripper_frame is None:
            self._text.content = block(f'<span class="fair">▲</span> {plain(match.text)}')
        offset = scene.transform_frame_to_gripper
        preset = next((name for name, pose in PRESETS.items() if pose.is_close(offset)), _OTHER)
        self._preset.show(preset)
        self._pose.show(offset)

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        self._pose.close()

    def _choose(self, link: str) -> None:
        if link != _NOBODY_KNOWS:
            set_in_scene(self._context.session, gripper_frame=link)

    def _choose_preset(self, name: str) -> None:
        if name in PRESETS:
            self._set_offset(PRESETS[name])
        else:
            self.show_now()

    def _set_offset(self, offset: Pose) -> None:
        set_in_scene(self._context.session, transform_frame_to_gripper=offset)

    def show_now(self) -> None:
        """Show what is in force again: "other" is nothing that could be chosen."""
        state = self._context.session.state
        if state.settings.grasp_scene is not None:
            self.show(state, self._context.grasping.view, {})


def _units() -> tuple[DisplayUnit, DisplayUnit]:
    return LENGTH_UNITS["m"], ANGLE_UNITS["degrees"]
