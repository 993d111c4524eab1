"""Reading and writing a ``PinkKinematicsConfig`` as YAML."""

from __future__ import annotations

from pathlib import Path

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.sections import Section
from workbench.config.yaml_io import load_yaml, number_from
from workbench.errors import ConfigError

WRAPPER_KEYS = ("kinematics", "pink")
"""Keys under which the mapping may stand instead of at the top."""

_TEXT_FIELDS = ("backend", "solver")


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
    top = Section(load_yaml(source, name=name))
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
    if not isinstance(raw, str):
        return raw, None
    if key in _TEXT_FIELDS:
        return str(raw), None
    try:
        return number_from(raw), None
    except ValueError as problem:
        return str(raw), None if key == "safety_break" else str(problem)
