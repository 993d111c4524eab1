"""A text field whose content counts on Enter, or a moment after the last key: never a prefix.

viser reports every key. Enter comes as a blank at the end of the text (:mod:`.page_style` says
why), or as the submission of the form around the field.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import viser

from workbench.errors import WorkbenchError
from workbench.ui.page_loop import Timer
from workbench.ui.widgets import WidgetTools

REST_AFTER_LAST_KEY_S = 0.8
"""How long nothing may be typed before a text counts without Enter."""

_SAME_ENTER_S = 1.0
"""Enter comes again every 0.4 s until it is answered: a text that was refused this shortly before
is no news."""


class TypedText:
    """One text field. Made by :meth:`TypedForm.add`."""

    def __init__(
        self, tools: WidgetTools, label: str, hint: str, text: str, commit: Callable[[str], str]
    ) -> None:
        """Add the field where the gui's context is; ``commit`` as in :meth:`TypedForm.add`."""
        self._tools = tools
        self._commit = commit
        self._shown = text
        self._timer: Timer | None = None
        self._refused: str | None = None
        self._forgetting: Timer | None = None
        self._client: viser.ClientHandle | None = None
        self.handle = tools.gui.add_text(label, text, hint=hint)
        self.handle.on_update(self._key)

    @property
    def pending(self) -> bool:
        """Whether something was typed that does not count yet."""
        return self._timer is not None

    def show(self, text: str) -> None:
        """Show the text that is in force, unless somebody is typing."""
        self._shown = text
        if not self.pending:
            self.handle.value = text

    def settle(self) -> None:
        """Let count what was typed, at once."""
        if self._timer is None:
            return
        self._timer.cancel()
        self._timer = None
        client, self._client = self._client, None
        text = self.handle.value.strip()
        try:
            self._shown = self._commit(text)
        except WorkbenchError as error:
            if text != self._refused:
                as_it_was = f"at {self._shown}" if self._shown else "empty"
                title = f"{self.handle.label} stays {as_it_was}"
                self._tools.notices.refused(title, error, to=client)
            self._remember_refused(text)
        self.handle.value = self._shown

    def close(self) -> None:
        """Forget what was typed: the field goes away."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _remember_refused(self, text: str | None) -> None:
        if self._forgetting is not None:
            self._forgetting.cancel()
        self._refused, self._forgetting = text, None
        if text is not None:
            self._forgetting = self._tools.page.call_later(
                _SAME_ENTER_S, lambda: self._remember_refused(None)
            )

    async def _key(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is None:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._client = event.client
        self._timer = self._tools.page.call_later(REST_AFTER_LAST_KEY_S, self.settle)
        if not self.handle.value.endswith(" "):
            # A key: from here on a refusal is news again, also of the same text.
            self._remember_refused(None)
        else:
            self.settle()


class TypedForm:
    """A frameless form: Enter in any of its fields lets all of them count.

    Use it as a context to add further controls to the same form.
    """

    def __init__(self, tools: WidgetTools) -> None:
        """Add an empty form where the gui's context is."""
        self._tools = tools
        self._fields: list[TypedText] = []
        self._form = tools.gui.add_form(None)
        self._form.on_submit(self._submitted)

    def __enter__(self) -> TypedForm:
        """Put what is added now into the form."""
        self._form.__enter__()
        return self

    def __exit__(self, *details: object) -> None:
        """Put what is added next where it went before."""
        self._form.__exit__(*details)

    def add(self, label: str, hint: str, text: str, commit: Callable[[str], str]) -> TypedText:
        """Add a field; call it inside the form's context.

        Args:
            label: Label.
            hint: Help on hover.
            text: Text in force.
            commit: Given what was typed; sets it and returns how it is shown from now on, or
                raises a WorkbenchError to refuse it.
        """
        field = TypedText(self._tools, label, hint, text, commit)
        self._fields.append(field)
        return field

    def settle(self) -> None:
        """Let count what was typed into any of its fields, at once."""
        for field in self._fields:
            field.settle()

    def close(self) -> None:
        """Forget what was typed: the form goes away."""
        for field in self._fields:
            field.close()

    async def _submitted(self, event: viser.GuiEvent[Any]) -> None:
        self.settle()
