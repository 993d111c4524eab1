"""What every control on the page has in common.

A control shows the value that is in force and asks for another one; it never *is* the value.
viser applies and broadcasts what a browser sends before it calls back, so a refused value is
written back here, and what is set from Python comes back as an event without a client, which is
ignored.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

import viser

from workbench.errors import ConfigError, WorkbenchError
from workbench.ui.markup import one_line
from workbench.ui.notices import Notices
from workbench.ui.page_loop import PageLoop

T = TypeVar("T")


@dataclass(frozen=True)
class WidgetTools:
    """What a control needs besides its own value.

    Attributes:
        gui: Where it is drawn.
        page: The loop on which it is read and written.
        notices: How it says that a value is refused.
        open_to_lookers: Lets those who may only look use a control that changes nothing.
    """

    gui: viser.GuiApi
    page: PageLoop
    notices: Notices
    open_to_lookers: Callable[[Any], None] = lambda _handle: None


class _Clickable(Protocol):
    def on_click(self, func: Callable[[Any], Any]) -> Any:
        """Attach a callback."""
        ...


def on_click(
    tools: WidgetTools, button: _Clickable, refused_title: str, action: Callable[[], object]
) -> None:
    """Run an action when a browser clicks; say why where it is refused.

    Args:
        tools: The control's tools.
        button: A viser button.
        refused_title: Title of the notification when the action raises a WorkbenchError.
        action: What to do.
    """

    async def clicked(event: viser.GuiEvent[Any]) -> None:
        if event.client is None:
            return
        try:
            action()
        except WorkbenchError as error:
            tools.notices.refused(refused_title, error, to=event.client)

    button.on_click(clicked)


def add_button(
    gui: viser.GuiApi,
    label: str,
    hint: str,
    *,
    icon: viser.IconName | None = None,
    color: Literal["orange", "gray", "red"] | None = None,
    visible: bool = True,
    big: bool = False,
) -> viser.GuiButtonHandle:
    """Add a button with a help text.

    Args:
        gui: Where it is drawn: for everybody, or for one browser.
        label: What it says; shown as text.
        hint: Help on hover.
        icon: Icon before the label.
        color: Colour instead of the page's own.
        visible: Whether it is there at first.
        big: Whether it is larger than others, to be hit in a hurry.
    """
    button = gui.add_button(label, icon=icon, color=color, visible=visible)
    give_help(button, hint, big=big)
    return button


def give_help(
    button: viser.GuiButtonHandle | viser.GuiUploadButtonHandle, hint: str, *, big: bool = False
) -> None:
    """Set a button's help on hover; once more whenever its icon was changed.

    viser's page ignores the hint of a button. Its icon is markup, so the text travels there, out of
    sight, and ``static/page.js`` makes it the button's title.
    """
    text = html.escape(one_line(hint), quote=True)
    button.icon = button.icon  # writes the icon's markup anew, without the help
    icon = button._icon_html or ""
    names = "workbench-help workbench-big" if big else "workbench-help"
    button._icon_html = f'{icon}<span class="{names}" data-help="{text}"></span>'


def give_row_look(
    button: viser.GuiButtonHandle, css: str, hint: str, *, chosen: bool = False
) -> None:
    """Make a button look like a line of a list: a dot of a colour, then its text from the left.

    Args:
        button: The button.
        css: Colour of the dot, as style sheets write it.
        hint: Help on hover.
        chosen: Whether it is the line that is looked at.
    """
    text = html.escape(one_line(hint), quote=True)
    names = "workbench-help workbench-row" + (" workbench-chosen" if chosen else "")
    button._icon_html = (
        f'<span style="color:{css}">●</span><span class="{names}" data-help="{text}"></span>'
    )


def button_row(tools: WidgetTools) -> AbstractContextManager[object]:
    """Return a context: buttons added in it stand two on a line (:mod:`.page_style`)."""
    return tools.gui.add_form(None)


class Choice(Generic[T]):
    """A checkbox or a drop-down that shows a value in force and asks for another one."""

    def __init__(
        self,
        tools: WidgetTools,
        handle: viser.GuiCheckboxHandle | viser.GuiDropdownHandle[str],
        *,
        to_widget: Callable[[T], Any],
        from_widget: Callable[[Any], T],
        set_value: Callable[[T], None],
        value: T,
    ) -> None:
        """Attach to a viser handle.

        Args:
            tools: The control's tools.
            handle: The checkbox or drop-down.
            to_widget: What the handle shows for a value.
            from_widget: The value that the handle means; raises ConfigError for none.
            set_value: Asks for another value; raises a WorkbenchError to refuse it.
            value: The value in force.
        """
        self._tools = tools
        self._handle = handle
        self._to_widget = to_widget
        self._from_widget = from_widget
        self._set_value = set_value
        self._value = value
        handle.on_update(self._updated)

    @property
    def handle(self) -> Any:
        """The viser handle."""
        return self._handle

    def show(self, value: T) -> None:
        """Show the value that is in force."""
        self._value = value
        self._handle.value = self._to_widget(value)

    async def _updated(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is None:
            return
        try:
            value = self._from_widget(self._handle.value)
            if value != self._value:
                self._set_value(value)
        except WorkbenchError as error:
            self.show(self._value)
            title = f"{self._handle.label} stays as it was"
            self._tools.notices.refused(title, error, to=event.client)


def checkbox(
    tools: WidgetTools, label: str, hint: str, set_value: Callable[[bool], None], value: bool
) -> Choice[bool]:
    """Add a checkbox; ``set_value`` may raise a WorkbenchError to refuse."""
    handle = tools.gui.add_checkbox(label, value, hint=hint)
    return Choice(
        tools, handle, to_widget=bool, from_widget=_checked_bool, set_value=set_value, value=value
    )


def dropdown(
    tools: WidgetTools,
    label: str,
    hint: str,
    set_value: Callable[[str], None],
    value: str,
    *,
    options: Sequence[str],
) -> Dropdown:
    """Add a drop-down; ``set_value`` may raise a WorkbenchError to refuse.

    Args:
        tools: The control's tools.
        label: Label, shown as text.
        hint: Help on hover.
        set_value: Asks for another option.
        value: The option in force.
        options: What can be chosen; shown without characters that one cannot see.
    """
    names = _OptionNames(options)
    handle = tools.gui.add_dropdown(
        label, names.texts, initial_value=names.text_of(value, names.texts[0]), hint=hint
    )
    return Dropdown(tools, handle, names, set_value, value)


class _OptionNames:
    """Options and the texts that stand for them, all different."""

    def __init__(self, options: Sequence[str]) -> None:
        texts = [one_line(option) for option in options]
        if len(set(texts)) < len(texts):
            texts = [f"{number}. {text}" for number, text in enumerate(texts)]
        self.texts = tuple(texts)
        self._shown = dict(zip(options, texts, strict=True))
        self._meant = dict(zip(texts, options, strict=True))

    def text_of(self, option: str, otherwise: str) -> str:
        return self._shown.get(option, otherwise)

    def option_of(self, text: object) -> str:
        if not isinstance(text, str) or text not in self._meant:
            raise ConfigError("is not one of the options", value=text)
        return self._meant[text]


class Dropdown(Choice[str]):
    """A drop-down whose options may change. Made by :func:`dropdown`."""

    def __init__(
        self,
        tools: WidgetTools,
        handle: viser.GuiDropdownHandle[str],
        names: _OptionNames,
        set_value: Callable[[str], None],
        value: str,
    ) -> None:
        """Attach to a viser handle that shows the names."""
        self._names = names
        super().__init__(
            tools, handle, to_widget=self._text_of, from_widget=self._option_of,
            set_value=set_value, value=value,
        )  # fmt: skip

    def offer(self, options: Sequence[str], value: str) -> None:
        """Offer other options, of which one is in force."""
        names = _OptionNames(options)
        if names.texts != self._names.texts:
            self.handle.options = names.texts
        self._names = names
        self.show(value)

    def _text_of(self, option: str) -> str:
        return self._names.text_of(option, self.handle.value)

    def _option_of(self, text: object) -> str:
        return self._names.option_of(text)


def _checked_bool(value: object) -> bool:
    if not isinstance(value, bool):
        raise ConfigError("is neither true nor false", value=value)
    return value
