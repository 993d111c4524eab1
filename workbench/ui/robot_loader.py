"""Switching the robot while the loop runs: a job that ends in one swap, or in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.errors import WorkbenchError
from workbench.live.bundle import RobotBundle
from workbench.live.grasping import GraspView
from workbench.live.jobs import JobCancelled, JobControl, Jobs
from workbench.live.session import Session
from workbench.live.session_file import CameraView, SessionFile
from workbench.model.catalog import profile
from workbench.model.reload import compare
from workbench.model.request import RobotRequest
from workbench.ui.loading import (
    Progress,
    carried_over,
    entries_that_went,
    initial_settings,
    load_bundle,
)
from workbench.ui.notices import Notices
from workbench.ui.opening import fitted

JOB_KEY = "robot"


@dataclass(frozen=True, eq=False)
class _Loaded:
    """A bundle that is ready to be swapped in.

    Attributes:
        bundle: The robot.
        put: Swaps it in and returns what to tell everybody; None when another robot has come
            meanwhile.
    """

    bundle: RobotBundle
    put: Callable[[], str | None]


class SessionRobotLoader:
    """Loads robots into a session. The present one stays until the next is complete."""

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        notices: Notices,
        request: RobotRequest,
        *,
        load: Callable[[RobotRequest, Progress | None], RobotBundle] = load_bundle,
        look_first_from: Callable[[CameraView], None] = lambda _view: None,
        look_at_grasps: Callable[[GraspView], None] = lambda _view: None,
    ) -> None:
        """Start with the robot that the session has.

        Args:
            session: Gets the robots.
            jobs: Runs the loading.
            notices: Says how it went.
            request: What the session's present robot was loaded from.
            load: Builds a bundle; may take seconds.
            look_first_from: Moves the camera when a session with one is opened.
            look_at_grasps: Told how the grasps of a session that is opened are looked at.
        """
        self._session = session
        self._jobs = jobs
        self._notices = notices
        self._load = load
        self._look_first_from = look_first_from
        self._look_at_grasps = look_at_grasps
        self._request = request
        self._previous_request: RobotRequest | None = None
        self._submitted = 0

    def load(self, name: str, example: str = "") -> None:
        """Start loading a profile.

        Args:
            name: The profile's name.
            example: Name of an example session of it; empty for the plain robot.

        Raises:
            UsageError: If there is none of that name.
        """
        wanted = profile(name)
        if example:
            wanted = wanted.for_example(example)
        title = wanted.title
        request = RobotRequest(source=name, example=example)

        session = self._session
        epoch = session.state.epoch

        def work(control: JobControl) -> _Loaded:
            bundle = self._load(request, control.report)
            present = session.state.settings
            settings = initial_settings(
                bundle, rate_hz=present.rate_hz, grasp_scene=present.grasp_scene
            )

            def put() -> str | None:
                came = session.replace_bundle(bundle, settings, epoch=epoch)
                return _summary(bundle) if came else None

            return _Loaded(bundle, put)

        def done() -> None:
            self._previous_request, self._request = self._request, request

        self._submit(title, work, done)

    def open(
        self, file: SessionFile, name: str, *, opened: Callable[[], None] = lambda: None
    ) -> None:
        """Start loading a session: its robot, its settings, and where it was.

        Args:
            file: What was read.
            name: How messages call it.
            opened: Called once all of it is in force.
        """
        session, epoch = self._session, self._session.state.epoch

        def work(control: JobControl) -> _Loaded:
            bundle = self._load(file.request, control.report)
            ready = fitted(file, bundle, name)

            def put() -> str | None:
                if file.camera is not None and epoch == session.state.epoch:
                    self._look_first_from(file.camera)
                came = session.replace_bundle(bundle, ready.settings, epoch=epoch, pose=ready.pose)
                if came:
                    self._look_at_grasps(ready.grasp_view)
                return f"{ready.remark} {_summary(bundle)}".strip() if came else None

            return _Loaded(bundle, put)

        def done() -> None:
            self._previous_request, self._request = self._request, file.request
            opened()

        title = file.robot or file.request.source
        self._submit(title, work, done, not_done=f"{name} was not opened")

    @property
    def request(self) -> RobotRequest:
        """What the present robot was loaded from."""
        return self._request

    def reload(self) -> None:
        """Read the present robot's files again; what still has a name keeps its value."""
        session, request = self._session, self._request
        before = session.state

        def work(control: JobControl) -> _Loaded:
            bundle = self._load(request, control.report)
            difference = compare(before.description, bundle.description)

            def put() -> str | None:
                pose, carry = carried_over(bundle, session.present_pose())
                settings = session.state.settings
                # The loop does not know this engine yet, so it may be moved from here.
                bundle.engine.set_positions(pose.positions, pose.transform_base_to_world)
                if not session.reload_bundle(bundle, pose, carry, epoch=before.epoch):
                    return None
                went = entries_that_went(settings, session.state.settings)
                return " ".join((*difference.sentences, went)).strip()

            return _Loaded(bundle, put)

        self._submit(before.description.title, work)

    def back(self) -> None:
        """Return to the robot before the present one, as it was left.

        Raises:
            WorkbenchError: If there is none.
        """
        if not self._session.restore_previous():
            raise WorkbenchError("there is no robot to go back to")
        self._jobs.cancel(JOB_KEY)
        self._session.set_loading(None)
        if self._previous_request is not None:
            self._request, self._previous_request = self._previous_request, self._request
        self._notices.done(f"Back to {self._session.state.description.title}")

    def _submit(
        self,
        title: str,
        work: Callable[[JobControl], _Loaded],
        done: Callable[[], None] = lambda: None,
        *,
        not_done: str | None = None,
    ) -> None:
        self._submitted += 1
        number = self._submitted

        def watched(control: JobControl) -> _Loaded:
            try:
                return work(control)
            finally:
                # Whether it ended or was cancelled; unless a later robot is being loaded instead.
                if number == self._submitted:
                    self._session.set_loading(None)

        def finished(loaded: _Loaded) -> None:
            # "Back to X" may have come between the job's end and this.
            said = loaded.put()
            if said is None:
                raise JobCancelled
            done()
            self._notices.done(f"{loaded.bundle.description.title} is loaded", said)

        def failed(error: Exception) -> None:
            present = self._session.state.description.title
            cause = not_done or f"{title} cannot be loaded"
            self._notices.failed(f"{cause}; {present} stays", str(error))

        self._session.set_loading(title)
        self._jobs.submit(f"Loading {title}", watched, finished, failed, key=JOB_KEY)


def _summary(bundle: RobotBundle) -> str:
    warnings = [
        remark.text for remark in bundle.description.remarks if remark.severity == "warning"
    ]
    return " ".join(warnings)
