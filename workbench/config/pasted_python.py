"""Arguments of a call, read from Python source without running any of it."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.errors import ConfigError

_LARGEST_NUMBER = 1e300


class _NoLiteral(Exception):
    """An expression that only running the program would give a value."""


@dataclass(frozen=True)
class Argument:
    """One argument.

    Attributes:
        name: Its name.
        line: Its line in the text, from 1.
        source: How it is written.
        is_literal: Whether it has a value without running anything.
        value: That value; None where there is none.
        place: How messages call the text.
    """

    name: str
    line: int
    source: str
    is_literal: bool
    value: object
    place: str

    def error(self, message: str, expected: str | None) -> ConfigError:
        """Return an error about this argument."""
        return ConfigError(
            message, path=self.place, line=self.line, field=self.name, value=self.source,
            expected=expected,
        )  # fmt: skip

    def number(self) -> float:
        """Return its value as a number > 0; raises ConfigError."""
        value = self.value
        # Outside these bounds a step has no rate that is a number.
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not 1.0 / _LARGEST_NUMBER < value < _LARGEST_NUMBER
        ):
            raise self.error("is not a step", "a number > 0, such as 1/60")
        return float(value)

    def text_or_none(self) -> str | None:
        """Return its value as a text; raises ConfigError."""
        if self.value is not None and not isinstance(self.value, str):
            raise self.error("is not a name", "a text, or None")
        return self.value


def call_arguments(
    text: str, call: str, positional: Sequence[str], *, name: str
) -> tuple[Argument, ...]:
    """Return the arguments of a call, or of a text that is nothing but keyword arguments.

    Args:
        text: Python source: statements with one call of that name, or arguments alone.
        call: Name of what is called.
        positional: Names of the arguments that may stand in the call without their name.
        name: How messages call the text.

    Raises:
        ConfigError: If it is no such source, gives an argument twice or more of them without a
            name than there are, or is nested too deeply.
    """
    try:
        return _call_arguments(text, call, positional, name)
    except (RecursionError, OverflowError, MemoryError) as error:
        raise ConfigError(
            "is nested too deeply, or has numbers too large, to be read", path=name,
            expected="arguments with plain values",
        ) from error  # fmt: skip


def _call_arguments(
    text: str, call: str, positional: Sequence[str], name: str
) -> tuple[Argument, ...]:
    found, shift = _call_in(text, call, name)
    arguments: dict[str, Argument] = {}
    for argument, node in _named(found, positional, name, shift):
        line = max(node.lineno - shift, 1)
        if argument in arguments:
            raise ConfigError(
                "is given twice", path=name, line=line, field=argument,
                expected="each argument once",
            )  # fmt: skip
        try:
            value, literal = _literal(node), True
        except _NoLiteral:
            value, literal = None, False
        source = _source(node, argument, name, line)
        arguments[argument] = Argument(argument, line, source, literal, value, name)
    return tuple(arguments.values())


def _named(
    found: ast.Call, positional: Sequence[str], name: str, shift: int
) -> Iterator[tuple[str, ast.expr]]:
    """Yield the name and the value of each argument."""
    for index, node in enumerate(found.args):
        line = max(node.lineno - shift, 1)
        if isinstance(node, ast.Starred):
            raise ConfigError(
                "unpacks a list", path=name, line=line, field="*",
                expected="each argument by name",
            )  # fmt: skip
        if index >= len(positional):
            raise ConfigError(
                "stands without its name", path=name, line=line, value=ast.unparse(node),
                expected=(
                    f"all but the first {len(positional)} arguments by name"
                    if positional
                    else "each argument by name"
                ),
            )  # fmt: skip
        yield positional[index], node
    for keyword in found.keywords:
        if keyword.arg is None:
            raise ConfigError(
                "unpacks a mapping", path=name, line=max(keyword.lineno - shift, 1), field="**",
                expected="each argument by name",
            )  # fmt: skip
        yield keyword.arg, keyword.value


def _source(node: ast.expr, argument: str, name: str, line: int) -> str:
    """Return how an argument's value is written."""
    try:
        return ast.unparse(node)
    except ValueError as error:
        # Python does not print whole numbers of more than some thousand digits.
        raise ConfigError(
            "has a number that is too large", path=name, line=line, field=argument,
            expected=f"numbers up to {_LARGEST_NUMBER:g}",
        ) from error  # fmt: skip


def without_comments(text: str) -> str:
    """Return a text without what a ``#`` at the start of a word begins, in YAML as in Python.

    A ``#`` in a text in quotes counts as well: this is for telling what a text is, not for
    reading it.
    """
    return re.sub(r"(^|\s)#.*", r"\1", text, flags=re.MULTILINE)


def calls_by_name(text: str, call: str) -> bool:
    """Return whether something of that name is called in a text, outside its comments."""
    return re.search(rf"\b{re.escape(call)}\s*\(", without_comments(text)) is not None


def _call_in(text: str, call: str, name: str) -> tuple[ast.Call, int]:
    """Return the call, and how many lines were put before the text."""
    if calls_by_name(text, call):
        tree = _parsed(text, name, 0)
        calls = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == call
        ]
        if len(calls) != 1:
            raise ConfigError(
                f"holds {len(calls)} calls of {call}", path=name, expected=f"one {call}(...)"
            )
        return calls[0], 0
    tree = _parsed(f"_(\n{text}\n)", name, 1)
    statement = tree.body[0] if len(tree.body) == 1 else None
    found = statement.value if isinstance(statement, ast.Expr) else None
    if (
        not isinstance(found, ast.Call)
        or not isinstance(found.func, ast.Name)
        or found.args
        or not found.keywords
    ):
        raise ConfigError(
            "is not a list of keyword arguments", path=name,
            expected=f"{call}(...), or name=value, name=value",
        )  # fmt: skip
    return found, 1


def _parsed(source: str, name: str, shift: int) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes such as "\\d", which are not our matter
            return ast.parse(source)
    except SyntaxError as error:
        raise ConfigError(
            f"is not Python: {error.msg}", path=name, line=max((error.lineno or 1) - shift, 1)
        ) from error
    except ValueError as error:
        raise ConfigError(f"is not Python that can be read: {error}", path=name) from error


def _literal(node: ast.expr) -> object:
    """Return the value of a literal; sums, products and quotients of numbers count as one."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool | int | float | str) or node.value is None:
            return node.value
        raise _NoLiteral
    if isinstance(node, ast.List | ast.Tuple):
        return [_literal(item) for item in node.elts]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        number = _number(node.operand)
        return -number if isinstance(node.op, ast.USub) else number
    if isinstance(node, ast.BinOp):
        return _arithmetic(node)
    raise _NoLiteral


def _arithmetic(node: ast.BinOp) -> float:
    left, right = _number(node.left), _number(node.right)
    if isinstance(node.op, ast.Div) and right != 0:
        return left / right
    if isinstance(node.op, ast.Mult):
        return left * right
    if isinstance(node.op, ast.Add):
        return left + right
    if isinstance(node.op, ast.Sub):
        return left - right
    raise _NoLiteral


def _number(node: ast.expr) -> float:
    value = _literal(node)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _NoLiteral
    # Whole numbers of any length would make a product that takes forever.
    if not abs(value) < _LARGEST_NUMBER:
        raise _NoLiteral
    return float(value)
