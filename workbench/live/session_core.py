"""The heart of the session: one frozen state, swapped under a lock, with undo and drags.

Every edit swaps one frozen :class:`~workbench.config.settings.Settings` for another under a short
lock and raises the version by one; subscribers then hear of it without the lock, in the order of
the swaps.

While somebody drags a gizmo, its target (or the object that grasps are on) is laid over the
settings that undo knows (the *committed* ones) and joins them as one step when the drag ends. So an
undo in the middle of a drag takes back the last finished step, leaves the dragged gizmo where the
hand holds it, and everything stays consistent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime

from workbench.config.frozen import frozen_mapping
from workbench.config.robot_pose import RobotPose
from workbench.config.settings import Settings
from workbench.errors import ConfigError
from workbench.live.broadcast import Broadcast
from workbench.live.bundle import RobotBundle
from workbench.live.changes import describe_change
from workbench.live.checks import check_settings, unknown_frame
from workbench.live.exchange import Latest
from workbench.live.glide import DraggedTarget
from workbench.live.history import GESTURE_REST_S, History, Step
from workbench.live.playback import PoseCommand
from workbench.live.pose_command import PoseCommands
from workbench.live.pose_edits import (
    OBJECT,
    Whereabouts,
    dragged_pose,
    refuse_to_move_dragged,
    with_dragged_at,
    with_poses_of,
)
from workbench.live.saved import Saved
from workbench.live.snapshot import StateSnapshot
from workbench.live.state import LoopInputs, SessionState
from workbench.poses import Pose


class SessionCore:
    """State, edits, undo and drags. All methods may be called from any thread."""

    def __init__(
        self, bundle: RobotBundle, settings: Settings, *, clock: Callable[[], float],
        now_utc: Callable[[], datetime], pose: RobotPose | None = None,
    ) -> None:  # fmt: skip
        """Start with a robot and its settings.

        Args:
            bundle: The robot.
            settings: What is in force at the start; :meth:`changes` compares with it.
            clock: Monotonic time in s; the loop uses the same one.
            now_utc: The time of day, for :attr:`SessionState.config_changed_at`.
            pose: Where the robot is; None for its home.

        Raises:
            ConfigError: If the settings name joints or frames that the robot does not have.
        """
        check_settings(settings, bundle.description)
        self.clock = clock
        self.snapshots: Latest[StateSnapshot] = Latest()
        self._now_utc = now_utc
        self._lock = threading.Lock()
        self._history = History()
        self._committed = settings
        self._start = settings
        self._commands = PoseCommands(epoch=1, arrival=pose)
        self._steps_wanted = 0
        self._dragged: Mapping[str, DraggedTarget] = frozen_mapping()
        self._subscribers: Broadcast[SessionState] = Broadcast()
        self._state = SessionState(
            settings=settings, version=1, epoch=1, bundle=bundle, paused=False, undo_label=None,
            redo_label=None, config_changed_at=now_utc(), drags=frozen_mapping(), loading=None,
            previous_robot=None,
        )  # fmt: skip
        self._saved = Saved.now(self._state)

    @property
    def state(self) -> SessionState:
        """The present state, one reference, never half new."""
        return self._state

    def subscribe(self, listener: Callable[[SessionState], None]) -> Callable[[], None]:
        """Call ``listener`` after every change, outside the lock; returns an unsubscriber.

        Listeners hear of every state once, in the order of the swaps, one at a time. When two
        threads edit at once, one of them may tell of both edits.
        """
        return self._subscribers.subscribe(listener)

    # Edits that undo takes back ----------------------------------------------------------

    def edit(
        self, label: str | None, change: Callable[[Settings], Settings], *,
        gesture: str | None = None, epoch: int | None = None,
    ) -> SessionState:  # fmt: skip
        """Swap the settings for ``change(settings)``.

        Edits of the same ``gesture`` less than 0.8 s apart are one undo step, labelled by the
        last; without one the edit is a step of its own. What changes nothing makes no step. A
        target that somebody drags stays where they hold it.

        Args:
            label: Name of the step; None names it by what it changed ("gain 0.5 to 0.3"), over
                the whole gesture.
            change: Pure and quick; it may be called again when another edit came in between.
            gesture: Key of the gesture, such as the control's name and the client's number.
            epoch: The robot that the edit is meant for; it is dropped after a robot switch.

        Raises:
            ConfigError: From ``change``, for a joint or frame that the robot does not have, or
                for an edit that would only move a target which somebody drags; nothing has
                changed then.
        """
        return self._edit(label, lambda here: (change(here.state.settings), None), gesture, epoch)

    def undo(self) -> str | None:
        """Take the last step back; returns its label or None when there is none."""
        with self._lock:
            step = self._history.undo()
            if step is not None:
                self._return_to(step.before, step.pose_before)
        self._subscribers.deliver()
        return None if step is None else step.label

    def redo(self) -> str | None:
        """Take the last undone step again; returns its label or None when there is none."""
        with self._lock:
            step = self._history.redo()
            if step is not None:
                self._return_to(step.after, step.pose_after)
        self._subscribers.deliver()
        return None if step is None else step.label

    # Drags -------------------------------------------------------------------------------

    def begin_drag(self, frame: str, client: int) -> bool:
        """Let a client take a gizmo; False when another one holds it.

        Args:
            frame: Tool frame whose target it moves, or
                :data:`~workbench.live.pose_edits.OBJECT`.
            client: Who takes it.

        Raises:
            ConfigError: If there is no such frame, or no object.
        """
        with self._lock:
            state = self._state
            if dragged_pose(state.settings, frame) is None:
                if frame == OBJECT:
                    raise ConfigError("there is no object")
                raise unknown_frame(frame, state.description)
            if state.drags.get(frame, client) != client:
                return False
            # A client that begins twice has lost the end of its first drag on the way.
            self._finish_drags([frame] if frame in state.drags else [])
            self._swap(drags=frozen_mapping({**self._state.drags, frame: client}))
        self._subscribers.deliver()
        return True

    def drag(self, frame: str, client: int, transform_target_to_world: Pose) -> bool:
        """Move what is dragged; False (and nothing changes) when the client is not its owner."""
        with self._lock:
            state = self._state
            if state.drags.get(frame) != client:
                return False
            settings = with_dragged_at(state.settings, frame, transform_target_to_world)
            if settings != state.settings:
                if frame != OBJECT:
                    moved = DraggedTarget(self.clock(), transform_target_to_world)
                    self._dragged = frozen_mapping({**self._dragged, frame: moved})
                self._swap(settings=settings)
        self._subscribers.deliver()
        return True

    def end_drag(self, frame: str, client: int) -> None:
        """Finish the drag: its moves become one undo step."""
        with self._lock:
            if self._state.drags.get(frame) == client:
                self._finish_drags([frame])
        self._subscribers.deliver()

    def release_client(self, client: int) -> None:
        """End whatever a client that went away still held; the last pose counts."""
        with self._lock:
            drags = self._state.drags
            self._finish_drags([frame for frame, owner in drags.items() if owner == client])
        self._subscribers.deliver()

    # Reading -----------------------------------------------------------------------------

    def present_pose(self) -> RobotPose:
        """Return where the robot is now, or is just being sent."""
        return self._commands.present_pose(self._state, self.snapshots.get())

    @property
    def commands_sent(self) -> int:
        """How many times the robot has been sent somewhere, by undo as well."""
        return self._commands.sent

    def take_inputs(self) -> LoopInputs:
        """Return everything for the next tick; for the loop alone, once a tick."""
        with self._lock:
            command = self._commands.take()
            single_step = self._state.paused and self._steps_wanted > 0
            if single_step:
                self._steps_wanted -= 1
            return LoopInputs(self._state, command, single_step, self._dragged)

    # Inside ------------------------------------------------------------------------------

    def _edit(
        self,
        label: str | None,
        change: Callable[[Whereabouts], tuple[Settings, PoseCommand | None]],
        gesture: str | None = None,
        epoch: int | None = None,
        gesture_rest_s: float = GESTURE_REST_S,
    ) -> SessionState:
        """Compute the new settings without the lock, and try again if another edit came first."""
        while True:
            base = self._state
            if epoch is not None and base.epoch != epoch:
                return base
            here = self._whereabouts(base)
            settings, order = change(here)
            if settings is not base.settings:
                check_settings(settings, base.description)
            before = None if order is None else here.pose
            with self._lock:
                if self._state.version == base.version:
                    self._commit(label, settings, before, order, (gesture, gesture_rest_s))
                    break
        self._subscribers.deliver()
        return self._state

    def _commit(
        self,
        label: str | None,
        wanted: Settings,
        pose_before: RobotPose | None,
        order: PoseCommand | None,
        gesture: tuple[str | None, float],
    ) -> None:
        state = self._state
        if order is None:
            refuse_to_move_dragged(wanted, state)
        settings = with_poses_of(wanted, state.settings, state.drags)
        committed = with_poses_of(settings, self._committed, state.drags)
        if committed == self._committed and order is None:
            return
        step = Step(
            label=label or describe_change(self._committed, committed),
            before=self._committed,
            after=committed,
            pose_before=pose_before,
            pose_after=None if order is None else order.pose,
            gesture=gesture[0],
            gesture_rest_s=gesture[1],
            edited_at_s=self.clock(),
        )
        self._history.record(step, named=bool(label))
        self._committed = committed
        self._swap(settings=settings, order=order)

    def _return_to(self, committed: Settings, pose: RobotPose | None) -> None:
        """Undo or redo: a target that somebody drags stays in their hand."""
        self._committed = committed
        settings = with_poses_of(committed, self._state.settings, self._state.drags)
        self._swap(settings=settings, order=None if pose is None else PoseCommand(pose))

    def _finish_drags(self, frames: list[str]) -> None:
        """Make what each drag did a step; called with the lock held."""
        for frame in frames:
            present = dragged_pose(self._state.settings, frame)
            committed = with_dragged_at(self._committed, frame, present)
            step = Step(
                label=describe_change(self._committed, committed),
                before=self._committed,
                after=committed,
                edited_at_s=self.clock(),
            )
            self._history.record(step, named=False)
            self._committed = committed
            drags = {name: owner for name, owner in self._state.drags.items() if name != frame}
            self._swap(drags=frozen_mapping(drags))

    def _swap(self, *, order: PoseCommand | None = None, **changed: object) -> None:
        """Put a new state in place and queue it for the listeners; called with the lock held."""
        old = self._state
        settings = changed.get("settings", old.settings)
        assert isinstance(settings, Settings)
        if settings is not old.settings or order is not None or "epoch" in changed:
            changed["version"] = old.version + 1
        told_elsewhere = "config_changed_at" in changed
        if not told_elsewhere and settings.as_exported != old.settings.as_exported:
            changed["config_changed_at"] = self._now_utc()
        if settings.mode != old.settings.mode:
            # Nobody expects an arm to move because a mode was looked at again.
            changed["controls"] = replace(old.controls, engaged=False, targets_stopped_at_s=None)
        changed["undo_label"] = self._history.undo_label
        changed["redo_label"] = self._history.redo_label
        bundle = changed.get("bundle", old.bundle)
        assert isinstance(bundle, RobotBundle)
        changed["unsaved"] = self._saved.differs_from(bundle.description.name, settings)
        self._state = replace(old, **changed)
        if order is not None:
            self._commands.send(self._state.version, order)
        # A target that something else than its drag moved no longer glides.
        self._dragged = frozen_mapping(
            {
                frame: dragged
                for frame, dragged in self._dragged.items()
                if settings.targets[frame].transform_target_to_world is dragged.pose
            }
        )
        self._subscribers.queue(self._state)

    def _whereabouts(self, state: SessionState) -> Whereabouts:
        return Whereabouts(state, self._commands.present_pose(state, self.snapshots.get()))
