"""Add a grasp where the gripper is now, with its fingers as they are or as one says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import viser

from workbench.errors import ConfigError, GraspError, WorkbenchError
from workbench.grasps.grasp import Grasp
from workbench.grasps.gripper import FingerJoint, match_fingers
from workbench.live.bundle import Gripper
from workbench.live.grasp_edits import add_grasp, fingers_now
from workbench.live.grasp_fingers import with_followers
from workbench.live.grasping import GraspState, GraspView, grasps_of
from workbench.live.state import SessionState
from workbench.ui.markup import one_line
from workbench.ui.numbers import parse_number
from workbench.ui.panels.context import PanelContext
from workbench.ui.typed_text import TypedForm, TypedText
from workbench.ui.widgets import add_button, button_row, on_click

Moment = Literal["held", "open"]

NOW: Final = "now"
"""Stands in a finger's field for where the robot's own finger is when the grasp is added."""

_NAME_LENGTH_LIMIT = 24


class GraspAuthor:
    """A folder: confidence, where each finger is when held and before, and the button."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        tools, gui = context.tools, context.tools.gui
        self._confidence = 1.0
        self._gripper_of: tuple[int, str | None] | None = None
        self._gripper: Gripper | None = None
        self._positions: dict[Moment, dict[str, float | None]] = {"held": {}, "open": {}}
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
        on_click(tools, self._add, "No grasp was added", self._add_grasp)

    def show(self, state: SessionState, view: GraspView, states: Mapping[str, GraspState]) -> None:
        """Show the fingers of the present gripper."""
        del view, states
        scene = state.settings.grasp_scene
        assert scene is not None
        if (state.epoch, scene.gripper_frame) != self._gripper_of:
            self._gripper_of = (state.epoch, scene.gripper_frame)
            self._find_gripper(state, scene.gripper_frame)
        self._add.disabled = scene.gripper_frame is None

    def close(self) -> None:
        """Drop what was typed and does not count yet."""
        for form in (self._form, *self._finger_forms):
            form.close()

    def fingers(self) -> tuple[Mapping[str, float], Mapping[str, float]]:
        """Return where the fingers of a grasp that is added now would be: held, and before."""
        for form in self._finger_forms:
            form.settle()
        now = fingers_now(self._context.session, self._context.grasping)
        held, before = (
            {name: now[name] if at is None else at for name, at in self._positions[moment].items()}
            for moment in ("held", "open")
        )
        return held, before

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
        self._positions = self._first_positions(state, leaders)
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
                self._add_buttons()

    def _first_positions(
        self, state: SessionState, leaders: list[FingerJoint]
    ) -> dict[Moment, dict[str, float | None]]:
        """Return fingers as in the best grasp, else as they are; those that can move: as now."""
        now = fingers_now(self._context.session, self._context.grasping) if leaders else {}
        positions: dict[Moment, dict[str, float | None]] = {"held": dict(now), "open": dict(now)}
        scene = state.settings.grasp_scene
        if leaders and scene is not None and len(scene.grasps):
            grasps = grasps_of(scene)
            self._take(grasps[grasps.ranking[0]], positions)
        for finger in leaders:
            if finger.name in state.description.joint_names:
                positions["held"][finger.name] = None
        return positions

    def _add_buttons(self) -> None:
        tools, gui = self._context.tools, self._context.tools.gui
        with button_row(tools):
            opened = add_button(
                gui, "Open as now", "Takes the fingers of the robot, as they are now, for before "
                "the grasp.", icon=viser.Icon.ARROWS_HORIZONTAL, color="gray",
            )  # fmt: skip
            take = add_button(
                gui, "As the selected", "Takes over both positions of every finger from the "
                "selected grasp.", icon=viser.Icon.COPY, color="gray",
            )  # fmt: skip
        on_click(tools, opened, "They stay", self._open_as_now)
        on_click(tools, take, "They stay", self._take_fingers)

    def _add_field(self, form: TypedForm, finger: FingerJoint, moment: Moment) -> None:
        label = f"{one_line(finger.name, _NAME_LENGTH_LIMIT)} {moment}"
        when = "when the object is held" if moment == "held" else "before the grasp"
        room = "" if finger.lower is None or finger.upper is None else (
            f" From {finger.lower:g} to {finger.upper:g}."
        )  # fmt: skip
        self._fields[moment, finger.name] = form.add(
            label, f"Where this finger joint is {when}, in rad or m; {NOW!r} is where the robot's "
            f"own is when the grasp is added.{room}",
            _text(self._positions[moment][finger.name]),
            lambda text: self._set_finger(finger, moment, text),
        )  # fmt: skip

    def _set_finger(self, finger: FingerJoint, moment: Moment, text: str) -> str:
        if text.casefold() == NOW:
            self._positions[moment][finger.name] = None
            return NOW
        value = parse_number(text)
        if finger.clamped(value) != value:
            raise ConfigError(
                "is outside the joint's limits", field=finger.name, value=value,
                expected=f"a number in [{finger.lower:g}, {finger.upper:g}], or {NOW}",
            )  # fmt: skip
        self._positions[moment][finger.name] = value
        self._show_fingers(moment)
        return _text(value)

    def _show_fingers(self, moment: Moment) -> None:
        """Move the robot's own fingers to what was just set, where nobody solves for them."""
        if self._gripper is None:
            return
        solved_for = self._context.session.state.description.joint_names
        said = {name: at for name, at in self._positions[moment].items() if at is not None}
        positions = with_followers(said, self._gripper.fingers)
        self._context.grasping.set_fingers(
            {name: at for name, at in positions.items() if name not in solved_for}
        )

    def _open_as_now(self) -> None:
        self._positions["open"].update(fingers_now(self._context.session, self._context.grasping))
        self._show_fields()

    def _take_fingers(self) -> None:
        name, scene = self._context.grasping.view.selected, self._context.session.state.settings
        if name is None or scene.grasp_scene is None:
            raise GraspError("no grasp is selected")
        self._take(grasps_of(scene.grasp_scene)[name], self._positions)
        self._show_fields()
        self._show_fingers("held")

    def _show_fields(self) -> None:
        for (moment, finger), field in self._fields.items():
            field.show(_text(self._positions[moment][finger]))

    def _take(self, grasp: Grasp, positions: dict[Moment, dict[str, float | None]]) -> None:
        """Take a grasp's fingers as the next ones, as far as the gripper has them."""
        assert self._gripper is not None
        moments: tuple[tuple[Moment, Mapping[str, float]], ...] = (
            ("open", grasp.pregrasp_cspace_position),
            ("held", grasp.cspace_position),
        )
        for moment, written in moments:
            found = match_fingers(written, self._gripper.fingers).positions
            known = positions[moment]
            known.update({name: at for name, at in found.items() if name in known})

    # The button ------------------------------------------------------------------------------

    def _set_new_confidence(self, text: str) -> str:
        value = parse_number(text)
        if not 0.0 <= value <= 1.0:
            raise ConfigError("is no confidence", value=value, expected="a number from 0 to 1")
        self._confidence = value
        return f"{value:g}"

    def _add_grasp(self) -> None:
        self._form.settle()
        held, before = self.fingers()
        name = add_grasp(
            self._context.session, self._context.grasping, confidence=self._confidence,
            cspace_position=held, pregrasp_cspace_position=before,
        )  # fmt: skip
        stored = [f"confidence {self._confidence:g}"]
        stored += [f"{finger} {at:.4g} held, {before[finger]:.4g} open"
                   for finger, at in held.items()]  # fmt: skip
        self._context.tools.notices.done(f"{name} was added", "; ".join(stored))


def _text(position: float | None) -> str:
    return NOW if position is None else f"{position:.6g}"
