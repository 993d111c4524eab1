"""A gizmo for every tool frame, and one for grasps' object: what a drag means, and who may drag.

Whoever starts a drag owns the gizmo until it ends or the page goes away. While it lasts, the
server never moves that gizmo: the page that drags knows best where it is. Afterwards the gizmo
goes where the target is, which is elsewhere when the drag was snapped or undone.

viser calls back on its event loop. The callbacks are coroutines without a pause, so they run one
after the other in the order in which the page sent its messages, and the last pose of a drag is
the last one that counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import viser
from numpy.typing import NDArray

from workbench.config.settings import ToolTarget
from workbench.live.pose_edits import OBJECT, dragged_pose
from workbench.live.session import Session
from workbench.live.state import SessionState
from workbench.poses import Pose, multiply_wxyz, wxyz_from_rotation_vector

GizmoAxes = Literal["tool", "world"]
GizmoMode = Literal["move and turn", "move", "turn"]
DragPhase = Literal["start", "update", "end"]

SHORTEST_ARM_M = 0.06
LONGEST_ARM_M = 0.30
_ARM_SHARE_OF_SIZE = 0.15
_OBJECT_SHARE_OF_ARM = 0.7


@dataclass(frozen=True)
class GizmoOptions:
    """How the gizmos look and what a drag means, the same for every browser.

    Attributes:
        shown: Whether gizmos are there at all.
        axes: Whether the arms point along the target's axes or the world's.
        mode: What a gizmo can do.
        position_step_m: A drag moves by multiples of this, along the arms; 0 for any distance.
        orientation_step_rad: A drag turns by multiples of this; 0 for any angle.
    """

    shown: bool = True
    axes: GizmoAxes = "tool"
    mode: GizmoMode = "move and turn"
    position_step_m: float = 0.0
    orientation_step_rad: float = 0.0


def arm_length(size_m: float) -> float:
    """Return how far from its target a gizmo's arms end, in m, for a robot of that size."""
    return float(np.clip(_ARM_SHARE_OF_SIZE * size_m, SHORTEST_ARM_M, LONGEST_ARM_M))


def gizmo_pose(transform_target_to_world: Pose, axes: GizmoAxes) -> Pose:
    """Return where the gizmo of a target is, in the world."""
    if axes == "tool":
        return transform_target_to_world
    return Pose(transform_target_to_world.translation)


@dataclass(frozen=True, eq=False)
class Drag:
    """Where a drag began.

    Attributes:
        client: Id of the page that drags.
        transform_target_to_world: The target then.
        transform_gizmo_to_world: The gizmo then.
        options: What it means; a change of options counts from the next drag on.
    """

    client: int
    transform_target_to_world: Pose
    transform_gizmo_to_world: Pose
    options: GizmoOptions = field(default_factory=GizmoOptions)

    def target(self, transform_gizmo_to_world: Pose) -> Pose:
        """Return the target for where the gizmo is now.

        The target moves and turns, in the world, as the gizmo did since the start; both by
        multiples of the steps. Moves are rounded along the gizmo's arms as they were at the start,
        so that an arm that was not pulled does not move.
        """
        began, now = self.transform_gizmo_to_world, transform_gizmo_to_world
        rotation = began.rotation
        along_arms = rotation.T @ (now.translation - began.translation)
        moved = rotation @ _rounded(along_arms, self.options.position_step_m)
        turn = multiply_wxyz(now.wxyz, began.wxyz * np.array([1.0, -1.0, -1.0, -1.0]))
        if self.options.orientation_step_rad > 0.0:
            turn = _rounded_turn(turn, self.options.orientation_step_rad)
        target = self.transform_target_to_world
        return Pose(target.translation + moved, multiply_wxyz(turn, target.wxyz))


