"""The values that go into a streaming tick and come out of it; no Pink here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workbench.config.simulated_arm import SimulatedArmConfig
from workbench.config.streaming import StreamingConfig
from workbench.ik.types import SolveStatus, TickInputs, TickResult

Vector = NDArray[np.float64]

StreamingState = Literal[
    "tracking", "disengaged", "no_target", "stale", "feedback_missing", "feedback_invalid",
    "failed", "preempted", "emergency_stop", "settings_refused",
]  # fmt: skip
"""What a streaming tick did, or why it gave no command."""


@dataclass(frozen=True, eq=False)
class StreamingStep:
    """The outcome of one step of the solver alone.

    Attributes:
        status: How the solve went.
        command: Joint positions in the order of commands, rad or m, shape (n,), read-only; None
            when there is no command.
        feedback_valid: False when the measured positions were refused.
        at_velocity_step: Names of the joints that the velocity caps hold back.
        at_tracking_window: Names of the joints as far from the measured position as they may be.
        at_margin: Names of the joints at the inward margin of a position limit.
    """

    status: SolveStatus
    command: Vector | None = None
    feedback_valid: bool = True
    at_velocity_step: tuple[str, ...] = ()
    at_tracking_window: tuple[str, ...] = ()
    at_margin: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class StreamingInputs(TickInputs):
    """What a streaming tick depends on besides the command so far.

    Attributes:
        streaming: Bounds of the commands.
        arm: The simulated hardware that measures; unused where ``measured`` is given.
        engaged: Whether commands are wanted; False clears command and history.
        emergency_stop: True clears command and history, and stops the simulated arm.
        preempted_by: What else moves the joints in this tick, which clears command and history;
            empty for nothing.
        target_age_s: Time since the newest target came, s.
        measured: Measured positions by joint name, rad or m, of hardware outside; None measures
            the simulated arm. A joint that is not named has no feedback.
    """

    streaming: StreamingConfig = field(default_factory=StreamingConfig)
    arm: SimulatedArmConfig = field(default_factory=SimulatedArmConfig)
    engaged: bool = True
    emergency_stop: bool = False
    preempted_by: str = ""
    target_age_s: float = 0.0
    measured: Mapping[str, float] | None = None


@dataclass(frozen=True, eq=False)
class StreamingTickResult(TickResult):
    """A tick's result, with what streaming adds to it.

    ``q``, ``positions`` and ``tools`` are those of the command; of the measured state where there
    is no command.

    Attributes:
        state: What the tick did, or why it gave no command.
        command: Joint positions to send, in the description's order, rad or m, shape (n,),
            read-only; None for none.
        measured: Measured positions that the tick was given, shape (n,), read-only; None where
            feedback is missing.
        measured_q: The configuration that belongs to them, shape (nq,), read-only; the last valid
            one where they are missing or no numbers.
        at_tracking_window: Names of the joints as far from the measured position as they may be.
        at_margin: Names of the joints at the inward margin of a position limit.
    """

    state: StreamingState = "disengaged"
    command: Vector | None = None
    measured: Vector | None = None
    measured_q: Vector | None = None
    at_tracking_window: tuple[str, ...] = ()
    at_margin: tuple[str, ...] = ()
