"""One difference between two settings, and how its values are written."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.config.number_text import number_text


@dataclass(frozen=True)
class Change:
    """One setting that differs from its start value, for the list of changes.

    Attributes:
        field: ``kinematics.gain``, ``rate_hz``, ``targets.FRAME``, ``enabled.FRAME``, ``home``,
            ``held_joints.JOINT``, ``velocity_caps.JOINT``, ...
        label: As the page shows it.
        start: Value at the start of the session, as text.
        now: Present value, as text.
        phrase: The change as the name of an undo step: ``gain 0.5 to 0.3``, ``move tool0``.
    """

    field: str
    label: str
    start: str
    now: str
    phrase: str = ""


def value_text(value: object) -> str:
    """Return a setting's value as the page shows it: numbers as its fields do."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return number_text(value) if isinstance(value, int | float) else str(value)


def change_of(field: str, label: str, start: str, now: str) -> Change:
    """Return a change that is named by both of its values, such as "rate 100 to 200 Hz"."""
    # The unit once is enough in a name: "rate 100 to 200 Hz".
    number, _, unit = start.partition(" ")
    first = number if unit and now.endswith(f" {unit}") else start
    return Change(field, label, start, now, f"{label} {first} to {now}")
