"""What the loop does with one robot in a tick, and what it remembers of it.

The engine that ticks depends on the settings (live, streaming, ...). Each is made when it is first
needed and takes over where the one before it left the robot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from workbench.errors import WorkbenchError
from workbench.ik.streaming_types import StreamingTickResult
from workbench.ik.types import (
    Engine,
    EngineKind,
    SolveStatus,
    TickInputs,
    TickResult,
    ToolResult,
)
from workbench.live.glide import Glide
from workbench.live.inputs import enabled_targets, engine_kind, streaming_inputs, tick_inputs
from workbench.live.monitor import Monitor
from workbench.live.playback import Playback
from workbench.live.snapshot import Status, StreamingView, ToolState
from workbench.live.state import LoopInputs, SessionState
from workbench.poses import Pose, frozen_array


@dataclass(frozen=True, eq=False)
class Turn:
    """What came out of a tick, or of a look at the robot.

    Attributes:
        result: The engine's.
        status: How the arm does.
        tools: One entry a tool frame.
        streaming: What streaming adds; None in other modes.
        playing: Whether a path is being shown.
    """

    result: TickResult
    status: Status
    tools: tuple[ToolState, ...]
    streaming: StreamingView | None = None
    playing: bool = False


@runtime_checkable
class WatchesCollision(Protocol):
    """An engine whose tasks may hold self-collision barriers."""

    def set_collision(self, collision: Any) -> None:
        """Take over the hulls of the robot's links."""
        ...


class RobotRun:
    """Everything that the loop remembers of one robot: dropped whole when another comes."""

    def __init__(self, state: SessionState) -> None:
        """Start with the robot at its home."""
        self.state = state
        self.retry = False
        self._kind: EngineKind = "pink"
        self._engines: dict[EngineKind, Engine] = {"pink": state.bundle.engine}
        self._hulls: object = None
        self._glide = Glide()
        self._monitor = Monitor(state.description.joints_before)
        self._playback: Playback | None = None
        self._last = _at_home(state)
        self._fault: tuple[int, str] | None = None
        self._fault_count = 0

    def turn(self, taken: LoopInputs, now_s: float) -> tuple[Turn, str | None]:
        """Take one tick, or hold; raises whatever the engine raises.

        Returns:
            What came out, and the traceback of a fault that is still in force.
        """
        state = taken.state
        if self._fault is not None:
            version, fault = self._fault
            if not (self.retry or taken.command is not None or state.version != version):
                return self.hold_after_fault(taken, fault), fault
            # The engine may have stopped half way: put it back to where it was good.
            self._put_where_last(self._engines[self._kind])
            self._fault = None
            self._fault_count = 0
        self.retry = False
        engine = self._engine(engine_kind(state.settings))
        self._hand_over_hulls(state)
        if taken.command is not None:
            self._playback = Playback(taken.command, now_s)
        playing = self._play(engine, now_s)
        wanted = enabled_targets(state.settings)
        targets = self._glide.targets(now_s, wanted, taken.dragged, enabled=state.settings.glide)
        inputs = tick_inputs(state.settings, targets)
        if self._kind == "streaming":
            inputs = streaming_inputs(inputs, state.settings, state.controls, now_s)
        paused = state.paused and not taken.single_step
        looks_on = paused or playing or state.settings.mode == "planning"
        try:
            result = engine.observe(inputs) if looks_on else engine.tick(inputs)
        except WorkbenchError as error:
            held = _standing_still(self._last, wanted)
            return Turn(held, *self._monitor.failed_to_set_up(str(error), inputs, held)), None
        self._last = result = _measured_to(wanted, targets, result)
        if looks_on:
            return self._looked_on(state, inputs, result, playing), None
        return self._ticked(state, now_s, inputs, result), None

    def hold_after_fault(self, taken: LoopInputs, fault: str) -> Turn:
        """Hold the last good positions until an edit or a restart."""
        self._fault = (taken.state.version, fault)
        self._fault_count += 1
        inputs = tick_inputs(taken.state.settings)
        held = _standing_still(self._last, inputs.targets)
        _, tools = self._monitor.failed_to_set_up("", inputs, held)
        text = f"stopped by an error of the program: {fault.strip().splitlines()[-1]}"
        status = Status("fault", text, "change a setting or restart the loop", self._fault_count)
        return Turn(held, status, tools, _view(held))

    def _engine(self, kind: EngineKind) -> Engine:
        """Return the engine of a kind, where the one before it has left the robot."""
        if kind not in self._engines:
            self._engines[kind] = self.state.bundle.make_engine(kind)
            self._hulls = None
        engine = self._engines[kind]
        if kind != self._kind:
            self._put_where_last(engine)
            self._monitor.reset()
            self._kind = kind
        return engine

    def _put_where_last(self, engine: Engine) -> None:
        names = self.state.description.joint_names
        engine.set_positions(
            dict(zip(names, self._last.positions.tolist(), strict=True)),
            self._last.transform_base_to_world,
        )

    def _hand_over_hulls(self, state: SessionState) -> None:
        if state.hulls is not self._hulls:
            self._hulls = state.hulls
            for engine in self._engines.values():
                if isinstance(engine, WatchesCollision):
                    engine.set_collision(state.hulls)

    def _play(self, engine: Engine, now_s: float) -> bool:
        """Put the robot where a command wants it now; whether it is still on its way."""
        if self._playback is None:
            return False
        pose, arrived = self._playback.pose_at(now_s)
        engine.set_positions(pose.positions, pose.transform_base_to_world)
        self._monitor.reset()
        if arrived:
            self._playback = None
        return not arrived

    def _looked_on(
        self, state: SessionState, inputs: TickInputs, result: TickResult, playing: bool
    ) -> Turn:
        """Judge a look at a robot that does not follow its targets now."""
        status, tools = self._monitor.stood_still(inputs, result)
        if playing:
            status = Status("converging", "showing the path")
        elif not state.paused:
            status = _planning_status(status, tools)
        return Turn(result, status, tools, _view(result), playing)

    def _ticked(
        self, state: SessionState, now_s: float, inputs: TickInputs, result: TickResult
    ) -> Turn:
        status, tools = self._monitor.ticked(now_s, inputs, result)
        if state.paused:
            status = replace(
                status,
                code="paused" if status.ok else status.code,
                text=f"paused after a single step: {status.text}",
            )
        return Turn(result, status, tools, _view(result))


