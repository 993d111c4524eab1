"""Reach checks as work for another process: what is asked, in values that can be sent there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.settings import Settings
from workbench.config.streaming import StreamingConfig
from workbench.grasps.reach_rules import ReachRules
from workbench.grasps.reach_types import GraspTarget, ReachResult, ReachSettings


@dataclass(frozen=True)
class ReachQuestion:
    """What the answer depends on besides the robot and the grasp.

    Attributes:
        frame: The robot's frame that goes to the targets.
        kinematics: The twelve settings.
        streaming: Bounds of the commands of an approach.
        settings: How grasps are tried.
        rules: What the session adds: held joints, caps, lists.
    """

    frame: str
    kinematics: PinkKinematicsConfig = field(default_factory=PinkKinematicsConfig)
    streaming: StreamingConfig = field(default_factory=StreamingConfig)
    settings: ReachSettings = field(default_factory=ReachSettings)
    rules: ReachRules = field(default_factory=ReachRules)

    __hash__ = None  # type: ignore[assignment]  # rules have none

    @classmethod
    def of(cls, session: Settings, frame: str, settings: ReachSettings) -> ReachQuestion:
        """Return the question with a session's settings.

        Args:
            session: The session's.
            frame: The robot's frame that goes to the targets.
            settings: How grasps are tried.
        """
        rules = ReachRules.of(session)
        return cls(frame, session.kinematics, session.streaming, settings, rules)


@dataclass(frozen=True)
class ReachTask:
    """A few grasps to check.

    Attributes:
        question: What they have in common.
        targets: The grasps.
        with_paths: Whether the results tell the way of the approach, point by point.
    """

    question: ReachQuestion
    targets: tuple[GraspTarget, ...]
    with_paths: bool = False


ReachWork = Callable[[ReachTask], tuple[ReachResult, ...]]
"""Checks the grasps of a task, one result each, in order."""
