"""Tasks of wheels on a floor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from workbench.config.fields import FieldSpec
from workbench.config.tasks_fields import (
    Hard,
    OwnGain,
    OwnLmDamping,
)
from workbench.config.tasks_spec import TaskSpec
from workbench.config.tasks_values import NameValue, NumberValue
from workbench.config.tasks_values_space import AxisCost, AxisNumbersValue

WORLD_FRAME = "universe"
"""Pinocchio's name for the world's own frame."""


_HUB = FieldSpec(label="hub frame", unit="", help="A frame at the hub, which turns with the wheel.")
_FLOOR = FieldSpec(
    label="floor frame",
    unit="",
    help=f"The frame whose xy plane is the floor; {WORLD_FRAME} is the world.",
)
_RADIUS = FieldSpec(
    label="wheel radius",
    unit="m",
    help="Distance from the hub to the rim.",
    minimum=0.0,
    minimum_excluded=True,
    maximum=100.0,
    slider=(0.01, 1.0),
)
_ROLLING_COST = FieldSpec(
    label="cost",
    unit="cost/m",
    help="Weight of slipping along x and y and of leaving the floor along z; the floor's axes.",
    minimum=0.0,
    scale="logarithmic",
    slider=(1e-3, 1e2),
)


@dataclass(frozen=True, kw_only=True)
class RollingTaskSpec(TaskSpec):
    """A wheel shall roll on the floor without slipping.

    Attributes:
        hub_frame: A frame at the hub, which turns with the wheel.
        wheel_radius_m: Distance from the hub to the rim.
        floor_frame: The frame whose xy plane is the floor.
        cost: Weight of slipping and of leaving the floor, cost/m.
        gain: Share of the distance from the floor that one step removes.
        lm_damping: LM damping.
        hard: Whether it is a constraint.
    """

    kind: ClassVar[str] = "rolling"
    title: ClassVar[str] = "Rolling wheel"
    summary: ClassVar[str] = "A wheel rolls on the floor without slipping."

    hub_frame: Annotated[str, _HUB, NameValue(of="frame")]
    wheel_radius_m: Annotated[float, _RADIUS, NumberValue()]
    floor_frame: Annotated[str, _FLOOR, NameValue(of="frame")] = WORLD_FRAME
    cost: Annotated[AxisCost, _ROLLING_COST, AxisNumbersValue()] = 1.0
    gain: OwnGain = 1.0
    lm_damping: OwnLmDamping = 0.0
    hard: Hard = False


@dataclass(frozen=True, kw_only=True)
class OmniwheelTaskSpec(TaskSpec):
    """An omniwheel shall roll on the floor; it may slip sideways.

    Attributes:
        hub_frame: A frame at the hub, which turns with the wheel.
        wheel_radius_m: Distance from the hub to the rim.
        floor_frame: The frame whose xy plane is the floor; the wheel rolls along its x axis.
        cost: Weight of slipping along x and of leaving the floor, cost/m.
        gain: Share of the distance from the floor that one step removes.
        lm_damping: LM damping.
        hard: Whether it is a constraint.
    """

    kind: ClassVar[str] = "omniwheel"
    title: ClassVar[str] = "Omniwheel"
    summary: ClassVar[str] = "A wheel rolls along the floor's x axis and may slip along y."

    hub_frame: Annotated[str, _HUB, NameValue(of="frame")]
    wheel_radius_m: Annotated[float, _RADIUS, NumberValue()]
    floor_frame: Annotated[str, _FLOOR, NameValue(of="frame")] = WORLD_FRAME
    cost: Annotated[
        float | tuple[float, float], _ROLLING_COST, AxisNumbersValue(axes=("x", "z"))
    ] = 1.0
    gain: OwnGain = 1.0
    lm_damping: OwnLmDamping = 0.0
    hard: Hard = False
