"""The entries of the lists of limits and barriers.

Position and velocity limits are always in force; an entry of kind ``configuration`` or
``velocity`` says how. All other entries add to them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

from workbench.config.fields import FieldSpec
from workbench.config.sections import Section
from workbench.config.tasks_fields import Frame, OtherFrame
from workbench.config.tasks_spec import (
    Spec,
    checked_list,
    spec_from_mapping,
    spec_to_mapping,
    specs_from_section,
)
from workbench.config.tasks_values import FieldProblem, NumberValue, WholeNumberValue
from workbench.config.tasks_values_joints import JointCost, JointNumbersValue
from workbench.config.tasks_values_space import AxisCost, AxisNumbersValue, Bounds, BoundsValue
from workbench.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class LimitSpec(Spec):
    """An entry of the list of limits."""

    group: ClassVar[Literal["tasks", "limits", "barriers"]] = "limits"


@dataclass(frozen=True, kw_only=True)
class ConfigurationLimitSpec(LimitSpec):
    """How fast a joint may come up to its position limit.

    Attributes:
        gain: Share of the way to the limit that one step may take.
    """

    kind: ClassVar[str] = "configuration"
    title: ClassVar[str] = "Position limits"
    summary: ClassVar[str] = "How much of the way to its position limit a joint may go in a step."

    gain: Annotated[
        float,
        FieldSpec(
            label="gain",
            unit="per step",
            help="Share of the way to its position limit that a joint may go in one step.",
            minimum=0.0,
            minimum_excluded=True,
            maximum=1.0,
            slider=(0.01, 1.0),
        ),
        NumberValue(),
    ] = 0.5


@dataclass(frozen=True, kw_only=True)
class VelocityLimitSpec(LimitSpec):
    """All velocity limits, lowered together.

    Attributes:
        share: Share of each velocity limit that may be used.
    """

    kind: ClassVar[str] = "velocity"
    title: ClassVar[str] = "Velocity limits"
    summary: ClassVar[str] = "All velocity limits, lowered together."

    share: Annotated[
        float,
        FieldSpec(
            label="share",
            unit="1",
            help="Share of each velocity limit that may be used.",
            minimum=1e-3,
            maximum=1.0,
            slider=(0.01, 1.0),
        ),
        NumberValue(),
    ] = 1.0


@dataclass(frozen=True, kw_only=True)
class AccelerationLimitSpec(LimitSpec):
    """How fast joints may change their velocity; they also brake in time before their limits.

    Attributes:
        acceleration: Largest acceleration, rad/s² or m/s²: one for all joints, or by joint name,
            where joints that are not named have none.
    """

    kind: ClassVar[str] = "acceleration"
    title: ClassVar[str] = "Acceleration limits"
    summary: ClassVar[str] = "How fast joints may change their velocity, and brake before limits."

    acceleration: Annotated[
        JointCost,
        FieldSpec(
            label="acceleration",
            unit="rad/s² or m/s²",
            help="Largest acceleration; one number for all joints, or one for each named joint.",
            minimum=1e-6,
            maximum=1e6,
            scale="logarithmic",
            slider=(0.1, 1000.0),
        ),
        JointNumbersValue(scalar=True, minimum_count=1),
    ] = 20.0


@dataclass(frozen=True, kw_only=True)
class FloatingBaseVelocityLimitSpec(LimitSpec):
    """How fast a floating base may move.

    Attributes:
        linear_m_s: Along the axes of the base.
        angular_rad_s: About the axes of the base.
    """

    kind: ClassVar[str] = "floating_base_velocity"
    title: ClassVar[str] = "Velocity of the floating base"
    summary: ClassVar[str] = "How fast a floating base may move and turn."

    linear_m_s: Annotated[
        AxisCost,
        FieldSpec(
            label="linear",
            unit="m/s",
            help="Largest velocity; one number, or one for each axis of the base.",
            minimum=0.0,
            slider=(0.0, 2.0),
        ),
        AxisNumbersValue(),
    ] = 0.5
    angular_rad_s: Annotated[
        AxisCost,
        FieldSpec(
            label="angular",
            unit="rad/s",
            help="Largest angular velocity; one number, or one for each axis of the base.",
            minimum=0.0,
            slider=(0.0, 5.0),
        ),
        AxisNumbersValue(),
    ] = 1.0


_BARRIER_GAIN = FieldSpec(
    label="gain",
    unit="1/s",
    help="How briskly the bound may be approached: the distance left may shrink at most by this "
    "share in a second.",
    minimum=0.0,
    minimum_excluded=True,
    scale="logarithmic",
    slider=(0.1, 1000.0),
)
_SAFE_DISPLACEMENT_GAIN = FieldSpec(
    label="safe displacement gain",
    unit="cost²",
    help="Weight of standing still close to the bound; it fades with the barrier's gradient.",
    minimum=0.0,
    scale="logarithmic",
    slider=(1e-3, 10.0),
)
_MINIMUM_DISTANCE = FieldSpec(
    label="minimum distance",
    unit="m",
    help="The distance that is kept.",
    minimum=0.0,
    maximum=10.0,
    slider=(0.0, 0.5),
)
_MINIMUM = FieldSpec(
    label="minimum",
    unit="m",
    help="Smallest x, y and z in the world; empty means no bound.",
    minimum=-1000.0,
    maximum=1000.0,
    slider=(-2.0, 2.0),
)
_MAXIMUM = replace(
    _MINIMUM, label="maximum", help="Largest x, y and z in the world; empty means no bound."
)
_NONE: Bounds = (None, None, None)


@dataclass(frozen=True, kw_only=True)
class BarrierSpec(Spec):
    """An entry of the list of barriers."""

    group: ClassVar[Literal["tasks", "limits", "barriers"]] = "barriers"


@dataclass(frozen=True, kw_only=True)
class PositionBarrierSpec(BarrierSpec):
    """A frame's origin shall stay between planes of the world.

    Attributes:
        frame: The frame.
        minimum: Smallest x, y and z, m; None for none.
        maximum: Largest x, y and z, m; None for none.
        gain: How briskly a plane may be approached, 1/s.
        safe_displacement_gain: Weight of standing still.
    """

    kind: ClassVar[str] = "position"
    title: ClassVar[str] = "Position barrier"
    summary: ClassVar[str] = "A frame's origin stays inside a box of the world."

    frame: Frame
    minimum: Annotated[Bounds, _MINIMUM, BoundsValue()] = _NONE
    maximum: Annotated[Bounds, _MAXIMUM, BoundsValue()] = _NONE
    gain: Annotated[float, _BARRIER_GAIN, NumberValue()] = 10.0
    safe_displacement_gain: Annotated[float, _SAFE_DISPLACEMENT_GAIN, NumberValue()] = 0.0

    def _contradiction(self) -> FieldProblem | None:
        if self.minimum == _NONE and self.maximum == _NONE:
            return FieldProblem("has no bound at all", "minimum", expected="at least one number")
        for axis, low, high in zip("xyz", self.minimum, self.maximum, strict=True):
            if low is not None and high is not None and low >= high:
                return FieldProblem(
                    f"leaves no room along {axis}", "maximum", value=high,
                    expected=f"more than the minimum {low:g}",
                )  # fmt: skip
        return None


@dataclass(frozen=True, kw_only=True)
class BodySphericalBarrierSpec(BarrierSpec):
    """The origins of two frames shall keep their distance.

    Attributes:
        frame: The first frame.
        other_frame: The second frame.
        minimum_distance_m: The distance that is kept.
        gain: How briskly it may be approached, 1/s.
        safe_displacement_gain: Weight of standing still.
    """

    kind: ClassVar[str] = "body_spherical"
    title: ClassVar[str] = "Distance between two frames"
    summary: ClassVar[str] = "The origins of two frames keep their distance."

    frame: Frame
    other_frame: OtherFrame
    minimum_distance_m: Annotated[float, _MINIMUM_DISTANCE, NumberValue()] = 0.1
    gain: Annotated[float, _BARRIER_GAIN, NumberValue()] = 100.0
    safe_displacement_gain: Annotated[float, _SAFE_DISPLACEMENT_GAIN, NumberValue()] = 0.0

    def _contradiction(self) -> FieldProblem | None:
        if self.frame != self.other_frame:
            return None
        return FieldProblem(
            "is the same frame", "other_frame", value=self.frame, expected="another frame"
        )


@dataclass(frozen=True, kw_only=True)
class SelfCollisionBarrierSpec(BarrierSpec):
    """The robot's own bodies shall keep their distance.

    Attributes:
        minimum_distance_m: The distance that is kept.
        gain: How briskly it may be approached, 1/s.
        safe_displacement_gain: Weight of standing still.
        pairs: How many of the closest pairs of bodies are kept apart at every step.
    """

    kind: ClassVar[str] = "self_collision"
    title: ClassVar[str] = "Self-collision"
    summary: ClassVar[str] = "The robot's own bodies keep their distance."

    minimum_distance_m: Annotated[float, _MINIMUM_DISTANCE, NumberValue()] = 0.02
    gain: Annotated[float, _BARRIER_GAIN, NumberValue()] = 20.0
    safe_displacement_gain: Annotated[float, _SAFE_DISPLACEMENT_GAIN, NumberValue()] = 0.0
    pairs: Annotated[
        int,
        FieldSpec(
            label="pairs",
            unit="",
            help="How many of the closest pairs of bodies are kept apart at every step.",
            minimum=1,
            maximum=100,
            slider=(1, 30),
        ),
        WholeNumberValue(),
    ] = 8


LIMIT_KINDS: dict[str, type[LimitSpec]] = {
    kind.kind: kind
    for kind in (
        ConfigurationLimitSpec,
        VelocityLimitSpec,
        AccelerationLimitSpec,
        FloatingBaseVelocityLimitSpec,
    )
}
"""Every kind of limit by its name in files."""

BARRIER_KINDS: dict[str, type[BarrierSpec]] = {
    kind.kind: kind
    for kind in (PositionBarrierSpec, BodySphericalBarrierSpec, SelfCollisionBarrierSpec)
}
"""Every kind of barrier by its name in files."""


def limit_from_mapping(section: Section) -> LimitSpec:
    """Read a limit; raises ConfigError with path, line, key, value and what would be right."""
    return spec_from_mapping(section, LIMIT_KINDS)


def limit_to_mapping(spec: LimitSpec) -> dict[str, Any]:
    """Return a limit as plain values for a file."""
    return spec_to_mapping(spec)


def barrier_from_mapping(section: Section) -> BarrierSpec:
    """Read a barrier; raises ConfigError with path, line, key, value and what would be right."""
    return spec_from_mapping(section, BARRIER_KINDS)


def barrier_to_mapping(spec: BarrierSpec) -> dict[str, Any]:
    """Return a barrier as plain values for a file."""
    return spec_to_mapping(spec)


def limits_from_section(section: Section, key: str = "limits") -> tuple[LimitSpec, ...]:
    """Read a list of limits; absent means none. Raises ConfigError."""
    return specs_from_section(section, key, LIMIT_KINDS)


def barriers_from_section(section: Section, key: str = "barriers") -> tuple[BarrierSpec, ...]:
    """Read a list of barriers; absent means none. Raises ConfigError."""
    return specs_from_section(section, key, BARRIER_KINDS)


def checked_limits(specs: Iterable[object]) -> tuple[LimitSpec, ...]:
    """Return limits as a tuple.

    Raises:
        ConfigError: For a name that is given twice, or a kind that is enabled twice.
    """
    found = checked_list(specs, LimitSpec, "limits")
    kinds: dict[str, str] = {}
    for spec in found:
        if not spec.enabled:
            continue
        if spec.kind in kinds:
            raise ConfigError(
                f"is a second limit of kind {spec.kind}", field=f"limits.{spec.name}",
                expected=f"{kinds[spec.kind]} alone; switch one of them off",
            )  # fmt: skip
        kinds[spec.kind] = spec.name
    return found


def checked_barriers(specs: Iterable[object]) -> tuple[BarrierSpec, ...]:
    """Return barriers as a tuple; raises ConfigError for a name that is given twice."""
    return checked_list(specs, BarrierSpec, "barriers")
