"""Numbers by axis or by joint: one control that opens into several, and folds back into one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import viser

from workbench.config.fields import FieldSpec
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.tasks_values_joints import JointNumbersValue
from workbench.config.tasks_values_space import AxisNumbersValue
from workbench.model.description import RobotDescription
from workbench.ui.markup import one_line
from workbench.ui.number_control import Absence, NumberControl, hint_text
from workbench.ui.panels.spec_place import FieldPlace
from workbench.ui.widgets import Choice, add_button, button_row, dropdown, on_click

_FEW_PARTS = 3
_JOINT_BY_JOINT = "joint by joint"


@dataclass(frozen=True, eq=False)
class Parts:
    """How a value falls into numbers.

    Attributes:
        kind: What a part is, in a word.
        names: All parts that there can be, in order.
        join: Makes a value of numbers by part, in order.
        split: Returns a value's numbers by part; None for a single number.
        spec_of: How one part is shown.
        single: Whether one number may stand for all parts.
        partial: Whether parts may be left out.
    """

    kind: str
    names: tuple[str, ...]
    join: Callable[[Mapping[str, float]], Any]
    split: Callable[[Any], Mapping[str, float] | None]
    spec_of: Callable[[str], FieldSpec]
    single: bool
    partial: bool


def axis_parts(value: AxisNumbersValue, spec: FieldSpec) -> Parts:
    """Return how numbers by axis fall apart."""
    return Parts(
        kind="axis",
        names=value.axes,
        join=lambda numbers: tuple(numbers[axis] for axis in value.axes),
        split=lambda found: (
            dict(zip(value.axes, found, strict=True)) if isinstance(found, tuple) else None
        ),
        spec_of=lambda _axis: spec,
        single=True,
        partial=False,
    )


def joint_parts(value: JointNumbersValue, spec: FieldSpec, description: RobotDescription) -> Parts:
    """Return how numbers by joint fall apart."""
    names = description.joint_names

    def in_order(numbers: Mapping[str, float]) -> dict[str, float]:
        return {name: numbers[name] for name in names if name in numbers}

    return Parts(
        kind="joint",
        names=names,
        join=in_order,
        split=lambda found: in_order(found) if isinstance(found, Mapping) else None,
        spec_of=lambda joint: _joint_spec(spec, joint, description),
        single=value.scalar,
        partial=not value.complete,
    )


def _joint_spec(spec: FieldSpec, name: str, description: RobotDescription) -> FieldSpec:
    """Return how one joint's number is shown; a position's slider goes between its limits."""
    if spec.slider is not None:
        return spec
    joint = description.joint(name)
    low = -math.pi if joint.lower is None else joint.lower
    high = math.pi if joint.upper is None else joint.upper
    return replace(spec, slider=(low, high), unit=joint.unit)


class PartNumbers:
    """One number, or one for each part."""

    def __init__(self, place: FieldPlace, parts: Parts, value: Any) -> None:
        """Add the control where the gui's context is."""
        self._place = place
        self._parts = parts
        self._box = place.tools.gui.add_folder(None)
        self._built: viser.GuiFolderHandle | None = None
        self._shape: tuple[str, ...] | None = None
        self._controls: dict[str, NumberControl] = {}
        self._single: NumberControl | None = None
        self._build(value, parts.split(value), expanded=len(parts.names) <= _FEW_PARTS)

    @property
    def box(self) -> viser.GuiFolderHandle:
        """What holds all of it."""
        return self._box

    def show(self, value: Any, config: PinkKinematicsConfig | None = None) -> None:
        """Show a value; what it falls into is built anew where that is something else."""
        del config  # nothing is left to it
        numbers = self._parts.split(value)
        shape = None if numbers is None else tuple(numbers)
        if shape != self._shape:
            self._build(value, numbers, expanded=True)
            return
        if numbers is None:
            if self._single is not None:
                self._single.show(value, self._default(value))
            return
        for name, number in numbers.items():
            self._controls[name].show(number, self._default(number))

    def close(self) -> None:
        """Forget what was typed."""
        for control in self._controls.values():
            control.close()
        if self._single is not None:
            self._single.close()

    def _build(self, value: Any, numbers: Mapping[str, float] | None, *, expanded: bool) -> None:
        self.close()
        self._controls, self._single = {}, None
        if self._built is not None:
            self._built.remove()
        gui, label = self._place.tools.gui, one_line(self._place.label)
        self._shape = None if numbers is None else tuple(numbers)
        with self._box:
            self._built = (
                gui.add_folder(None)
                if numbers is None
                else gui.add_folder(label, expand_by_default=expanded)
            )
        with self._built:
            if numbers is None:
                self._build_single(value)
            else:
                self._build_parts(numbers)

    def _build_single(self, value: float) -> None:
        place, kind = self._place, self._parts.kind
        self._single = NumberControl(
            place.tools, place.label, place.item.spec, place.ask,
            value=value, default=self._default(value),
        )  # fmt: skip
        with button_row(place.tools):
            button = add_button(
                place.tools.gui, f"{place.label} per {kind}",
                f"Opens {place.label} into a number for each {kind}.",
                icon=viser.Icon.ARROWS_SPLIT, color="gray",
            )  # fmt: skip
        on_click(place.tools, button, f"{place.label} stays one number", self._open)

    def _build_parts(self, numbers: Mapping[str, float]) -> None:
        place, parts = self._place, self._parts
        for name, number in numbers.items():
            absence = Absence("", partial(self._leave_out, name)) if parts.partial else None
            self._controls[name] = NumberControl(
                place.tools, name, parts.spec_of(name), partial(self._set_part, name),
                value=number, default=self._default(number), absence=absence,
            )  # fmt: skip
        missing = tuple(name for name in parts.names if name not in numbers)
        if parts.partial and missing:
            self._add_chooser(missing)
        if parts.single:
            with button_row(place.tools):
                button = add_button(
                    place.tools.gui, "as one",
                    f"Folds {place.label} back into one number: the largest of these.",
                    icon=viser.Icon.ARROWS_JOIN, color="gray",
                )  # fmt: skip
            on_click(place.tools, button, f"{place.label} stays open", self._fold)

    def _add_chooser(self, missing: tuple[str, ...]) -> None:
        place, kind = self._place, self._parts.kind
        chosen = [missing[0]]

        def choose(name: str) -> None:
            chosen[0] = name
            chooser.show(name)

        chooser: Choice[str] = dropdown(
            place.tools, f"another {kind}",
            f"A {kind} that is not named yet. Emptying a number takes its {kind} out again.",
            choose, missing[0], options=missing,
        )  # fmt: skip
        with button_row(place.tools):
            button = add_button(
                place.tools.gui, f"Add {kind}", f"Names the {kind} chosen above as well.",
                icon=viser.Icon.PLUS, color="gray",
            )  # fmt: skip
        on_click(place.tools, button, f"No {kind} was added", lambda: self._set_new_part(chosen[0]))

    def _default(self, number: float) -> float:
        """Return where the way back leads: a number's own value where there is no default."""
        default = self._place.item.default
        return default if isinstance(default, float) else number

    def _numbers(self, value: Any) -> dict[str, float]:
        numbers = self._parts.split(value)
        if numbers is None:
            return {name: value for name in self._parts.names}
        return dict(numbers)

    def _open(self) -> None:
        self._place.change(lambda value: self._parts.join(self._numbers(value)), None)

    def _fold(self) -> None:
        self._place.change(lambda value: max(self._numbers(value).values()), None)

    def _set_part(self, name: str, number: float, gesture: str | None) -> None:
        def change(value: Any) -> Any:
            return self._parts.join({**self._numbers(value), name: number})

        self._place.change(change, gesture)

    def _set_new_part(self, name: str) -> None:
        def change(value: Any) -> Any:
            numbers = self._numbers(value)
            like = next(iter(numbers.values()), 0.0)
            return self._parts.join({**numbers, name: numbers.get(name, like)})

        self._place.change(change, None)

    def _leave_out(self, name: str) -> None:
        def change(value: Any) -> Any:
            numbers = self._numbers(value)
            numbers.pop(name, None)
            return self._parts.join(numbers)

        self._place.change(change, None)


