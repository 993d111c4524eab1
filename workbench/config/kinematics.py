"""``PinkKinematicsConfig``: the twelve settings that are tuned here and run elsewhere.

Fields, types and defaults are those of DimOS 0.0.15
(``dimos.manipulation.planning.kinematics.config``). The ranges are ours: DimOS and Pink accept a
gain of 2, negative costs or ``dt = 0`` and fail later or not at all.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

import qpsolvers
from pydantic import BaseModel, ConfigDict, ValidationInfo, model_validator

from workbench.config.checked import (
    Number,
    Switch,
    WholeNumber,
    number_problem,
    plain_number,
    switch,
    whole_number,
)
from workbench.config.fields import FieldSpec, field_spec
from workbench.errors import ConfigError, did_you_mean

DEFAULT_SOLVER = "proxqp"
"""DimOS's own default: what a file without the key means."""


def available_solvers() -> tuple[str, ...]:
    """Return the names of the QP solvers installed here, sorted; ``solver`` must be one."""
    return tuple(sorted(qpsolvers.available_solvers))


class PinkKinematicsConfig(BaseModel):
    """Settings of DimOS's Pink backend, checked and frozen.

    Raises:
        pydantic.ValidationError: If a field is unknown, of the wrong type or out of range. Use
            :meth:`checked` for an error that is meant for a user.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    backend: Literal["pink"] = "pink"
    solver: Annotated[
        str,
        FieldSpec(
            unit="",
            help="QP solver that qpsolvers calls at every step. daqp is fast and steady on these "
            "small problems; proxqp is DimOS's default and fails now and then at small steps.",
        ),
    ] = DEFAULT_SOLVER
    dt: Annotated[
        Number,
        FieldSpec(
            unit="s",
            help="Step of the planning mode. The live loop and streaming control use the length "
            "of their own tick instead.",
            minimum=0.0,
            minimum_excluded=True,
            scale="logarithmic",
            slider=(1e-3, 1.0),
        ),
    ] = 0.05
    max_iterations: Annotated[
        WholeNumber,
        FieldSpec(
            unit="steps",
            help="Steps that the planning mode takes at most before it gives up.",
            minimum=1,
            slider=(1, 1000),
        ),
    ] = 200
    damping: Annotated[
        Number,
        FieldSpec(
            unit="cost²/tangent",
            help="Tikhonov regularisation of every joint, at every step. Raise it to suppress "
            "large velocities; too much feels sluggish.",
            minimum=0.0,
            scale="logarithmic",
            slider=(1e-12, 1.0),
        ),
    ] = 1e-8
    position_cost: Annotated[
        Number,
        FieldSpec(
            unit="cost/m",
            help="Weight of a position error. Raise it when position loses to the other "
            "objectives; only ratios between costs matter.",
            minimum=0.0,
            scale="logarithmic",
            slider=(1e-3, 1e2),
        ),
    ] = 1.0
    orientation_cost: Annotated[
        Number,
        FieldSpec(
            unit="cost/rad",
            help="Weight of an orientation error. Lower it when orientation makes translation "
            "stiff or keeps the tool from its target.",
            minimum=0.0,
            scale="logarithmic",
            slider=(1e-3, 1e2),
        ),
    ] = 1.0
    posture_cost: Annotated[
        Number,
        FieldSpec(
            unit="cost/rad",
            help="Weight of staying at the present posture (DimOS's meaning: the posture target "
            "is the present configuration at every step). Raise it to calm redundant motion, "
            "lower it when it resists the target; off leaves the task out.",
            minimum=0.0,
            scale="logarithmic",
            slider=(1e-6, 1.0),
        ),
    ] = 1e-3
    joint_limit_posture_margin: Annotated[
        Number,
        FieldSpec(
            unit="rad or m",
            help="Moves the posture target this far inward from finite joint limits. Raise it "
            "when redundant joints settle at their limits.",
            minimum=0.0,
            slider=(0.0, 0.5),
        ),
    ] = 0.0
    lm_damping: Annotated[
        Number,
        FieldSpec(
            unit="1",
            help="Levenberg-Marquardt damping of the frame tasks. It grows with the squared "
            "error and fades at the target: raise it when the arm shakes at its reach or near a "
            "singular pose.",
            minimum=0.0,
            scale="logarithmic",
            slider=(1e-8, 1e2),
        ),
    ] = 1e-6
    gain: Annotated[
        Number,
        FieldSpec(
            unit="per step",
            help="Share of the error that one step removes. Raise it for a faster response; "
            "tune it at the rate of the system that will run it.",
            minimum=0.0,
            minimum_excluded=True,
            maximum=1.0,
            slider=(0.01, 1.0),
        ),
    ] = 0.5
    safety_break: Annotated[
        Switch,
        FieldSpec(
            unit="",
            help="Refuse to solve from a configuration outside its joint limits. Keep it on for "
            "hardware.",
        ),
    ] = True

    @model_validator(mode="after")
    def _check_ranges(self, info: ValidationInfo) -> Self:
        for name in type(self).model_fields:
            problem = _problem_of(type(self), name, getattr(self, name))
            if problem is not None:
                raise ValueError(f"{name} {problem}")
        return self

    @classmethod
    def checked(cls, **values: object) -> Self:
        """Build from values that a user gave.

        Raises:
            ConfigError: For the first field that is unknown, of the wrong type or out of range,
                with its name, its value and what would be right.
        """
        for name, value in values.items():
            cls.check_field(name, value)
        return cls(**values)  # pyright: ignore[reportArgumentType]

    @classmethod
    def check_field(cls, name: str, value: object) -> None:
        """Check one field alone.

        Raises:
            ConfigError: As :meth:`checked` does.
        """
        if name not in cls.model_fields:
            raise ConfigError(
                "there is no such setting",
                field=name,
                expected=did_you_mean(name, cls.model_fields),
            )
        problem = _problem_of(cls, name, value)
        if problem is not None:
            raise ConfigError(problem, field=name, value=value, expected=_expected(cls, name))

    def with_values(self, **values: object) -> Self:
        """Return a copy with some fields changed, checked as :meth:`checked` does."""
        return type(self).checked(**{**self.model_dump(), **values})


def _problem_of(model: type[PinkKinematicsConfig], name: str, value: object) -> str | None:
    """Return what is wrong with a field's value, or None."""
    if name == "backend":
        return None if value == "pink" else "is another backend than pink"
    if name == "solver":
        return None if value in available_solvers() else "is not installed here"
    convert = {"safety_break": switch, "max_iterations": whole_number}.get(name, plain_number)
    return number_problem(value, convert, field_spec(model, name))


def _expected(model: type[PinkKinematicsConfig], name: str) -> str:
    if name == "backend":
        return "pink"
    if name == "solver":
        return "one of " + ", ".join(available_solvers())
    if name == "safety_break":
        return "true or false"
    spec = field_spec(model, name)
    text = "a number" if spec is None else spec.range_text
    return text.replace("number", "whole number") if name == "max_iterations" else text
