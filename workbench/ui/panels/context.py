"""What the panels need of the rest of the program, as one frozen value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from workbench.live.autosave import Leftover
from workbench.live.exchange import RecordRing
from workbench.live.explainer import Explained
from workbench.live.grasp_go import GraspGo
from workbench.live.grasping import Grasping
from workbench.live.jobs import Jobs
from workbench.live.reach import ReachChecks
from workbench.live.session import Session
from workbench.live.session_file import SessionFile
from workbench.live.snapshot import StateSnapshot
from workbench.live.state import SessionState
from workbench.ui.widgets import WidgetTools


class RobotLoader(Protocol):
    """Switches the robot while the loop runs, as a job of its own."""

    def load(self, name: str, example: str = "") -> None:
        """Start loading a profile, or an example session of it.

        Raises:
            WorkbenchError: Where that cannot begin.
        """
        ...

    def open(
        self, file: SessionFile, name: str, *, opened: Callable[[], None] = lambda: None
    ) -> None:
        """Start loading a session's robot, to go on where the file left off.

        Args:
            file: What was read.
            name: How messages call it.
            opened: Called once all of it is in force.
        """
        ...

    def reload(self) -> None:
        """Start to read the present robot's files again."""
        ...

    def back(self) -> None:
        """Return to the robot before; raises a WorkbenchError when there is none."""
        ...


class SaveFile(Protocol):
    """The file that ``serve --save-to`` names."""

    @property
    def path(self) -> Path:
        """Where it is."""
        ...

    def save(self) -> None:
        """Replace it by the present export; raises a WorkbenchError when that fails."""
        ...


class SessionFiles(Protocol):
    """The present session as a file, and what an unclean end left behind."""

    @property
    def left_behind(self) -> tuple[Leftover, ...]:
        """Sessions that can be restored, newest first."""
        ...

    def text(self) -> str:
        """Return the present session as a file's text."""
        ...

    def forget(self, leftover: Leftover) -> None:
        """Delete one of them, which is open again."""
        ...


@dataclass(frozen=True)
class ExampleChoice:
    """An example session that a profile has.

    Attributes:
        robot: Name of the profile.
        name: Name of the example in it.
        title: Both for people.
    """

    robot: str
    name: str
    title: str


@dataclass(frozen=True)
class PanelContext:
    """What a panel may use.

    Attributes:
        tools: For its controls.
        session: The settings, and how to change them; its ``snapshots`` are the loop's.
        jobs: Slow work in the background.
        records: Numbers of the last ticks, for the plots.
        restart_loop: Lets the loop run again after a fault.
        export_text: The file that the present settings make.
        report_text: What "copy report" hands over.
        robots: Title of every robot profile, by name.
        loader: Switches the robot.
        keeper: The session as a file.
        grasping: Which grasp is looked at, and what was found about all of them.
        reach: Checks which grasps are reached.
        go: Drives the robot to one.
        why: Returns why the arm does what it does, None where that is not known.
        save_file: Where "Save" writes; None without ``--save-to``.
        examples: Example sessions of all profiles.
    """

    tools: WidgetTools
    session: Session
    jobs: Jobs
    records: RecordRing
    restart_loop: Callable[[], None]
    export_text: Callable[[], str]
    report_text: Callable[[], str]
    robots: Mapping[str, str]
    loader: RobotLoader
    keeper: SessionFiles
    grasping: Grasping
    reach: ReachChecks
    go: GraspGo
    why: Callable[[], Explained | None]
    save_file: SaveFile | None = None
    examples: tuple[ExampleChoice, ...] = ()


class Panel(Protocol):
    """One panel. Everything is called on the page loop."""

    def refresh(self, state: SessionState) -> None:
        """Show the settings in force; called after every change, so it must be cheap."""
        ...

    def close(self) -> None:
        """Drop what is pending: the page goes away."""
        ...


class LivePanel(Panel, Protocol):
    """A panel that shows the loop's numbers as well."""

    def show(self, snapshot: StateSnapshot) -> None:
        """Show a snapshot of the robot that is shown; called a few times a second."""
        ...
