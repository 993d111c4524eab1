"""The session: the single source of truth that every browser and the loop share.

Callbacks edit it, the loop reads it, nobody else holds state. How a swap, an undo and a drag work
is in :mod:`~workbench.live.session_core`; here is what people do: send the robot somewhere, hold a
joint, pause, switch the robot, save.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from workbench.config.frozen import frozen_mapping
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.robot_pose import RobotPose
from workbench.config.settings import Settings
from workbench.errors import ConfigError
from workbench.live.bundle import Hulls, RobotBundle
from workbench.live.change import Change
from workbench.live.changes import differences, with_field_of
from workbench.live.checks import check_settings
from workbench.live.controls import HardwareControls
from workbench.live.history import GESTURE_REST_S
from workbench.live.playback import PoseCommand, poses_along
from workbench.live.pose_edits import (
    Whereabouts,
    goal_of,
    with_home_here,
    with_joint_held,
    with_target_at_tool,
    with_targets_at,
)
from workbench.live.saved import Saved
from workbench.live.session_core import SessionCore
from workbench.live.state import SessionState
from workbench.model.reload import kept_positions as kept
from workbench.poses import Pose


@dataclass(frozen=True, eq=False)
class _Robot:
    """A robot with its settings now and at the start, and where it is (None: at home)."""

    bundle: RobotBundle
    settings: Settings
    start: Settings
    pose: RobotPose | None = None


class Session(SessionCore):
    """Single source of truth, with undo. All methods may be called from any thread."""

    def __init__(
        self, bundle: RobotBundle, settings: Settings, *, clock: Callable[[], float],
        now_utc: Callable[[], datetime], pose: RobotPose | None = None,
    ) -> None:  # fmt: skip
        """Start with a robot and its settings; see :class:`SessionCore`.

        Raises:
            ConfigError: If the settings name joints or frames that the robot does not have.
        """
        super().__init__(bundle, settings, clock=clock, now_utc=now_utc, pose=pose)
        self._previous: _Robot | None = None

    # Edits that undo takes back ----------------------------------------------------------

    def command_positions(
        self, label: str, positions: Mapping[str, float], *, gesture: str | None = None,
        epoch: int | None = None, move_targets: bool = True,
        transform_base_to_world: Pose | None = None,
        path: Sequence[Mapping[str, float]] = (), step_s: float = 0.0,
        gesture_rest_s: float = GESTURE_REST_S,
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
            transform_base_to_world: Where a floating base goes; None leaves it where it is.
            path: Joint positions on the way, by name, which the robot is shown at one after the
                other; empty to be there at once.
            step_s: Time from one of them to the next, s.
            gesture_rest_s: Rest in s that ends the gesture.

        Raises:
            ConfigError: For a joint that the robot does not have, or a number that is not finite.
        """

        def change(here: Whereabouts) -> tuple[Settings, PoseCommand]:
            goal = goal_of(here, positions, transform_base_to_world)
            settings = with_targets_at(here, goal) if move_targets else here.state.settings
            return settings, PoseCommand(goal, poses_along(path, goal), step_s)

        return self._edit(label, change, gesture, epoch, gesture_rest_s)

    def go_home(self) -> SessionState:
        """Send the robot home, and the targets with it."""
        settings = self._state.settings
        return self.command_positions(
            "go home", settings.home, transform_base_to_world=settings.home_base
        )

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

    # Hardware ----------------------------------------------------------------------------

    def engage(self, engaged: bool) -> None:
        """Let commands out to the arm, or not.

        Raises:
            ConfigError: When the emergency stop is pressed.
        """
        if engaged and self._state.controls.emergency_stop:
            raise ConfigError("the emergency stop is pressed", expected="release it first")
        self._set_controls(lambda controls: replace(controls, engaged=engaged))

    def press_emergency_stop(self) -> None:
        """Stop the arm, and disengage; :meth:`release_emergency_stop` before it can go on."""
        self._set_controls(lambda controls: replace(controls, engaged=False, emergency_stop=True))

    def release_emergency_stop(self) -> None:
        """Let the arm be engaged again; it stays disengaged until then."""
        self._set_controls(lambda controls: replace(controls, emergency_stop=False))

    def stop_targets(self, stopped: bool) -> None:
        """Let no target arrive any more, so that it goes stale, or let them arrive again."""
        now_s = self.clock() if stopped else None
        self._set_controls(lambda controls: replace(controls, targets_stopped_at_s=now_s))

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

    def set_hulls(self, hulls: Hulls, *, epoch: int) -> bool:
        """Hand over what self-collision barriers need; False when another robot has come."""
        with self._lock:
            fits = epoch == self._state.epoch
            if fits:
                self._swap(hulls=hulls)
        self._subscribers.deliver()
        return fits

    def set_loading(self, title: str | None) -> None:
        """Say which robot is being loaded; None when it is over."""
        with self._lock:
            self._swap(loading=title)
        self._subscribers.deliver()

    def replace_bundle(
        self, bundle: RobotBundle, settings: Settings, *, epoch: int | None = None,
        pose: RobotPose | None = None,
    ) -> bool:  # fmt: skip
        """Swap the robot: a new epoch, an empty history; "back to X" returns to the old one.

        Args:
            bundle: The robot; its engine stands at ``pose``.
            settings: What it starts with.
            epoch: The robot that it takes the place of; None takes that of any.
            pose: Where it is; None for its home.

        Returns:
            False when another robot has come meanwhile; nothing has changed then.

        Raises:
            ConfigError: If the settings do not fit the robot; nothing has changed then.
        """
        check_settings(settings, bundle.description)
        left_at = self.present_pose()
        with self._lock:
            if epoch not in (None, self._state.epoch):
                return False
            self._previous = self._present_robot(left_at)
            self._history.clear()
            self._put_robot(_Robot(bundle, settings, settings, pose))
        self._subscribers.deliver()
        return True

    def reload_bundle(
        self,
        bundle: RobotBundle,
        pose: RobotPose,
        carry: Callable[[Settings], Settings],
        *,
        epoch: int,
    ) -> bool:
        """Put the same robot, read again, in the place of itself; history and start are kept.

        Args:
            bundle: The robot; its engine stands at ``pose``.
            pose: Where it is.
            carry: Makes settings of the robot as it was fit the robot as it is; pure and quick.
            epoch: The robot that was read again.

        Returns:
            False when another robot has come meanwhile; nothing has changed then.

        Raises:
            ConfigError: If the settings do not fit the robot; nothing has changed then.
        """
        with self._lock:
            if epoch != self._state.epoch:
                return False
            settings, description = carry(self._state.settings), bundle.description
            check_settings(settings, description)
            self._finish_drags(list(self._state.drags))
            self._history.carry(
                carry, lambda pose: replace(pose, positions=kept(pose.positions, description))
            )
            self._saved = replace(self._saved, settings=carry(self._saved.settings))
            self._put_robot(_Robot(bundle, settings, carry(self._start), pose))
        self._subscribers.deliver()
        return True

    def restore_previous(self) -> bool:
        """Return to the robot before the last switch, as it was left; False without one."""
        pose = self.present_pose()
        with self._lock:
            robot = self._previous
            if robot is not None:
                self._previous = self._present_robot(pose)
                self._history.clear()
                self._put_robot(robot)
        self._subscribers.deliver()
        return robot is not None

    def compare_with_saved(self, kinematics: PinkKinematicsConfig) -> None:
        """Say what the file that "Save" writes holds already."""
        with self._lock:
            self._saved = Saved.now(self._state, kinematics)
            self._swap()
        self._subscribers.deliver()

    def mark_saved(self, state: SessionState) -> None:
        """Remember that ``state`` is in the file now.

        There is one file, whatever robot is shown: a switch neither saves nor forgets anything.
        """
        with self._lock:
            self._saved = Saved.now(state)
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
        """Return how what the file would say differs from what was saved last."""
        return self._saved.differences(self._state)

    def present_positions(self) -> dict[str, float]:
        """Return where every joint is now, or is just being sent, by name, in rad or m."""
        return dict(self.present_pose().positions)

    # Inside ------------------------------------------------------------------------------

    def _set_controls(self, change: Callable[[HardwareControls], HardwareControls]) -> None:
        with self._lock:
            self._swap(controls=change(self._state.controls))
        self._subscribers.deliver()

    def _present_robot(self, pose: RobotPose) -> _Robot:
        return _Robot(self._state.bundle, self._committed, self._start, pose)

    def _put_robot(self, robot: _Robot) -> None:
        old = self._state
        self._committed, self._start = robot.settings, robot.start
        self._steps_wanted = 0
        self._commands.reset(old.epoch + 1, robot.pose)
        self._dragged = frozen_mapping()
        other_robot = old.description.urdf_sha256 != robot.bundle.description.urdf_sha256
        previous = self._previous
        self._swap(
            settings=robot.settings,
            bundle=robot.bundle,
            epoch=old.epoch + 1,
            drags=frozen_mapping(),
            controls=HardwareControls(),
            hulls=None,
            previous_robot=None if previous is None else previous.bundle.description.name,
            config_changed_at=self._now_utc() if other_robot else old.config_changed_at,
        )
