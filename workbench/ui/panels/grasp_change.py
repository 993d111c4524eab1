"""What becomes of the selected grasp: another name, rating or place; a mirrored copy; none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import viser

from workbench.errors import GraspError
from workbench.grasps.grasp import Axis
from workbench.live.grasp_edits import (
    change_grasp,
    delete_grasp,
    mirror_grasp,
    move_grasp_here,
    rename_grasp,
)
from workbench.live.grasping import GraspState, GraspView, grasps_of
from workbench.live.state import SessionState
from workbench.poses import Pose
from workbench.ui.markup import one_line
from workbench.ui.numbers import parse_number
from workbench.ui.panels.context import PanelContext
from workbench.ui.pose_fields import ANGLE_UNITS, LENGTH_UNITS, DisplayUnit, PoseFields
from workbench.ui.typed_text import TypedForm
from workbench.ui.widgets import add_button, button_row, dropdown, on_click

_AXES: Final[Mapping[str, Axis]] = {
    "x of the object": "x", "y of the object": "y", "z of the object": "z",
}  # fmt: skip
_HINTS = (
    "Position of the gripper frame on the object, in the object's frame.",
    "Orientation of the gripper frame on the object: turned by roll about x, then by pitch about "
    "y, then by yaw about z, all axes of the object's frame.",
)


class GraspChange:
    """A folder about the selected grasp, hidden while none is selected."""

    def __init__(
        self, context: PanelContext, fingers: Callable[[], tuple[Mapping[str, float], ...]]
    ) -> None:
        """Add the controls where the gui's context is.

        Args:
            context: What they act on.
            fingers: Returns the finger positions that a grasp that is added now would have: when
                the object is held, and before that.
        """
        self._context = context
        self._fingers = fingers
        tools, gui = context.tools, context.tools.gui
        self._axis = next(iter(_AXES))
        self._folder = gui.add_folder("Change the selected grasp", expand_by_default=False)
        with self._folder:
            self._form = TypedForm(tools)
            with self._form:
                self._name = self._form.add(
                    "name", "Another name for the selected grasp.", "", self._rename
                )
                self._rating = self._form.add(
                    "its confidence", "Its quality, from 0 to 1.", "", self._rate
                )
            self._pose = PoseFields(tools, Pose(), _units, self._put, _HINTS)
            with button_row(tools):
                here = add_button(
                    gui, "Put here", "Puts the grasp where the robot's gripper is now.",
                    icon=viser.Icon.HAND_GRAB, color="gray",
                )  # fmt: skip
                take = add_button(
                    gui, "Fingers as above", "Gives the grasp the finger positions that a grasp "
                    "that is added now would have.", icon=viser.Icon.COPY, color="gray",
                )  # fmt: skip
            self._axes = dropdown(
                tools, "mirror about", "Axis of the object about which the copy is turned by half "
                "a turn.", self._set_axis, self._axis, options=tuple(_AXES),
            )  # fmt: skip
            with button_row(tools):
                mirror = add_button(
                    gui, "Add mirrored", "Adds a copy on the other side of the axis.",
                    icon=viser.Icon.FLIP_HORIZONTAL,
                )  # fmt: skip
                delete = add_button(
                    gui, "Delete", "Leaves the grasp out. Undo brings it back.",
                    icon=viser.Icon.TRASH, color="gray",
                )  # fmt: skip
        on_click(
            tools, here, "It stays", lambda: move_grasp_here(context.session, self._selected())
        )
        on_click(tools, take, "They stay", self._take_fingers)
        on_click(tools, mirror, "No grasp was added", self._mirror)
        on_click(tools, delete, "It stays", self._delete)

    def show(self, state: SessionState, view: GraspView, states: Mapping[str, GraspState]) -> None:
        """Show the selected grasp."""
        scene = state.settings.grasp_scene
        assert scene is not None
        selected = view.selected if view.selected in states else None
        self._folder.visible = selected is not None
        if selected is not None:
            grasp = grasps_of(scene)[selected]
            self._name.show(one_line(selected))
            self._rating.show(f"{grasp.effective_confidence:.6g}")
            self._pose.show(grasp.pose)

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        self._form.close()
        self._pose.close()

    def _selected(self) -> str:
        name = self._context.grasping.view.selected
        if name is None:
            raise GraspError("no grasp is selected")
        return name

    def _rename(self, text: str) -> str:
        name = self._selected()
        if text != one_line(name):
            rename_grasp(self._context.session, self._context.grasping, name, text)
        return text

    def _rate(self, text: str) -> str:
        value = parse_number(text)
        change_grasp(self._context.session, self._selected(), confidence=value)
        return f"{value:.6g}"

    def _put(self, pose: Pose) -> None:
        change_grasp(self._context.session, self._selected(), pose=pose)

    def _put_here(self) -> None:
        move_grasp_here(self._context.session, self._selected())

    def _take_fingers(self) -> None:
        held, before = self._fingers()
        change_grasp(
            self._context.session, self._selected(), cspace_position=held,
            pregrasp_cspace_position=before,
        )  # fmt: skip

    def _set_axis(self, axis: str) -> None:
        self._axis = axis
        self._axes.show(axis)

    def _mirror(self) -> None:
        mirror_grasp(
            self._context.session, self._context.grasping, self._selected(), _AXES[self._axis]
        )

    def _delete(self) -> None:
        delete_grasp(self._context.session, self._context.grasping, self._selected())


def _units() -> tuple[DisplayUnit, DisplayUnit]:
    return LENGTH_UNITS["m"], ANGLE_UNITS["degrees"]
