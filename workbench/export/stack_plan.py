"""The task stack that settings describe, in plain values: what the exported programs build."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.limits import ConfigurationLimitSpec, VelocityLimitSpec
from workbench.config.tasks import FrameTaskSpec, PostureTaskSpec, TaskSpec
from workbench.config.tasks_values_joints import JointCost
from workbench.config.tasks_values_space import AxisCost
from workbench.export.subject import ExportSubject


@dataclass(frozen=True)
class FramePlan:
    """The task of a tool frame.

    Attributes:
        frame: The frame.
        position_cost: cost/m.
        orientation_cost: cost/rad.
        gain: Share of the error that a step removes.
        lm_damping: Levenberg-Marquardt damping.
    """

    frame: str
    position_cost: AxisCost
    orientation_cost: AxisCost
    gain: float
    lm_damping: float

    def differs_from(self, config: PinkKinematicsConfig) -> bool:
        """Whether it is another task than the twelve fields make."""
        return (
            self.position_cost, self.orientation_cost, self.gain, self.lm_damping,
        ) != (
            config.position_cost, config.orientation_cost, config.gain, config.lm_damping,
        )  # fmt: skip


@dataclass(frozen=True)
class PosturePlan:
    """A posture task.

    Attributes:
        name: Name of its entry; empty for that of the twelve fields.
        cost: cost/rad or cost/m.
        target: Positions by joint name, rad or m; None for the present ones.
        margin: How far from the limits the target stays, rad or m.
        gain: Share of the error that a step removes.
        lm_damping: Levenberg-Marquardt damping.
    """

    name: str
    cost: JointCost
    target: Mapping[str, float] | None
    margin: float
    gain: float
    lm_damping: float

    @property
    def is_plain(self) -> bool:
        """Whether the twelve fields say it all."""
        plain = not isinstance(self.cost, Mapping) and self.target is None
        return plain and self.gain == 1.0 and self.lm_damping == 0.0


@dataclass(frozen=True)
class StackPlan:
    """All that is solved for.

    Attributes:
        frames: Tasks of the tool frames that are switched on.
        postures: Posture tasks.
        tool_specs: The entries of the task list that ``frames`` hold.
        posture_specs: The entries of the task list that ``postures`` hold, in the same order.
        extras: Other entries of the task list that are switched on.
        position_limit_gain: Share of the way to its limit that a joint may go in a step.
        velocity_share: Share of the velocity limits that may be used.
    """

    frames: tuple[FramePlan, ...]
    postures: tuple[PosturePlan, ...]
    tool_specs: tuple[TaskSpec, ...]
    posture_specs: tuple[TaskSpec, ...]
    extras: tuple[TaskSpec, ...]
    position_limit_gain: float
    velocity_share: float


def plan_stack(subject: ExportSubject) -> StackPlan:
    """Return the stack that a subject's settings describe."""
    settings, config = subject.settings, subject.settings.kinematics
    enabled = [spec for spec in settings.tasks if spec.enabled]
    tools = subject.robot.tool_frames if subject.robot is not None else tuple(settings.targets)
    own = {
        spec.frame: spec
        for spec in enabled
        if isinstance(spec, FrameTaskSpec) and spec.frame in tools
    }
    postures = [spec for spec in enabled if isinstance(spec, PostureTaskSpec)]
    gains = [
        spec.gain
        for spec in settings.limits
        if spec.enabled and isinstance(spec, ConfigurationLimitSpec)
    ]
    shares = [
        spec.share
        for spec in settings.limits
        if spec.enabled and isinstance(spec, VelocityLimitSpec)
    ]
    return StackPlan(
        frames=tuple(_frame(name, own.get(name), config) for name in subject.tool_frames),
        postures=_postures(postures, subject),
        tool_specs=tuple(spec for spec in own.values() if not spec.hard),
        posture_specs=tuple(postures),
        extras=tuple(
            spec
            for spec in enabled
            if not isinstance(spec, PostureTaskSpec) and spec not in own.values()
        ),
        position_limit_gain=gains[0] if gains else 0.5,
        velocity_share=min(shares, default=1.0),
    )


def home_of(subject: ExportSubject) -> dict[str, float]:
    """Return the home posture, rad or m, by joint name: the settings' over the robot's."""
    home = dict(subject.robot.home) if subject.robot is not None else {}
    return {**home, **subject.settings.home, **subject.settings.held_joints}


def _frame(name: str, spec: FrameTaskSpec | None, config: PinkKinematicsConfig) -> FramePlan:
    if spec is None:
        return FramePlan(
            name, config.position_cost, config.orientation_cost, config.gain, config.lm_damping
        )
    return FramePlan(
        name, spec.position_cost, spec.orientation_cost,
        config.gain if spec.gain is None else spec.gain,
        config.lm_damping if spec.lm_damping is None else spec.lm_damping,
    )  # fmt: skip


def _postures(specs: list[PostureTaskSpec], subject: ExportSubject) -> tuple[PosturePlan, ...]:
    config = subject.settings.kinematics
    if not specs:
        if not config.posture_cost > 0.0:
            return ()
        margin = config.joint_limit_posture_margin
        return (PosturePlan("", config.posture_cost, None, margin, 1.0, 0.0),)
    plans = []
    for spec in specs:
        target: dict[str, float] | None = None
        if spec.target != "present":
            target = dict(home_of(subject))
            if isinstance(spec.target, Mapping):
                target.update(spec.target)
            target = _inside(target, subject, spec.margin)
        plans.append(
            PosturePlan(spec.name, spec.cost, target, spec.margin, spec.gain, spec.lm_damping)
        )
    return tuple(plans)


def _inside(target: dict[str, float], subject: ExportSubject, margin: float) -> dict[str, float]:
    """Return a posture that keeps a margin from the joints' limits."""
    if subject.robot is None or not margin > 0.0:
        return target
    result = dict(target)
    for joint in subject.robot.joints:
        low = -math.inf if joint.lower is None else joint.lower + margin
        high = math.inf if joint.upper is None else joint.upper - margin
        if joint.lower is not None and joint.upper is not None and low > high:
            low = high = 0.5 * joint.lower + 0.5 * joint.upper
        if joint.name in result:
            result[joint.name] = min(max(result[joint.name], low), high)
    return result
