"""The application: load a robot, serve the page, run the loop, and end all of it in order."""

from __future__ import annotations

import sys
import threading
import time
import webbrowser
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import viser

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.kinematics_file import read_kinematics
from workbench.config.pasted import read_dimos_file
from workbench.config.settings import Settings
from workbench.desktop import has_desktop
from workbench.grasps.files import read_grasp_files
from workbench.grasps.gripper_model import load_gripper
from workbench.live.autosave import Leftover, discard, leftovers
from workbench.live.explainer import Explainer
from workbench.live.export import export_text
from workbench.live.files import checked_output_path
from workbench.live.grasp_edits import scene_of
from workbench.live.grasp_go import GraspGo
from workbench.live.grasping import Grasping
from workbench.live.hulls import HullMaker
from workbench.live.jobs import Jobs
from workbench.live.loop import Loop
from workbench.live.reach import ReachChecks
from workbench.live.report import report_text, state_document
from workbench.live.session import Session
from workbench.model.catalog import profile, profile_names
from workbench.model.request import RobotRequest
from workbench.ui.camera import ViewName
from workbench.ui.commands import Command, register_commands, standard_commands
from workbench.ui.ending import Ending
from workbench.ui.http import YAML, HttpAnswer, json_answer, text_answer
from workbench.ui.lighting import light_scene
from workbench.ui.loading import initial_settings, load_bundle
from workbench.ui.notices import Notices
from workbench.ui.opening import fitted
from workbench.ui.page_loop import AsyncioPageLoop
from workbench.ui.panels.board import Board
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.examples import example_choices
from workbench.ui.panels.scene import ScenePanel
from workbench.ui.robot_loader import SessionRobotLoader
from workbench.ui.save_file import SaveTarget
from workbench.ui.scene_pump import ScenePump
from workbench.ui.server import GuardedServer, ServerOptions, serve
from workbench.ui.session_keeper import (
    OpenedFile,
    SessionKeeper,
    file_to_open,
    left_behind_text,
    state_folder,
)
from workbench.ui.widgets import WidgetTools


@dataclass(frozen=True)
class AppOptions:
    """What the command line says besides the robot and the server.

    Attributes:
        config_path: ``PinkKinematicsConfig`` file to start with.
        save_to: File that "Save" writes.
        rate_hz: Rate to start with.
        session_path: Session file to start with; it names the robot.
        restore: True opens the session that an unclean end left behind, False deletes it; None
            offers it.
        grasps_path: Grasp file to start with, or the name of one that is shipped.
        object_path: Mesh of the object that they are on.
        gripper_path: URDF of a gripper that the robot does not have, to draw grasps with.
        gripper_frame: Link of it that grasps are relative to; its root by default.
        open_browser: Whether to open a browser.
    """

    config_path: str | None = None
    save_to: str | None = None
    rate_hz: float | None = None
    session_path: str | None = None
    restore: bool | None = None
    grasps_path: str | None = None
    object_path: str | None = None
    gripper_path: str | None = None
    gripper_frame: str | None = None
    open_browser: bool = True