class Gizmos:
    """The gizmos of the robot that is shown.

    Drags come in on viser's event loop; everything else is called by the scene's thread.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        session: Session,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        """Start without gizmos; :meth:`rebuild` makes them.

        Args:
            server: The server whose clients see them.
            session: Whose targets they show and move.
            wake: Called when a gizmo is not where its target is, so that somebody calls
                :meth:`refresh`.
        """
        self._scene = server.scene
        self._session = session
        self._wake = wake
        self._options = GizmoOptions()
        self._shown_state: SessionState | None = None
        self._misplaced = False
        self._gizmos: dict[str, _Gizmo] = {}
        server.on_client_disconnect(self._on_disconnect)

    # The scene's thread ----------------------------------------------------------------------

    def rebuild(self, state: SessionState) -> None:
        """Replace all gizmos by those of the session's present robot."""
        old = self._gizmos
        scale = arm_length(state.description.size_m)
        gizmos = [
            self._add(f"/g{state.epoch}_{number}", frame, scale)
            for number, frame in enumerate(state.description.tool_frames)
        ]
        self._gizmos = {gizmo.handle.name: gizmo for gizmo in gizmos}
        for gizmo in old.values():
            gizmo.handle.remove()
        self.refresh(state)

    def refresh(self, state: SessionState, options: GizmoOptions | None = None) -> None:
        """Put every gizmo that nobody drags where its target is, in the style of the options."""
        options = options or self._options
        if state is self._shown_state and options is self._options and not self._misplaced:
            return
        self._misplaced = False
        self._shown_state, self._options = state, options
        self._add_or_remove_object(state)
        for gizmo in self._gizmos.values():
            target = _target_of(state, gizmo.frame)
            # The second question is asked of the present, in case a drag has begun since.
            if target is None or gizmo.frame in state.drags or gizmo.drag is not None:
                continue
            gizmo.place(target, options)

    def _add_or_remove_object(self, state: SessionState) -> None:
        """Let there be a gizmo for the object exactly while there are grasps."""
        name = f"/go{state.epoch}"
        wanted = state.settings.grasp_scene is not None
        if wanted == (name in self._gizmos):
            return
        gizmos = dict(self._gizmos)
        if wanted:
            scale = _OBJECT_SHARE_OF_ARM * arm_length(state.description.size_m)
            gizmos[name] = self._add(name, OBJECT, scale)
        else:
            gizmos.pop(name).handle.remove()
        self._gizmos = gizmos

    def _add(self, name: str, frame: str, scale: float) -> _Gizmo:
        handle = self._scene.add_transform_controls(
            name,
            scale=scale,
            # Drawn over the hand that it sits in, or it could not be seen.
            depth_test=False,
            visible=False,
        )
        gizmo = _Gizmo(frame, handle)

        async def on_update(event: viser.TransformControlsEvent) -> None:
            if event.client_id is not None:
                self._on_drag(gizmo, event.client_id, event.phase)

        handle.on_update(on_update)
        return gizmo

    # viser's event loop ----------------------------------------------------------------------

    def may_start(self, name: str, client: int, phase: DragPhase) -> bool:
        """Tell whether a client may take a gizmo; see :meth:`MessageFilter.gizmo_owner`.

        Args:
            name: Name of the gizmo's node.
            client: Id of the page.
            phase: ``start`` when it asks; for any other the answer does not matter.
        """
        gizmo = self._gizmos.get(name)
        if gizmo is None:
            return False
        owner = self._session.state.drags.get(gizmo.frame)
        return phase != "start" or owner is None or owner == client

    def _on_drag(self, gizmo: _Gizmo, client: int, phase: DragPhase) -> None:
        if self._gizmos.get(gizmo.handle.name) is not gizmo:
            return  # The robot was switched in the middle of the drag.
        pose = Pose(gizmo.handle.position, gizmo.handle.wxyz)
        if phase == "start":
            target = dragged_pose(self._session.state.settings, gizmo.frame)
            if target is not None and self._session.begin_drag(gizmo.frame, client):
                gizmo.drag = Drag(client, target, pose, self._options)
            return
        drag = gizmo.drag
        if drag is None or drag.client != client:
            # viser has moved it already, for nobody's drag.
            self._misplaced = True
            self._wake()
            return
        self._session.drag(gizmo.frame, client, drag.target(pose))
        if phase == "end":
            gizmo.drag = None
            self._session.end_drag(gizmo.frame, client)

    async def _on_disconnect(self, client: viser.ClientHandle) -> None:
        self._session.release_client(client.client_id)
        for gizmo in self._gizmos.values():
            if gizmo.drag is not None and gizmo.drag.client == client.client_id:
                gizmo.drag = None


@dataclass
class _Gizmo:
    """One gizmo.

    Attributes:
        frame: The tool frame whose target it moves, or OBJECT.
        handle: viser's handle.
        drag: The drag that is going on, None for none.
        mode: What it can do, as the page was told.
    """

    frame: str
    handle: viser.TransformControlsHandle
    drag: Drag | None = None
    mode: GizmoMode = "move and turn"

    def place(self, target: ToolTarget, options: GizmoOptions) -> None:
        """Put it where its target is. Not for a gizmo that is being dragged."""
        if self.mode != options.mode:
            # The page builds the gizmo anew then, which would end a drag.
            self.mode = options.mode
            self.handle.disable_axes = self.handle.disable_sliders = options.mode == "turn"
            self.handle.disable_rotations = options.mode == "move"
        pose = gizmo_pose(target.transform_target_to_world, options.axes)
        self.handle.position = pose.translation
        self.handle.wxyz = pose.wxyz
        self.handle.visible = target.enabled and options.shown


def _target_of(state: SessionState, name: str) -> ToolTarget | None:
    """Return where a gizmo belongs, and whether it is seen."""
    if name != OBJECT:
        return state.settings.targets.get(name)
    pose = dragged_pose(state.settings, name)
    return None if pose is None else ToolTarget(pose)


def _rounded(vector: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    return np.round(vector / step) * step if step > 0.0 else vector


def _rounded_turn(wxyz: NDArray[np.float64], step_rad: float) -> NDArray[np.float64]:
    """Return a rotation about the same axis, its angle rounded to a multiple of the step."""
    length = float(np.linalg.norm(wxyz[1:]))
    if length == 0.0:
        return wxyz
    angle = 2.0 * np.arctan2(length, wxyz[0])
    return wxyz_from_rotation_vector(wxyz[1:] / length * np.round(angle / step_rad) * step_rad)
