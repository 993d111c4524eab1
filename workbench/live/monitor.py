"""Says how the arm does: reached, converging, not reached, oscillating, failing; and why.

Pure: it is told the time. Its rules, for each enabled tool frame:

- *reached*: within 1 mm and 10 mrad of its target. An error whose cost is zero is not asked for
  and does not count: with ``orientation_cost`` 0 the position alone decides.
- *not reached*: farther, and the error fell by less than 1 % in the last 0.5 s. The error is the
  one that the solver works on: position and orientation weighed by their costs.
- *converging*: otherwise. A target that moves, other weights and a pose command begin anew.

The arm is *oscillating* when a joint has reversed at every one of the last ticks at a noticeable
speed: undamped steps towards a target out of reach overshoot for ever.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.ik.streaming_types import StreamingTickResult
from workbench.ik.types import TickInputs, TickResult, ToolResult
from workbench.live.snapshot import (
    REACHED_ORIENTATION_TOLERANCE_RAD,
    REACHED_POSITION_TOLERANCE_M,
    Status,
    StatusCode,
    ToolState,
)
from workbench.live.streaming_words import held_back_text, idle_status
from workbench.poses import Pose

PROGRESS_WINDOW_S = 0.5
PROGRESS_SHARE = 0.01
REVERSALS_IN_A_ROW = 6
REVERSAL_SPEED = 0.05
"""Speed in rad/s or m/s below which a reversal is rounding noise."""

ToolCode = Literal["ok", "converging", "not_reached"]


@dataclass
class _Progress:
    """What one tool's error did while its target stood still."""

    target: Pose
    code: ToolCode = "converging"
    errors: deque[tuple[float, float]] = field(default_factory=deque)

    def fell_too_little(self, now_s: float, error: float) -> bool:
        """Take note of the error, and tell whether half a second brought less than 1 %."""
        self.errors.append((now_s, error))
        since_s = now_s - PROGRESS_WINDOW_S + 1e-9
        while len(self.errors) > 1 and self.errors[1][0] <= since_s:
            self.errors.popleft()
        began_s, first = self.errors[0]
        return began_s <= since_s and error > (1.0 - PROGRESS_SHARE) * first


class _Blamed(NamedTuple):
    """Names of the joints that may keep tools from their targets."""

    at_limit: tuple[str, ...]
    saturated_velocity: tuple[str, ...]
    held: tuple[str, ...]


