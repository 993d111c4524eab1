"""A pose as six numbers that can be typed, in the units that the page shows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from workbench.poses import Pose
from workbench.ui.numbers import parse_number
from workbench.ui.typed_text import TypedForm, TypedText
from workbench.ui.widgets import WidgetTools

_POSITION_LABELS = ("x", "y", "z")
_ANGLE_LABELS = ("roll", "pitch", "yaw")


@dataclass(frozen=True)
class DisplayUnit:
    """A unit in which numbers are shown and typed.

    Attributes:
        name: As it is shown.
        per_si: How many of it are one metre, or one radian.
        decimals: Digits shown after the point.
    """

    name: str
    per_si: float
    decimals: int

    def text(self, value_si: float) -> str:
        """Return a value in m or rad as text in this unit."""
        shown = round(value_si * self.per_si, self.decimals)
        return f"{shown + 0.0:.{self.decimals}f}"

    def parse(self, text: str) -> float:
        """Read a typed number as m or rad; raises ConfigError."""
        return parse_number(text) / self.per_si


LENGTH_UNITS = {unit.name: unit for unit in (DisplayUnit("m", 1, 4), DisplayUnit("mm", 1e3, 1))}
ANGLE_UNITS = {
    unit.name: unit
    for unit in (DisplayUnit("degrees", 180 / math.pi, 2), DisplayUnit("radians", 1, 4))
}


class PoseFields:
    """Two lines of three fields: position, and fixed-axis roll, pitch, yaw."""

    def __init__(
        self,
        tools: WidgetTools,
        pose: Pose,
        units: Callable[[], tuple[DisplayUnit, DisplayUnit]],
        set_pose: Callable[[Pose], None],
        hints: tuple[str, str] | None = None,
    ) -> None:
        """Add the fields where the gui's context is.

        Args:
            tools: The fields' tools.
            pose: Pose in force.
            units: Units of length and angle in which numbers are shown and typed.
            set_pose: Asks for another pose; raises a WorkbenchError to refuse.
            hints: Help of positions and of angles; None where it is a target in the world.
        """
        self._pose = pose
        self._units = units
        self._set_pose = set_pose
        self._forms = (TypedForm(tools), TypedForm(tools))
        self._fields: list[TypedText] = []
        for form, labels in zip(self._forms, (_POSITION_LABELS, _ANGLE_LABELS), strict=True):
            with form:
                for label in labels:
                    index = len(self._fields)
                    hint = (hints or _HINTS)[0 if form is self._forms[0] else 1]
                    text = self._texts()[index]
                    self._fields.append(form.add(label, hint, text, partial(self._typed, index)))

    def show(self, pose: Pose) -> None:
        """Show the pose in force, in the units of now."""
        self._pose = pose
        for field, text in zip(self._fields, self._texts(), strict=True):
            field.show(text)

    def close(self) -> None:
        """Forget what was typed: the fields go away."""
        for form in self._forms:
            form.close()

    def _texts(self) -> list[str]:
        length, angle = self._units()
        return [length.text(value) for value in self._pose.translation.tolist()] + [
            angle.text(value) for value in self._pose.rpy.tolist()
        ]

    def _typed(self, index: int, text: str) -> str:
        # What is shown is rounded: typing the same again must not move anything.
        shown = self._texts()[index]
        if text != shown:
            length, angle = self._units()
            value = (length if index < 3 else angle).parse(text)
            numbers = np.concatenate([self._pose.translation, self._pose.rpy])
            numbers[index] = value
            pose = (
                Pose(numbers[:3], self._pose.wxyz)
                if index < 3
                else Pose.from_xyz_rpy(numbers[:3], numbers[3:])
            )
            self._set_pose(pose)
            self._pose = pose
        return self._texts()[index]


_HINTS = (
    "Position of the target in the world.",
    "Orientation of the target in the world: turned by roll about x, then by pitch about y, then "
    "by yaw about z, all axes of the world.",
)
