"""What the file for "Save" holds, and how the present state differs from it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.settings import Settings
from workbench.live.change import Change, change_of
from workbench.live.changes import differences
from workbench.live.state import SessionState


@dataclass(frozen=True, eq=False)
class Saved:
    """The state that is in the file. There is one file, whatever robot is shown.

    Attributes:
        robot: Name of the robot that it was saved for.
        settings: What was saved. What the file does not tell is never compared.
    """

    robot: str
    settings: Settings

    @classmethod
    def now(cls, state: SessionState, kinematics: PinkKinematicsConfig | None = None) -> Saved:
        """Return that ``state`` is in the file, with other twelve fields where they are given."""
        settings = state.settings
        if kinematics is not None:
            settings = replace(settings, kinematics=kinematics)
        return cls(state.description.name, settings)

    def differs_from(self, robot: str, settings: Settings) -> bool:
        """Tell whether a file written now would say anything else."""
        saved = self.settings.as_exported
        return robot != self.robot or settings.as_exported != saved

    def differences(self, state: SessionState) -> tuple[Change, ...]:
        """Return what a file written now would say otherwise.

        Another robot's joints and frames have other names, so that only the twelve fields and the
        rate can be compared with it.
        """
        found = differences(self.settings.as_exported, state.settings.as_exported)
        robot = state.description.name
        if robot == self.robot:
            return found
        comparable = [item for item in found if item.field.startswith(("kinematics.", "rate_hz"))]
        return (change_of("robot", "robot", self.robot, robot), *comparable)
