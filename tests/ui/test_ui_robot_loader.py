"""Switching the robot: one swap when it is complete, and the present one stays until then."""

from __future__ import annotations

import os
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.live.live_fakes import FakeEngine, Rig, fake_bundle, tool_poses
from workbench.config.profile_examples import ProfileExample
from workbench.config.robot_pose import RobotPose
from workbench.config.settings import Settings
from workbench.config.tasks import DampingTaskSpec, JointVelocityTaskSpec
from workbench.errors import RobotError, UsageError
from workbench.live.bundle import RobotBundle
from workbench.live.jobs import Jobs
from workbench.live.session_file import SessionFile
from workbench.model.request import RobotRequest
from workbench.ui.app import _open_browser
from workbench.ui.loading import Progress
from workbench.ui.notices import Notices
from workbench.ui.robot_loader import JOB_KEY, SessionRobotLoader


class LoaderRig:
    """A loader whose jobs run when the test says so, and whose robots are fakes."""

    def __init__(self) -> None:
        self.rig = Rig()
        self.session = self.rig.session
        self.threads: list[Callable[[], None]] = []
        self.jobs = Jobs(lambda: self.session.state.epoch, spawn=self._spawn)
        self.told: list[str] = []
        self.problem: RobotError | None = None
        self.example: ProfileExample | None = None
        self.loader = SessionRobotLoader(
            self.session, self.jobs, Notices(lambda: [self]), RobotRequest("gantry"),
            load=self._load,
        )  # fmt: skip

    def run(self) -> None:
        while self.threads:
            self.threads.pop(0)()

    def add_notification(self, title: str, body: str, **_options: object) -> None:
        self.told.append(f"{title}: {body}")

    def _spawn(self, _title: str, run: Callable[[], None]) -> None:
        self.threads.append(run)

    def _load(self, request: RobotRequest, progress: Progress | None) -> RobotBundle:
        assert progress is not None
        progress(0.5, "half way")
        if self.problem is not None:
            raise self.problem
        bundle = fake_bundle(request.source)
        description = replace(bundle.description, example=self.example)
        return replace(bundle, description=description)


@pytest.fixture
def loading() -> LoaderRig:
    return LoaderRig()


def test_the_robot_is_swapped_when_it_is_complete_and_back_returns(loading: LoaderRig) -> None:
    loading.rig.set_gain(0.3)
    loading.loader.load("ur5")
    assert loading.session.state.loading is not None
    assert loading.session.state.description.name == "gantry"
    loading.run()
    state = loading.session.state
    assert (state.description.name, state.loading) == ("ur5", None)
    loading.loader.back()
    assert loading.session.state.description.name == "gantry"
    assert loading.rig.settings.kinematics.gain == 0.3


def test_an_example_is_loaded_as_one_and_starts_with_its_tasks(loading: LoaderRig) -> None:
    balance = DampingTaskSpec(name="calm")
    loading.example = ProfileExample("standing", "Standing", tasks=(balance,))
    loading.loader.load("g1", "standing")
    loading.run()
    assert loading.loader.request == RobotRequest("g1", example="standing")
    assert loading.session.state.settings.tasks == (balance,)
    with pytest.raises(UsageError, match="no such example"):
        loading.loader.load("g1", "flying")
    assert loading.session.state.loading is None


def test_a_robot_that_fails_to_load_leaves_the_present_one(loading: LoaderRig) -> None:
    loading.problem = RobotError("has two roots")
    loading.loader.load("ur5")
    loading.run()
    state = loading.session.state
    assert (state.description.name, state.loading) == ("gantry", None)
    assert "has two roots" in loading.told[-1]


def test_a_session_is_open_once_its_robot_is_there_and_not_before(loading: LoaderRig) -> None:
    opened: list[str] = []
    file = SessionFile(RobotRequest("ur5"), Settings(), robot="ur5")
    loading.problem = RobotError("has two roots")
    loading.loader.open(file, "mine.yaml", opened=lambda: opened.append("mine"))
    loading.run()
    assert opened == []
    assert loading.told[-1] == "mine.yaml was not opened; Gantry stays: has two roots"
    loading.problem = None
    loading.loader.open(file, "mine.yaml", opened=lambda: opened.append("mine"))
    loading.run()
    assert opened == ["mine"]


def test_loading_that_is_cancelled_is_over(loading: LoaderRig) -> None:
    loading.loader.load("ur5")
    assert loading.jobs.cancel(JOB_KEY)
    loading.run()
    state = loading.session.state
    assert (state.description.name, state.loading) == ("gantry", None)


def test_the_robot_chosen_last_wins_and_is_the_one_said_to_load(loading: LoaderRig) -> None:
    loading.loader.load("ur5")
    loading.loader.load("ur10")
    title = loading.session.state.loading
    loading.threads.pop(0)()
    assert loading.session.state.loading == title
    loading.run()
    state = loading.session.state
    assert (state.description.name, state.loading) == ("ur10", None)


