"""The running session and files: written every few seconds, offered after an unclean end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import platformdirs
import viser

from workbench.errors import UsageError
from workbench.live.autosave import Autosave, Leftover, discard, discard_old
from workbench.live.grasp_session import GraspsText
from workbench.live.grasping import Grasping
from workbench.live.session import Session
from workbench.live.session_file import CameraView, SessionFile, read_session
from workbench.model.request import RobotRequest
from workbench.ui.opening import session_text


def state_folder() -> Path:
    """Return the folder of this user for what outlives a run."""
    return platformdirs.user_state_path("ik-workbench", appauthor=False)


class SessionKeeper:
    """Knows the present session as a file's text, and keeps it on disk."""

    def __init__(
        self,
        session: Session,
        grasping: Grasping,
        request: Callable[[], RobotRequest],
        clients: Callable[[], Iterable[viser.ClientHandle]],
        *,
        folder: Path,
        left_behind: tuple[Leftover, ...],
        said: Callable[[str], None],
    ) -> None:
        """Get ready; :meth:`start` begins to write.

        Args:
            session: The session.
            grasping: How its grasps are looked at.
            request: Returns what its robot was loaded from.
            clients: Returns the pages that are open; the newest one's camera is kept.
            folder: The state folder.
            left_behind: Sessions that unclean ends left there.
            said: Told when the session cannot be kept on disk.
        """
        self._session = session
        self._grasping = grasping
        self._grasps_text = GraspsText()
        self._request = request
        self._clients = clients
        self.left_behind = discard_old(left_behind)
        self._autosave = Autosave(folder, self.text, said=said)

    def start(self) -> None:
        """Write the session every few seconds from now on."""
        self._autosave.start()

    def end_cleanly(self) -> None:
        """Stop, and leave nothing to be restored."""
        self._autosave.end_cleanly()

    def text(self) -> str:
        """Return the present session as a file's text."""
        return session_text(
            self._session, self._request(), self._camera(), grasp_view=self._grasping.view,
            grasps_text=self._grasps_text,
        )  # fmt: skip

    def forget(self, leftover: Leftover) -> None:
        """Delete a session that was left behind: it is open again. Others stay."""
        discard((leftover,))
        self.left_behind = tuple(one for one in self.left_behind if one != leftover)

    def _camera(self) -> CameraView | None:
        for client in reversed(list(self._clients())):
            camera = client.camera
            if camera.image_height > 0:  # it has said where it looks
                position, look_at, up = (
                    tuple(round(float(number), 4) for number in vector)
                    for vector in (camera.position, camera.look_at, camera.up_direction)
                )
                if position != look_at and any(up):
                    return CameraView(position, look_at, up)  # pyright: ignore[reportArgumentType]
        return None


@dataclass(frozen=True, eq=False)
class OpenedFile:
    """A session file that was read.

    Attributes:
        file: What it holds.
        name: How messages call it.
    """

    file: SessionFile
    name: str


def opened(path: Path) -> OpenedFile:
    """Read a session file; raises ConfigError."""
    return OpenedFile(read_session(path, name=str(path)), str(path))


def file_to_open(
    session_path: str | None, restore: bool | None, left_behind: tuple[Leftover, ...]
) -> OpenedFile | None:
    """Return the session that the command line asks for.

    Args:
        session_path: ``--session``.
        restore: True for ``--restore``, False for ``--no-restore``, None for neither.
        left_behind: Sessions that unclean ends left.

    Raises:
        ConfigError: If the file cannot be read.
        UsageError: If there is nothing to restore.
    """
    if session_path is not None:
        return opened(Path(session_path))
    if restore:
        if not left_behind:
            raise UsageError("there is no session to restore", field="--restore")
        return opened(left_behind[0].path)
    return None


def left_behind_text(leftover: Leftover) -> str:
    """Return what there is to say of a session that was left behind."""
    written = datetime.fromtimestamp(leftover.written_at_s, UTC).astimezone()
    return f"A session of {written:%Y-%m-%d %H:%M} was not ended cleanly."
