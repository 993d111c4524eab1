"""Says a few times a second why the arm does what it does, beside the loop and not in it.

An explanation takes several times as long as a tick, so that it would make the loop late. It is
worked out on a thread and an engine of its own, from the loop's newest snapshot.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from workbench.errors import WorkbenchError
from workbench.ik.explanation import Explanation
from workbench.ik.types import Engine, TickInputs
from workbench.live.exchange import Latest
from workbench.live.inputs import tick_inputs
from workbench.live.session import Session
from workbench.live.snapshot import StateSnapshot
from workbench.live.state import SessionState

PERIOD_S = 0.25
ASKED_FOR_S = 5.0


@runtime_checkable
class Explains(Protocol):
    """An engine that can say why its next step is what it is."""

    def explain(self, inputs: TickInputs) -> Explanation:
        """Return why; nothing moves."""
        ...

    def set_collision(self, collision: Any) -> None:
        """Take over the hulls of the robot's links."""
        ...


@dataclass(frozen=True, eq=False)
class Explained:
    """An explanation, and of what.

    Attributes:
        epoch: Number of the robot.
        tick: The loop's tick whose configuration was explained.
        explanation: Why the step from there is what it is.
    """

    epoch: int
    tick: int
    explanation: Explanation


class Explainer:
    """Explains the loop's newest state while somebody wants to know."""

    def __init__(
        self,
        session: Session,
        *,
        is_watched: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
        on_fault: Callable[[str], None] = lambda _traceback: None,
    ) -> None:
        """Get ready; nothing runs before :meth:`start` or :meth:`step`.

        Args:
            session: Whose robot, settings and snapshots.
            is_watched: Whether a page is open.
            clock: Monotonic time in s.
            on_fault: Told the traceback of an error of the program.
        """
        self.latest: Latest[Explained] = Latest()
        self._session = session
        self._is_watched = is_watched
        self._clock = clock
        self._on_fault = on_fault
        self._asked_at_s = -ASKED_FOR_S
        self._epoch = 0
        self._engine: Engine | None = None
        self._hulls: object = None
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def ask(self) -> Explained | None:
        """Return the newest explanation of the present robot, and go on explaining for a while."""
        self._asked_at_s = self._clock()
        latest = self.latest.get()
        if latest is None or latest.epoch != self._session.state.epoch:
            return None
        return latest

    def start(self) -> None:
        """Explain on a thread of its own."""
        self._thread = threading.Thread(target=self._run, name="explainer", daemon=True)
        self._thread.start()

    def stop(self, timeout_s: float = 1.0) -> None:
        """End the thread."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join(timeout_s)

    def step(self) -> Explained | None:
        """Explain the newest state now; returns None where nobody wants it or nothing is known."""
        if not self._is_watched() and self._clock() - self._asked_at_s >= ASKED_FOR_S:
            return None
        state, snapshot = self._session.state, self._session.snapshots.get()
        if snapshot is None or snapshot.epoch != state.epoch or snapshot.fault is not None:
            return None
        explanation = self._explain(state, snapshot)
        if explanation is None:
            return None
        explained = Explained(state.epoch, snapshot.tick, explanation)
        self.latest.put(explained)
        return explained

    def _explain(self, state: SessionState, snapshot: StateSnapshot) -> Explanation | None:
        if self._epoch != state.epoch or self._engine is None:
            self._engine, self._hulls = state.bundle.make_engine("pink"), None
            self._epoch = state.epoch
        engine = self._engine
        if not isinstance(engine, Explains):
            return None
        if state.hulls is not self._hulls:
            self._hulls = state.hulls
            engine.set_collision(state.hulls)
        names = state.description.joint_names
        try:
            engine.set_positions(
                dict(zip(names, snapshot.positions.tolist(), strict=True)),
                snapshot.transform_base_to_world,
            )
            return engine.explain(tick_inputs(state.settings))
        except WorkbenchError:
            return None  # the loop's own status says it

    def _run(self) -> None:
        while not self._ended.wait(PERIOD_S):
            try:
                self.step()
            except Exception:
                self._on_fault(traceback.format_exc())
                self._engine = None
