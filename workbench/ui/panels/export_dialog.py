"""A window with every way out: choose one, read what it cannot express, copy it or download it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import viser

from workbench.errors import WorkbenchError
from workbench.export.dimos_config import DIMOS_VERSIONS
from workbench.export.kinds import EXPORT_KINDS, ExportKind, export
from workbench.export.subject import ExportSubject
from workbench.live.state import SessionState
from workbench.live.versions import package_versions
from workbench.ui.markup import plain
from workbench.ui.page_style import block
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.copy_field import copy_field
from workbench.ui.panels.dialog_text import WIDE_MODAL, refusal, warned_list
from workbench.ui.widgets import add_button, button_row, checkbox, dropdown

# A window gives the focus to its first control, and a drop-down that gets it opens over the rest.
_NO_FOCUS_YET = '<div tabindex="-1" data-autofocus="" style="outline:none"></div>'
_UNSAFE_IN_FILE_NAMES = re.compile(r"[^A-Za-z0-9_]+")


def export_subject(state: SessionState, dimos_version: str = DIMOS_VERSIONS[-1]) -> ExportSubject:
    """Return what is exported of a session.

    The time of the last change is left out: it is not in a session file, of which the command line
    makes the same bytes.
    """
    return ExportSubject(
        settings=state.settings,
        robot=state.description,
        versions=package_versions(state.settings.kinematics.solver),
        dimos_version=dimos_version,
    )


def export_file_name(robot: str, kind: ExportKind) -> str:
    """Return the name under which an export is downloaded; Python can import what is a module."""
    safe = _UNSAFE_IN_FILE_NAMES.sub("_", robot).strip("_")[:60]
    return f"{safe or 'robot'}_{kind.name.replace('-', '_')}{kind.suffix}"


class ExportDialog:
    """The window, in one browser. Runs on the page loop."""

    def __init__(self, client: viser.ClientHandle, context: PanelContext) -> None:
        """Open it with the first kind, for the settings that are in force now."""
        self._client = client
        self._state = context.session.state
        self._kind = next(iter(EXPORT_KINDS.values()))
        self._version = DIMOS_VERSIONS[-1]
        self._leave_out = False
        self._text: str | None = None
        tools = replace(context.tools, gui=client.gui)
        gui = tools.gui
        self._titles = {kind.title: kind for kind in EXPORT_KINDS.values()}
        self._modal = gui.add_modal("Export")
        with self._modal:
            gui.add_html(WIDE_MODAL + _NO_FOCUS_YET)
            self._chooser = dropdown(
                tools, "for", "The program that will run what was tuned here, and the form in "
                "which it takes it.",
                self._choose_kind, self._kind.title, options=tuple(self._titles),
            )  # fmt: skip
            self._version_chooser = dropdown(
                tools, "DimOS version", "Release of DimOS that shall read it. Older ones do not "
                "know every setting.",
                self._choose_version, self._version, options=DIMOS_VERSIONS[::-1],
            )  # fmt: skip
            self._losses = gui.add_html("")
            self._switch = checkbox(
                tools, "leave that out",
                "Writes the rest, although something that was set here will be missing there.",
                self._choose_loss, False,
            )  # fmt: skip
            self._preview = gui.add_html("")
            with button_row(tools):
                self._download = add_button(
                    gui, "Download", "Saves the text on your computer.", icon=viser.Icon.DOWNLOAD
                )
                close = add_button(gui, "Close", "Closes this window.", color="gray")
        self._download.on_click(self._send_file)
        close.on_click(self._close)
        for handle in (
            self._chooser.handle, self._version_chooser.handle, self._switch.handle,
            self._download, close,
        ):  # fmt: skip
            tools.open_to_lookers(handle)
        self._show()

    def _choose_kind(self, title: str) -> None:
        self._kind = self._titles[title]
        self._chooser.show(title)
        # What is lost is another thing now: it is agreed to anew.
        self._choose_loss(False)

    def _choose_version(self, version: str) -> None:
        self._version = version
        self._version_chooser.show(version)
        self._show()

    def _choose_loss(self, leave_out: bool) -> None:
        self._leave_out = leave_out
        self._switch.show(leave_out)
        self._show()

    def _show(self) -> None:
        """Write the export anew, or say why there is none."""
        kind, subject = self._kind, export_subject(self._state, self._version)
        losses, said, self._text = (), "", None
        notes: tuple[str, ...] = ()
        try:
            losses = kind.losses(subject)
            if self._leave_out or not losses:
                exported = export(kind.name, subject, allow_loss=self._leave_out)
                self._text = exported.text
                # A text with comments says them itself.
                notes = exported.notes if kind.suffix in (".json", ".txt") else ()
        except WorkbenchError as error:
            # The options that it names are those of the command line.
            said = refusal(str(error).removeprefix("--"))
        self._version_chooser.handle.visible = kind.name.startswith("dimos")
        self._switch.handle.visible = bool(losses)
        lost = warned_list("This form cannot express:", losses)
        self._losses.content = block(lost, said) if lost or said else ""
        self._preview.content = (
            "" if self._text is None else block(_preview_html(self._text, notes))
        )
        self._download.disabled = self._text is None

    async def _send_file(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is not None and self._text is not None:
            name = export_file_name(self._state.description.name, self._kind)
            self._client.send_file_download(name, self._text.encode(), save_immediately=True)

    async def _close(self, _event: viser.GuiEvent[Any]) -> None:
        if not self._modal.closed:
            self._modal.close()


def _preview_html(text: str, notes: tuple[str, ...]) -> str:
    said = "".join(f'<div class="dim">{plain(line, limit=None)}</div>' for line in notes)
    return said + copy_field(text, "Copy", "Puts the text on the clipboard.", shown=True)
