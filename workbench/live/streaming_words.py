"""Says what a streaming tick did, or why there was no command."""

from __future__ import annotations

from workbench.ik.streaming_types import StreamingState, StreamingTickResult
from workbench.live.snapshot import Status, StatusCode

_IDLE: dict[StreamingState, tuple[StatusCode, str, str]] = {
    "disengaged": ("paused", "disengaged: no command is sent", "engage"),
    "emergency_stop": (
        "paused",
        "emergency stop: command and history are cleared, the arm stands still",
        "release the emergency stop, then engage",
    ),
    "preempted": ("paused", "something else moves the joints", "wait until it is done"),
    "stale": (
        "stale_target",
        "the target is older than the timeout: command and history are cleared",
        "send targets again, or raise streaming's timeout",
    ),
    "no_target": ("ok", "no target is switched on", ""),
}


def idle_status(result: StreamingTickResult, failures: int) -> Status | None:
    """Return what there is to say of a tick without a command; None where it gave one.

    Args:
        result: What came out.
        failures: Ticks in a row without a command, this one included.
    """
    if result.state == "tracking":
        return None
    solve = result.status
    if not solve.ok:
        code: StatusCode = "solver_failed"
        if solve.code in ("infeasible", "target_invalid", "outside_limits"):
            code = solve.code
        elif solve.code == "feedback_invalid":
            code = "outside_limits"
        return Status(code, solve.cause, solve.remedy, failures)
    if result.state not in _IDLE:
        return Status("solver_failed", f"no command: {result.state}", "", failures)
    code, text, remedy = _IDLE[result.state]
    return Status(code, text, remedy, 0 if code == "ok" else failures)


def held_back_text(result: StreamingTickResult) -> str:
    """Return what bounds the command, by joint, as the end of a sentence; empty for nothing."""
    reasons = (
        ("at its velocity step", result.saturated_velocity),
        ("at the tracking window", result.at_tracking_window),
        ("at the inward margin", result.at_margin),
    )
    return "".join(f"; {reason}: {', '.join(names)}" for reason, names in reasons if names)