class WordOrJoints:
    """A word that stands for positions that the robot knows, or a number for each joint."""

    def __init__(self, place: FieldPlace, kind: JointNumbersValue, value: Any) -> None:
        """Add the control where the gui's context is."""
        self._place = place
        self._parts = joint_parts(kind, place.item.spec, place.description)
        words = tuple(word for word, _ in kind.words)
        meanings = "; ".join(f"{word}: {meaning}" for word, meaning in kind.words)
        self._word: Choice[str] = dropdown(
            place.tools, place.label, f"{hint_text(place.item.spec)} {meanings}.",
            self._choose, _word_of(value), options=(*words, _JOINT_BY_JOINT),
        )  # fmt: skip
        with button_row(place.tools):
            take = add_button(
                place.tools.gui, "Take the present pose",
                "Makes the posture that the robot has now the target.",
                icon=viser.Icon.CAMERA, color="gray",
            )  # fmt: skip
        on_click(place.tools, take, f"{place.label} stays", place.take_present)
        self._place_of_joints = place.tools.gui.add_folder(None)
        self._joints: PartNumbers | None = None
        self._show_joints(value)

    def show(self, value: Any, config: PinkKinematicsConfig) -> None:
        """Show a value."""
        del config
        self._word.show(_word_of(value))
        self._show_joints(value)

    def close(self) -> None:
        """Forget what was typed."""
        if self._joints is not None:
            self._joints.close()

    def _show_joints(self, value: Any) -> None:
        if isinstance(value, Mapping):
            if self._joints is None:
                with self._place_of_joints:
                    self._joints = PartNumbers(self._place, self._parts, value)
            self._joints.show(value)
        if self._joints is not None:
            self._joints.box.visible = isinstance(value, Mapping)

    def _choose(self, word: str) -> None:
        if word == _JOINT_BY_JOINT:
            self._place.take_present()
        else:
            self._place.ask(word)


def _word_of(value: Any) -> str:
    return value if isinstance(value, str) else _JOINT_BY_JOINT
