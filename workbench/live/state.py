"""The session's state as others see it: one frozen view for everybody, one for the loop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from workbench.config.settings import Settings
from workbench.live.bundle import Hulls, RobotBundle
from workbench.live.controls import HardwareControls
from workbench.live.glide import DraggedTarget
from workbench.live.playback import PoseCommand
from workbench.model.description import RobotDescription


@dataclass(frozen=True, eq=False)
class SessionState:
    """One consistent view of the session.

    Attributes:
        settings: What is in force.
        version: Number of the settings; rises by one with every swap and every pose command.
        epoch: Number of the robot bundle.
        bundle: The robot.
        paused: Whether the loop is paused.
        undo_label: Name of the step that undo would take back, None when there is none.
        redo_label: Name of the step that redo would take again, None when there is none.
        config_changed_at: UTC time of the last change of what the exported file holds.
        drags: Owner (client id) of each gizmo that is being dragged, by frame.
        loading: Title of the robot that is being loaded, or None.
        previous_robot: Name of the robot that "back to X" returns to, or None.
        controls: What the buttons of the streaming mode say.
        hulls: What self-collision barriers need; None until it is made.
        unsaved: Whether what the file would say differs from what was saved last (or from the
            start).
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
    controls: HardwareControls = field(default_factory=HardwareControls)
    hulls: Hulls | None = None
    unsaved: bool = False

    @property
    def description(self) -> RobotDescription:
        """The robot in plain values."""
        return self.bundle.description


@dataclass(frozen=True, eq=False)
class LoopInputs:
    """All that the loop takes from the session for one tick, taken at once.

    Attributes:
        state: The session's state.
        command: Where to put the robot before this tick; None for nowhere.
            Each command is handed out exactly once.
        single_step: Whether to take one tick although the loop is paused.
        dragged: For each frame whose target came by a drag, the last pose of that drag.
    """

    state: SessionState
    command: PoseCommand | None
    single_step: bool
    dragged: Mapping[str, DraggedTarget]
