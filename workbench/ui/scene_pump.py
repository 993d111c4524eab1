"""The scene's thread: shows what the session and the loop say, at most 60 times a second.

It alone writes to the scene. Everybody else changes what it reads (the session, the loop's newest
snapshot, the options) and wakes it. It is woken by the tick, not by a clock of its own, so the
answer to a drag leaves as soon as there is one.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Mapping

import numpy as np
import viser

from workbench.live.grasping import Grasping
from workbench.live.session import Session
from workbench.live.session_file import CameraView
from workbench.live.snapshot import StateSnapshot
from workbench.live.state import SessionState
from workbench.poses import Pose
from workbench.ui.camera import (
    CameraPlace,
    ViewName,
    look_from,
    move_camera,
    place_camera,
    set_initial_camera,
)
from workbench.ui.closest_pair import ClosestPairMark
from workbench.ui.colours import BRAND_RGB
from workbench.ui.gizmos import GizmoOptions, Gizmos
from workbench.ui.grasp_drawing import GraspDrawing
from workbench.ui.measured_robot import MeasuredRobot
from workbench.ui.scene import SceneOptions, SceneView
from workbench.ui.target_marks import TargetMarks

SHORTEST_PERIOD_S = 1.0 / 60.0
REST_AFTER_FAULT_S = 1.0


class ScenePump:
    """Keeps the scene in step with a session.

    ``wake``, ``change`` and ``look_from`` may be called from any thread.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        session: Session,
        *,
        grasping: Grasping | None = None,
        options: SceneOptions | None = None,
        gizmo_options: GizmoOptions | None = None,
        on_fault: Callable[[str], None] = lambda _traceback: None,
        rest_after_fault_s: float = REST_AFTER_FAULT_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare; :meth:`step` or :meth:`start` draws.

        Args:
            server: Where to draw.
            session: What to draw: its robot, targets and snapshots.
            grasping: Which grasp is looked at, and what was found.
            options: What of the robot to show.
            gizmo_options: How the gizmos look and behave.
            on_fault: Told the traceback when drawing fails, which is a bug.
            rest_after_fault_s: How long to wait then before drawing again.
            clock: Monotonic time in s.
        """
        self._server = server
        self._session = session
        self._options = options or SceneOptions()
        self._gizmo_options = gizmo_options or GizmoOptions()
        self._on_fault = on_fault
        self._rest_after_fault_s = rest_after_fault_s
        self._clock = clock
        self._grasping = grasping or Grasping()
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._unsubscribe: Callable[[], object] = lambda: None
        self._first_view: CameraView | None = None
        self.gizmos = Gizmos(server, session, self.wake)
        self._grasps = GraspDrawing(server)
        server.scene.on_click()(self._clicked)  # pyright: ignore[reportArgumentType]
        self._view: SceneView | None = None
        self._marks: TargetMarks | None = None
        self._measured: MeasuredRobot | None = None
        self._closest: ClosestPairMark | None = None
        self._dark: bool | None = None
        self._shown_snapshot: StateSnapshot | None = None
        self._shown_fingers: Mapping[str, float] | None = None

    # From any thread -------------------------------------------------------------------------

    def wake(self) -> None:
        """Say that there may be something new to show."""
        self._wake.set()

    @property
    def options(self) -> SceneOptions:
        """What of the robot is shown."""
        return self._options

    @property
    def gizmo_options(self) -> GizmoOptions:
        """How the gizmos look and behave."""
        return self._gizmo_options

    def change(
        self, options: SceneOptions | None = None, gizmo_options: GizmoOptions | None = None
    ) -> None:
        """Show something else."""
        self._options = options or self._options
        self._gizmo_options = gizmo_options or self._gizmo_options
        self.wake()

    def look_from(self, client: viser.ClientHandle, view: ViewName | None) -> None:
        """Move one client's camera so that it sees the whole robot.

        Args:
            client: Whose camera.
            view: From which side; None keeps the side.
        """
        if self._view is not None:
            look_from(client, *self._view.bounds(), view)

    async def _clicked(self, event: viser.SceneClickEvent) -> None:
        """Select the grasp that was clicked; a click beside all of them changes nothing."""
        name = self._grasps.hit(event.ray_origin, event.ray_direction)
        if name is not None and self._grasping.view.shown:
            self._grasping.select(name)

    # The thread ------------------------------------------------------------------------------

    def look_first_from(self, view: CameraView) -> None:
        """Look at the next robot from a place that a session file named."""
        self._first_view = view

    def start(self) -> None:
        """Draw from now on, whenever woken."""
        unsubscribe = (
            self._session.subscribe(lambda _state: self.wake()),
            self._grasping.subscribe(lambda _view: self.wake()),
        )
        self._unsubscribe = lambda: [stop() for stop in unsubscribe]
        self._thread = threading.Thread(target=self._run, name="scene", daemon=True)
        self.wake()
        self._thread.start()

    def stop(self, timeout_s: float = 2.0) -> None:
        """End the thread. Call it before the server stops."""
        self._unsubscribe()
        self._stop.set()
        self.wake()
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _run(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            if self._stop.is_set():
                return
            began_s = self._clock()
            try:
                # A look that found nothing new must not delay the answer that comes next.
                rest_s = SHORTEST_PERIOD_S if self.step() else 0.0
            except Exception:
                self._on_fault(traceback.format_exc())
                rest_s = self._rest_after_fault_s
            self._stop.wait(max(0.0, began_s + rest_s - self._clock()))

    # One frame -------------------------------------------------------------------------------

    def step(self) -> bool:
        """Show what is new since the last call; returns whether the robot or its marks moved."""
        state = self._session.state
        snapshot = self._session.snapshots.get()
        if snapshot is not None and snapshot.epoch != state.epoch:
            snapshot = None
        options, gizmo_options = self._options, self._gizmo_options
        if options.dark != self._dark:
            self._dark = options.dark
            apply_theme(self._server, dark=options.dark)
        if self._view is None or self._view.epoch != state.epoch:
            self._switch_robot(state, snapshot)
        assert self._view is not None and self._marks is not None
        assert self._measured is not None and self._closest is not None
        if options is not self._view.options:
            self._view.apply(options)
        self.gizmos.refresh(state, gizmo_options)
        self._grasps.refresh(state, self._grasping.view)
        fingers = self._grasping.view.fingers
        if snapshot is None or (
            snapshot is self._shown_snapshot and fingers is self._shown_fingers
        ):
            return False
        self._shown_snapshot, self._shown_fingers = snapshot, fingers
        placements = state.bundle.picture.local_placements(
            snapshot.positions, snapshot.transform_base_to_world, fingers
        )
        moves, changes = self._view.moves(placements), self._marks.changes(snapshot)
        measured = self._measured.change(
            state.bundle.picture, snapshot, placements, ideal=state.settings.simulated_arm.is_ideal
        )
        closest = self._closest.change(snapshot)
        if moves is None and not changes and measured is None and closest is None:
            return False
        with self._server.atomic():
            if moves is not None:
                self._view.send(moves)
            self._marks.send(changes)
            if measured is not None:
                self._measured.send(measured)
            if closest is not None:
                self._closest.send(closest)
        self._server.flush()
        return True

    def _switch_robot(self, state: SessionState, snapshot: StateSnapshot | None) -> None:
        """Draw another robot, then exchange the two at once."""
        old = self._view, self._marks, self._measured, self._closest
        old_view = self._view
        description = state.description
        if snapshot is None:
            positions = _in_order(description.home, description.joint_names)
            transform_base_to_world = Pose()
        else:
            positions = snapshot.positions
            transform_base_to_world = snapshot.transform_base_to_world
        view = SceneView(
            self._server,
            description,
            state.bundle.picture.local_placements(positions, transform_base_to_world),
            epoch=state.epoch,
            options=self._options,
        )
        marks = TargetMarks(self._server, description, epoch=state.epoch)
        with self._server.atomic():
            view.show()
            for drawn in old:
                if drawn is not None:
                    drawn.remove()
            self.gizmos.rebuild(state)
        self._view, self._marks = view, marks
        self._measured = MeasuredRobot(self._server, description, epoch=state.epoch)
        self._closest = ClosestPairMark(self._server, size_m=description.size_m, epoch=state.epoch)
        bounds = view.bounds()
        first_view, self._first_view = self._first_view, None
        place = place_camera(*bounds)
        if first_view is not None:
            place = CameraPlace(np.array(first_view.position), np.array(first_view.look_at))
        set_initial_camera(self._server, place)
        if old_view is not None:
            for client in self._server.get_clients().values():
                move_camera(client, place)


def apply_theme(server: viser.ViserServer, *, dark: bool) -> None:
    """Set the page's look."""
    server.gui.configure_theme(
        dark_mode=dark,
        show_logo=False,
        show_share_button=False,
        brand_color=BRAND_RGB,
    )


def _in_order(values: Mapping[str, float], names: tuple[str, ...]) -> np.ndarray:
    return np.array([values[name] for name in names], dtype=np.float64)
