"""Reading YAML that somebody else wrote: safe, bounded, and with a line for every complaint.

PyYAML's ``safe_load`` builds no Python objects, but it keeps the last of two equal keys without a
word, follows aliases without end, recurses as deep as the file asks, and has forgotten the lines
by the time that a value turns out to be wrong. Here the parser's events are turned into plain
dicts, lists and scalars in one loop, with caps, and every key's and item's line is kept.

Keys are always text; :mod:`workbench.config.document` says what a scalar means. JSON is read by the
same rules.
"""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from workbench.config.document import Document, Key, dotted, plain_scalar
from workbench.errors import ConfigError

DEFAULT_MAX_BYTES = 1_000_000
_MAX_DEPTH = 64
_MAX_NODES_FROM_ALIASES = 10_000

# libyaml's parser where PyYAML was built with it: about ten times faster.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(
    source: Path | str | bytes, *, name: str, max_bytes: int = DEFAULT_MAX_BYTES
) -> Document:
    """Read a YAML or JSON mapping.

    Args:
        source: A file's path, or the text itself (``str`` or UTF-8 ``bytes``).
        name: How messages call the file.
        max_bytes: Larger input is refused, unread.

    Raises:
        ConfigError: If the source cannot be read (missing, a directory, too large, not UTF-8 text),
            is no well-formed YAML, is not one mapping, holds a tag, a duplicate key or a merge
            key, nests too deep or multiplies itself through aliases.
    """
    text = _text_of(source, name, max_bytes)
    builder = _Builder(name)
    try:
        loader = _Loader(text)
        try:
            builder.take_all(loader.get_event)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise _syntax_error(error, name, builder.place) from error
    return builder.finish()


# Reading bytes -------------------------------------------------------------------------------


def _text_of(source: Path | str | bytes, name: str, max_bytes: int) -> str:
    if isinstance(source, Path):
        raw = read_bytes(source, name=name, max_bytes=max_bytes)
    elif isinstance(source, str):
        # Characters are counted first: no need to encode 100 MB in order to refuse them. A lone
        # surrogate is let through here and refused below, as bytes that are not UTF-8.
        if len(source) > max_bytes:
            raise _too_large(name, max_bytes)
        raw = source.encode("utf-8", "surrogatepass")
    else:
        raw = source
    if len(raw) > max_bytes:
        raise _too_large(name, max_bytes)
    if b"\0" in raw:
        raise ConfigError("is a binary file", path=name, expected="YAML text in UTF-8")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"is not UTF-8 text: {error.reason}", path=name,
            line=raw.count(b"\n", 0, error.start) + 1, expected="YAML text in UTF-8",
        ) from error  # fmt: skip


def read_bytes(path: Path, *, name: str, max_bytes: int = DEFAULT_MAX_BYTES) -> bytes:
    """Return a file's bytes, read once: a pipe gives them only once.

    Args:
        path: The file.
        name: How messages call it.
        max_bytes: A larger file is refused; of an endless one, one byte more is returned, which
            :func:`load_yaml` refuses.

    Raises:
        ConfigError: If it cannot be read: missing, a directory, too large.
    """
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise ConfigError("is a directory", path=name, expected="a YAML file")
        if status.st_size > max_bytes:
            raise _too_large(name, max_bytes, status.st_size)
        # One byte more than allowed tells a device or a growing file from one that fits.
        with path.open("rb") as file:
            return file.read(max_bytes + 1)
    except FileNotFoundError as error:
        raise ConfigError("no such file", path=name) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"cannot be read: {reason}", path=name) from error


def _too_large(name: str, max_bytes: int, size: int | None = None) -> ConfigError:
    found = "" if size is None else f" with {size / 1e6:.1f} MB"
    return ConfigError(
        f"is too large{found}", path=name, expected=f"at most {max_bytes / 1e6:g} MB of YAML"
    )


