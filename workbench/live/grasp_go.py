"""The way to a grasp: move before it, open, go straight in, close; with a pause and a way back.

The whole way is one path that the loop shows, so that it is one step of undo; where the fingers are
follows from how far the robot is on it.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.errors import WorkbenchError
from workbench.grasps.gripper import FingerJoint
from workbench.grasps.reach_task import ReachTask
from workbench.grasps.reach_types import ReachResult, grasp_targets
from workbench.live.grasp_fingers import finger_positions
from workbench.live.grasping import Go, GoPhase, Grasping, ReachCase, grasps_of, reach_case
from workbench.live.jobs import JobControl, Jobs
from workbench.live.reach import ReachChecks
from workbench.live.session import Session
from workbench.live.state import SessionState
from workbench.model.description import RobotDescription

JOB_KEY = "go"
STEP_S = 0.01
FINGERS_S = 0.6
FINGER_STEPS = 15
SHORTEST_MOVE_S = 0.5
SHARE_OF_SPEED = 0.4
"""How fast the move before the grasp is at most, of each joint's velocity limit."""

Point = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Way:
    """A path, point by point.

    Attributes:
        name: The grasp that it leads to.
        epoch: Number of the robot.
        points: Joint positions by name, rad or m.
        phases: What the robot does at each point.
        closed: How far the gripper is closed at each point, from 0 to 1.
        fingers: The gripper's joints.
    """

    name: str
    epoch: int
    points: tuple[Point, ...]
    phases: tuple[GoPhase, ...]
    closed: tuple[float, ...]
    fingers: tuple[FingerJoint, ...] = ()


@dataclass(frozen=True, eq=False)
class _Leg:
    """A part of a way that is being shown: ``first`` to ``last``, in either direction."""

    way: Way
    first: int
    last: int
    backwards: bool
    began_s: float
    label: str

    def place(self, now_s: float) -> int:
        done = min(int((now_s - self.began_s) / STEP_S), abs(self.last - self.first))
        return self.first - done if self.backwards else self.first + done


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
        self._paused_at: tuple[Way, int, bool] | None = None

    # What people do --------------------------------------------------------------------------

    def go(self, name: str) -> None:
        """Look for the way to a grasp, and go.

        Args:
            name: The grasp.

        Raises:
            WorkbenchError: If there is no such grasp, or no link for the gripper frame.
        """
        state = self._session.state
        scene, case, start = state.settings.grasp_scene, reach_case(state), state.bundle.start_reach
        if scene is None or name not in grasps_of(scene):
            raise WorkbenchError("there is no such grasp", value=name)
        if case is None or start is None:
            raise WorkbenchError(
                "it is not known which link the gripper frame is", expected="choose one first"
            )
        (target,) = (
            target
            for target in grasp_targets(
                grasps_of(scene), case.transform_object_to_world, case.question.settings,
                case.transform_frame_to_gripper,
            )
            if target.name == name
        )  # fmt: skip
        task = ReachTask(case.question, (target,), with_paths=True)

        def work(control: JobControl) -> ReachResult:
            found: list[ReachResult] = []
            with self._reach.using(case.epoch, start) as pool:
                pool.run(
                    [task], lambda _task, results: found.extend(results),
                    lambda: not control.cancelled,
                )  # fmt: skip
            if not found:
                raise WorkbenchError("the way was not found")
            if not found[0].is_reached:
                raise WorkbenchError(f"{name} is not reached: {found[0].text}")
            return found[0]

        def done(result: ReachResult) -> None:
            self._set_out(case, name, result)

        def failed(error: Exception) -> None:
            self._grasping.set_go(None)
            self._failed(error)

        self._forget()
        self._grasping.set_go(Go(name, "searching"))
        self._jobs.submit(f"Way to {name}", work, done, failed, key=JOB_KEY)

    def pause(self) -> None:
        """Hold the robot where it is on its way."""
        with self._lock:
            leg, self._leg = self._leg, None
            if leg is None:
                return
            place = leg.place(self._session.clock())
            self._paused_at = leg.way, place, leg.backwards
        way = leg.way
        self._session.command_positions(
            f"pause on the way to {way.name}", way.points[place], epoch=way.epoch
        )
        self._grasping.set_go(Go(way.name, "paused", leg.backwards), way.closed[place])

    def go_on(self) -> None:
        """Go on after a pause, in the direction of before."""
        with self._lock:
            paused, self._paused_at = self._paused_at, None
        if paused is None:
            return
        way, place, backwards = paused
        last = 0 if backwards else len(way.points) - 1
        self._show(way, place, last, f"go on to {way.name}", backwards=backwards)

    def back(self) -> None:
        """Return the way that was gone: open, straight out, to where the robot came from."""
        with self._lock:
            if self._leg is not None:
                way, place = self._leg.way, self._leg.place(self._session.clock())
            elif self._paused_at is not None:
                way, place = self._paused_at[:2]
            else:
                return
            self._paused_at = None
        self._show(way, place, 0, f"back from {way.name}", backwards=True)

    # What time does --------------------------------------------------------------------------

    def step(self) -> None:
        """Move the fingers along; called many times a second."""
        leg = self._leg
        if leg is None:
            return
        state, way = self._session.state, leg.way
        if state.epoch != way.epoch or state.redo_label == leg.label:
            # Another robot has come, or the way was taken back.
            self._forget()
            self._grasping.set_go(None)
            return
        place = leg.place(self._session.clock())
        backwards = leg.backwards
        phase: GoPhase = way.phases[place]
        if place == leg.last:
            phase = "there"
            if backwards:
                self._forget()
                self._grasping.set_go(None, way.closed[place])
                self._move_fingers(state, way, place)
                return
        self._move_fingers(state, way, place)
        self._grasping.set_go(Go(way.name, phase, backwards), way.closed[place])

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

    def _set_out(self, case: ReachCase, name: str, result: ReachResult) -> None:
        session, state = self._session, self._session.state
        if reach_case(state) != case:
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
            name, state, session.present_pose().positions, result,
            closed_at_first=self._grasping.view.closed,
        )  # fmt: skip
        points = tuple(
            {**point, **fingers_at(closed)}
            for point, closed in zip(way.points, way.closed, strict=True)
        )
        way = replace(way, points=points, fingers=fingers)
        self._show(way, 0, len(way.points) - 1, f"go to {name}", backwards=False)

    def _show(self, way: Way, first: int, last: int, label: str, *, backwards: bool) -> None:
        direction = -1 if backwards else 1
        places = range(first, last + direction, direction)
        points = [way.points[place] for place in places]
        state = self._session.command_positions(
            label, points[-1], epoch=way.epoch, path=points, step_s=STEP_S
        )
        if state.epoch != way.epoch:
            self._grasping.set_go(None)
            return
        with self._lock:
            self._leg = _Leg(way, first, last, backwards, self._session.clock(), label)
            self._paused_at = None
        self.step()

    def _forget(self) -> None:
        with self._lock:
            self._leg = self._paused_at = None


