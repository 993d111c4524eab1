"""``SimulatedArmConfig``: what stands between a command and the measured state.

Everything is off by default: the measured state is then the command itself.
"""

from __future__ import annotations

from typing import Annotated

from workbench.config.checked import CheckedSettings, Number, OptionalNumber, WholeNumber
from workbench.config.fields import FieldSpec


class SimulatedArmConfig(CheckedSettings):
    """How imperfect the simulated hardware is, checked and frozen."""

    delay_s: Annotated[
        Number,
        FieldSpec(
            unit="s",
            help="Time from a command's being sent to the arm's starting to follow it.",
            minimum=0.0,
            maximum=2.0,
            slider=(0.0, 0.3),
        ),
    ] = 0.0
    time_constant_s: Annotated[
        Number,
        FieldSpec(
            unit="s",
            help="Time constant of the first-order lag with which each joint follows: after this "
            "time 63 % of a step is done.",
            minimum=0.0,
            maximum=10.0,
            slider=(0.0, 0.5),
        ),
    ] = 0.0
    encoder_noise: Annotated[
        Number,
        FieldSpec(
            unit="rad or m",
            help="Standard deviation of the noise on every measured position.",
            minimum=0.0,
            maximum=0.1,
            scale="logarithmic",
            slider=(1e-6, 0.01),
        ),
    ] = 0.0
    encoder_resolution: Annotated[
        Number,
        FieldSpec(
            unit="rad or m",
            help="Step of the encoder: measured positions are rounded to its multiples.",
            minimum=0.0,
            maximum=0.1,
            scale="logarithmic",
            slider=(1e-6, 0.01),
        ),
    ] = 0.0
    dropped_share: Annotated[
        Number,
        FieldSpec(
            unit="1",
            help="Share of the commands that never arrive; the arm then goes on to the one before.",
            minimum=0.0,
            maximum=1.0,
            slider=(0.0, 0.5),
        ),
    ] = 0.0
    max_velocity_rad_s: Annotated[
        OptionalNumber,
        FieldSpec(
            unit="rad/s or m/s",
            help="Speed that no joint of the arm exceeds, whatever is commanded; off for none.",
            minimum=0.0,
            minimum_excluded=True,
            slider=(0.1, 10.0),
        ),
    ] = None
    seed: Annotated[
        WholeNumber,
        FieldSpec(
            unit="",
            help="Seed of noise and drops: the same seed gives the same imperfections.",
            minimum=0,
            maximum=2**32 - 1,
            slider=(0, 1000),
        ),
    ] = 0

    @property
    def is_ideal(self) -> bool:
        """Whether the measured state is the command itself."""
        return (
            max(
                self.delay_s, self.time_constant_s, self.encoder_noise, self.encoder_resolution,
                self.dropped_share,
            ) == 0.0
            and self.max_velocity_rad_s is None
        )  # fmt: skip
