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
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from workbench.live.exchange import Latest, RecordRing
from workbench.live.pacing import Pacer
from workbench.live.robot_run import RobotRun
from workbench.live.session import Session
from workbench.live.snapshot import StateSnapshot, Timing, ToolState
from workbench.live.state import SessionState

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
        self._robot = RobotRun(session.state)
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
            self._robot = RobotRun(inputs.state)
        robot = self._robot
        try:
            turn, fault = robot.turn(inputs, began_s)
        except Exception:
            fault = traceback.format_exc()
            self._note_fault(fault)
            turn = robot.hold_after_fault(inputs, fault)
        result, status, tools = turn.result, turn.status, turn.tools
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
            mode=inputs.state.settings.mode,
            streaming=turn.streaming,
            playing=turn.playing,
            closest_pair=result.closest_pair,
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


def _largest(numbers: list[float | None]) -> float:
    return max((number for number in numbers if number is not None), default=math.nan)
