"""All kinds of export: what each needs, cannot express, and writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.errors import UsageError, did_you_mean
from workbench.export.dimos_config import (
    config_losses,
    config_notes,
    dimos_flags,
    dimos_json,
    dimos_yaml,
)
from workbench.export.dimos_solver import dimos_solver, solver_losses, solver_notes
from workbench.export.isaac_script import isaac_losses, isaac_notes, isaac_script
from workbench.export.names_check import check_names
from workbench.export.pink_script import (
    pink_losses,
    pink_script,
    pinker_losses,
    pinker_script,
    script_notes,
)
from workbench.export.subject import Exported, ExportSubject

Sentences = Callable[[ExportSubject], tuple[str, ...]]


@dataclass(frozen=True)
class ExportKind:
    """One way out.

    Attributes:
        name: Name on the command line.
        title: What it is, for people.
        suffix: End of its file's name.
        needs_robot: Whether it cannot be written without a robot.
        losses: What it cannot express of a subject.
        notes: What else there is to know.
        write: Its text.
    """

    name: str
    title: str
    suffix: str
    needs_robot: bool
    losses: Sentences
    notes: Sentences
    write: Callable[[ExportSubject], str]


EXPORT_KINDS: dict[str, ExportKind] = {
    kind.name: kind
    for kind in (
        ExportKind(
            "dimos-yaml", "DimOS: PinkKinematicsConfig as YAML", ".yaml", False,
            config_losses, config_notes, dimos_yaml,
        ),
        ExportKind(
            "dimos-json", "DimOS: file for --config", ".json", False,
            config_losses, config_notes, dimos_json,
        ),
        ExportKind(
            "dimos-flags", "DimOS: command-line flags", ".txt", False,
            config_losses, config_notes, dimos_flags,
        ),
        ExportKind(
            "dimos-solver", "DimOS: solver class for streaming", ".py", False,
            solver_losses, solver_notes, dimos_solver,
        ),
        ExportKind(
            "isaac", "Isaac Sim: PinkIKController", ".py", True,
            isaac_losses, isaac_notes, isaac_script,
        ),
        ExportKind(
            "pink", "Pink: a program", ".py", True, pink_losses, script_notes, pink_script
        ),
        ExportKind(
            "pinker", "Pinker: a program", ".py", True, pinker_losses, script_notes, pinker_script
        ),
    )
}  # fmt: skip
"""Every kind by its name."""


def export_kind(name: str) -> ExportKind:
    """Return a kind; raises UsageError for one that does not exist."""
    if name not in EXPORT_KINDS:
        raise UsageError(
            "there is no such kind of export", field="--to", value=name,
            expected=did_you_mean(name, EXPORT_KINDS),
        )  # fmt: skip
    return EXPORT_KINDS[name]


def export(name: str, subject: ExportSubject, *, allow_loss: bool = False) -> Exported:
    """Write settings in one of the kinds.

    Args:
        name: Name of the kind.
        subject: What is exported.
        allow_loss: Whether to go on where something that was set is not in the text.

    Raises:
        UsageError: If there is no such kind or version, the kind needs a robot, or something
            would be lost.
        ConfigError: If the settings name a joint or frame that the robot does not have.
    """
    kind = export_kind(name)
    if kind.needs_robot and subject.robot is None:
        raise UsageError(
            f"{kind.name} needs a robot", field="--robot",
            expected="a profile, or the path of a URDF",
        )  # fmt: skip
    check_names(subject)
    losses = kind.losses(subject)
    if losses and not allow_loss:
        raise UsageError(
            f"{kind.name} cannot express {len(losses)} thing{'s' if len(losses) > 1 else ''}: "
            + "; ".join(losses),
            field="--to", expected="--allow-loss to leave that out",
        )  # fmt: skip
    return Exported(kind.write(subject), losses, kind.notes(subject))
