"""The loop: takes the session's inputs once a tick, drives the engine, publishes what came out.

Everything of a tick happens in :meth:`Loop.step`, which a test may call as well as the thread. No
lock is held while the engine solves. An exception ends a tick, never the thread: the arm holds,
the page shows the fault with its traceback, and the next edit (or :meth:`Loop.restart`) tries
again from the last good positions.
"""

from __future__ import annotations

import math
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from workbench.errors import WorkbenchError
from workbench.ik.types import Engine, SolveStatus, TickResult, ToolResult
from workbench.live.exchange import Latest, RecordRing
from workbench.live.glide import Glide
from workbench.live.inputs import enabled_targets, tick_inputs
from workbench.live.monitor import Monitor
from workbench.live.pacing import Pacer
from workbench.live.session import Session
from workbench.live.snapshot import StateSnapshot, Status, Timing, ToolState
from workbench.live.state import LoopInputs, SessionState
from workbench.poses import Pose, frozen_array

REST_AFTER_S = 60.0
REST_RATE_HZ = 10.0

_TIMING_WINDOW_TICKS = 1000
_TIMING_EVERY_S = 0.25
_SWITCH_INTERVAL_S = 1e-4
_FAULTS_KEPT = 5
_NO_TIMING = Timing(0.0, 0.0, 0.0, 0)


@dataclass(frozen=True)
class Fault:
    """An unexpected exception: a bug, shown with its traceback.

    Attributes:
        at_utc: When it first came.
        text: The traceback.
        count: How often it came in a row.
    """

    at_utc: datetime
    text: str
    count: int = 1


