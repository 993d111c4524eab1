"""Reads an SRDF: named postures of the robot, one of which may be its home."""

from __future__ import annotations

import math
from pathlib import Path

from workbench.errors import did_you_mean
from workbench.model.urdf import Urdf
from workbench.model.xml_file import parse_xml, read_file

HOME_STATES = ("home", "ready", "default", "half_sitting", "standing", "rest")
"""Names of the group state that serves as home where the profile says nothing, best first."""


def read_group_states(path: Path, urdf: Urdf) -> dict[str, dict[str, float]]:
    """Return joint positions (rad or m, by joint name) of each ``<group_state>``, by its name.

    States of the same name, for several groups, are joined. Joints that need more than one number
    (a floating base) are left out.

    Raises:
        RobotError: If the file is no SRDF, or names a joint that the robot does not have or a
            position that is no number; with path, line and name.
    """
    file = parse_xml(read_file(path, "SRDF"), path, "SRDF")
    if file.root.tag != "robot":
        raise file.error(f"is no SRDF: its root element is <{file.root.tag}>", file.root,
                         expected="<robot>")  # fmt: skip
    if file.root.find("link") is not None:
        raise file.error("is a URDF, not an SRDF", file.root.find("link"))
    names = {joint.name for joint in urdf.joints}
    states: dict[str, dict[str, float]] = {}
    for state in file.root.findall("group_state"):
        positions = states.setdefault(state.get("name", ""), {})
        for element in state.findall("joint"):
            name, words = element.get("name", ""), (element.get("value") or "").split()
            if len(words) > 1 or name == "root_joint":
                continue
            field = f"group_state {state.get('name')}: joint {name}"
            if name not in names:
                raise file.error("there is no such joint in the URDF", element, field=field,
                                 expected=did_you_mean(name, names))  # fmt: skip
            try:
                number = float(words[0]) if words else math.nan
            except ValueError:
                number = math.nan
            if not math.isfinite(number):
                raise file.error("has no usable position", element, field=field,
                                 value=element.get("value"), expected="a number")  # fmt: skip
            positions[name] = number
    return states


def home_state(states: dict[str, dict[str, float]]) -> tuple[str, dict[str, float]] | None:
    """Return name and positions of the state that serves as home, None where there is none."""
    for name in HOME_STATES:
        if name in states:
            return name, states[name]
    return None
