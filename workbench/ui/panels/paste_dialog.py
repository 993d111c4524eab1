"""A window that takes settings as text, and shows what would change before anything does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import viser

from workbench.config.pasted import PastedConfig, PastedKind, read_pasted
from workbench.config.settings import Settings
from workbench.errors import ConfigError
from workbench.live.change import Change
from workbench.live.changes import differences
from workbench.live.jobs import JobControl
from workbench.live.state import SessionState
from workbench.ui.markup import plain
from workbench.ui.page_loop import Timer
from workbench.ui.page_style import block, rows_table
from workbench.ui.panels.context import PanelContext
from workbench.ui.panels.dialog_text import WIDE_MODAL, refusal, warned_list
from workbench.ui.widgets import add_button, button_row

REST_S = 0.3
"""A text is read after this time without a key."""

_TITLES: dict[PastedKind, str] = {
    "dimos-file": "DimOS file",
    "dimos-flags": "DimOS flags",
    "dimos-python": "DimOS Python",
    "isaac": "Isaac Sim arguments",
}
_EXPECTED = (
    "Paste flags (<code>--manipulationmodule.kinematics.gain=0.3</code>), a DimOS "
    "<code>--config</code> file or the fields alone as JSON or YAML, a "
    "<code>PinkKinematicsConfig(&#8230;)</code>, or the arguments of a "
    "<code>PinkIKController(&#8230;)</code>. Nothing in it is executed. What it does not name gets "
    "the default of DimOS or of the controller."
)


@dataclass(frozen=True)
class Offer:
    """What a pasted text would do.

    Attributes:
        pasted: What it means.
        changes: What it changes of the settings in force.
        not_taken: One sentence for each thing in it that has no place here.
    """

    pasted: PastedConfig
    changes: tuple[Change, ...]
    not_taken: tuple[str, ...]

    @property
    def title(self) -> str:
        """What the text is."""
        return _TITLES[self.pasted.kind]


def offer_of(pasted: PastedConfig, state: SessionState) -> Offer:
    """Return what taking it would change.

    Raises:
        ConfigError: If it does not fit the robot, or a value is out of range.
    """
    robot = state.description
    pasted.check_frames((*robot.frames, *robot.tool_frames))
    not_taken = list(pasted.not_taken)
    frame = pasted.tool_frame
    if frame is not None and robot.tool_frames != (frame,):
        shown = ", ".join(robot.tool_frames)
        not_taken.append(f"tool_frame is {frame}; the gizmos stay on {shown}")
    changes = differences(state.settings, settings_with(pasted, state.settings))
    return Offer(pasted, changes, tuple(not_taken))


def settings_with(pasted: PastedConfig, settings: Settings) -> Settings:
    """Return settings with what was pasted; raises ConfigError for a rate out of range."""
    rate_hz = settings.rate_hz if pasted.rate_hz is None else pasted.rate_hz
    return replace(settings, kinematics=pasted.kinematics, rate_hz=rate_hz)


class PasteDialog:
    """The window, in one browser. Runs on the page loop, but for the reading itself."""

    def __init__(self, client: viser.ClientHandle, context: PanelContext) -> None:
        """Open it, empty."""
        self._client = client
        self._context = context
        self._offer: Offer | None = None
        self._timer: Timer | None = None
        tools = replace(context.tools, gui=client.gui)
        gui = tools.gui
        self._modal = gui.add_modal("Paste settings")
        with self._modal:
            gui.add_html(WIDE_MODAL + block(f'<span class="dim">{_EXPECTED}</span>'))
            self._text = gui.add_text(
                "text", "", multiline=True, hint="The settings, as another program has them."
            )
            self._shown = gui.add_html("")
            with button_row(tools):
                self._take = add_button(
                    gui, "Take", "Puts these settings in force. One undo takes all of them back.",
                    icon=viser.Icon.CHECK,
                )  # fmt: skip
                close = add_button(gui, "Close", "Closes this window.", color="gray")
        self._take.disabled = True
        self._text.on_update(self._typed)
        self._take.on_click(self._clicked_take)
        close.on_click(self._clicked_close)

    async def _typed(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is None:
            return
        if self._timer is not None:
            self._timer.cancel()
        # What is shown no longer belongs to the text.
        self._show(None, "")
        self._timer = self._context.tools.page.call_later(REST_S, self._read)

    def _read(self) -> None:
        text = "" if self._modal.closed else self._text.value
        if not text.strip():
            return

        def work(_control: JobControl) -> PastedConfig:
            return read_pasted(text)

        def on_page(show: Any, *arguments: object) -> None:
            self._context.tools.page.call_soon(lambda: show(text, *arguments))

        self._context.jobs.submit(
            "Reading what was pasted", work, lambda pasted: on_page(self._read_well, pasted),
            lambda error: on_page(self._refuse, str(error)),
            key=f"paste {self._client.client_id}", any_robot=True,
        )  # fmt: skip

    def _read_well(self, text: str, pasted: PastedConfig) -> None:
        try:
            offer = offer_of(pasted, self._context.session.state)
        except ConfigError as error:
            self._refuse(text, str(error))
            return
        if self._still_means(text):
            self._show(offer, _offer_html(offer))

    def _refuse(self, text: str, reason: str) -> None:
        if self._still_means(text):
            self._show(None, block(refusal(reason)))

    def _still_means(self, text: str) -> bool:
        return not self._modal.closed and self._text.value == text

    def _show(self, offer: Offer | None, content: str) -> None:
        self._offer = offer
        self._shown.content = content
        self._take.disabled = offer is None or not offer.changes

    async def _clicked_take(self, event: viser.GuiEvent[Any]) -> None:
        offer, session, notices = self._offer, self._context.session, self._context.tools.notices
        if event.client is None or offer is None:
            return
        try:
            now = offer_of(offer.pasted, session.state)
            if now.changes != offer.changes:
                # Somebody else has turned something, or the robot is another one.
                self._show(now, _offer_html(now))
                notices.refused(
                    "Not taken yet", "The settings have changed meanwhile: look again.",
                    to=event.client,
                )  # fmt: skip
                return
            session.edit(
                f"paste {offer.title}", lambda settings: settings_with(offer.pasted, settings),
                epoch=session.state.epoch,
            )  # fmt: skip
        except ConfigError as error:
            notices.refused("Not taken", error, to=event.client)
            return
        self._close()
        notices.done(f"Taken: {offer.title}", "; ".join(change.phrase for change in offer.changes))

    async def _clicked_close(self, _event: viser.GuiEvent[Any]) -> None:
        self._close()

    def _close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if not self._modal.closed:
            self._modal.close()


def _offer_html(offer: Offer) -> str:
    if offer.changes:
        rows = [tuple(plain(text) for text in (c.label, c.start, c.now)) for c in offer.changes]
        said = rows_table(rows, (plain(offer.title), "now", "then"))
    else:
        said = f"{plain(offer.title)}: it holds what is in force."
    return block(said, warned_list("Not taken:", offer.not_taken))
