"""``StreamingConfig``: how commands are bounded between one solve and the hardware.

Names, types and defaults are those of DimOS 0.0.15 (``PoseTargetIKTaskParams``); the ranges are
ours, and wherever DimOS refuses a value, so do they. Joints are named as in the robot's
description.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, field_serializer

from workbench.config.checked import CheckedSettings, Number, OptionalNumber, plain_number
from workbench.config.fields import FieldSpec, field_spec
from workbench.config.frozen import frozen_mapping
from workbench.errors import ConfigError, did_you_mean

INCREMENT_WEIGHTS = (0.1, 0.3, 0.6)
"""Weights of the last three bounded increments, oldest first, as DimOS has them."""

_CAPS = "joint_velocity_limits_rad_s"


def _caps(value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise ValueError("is not a mapping of joint names to velocities")
    return {str(name): plain_number(cap) for name, cap in value.items()}


class StreamingConfig(CheckedSettings):
    """Bounds of streaming commands, checked and frozen.

    Raises:
        pydantic.ValidationError: If a field is unknown, of the wrong type or out of range. Use
            :meth:`checked` for an error that is meant for a user.
    """

    timeout: Annotated[
        Number,
        FieldSpec(
            unit="s",
            help="A target that is older than this is dropped, and command and history with it. "
            "0 never drops one.",
            minimum=0.0,
            slider=(0.0, 2.0),
        ),
    ] = 0.5
    max_joint_velocity_rad_s: Annotated[
        Number,
        FieldSpec(
            unit="rad/s or m/s",
            help="Velocity cap of every joint that has none of its own; the robot's own limit "
            "applies as well.",
            minimum=0.0,
            minimum_excluded=True,
            slider=(0.1, 10.0),
        ),
    ] = 5.0
    joint_velocity_limits_rad_s: Annotated[
        Mapping[str, float],
        BeforeValidator(_caps),
        AfterValidator(frozen_mapping),
        FieldSpec(
            unit="rad/s or m/s",
            help="Velocity caps by joint, in place of the default cap; the robot's own limit "
            "applies as well. Lower those of joints near the base first.",
            minimum=0.0,
            minimum_excluded=True,
            slider=(0.1, 10.0),
        ),
    ] = Field(default_factory=frozen_mapping, validate_default=True)
    joint_command_filter_cutoff_hz: Annotated[
        OptionalNumber,
        FieldSpec(
            unit="Hz",
            help="Cutoff of the first-order low-pass of the commands, the same at every tick "
            "rate. Lower it when commands oscillate, raise it when motion lags; off leaves the "
            "filter out.",
            minimum=0.0,
            minimum_excluded=True,
            scale="logarithmic",
            slider=(0.1, 100.0),
        ),
    ] = 5.0
    max_command_tracking_error_deg: Annotated[
        Number,
        FieldSpec(
            unit="deg",
            help="How far a command may be ahead of the measured position of its joint; for a "
            "prismatic joint, the same number of radians counts as metres. Must allow for the "
            "normal delay of the hardware.",
            minimum=0.0,
            minimum_excluded=True,
            slider=(0.5, 45.0),
        ),
    ] = 10.0
    feedback_limit_tolerance: Annotated[
        Number,
        FieldSpec(
            unit="rad or m",
            help="How far a measured position may lie outside its joint's limits, for encoder "
            "noise; beyond it there is no command.",
            minimum=0.0,
            slider=(0.0, 0.05),
        ),
    ] = 1e-3
    command_limit_margin: Annotated[
        Number,
        FieldSpec(
            unit="rad or m",
            help="How far inside the joint limits every command stays.",
            minimum=0.0,
            slider=(0.0, 0.1),
        ),
    ] = 1e-4

    @property
    def max_command_tracking_error_rad(self) -> float:
        """The tracking window in rad (m for a prismatic joint)."""
        return math.radians(self.max_command_tracking_error_deg)

    @classmethod
    def check_field(cls, name: str, value: object) -> None:
        """Check one field alone.

        Raises:
            ConfigError: With the field (and joint), its value and what would be right.
        """
        if name != _CAPS:
            super().check_field(name, value)
            return
        spec = field_spec(cls, name)
        assert spec is not None
        if not isinstance(value, Mapping):
            raise ConfigError(
                "is not a mapping", field=name, value=value, expected="velocities by joint name"
            )
        for joint, cap in value.items():
            try:
                allowed = spec.allows(plain_number(cap))
            except ValueError:
                allowed = False
            if not allowed:
                raise ConfigError(
                    "is no velocity cap", field=f"{name}.{joint}", value=cap,
                    expected=spec.range_text,
                )  # fmt: skip

    def check_joints(self, joint_names: Collection[str]) -> None:
        """Check that every joint with a cap of its own exists.

        Raises:
            ConfigError: With the unknown name and those that look like it.
        """
        for joint in self.joint_velocity_limits_rad_s:
            if joint not in joint_names:
                raise ConfigError(
                    "there is no such joint", field=f"{_CAPS}.{joint}",
                    expected=did_you_mean(joint, joint_names),
                )  # fmt: skip

    @field_serializer(_CAPS)
    def _plain_caps(self, caps: Mapping[str, float]) -> dict[str, float]:
        return dict(caps)
