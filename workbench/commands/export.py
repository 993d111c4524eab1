"""``workbench export``: write tuned settings in the form of the system that will run them."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.argument_parser import ArgumentParser
from workbench.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from workbench.config.settings import Settings
    from workbench.model.request import RobotRequest

KINDS = ("dimos-yaml", "dimos-json", "dimos-flags", "dimos-solver", "isaac", "pink", "pinker")
_WITHOUT_COMMENTS = ("dimos-json", "dimos-flags")


def add_parser(commands: argparse._SubParsersAction[ArgumentParser]) -> None:
    """Add the command to the command line."""
    export = commands.add_parser(
        "export",
        help="write tuned settings for DimOS, Isaac Sim, Pink or Pinker",
        description="Write the settings of a PinkKinematicsConfig file or of a session file in "
        "another form. What that form cannot express is listed, and nothing is written unless "
        "--allow-loss says so.",
        allow_abbrev=False,
    )
    export.set_defaults(run=run)
    export.add_argument(
        "source", metavar="CONFIG_OR_SESSION",
        help="PinkKinematicsConfig as YAML or JSON, or a session (*.workbench.yaml)",
    )  # fmt: skip
    export.add_argument(
        "--to", required=True, choices=KINDS, metavar="KIND", help=f"one of {', '.join(KINDS)}"
    )
    export.add_argument(
        "--robot", metavar="ROBOT",
        help="profile, PATH.urdf, PATH.xacro or robot_descriptions:NAME; default: the session's; "
        "isaac, pink and pinker need one",
    )  # fmt: skip
    export.add_argument("--out", metavar="FILE", help="write to FILE instead of printing; - prints")
    export.add_argument(
        "--allow-loss", action="store_true", help="leave out what the form cannot express"
    )
    export.add_argument(
        "--dimos-version", default="0.0.15", metavar="VERSION",
        help="release of DimOS that shall read it; default: 0.0.15",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Write or print the export; returns the exit status."""
    from workbench.export.dimos_config import check_dimos_version
    from workbench.export.kinds import export
    from workbench.export.subject import ExportSubject
    from workbench.live.files import checked_output_path
    from workbench.live.versions import package_versions
    from workbench.model.describe import describe_robot

    check_dimos_version(options.dimos_version)
    out = None if options.out in (None, "-") else checked_output_path(options.out, "--out")
    settings, request = read_source(Path(options.source), options.robot)
    subject = ExportSubject(
        settings=settings,
        robot=None if request is None else describe_robot(request),
        versions=package_versions(settings.kinematics.solver),
        dimos_version=options.dimos_version,
    )
    exported = export(options.to, subject, allow_loss=options.allow_loss)
    for line in exported.losses:
        print(f"left out: {line}", file=sys.stderr)
    if options.to in _WITHOUT_COMMENTS:
        for line in exported.notes:
            print(f"note: {line}", file=sys.stderr)
    if out is None:
        print(exported.text, end="")
        return 0
    _refuse_own_import(out, exported.text)
    _write(out, exported.text)
    print(f"{options.to} written to {options.out}")
    return 0


def read_source(path: Path, robot: str | None) -> tuple[Settings, RobotRequest | None]:
    """Return the settings in a file, and the robot that is meant; None for none.

    Args:
        path: A session, or the twelve fields in any form that is read.
        robot: Robot that was asked for; it replaces that of a session. The session's own comes
            with all that the session says about it: what is held, whether it floats.

    Raises:
        ConfigError: With path, line, key, value and what would be right.
    """
    from workbench.config.pasted import read_dimos_file
    from workbench.config.settings import Settings
    from workbench.config.yaml_io import load_yaml, read_bytes
    from workbench.live.session_file import FORMAT_KEY, MAX_BYTES, read_session
    from workbench.model.request import RobotRequest

    asked_for = None if robot is None else RobotRequest(robot)
    name = str(path)
    text = read_bytes(path, name=name, max_bytes=MAX_BYTES)
    if FORMAT_KEY in load_yaml(text, name=name, max_bytes=MAX_BYTES).data:
        session = read_session(text, name=name)
        if asked_for is None or robot == session.request.source:
            return session.settings, session.request
        return session.settings, asked_for
    return Settings(kinematics=read_dimos_file(text, name=name).kinematics), asked_for


def _refuse_own_import(path: Path, text: str) -> None:
    """Refuse a name such as ``pink.py``: a program of that name would import itself."""
    imported = re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)
    if path.suffix == ".py" and path.stem in imported:
        raise UsageError(
            f"a program of this name would import itself instead of {path.stem}", field="--out",
            value=path.name, expected=f"another name, such as tuned_{path.name}",
        )  # fmt: skip


def _write(path: Path, text: str) -> None:
    from workbench.live.files import replace_file

    try:
        replace_file(path, text)
    except OSError as error:
        raise ConfigError(f"cannot be written: {error.strerror or error}", path=path) from error
