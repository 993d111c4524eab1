"""Example sessions: a robot set up for what takes more than a few clicks, in one choice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from workbench.config.profile import RobotProfile
from workbench.live.state import SessionState
from workbench.ui.panels.context import ExampleChoice, PanelContext
from workbench.ui.widgets import Choice, dropdown

_NONE: Final = "none"
_HELP: Final = (
    "Loads a robot with a floating base and the tasks that keep it on its feet, or another set-up "
    "that a profile holds. Undo does not go back over this; the File tab's way back does."
)


def example_choices(profiles: Iterable[RobotProfile]) -> tuple[ExampleChoice, ...]:
    """Return the example sessions of some profiles."""
    return tuple(
        ExampleChoice(profile.name, example.name, f"{profile.name}: {example.title}")
        for profile in profiles
        for example in profile.examples
    )


class ExamplesPanel:
    """A chooser; nothing where no profile has an example."""

    def __init__(self, context: PanelContext) -> None:
        """Add the chooser where the gui's context is."""
        self._context = context
        self._choice: Choice[str] | None = None
        if not context.examples:
            return
        self._by_title = {example.title: example for example in context.examples}
        self._choice = dropdown(
            context.tools, "example", _HELP, self._choose, self._title(context.session.state),
            options=(_NONE, *self._by_title),
        )  # fmt: skip

    def refresh(self, state: SessionState) -> None:
        """Show which example was loaded."""
        if self._choice is not None:
            self._choice.show(self._title(state))

    def close(self) -> None:
        """Nothing is pending."""

    def _title(self, state: SessionState) -> str:
        loaded, robot = state.description.example, state.description.name
        for title, example in self._by_title.items():
            if loaded is not None and (example.robot, example.name) == (robot, loaded.name):
                return title
        return _NONE

    def _choose(self, title: str) -> None:
        example = self._by_title.get(title)
        state = self._context.session.state
        if example is not None:
            self._context.loader.load(example.robot, example.name)
        elif state.description.example is not None:
            self._context.loader.load(state.description.name)
        # What is shown is what runs: the example when it is there.
        self.refresh(state)