class Monitor:
    """Follows the ticks of one robot. Used by the loop's thread alone."""

    def __init__(self, joints_before: Callable[[str], frozenset[str]] | None = None) -> None:
        """Start without a past.

        Args:
            joints_before: Returns the names of the joints that move a tool frame, so that a tool's
                troubles are not blamed on another arm; None blames any joint.
        """
        self._joints_before = None if joints_before is None else cache(joints_before)
        self._progress: dict[str, _Progress] = {}
        self._failures = 0
        self._last_velocities: NDArray[np.float64] | None = None
        self._reversals: NDArray[np.int64] | None = None
        self._weights: object = None

    def reset(self) -> None:
        """Forget where the tools came from: the robot was put somewhere else."""
        self._progress.clear()
        self._last_velocities = None

    def ticked(
        self, now_s: float, inputs: TickInputs, result: TickResult
    ) -> tuple[Status, tuple[ToolState, ...]]:
        """Judge a tick.

        Args:
            now_s: Time in s, never decreasing.
            inputs: What went into the tick.
            result: What came out. Its errors are those to the targets as the user set them.

        Returns:
            The state of the whole, and of each tool in the order of the result.
        """
        self._begin_anew_with_other_weights(inputs)
        idle = None
        if isinstance(result, StreamingTickResult):
            idle = idle_status(result, self._failures + 1)
        if idle is not None or not result.status.ok:
            self._failures += 1
            self._last_velocities = None
            self._clear_windows()
            states = tuple(self._standing(tool, inputs.config) for tool in result.tools)
            return idle or self._failed(result), states
        self._failures = 0
        reversing = self._reverses_at_every_tick(result.velocities)
        states = tuple(self._moving(tool, now_s, inputs.config, reversing) for tool in result.tools)
        return self._running(inputs, result, states, reversing), states

    def stood_still(
        self, inputs: TickInputs, result: TickResult
    ) -> tuple[Status, tuple[ToolState, ...]]:
        """Judge the state while the loop is paused: nothing converges, nothing fails."""
        self._begin_anew_with_other_weights(inputs)
        self._clear_windows()
        self._last_velocities = None
        states = tuple(self._standing(tool, inputs.config) for tool in result.tools)
        away = [_distance_text(state, inputs.config) for state in states if state.reached is False]
        text = "paused" + (": " + "; ".join(away) if away else "")
        return Status("paused", text, "let it run, or take a single step"), states

    def failed_to_set_up(
        self, message: str, inputs: TickInputs, result: TickResult
    ) -> tuple[Status, tuple[ToolState, ...]]:
        """Judge a tick that could not even be set up; the result is the last one known."""
        self._failures += 1
        self._clear_windows()
        states = tuple(self._standing(tool, inputs.config) for tool in result.tools)
        return Status("solver_failed", message, "", self._failures), states

    # Tools -------------------------------------------------------------------------------

    def _begin_anew_with_other_weights(self, inputs: TickInputs) -> None:
        weights = (
            inputs.config, dict(inputs.held_joints), dict(inputs.velocity_caps),
            inputs.tasks, inputs.limits, inputs.barriers,
        )  # fmt: skip
        if weights != self._weights:
            self._weights = weights
            self._progress.clear()

    def _clear_windows(self) -> None:
        for progress in self._progress.values():
            progress.errors.clear()

    def _progress_of(self, tool: ToolResult) -> _Progress | None:
        target = tool.transform_target_to_world
        if target is None:
            self._progress.pop(tool.frame, None)
            return None
        known = self._progress.get(tool.frame)
        if known is None or (known.target is not target and known.target != target):
            known = self._progress[tool.frame] = _Progress(target)
        return known

    def _standing(self, tool: ToolResult, config: PinkKinematicsConfig) -> ToolState:
        progress = self._progress_of(tool)
        if progress is None:
            return ToolState(tool, enabled=False, reached=None, code=None)
        if is_reached(tool, config):
            progress.code = "ok"
        elif progress.code == "ok":
            progress.code = "converging"
        return ToolState(tool, True, progress.code == "ok", progress.code)

    def _moving(
        self, tool: ToolResult, now_s: float, config: PinkKinematicsConfig, reversing: bool
    ) -> ToolState:
        progress = self._progress_of(tool)
        if progress is None:
            return ToolState(tool, enabled=False, reached=None, code=None)
        stalled = progress.fell_too_little(now_s, weighed_error(tool, config))
        if is_reached(tool, config):
            progress.code = "ok"
        else:
            # An oscillating error is smaller at every other tick, which is no progress.
            progress.code = "not_reached" if stalled or reversing else "converging"
        return ToolState(tool, True, progress.code == "ok", progress.code)

    def _reverses_at_every_tick(self, velocities: NDArray[np.float64]) -> bool:
        last = self._last_velocities
        if last is None or self._reversals is None or last.shape != velocities.shape:
            self._reversals = np.zeros(velocities.shape, dtype=np.int64)
        else:
            reversed_now = velocities * last < 0
            reversed_now &= np.minimum(np.abs(velocities), np.abs(last)) > REVERSAL_SPEED
            self._reversals = np.where(reversed_now, self._reversals + 1, 0)
        self._last_velocities = velocities
        return bool((self._reversals >= REVERSALS_IN_A_ROW).any())

    # Words -------------------------------------------------------------------------------

    def _failed(self, result: TickResult) -> Status:
        status = result.status
        code: StatusCode
        if status.code in ("infeasible", "target_invalid", "outside_limits"):
            code = status.code
        else:
            code = "solver_failed"
        return Status(code, status.cause, status.remedy, self._failures)

    def _running(
        self,
        inputs: TickInputs,
        result: TickResult,
        states: tuple[ToolState, ...],
        reversing: bool,
    ) -> Status:
        asked = [state for state in states if state.enabled]
        if not asked:
            return Status("ok", "no target is switched on")
        late = [state for state in asked if state.code != "ok"]
        if not late:
            count = len(asked)
            which = {1: "target", 2: "both targets"}.get(count, f"all {count} targets")
            return Status("ok", f"{which} reached")
        away = "; ".join(_distance_text(state, inputs.config) for state in late)
        if reversing:
            text = "oscillating at its reach: raise lm_damping"
            now = inputs.config.lm_damping
            remedy = f"raise lm_damping (now {now:g}) to {max(10.0, 10.0 * now):g}, for example"
            return Status("not_reached", f"{text} ({away})", remedy, oscillating=True)
        blamed = self._blamed(inputs, result, late)
        if all(state.code == "converging" for state in late):
            return Status("converging", f"converging: {away}{_held_up(blamed, result)}")
        text = f"not reached: {away}{_held_up(blamed, result)}"
        return Status("not_reached", text, _remedy(inputs, blamed, late))

    def _blamed(self, inputs: TickInputs, result: TickResult, late: list[ToolState]) -> _Blamed:
        """Return what holds back the joints that move the tools that are late."""
        saturated = result.saturated_velocity
        if isinstance(result, StreamingTickResult):
            saturated = (*saturated, *result.at_tracking_window)
        groups = (result.at_limit, tuple(dict.fromkeys(saturated)), tuple(inputs.held_joints))
        if self._joints_before is not None:
            before = frozenset[str]().union(
                *(self._joints_before(state.result.frame) for state in late)
            )
            groups = tuple(tuple(name for name in names if name in before) for names in groups)
        return _Blamed(*groups)


