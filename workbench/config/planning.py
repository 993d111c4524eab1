"""``PlanningConfig``: what the planning mode takes besides ``PinkKinematicsConfig``.

Defaults are those of DimOS 0.0.15's ``PinkIK.solve``; the seed is ours: DimOS draws its retries
from NumPy's global generator.
"""

from __future__ import annotations

from typing import Annotated

from workbench.config.checked import CheckedSettings, Number, WholeNumber
from workbench.config.fields import FieldSpec


class PlanningConfig(CheckedSettings):
    """When a plan has arrived and how often it is tried, checked and frozen."""

    position_tolerance_m: Annotated[
        Number,
        FieldSpec(
            unit="m",
            help="A plan has arrived when every frame is at most this far from its target.",
            minimum=0.0,
            scale="logarithmic",
            slider=(1e-6, 0.1),
        ),
    ] = 1e-3
    orientation_tolerance_rad: Annotated[
        Number,
        FieldSpec(
            unit="rad",
            help="A plan has arrived when every frame is turned by at most this from its target.",
            minimum=0.0,
            scale="logarithmic",
            slider=(1e-6, 0.5),
        ),
    ] = 1e-2
    max_attempts: Annotated[
        WholeNumber,
        FieldSpec(
            unit="attempts",
            help="Attempts at most: the first from the present posture, each further one from a "
            "random posture inside the limits.",
            minimum=1,
            maximum=1000,
            slider=(1, 50),
        ),
    ] = 10
    seed: Annotated[
        WholeNumber,
        FieldSpec(
            unit="",
            help="Seed of the random postures: the same seed gives the same plan.",
            minimum=0,
            maximum=2**32 - 1,
            slider=(0, 1000),
        ),
    ] = 0
