"""The way to a grasp: move before it, open, go straight in, close; with a pause and a way back.

The whole way is one path that the loop shows, and one step of undo: a pause on it, and going on
after one, are no steps of their own. The way back is another one. Where the fingers are follows
from how far the robot is. Whatever else sends the robot somewhere, moves its targets or takes the
way back ends it.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from workbench.config.settings import ToolTarget
from workbench.errors import WorkbenchError
from workbench.grasps.gripper import FingerJoint
from workbench.grasps.reach_task import ReachTask
from workbench.grasps.reach_types import ReachResult, grasp_targets
from workbench.live.grasp_fingers import finger_positions
from workbench.live.grasp_way import STEP_S, Point, Way, move_between, way_to
from workbench.live.grasping import Go, GoPhase, Grasping, ReachCase, grasps_of, reach_case
from workbench.live.jobs import JobControl, Jobs
from workbench.live.reach import ReachChecks
from workbench.live.session import Session
from workbench.live.state import SessionState

JOB_KEY = "go"

_SAME_PLACE = 1e-3
"""A joint that is farther from its place on the way, in rad or m, goes there first."""

_STAYED = 0.05
"""A robot one of whose joints moved farther, in rad or m, during the search is not sent off."""


@dataclass(frozen=True, eq=False)
class _Leg:
    """A part of a way, ``first`` to ``last`` in either direction, that is shown or was paused.

    Attributes:
        way: The way.
        first: Index of its first point.
        last: Index of its last one.
        backwards: Whether it goes back.
        lead: Points before the first one, from where the robot was.
        began_s: When it began, in s of the session's clock.
        label: Name of its step of undo.
        gesture: What the session knows that step by.
        sent: Number of the session's command that shows it.
        targets: The tool frames' targets since then.
        paused_at: Index of the point where it was paused; None while it is shown.
    """

    way: Way
    first: int
    last: int
    backwards: bool
    lead: int
    began_s: float
    label: str
    gesture: str
    sent: int
    targets: Mapping[str, ToolTarget]
    paused_at: int | None = None

    def place(self, now_s: float) -> int:
        """Return the index of the point where the robot is."""
        if self.paused_at is not None:
            return self.paused_at
        done = int((now_s - self.began_s) / STEP_S) - self.lead
        done = min(max(done, 0), abs(self.last - self.first))
        return self.first - done if self.backwards else self.first + done

    def rests(self, now_s: float) -> bool:
        """Tell whether the robot stands still on it: paused, or at its end."""
        length = self.lead + abs(self.last - self.first)
        return self.paused_at is not None or now_s - self.began_s >= length * STEP_S


class GraspGo:
    """Drives the live robot to grasps. All methods may be called from any thread."""

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        grasping: Grasping,
        reach: ReachChecks,
        *,
        failed: Callable[[Exception], None] = lambda _error: None,
    ) -> None:
        """Do nothing yet; somebody must call :meth:`step` many times a second.

        Args:
            session: Whose robot.
            jobs: Look for the way.
            grasping: Told how far the robot is.
            reach: Lends its processes.
            failed: Told why there is no way.
        """
        self._failed = failed
        self._session = session
        self._jobs = jobs
        self._grasping = grasping
        self._reach = reach
        self._lock = threading.Lock()
        self._leg: _Leg | None = None
        self._searching_epoch: int | None = None
        self._count = 0

    # What people do --------------------------------------------------------------------------

    def go(self, name: str) -> None:
        """Look for the way to a grasp, and go.

        Args:
            name: The grasp.

        Raises:
            WorkbenchError: If there is no such grasp, no link for the gripper frame, or the
                emergency stop is pressed.
        """
        state = self._session.state
        scene, case, start = state.settings.grasp_scene, reach_case(state), state.bundle.start_reach
        if scene is None or name not in grasps_of(scene):
            raise WorkbenchError("there is no such grasp", value=name)
        if case is None or start is None:
            raise WorkbenchError(
                "it is not known which link the gripper frame is", expected="choose one first"
            )
        self._refuse_when_stopped()
        (target,) = (
            target
            for target in grasp_targets(
                grasps_of(scene), case.transform_object_to_world, case.question.settings,
                case.transform_frame_to_gripper,
            )
            if target.name == name
        )  # fmt: skip
        task = ReachTask(case.question, (target,), with_paths=True)
        searching = Go(name, "searching")

        def found(control: JobControl) -> tuple[ReachResult, tuple[Point, ...]]:
            results: list[ReachResult] = []
            with self._reach.using(case.epoch, start) as pool:
                pool.run(
                    [task], lambda _task, results_: results.extend(results_),
                    lambda: not control.cancelled,
                )  # fmt: skip
            if not results:
                raise WorkbenchError("the way was not found")
            if not results[0].is_reached:
                raise WorkbenchError(f"{name} is not reached: {results[0].text}")
            return results[0], self._corners(state, results[0], control)

        def work(control: JobControl) -> tuple[ReachResult, tuple[Point, ...]]:
            try:
                return found(control)
            finally:
                if control.cancelled and self._grasping.view.go is searching:
                    self._grasping.set_go(None)

        def done(way: tuple[ReachResult, tuple[Point, ...]]) -> None:
            self._set_out(case, name, *way)

        def failed(error: Exception) -> None:
            self._grasping.set_go(None)
            self._failed(error)

        self._forget()
        self._searching_epoch = state.epoch
        self._grasping.set_go(searching)
        self._jobs.submit(f"Way to {name}", work, done, failed, key=JOB_KEY)

    def pause(self) -> None:
        """Hold the robot where it is on its way."""
        leg = self._leg
        if leg is None or leg.rests(self._session.clock()):
            return
        place, way = leg.place(self._session.clock()), leg.way
        # On its lead it is not on the way yet.
        here = self._session.present_positions() if self._on_lead(leg) else way.points[place]
        self._session.command_positions(
            leg.label, here, epoch=way.epoch, gesture=leg.gesture, gesture_rest_s=math.inf
        )
        with self._lock:
            self._leg = replace(leg, paused_at=place, **self._as_sent())
        self._grasping.set_go(Go(way.name, "paused", leg.backwards), way.closed[place])

    def go_on(self) -> None:
        """Go on after a pause, in the direction of before; raises WorkbenchError when stopped."""
        leg = self._leg
        if leg is None or leg.paused_at is None:
            return
        self._refuse_when_stopped()
        self._show(leg.way, leg.paused_at, leg.last, leg.label, leg.gesture,
                   backwards=leg.backwards)  # fmt: skip

    def back(self) -> None:
        """Return the way that was gone: open, straight out, to where the robot came from.

        Raises:
            WorkbenchError: If the emergency stop is pressed.
        """
        leg = self._leg
        if leg is None:
            return
        self._refuse_when_stopped()
        self._show(
            leg.way, leg.place(self._session.clock()), 0, f"back from {leg.way.name}",
            self._new_gesture(), backwards=True,
        )  # fmt: skip

    # What time does --------------------------------------------------------------------------

    def step(self) -> None:
        """Move the fingers along; called many times a second."""
        state, leg = self._session.state, self._leg
        if leg is None:
            if self._searching_epoch not in (None, state.epoch):
                # Another robot has come while the way was looked for.
                self._forget()
                self._grasping.set_go(None)
            return
        if self._has_ended(leg, state):
            self._forget()
            self._grasping.set_go(None)
            return
        if state.controls.emergency_stop:
            self.pause()
        leg = self._leg
        if leg is None or leg.paused_at is not None:
            return
        now_s, way = self._session.clock(), leg.way
        place = leg.place(now_s)
        phase: GoPhase = way.phases[place]
        if leg.rests(now_s):
            phase = "there"
            if leg.backwards:
                self._forget()
                self._grasping.set_go(None, way.closed[place])
                self._move_fingers(state, way, place)
                return
        self._move_fingers(state, way, place)
        self._grasping.set_go(Go(way.name, phase, leg.backwards), way.closed[place])

    def _has_ended(self, leg: _Leg, state: SessionState) -> bool:
        """Tell whether something else has sent the robot away, or its targets."""
        if state.epoch != leg.way.epoch or self._session.commands_sent != leg.sent:
            return True
        return leg.rests(self._session.clock()) and state.settings.targets != leg.targets

    def _move_fingers(self, state: SessionState, way: Way, place: int) -> None:
        scene = state.settings.grasp_scene
        if scene is None or way.name not in grasps_of(scene):
            return
        positions = finger_positions(grasps_of(scene)[way.name], way.fingers, way.closed[place])
        solved_for = state.description.joint_names
        self._grasping.set_fingers(
            {name: at for name, at in positions.items() if name not in solved_for}
        )

    # Inside ----------------------------------------------------------------------------------

    def _corners(
        self, state: SessionState, result: ReachResult, control: JobControl
    ) -> tuple[Point, ...]:
        """Return a way to where the approach begins on which no links touch, where we can look."""
        start = self._session.present_positions()
        names = state.description.joint_names
        end = dict(zip(names, result.pregrasp_positions, strict=True))
        find = state.bundle.free_move
        return (start, end) if find is None else tuple(
            find(start, end, lambda: not control.cancelled)
        )  # fmt: skip

    def _set_out(
        self, case: ReachCase, name: str, result: ReachResult, corners: tuple[Point, ...]
    ) -> None:
        session, state = self._session, self._session.state
        here = session.present_positions()
        if reach_case(state) != case or _distance(here, corners[0]) > _STAYED:
            self._grasping.set_go(None)
            raise WorkbenchError("something has changed meanwhile", expected="press Go again")
        scene, cut_out = state.settings.grasp_scene, state.bundle.gripper
        assert scene is not None
        fingers: tuple[FingerJoint, ...] = ()
        if cut_out is not None and scene.gripper_frame is not None:
            fingers = cut_out(scene.gripper_frame).fingers
        grasp = grasps_of(scene)[name]
        solved_for = state.description.joint_names

        def fingers_at(closed: float) -> dict[str, float]:
            positions = finger_positions(grasp, fingers, closed)
            return {joint: at for joint, at in positions.items() if joint in solved_for}

        way = way_to(
            name, state, (here, *corners[1:]), result, closed_at_first=self._grasping.view.closed
        )
        points = tuple(
            {**point, **fingers_at(closed)}
            for point, closed in zip(way.points, way.closed, strict=True)
        )
        way = replace(way, points=points, fingers=fingers)
        self._show(way, 0, len(way.points) - 1, f"go to {name}", self._new_gesture(),
                   backwards=False)  # fmt: skip

    def _show(
        self, way: Way, first: int, last: int, label: str, gesture: str, *, backwards: bool
    ) -> None:
        direction = -1 if backwards else 1
        points = [way.points[place] for place in range(first, last + direction, direction)]
        here, lead = self._session.present_positions(), []
        if _distance(here, points[0]) > _SAME_PLACE and way.epoch == self._session.state.epoch:
            # It has drifted along what its targets leave free: nothing jumps.
            lead = move_between(here, {**here, **points[0]}, self._session.state.description)
        began_s = self._session.clock()
        state = self._session.command_positions(
            label, points[-1], epoch=way.epoch, path=[*lead, *points], step_s=STEP_S,
            gesture=gesture, gesture_rest_s=math.inf,
        )  # fmt: skip
        if state.epoch != way.epoch:
            self._forget()
            self._grasping.set_go(None)
            return
        with self._lock:
            self._searching_epoch = None
            self._leg = _Leg(
                way, first, last, backwards, len(lead), began_s, label, gesture, **self._as_sent()
            )
        self.step()

    def _as_sent(self) -> dict[str, Any]:
        """Return what tells later whether the command that was just sent is still in force."""
        session = self._session
        return {"sent": session.commands_sent, "targets": session.state.settings.targets}

    def _on_lead(self, leg: _Leg) -> bool:
        return self._session.clock() - leg.began_s < leg.lead * STEP_S

    def _refuse_when_stopped(self) -> None:
        if self._session.state.controls.emergency_stop:
            raise WorkbenchError("the emergency stop is pressed", expected="release it first")

    def _new_gesture(self) -> str:
        self._count += 1
        return f"go {self._count}"

    def _forget(self) -> None:
        with self._lock:
            self._leg = self._searching_epoch = None


def _distance(here: Point, there: Point) -> float:
    """Return how far the farthest joint that both name is from one to the other, rad or m."""
    return max((abs(here[name] - at) for name, at in there.items() if name in here), default=0.0)
