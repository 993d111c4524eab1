"""Which of a robot's frames and joints a grasp file means.

A file names its gripper frame by a path in a simulator's scene, and finger joints by the names of
the model that it was made with. Only the last segment of the path has a chance to be a link's name.
What does not fit is never guessed: it is said, with what there is to choose from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.config.frozen import frozen_mapping
from workbench.errors import nearest

_TOOL_NAME = re.compile(
    r"hand|gripper|palm|tcp|tool|flange|grasp|ee_|_ee$|effector|base_link", re.I
)
_LIMITS_TOLERANCE = 1e-6
_FOLLOWER_TOLERANCE = 1e-3


@dataclass(frozen=True)
class FrameMatch:
    """What became of the name of a gripper frame.

    Attributes:
        written: The name in the file, None where it has none.
        frame: The link that is meant; None where somebody must choose.
        candidates: Links to choose from, most likely first.
        text: The same in one sentence.
    """

    written: str | None
    frame: str | None
    candidates: tuple[str, ...]
    text: str


def match_frame(
    written: str | None, frames: Sequence[str], tool_frames: Sequence[str] = ()
) -> FrameMatch:
    """Find the link that a file's gripper frame is.

    Args:
        written: The frame as the file names it: a link, or a path that ends in one.
        frames: Names of the robot's links.
        tool_frames: Those that are tool frames, the first choice where nothing fits.
    """
    likely = dict.fromkeys(name for name in tool_frames if name in frames)
    likely |= dict.fromkeys(name for name in frames if _TOOL_NAME.search(name))
    if written is None:
        return FrameMatch(
            None, None, _with_the_rest(likely, frames),
            "The file names no gripper frame: choose the link that its poses are of.",
        )  # fmt: skip
    last = last_segment(written)
    if last in frames:
        return FrameMatch(written, last, (last,), f"The gripper frame is {last}.")
    same = [name for name in frames if _letters(name) == _letters(last)]
    if len(same) == 1:
        return FrameMatch(
            written, same[0], (same[0],),
            f"The gripper frame is {same[0]}, which the file spells {last}.",
        )  # fmt: skip
    similar = dict.fromkeys([*same, *nearest(last, frames)])
    return FrameMatch(
        written, None, _with_the_rest(similar | likely, frames),
        f"No link is called {last}: choose the one that the file's {written} is.",
    )  # fmt: skip


def last_segment(path: str) -> str:
    """Return the last segment of a frame's path: ``/World/Panda/panda_hand`` is panda_hand."""
    return re.split(r"[/:]+", path.rstrip("/: "))[-1].strip()


@dataclass(frozen=True)
class FingerJoint:
    """A joint of a gripper.

    Attributes:
        name: Name in the URDF.
        lower: Lower limit, rad or m; None where there is none.
        upper: Upper limit, rad or m; None where there is none.
        leader: Name of the joint that it follows; None for one that moves by itself.
        multiplier: ``position = multiplier * leader + offset``.
        offset: In rad or m.
    """

    name: str
    lower: float | None
    upper: float | None
    leader: str | None = None
    multiplier: float = 1.0
    offset: float = 0.0

    def clamped(self, position: float) -> float:
        """Return a position inside the limits."""
        if self.lower is not None:
            position = max(position, self.lower)
        return position if self.upper is None else min(position, self.upper)


@dataclass(frozen=True)
class FingerMatch:
    """What became of a grasp's finger positions.

    Attributes:
        positions: Position of each joint that moves by itself and that the grasp speaks of, by
            name, rad or m, inside the limits.
        unknown: Names that the gripper does not have.
        silent: Joints that move by themselves and that the grasp does not mention.
        remarks: Sentences about what does not fit.
    """

    positions: Mapping[str, float]
    unknown: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    remarks: tuple[str, ...] = field(default=())


def match_fingers(written: Mapping[str, float], fingers: Iterable[FingerJoint]) -> FingerMatch:
    """Find the gripper's joints that a grasp's finger positions are of.

    A follower counts where its leader is not given, and is checked against it where it is.

    Args:
        written: Finger positions of the grasp, by the file's names, rad or m.
        fingers: The gripper's joints.
    """
    known = {finger.name: finger for finger in fingers}
    leaders = [finger.name for finger in known.values() if finger.leader is None]
    remarks: list[str] = []
    asked = {name: written[name] for name in leaders if name in written}
    for name, value in written.items():
        finger = known.get(name)
        if finger is None or finger.leader is None:
            continue
        if finger.leader not in asked:
            if finger.multiplier != 0.0:
                asked[finger.leader] = (value - finger.offset) / finger.multiplier
            continue
        follows = finger.multiplier * asked[finger.leader] + finger.offset
        if abs(follows - value) > _FOLLOWER_TOLERANCE:
            remarks.append(
                f"{name} follows {finger.leader} and will be at {follows:.4g} rather than "
                f"{value:.4g}."
            )
    positions = {}
    for name, value in asked.items():
        positions[name] = known[name].clamped(value) if name in known else value
        if abs(positions[name] - value) > _LIMITS_TOLERANCE:
            remarks.append(f"{name} stops at its limit {positions[name]:.4g} before {value:.4g}.")
    unknown = tuple(name for name in written if name not in known)
    if unknown:
        there = f"its joints are {', '.join(leaders)}" if leaders else "it has no joints"
        remarks.append(f"The gripper has no joint {', '.join(unknown)}: {there}.")
    silent = tuple(name for name in leaders if name not in asked)
    return FingerMatch(frozen_mapping(positions), unknown, silent, tuple(remarks))


def _with_the_rest(first: Mapping[str, None], frames: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*first, *frames]))


def _letters(name: str) -> str:
    """Return a name as simulators rewrite it: without case and punctuation."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())
