"""What the loop publishes after each tick, and the words for how it goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workbench.config.settings import Mode
from workbench.ik.streaming_types import StreamingState
from workbench.ik.types import ToolResult
from workbench.model.collision_pairs import ClosestPair
from workbench.poses import Pose

StatusCode = Literal[
    "ok",
    "converging",
    "not_reached",
    "solver_failed",
    "infeasible",
    "target_invalid",
    "outside_limits",
    "stale_target",
    "paused",
    "fault",
    "loading",
]

REACHED_POSITION_TOLERANCE_M = 1e-3
REACHED_ORIENTATION_TOLERANCE_RAD = 10e-3


@dataclass(frozen=True)
class Status:
    """How the arm does, in one code and one sentence.

    Attributes:
        code: One of the codes above.
        text: What is the matter, for the user.
        remedy: What would help; empty where nothing is needed.
        consecutive_failures: Ticks in a row without a new command.
        oscillating: Joints reverse at every tick while the target is not reached.
    """

    code: StatusCode
    text: str
    remedy: str = ""
    consecutive_failures: int = 0
    oscillating: bool = False

    @property
    def ok(self) -> bool:
        """False when no new command comes out: a failure or a fault."""
        return self.code in ("ok", "converging", "not_reached", "paused")


@dataclass(frozen=True)
class ToolState:
    """One tool frame as the page and the API show it.

    Attributes:
        result: Poses and errors after the tick.
        enabled: Whether it has a task.
        reached: Within 1 mm and 10 mrad; None when disabled.
        code: ``ok`` (reached), ``converging`` or ``not_reached``; None when disabled.
    """

    result: ToolResult
    enabled: bool
    reached: bool | None
    code: Literal["ok", "converging", "not_reached"] | None


@dataclass(frozen=True, eq=False)
class StreamingView:
    """What the streaming mode adds to a snapshot.

    Attributes:
        state: What the tick did, or why it gave no command.
        command: Joint positions sent, in the description's order, rad or m, shape (n,),
            read-only; None for none.
        measured: Measured joint positions, shape (n,), read-only; None where feedback is missing.
        at_velocity_step: Names of the joints that the velocity caps hold back.
        at_tracking_window: Names of the joints as far from the measured position as they may be.
        at_margin: Names of the joints at the inward margin of a position limit.
    """

    state: StreamingState
    command: NDArray[np.float64] | None
    measured: NDArray[np.float64] | None
    at_velocity_step: tuple[str, ...] = ()
    at_tracking_window: tuple[str, ...] = ()
    at_margin: tuple[str, ...] = ()


@dataclass(frozen=True)
class Timing:
    """How well the loop keeps its time, over the last few seconds.

    Attributes:
        tick_p50_s: Median time that a tick took, in s.
        tick_p99_s: 99th percentile of it, in s.
        period_p99_s: 99th percentile of the time between the starts of ticks, in s.
        missed: Ticks that were due and not taken since the loop started.
    """

    tick_p50_s: float
    tick_p99_s: float
    period_p99_s: float
    missed: int


@dataclass(frozen=True, eq=False)
class StateSnapshot:
    """The robot's state after a tick: everything that the scene, the panels and the API show.

    Attributes:
        epoch: Number of the robot bundle; a reader with another epoch drops the snapshot.
        tick: Ticks since the start.
        settings_version: Version of the settings that the tick used.
        time_s: The loop clock's time at the end of the tick.
        rate_hz: The rate in force (10 Hz while the loop rests with no page open).
        paused: Whether the loop is paused.
        q: Configuration, shape (nq,), read-only.
        positions: Joint positions in the description's order, shape (n,), read-only.
        velocities: Joint velocities in the same order, shape (n,), read-only.
        transform_base_to_world: Pose of the root link.
        tools: One entry a tool frame, in the description's order.
        status: In words.
        timing: How well the loop keeps its time.
        mode: What drove the robot.
        streaming: What the streaming mode adds; None in other modes.
        playing: Whether a path is being shown.
        closest_pair: The two links nearest each other, where self-collision is watched.
        fault: Traceback of an unexpected exception, or None.
    """

    epoch: int
    tick: int
    settings_version: int
    time_s: float
    rate_hz: float
    paused: bool
    q: NDArray[np.float64]
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    transform_base_to_world: Pose
    tools: tuple[ToolState, ...]
    status: Status
    timing: Timing
    mode: Mode = "live"
    streaming: StreamingView | None = None
    playing: bool = False
    closest_pair: ClosestPair | None = None
    fault: str | None = None