class App:
    """Everything that runs for one ``workbench serve``."""

    def __init__(
        self, request: RobotRequest, server_options: ServerOptions, options: AppOptions
    ) -> None:
        """Load the robot and serve its page.

        Raises:
            WorkbenchError: If the robot, the config or the port cannot be had; nothing is left
                running then.
        """
        save_path = (
            None if options.save_to is None else checked_output_path(options.save_to, "--save-to")
        )
        saved = None if save_path is None else _config_in(save_path)
        kinematics = None
        if options.config_path is not None:
            path = Path(options.config_path)
            kinematics = read_dimos_file(path, name=options.config_path).kinematics
        if options.rate_hz is not None:
            Settings(rate_hz=options.rate_hz)  # a wrong rate is said before a robot is loaded
        grasps = None
        if options.grasps_path is not None:
            grasps = read_grasp_files(options.grasps_path, options.object_path)
        folder = state_folder()
        left_behind = leftovers(folder)
        opened = file_to_open(options.session_path, options.restore, left_behind)
        if opened is not None:
            request = opened.file.request
        self._load = load_bundle
        if options.gripper_path is not None:
            own = load_gripper(RobotRequest(options.gripper_path), options.gripper_frame)
            self._load = partial(load_bundle, gripper=own)
        bundle = self._load(request)
        ready = None if opened is None else fitted(opened.file, bundle, opened.name)
        settings = initial_settings(
            bundle, kinematics=kinematics, rate_hz=options.rate_hz,
            start_from=None if ready is None else ready.settings,
            grasp_scene=None if grasps is None else scene_of(
                grasps.name, grasps.grasps, grasps.mesh, bundle.description
            ),
        )  # fmt: skip
        self.session = Session(
            bundle, settings, clock=time.monotonic, now_utc=lambda: datetime.now(UTC),
            pose=None if ready is None else ready.pose,
        )  # fmt: skip
        if saved is not None:
            self.session.compare_with_saved(saved)
        self.loop = Loop(self.session)
        self.explainer = Explainer(
            self.session, is_watched=lambda: self.server.client_count > 0,
            on_fault=self._say_fault,
        )  # fmt: skip
        self.jobs = Jobs(lambda: self.session.state.epoch)
        self.grasping = Grasping()
        if ready is not None:
            self.grasping.restore(ready.grasp_view)
        self.save_target = None if save_path is None else SaveTarget(save_path, self.session)
        self.server: GuardedServer = serve(
            server_options,
            {"/api/state": self._answer_state, "/api/config.yaml": self._answer_config},
        )
        try:
            rest = {None: left_behind, True: left_behind[1:], False: ()}[options.restore]
            self._build_page(request, opened, folder, rest)
        except BaseException:
            self.server.stop()
            raise
        # Not before all that can fail is done.
        discard(tuple(one for one in left_behind if one not in rest))

    def _build_page(
        self,
        request: RobotRequest,
        opened: OpenedFile | None,
        folder: Path,
        left_behind: tuple[Leftover, ...],
    ) -> None:
        """Put everything on the page; nobody hears of the loop or the session before."""
        viser_server = self.server.viser
        notices = Notices(lambda: viser_server.get_clients().values())
        self.reach = ReachChecks(
            self.session, self.jobs, self.grasping,
            failed=lambda error: notices.failed("Reach was not checked", str(error)),
        )  # fmt: skip
        self.go = GraspGo(
            self.session, self.jobs, self.grasping, self.reach,
            failed=lambda error: notices.failed("The robot stays", str(error)),
        )  # fmt: skip
        self.pump = ScenePump(
            viser_server, self.session, grasping=self.grasping, on_fault=self._say_fault
        )
        self.server.filter.gizmo_owner(self.pump.gizmos.may_start)
        self.server.filter.on_refused(partial(self._say_refused, notices))
        tools = WidgetTools(
            gui=viser_server.gui,
            page=AsyncioPageLoop(viser_server.get_event_loop()),
            notices=notices,
            open_to_lookers=self.server.filter.open_to_lookers,
        )
        loader = SessionRobotLoader(
            self.session, self.jobs, notices, request, load=self._load,
            look_first_from=self.pump.look_first_from, look_at_grasps=self.grasping.restore,
        )  # fmt: skip
        self.keeper = SessionKeeper(
            self.session, self.grasping, lambda: loader.request,
            lambda: viser_server.get_clients().values(),
            folder=folder, left_behind=left_behind,
            said=lambda text: print(f"Note: {text}", flush=True),
        )  # fmt: skip
        self.hulls = HullMaker(
            self.session, self.jobs, lambda error: notices.failed("No self-collision", str(error))
        )
        if opened is not None and opened.file.camera is not None:
            self.pump.look_first_from(opened.file.camera)
        self.board = Board(
            PanelContext(
                tools=tools,
                session=self.session,
                jobs=self.jobs,
                records=self.loop.records,
                restart_loop=self.loop.restart,
                export_text=self._export,
                report_text=self._report,
                robots={name: profile(name).title for name in profile_names()},
                loader=loader,
                keeper=self.keeper,
                grasping=self.grasping,
                reach=self.reach,
                go=self.go,
                why=self.explainer.ask,
                save_file=self.save_target,
                examples=example_choices(profile(name) for name in profile_names()),
            ),
            add_scene_panel=lambda: ScenePanel(tools, self.pump),
            is_watched=lambda: self.server.client_count > 0,
        )
        register_commands(tools, self._commands())
        self.server.on_connect(lambda _client: self.loop.set_watched(True))
        self.server.on_disconnect(lambda _client: self._page_closed())

    def start(self) -> None:
        """Draw the robot once, so that the first page finds it, then let everything run."""
        light_scene(self.server.viser)
        self.pump.step()
        self.loop.on_tick(self.go.step)
        self.loop.on_tick(self.pump.wake)
        self.loop.start()
        self.pump.start()
        self.board.start()
        self.keeper.start()
        self.explainer.start()
        self.reach.start()

    def stop(self) -> None:
        """End everything, newest first; at most about 2 s."""
        self.board.close()
        self.reach.stop(timeout_s=0.2)
        self.explainer.stop(timeout_s=0.5)
        self.keeper.end_cleanly()
        self.jobs.stop(timeout_s=0.5)
        self.pump.stop(timeout_s=0.5)
        self.loop.stop(timeout_s=0.5)
        self.server.stop()

    def _commands(self) -> tuple[Command, ...]:
        views: dict[str, ViewName | None] = {
            "Frame the robot": None,
            "Front view": "front",
            "Side view": "side",
            "Top view": "top",
        }
        return standard_commands(
            self.session,
            {label: partial(self._look_from, view) for label, view in views.items()},
            None if self.save_target is None else self.board.file.save,
        )

    def _look_from(self, view: ViewName | None, client: viser.ClientHandle) -> None:
        self.pump.look_from(client, view)

    def _page_closed(self) -> None:
        if self.server.client_count == 0:
            self.loop.set_watched(False)

    def _say_refused(self, notices: Notices, client_id: int, reason: str) -> None:
        client = self.server.viser.get_clients().get(client_id)
        if client is not None:
            notices.refused("Not accepted", reason, to=client)

    def _answer_state(self) -> HttpAnswer:
        return json_answer(
            state_document(
                self.session.state, self.loop.latest.get(), self.explainer.ask(), self.grasping.view
            )
        )

    def _answer_config(self) -> HttpAnswer:
        return text_answer(self._export(), content_type=YAML)

    def _export(self) -> str:
        return export_text(self.session.state)

    def _report(self) -> str:
        return report_text(self.session, faults=self.loop.faults, jobs=self.jobs.states)

    def _say_fault(self, fault: str) -> None:
        print(fault, file=sys.stderr, flush=True)


