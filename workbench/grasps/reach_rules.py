"""What a session adds to the twelve settings, as far as it decides which grasps are reached.

Plans know held joints and velocity caps, as the planning mode does. The approach is driven as the
streaming mode drives, which knows the lists of tasks, limits and barriers besides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.config.frozen import frozen_mapping
from workbench.config.limits import BarrierSpec, LimitSpec
from workbench.config.settings import Settings
from workbench.config.tasks_spec import TaskSpec
from workbench.poses import Pose


@dataclass(frozen=True)
class ReachRules:
    """Home, joints that are held, caps, and the lists.

    Attributes:
        home: Where the first attempt begins, by joint name, rad or m; joints that are not named
            begin at the robot's own home.
        home_base: Where a floating base stands.
        held_joints: Joints that are held by a hard constraint, by name, with their position.
        velocity_caps: Velocity limits that replace the robot's, by joint name, rad/s or m/s.
        tasks: Entries of the list of tasks that are switched on.
        limits: Entries of the list of limits that are switched on.
        barriers: Entries of the list of barriers that are switched on.
    """

    home: Mapping[str, float] = field(default_factory=dict)
    home_base: Pose = field(default_factory=Pose)
    held_joints: Mapping[str, float] = field(default_factory=dict)
    velocity_caps: Mapping[str, float] = field(default_factory=dict)
    tasks: tuple[TaskSpec, ...] = ()
    limits: tuple[LimitSpec, ...] = ()
    barriers: tuple[BarrierSpec, ...] = ()

    def __post_init__(self) -> None:
        """Freeze the mappings."""
        for name in ("home", "held_joints", "velocity_caps"):
            object.__setattr__(self, name, frozen_mapping(getattr(self, name)))

    __hash__ = None  # type: ignore[assignment]  # mappings have none

    @classmethod
    def of(cls, settings: Settings) -> ReachRules:
        """Return those of a session."""
        return cls(
            home=settings.home,
            home_base=settings.home_base,
            held_joints=settings.held_joints,
            velocity_caps=settings.velocity_caps,
            tasks=tuple(spec for spec in settings.tasks if spec.enabled),
            limits=tuple(spec for spec in settings.limits if spec.enabled),
            barriers=tuple(spec for spec in settings.barriers if spec.enabled),
        )

    @property
    def has_lists(self) -> bool:
        """Whether an entry of a list adds to the twelve settings."""
        return bool(self.tasks or self.limits or self.barriers)

    @property
    def left_out(self) -> str:
        """What a check cannot take along, as a sentence; empty where it takes all."""
        if not self.has_lists:
            return ""
        names = ", ".join(spec.name for spec in (*self.tasks, *self.limits, *self.barriers))
        return (
            "The approach of a reach check takes the lists of tasks, limits and barriers along; "
            f"its plans, like those of the planning mode, do not: {names}."
        )
