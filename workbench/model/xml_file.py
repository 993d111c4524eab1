"""Reads an XML file that a user gave, without trusting it, and remembers line numbers.

Neither URDF nor SRDF has a use for a document type declaration; refusing it refuses entity
expansion ("billion laughs"), external entities and remote DTDs all at once. Python's own
ElementTree forgets line numbers, so expat is driven directly.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from workbench.errors import RobotError

_LARGEST_FILE_BYTES = 64 * 1024 * 1024
_DEEPEST_NESTING = 100
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, eq=False)
class XmlFile:
    """A parsed file.

    Attributes:
        path: Where it came from.
        root: Its root element; tags keep their namespace prefix as written (``xacro:macro``).
        sha256: Digest of the bytes that were parsed, in hex.
    """

    path: Path
    root: Element
    sha256: str
    _lines: dict[int, int] = field(repr=False)

    def line_of(self, element: Element) -> int | None:
        """Return the line, counted from 1, on which an element of this file starts."""
        return self._lines.get(id(element))

    def error(
        self,
        message: str,
        element: Element | None = None,
        *,
        field: str | None = None,
        value: object = None,
        expected: str | None = None,
    ) -> RobotError:
        """Return an error that names this file and the element's line."""
        line = None if element is None else self.line_of(element)
        return RobotError(
            message, path=self.path, line=line, field=field, value=value, expected=expected
        )


def read_file(path: Path, kind: str) -> bytes:
    """Return a file's bytes.

    Args:
        path: The file.
        kind: What it should be, for the messages: ``URDF``, ``SRDF``, ``xacro``.

    Raises:
        RobotError: If there is no such file, it is a folder, it cannot be read or it is too large.
    """
    try:
        if path.is_dir():
            raise RobotError(f"is a folder, not a {kind} file", path=path)
        if path.exists() and not path.is_file():
            raise RobotError(f"is not a regular file, so not a {kind} file", path=path)
        size = path.stat().st_size
        if size > _LARGEST_FILE_BYTES:
            raise RobotError(
                f"is too large for a {kind} file", path=path, value=f"{size / 1e6:.0f} MB",
                expected=f"at most {_LARGEST_FILE_BYTES // 1_000_000} MB",
            )  # fmt: skip
        return path.read_bytes()
    except FileNotFoundError as error:
        raise RobotError("there is no such file", path=path) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RobotError(f"cannot be read: {reason}", path=path) from error


def parse_xml(data: bytes, path: Path, kind: str) -> XmlFile:
    """Parse the bytes of a file.

    Args:
        data: The whole file.
        path: For messages.
        kind: What it should be, for messages.

    Raises:
        RobotError: If it is empty, binary, not well-formed, nested absurdly deep, or declares a
            document type or entities; with the line where there is one.
    """
    if not data.strip():
        raise RobotError(f"is empty, not a {kind} file", path=path)
    if b"\0" in data[:4096] and not data.startswith(_BYTE_ORDER_MARKS):
        raise RobotError(f"is a binary file, not a {kind} file", path=path)
    builder = _LineBuilder(path, kind)
    try:
        root = builder.parse(data)
    except expat.ExpatError as error:
        if error.lineno == 1 and error.offset == 0 and not data.lstrip().startswith(b"<"):
            raise RobotError(f"is not XML, so not a {kind} file", path=path, line=1) from error
        raise RobotError(
            f"is not well-formed XML: {expat.ErrorString(error.code)}", path=path, line=error.lineno
        ) from error
    except (LookupError, ValueError) as error:  # an encoding that Python does not know
        raise RobotError(f"cannot be decoded: {error}", path=path, line=1) from error
    return XmlFile(path, root, hashlib.sha256(data).hexdigest(), builder.lines)


class _LineBuilder:
    """Feeds expat's events to an ElementTree builder and notes where each element starts."""

    def __init__(self, path: Path, kind: str) -> None:
        self.lines: dict[int, int] = {}
        self._path = path
        self._kind = kind
        self._depth = 0
        self._builder = TreeBuilder()
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._builder.data
        self._parser.StartDoctypeDeclHandler = self._refuse_document_type

    def parse(self, data: bytes) -> Element:
        self._parser.Parse(data, True)
        return self._builder.close()

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST_NESTING:
            raise RobotError(
                f"nests elements more than {_DEEPEST_NESTING} deep, so is no {self._kind}",
                path=self._path, line=self._parser.CurrentLineNumber, field=f"<{tag}>",
            )  # fmt: skip
        element = self._builder.start(tag, attributes)
        self.lines[id(element)] = self._parser.CurrentLineNumber

    def _end(self, tag: str) -> None:
        self._depth -= 1
        self._builder.end(tag)

    def _refuse_document_type(self, name: str, *_: object) -> None:
        raise RobotError(
            f"declares a document type (<!DOCTYPE {name}>) and with it entities, which are refused",
            path=self._path, line=self._parser.CurrentLineNumber,
            expected=f"a {self._kind} file without <!DOCTYPE> and <!ENTITY>",
        )  # fmt: skip
