"""The session: the single source of truth that every browser and the loop share.

Callbacks edit it, the loop reads it, nobody else holds state. Every edit swaps one frozen
:class:`~workbench.config.settings.Settings` for another under a short lock and raises the version
by one; subscribers then hear of it without the lock, in the order of the swaps.

While somebody drags a gizmo, its target is laid over the settings that undo knows (the *committed*
ones) and joins them as one step when the drag ends. So an undo in the middle of a drag takes back
the last finished step, leaves the dragged gizmo where the hand holds it, and everything stays
consistent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.settings import Settings, frozen_mapping
from workbench.live.broadcast import Broadcast
from workbench.live.bundle import RobotBundle
from workbench.live.changes import Change, describe_change, differences, with_field_of
from workbench.live.checks import check_settings, unknown_frame
from workbench.live.exchange import Latest
from workbench.live.glide import DraggedTarget
from workbench.live.history import History, Step
from workbench.live.pose_edits import (
    Command,
    Whereabouts,
    goal_of,
    refuse_to_move_dragged,
    whereabouts,
    with_home_here,
    with_joint_held,
    with_poses_of,
    with_target_at_tool,
    with_targets_at,
)
from workbench.live.snapshot import StateSnapshot
from workbench.live.state import LoopInputs, SessionState
from workbench.poses import Pose


@dataclass(frozen=True, eq=False)
class _Robot:
    """A robot with its settings now and at the start."""

    bundle: RobotBundle
    settings: Settings
    start: Settings


class Session:
    """Single source of truth, with undo. All methods may be called from any thread."""

    def __init__(
        self, bundle: RobotBundle, settings: Settings, *, clock: Callable[[], float],
        now_utc: Callable[[], datetime],
    ) -> None:  # fmt: skip
        """Start with a robot and its settings.

        Args:
            bundle: The robot.
            settings: What is in force at the start; :meth:`changes` compares with it.
            clock: Monotonic time in s; the loop uses the same one.
            now_utc: The time of day, for :attr:`SessionState.config_changed_at`.

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
        self._saved = settings
        self._previous: _Robot | None = None
        self._command: Command | None = None
        self._command_is_new = False
        self._steps_wanted = 0
        self._dragged: Mapping[str, DraggedTarget] = frozen_mapping()
        self._subscribers: Broadcast[SessionState] = Broadcast()
        self._state = SessionState(
            settings=settings, version=1, epoch=1, bundle=bundle, paused=False, undo_label=None,
            redo_label=None, config_changed_at=now_utc(), drags=frozen_mapping(), loading=None,
            previous_robot=None,
        )  # fmt: skip

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

    def command_positions(
        self, label: str, positions: Mapping[str, float], *, gesture: str | None = None,
        epoch: int | None = None, move_targets: bool = True,
    ) -> SessionState:  # fmt: skip
        """Send the robot to joint positions at once (home, set pose); undo sends it back.

        Held joints stay where they are held, and the rest is clamped into the limits.

        Args:
            label: Name of the step.
            positions: Joint positions in rad or m, by name; joints not named stay.
            gesture: As for :meth:`edit`.
            epoch: As for :meth:`edit`.
            move_targets: Whether the targets come along to where the tools will be. Without it
                the robot would leave again at the next tick.

        Raises:
            ConfigError: For a joint that the robot does not have, or a number that is not finite.
        """

        def change(here: Whereabouts) -> tuple[Settings, Mapping[str, float]]:
            goal = goal_of(here, positions)
            settings = with_targets_at(here, goal) if move_targets else here.state.settings
            return settings, goal

        return self._edit(label, change, gesture, epoch)

    def go_home(self) -> SessionState:
        """Send the robot home, and the targets with it."""
        return self.command_positions("go home", self._state.settings.home)

    def set_home_here(self) -> SessionState:
        """Make the present positions the home."""
        return self._edit("set home here", lambda here: (with_home_here(here), None))

    def set_target_to_tool(self, frame: str) -> SessionState:
        """Put a frame's target where its tool is now.

        Raises:
            ConfigError: If there is no such frame, or somebody drags its target.
        """
        label = f"target of {frame} to tool"
        return self._edit(label, lambda here: (with_target_at_tool(here, frame), None))

    def hold_joint(self, joint: str, held: bool) -> SessionState:
        """Hold a joint where it is now, or let it go.

        Raises:
            ConfigError: If there is no such joint.
        """
        return self._edit(None, lambda here: (with_joint_held(here, joint, held), None))

    def revert(self, field: str) -> None:
        """Set one field back to its start value, as an undoable edit.

        Raises:
            ConfigError: If there is no such field.
        """
        self._edit(
            None, lambda here: (with_field_of(here.state.settings, self._start, field), None)
        )

    def undo(self) -> str | None:
        """Take the last step back; returns its label or None when there is none."""
        with self._lock:
            step = self._history.undo()
            if step is not None:
                self._return_to(step.before, step.positions_before)
        self._subscribers.deliver()
        return None if step is None else step.label

    def redo(self) -> str | None:
        """Take the last undone step again; returns its label or None when there is none."""
        with self._lock:
            step = self._history.redo()
            if step is not None:
                self._return_to(step.after, step.positions_after)
        self._subscribers.deliver()
        return None if step is None else step.label

    # Drags -------------------------------------------------------------------------------

    def begin_drag(self, frame: str, client: int) -> bool:
        """Let a client take a frame's gizmo; False when another one holds it.

        Raises:
            ConfigError: If there is no such frame.
        """
        with self._lock:
            state = self._state
            if frame not in state.settings.targets:
                raise unknown_frame(frame, state.description)
            if state.drags.get(frame, client) != client:
                return False
            # A client that begins twice has lost the end of its first drag on the way.
            self._finish_drags([frame] if frame in state.drags else [])
            self._swap(drags=frozen_mapping({**self._state.drags, frame: client}))
        self._subscribers.deliver()
        return True

    def drag(self, frame: str, client: int, transform_target_to_world: Pose) -> bool:
        """Move a dragged target; False (and nothing changes) when the client is not its owner."""
        with self._lock:
            state = self._state
            if state.drags.get(frame) != client:
                return False
            settings = state.settings.with_target(frame, transform_target_to_world)
            if settings != state.settings:
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

    # Not undoable ------------------------------------------------------------------------

    def set_paused(self, paused: bool) -> None:
        """Pause the loop or let it run."""
        with self._lock:
            self._steps_wanted = 0
            if self._state.paused != paused:
                self._swap(paused=paused)
        self._subscribers.deliver()

    def request_step(self) -> None:
        """Take a single tick while paused."""
        with self._lock:
            if self._state.paused:
                self._steps_wanted += 1

    def set_loading(self, title: str | None) -> None:
        """Say which robot is being loaded; None when it is over."""
        with self._lock:
            self._swap(loading=title)
        self._subscribers.deliver()

    def replace_bundle(self, bundle: RobotBundle, settings: Settings) -> SessionState:
        """Swap the robot: a new epoch, an empty history; "back to X" returns to the old one.

        A reload of the same robot leaves what "back to X" returns to as it was.

        Raises:
            ConfigError: If the settings do not fit the robot; nothing has changed then.
        """
        check_settings(settings, bundle.description)
        with self._lock:
            old, new = self._state.description, bundle.description
            if (old.name, old.source) != (new.name, new.source):
                self._previous = self._present_robot()
            state = self._put_robot(_Robot(bundle, settings, settings))
        self._subscribers.deliver()
        return state

    def restore_previous(self) -> bool:
        """Return to the robot before the last switch, as it was left; False without one."""
        with self._lock:
            robot = self._previous
            if robot is not None:
                self._previous = self._present_robot()
                self._put_robot(robot)
        self._subscribers.deliver()
        return robot is not None

    def compare_with_saved(self, kinematics: PinkKinematicsConfig) -> None:
        """Say what the file that "Save" writes holds already."""
        with self._lock:
            self._saved = replace(self._state.settings, kinematics=kinematics)
            self._swap()
        self._subscribers.deliver()

    def mark_saved(self, state: SessionState) -> None:
        """Remember that the twelve fields of ``state`` are in the file now.

        There is one file, whatever robot is shown: a switch neither saves nor forgets anything.
        """
        with self._lock:
            self._saved = state.settings
            self._swap()
        self._subscribers.deliver()

    # Reading -----------------------------------------------------------------------------

    @property
    def start(self) -> Settings:
        """The settings at the start of the session, or of the last robot switch."""
        return self._start

    def changes(self) -> tuple[Change, ...]:
        """Return what differs from the start of the session (or the last robot switch)."""
        return differences(self._start, self._state.settings)

    def unsaved_changes(self) -> tuple[Change, ...]:
        """Return which of the twelve fields differ from what was saved last."""
        found = differences(self._saved, self._state.settings)
        return tuple(change for change in found if change.field.startswith("kinematics."))

    def present_positions(self) -> dict[str, float]:
        """Return where every joint is now, or is just being sent, by name, in rad or m."""
        return dict(self._whereabouts(self._state).positions)

    def take_inputs(self) -> LoopInputs:
        """Return everything for the next tick; for the loop alone, once a tick."""
        with self._lock:
            command = None
            if self._command is not None and self._command_is_new:
                command = self._command.positions
                self._command_is_new = False
            single_step = self._state.paused and self._steps_wanted > 0
            if single_step:
                self._steps_wanted -= 1
            return LoopInputs(self._state, command, single_step, self._dragged)

    # Inside ------------------------------------------------------------------------------

    def _edit(
        self,
        label: str | None,
        change: Callable[[Whereabouts], tuple[Settings, Mapping[str, float] | None]],
        gesture: str | None = None,
        epoch: int | None = None,
    ) -> SessionState:
        """Compute the new settings without the lock, and try again if another edit came first."""
        while True:
            base = self._state
            if epoch is not None and base.epoch != epoch:
                return base
            here = self._whereabouts(base)
            settings, positions = change(here)
            if settings is not base.settings:
                check_settings(settings, base.description)
            before = None if positions is None else here.positions
            with self._lock:
                if self._state.version == base.version:
                    self._commit(label, settings, gesture, before, positions)
                    break
        self._subscribers.deliver()
        return self._state

    def _commit(
        self,
        label: str | None,
        wanted: Settings,
        gesture: str | None,
        positions_before: Mapping[str, float] | None,
        positions_after: Mapping[str, float] | None,
    ) -> None:
        state = self._state
        if positions_after is None:
            refuse_to_move_dragged(wanted, state)
        settings = with_poses_of(wanted, state.settings, state.drags)
        committed = with_poses_of(settings, self._committed, state.drags)
        if committed == self._committed and positions_after is None:
            return
        step = Step(
            label=label or describe_change(self._committed, committed),
            before=self._committed,
            after=committed,
            positions_before=positions_before,
            positions_after=positions_after,
            gesture=gesture,
            edited_at_s=self.clock(),
        )
        self._history.record(step, named=bool(label))
        self._committed = committed
        self._swap(settings=settings, positions=positions_after)

    def _return_to(self, committed: Settings, positions: Mapping[str, float] | None) -> None:
        """Undo or redo: a target that somebody drags stays in their hand."""
        self._committed = committed
        settings = with_poses_of(committed, self._state.settings, self._state.drags)
        self._swap(settings=settings, positions=positions)

    def _finish_drags(self, frames: list[str]) -> None:
        """Make what each drag did a step; called with the lock held."""
        for frame in frames:
            present = self._state.settings.targets[frame].transform_target_to_world
            committed = self._committed.with_target(frame, present)
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

    def _present_robot(self) -> _Robot:
        return _Robot(self._state.bundle, self._committed, self._start)

    def _put_robot(self, robot: _Robot) -> SessionState:
        old = self._state
        self._history.clear()
        self._committed, self._start = robot.settings, robot.start
        self._command, self._steps_wanted = None, 0
        self._dragged = frozen_mapping()
        other_robot = old.description.urdf_sha256 != robot.bundle.description.urdf_sha256
        previous = self._previous
        self._swap(
            settings=robot.settings,
            bundle=robot.bundle,
            epoch=old.epoch + 1,
            drags=frozen_mapping(),
            previous_robot=None if previous is None else previous.bundle.description.name,
            config_changed_at=self._now_utc() if other_robot else old.config_changed_at,
        )
        return self._state

    def _swap(self, *, positions: Mapping[str, float] | None = None, **changed: object) -> None:
        """Put a new state in place and queue it for the listeners; called with the lock held."""
        old = self._state
        settings = changed.get("settings", old.settings)
        assert isinstance(settings, Settings)
        if settings is not old.settings or positions is not None or "epoch" in changed:
            changed["version"] = old.version + 1
        if settings.kinematics != old.settings.kinematics:
            changed["config_changed_at"] = self._now_utc()
        changed["undo_label"] = self._history.undo_label
        changed["redo_label"] = self._history.redo_label
        changed["unsaved"] = settings.kinematics != self._saved.kinematics
        self._state = replace(old, **changed)
        if positions is not None:
            self._command = Command(self._state.version, frozen_mapping(positions))
            self._command_is_new = True
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
        return whereabouts(state, self.snapshots.get(), self._command)