def way_to(
    name: str,
    state: SessionState,
    start: Mapping[str, float],
    result: ReachResult,
    *,
    closed_at_first: float,
) -> Way:
    """Return the whole way to a grasp.

    Args:
        name: The grasp.
        state: The robot.
        start: Where it is, by joint name, rad or m.
        result: A reached grasp, with the path of its approach.
        closed_at_first: How far the gripper is closed, from 0 to 1.
    """
    names = state.description.joint_names
    at_start = np.array([start[joint] for joint in names])
    before = np.array(result.pregrasp_positions)
    move = _move(at_start, before, state.description)
    rest = max(round(FINGERS_S / STEP_S), 1)
    approach = result.approach_path or (result.positions,)
    rows: list[Sequence[float]] = [
        *move, *[move[-1]] * rest, *approach, *[tuple(approach[-1])] * rest,
    ]  # fmt: skip
    # Steps that the eye cannot tell apart would only cost messages.
    shares = [
        math.ceil(FINGER_STEPS * (number + 1) / rest) / FINGER_STEPS for number in range(rest)
    ]
    closed = [
        *[closed_at_first] * len(move),
        *[closed_at_first * (1.0 - share) for share in shares],
        *[0.0] * len(approach),
        *shares,
    ]
    phases: list[GoPhase] = [
        *["moving"] * len(move), *["opening"] * rest, *["approaching"] * len(approach),
        *["closing"] * rest,
    ]  # type: ignore[list-item]  # fmt: skip
    points = tuple(dict(zip(names, map(float, row), strict=True)) for row in rows)
    return Way(name, state.epoch, points, tuple(phases), tuple(closed))


def _move(
    start: np.ndarray, end: np.ndarray, description: RobotDescription
) -> list[tuple[float, ...]]:
    """Return points from one posture to another, every joint along a smooth step."""
    difference = end - start
    turning = np.array([joint.kind == "continuous" for joint in description.joints])
    # A joint without end takes the shorter way round.
    difference[turning] = (difference[turning] + np.pi) % (2.0 * np.pi) - np.pi
    speeds = SHARE_OF_SPEED * np.array([joint.velocity_limit for joint in description.joints])
    # The smooth step 3 s^2 - 2 s^3 is at most half as fast again as a uniform one.
    duration = max(float(np.max(1.5 * np.abs(difference) / speeds)), SHORTEST_MOVE_S)
    count = max(round(duration / STEP_S), 1)
    shares = np.linspace(0.0, 1.0, count + 1)[1:]
    smooth = shares * shares * (3.0 - 2.0 * shares)
    return [tuple((start + share * difference).tolist()) for share in smooth]
