"""Settings from text that somebody pasted: DimOS's files and flags, Isaac Sim's arguments.

Nothing here is executed: flags are split as a shell would split them, Python is parsed and its
literals are read.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from workbench.config.document import PlainText, number_from
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.kinematics_file import (
    WRAPPER_KEYS,
    kinematics_from_section,
    wrapped_kinematics,
)
from workbench.config.pasted_python import call_arguments, calls_by_name, without_comments
from workbench.config.sections import Section
from workbench.config.yaml_io import load_yaml
from workbench.errors import ConfigError, did_you_mean

PastedKind = Literal["dimos-file", "dimos-flags", "dimos-python", "isaac"]

_LARGEST_TEXT = 100_000
_KINEMATICS = "kinematics"
_FLAG = re.compile(r"--[A-Za-z]")
_KEYWORD = re.compile(r"[^\W\d]\w*\s*=|\*\*")
_CONTROLLER = "PinkIKController"
_CONFIG = "PinkKinematicsConfig"
_TEXT_FIELDS = ("backend", "solver")

_ISAAC_DEFAULTS: dict[str, Any] = {
    "position_cost": 1.0, "orientation_cost": 1.0, "posture_cost": 1e-3, "damping": 1e-12,
    "gain": 1.0, "lm_damping": 0.0, "solver": "osqp",
}  # fmt: skip
"""What ``PinkIKController`` takes for an argument that is not given."""

_ISAAC_OBJECTS = (
    "pink_robot", "robot_joint_space", "robot_site_space", "extra_tasks", "extra_limits",
    "extra_barriers", "pre_step_callback",
)  # fmt: skip
"""Its arguments that only the program has a value for; the first three may stand without a name."""


@dataclass(frozen=True)
class PastedConfig:
    """What a text means.

    Attributes:
        kinematics: The twelve settings.
        kind: What the text is.
        rate_hz: Ticks per second that it asks for; None for none.
        tool_frame: The tool frame that it names; None for none.
        not_taken: One sentence for each thing in it that has no place here.
    """

    kinematics: PinkKinematicsConfig
    kind: PastedKind
    rate_hz: float | None = None
    tool_frame: str | None = None
    not_taken: tuple[str, ...] = ()

    def check_frames(self, frames: Collection[str]) -> None:
        """Raise ConfigError if it names a frame that is not among those of the robot."""
        if self.tool_frame is not None and self.tool_frame not in frames:
            raise ConfigError(
                "this robot has no such frame", field="tool_frame", value=self.tool_frame,
                expected=did_you_mean(self.tool_frame, frames),
            )  # fmt: skip


def read_pasted(text: str, *, name: str = "pasted text") -> PastedConfig:
    """Read any of the texts, told apart by how they look.

    Raises:
        ConfigError: If it is none of them, or something in it is wrong.
    """
    text = text.removeprefix("\ufeff")  # some editors put a mark at the start of a file
    _check_text(text, name)
    if calls_by_name(text, _CONTROLLER):
        return read_isaac_arguments(text, name=name)
    if calls_by_name(text, _CONFIG):
        return read_dimos_python(text, name=name)
    shown = without_comments(text)
    if any(_FLAG.match(word) for word in shown.split()):
        return read_dimos_flags(text, name=name)
    first = next((line.strip() for line in shown.splitlines() if line.strip()), "")
    if _KEYWORD.match(first):
        return read_isaac_arguments(text, name=name)
    if ":" not in shown and "{" not in shown:
        raise ConfigError(
            "is nothing that can be read here", path=name, value=first[:40],
            expected=f"DimOS's YAML, JSON or flags, {_CONFIG}(...), or {_CONTROLLER}(...)",
        )  # fmt: skip
    return read_dimos_file(text, name=name)


def differences(
    present: PinkKinematicsConfig, new: PinkKinematicsConfig
) -> tuple[tuple[str, object, object], ...]:
    """Return name, present value and new value of each field that would change."""
    before, after = present.model_dump(), new.model_dump()
    return tuple(
        (name, before[name], after[name]) for name in before if before[name] != after[name]
    )


# DimOS's files ---------------------------------------------------------------------------------


def read_dimos_file(source: Path | str | bytes, *, name: str) -> PastedConfig:
    """Read YAML or JSON: the twelve fields, plain or wrapped, or a file for ``--config``.

    Raises:
        ConfigError: For anything else, with line, key, value and what would be right.
    """
    top = Section(load_yaml(source, name=name))
    found: list[tuple[str, Section]] = []
    others: list[str] = []
    for key, value in top.mapping.items():
        if isinstance(value, dict) and _KINEMATICS in value and key not in WRAPPER_KEYS:
            section = top.section(key)
            found.append((key, section.section(_KINEMATICS)))
            others += [f"{key}.{inner}" for inner in value if inner != _KINEMATICS]
        elif value is not None:
            others.append(key)
    if not found:
        return PastedConfig(wrapped_kinematics(top), "dimos-file")
    if len(found) > 1:
        raise top.error(
            "is a second module with kinematics", found[1][0], expected=f"{found[0][0]} alone"
        )
    # A sparse section means DimOS's defaults for the rest.
    section = _with_underscores(found[0][1])
    return PastedConfig(
        kinematics_from_section(section), "dimos-file",
        not_taken=tuple(f"section {key} is not about kinematics" for key in others),
    )  # fmt: skip


def _with_underscores(section: Section) -> Section:
    """Return a section; DimOS takes ``max-iterations`` for ``max_iterations``."""
    for key in section.mapping:
        if "-" in key:
            raise section.error("is written with a minus sign", key, expected=key.replace("-", "_"))
    return section


def read_dimos_python(text: str, *, name: str = "pasted text") -> PastedConfig:
    """Read the keyword arguments of a ``PinkKinematicsConfig`` in its call.

    Raises:
        ConfigError: With line, argument, value and what would be right.
    """
    values: dict[str, Any] = {}
    for argument in call_arguments(text, _CONFIG, (), name=name):
        if not argument.is_literal:
            raise argument.error("is not a literal", "a number, a text or a switch")
        try:
            PinkKinematicsConfig.check_field(argument.name, argument.value)
        except ConfigError as error:
            raise argument.error(error.message, error.expected) from error
        values[argument.name] = argument.value
    return PastedConfig(PinkKinematicsConfig.checked(**values), "dimos-python")


# DimOS's flags ---------------------------------------------------------------------------------


def read_dimos_flags(text: str, *, name: str = "pasted text") -> PastedConfig:
    """Read command-line flags, such as ``--manipulationmodule.kinematics.gain=0.3``.

    A whole command may be pasted: words before the first flag are passed over. As with DimOS, a
    flag that is given again replaces the one before, and a missing one means the default.
    ``--kinematics.gain`` names no module and goes with any one.

    Raises:
        ConfigError: For flags of two modules or a mistake in one, with line, flag, value and what
            would be right.
    """
    _check_text(text, name)
    values: dict[str, object] = {}
    not_taken: list[str] = []
    module = ""
    for flag, value, line in _flags(text, name):
        parts = [part.replace("-", "_").lower() for part in flag.split(".")]
        if len(parts) < 2 or parts[-2] != _KINEMATICS:
            not_taken.append(f"--{flag} is not about kinematics")
            continue
        field, prefix = parts[-1], ".".join(parts[:-2])
        if prefix and module and prefix != module:
            raise ConfigError(
                "is for a second module with kinematics", path=name, line=line, field=f"--{flag}",
                value=value, expected=f"--{module}.{_KINEMATICS} alone",
            )  # fmt: skip
        module = prefix or module
        values[field] = _flag_value(field, value)
        try:
            PinkKinematicsConfig.check_field(field, values[field])
        except ConfigError as error:
            raise ConfigError(
                error.message, path=name, line=line, field=f"--{flag}", value=value,
                expected=error.expected,
            ) from error  # fmt: skip
    if not values:
        raise ConfigError(
            "holds no flag about kinematics", path=name,
            expected="flags such as --manipulationmodule.kinematics.gain=0.3",
        )  # fmt: skip
    return PastedConfig(
        PinkKinematicsConfig.checked(**values), "dimos-flags", not_taken=tuple(not_taken)
    )


def _flags(text: str, name: str) -> Iterator[tuple[str, str, int]]:
    """Yield name, value and line of each flag."""
    # A line that goes on with the next keeps its line break for the count of lines.
    lexer = shlex.shlex(text.replace("\\\r\n", " \n").replace("\\\n", " \n"), posix=True)
    lexer.whitespace_split, lexer.commenters = True, "#"
    pending: tuple[str, int] | None = None
    try:
        for token in lexer:
            line = min(lexer.lineno, text.count("\n") + 1)
            if pending is not None and not token.startswith("--"):
                yield pending[0], token, pending[1]
                pending = None
                continue
            if pending is not None:
                break
            if not token.startswith("--"):
                continue
            flag, separator, value = token[2:].partition("=")
            if separator:
                yield flag, value, line
            else:
                pending = flag, line
    except ValueError as error:
        raise ConfigError(
            f"cannot be split into words: {str(error).lower()}", path=name, line=lexer.lineno
        ) from error
    if pending is not None:
        raise ConfigError(
            "has no value", path=name, line=pending[1], field=f"--{pending[0]}",
            expected=f"--{pending[0]}=VALUE",
        )  # fmt: skip


def _flag_value(field: str, value: str) -> object:
    if field in _TEXT_FIELDS:
        return value
    if field == "safety_break":
        return {"true": True, "false": False}.get(value.lower(), value)
    try:
        return number_from(PlainText(value))
    except ValueError:
        return value


# Isaac Sim's arguments -------------------------------------------------------------------------


def read_isaac_arguments(text: str, *, name: str = "pasted text") -> PastedConfig:
    """Read the keyword arguments of a ``PinkIKController``, alone or in their call.

    An argument that is not given means the controller's own default.

    Raises:
        ConfigError: With line, argument, value and what would be right.
    """
    _check_text(text, name)
    arguments = call_arguments(text, _CONTROLLER, _ISAAC_OBJECTS[:3], name=name)
    values = dict(_ISAAC_DEFAULTS)
    not_taken: list[str] = []
    rate_hz: float | None = None
    tool_frame: str | None = None
    for argument in arguments:
        key = argument.name
        if key in _ISAAC_OBJECTS:
            if argument.is_literal and argument.value is None:
                continue
            not_taken.append(f"{key} is an object of the program")
            continue
        if key not in (*_ISAAC_DEFAULTS, "dt", "tool_frame"):
            raise argument.error(
                "there is no such argument",
                did_you_mean(key, (*_ISAAC_DEFAULTS, *_ISAAC_OBJECTS, "dt", "tool_frame")),
            )
        if not argument.is_literal:
            raise argument.error("is not a literal", "a number, a text, a list of numbers or None")
        value = argument.value
        if key == "dt":
            rate_hz = _rate(argument.number())
            continue
        if key == "tool_frame":
            tool_frame = argument.text_or_none()
            continue
        if isinstance(value, list | tuple):
            value = _one_cost(key, value, not_taken, argument)
            if value is None:
                continue
        if key == "posture_cost" and value is None:
            value = 0.0
        try:
            PinkKinematicsConfig.check_field(key, value)
        except ConfigError as error:
            raise argument.error(error.message, error.expected) from error
        values[key] = value
    _check_defaults(values)
    return PastedConfig(
        PinkKinematicsConfig.checked(**values), "isaac", rate_hz, tool_frame, tuple(not_taken)
    )


def _rate(dt: float) -> float:
    return round(1.0 / dt, 9) if dt > 0 else 0.0


def _one_cost(key: str, value: Any, not_taken: list[str], argument: Any) -> float | None:
    """Return the cost that all axes share; None, and a sentence, where they differ."""
    numbers = list(value)
    if not key.endswith("_cost") or key == "posture_cost" or len(numbers) != 3:
        raise argument.error("is not a number", "one number, or three for the axes of a cost")
    if not all(isinstance(item, int | float) and not isinstance(item, bool) for item in numbers):
        raise argument.error("is not a list of numbers", "three numbers >= 0")
    if any(not item >= 0 for item in numbers):
        raise argument.error("is out of range", "three numbers >= 0")
    try:
        floats = [float(item) for item in numbers]
    except OverflowError as error:
        raise argument.error("has a number that is too large", "three numbers >= 0") from error
    if len(set(floats)) == 1:
        return floats[0]
    not_taken.append(f"{key} differs by axis: {numbers}; make it an entry of the task list")
    return None


def _check_defaults(values: Mapping[str, Any]) -> None:
    """Name the argument that a default came from when its solver is not installed here."""
    try:
        PinkKinematicsConfig.check_field("solver", values["solver"])
    except ConfigError as error:
        raise ConfigError(
            "is not installed here, and is what the controller takes without the argument",
            field="solver", value=values["solver"], expected=error.expected,
        ) from error  # fmt: skip


def _check_text(text: str, name: str) -> None:
    """Raise ConfigError for a text that is none, before anything looks for its meaning."""
    if len(text) > _LARGEST_TEXT:
        raise ConfigError("is too long", path=name, expected=f"at most {_LARGEST_TEXT} characters")
    if not text.strip():
        raise ConfigError("is empty", path=name, expected="settings")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ConfigError("holds a null byte", path=name, line=line, expected="plain text")
