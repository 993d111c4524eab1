"""What the page knows of grasps besides the settings: which one is looked at, and what was found.

None of it can be undone. A result is kept with what it was found for, so that it is known at any
time which results still hold and which are old.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from workbench.config.frozen import frozen_mapping
from workbench.config.grasp_scene import APPROACH_AXES, GraspScene
from workbench.grasps.grasp import Grasp
from workbench.grasps.reach_task import ReachQuestion
from workbench.grasps.reach_types import ReachResult, ReachSettings, ReachState
from workbench.grasps.spec import GraspSpec
from workbench.live.broadcast import Broadcast
from workbench.live.state import SessionState
from workbench.poses import Pose

GraspState = Literal["unknown", "stale", "running"] | ReachState

GRASP_STATES: tuple[GraspState, ...] = (
    "reached", "reached_with_retry", "approach_fails", "not_reached", "running", "stale", "unknown",
)  # fmt: skip
"""Every state, best first."""


@dataclass(frozen=True)
class ReachCase:
    """All that results depend on besides the grasp itself.

    Attributes:
        epoch: Number of the robot.
        question: Settings, frame, and how grasps are tried.
        transform_object_to_world: Where the object is.
        transform_frame_to_gripper: The robot's frame in the file's gripper frame.
    """

    epoch: int
    question: ReachQuestion
    transform_object_to_world: Pose
    transform_frame_to_gripper: Pose


@dataclass(frozen=True, eq=False)
class Found:
    """A result, and what it was found for."""

    case: ReachCase
    grasp: Grasp
    result: ReachResult


GoPhase = Literal["searching", "moving", "opening", "approaching", "closing", "there", "paused"]


@dataclass(frozen=True)
class Go:
    """How far the robot is on its way to a grasp.

    Attributes:
        name: The grasp.
        phase: What it does.
        backwards: Whether it goes back to where it came from.
    """

    name: str
    phase: GoPhase
    backwards: bool = False


@dataclass(frozen=True, eq=False)
class GraspView:
    """One consistent view of the grasps beside the settings.

    Attributes:
        selected: Name of the grasp that is looked at; None for none.
        shown: Whether grasps are drawn.
        closed: How far the drawn gripper is closed: 0 as before the grasp, 1 as in it.
        automatic: Whether reach is checked again by itself.
        found: The newest result of each grasp, by name.
        checking: What is being checked now; None for nothing.
        fingers: Where the robot's own fingers are, by name, rad or m, as far as nobody solves for
            them; those that are not named are where the robot's profile holds them.
        go: The way to a grasp that the robot is on; None for none.
    """

    selected: str | None = None
    shown: bool = True
    closed: float = 1.0
    automatic: bool = True
    found: Mapping[str, Found] = field(default_factory=dict)
    checking: ReachCase | None = None
    fingers: Mapping[str, float] = field(default_factory=dict)
    go: Go | None = None

    def states(self, state: SessionState) -> dict[str, GraspState]:
        """Return the state of every grasp, by name, in the file's order."""
        scene = state.settings.grasp_scene
        if scene is None:
            return {}
        case = reach_case(state)
        otherwise: GraspState = "unknown"
        if case is not None and self.checking == case:
            otherwise = "running"
        # One comparison for all results of the same check.
        holds: dict[int, bool] = {}
        states: dict[str, GraspState] = {}
        for grasp in grasps_of(scene):
            found = self.found.get(grasp.name)
            if found is None:
                states[grasp.name] = otherwise
                continue
            key = id(found.case)
            if key not in holds:
                holds[key] = found.case == case
            if holds[key] and found.grasp is grasp:
                states[grasp.name] = found.result.state
            else:
                states[grasp.name] = "running" if otherwise == "running" else "stale"
        return states

    def result(self, name: str | None) -> ReachResult | None:
        """Return the newest result of a grasp, old or not."""
        found = None if name is None else self.found.get(name)
        return None if found is None else found.result


class Grasping:
    """Holds the view, for all threads. Everybody sees the same."""

    def __init__(self) -> None:
        """Start with nothing selected and nothing found."""
        self._lock = threading.Lock()
        self._view = GraspView()
        self._subscribers: Broadcast[GraspView] = Broadcast()

    @property
    def view(self) -> GraspView:
        """The present view, never half new."""
        return self._view

    def subscribe(self, listener: Callable[[GraspView], None]) -> Callable[[], None]:
        """Call ``listener`` after every change; returns an unsubscriber."""
        return self._subscribers.subscribe(listener)

    def restore(self, view: GraspView) -> None:
        """Look at grasps as in another session, of which nothing is found here."""
        with self._lock:
            self._swap(view)
        self._subscribers.deliver()

    def select(self, name: str | None) -> None:
        """Look at a grasp."""
        self._change(selected=name)

    def show(self, shown: bool) -> None:
        """Draw grasps, or do not."""
        self._change(shown=shown)

    def close_fingers(self, closed: float) -> None:
        """Draw the gripper as before the grasp (0), in it (1), or between."""
        self._change(closed=min(max(closed, 0.0), 1.0))

    def set_fingers(self, positions: Mapping[str, float]) -> None:
        """Show the robot's own fingers elsewhere; those that are not named stay."""
        self._change(fingers=frozen_mapping({**self._view.fingers, **positions}))

    def set_go(self, go: Go | None, closed: float | None = None) -> None:
        """Say how far the robot is on its way, and how far its gripper is closed."""
        closed = self._view.closed if closed is None else closed
        self._change(go=go, closed=closed)

    def check_by_itself(self, automatic: bool) -> None:
        """Check again whenever something moved, or only when asked."""
        self._change(automatic=automatic)

    def begin(self, case: ReachCase) -> None:
        """A check has begun."""
        self._change(checking=case)

    def end(self, case: ReachCase) -> None:
        """That check is over; nothing happens when another one has begun."""
        if self._view.checking is case:
            self._change(checking=None)

    def put(self, found: Iterable[Found]) -> None:
        """Take results over."""
        new = {one.grasp.name: one for one in found}
        with self._lock:
            self._swap(replace(self._view, found=frozen_mapping({**self._view.found, **new})))
        self._subscribers.deliver()

    def _change(self, **changed: object) -> None:
        with self._lock:
            if all(getattr(self._view, name) == value for name, value in changed.items()):
                return
            self._swap(replace(self._view, **cast(Any, changed)))
        self._subscribers.deliver()

    def _swap(self, view: GraspView) -> None:
        self._view = view
        self._subscribers.queue(view)


def grasps_of(scene: GraspScene) -> GraspSpec:
    """Return the scene's grasps as what they are."""
    assert isinstance(scene.grasps, GraspSpec)
    return scene.grasps


def reach_case(state: SessionState) -> ReachCase | None:
    """Return what a check would be about now; None without grasps or without their frame."""
    scene = state.settings.grasp_scene
    if scene is None or scene.gripper_frame is None:
        return None
    return ReachCase(
        state.epoch,
        ReachQuestion.of(
            state.settings, scene.gripper_frame,
            ReachSettings(standoff_m=scene.standoff_m, approach=APPROACH_AXES[scene.approach]),
        ),
        scene.transform_object_to_world,
        scene.transform_frame_to_gripper,
    )  # fmt: skip
