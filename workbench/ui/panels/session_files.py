"""The session as a file: download it, open one, restore what an unclean end left behind."""

from __future__ import annotations

from typing import Any

import viser

from workbench.errors import WorkbenchError
from workbench.live.jobs import JobControl
from workbench.live.session_file import SUFFIX, SessionFile, read_session
from workbench.live.state import SessionState
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.transfers import safe_stem, taken_upload
from workbench.ui.widgets import add_button, button_row, give_help, on_click


class SessionFilesPanel:
    """Save session, open session, restore."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        tools, gui = context.tools, context.tools.gui
        with button_row(tools):
            save = add_button(
                gui, "Save session",
                "Saves everything on your computer: robot, settings, tasks, targets, named poses, "
                "grasps, where the robot is and where you look from.",
                icon=viser.Icon.PACKAGE_EXPORT,
            )  # fmt: skip
            self._open = gui.add_upload_button(
                "Open session", icon=viser.Icon.PACKAGE_IMPORT, mime_type=".yaml,.yml"
            )
        give_help(
            self._open,
            "Goes on from a session file (*.workbench.yaml) on your computer, with the robot that "
            "it names. The way back returns to the present robot.",
        )
        save.on_click(self._send_file)
        tools.open_to_lookers(save)
        self._open.on_upload(self._uploaded)
        self._restore = add_button(
            gui, "Restore the last session",
            "Goes on with the session that was not ended cleanly.",
            icon=viser.Icon.RESTORE, visible=False,
        )  # fmt: skip
        on_click(tools, self._restore, "Nothing was restored", self._restore_last)
        gui.add_html(
            block(
                '<span class="dim">A session file holds all of it; '
                "<code>workbench serve <span class='whole'>--session FILE</span></code> opens it, "
                "too.</span>"
            )
        )
        self.refresh(context.session.state)

    def refresh(self, state: SessionState) -> None:
        """Offer what was left behind, as long as it is there."""
        del state  # shows nothing of it
        self._restore.visible = bool(self._context.keeper.left_behind)

    def close(self) -> None:
        """Nothing is pending."""

    def _restore_last(self) -> None:
        keeper = self._context.keeper
        if not keeper.left_behind:
            raise WorkbenchError("there is no session to restore")
        leftover = keeper.left_behind[0]
        path, name = leftover.path, str(leftover.path)

        def opened() -> None:
            keeper.forget(leftover)
            self._restore.visible = bool(keeper.left_behind)

        def done(file: SessionFile) -> None:
            # Until its robot is there, the file is all that there is of the session.
            self._context.loader.open(file, name, opened=opened)

        def failed(error: Exception) -> None:
            self._context.tools.notices.failed("Nothing was restored", str(error))

        self._context.jobs.submit(
            "Reading the last session", lambda _control: read_session(path, name=name), done,
            failed, any_robot=True,
        )  # fmt: skip

    async def _send_file(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is None:
            return
        name = session_file_name(self._context.session.state.description.name)
        content = self._context.keeper.text().encode()
        event.client.send_file_download(name, content, save_immediately=True)

    async def _uploaded(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is None:
            return
        upload = taken_upload(self._open)
        if upload is not None:
            self._read(*upload, event.client)

    def _read(self, shown: str, content: bytes, client: viser.ClientHandle) -> None:
        notices = self._context.tools.notices

        def work(_control: JobControl) -> SessionFile:
            return read_session(content, name=shown)

        def done(file: SessionFile) -> None:
            self._context.loader.open(file, shown)

        def failed(error: Exception) -> None:
            notices.refused(f"{shown} was not opened", str(error), to=client)

        self._context.jobs.submit(f"Reading {shown}", work, done, failed, any_robot=True)


def session_file_name(robot: str) -> str:
    """Return the name under which a robot's session is downloaded."""
    return f"{safe_stem(robot, 'robot')}{SUFFIX}"