class Loop:
    """Ticks a session's robot at its rate, on a thread of its own or step by step."""

    def __init__(
        self,
        session: Session,
        *,
        clock: Callable[[], float] | None = None,
        wait: Callable[[threading.Event, float], bool] | None = None,
        now_utc: Callable[[], datetime] | None = None,
        rest_after_s: float = REST_AFTER_S,
    ) -> None:
        """Get ready; nothing runs before :meth:`start` or :meth:`step`.

        Args:
            session: Where inputs come from; its ``snapshots`` slot receives the results.
            clock: Monotonic time in s; the session's by default, and the same in any case.
            wait: Waits for an event or some time in s, and returns whether the event came.
            now_utc: The time of day, for faults.
            rest_after_s: Time without a page after which the loop rests at 10 Hz.
        """
        self.latest: Latest[StateSnapshot] = session.snapshots
        self.records = RecordRing()
        self._session = session
        self._clock = clock or session.clock
        self._wait = wait or threading.Event.wait
        self._now_utc = now_utc or (lambda: datetime.now(UTC))
        self._rest_after_s = rest_after_s
        self._thread: threading.Thread | None = None
        self._stopping = False
        self._wake = threading.Event()
        self._listeners: tuple[Callable[[], None], ...] = ()

        now_s = self._clock()
        self._pacer = Pacer(now_s, session.state.settings.dt)
        self._watched = False
        self._last_sign_of_life_s = now_s
        self._resting = False

        self._tick = 0
        self._robot = _RobotRun(session.state)
        self._faults: tuple[Fault, ...] = ()
        self._began_s = math.nan
        self._timing = _NO_TIMING
        self._timing_at_s = -math.inf
        self._unsubscribe = session.subscribe(self._on_session_change)

    # Control; from any thread ------------------------------------------------------------

    def start(self) -> None:
        """Run on a thread of its own; does nothing when it runs already."""
        if self._thread is None:
            self._stopping = False
            self._pacer.restart(self._clock())
            self._thread = threading.Thread(target=self.run, name="loop", daemon=True)
            self._thread.start()

    def stop(self, timeout_s: float = 1.0) -> bool:
        """End the thread; returns whether it ended in time."""
        self._stopping = True
        self._wake.set()
        self._unsubscribe()
        thread, self._thread = self._thread, None
        if thread is None or thread is threading.current_thread():
            return True
        thread.join(timeout_s)
        return not thread.is_alive()

    def set_watched(self, watched: bool) -> None:
        """Say whether any page is open; the loop rests a minute after the last one closed."""
        self._watched = watched
        self._show_life()

    def restart(self) -> None:
        """Try again after a fault."""
        self._robot.retry = True
        self._show_life()

    def on_tick(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call ``callback`` on the loop's thread after every tick; returns an unsubscriber.

        It must only wake somebody: the loop waits for it.
        """
        self._listeners = (*self._listeners, callback)

        def unsubscribe() -> None:
            self._listeners = tuple(item for item in self._listeners if item is not callback)

        return unsubscribe

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The last faults, oldest first."""
        return self._faults

    @property
    def resting(self) -> bool:
        """Whether the loop goes at 10 Hz because nobody looks."""
        return self._resting

    @property
    def running(self) -> bool:
        """Whether the loop's thread is alive."""
        return self._thread is not None and self._thread.is_alive()

    # The thread --------------------------------------------------------------------------

    def run(self) -> None:
        """Tick at the settings' rate until :meth:`stop`; what the thread does."""
        switch_interval_s = sys.getswitchinterval()
        # Python lets a busy thread keep the interpreter for 5 ms by default: a whole period at
        # 200 Hz. While the loop runs, it waits no longer than this for its turn.
        sys.setswitchinterval(_SWITCH_INTERVAL_S)
        try:
            while not self._stopping:
                self._run_once()
        finally:
            sys.setswitchinterval(switch_interval_s)

    def _run_once(self) -> None:
        now_s = self._clock()
        self._resting = self._wants_rest(now_s)
        # Looked at twice: a sign of life may have come between the look and the flag that makes
        # it wake the thread.
        self._resting = self._resting and self._wants_rest(now_s)
        self._pacer.set_period(1.0 / self._rate_hz(self._session.state), now_s)
        remaining_s = self._pacer.remaining_s(now_s)
        if remaining_s > 0.0:
            if self._wait(self._wake, remaining_s):
                self._wake.clear()
            return
        self._pacer.begin(now_s)
        try:
            self.step()
        except Exception:
            # A listener failed: the tick itself is out.
            self._note_fault(traceback.format_exc())

    def _on_session_change(self, _state: SessionState) -> None:
        self._show_life()

    def _show_life(self) -> None:
        self._last_sign_of_life_s = self._clock()
        if self._resting:
            self._wake.set()

    def _wants_rest(self, now_s: float) -> bool:
        return not self._watched and now_s - self._last_sign_of_life_s >= self._rest_after_s

    def _rate_hz(self, state: SessionState) -> float:
        rate_hz = state.settings.rate_hz
        return min(rate_hz, REST_RATE_HZ) if self._resting else rate_hz

    # One tick ----------------------------------------------------------------------------

    def step(self) -> StateSnapshot:
        """Take one turn now: a tick, or a look at the robot while paused.

        Returns:
            The snapshot that was published.
        """
        began_s = self._clock()
        inputs = self._session.take_inputs()
        if inputs.state.epoch != self._robot.state.epoch:
            self._robot = _RobotRun(inputs.state)
        robot = self._robot
        try:
            result, status, tools, fault = robot.turn(inputs, began_s)
        except Exception:
            fault = traceback.format_exc()
            self._note_fault(fault)
            result, status, tools = robot.hold_after_fault(inputs, fault)
        ended_s = self._clock()
        period_s = began_s - self._began_s
        self._began_s = began_s
        self._tick += 1
        self._record(began_s, ended_s - began_s, period_s, tools)
        snapshot = StateSnapshot(
            epoch=inputs.state.epoch,
            tick=self._tick,
            settings_version=inputs.state.version,
            time_s=ended_s,
            rate_hz=self._rate_hz(inputs.state),
            paused=inputs.state.paused,
            q=result.q,
            positions=result.positions,
            velocities=result.velocities,
            transform_base_to_world=result.transform_base_to_world,
            tools=tools,
            status=status,
            timing=self._timing,
            fault=fault,
        )
        self.latest.put(snapshot)
        for listener in self._listeners:
            listener()
        return snapshot

    def _record(
        self, began_s: float, tick_time_s: float, period_s: float, tools: tuple[ToolState, ...]
    ) -> None:
        self.records.append(
            began_s,
            _largest([tool.result.position_error_m for tool in tools]),
            _largest([tool.result.orientation_error_rad for tool in tools]),
            tick_time_s,
            period_s,
        )
        if began_s - self._timing_at_s >= _TIMING_EVERY_S:
            self._timing_at_s = began_s
            last = self.records.last(_TIMING_WINDOW_TICKS, seconds=5.0)
            p50_s, p99_s = np.percentile(last.tick_time_s, (50, 99)).tolist()
            periods_s = last.period_s[np.isfinite(last.period_s)]
            period_p99_s = float(np.percentile(periods_s, 99)) if len(periods_s) else 0.0
            self._timing = Timing(p50_s, p99_s, period_p99_s, self._pacer.missed)

    def _note_fault(self, text: str) -> None:
        last = self._faults[-1] if self._faults else None
        if last is not None and last.text == text:
            self._faults = (*self._faults[:-1], replace(last, count=last.count + 1))
        else:
            self._faults = (*self._faults, Fault(self._now_utc(), text))[-_FAULTS_KEPT:]


Outcome = tuple[TickResult, Status, tuple[ToolState, ...]]


class _RobotRun:
    """Everything that the loop remembers of one robot: dropped whole when another comes."""

    def __init__(self, state: SessionState) -> None:
        self.state = state
        self.retry = False
        self._engine: Engine = state.bundle.engine
        self._glide = Glide()
        self._monitor = Monitor(state.description.joints_before)
        self._last = _at_home(state)
        self._fault: tuple[int, str] | None = None
        self._fault_count = 0

    def turn(
        self, taken: LoopInputs, now_s: float
    ) -> tuple[TickResult, Status, tuple[ToolState, ...], str | None]:
        """Take one tick, or hold; raises whatever the engine raises."""
        state = taken.state
        if self._fault is not None:
            version, fault = self._fault
            if not (self.retry or taken.command is not None or state.version != version):
                return *self.hold_after_fault(taken, fault), fault
            # The engine may have stopped half way: put it back to where it was good.
            names = state.description.joint_names
            self._engine.set_positions(
                dict(zip(names, self._last.positions.tolist(), strict=True)),
                self._last.transform_base_to_world,
            )
            self._fault = None
            self._fault_count = 0
        self.retry = False
        if taken.command is not None:
            command = taken.command
            self._engine.set_positions(command.positions, command.transform_base_to_world)
            self._monitor.reset()
        wanted = enabled_targets(state.settings)
        targets = self._glide.targets(now_s, wanted, taken.dragged, enabled=state.settings.glide)
        inputs = tick_inputs(state.settings, targets)
        paused = state.paused and not taken.single_step
        try:
            result = self._engine.observe(inputs) if paused else self._engine.tick(inputs)
        except WorkbenchError as error:
            held = _standing_still(self._last, wanted)
            return held, *self._monitor.failed_to_set_up(str(error), inputs, held), None
        self._last = result = _measured_to(wanted, targets, result)
        if paused:
            return result, *self._monitor.stood_still(inputs, result), None
        status, tools = self._monitor.ticked(now_s, inputs, result)
        if state.paused:
            status = replace(
                status,
                code="paused" if status.ok else status.code,
                text=f"paused after a single step: {status.text}",
            )
        return result, status, tools, None

    def hold_after_fault(self, taken: LoopInputs, fault: str) -> Outcome:
        """Hold the last good positions until an edit or a restart."""
        self._fault = (taken.state.version, fault)
        self._fault_count += 1
        inputs = tick_inputs(taken.state.settings)
        held = _standing_still(self._last, inputs.targets)
        _, tools = self._monitor.failed_to_set_up("", inputs, held)
        text = f"stopped by an error of the program: {fault.strip().splitlines()[-1]}"
        status = Status("fault", text, "change a setting or restart the loop", self._fault_count)
        return held, status, tools


def _largest(numbers: list[float | None]) -> float:
    return max((number for number in numbers if number is not None), default=math.nan)


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