def _planning_status(status: Status, tools: tuple[ToolState, ...]) -> Status:
    """Say of a robot that only plans move whether it is where its targets are."""
    if all(tool.reached is not False for tool in tools):
        return Status("ok", "planning: the robot is at its targets")
    away = status.text.removeprefix("paused: ")
    return Status("not_reached", f"planning: {away}", "press Plan to the target")


def _view(result: TickResult) -> StreamingView | None:
    if not isinstance(result, StreamingTickResult):
        return None
    return StreamingView(
        state=result.state,
        command=result.command,
        measured=result.measured,
        at_velocity_step=result.saturated_velocity,
        at_tracking_window=result.at_tracking_window,
        at_margin=result.at_margin,
    )


def _at_home(state: SessionState) -> TickResult:
    """Return what is known of a robot before its first tick."""
    home = state.description.home
    positions = frozen_array([home[name] for name in state.description.joint_names])
    return TickResult(
        status=SolveStatus(),
        q=frozen_array([]),
        positions=positions,
        velocities=frozen_array(np.zeros(len(positions))),
        transform_base_to_world=Pose(),
        tools=(),
        solve_time_s=0.0,
    )


def _standing_still(result: TickResult, wanted: Mapping[str, Pose | None]) -> TickResult:
    """Return the last result without motion, measured to the targets of now."""
    tools = tuple(_measured(tool, wanted.get(tool.frame)) for tool in result.tools)
    return replace(result, velocities=frozen_array(np.zeros(len(result.positions))), tools=tools)


def _measured_to(
    wanted: Mapping[str, Pose], targets: Mapping[str, Pose], result: TickResult
) -> TickResult:
    """Return the result with errors to the targets as set, where a tick aimed short of them."""
    gliding = {frame for frame, pose in targets.items() if pose is not wanted[frame]}
    if not gliding:
        return result
    tools = tuple(
        _measured(tool, wanted[tool.frame]) if tool.frame in gliding else tool
        for tool in result.tools
    )
    return replace(result, tools=tools)


def _measured(tool: ToolResult, target: Pose | None) -> ToolResult:
    if target is None:
        errors = None, None
    else:
        errors = tool.transform_tool_to_world.distance_to(target)
    return replace(
        tool,
        transform_target_to_world=target,
        position_error_m=errors[0],
        orientation_error_rad=errors[1],
    )
