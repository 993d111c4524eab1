"""Small URDFs that tests write themselves: two or three links, one peculiarity each."""

from __future__ import annotations

from pathlib import Path

LIMIT = '<limit lower="-1" upper="1" effort="10" velocity="2"/>'


def joint(
    name: str,
    kind: str = "revolute",
    parent: str = "base",
    child: str = "arm",
    *,
    inside: str = LIMIT,
    axis: str = "0 0 1",
    xyz: str = "0 0 0.1",
    rpy: str = "0 0 0",
) -> str:
    """Return a ``<joint>``; ``inside`` holds its ``<limit>`` and ``<mimic>``."""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>{inside}</joint>'
    )


def limit(lower: object = -1, upper: object = 1, velocity: object = 2) -> str:
    """Return a ``<limit>``; None leaves an attribute out."""
    values = {"lower": lower, "upper": upper, "velocity": velocity, "effort": 10}
    written = (f'{key}="{value}"' for key, value in values.items() if value is not None)
    return f"<limit {' '.join(written)}/>"


def mimic(leader: str, multiplier: float = 1.0, offset: float = 0.0) -> str:
    """Return a ``<mimic>``."""
    return f'<mimic joint="{leader}" multiplier="{multiplier}" offset="{offset}"/>'


def robot(*parts: str, links: str = "base arm", name: str = "inline") -> str:
    """Return a URDF with the named links and whatever parts are given."""
    link_text = "".join(f'<link name="{link}"/>' for link in links.split())
    return f'<robot name="{name}">{link_text}{"".join(parts)}</robot>'


def write_urdf(folder: Path, text: str, name: str = "inline.urdf") -> str:
    """Write a URDF into a folder and return its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


CHAIN = robot(
    joint("shoulder", parent="base", child="upper"),
    joint("elbow", parent="upper", child="lower", axis="0 1 0"),
    joint("wrist", "continuous", parent="lower", child="hand", inside="", axis="1 0 0"),
    links="base upper lower hand",
)
"""Two revolute joints and a continuous one."""

GRIPPER = robot(
    joint("shoulder", parent="base", child="upper"),
    joint("lift", "prismatic", parent="upper", child="palm", inside=limit(0, 0.4, 0.5)),
    joint("jaw", "prismatic", parent="palm", child="left", inside=limit(0, 0.04), axis="0 1 0"),
    joint("opposite", "prismatic", parent="palm", child="right",
          inside=limit(0, 0.04) + mimic("jaw", -1.0, 0.01), axis="0 1 0"),
    links="base upper palm left right",
)  # fmt: skip
"""A jaw and its follower at the end of a revolute and a prismatic joint."""

SIX_AXIS_ARM = robot(
    joint("yaw", parent="base", child="column", inside=limit(-3, 3)),
    joint("shoulder", parent="column", child="upper", axis="0 1 0", inside=limit(-2, 2)),
    joint("elbow", parent="upper", child="fore", axis="0 1 0", xyz="0 0 0.4", inside=limit(-2, 2)),
    joint("roll", parent="fore", child="wrist", xyz="0 0 0.2", inside=limit(-3, 3)),
    joint("pitch", parent="wrist", child="hand", axis="0 1 0", xyz="0 0 0.2", inside=limit(-2, 2)),
    joint("twist", "continuous", parent="hand", child="tool", inside=limit(velocity=2)),
    links="base column upper fore wrist hand tool",
    name="six_axis_arm",
)
"""An arm that can take any pose near ``BENT``: five limited joints and a continuous one."""

BENT = {"shoulder": 0.4, "elbow": 0.9, "pitch": 0.8}
"""A start of the six-axis arm that is not singular."""
