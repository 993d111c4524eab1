"""Reading and writing a ``PinkKinematicsConfig`` as YAML.

The written file holds DimOS's twelve fields and no other key, so that
``PinkKinematicsConfig(**yaml.safe_load(text))`` accepts it; everything else rides in comments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from workbench.config.document import number_from
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.number_text import yaml_number_text
from workbench.config.sections import Section
from workbench.config.yaml_io import load_yaml
from workbench.errors import ConfigError

WRAPPER_KEYS = ("kinematics", "pink")
"""Keys under which the mapping may stand instead of at the top."""

_TEXT_FIELDS = ("backend", "solver")
_LONGEST_COMMENT = 2_000


@dataclass(frozen=True)
class ExportHeader:
    """What the comments above the twelve fields say.

    Attributes:
        robot: Name of the robot.
        urdf_sha256: Digest of its URDF, in hex.
        tool_frames: Frames that were tuned.
        rate_hz: Ticks per second that it was tuned at.
        versions: Versions of the packages that decide a result, by package name.
        changed_at: Time of the last change; with a time zone.
        not_in_yaml: One sentence for each thing that was set and that the fields cannot hold.
    """

    robot: str
    urdf_sha256: str
    tool_frames: tuple[str, ...]
    rate_hz: float
    versions: Mapping[str, str]
    changed_at: datetime
    not_in_yaml: tuple[str, ...] = field(default=())


def read_kinematics(source: Path | str | bytes, *, name: str) -> PinkKinematicsConfig:
    """Read the twelve settings.

    Accepts what :func:`write_kinematics` wrote, the same mapping under a ``kinematics:`` or
    ``pink:`` key, and JSON. A missing key means DimOS's default.

    Args:
        source: A file's path, or the text itself.
        name: How messages call the file.

    Raises:
        ConfigError: For anything else, with line, key, value and what would be right.
    """
    return wrapped_kinematics(Section(load_yaml(source, name=name)))


def wrapped_kinematics(top: Section) -> PinkKinematicsConfig:
    """Read the twelve settings at the top, or under ``kinematics:`` or ``pink:`` alone there.

    Raises:
        ConfigError: With line, key, value and what would be right.
    """
    wrappers = [key for key in WRAPPER_KEYS if key in top.mapping]
    if not wrappers:
        return kinematics_from_section(top)
    for key in top.mapping:
        if key != wrappers[0]:
            raise top.error(
                f"stands next to {wrappers[0]}:", key, expected=f"{wrappers[0]}: alone at the top"
            )
    return kinematics_from_section(top.section(wrappers[0]))


def kinematics_from_section(section: Section) -> PinkKinematicsConfig:
    """Read the twelve settings from one mapping of a document; raises ConfigError."""
    values: dict[str, object] = {}
    for key, raw in section.mapping.items():
        value, problem = _read_value(key, raw)
        try:
            PinkKinematicsConfig.check_field(key, value)
        except ConfigError as error:
            raise section.error(
                problem or error.message, key, value=error.value, expected=error.expected
            ) from error
        values[key] = value
    return PinkKinematicsConfig.checked(**values)


def _read_value(key: str, raw: object) -> tuple[object, str | None]:
    """Return a value as a number where one was meant, and what is wrong where it is none."""
    if key not in PinkKinematicsConfig.model_fields:
        return raw, None  # that there is no such setting matters more than its value
    if raw is None:
        return raw, "has no value"
    if not isinstance(raw, str):
        return raw, None
    if key in _TEXT_FIELDS:
        return str(raw), None
    try:
        return number_from(raw), None
    except ValueError as problem:
        return str(raw), None if key == "safety_break" else str(problem)


def write_kinematics(config: PinkKinematicsConfig, header: ExportHeader) -> str:
    """Return the file's text: comments, then exactly the twelve fields in DimOS's order.

    The same arguments give the same text.
    """
    lines = [f"# {_comment(line)}".rstrip() for line in _header_lines(header)]
    lines += [f"{name}: {_yaml_scalar(value)}" for name, value in config.model_dump().items()]
    return "\n".join(lines) + "\n"


def _header_lines(header: ExportHeader) -> Iterator[str]:
    yield "PinkKinematicsConfig, tuned with IK Workbench"
    yield f"robot: {header.robot}"
    yield f"urdf_sha256: {header.urdf_sha256}"
    yield f"tool_frames: {', '.join(header.tool_frames)}"
    yield f"rate: {header.rate_hz:g} Hz"
    yield "versions: " + ", ".join(f"{name} {text}" for name, text in header.versions.items())
    yield f"changed: {header.changed_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    if header.not_in_yaml:
        yield "not in this file:"
        yield from (f"- {line}" for line in header.not_in_yaml)


def _comment(text: str) -> str:
    """Keep text that a file brought on its own comment line, readable by every YAML reader.

    Whatever is not printable (line breaks of all kinds, control and direction marks, lone
    surrogates) is shown as its escape.
    """
    safe = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )
    return safe if len(safe) <= _LONGEST_COMMENT else safe[: _LONGEST_COMMENT - 1] + "…"


def _yaml_scalar(value: object) -> str:
    """Write a value so that YAML 1.1 and 1.2 readers see the same type and the same number."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return yaml_number_text(value)
    return str(value)
