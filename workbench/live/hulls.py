"""Makes the hulls of the links when a self-collision barrier asks for them: a job, once a robot."""

from __future__ import annotations

import threading
from collections.abc import Callable

from workbench.config.limits import SelfCollisionBarrierSpec
from workbench.live.bundle import Hulls
from workbench.live.jobs import JobControl, Jobs
from workbench.live.session import Session
from workbench.live.state import SessionState

JOB_KEY = "hulls"


class HullMaker:
    """Watches a session for barriers that need hulls."""

    def __init__(self, session: Session, jobs: Jobs, failed: Callable[[Exception], None]) -> None:
        """Start watching.

        Args:
            session: Gets the hulls.
            jobs: Makes them.
            failed: Receives what went wrong; it is not tried again before the robot changes.
        """
        self._session = session
        self._jobs = jobs
        self._failed = failed
        self._lock = threading.Lock()
        self._asked_for_epoch = 0
        session.subscribe(self._on_change)
        self._on_change(session.state)

    def _on_change(self, state: SessionState) -> None:
        if state.hulls is not None or not wants_hulls(state):
            return
        with self._lock:
            if self._asked_for_epoch == state.epoch:
                return
            self._asked_for_epoch = state.epoch
        make, epoch = state.bundle.make_hulls, state.epoch

        def work(control: JobControl) -> Hulls:
            return make(control.report)

        def done(hulls: Hulls) -> None:
            self._session.set_hulls(hulls, epoch=epoch)

        title = f"Hulls of {state.description.title}"
        self._jobs.submit(title, work, done, self._failed, key=JOB_KEY)


def wants_hulls(state: SessionState) -> bool:
    """Tell whether a self-collision barrier is switched on."""
    return any(
        isinstance(spec, SelfCollisionBarrierSpec) and spec.enabled
        for spec in state.settings.barriers
    )