def test_a_reload_keeps_settings_and_joints_by_name(loading: LoaderRig) -> None:
    loading.rig.set_gain(0.3)
    loading.session.command_positions("set pose", {"x": 0.5})
    loading.loader.reload()
    loading.run()
    state = loading.session.state
    assert state.epoch == 2
    assert state.settings.kinematics.gain == 0.3
    assert state.previous_robot is None
    engine = state.bundle.engine
    assert isinstance(engine, FakeEngine)
    assert engine.commands[-1]["x"] == 0.5


def test_back_in_the_last_moment_of_a_load_wins(loading: LoaderRig) -> None:
    loading.loader.load("ur5")
    loading.run()
    # Jobs that take every result for one of the present robot: as if "back" came after they looked.
    blind = Jobs(lambda: 1, spawn=loading._spawn)
    loader = SessionRobotLoader(
        loading.session, blind, Notices(lambda: [loading]), RobotRequest("ur5"),
        load=loading._load,
    )  # fmt: skip
    for start in (lambda: loader.load("ur10"), loader.reload):
        start()
        loading.session.restore_previous()
        before = loading.session.state.description.name
        told = list(loading.told)
        loading.run()
        assert loading.session.state.description.name == before
        assert loading.told == told
        assert blind.states[-1].phase == "cancelled"


def test_a_reload_leaves_undo_and_the_list_of_changes(loading: LoaderRig) -> None:
    loading.rig.set_gain(0.3)
    loading.loader.reload()
    loading.rig.set_gain(0.2)  # while it loads
    loading.run()
    assert loading.session.state.undo_label == "gain 0.3 to 0.2"
    assert [change.now for change in loading.session.changes()] == ["0.2"]


def test_a_reload_drops_what_names_joints_that_are_gone_and_says_so(loading: LoaderRig) -> None:
    gone = JointVelocityTaskSpec(name="spin", velocities={"z": 0.1})
    stays = DampingTaskSpec(name="calm")
    loading.session.edit(
        None,
        lambda old: replace(
            old,
            tasks=(gone, stays),
            streaming=old.streaming.with_values(joint_velocity_limits_rad_s={"x": 1.0, "z": 1.0}),
            named_poses={"ready": RobotPose({"x": 0.1, "z": 0.2})},
        ),
    )
    load = loading._load

    def without_z(request: RobotRequest, progress: Progress | None) -> RobotBundle:
        bundle = load(request, progress)
        joints = tuple(joint for joint in bundle.description.joints if joint.name != "z")
        home = {joint.name: 0.0 for joint in joints}
        return replace(
            bundle,
            description=replace(bundle.description, joints=joints, home=home),
            tool_poses=lambda positions: tool_poses({**positions, "z": 0.0}),
        )

    loader = SessionRobotLoader(
        loading.session, loading.jobs, Notices(lambda: [loading]), RobotRequest("gantry"),
        load=without_z,
    )  # fmt: skip
    loader.reload()
    loading.run()
    settings = loading.session.state.settings
    assert settings.tasks == (stays,)
    assert dict(settings.streaming.joint_velocity_limits_rad_s) == {"x": 1.0}
    assert set(settings.named_poses["ready"].positions) == {"x", "y"}
    assert "Joints that are gone: z." in loading.told[-1]
    assert "Entries whose joints or frames are gone: spin." in loading.told[-1]


@pytest.mark.parametrize(
    ("half_range", "margin", "mode", "said"),
    [
        (0.04, 1e-4, "streaming", "command_limit_margin is 0.0001 again: 0.05 leaves"),
        (5e-5, 1e-4, "live", "The mode is live: streaming's command_limit_margin leaves"),
    ],
)
def test_a_reload_with_limits_too_near_each_other_for_the_margin_loosens_it_and_says_so(
    loading: LoaderRig, half_range: float, margin: float, mode: str, said: str
) -> None:
    loading.session.edit(
        None,
        lambda old: replace(
            old, mode="streaming", streaming=old.streaming.with_values(command_limit_margin=0.05)
        ),
    )
    load = loading._load

    def narrower(request: RobotRequest, progress: Progress | None) -> RobotBundle:
        bundle = load(request, progress)
        first, *others = bundle.description.joints
        joints = (replace(first, lower=-half_range, upper=half_range), *others)
        return replace(bundle, description=replace(bundle.description, joints=joints))

    loader = SessionRobotLoader(
        loading.session, loading.jobs, Notices(lambda: [loading]), RobotRequest("gantry"),
        load=narrower,
    )  # fmt: skip
    loader.reload()
    loading.run()
    settings = loading.session.state.settings
    assert (settings.streaming.command_limit_margin, settings.mode) == (margin, mode)
    assert said in loading.told[-1]


@pytest.mark.parametrize(("variable", "opens"), [(None, False), ("DISPLAY", True)])
def test_a_browser_of_the_terminal_is_not_opened(
    variable: str | None, opens: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    if variable is not None:
        monkeypatch.setitem(os.environ, variable, ":0")
    opened = threading.Event()
    monkeypatch.setattr(webbrowser, "open", lambda _url: opened.set())
    monkeypatch.setattr("sys.platform", "linux")
    before = threading.active_count()
    _open_browser("http://127.0.0.1:1/")
    assert opened.wait(5.0) if opens else threading.active_count() == before
