"""Make grasps: add one where the gripper is now; rate, rename, mirror and delete others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import viser

from workbench.errors import ConfigError, GraspError, WorkbenchError
from workbench.grasps.grasp import Axis, Grasp
from workbench.grasps.gripper import FingerJoint, match_fingers
from workbench.live.bundle import Gripper
from workbench.live.grasp_edits import (
    add_grasp,
    delete_grasp,
    mirror_grasp,
    rename_grasp,
    set_confidence,
)
from workbench.live.grasp_fingers import with_followers
from workbench.live.grasping import GraspState, GraspView, grasps_of
from workbench.live.state import SessionState
from workbench.ui.markup import one_line
from workbench.ui.numbers import parse_number
from workbench.ui.panels.context import PanelContext
from workbench.ui.typed_text import TypedForm, TypedText
from workbench.ui.widgets import add_button, button_row, dropdown, on_click

Moment = Literal["held", "open"]

_AXES: Mapping[str, Axis] = {"x of the object": "x", "y of the object": "y", "z of the object": "z"}
_NAME_LENGTH_LIMIT = 24


class GraspAuthor:
    """Two folders: what is added next, and what becomes of the selected grasp."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        tools, gui = context.tools, context.tools.gui
        self._confidence, self._axis = 1.0, next(iter(_AXES))
        self._gripper_of: tuple[int, str | None] | None = None
        self._gripper: Gripper | None = None
        self._positions: dict[Moment, dict[str, float]] = {"held": {}, "open": {}}
        self._fields: dict[tuple[Moment, str], TypedText] = {}
        self._finger_forms: list[TypedForm] = []
        with gui.add_folder("Add a grasp", expand_by_default=False):
            self._form = TypedForm(tools)
            with self._form:
                self._new_confidence = self._form.add(
                    "confidence", "Quality of the grasp that is added, from 0 to 1.", "1",
                    self._set_new_confidence,
                )  # fmt: skip
            self._place = gui.add_folder(None)
            self._finger_folder: viser.GuiFolderHandle | None = None
            self._add = add_button(
                gui, "Add grasp", "Adds a grasp where the robot's gripper is now, in the object's "
                "frame, with the fingers as above.", icon=viser.Icon.PLUS,
            )  # fmt: skip
        self._folder = gui.add_folder("Change the selected grasp", expand_by_default=False)
        with self._folder:
            self._selected_form = TypedForm(tools)
            with self._selected_form:
                self._name = self._selected_form.add(
                    "name", "Another name for the selected grasp.", "", self._rename
                )
                self._rating = self._selected_form.add(
                    "its confidence", "Its quality, from 0 to 1.", "", self._rate
                )
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
        on_click(tools, self._add, "No grasp was added", self._add_grasp)
        on_click(tools, mirror, "No grasp was added", self._mirror)
        on_click(tools, delete, "It stays", self._delete)

    def show(self, state: SessionState, view: GraspView, states: Mapping[str, GraspState]) -> None:
        """Show the fingers of the present gripper and the selected grasp."""
        scene = state.settings.grasp_scene
        assert scene is not None
        if (state.epoch, scene.gripper_frame) != self._gripper_of:
            self._gripper_of = (state.epoch, scene.gripper_frame)
            self._find_gripper(state, scene.gripper_frame)
        self._add.disabled = scene.gripper_frame is None
        selected = view.selected if view.selected in states else None
        self._folder.visible = selected is not None
        if selected is not None:
            grasp = grasps_of(scene)[selected]
            self._name.show(one_line(selected))
            self._rating.show(f"{grasp.effective_confidence:.6g}")

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        for form in (self._form, self._selected_form, *self._finger_forms):
            form.close()

    # Fingers ---------------------------------------------------------------------------------

    def _find_gripper(self, state: SessionState, frame: str | None) -> None:
        """Offer a field a finger, for the grasp and for before it."""
        cut_out = state.bundle.gripper
        self._gripper = None
        if frame is not None and cut_out is not None:
            try:
                self._gripper = cut_out(frame)
            except WorkbenchError as error:
                self._context.tools.notices.failed("The gripper is not known", str(error))
        for form in self._finger_forms:
            form.close()
        if self._finger_folder is not None:
            self._finger_folder.remove()
        self._finger_forms, self._fields = [], {}
        leaders = [] if self._gripper is None else [
            finger for finger in self._gripper.fingers if finger.leader is None
        ]  # fmt: skip
        rest = {finger.name: finger.clamped(0.0) for finger in leaders}
        self._positions = {"held": dict(rest), "open": dict(rest)}
        scene = state.settings.grasp_scene
        if self._gripper is not None and scene is not None and len(scene.grasps):
            grasps = grasps_of(scene)
            self._take(grasps[grasps.ranking[0]])
        gui = self._context.tools.gui
        with self._place:
            self._finger_folder = gui.add_folder(None)
        self._place.visible = bool(leaders)
        with self._finger_folder:
            for finger in leaders:
                form = TypedForm(self._context.tools)
                self._finger_forms.append(form)
                with form:
                    self._add_field(form, finger, "held")
                    self._add_field(form, finger, "open")
            if leaders:
                take = add_button(
                    gui, "Fingers of the selected grasp", "Takes over both positions of every "
                    "finger from the selected grasp.", icon=viser.Icon.COPY, color="gray",
                )  # fmt: skip
                on_click(self._context.tools, take, "They stay", self._take_fingers)

    def _add_field(self, form: TypedForm, finger: FingerJoint, moment: Moment) -> None:
        label = f"{one_line(finger.name, _NAME_LENGTH_LIMIT)} {moment}"
        when = "when the object is held" if moment == "held" else "before the grasp"
        room = "" if finger.lower is None or finger.upper is None else (
            f" From {finger.lower:g} to {finger.upper:g}."
        )  # fmt: skip
        self._fields[moment, finger.name] = form.add(
            label, f"Where this finger joint is {when}, in rad or m.{room}",
            f"{self._positions[moment][finger.name]:g}",
            lambda text: self._set_finger(finger, moment, text),
        )  # fmt: skip

    def _set_finger(self, finger: FingerJoint, moment: Moment, text: str) -> str:
        value = parse_number(text)
        if finger.clamped(value) != value:
            raise ConfigError(
                "is outside the joint's limits", field=finger.name, value=value,
                expected=f"a number in [{finger.lower:g}, {finger.upper:g}]",
            )  # fmt: skip
        self._positions[moment][finger.name] = value
        self._show_fingers(moment)
        return f"{value:g}"

    def _show_fingers(self, moment: Moment) -> None:
        """Move the robot's own fingers to what was just set, where nobody solves for them."""
        if self._gripper is None:
            return
        solved_for = self._context.session.state.description.joint_names
        positions = with_followers(self._positions[moment], self._gripper.fingers)
        self._context.grasping.set_fingers(
            {name: at for name, at in positions.items() if name not in solved_for}
        )

    def _take_fingers(self) -> None:
        name, scene = self._selected(), self._context.session.state.settings.grasp_scene
        assert scene is not None and self._gripper is not None
        grasp = grasps_of(scene)[name]
        self._take(grasp)
        for (moment, finger), field in self._fields.items():
            field.show(f"{self._positions[moment][finger]:g}")
        self._show_fingers("held")

    def _take(self, grasp: Grasp) -> None:
        """Take a grasp's fingers as the next ones, as far as the gripper has them."""
        assert self._gripper is not None
        moments: tuple[tuple[Moment, Mapping[str, float]], ...] = (
            ("open", grasp.pregrasp_cspace_position),
            ("held", grasp.cspace_position),
        )
        for moment, written in moments:
            found = match_fingers(written, self._gripper.fingers).positions
            positions = self._positions[moment]
            positions.update({name: at for name, at in found.items() if name in positions})

    # Edits -----------------------------------------------------------------------------------

    def _selected(self) -> str:
        name = self._context.grasping.view.selected
        if name is None:
            raise GraspError("no grasp is selected")
        return name

    def _set_new_confidence(self, text: str) -> str:
        value = parse_number(text)
        if not 0.0 <= value <= 1.0:
            raise ConfigError("is no confidence", value=value, expected="a number from 0 to 1")
        self._confidence = value
        return f"{value:g}"

    def _add_grasp(self) -> None:
        for form in self._finger_forms:
            form.settle()
        self._form.settle()
        name = add_grasp(
            self._context.session, self._context.grasping, confidence=self._confidence,
            cspace_position=self._positions["held"],
            pregrasp_cspace_position=self._positions["open"],
        )  # fmt: skip
        self._context.tools.notices.done(f"{name} was added")

    def _rename(self, text: str) -> str:
        name = self._selected()
        if text != one_line(name):
            rename_grasp(self._context.session, self._context.grasping, name, text)
        return text

    def _rate(self, text: str) -> str:
        value = parse_number(text)
        set_confidence(self._context.session, self._selected(), value)
        return f"{value:.6g}"

    def _set_axis(self, axis: str) -> None:
        self._axis = axis
        self._axes.show(axis)

    def _mirror(self) -> None:
        mirror_grasp(
            self._context.session, self._context.grasping, self._selected(), _AXES[self._axis]
        )

    def _delete(self) -> None:
        delete_grasp(self._context.session, self._context.grasping, self._selected())
