"""File: which robot, the config in and out, and the report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import viser

from workbench.config.pasted import PastedConfig, read_dimos_file
from workbench.errors import WorkbenchError
from workbench.live.changes import differences
from workbench.live.jobs import JobControl
from workbench.live.state import SessionState
from workbench.ui.markup import one_line, plain
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.export_buttons import ExportButtons
from workbench.ui.panels.report_window import show_report
from workbench.ui.panels.transfers import safe_stem, taken_upload
from workbench.ui.widgets import add_button, button_row, dropdown, give_help, on_click

_LABEL_LENGTH_LIMIT = 40
_NO_PROFILE = "from a file"


class FilePanel:
    """Robot chooser, download, import, save, report."""

    def __init__(self, context: PanelContext) -> None:
        """Add the controls where the gui's context is."""
        self._context = context
        tools, gui, state = context.tools, context.tools.gui, context.session.state
        self._options = {title: name for name, title in context.robots.items()}
        self._robot = dropdown(
            tools, "robot", "Loads another robot while the present one keeps running. Undo does "
            "not go back over this; the button below does.",
            self._choose, self._option(state), options=(*self._options, _NO_PROFILE),
        )  # fmt: skip
        with button_row(tools):
            reload_button = add_button(
                gui, "Reload",
                "Reads the robot's files again. Joints keep their positions and settings by name.",
                icon=viser.Icon.REFRESH,
            )  # fmt: skip
            self._back = add_button(
                gui, "Back", "Returns to the robot before, as it was left.",
                icon=viser.Icon.ARROW_LEFT, visible=False,
            )  # fmt: skip
        on_click(tools, self._back, "The robot stays", context.loader.back)
        on_click(tools, reload_button, "The robot stays as it is", context.loader.reload)
        gui.add_divider()
        with button_row(tools):
            self._download = add_button(
                gui, "Download", "Saves the settings of the Tune tab on your computer, as YAML.",
                icon=viser.Icon.DOWNLOAD,
            )  # fmt: skip
            self._import = gui.add_upload_button(
                "Import", icon=viser.Icon.UPLOAD, mime_type=".yaml,.yml,.json"
            )
        give_help(
            self._import,
            "Takes the settings from a YAML or JSON file on your computer, also from one for "
            "DimOS's --config. One undo takes all of them back.",
        )
        self._download.on_click(self._send_file)
        tools.open_to_lookers(self._download)
        self._import.on_upload(self._uploaded)
        self._ways = ExportButtons(context)
        self._save: viser.GuiButtonHandle | None = None
        self._saved: viser.GuiHtmlHandle | None = None
        if context.save_file is not None:
            self._save = add_button(
                gui, "Save",
                "Writes the settings into the file that --save-to named, on the machine that runs "
                "the workbench. Ctrl+S does the same.",
                icon=viser.Icon.DEVICE_FLOPPY,
            )  # fmt: skip
            self._save.on_click(self._clicked_save)
            self._saved = gui.add_html("")
        gui.add_html(
            block(
                '<span class="dim">The file holds the settings of the Tune tab as a '
                "PinkKinematicsConfig in YAML, as DimOS reads it; the same text is at "
                '<a href="/api/config.yaml" target="_blank" rel="noopener">/api/config.yaml</a>.'
                "</span>"
            )
        )
        gui.add_divider()
        report = add_button(
            gui, "Copy report",
            "Shows versions, robot, settings and the last faults as text to copy.",
            icon=viser.Icon.CLIPBOARD_TEXT,
        )  # fmt: skip
        report.on_click(self._report)
        tools.open_to_lookers(report)
        self.refresh(state)

    def refresh(self, state: SessionState) -> None:
        """Show which robot it is, and whether something is unsaved."""
        self._show_robot(state)
        self._ways.refresh(state)
        self._back.visible = state.previous_robot is not None
        self._back.label = one_line(f"Back to {state.previous_robot}", _LABEL_LENGTH_LIMIT)
        if self._save is not None and self._saved is not None and self._context.save_file:
            self._save.label = "Save ●" if state.unsaved else "Save"
            path = self._context.save_file.path
            word = "as saved" if path.exists() else "not written yet"
            self._saved.content = block(
                f"{'<b>unsaved changes</b>' if state.unsaved else word} "
                f'<span class="dim">{plain(str(path))}</span>'
            )

    def close(self) -> None:
        """Nothing is pending."""

    def save(self, client: viser.ClientHandle | None) -> None:
        """Write the file that the command line named, and say so."""
        save_file, notices = self._context.save_file, self._context.tools.notices
        if save_file is None:
            return
        try:
            save_file.save()
        except WorkbenchError as error:
            notices.failed("Not saved", error, to=client)
        else:
            notices.done("Saved", str(save_file.path), to=client)

    def _option(self, state: SessionState) -> str:
        name, title = state.description.name, state.description.title
        return title if self._context.robots.get(name) == title else _NO_PROFILE

    def _show_robot(self, state: SessionState) -> None:
        """Show the robot that runs; what is no profile is an option only while it runs."""
        option, chooser = self._option(state), self._robot.handle
        if option == _NO_PROFILE:
            chooser.options = (*self._options, _NO_PROFILE)
        self._robot.show(option)
        if option != _NO_PROFILE and _NO_PROFILE in chooser.options:
            chooser.options = tuple(self._options)

    def _choose(self, option: str) -> None:
        name = self._options.get(option)
        if name is not None:
            self._context.loader.load(name)
        # What is shown is the robot that runs: the new one when it is there.
        self._show_robot(self._context.session.state)

    async def _send_file(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is None:
            return
        state = self._context.session.state
        content = self._context.export_text().encode()
        event.client.send_file_download(
            file_name(state.description.name), content, save_immediately=True
        )

    async def _uploaded(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is None:
            return
        upload = taken_upload(self._import)
        if upload is not None:
            self._read(*upload, event.client)

    def _read(self, shown: str, content: bytes, client: viser.ClientHandle) -> None:
        notices = self._context.tools.notices

        def work(_control: JobControl) -> PastedConfig:
            return read_dimos_file(content, name=shown)

        def done(file: PastedConfig) -> None:
            before = self._context.session.state.settings
            state = self._context.session.edit(
                f"import {shown}", lambda settings: replace(settings, kinematics=file.kinematics)
            )
            changes = differences(before, replace(before, kinematics=state.settings.kinematics))
            said = "; ".join(change.phrase for change in changes) or "it holds what is in force"
            left = "".join(f"; not taken: {sentence}" for sentence in file.not_taken)
            notices.done(f"Imported {shown}", said + left)

        def failed(error: Exception) -> None:
            notices.refused(f"{shown} was not imported", str(error), to=client)

        self._context.jobs.submit(f"Reading {shown}", work, done, failed, any_robot=True)

    async def _clicked_save(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is not None:
            self.save(event.client)

    async def _report(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is not None:
            show_report(event.client, self._context)


def file_name(robot: str) -> str:
    """Return the name under which a robot's config is downloaded."""
    return f"{safe_stem(robot, 'robot')}_pink_kinematics.yaml"
