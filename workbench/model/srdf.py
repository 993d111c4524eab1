"""Reads an SRDF: named postures of the robot, and pairs of links that may never collide."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.model.xml_file import XmlFile, parse_xml, read_file

HOME_STATES = ("home", "ready", "default", "half_sitting", "standing", "rest")
"""Names of the group state that serves as home where the profile says nothing, best first."""


@dataclass(frozen=True)
class DisabledPair:
    """Two links that an SRDF takes out of collision checking.

    Attributes:
        link_a: Name of one link, as the SRDF has it.
        link_b: Name of the other.
        reason: The SRDF's own word for why, such as ``Adjacent`` or ``Never``; may be empty.
        line: Where it says so, counted from 1.
    """

    link_a: str
    link_b: str
    reason: str
    line: int | None


def read_disabled_pairs(path: Path) -> tuple[DisabledPair, ...]:
    """Return every ``<disable_collisions>`` of an SRDF, in the order of the file.

    Names are not compared with the URDF's.

    Raises:
        RobotError: If the file is no SRDF, or a pair does not name two links; with path and line.
    """
    file = _read_srdf(path)
    pairs = []
    for element in file.root.findall("disable_collisions"):
        first, second = element.get("link1", "").strip(), element.get("link2", "").strip()
        if not first or not second:
            raise file.error(
                "names no two links", element, field="disable_collisions",
                value=" ".join(f'{key}="{value}"' for key, value in element.items()) or None,
                expected="the attributes link1 and link2",
            )  # fmt: skip
        pairs.append(
            DisabledPair(first, second, element.get("reason", "").strip(), file.line_of(element))
        )
    return tuple(pairs)


def read_group_states(path: Path) -> dict[str, dict[str, float]]:
    """Return joint positions (rad or m, by joint name) of each ``<group_state>``, by its name.

    States of the same name, for several groups, are joined. Joints that need more than one number
    (a floating base) are left out. Names are not compared with the URDF's: published SRDFs name
    joints that their URDFs do not have.

    Raises:
        RobotError: If the file is no SRDF, or a position is no number; with path, line and name.
    """
    file = _read_srdf(path)
    states: dict[str, dict[str, float]] = {}
    for state in file.root.findall("group_state"):
        positions = states.setdefault(state.get("name", ""), {})
        for element in state.findall("joint"):
            name, words = element.get("name", ""), (element.get("value") or "").split()
            if len(words) > 1:
                continue
            number = _number(words)
            if not math.isfinite(number):
                raise file.error(
                    "has no usable position", element,
                    field=f"group_state {state.get('name')}, joint {name}",
                    value=element.get("value"), expected="a finite number of rad or m",
                )  # fmt: skip
            positions[name] = number
    return states


def home_state(
    states: Mapping[str, Mapping[str, float]],
) -> tuple[str, Mapping[str, float]] | None:
    """Return name and positions of the state that serves as home, None where there is none."""
    return next(((name, states[name]) for name in HOME_STATES if name in states), None)


def _read_srdf(path: Path) -> XmlFile:
    file = parse_xml(read_file(path, "SRDF"), path, "SRDF")
    if file.root.tag != "robot":
        raise file.error(
            f"is no SRDF: its root element is <{file.root.tag}>", file.root, expected="<robot>"
        )
    link = file.root.find("link")
    if link is not None:
        raise file.error("is a URDF, not an SRDF: it has a <link>", link)
    return file


def _number(words: list[str]) -> float:
    try:
        return float(words[0]) if words else math.nan
    except ValueError:
        return math.nan
