"""The session: the single source of truth that every browser and the loop share.

Callbacks edit it, the loop reads it, nobody else holds state. Every edit swaps one frozen
:class:`~workbench.config.settings.Settings` for another under a short lock and raises the version
by one; subscribers then hear of it without the lock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from workbench.config.settings import Settings
from workbench.live.bundle import RobotBundle
from workbench.poses import Pose


@dataclass(frozen=True)
class Change:
    """One setting that differs from its start value, for the list of changes.

    Attributes:
        field: ``kinematics.gain``, ``rate_hz``, ...
        label: As the page shows it.
        start: Value at the start of the session, as text.
        now: Present value, as text.
    """

    field: str
    label: str
    start: str
    now: str


@dataclass(frozen=True, eq=False)
class SessionState:
    """One consistent view of the session.

    Attributes:
        settings: What is in force.
        version: Number of the settings; rises by one with every swap.
        epoch: Number of the robot bundle.
        bundle: The robot.
        paused: Whether the loop is paused.
        undo_label: Name of the step that undo would take back, None when there is none.
        redo_label: Name of the step that redo would take again, None when there is none.
        config_changed_at: UTC time of the last change of what the exported file holds.
        drags: Owner (client id) of each gizmo that is being dragged, by frame.
        loading: Title of the robot that is being loaded, or None.
        previous_robot: Name of the robot that "back to X" returns to, or None.
    """

    settings: Settings
    version: int
    epoch: int
    bundle: RobotBundle
    paused: bool
    undo_label: str | None
    redo_label: str | None
    config_changed_at: datetime
    drags: Mapping[str, int]
    loading: str | None
    previous_robot: str | None


class Session:
    """Single source of truth, with undo. All methods may be called from any thread."""

    def __init__(
        self, bundle: RobotBundle, settings: Settings, *, clock: Callable[[], float],
        now_utc: Callable[[], datetime],
    ) -> None:  # fmt: skip
        """Start with a robot and its settings."""
        raise NotImplementedError

    @property
    def state(self) -> SessionState:
        """The present state, one reference, never half new."""
        raise NotImplementedError

    def subscribe(self, listener: Callable[[SessionState], None]) -> Callable[[], None]:
        """Call ``listener`` after every change, outside the lock; returns an unsubscriber."""
        raise NotImplementedError

    # Edits that undo takes back ----------------------------------------------------------

    def edit(
        self, label: str, change: Callable[[Settings], Settings], *, gesture: str | None = None
    ) -> SessionState:
        """Swap the settings for ``change(settings)``.

        Edits of the same ``gesture`` less than 0.8 s apart are one undo step, labelled by the
        last; without one the edit is a step of its own.

        Raises:
            ConfigError: From ``change``; nothing has changed then.
        """
        raise NotImplementedError

    def begin_drag(self, frame: str, client: int) -> bool:
        """Let a client take a frame's gizmo; False when another one holds it."""
        raise NotImplementedError

    def drag(self, frame: str, client: int, transform_target_to_world: Pose) -> bool:
        """Move a dragged target; False (and nothing changes) when the client is not its owner."""
        raise NotImplementedError

    def end_drag(self, frame: str, client: int) -> None:
        """Finish the drag: its moves become one undo step."""
        raise NotImplementedError

    def release_client(self, client: int) -> None:
        """End whatever a client that went away still held."""
        raise NotImplementedError

    def command_positions(self, label: str, positions: Mapping[str, float]) -> SessionState:
        """Send the robot to joint positions at once (home, set pose); undo sends it back."""
        raise NotImplementedError

    def undo(self) -> str | None:
        """Take the last step back; returns its label or None when there is none."""
        raise NotImplementedError

    def redo(self) -> str | None:
        """Take the last undone step again; returns its label or None when there is none."""
        raise NotImplementedError

    # Not undoable ------------------------------------------------------------------------

    def set_paused(self, paused: bool) -> None:
        """Pause the loop or let it run."""
        raise NotImplementedError

    def request_step(self) -> None:
        """Take a single tick while paused."""
        raise NotImplementedError

    def replace_bundle(self, bundle: RobotBundle, settings: Settings) -> SessionState:
        """Swap the robot: a new epoch, an empty history."""
        raise NotImplementedError

    # Reading -----------------------------------------------------------------------------

    def changes(self) -> tuple[Change, ...]:
        """Return what differs from the start of the session (or the last robot switch)."""
        raise NotImplementedError

    def revert(self, field: str) -> None:
        """Set one field back to its start value, as an undoable edit."""
        raise NotImplementedError
