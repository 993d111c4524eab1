"""Panels on a real viser server, with browsers and a clock that do what a test says."""

from __future__ import annotations

import heapq
import html
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import viser

from tests.live.live_fakes import FakePool, Rig
from workbench.live.autosave import Leftover
from workbench.live.explainer import Explained
from workbench.live.export import export_text
from workbench.live.grasp_go import GraspGo
from workbench.live.grasping import Grasping
from workbench.live.jobs import Jobs
from workbench.live.loop import Loop
from workbench.live.reach import ReachChecks
from workbench.live.session_file import SessionFile, write_session
from workbench.model.request import RobotRequest
from workbench.ui.notices import Notices
from workbench.ui.panels.context import ExampleChoice, PanelContext
from workbench.ui.widgets import WidgetTools


@dataclass(order=True)
class _Call:
    due_s: float
    number: int
    action: Callable[[], None] = field(compare=False)
    cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        self.cancelled = True


class FakePageLoop:
    """A page loop whose time passes when it is told to."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self._calls: list[_Call] = []
        self._numbers = itertools.count()

    def call_soon(self, action: Callable[[], None]) -> None:
        self.call_later(0.0, action)

    def call_later(self, delay_s: float, action: Callable[[], None]) -> _Call:
        call = _Call(self.now_s + delay_s, next(self._numbers), action)
        heapq.heappush(self._calls, call)
        return call

    def run(self, seconds: float = 0.0) -> None:
        """Let time pass and make every call that becomes due."""
        end_s = self.now_s + seconds
        while self._calls and self._calls[0].due_s <= end_s:
            call = heapq.heappop(self._calls)
            self.now_s = call.due_s
            if not call.cancelled:
                call.action()
        self.now_s = end_s


class FakeBrowser:
    """One browser: remembers what it was told, and does to a control what a person does."""

    def __init__(self, number: int = 1) -> None:
        self.number = number
        self.told: list[tuple[str, str]] = []
        self.files: list[tuple[str, bytes]] = []

    def add_notification(
        self, title: str, body: str, *, auto_close_seconds: float | None = None, color: Any = None
    ) -> None:
        self.told.append((title, body))

    def send_file_download(
        self, filename: str, content: bytes, *, save_immediately: bool = False
    ) -> None:
        self.files.append((filename, content))

    def set(self, handle: Any, value: Any) -> None:
        """Send a value; viser applies it before it calls back."""
        handle._impl.value = value
        for callback in list(handle._impl.update_cb):
            _finish(callback(viser.GuiEvent(cast(Any, self), self.number, handle)))

    def click(self, button: Any) -> None:
        self.set(button, True)

    def type(self, handle: Any, text: str) -> None:
        """Type a text, key by key."""
        for end in range(1, len(text) + 1):
            self.set(handle, text[:end])

    def submit(self, form: viser.GuiFormHandle) -> None:
        for callback in form._submit_cb:
            _finish(callback(viser.GuiEvent(cast(Any, self), self.number, form)))

    def trigger(self, command: viser.CommandHandle) -> None:
        for callback in command._impl.trigger_cb:
            _finish(callback(viser.CommandEvent(cast(Any, self), self.number, command)))


def _finish(outcome: Any) -> None:
    """Run a coroutine that never waits, as the panels' callbacks are."""
    if outcome is None:
        return
    try:
        outcome.send(None)
    except StopIteration:
        return
    raise AssertionError("a callback waited for something")


