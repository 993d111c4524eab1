"""A command line whose every mistake is one sentence.

:mod:`argparse` prints the usage, often ten lines of it, before it says what was wrong, and ends the
process. Here a mistake is a :class:`UsageError` like any other, with the nearest names.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

from workbench.errors import UsageError, did_you_mean

_ABOUT_ONE_ARGUMENT = re.compile(r"argument (?P<field>[^:]+): (?P<message>.+)", re.DOTALL)
_COMMAND = "COMMAND"
_Value = TypeVar("_Value")

ROBOT_HELP = "profile (see `workbench robots`), PATH.urdf, PATH.xacro or robot_descriptions:NAME"
"""What may be named as a robot, in every command that takes one."""


class ArgumentParser(argparse.ArgumentParser):
    """Raises a :class:`UsageError` where argparse would print and exit; ``--help`` still exits."""

    def parse(self, words: Sequence[str] | None = None) -> argparse.Namespace:
        """Parse a command line.

        Args:
            words: Words after the program's name; None takes them from ``sys.argv``.

        Raises:
            UsageError: If it asks for something that does not exist.
            SystemExit: After ``--help`` and ``--version``.
        """
        options, others = self.parse_known_args(words)
        command = getattr(options, "command", None)
        if others:
            parser = self._commands().get(command, self) if command else self
            raise parser._unknown(others[0])
        if command is None:
            raise UsageError(
                "none was given", field=_COMMAND, expected=did_you_mean("", self._commands())
            )
        return options

    def add_commands(self) -> argparse._SubParsersAction[ArgumentParser]:
        """Add the place of the commands; each gets a parser of this kind by ``add_parser``."""
        # One that is missing is noticed by parse(), after what is unknown.
        return self.add_subparsers(
            title="commands", metavar=_COMMAND, dest="command", required=False,
            parser_class=ArgumentParser,
        )  # fmt: skip

    def error(self, message: str) -> NoReturn:
        """Raise what argparse found wrong."""
        about_one = _ABOUT_ONE_ARGUMENT.fullmatch(message)
        if about_one is None:
            raise UsageError(message)
        words = about_one["message"]
        if words.startswith("ignored explicit argument"):
            words = "this option takes no value"
        elif words.startswith("expected "):
            words = f"a value is missing: {words}"
        raise UsageError(words, field=about_one["field"])

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Say the nearest names, of which argparse says only since Python 3.14."""
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            field = "/".join(action.option_strings) or str(action.metavar)
            what = "there is no such command" if field == _COMMAND else "is none of its values"
            raise UsageError(what, field=field, value=value, expected=did_you_mean(value, known))

    def _commands(self) -> dict[str, ArgumentParser]:
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                return dict(action.choices)
        return {}

    def _unknown(self, word: str) -> UsageError:
        """Return what is wrong with a word that nothing takes."""
        if not word.startswith("-"):
            return UsageError("there is one word too many", value=word)
        name = word.partition("=")[0]
        known = [option for action in self._actions for option in action.option_strings]
        return UsageError("there is no such option", field=name, expected=did_you_mean(name, known))


def number(option: str) -> Callable[[str], float]:
    """Return what reads the number of an option; raises a :class:`UsageError` for anything else.

    Whether it is finite and in its range is judged where the range is known.
    """

    def read(text: str) -> float:
        try:
            return float(text)
        except ValueError:
            raise UsageError(
                "is not a number", field=option, value=text, expected="a number, such as 200"
            ) from None

    return read


def whole_number(option: str) -> Callable[[str], int]:
    """Return what reads the whole number of an option; raises a :class:`UsageError` otherwise."""

    def read(text: str) -> int:
        try:
            return int(text)
        except ValueError:
            raise UsageError(
                "is not a whole number", field=option, value=text,
                expected="a whole number, such as 8090",
            ) from None  # fmt: skip

    return read


def joint_value(option: str) -> Callable[[str], tuple[str, float]]:
    """Return what reads JOINT=VALUE; raises a :class:`UsageError` for anything else."""

    def read(text: str) -> tuple[str, float]:
        name, separator, written = text.rpartition("=")
        try:
            value = float(written)
        except ValueError:
            value = math.nan
        if not separator or not name or not math.isfinite(value):
            raise UsageError(
                "is not JOINT=VALUE", field=option, value=text, expected="such as elbow=1.2"
            )
        return name, value

    return read


def each_once(pairs: Sequence[tuple[str, _Value]], option: str) -> dict[str, _Value]:
    """Return the values of a repeatable NAME=VALUE option by name.

    Raises:
        UsageError: If a name is there twice.
    """
    values: dict[str, _Value] = {}
    for name, value in pairs:
        if name in values:
            raise UsageError("is named twice", field=f"{option} {name}", expected="each name once")
        values[name] = value
    return values
