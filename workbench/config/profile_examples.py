"""Example sessions of a profile: the robot set up for what takes more than a few clicks.

A humanoid on its feet needs a floating base, free legs, feet that are held and a centre of mass
over them; an example writes that down once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.config.frozen import frozen_mapping
from workbench.config.limits import (
    BarrierSpec,
    LimitSpec,
    barriers_from_section,
    checked_limits,
    limits_from_section,
)
from workbench.config.sections import Section
from workbench.config.tasks import TaskSpec, tasks_from_section

_KEYS = (
    "name", "title", "floating_base", "free_joints", "home", "tasks", "limits", "barriers",
)  # fmt: skip


@dataclass(frozen=True)
class ProfileExample:
    """One example session.

    Attributes:
        name: Name on the command line.
        title: Name for people.
        floating_base: Whether the root link floats.
        free_joints: Joints that the profile holds and that are free here.
        home: Joint positions that replace those of the profile or add to them, rad or m.
        tasks: The task list to start with.
        limits: The list of limits to start with.
        barriers: The list of barriers to start with.
    """

    name: str
    title: str
    floating_base: bool = False
    free_joints: tuple[str, ...] = ()
    home: Mapping[str, float] = field(default_factory=dict)
    tasks: tuple[TaskSpec, ...] = ()
    limits: tuple[LimitSpec, ...] = ()
    barriers: tuple[BarrierSpec, ...] = ()

    def __post_init__(self) -> None:
        """Freeze the mapping."""
        object.__setattr__(self, "home", frozen_mapping(self.home))


def read_examples(
    top: Section, key: str, held_joints: Mapping[str, float]
) -> tuple[ProfileExample, ...]:
    """Read a profile's list of examples; absent means none.

    Args:
        top: The profile.
        key: Name of the list.
        held_joints: Joints that the profile holds.

    Raises:
        ConfigError: With path, line, key, value and what would be right.
    """
    found: dict[str, ProfileExample] = {}
    for section in top.sections(key):
        example = _read_example(section, held_joints)
        if example.name in found:
            raise section.error("is given twice", "name", value=example.name)
        found[example.name] = example
    return tuple(found.values())


def _read_example(section: Section, held_joints: Mapping[str, float]) -> ProfileExample:
    section.refuse_unknown(_KEYS)
    name = section.text("name")
    free_joints = section.texts("free_joints")
    for index, joint in enumerate(free_joints):
        if joint not in held_joints:
            raise section.error(
                "is not held by the profile", "free_joints", index, value=joint,
                expected="one of its held_joints",
            )  # fmt: skip
    home = section.numbers_by_name("home")
    for joint in home:
        if joint in held_joints and joint not in free_joints:
            raise section.error(
                "has a home although the joint is held", "home", joint,
                expected="the joint among free_joints",
            )  # fmt: skip
    return ProfileExample(
        name=name,
        title=section.text("title", default=name),
        floating_base=section.switch("floating_base", False),
        free_joints=free_joints,
        home=home,
        tasks=tasks_from_section(section),
        limits=checked_limits(limits_from_section(section)),
        barriers=barriers_from_section(section),
    )