def is_reached(tool: ToolResult, config: PinkKinematicsConfig) -> bool:
    """Tell whether a tool is within 1 mm and 10 mrad; an error of cost zero does not count.

    With both costs zero nothing is asked for, and both errors count as if it were.
    """
    position, orientation = tool.position_error_m, tool.orientation_error_rad
    if position is None or orientation is None:
        return False
    neither = config.position_cost == config.orientation_cost == 0.0
    position_is_fine = position <= REACHED_POSITION_TOLERANCE_M
    orientation_is_fine = orientation <= REACHED_ORIENTATION_TOLERANCE_RAD
    return (position_is_fine or (config.position_cost == 0.0 and not neither)) and (
        orientation_is_fine or (config.orientation_cost == 0.0 and not neither)
    )


def weighed_error(tool: ToolResult, config: PinkKinematicsConfig) -> float:
    """Return the length of the error as the solver weighs it: each part times its cost."""
    position = math.inf if tool.position_error_m is None else tool.position_error_m
    orientation = 0.0 if tool.orientation_error_rad is None else tool.orientation_error_rad
    if config.position_cost == config.orientation_cost == 0.0:
        return math.hypot(
            position / REACHED_POSITION_TOLERANCE_M,
            orientation / REACHED_ORIENTATION_TOLERANCE_RAD,
        )
    return math.hypot(config.position_cost * position, config.orientation_cost * orientation)


def _distance_text(state: ToolState, config: PinkKinematicsConfig) -> str:
    """Return how far a tool is away, in the errors that are asked for."""
    tool = state.result
    if tool.position_error_m is None or tool.orientation_error_rad is None:
        return f"{tool.frame} has no target"
    parts = []
    if config.position_cost > 0.0 or config.orientation_cost == 0.0:
        parts.append(f"{1e3 * tool.position_error_m:.1f} mm")
    if config.orientation_cost > 0.0 or config.position_cost == 0.0:
        parts.append(f"{math.degrees(tool.orientation_error_rad):.1f}°")
    return f"{tool.frame} is {' and '.join(parts)} away"


def _held_up(blamed: _Blamed, result: TickResult) -> str:
    """Return what binds, by name, as the end of a sentence."""
    if isinstance(result, StreamingTickResult):
        return held_back_text(result) or _held_up_by(blamed)
    return _held_up_by(blamed)


def _held_up_by(blamed: _Blamed) -> str:
    """Return the limits that bind, by name, as the end of a sentence."""
    reasons = [
        f"{reason}: {', '.join(joints)}"
        for reason, joints in (
            ("at a position limit", blamed.at_limit),
            ("at its velocity limit", blamed.saturated_velocity),
            ("held", blamed.held),
        )
        if joints
    ]
    return "".join(f"; {reason}" for reason in reasons)


def _remedy(inputs: TickInputs, blamed: _Blamed, late: list[ToolState]) -> str:
    config = inputs.config
    if config.position_cost == config.orientation_cost == 0.0:
        return "raise position_cost: both costs are off, so nothing pulls the tool to its target"
    if blamed.saturated_velocity:
        return "wait, or raise the velocity limit of the joints named"
    if blamed.at_limit:
        return "move the target, or start from another posture (home)"
    if blamed.held:
        return "let the held joints go, or move the target"
    in_place = all(
        (state.result.position_error_m or 0.0) <= REACHED_POSITION_TOLERANCE_M for state in late
    )
    if in_place and config.orientation_cost > 0.0:
        return "turn the target, or raise orientation_cost"
    rivals = [
        name
        for name, cost in (
            ("orientation_cost", config.orientation_cost),
            ("posture_cost", config.posture_cost),
        )
        if cost > 0.0
    ]
    return "move the target within reach" + (f", or lower {' and '.join(rivals)}" if rivals else "")