def _syntax_error(error: yaml.YAMLError, name: str, place: str | None) -> ConfigError:
    """Say in one sentence what PyYAML says in several lines."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    context = getattr(error, "context", None)
    detail = f"{context}, {problem}" if context else str(problem)
    return ConfigError(
        f"is not well-formed YAML: {detail}",
        path=name,
        line=None if mark is None else mark.line + 1,
        field=place,
    )


# Building values from events -----------------------------------------------------------------


class _Container:
    """A mapping or sequence under construction."""

    __slots__ = ("anchor", "is_mapping", "key", "line", "lines", "nodes", "value")

    def __init__(self, value: dict[str, Any] | list[Any], line: int, anchor: str | None) -> None:
        self.value = value
        self.line = line
        self.anchor = anchor
        self.is_mapping = isinstance(value, dict)
        self.lines: dict[str, int] | list[int] = {} if self.is_mapping else []
        self.key: str | None = None
        self.nodes = 1


class _Builder:
    """Turns the parser's events into values, without recursion."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._stack: list[_Container] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._lines: dict[int, dict[str, int] | list[int]] = {}
        self._nodes_from_aliases = 0
        self._documents = 0
        self._result: Any = None
        self._result_line = 1

    def take_all(self, next_event: Callable[[], Any]) -> None:
        """Take events up to the end of the stream.

        Scalars, which are most of a large file, go a way without calls where nothing is special
        about them.
        """
        stack, scalar_event, end = self._stack, yaml.ScalarEvent, yaml.StreamEndEvent
        while True:
            event = next_event()
            kind = type(event)
            if kind is scalar_event and stack and event.tag is None and event.anchor is None:
                top = stack[-1]
                text = event.value
                if top.is_mapping and top.key is None:
                    if text == "<<" or text in top.value:
                        self._open_key(event, event.start_mark.line + 1)
                    top.key = text
                    top.lines[text] = event.start_mark.line + 1  # type: ignore[call-overload]
                    continue
                top.nodes += 1
                value = text if event.style else plain_scalar(text)
                if top.is_mapping:
                    top.value[top.key] = value  # type: ignore[call-overload]
                    top.key = None
                else:
                    top.value.append(value)  # type: ignore[union-attr]
                    top.lines.append(event.start_mark.line + 1)  # type: ignore[union-attr]
            elif kind is end:
                return
            else:
                self._take(event, kind)

    def _take(self, event: Any, kind: type[Any]) -> None:
        line = event.start_mark.line + 1
        if kind is yaml.ScalarEvent:
            self._refuse_tag(event.tag, line)
            if self._expects_key:
                self._open_key(event, line)
            else:
                value = event.value if event.style else plain_scalar(event.value)
                self._add(value, 1, line, event.anchor)
        elif kind in (yaml.MappingStartEvent, yaml.SequenceStartEvent):
            self._refuse_tag(event.tag, line)
            self._open(event, line)
        elif kind in (yaml.MappingEndEvent, yaml.SequenceEndEvent):
            done = self._stack.pop()
            self._lines[id(done.value)] = done.lines
            self._add(done.value, done.nodes, done.line, done.anchor)
        elif kind is yaml.AliasEvent:
            self._follow_alias(event.anchor, line)
        elif kind is yaml.DocumentStartEvent:
            self._documents += 1
            if self._documents > 1:
                raise self._error("holds a second document", line, expected="one YAML mapping")

    def finish(self) -> Document:
        if self._documents == 0 or (self._result is None and not self._lines):
            raise ConfigError("is empty", path=self._name, expected="a YAML mapping")
        if not isinstance(self._result, dict):
            kind = "a list" if isinstance(self._result, list) else "a single value"
            raise self._error(f"is {kind}", self._result_line, expected="a mapping of keys")
        return Document(self._result, self._name, self._lines)

    @property
    def place(self) -> str | None:
        """The way to the value under construction; None at the top."""
        keys: list[Key] = []
        for container in self._stack:
            if not container.is_mapping:
                keys.append(len(container.value))
            elif container.key is not None:
                keys.append(container.key)
        return dotted(keys) or None

    @property
    def _expects_key(self) -> bool:
        top = self._stack[-1] if self._stack else None
        return top is not None and top.is_mapping and top.key is None

    def _open_key(self, event: Any, line: int) -> None:
        top = self._stack[-1]
        key = event.value
        if key == "<<" and not event.style:
            raise self._error("merge keys are not read", line, field=key, expected="the keys")
        if key in top.value:
            first = top.lines[key]  # type: ignore[index, call-overload]
            top.key = key
            raise self._error(f"is given twice, first in line {first}", line)
        top.key = key
        top.lines[key] = line  # type: ignore[index, call-overload]
        if event.anchor is not None:
            self._anchors[event.anchor] = (key, 1)

    def _open(self, event: Any, line: int) -> None:
        if self._expects_key:
            raise self._error("a key is a mapping or a list", line, expected="text as a key")
        if len(self._stack) >= _MAX_DEPTH:
            raise self._error(
                "nests too deep", line, field=None, expected=f"at most {_MAX_DEPTH} levels"
            )  # fmt: skip
        value: dict[str, Any] | list[Any] = (
            {} if isinstance(event, yaml.MappingStartEvent) else []
        )  # fmt: skip
        self._stack.append(_Container(value, line, event.anchor))
        # An alias may only name what is complete: a value that holds itself has no end.
        self._anchors.pop(event.anchor, None)

    def _add(self, value: Any, nodes: int, line: int, anchor: str | None = None) -> None:
        if anchor is not None:
            self._anchors[anchor] = (value, nodes)
        if not self._stack:
            self._result, self._result_line = value, line
            return
        top = self._stack[-1]
        top.nodes += nodes
        if isinstance(top.value, list):
            top.value.append(value)
            top.lines.append(line)  # type: ignore[union-attr]
        else:
            assert top.key is not None
            top.value[top.key] = value
            top.key = None

    def _follow_alias(self, anchor: str, line: int) -> None:
        if anchor not in self._anchors:
            raise self._error(
                f"the alias *{anchor} names nothing that is complete before it", line
            )  # fmt: skip
        if self._expects_key:
            raise self._error("a key is an alias", line, expected="text as a key")
        value, nodes = self._anchors[anchor]
        self._nodes_from_aliases += nodes
        if self._nodes_from_aliases > _MAX_NODES_FROM_ALIASES:
            raise self._error(
                "its aliases multiply into too many values", line,
                expected=f"at most {_MAX_NODES_FROM_ALIASES} values by alias",
            )  # fmt: skip
        self._add(value, nodes, line)

    def _refuse_tag(self, tag: str | None, line: int) -> None:
        if tag is not None:
            shown = tag.replace("tag:yaml.org,2002:", "!!")
            raise self._error("holds a YAML tag", line, value=shown, expected="plain values")

    def _error(self, message: str, line: int, **evidence: Any) -> ConfigError:
        evidence = {"field": self.place, **evidence}
        return ConfigError(message, path=self._name, line=line, **evidence)
