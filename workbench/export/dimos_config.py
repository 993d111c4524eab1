"""DimOS's ``PinkKinematicsConfig`` as YAML, as a ``--config`` file and as command-line flags."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime

from workbench.config.kinematics_file import ExportHeader, write_kinematics
from workbench.errors import UsageError, did_you_mean
from workbench.export.losses import (
    lost_caps,
    lost_entries,
    lost_holds,
    lost_model,
    lost_planning,
    lost_streaming,
)
from workbench.export.python_text import call, comment, value
from workbench.export.subject import QUATERNION_ORDER, ExportSubject

MODULE_SECTION = "manipulationmodule"
"""The name that DimOS's configuration gives its manipulation module."""

DIMOS_VERSIONS = ("0.0.13", "0.0.13.post1", "0.0.14", "0.0.15")
"""Releases of DimOS that have a Pink backend."""

MARGIN_SINCE = "0.0.14"
"""First version that knows ``joint_limit_posture_margin``."""

BLUEPRINT_CONFIG_SINCE = "0.0.14"
"""First version with the configuration of blueprints and with solver classes for streaming."""

_MARGIN = "joint_limit_posture_margin"
_ORDER_KEY = f"_{QUATERNION_ORDER.replace(':', ' are')}"


def config_losses(subject: ExportSubject) -> tuple[str, ...]:
    """Return what twelve fields cannot hold."""
    return (
        *lost_model(subject.robot),
        *lost_holds(subject),
        *lost_caps(subject),
        *lost_entries(subject),
        *lost_streaming(subject),
        *lost_planning(subject),
    )


def config_notes(subject: ExportSubject) -> tuple[str, ...]:
    """Return what else whoever loads the fields has to know."""
    return tuple(_notes(subject))


def fields_for(subject: ExportSubject) -> dict[str, object]:
    """Return the fields for the subject's version of DimOS.

    Before the present release a margin of zero is left out: it is the default of those that know
    the field, and those that do not refuse the key.

    Raises:
        UsageError: If there is no such version, it is too old, or it does not know a field that
            was set.
    """
    check_dimos_version(subject.dimos_version)
    fields = subject.settings.kinematics.model_dump()
    if subject.dimos_version == DIMOS_VERSIONS[-1]:
        return fields
    if fields[_MARGIN] and not _is_at_least(subject.dimos_version, MARGIN_SINCE):
        raise UsageError(
            f"DimOS {subject.dimos_version} does not know this setting", field=_MARGIN,
            value=fields[_MARGIN], expected=f"0, or --dimos-version {MARGIN_SINCE}",
        )  # fmt: skip
    if not fields[_MARGIN]:
        del fields[_MARGIN]
    return fields


def blueprint_fields(subject: ExportSubject) -> dict[str, object]:
    """Return the fields for a form that works through a blueprint's configuration.

    Raises:
        UsageError: If there is no such version of DimOS, or it does not know that form.
    """
    check_dimos_version(subject.dimos_version)
    if not _is_at_least(subject.dimos_version, BLUEPRINT_CONFIG_SINCE):
        raise UsageError(
            f"this form needs DimOS {BLUEPRINT_CONFIG_SINCE} or later; older ones take "
            "dimos-yaml alone",
            field="--dimos-version", value=subject.dimos_version,
            expected=" or ".join(
                version for version in DIMOS_VERSIONS
                if _is_at_least(version, BLUEPRINT_CONFIG_SINCE)
            ),
        )  # fmt: skip
    return fields_for(subject)


def check_dimos_version(version: str) -> None:
    """Raise UsageError for a version of DimOS that does not exist or has no Pink backend."""
    if version not in DIMOS_VERSIONS:
        raise UsageError(
            "is no release of DimOS with a Pink backend", field="--dimos-version", value=version,
            expected=did_you_mean(version, DIMOS_VERSIONS),
        )  # fmt: skip


def _is_at_least(version: str, first: str) -> bool:
    return DIMOS_VERSIONS.index(version) >= DIMOS_VERSIONS.index(first)


def dimos_yaml(subject: ExportSubject) -> str:
    """Return the fields as YAML, everything else in comments."""
    known = fields_for(subject)
    nothing = ExportHeader("", "", (), 0.0, {}, datetime.fromtimestamp(0, UTC))
    lines = write_kinematics(subject.settings.kinematics, nothing).splitlines()
    body = [line for line in lines if line.partition(":")[0] in known]
    return f"{comment(_header(subject))}\n" + "\n".join(body) + "\n"


def dimos_json(subject: ExportSubject) -> str:
    """Return the file for ``dimos run BLUEPRINT --config FILE``.

    JSON has no comments; DimOS passes over a section that is null, and so the order of quaternions
    is named in the key of one.
    """
    fields = blueprint_fields(subject)
    document = {_ORDER_KEY: None, MODULE_SECTION: {"kinematics": fields}}
    return json.dumps(document, indent=2) + "\n"


def dimos_flags(subject: ExportSubject) -> str:
    """Return the flags for ``dimos run BLUEPRINT``, on one line."""
    return " ".join(_flags(subject)) + "\n"


def dimos_python(subject: ExportSubject) -> str:
    """Return the fields as Python, to be pasted into a blueprint."""
    fields = [f"{name}={value(item)}" for name, item in fields_for(subject).items()]
    return (
        "from dimos.manipulation.planning.kinematics.config import PinkKinematicsConfig\n\n"
        f"# {QUATERNION_ORDER} in the workbench; DimOS's messages name x, y, z and w\n"
        f"pink = {call('PinkKinematicsConfig', fields)}\n"
    )


def _flags(subject: ExportSubject) -> Iterator[str]:
    for name, item in blueprint_fields(subject).items():
        word = json.dumps(item) if isinstance(item, bool) else str(item)
        flag = f"--{MODULE_SECTION}.kinematics.{name.replace('_', '-')}={word}"
        yield shlex.quote(flag)


def _notes(subject: ExportSubject) -> Iterator[str]:
    yield f"{QUATERNION_ORDER} in the workbench; DimOS's messages name x, y, z and w"
    if subject.robot is not None:
        yield f"tool frames: {', '.join(subject.tool_frames) or 'none is switched on'}"
    yield (
        f"tuned at {subject.settings.rate_hz:g} Hz: set the coordinator's rate; dt is the step of "
        "the planning mode alone"
    )


def _header(subject: ExportSubject) -> Iterator[str]:
    yield "PinkKinematicsConfig, tuned with IK Workbench"
    yield f"for DimOS {subject.dimos_version}"
    yield from header_of(subject)
    yield from config_notes(subject)
    losses = config_losses(subject)
    if losses:
        yield "not in this file:"
        yield from (f"- {line}" for line in losses)


def header_of(subject: ExportSubject) -> Iterator[str]:
    """Name the robot, the versions and the time, as far as they are known."""
    robot = subject.robot
    if robot is not None:
        title = "" if robot.title in ("", robot.name) else f" ({robot.title})"
        yield f"robot: {robot.name}{title}"
        yield f"urdf_sha256: {robot.urdf_sha256}"
    if subject.versions:
        yield "versions: " + ", ".join(f"{name} {word}" for name, word in subject.versions.items())
    if subject.changed_at is not None:
        yield f"changed: {subject.changed_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