class FakeLoader:
    """Remembers which robots were asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.opens = True

    def load(self, name: str, example: str = "") -> None:
        self.asked.append(f"{name} {example}".strip())

    def open(
        self, file: SessionFile, name: str, *, opened: Callable[[], None] = lambda: None
    ) -> None:
        self.asked.append(f"open {file.request.source} from {name}")
        if self.opens:
            opened()

    def reload(self) -> None:
        self.asked.append("reload")

    def back(self) -> None:
        self.asked.append("back")


class FakeKeeper:
    """The session as a file, and what a test says was left behind."""

    def __init__(self) -> None:
        self.left_behind: tuple[Leftover, ...] = ()

    def text(self) -> str:
        return write_session(SessionFile(RobotRequest("gantry")))

    def forget(self, leftover: Leftover) -> None:
        self.left_behind = tuple(one for one in self.left_behind if one != leftover)


class FakeSaveFile:
    """A file that counts how often it was written."""

    path = Path("/somewhere/tuned.yaml")

    def __init__(self) -> None:
        self.writes = 0
        self.raises: Exception | None = None

    def save(self) -> None:
        if self.raises is not None:
            raise self.raises
        self.writes += 1


class PanelRig:
    """A session on a fake robot, two browsers, and everything that a panel needs."""

    def __init__(self, gui: viser.GuiApi) -> None:
        self.gui = gui
        self.rig = Rig()
        self.session = self.rig.session
        self.loop = Loop(self.session)
        self.page = FakePageLoop()
        self.browser, self.other = FakeBrowser(1), FakeBrowser(2)
        self.notices = Notices(lambda: cast(Any, [self.browser, self.other]))
        self.tools = WidgetTools(gui, self.page, self.notices)
        self.jobs = Jobs(lambda: self.session.state.epoch, spawn=self._spawn)
        self.waiting_jobs: list[Callable[[], None]] = []
        self.loader = FakeLoader()
        self.save_file = FakeSaveFile()
        self.keeper = FakeKeeper()
        self.explained: Explained | None = None
        self.restarts = 0
        self.grasping = Grasping()
        self.reach = ReachChecks(self.session, self.jobs, self.grasping, make_pool=self._make_pool)
        self.go = GraspGo(self.session, self.jobs, self.grasping, self.reach)
        self.context = PanelContext(
            tools=self.tools,
            session=self.session,
            jobs=self.jobs,
            records=self.loop.records,
            restart_loop=self._restart,
            export_text=lambda: export_text(self.session.state),
            report_text=lambda: "line one\nline <two>",
            robots={"gantry": "Gantry", "panda": "Franka Panda"},
            loader=self.loader,
            keeper=self.keeper,
            grasping=self.grasping,
            reach=self.reach,
            go=self.go,
            why=lambda: self.explained,
            save_file=self.save_file,
            examples=(ExampleChoice("walker", "standing", "walker: Standing on both feet"),),
        )

    @property
    def config(self) -> Any:
        return self.session.state.settings.kinematics

    def run_jobs(self) -> None:
        """Do the work that was submitted, now."""
        jobs, self.waiting_jobs = self.waiting_jobs, []
        for job in jobs:
            job()

    def _make_pool(self, start: Any) -> Any:
        return FakePool(start)

    def _spawn(self, _title: str, run: Callable[[], None]) -> None:
        self.waiting_jobs.append(run)

    def _restart(self) -> None:
        self.restarts += 1


def handles(gui: viser.GuiApi) -> list[Any]:
    """Return every control and text of a page, in the order in which it was added."""
    found: list[Any] = []

    def walk(container: Any) -> None:
        for child in list(container._children.values()):
            found.append(child)
            if hasattr(child, "_tab_handles"):
                for tab in child._tab_handles:
                    walk(tab)
            elif hasattr(child, "_children"):
                walk(child)

    walk(gui._container_handle_from_uuid["root"])
    for panel in gui._panel_handle_from_uuid.values():
        for tab in panel._tab_handles:
            walk(tab)
    return found


def labelled(gui: viser.GuiApi, label: str) -> Any:
    """Return the control of that label; fails unless there is exactly one."""
    (handle,) = [one for one in handles(gui) if getattr(one, "label", None) == label]
    return handle


def text_of(rig: PanelRig) -> str:
    """Return what all HTML that is shown reads like."""
    return html.unescape(html_of(rig))


def html_of(rig: PanelRig) -> str:
    """Return all HTML that is shown."""
    return "\n".join(
        handle.content
        for handle in handles(rig.gui)
        if hasattr(handle, "content") and handle.visible
    )