def run_app(request: RobotRequest, server_options: ServerOptions, options: AppOptions) -> int:
    """Serve until Ctrl+C or SIGTERM; returns the exit status.

    Raises:
        WorkbenchError: If it cannot start.
    """
    app = App(request, server_options, options)
    ending = Ending()
    try:
        ending.listen()
        app.start()
        _say_ready(app)
        if options.open_browser:
            _open_browser(app.server.url)
        ending.wait()
    finally:
        app.stop()
    _say_unsaved(app)
    return 0


def _open_browser(url: str) -> None:
    """Open the page in a window, where there can be one, and wait for nobody."""
    if has_desktop():
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _config_in(path: Path) -> PinkKinematicsConfig | None:
    """Return the config that the file for "Save" holds; None where it holds nothing yet.

    Raises:
        ConfigError: If it holds something else, which "Save" would destroy.
    """
    if not path.exists() or path.stat().st_size == 0:
        return None
    return read_kinematics(path, name=str(path))


def _say_ready(app: App) -> None:
    for remark in app.session.state.description.remarks:
        if remark.severity == "warning":
            print(f"Note: {remark.text}", flush=True)
    for leftover in app.keeper.left_behind[:1]:
        print(
            f"Note: {left_behind_text(leftover)} --restore opens it, --no-restore deletes it; "
            "the File tab offers it as well.",
            flush=True,
        )
    if app.server.look_url is not None:
        print(f"To look only: {app.server.look_url}", flush=True)
    if app.server.outside_url is not None:
        print(f"From other machines: {app.server.outside_url}", flush=True)
    print(f"Ready: {app.server.url}", flush=True)


def _say_unsaved(app: App) -> None:
    target = app.save_target
    if target is None or not app.session.state.unsaved:
        return
    changed = ", ".join(change.phrase for change in app.session.unsaved_changes())
    print(f"Not saved to {target.path}: {changed}", flush=True)
