"""The options that say how a robot is read, the same in every command that has them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.argument_parser import joint_value
from workbench.errors import UsageError

if TYPE_CHECKING:
    from workbench.model.request import RobotRequest

_OPTIONS = {
    "--package-dir": "package_dir", "--srdf": "srdf", "--tool-frame": "tool_frame",
    "--hold": "hold", "--example": "example", "--floating-base": "floating_base",
}  # fmt: skip


def add_robot_options(parser: argparse._ActionsContainer) -> None:
    """Add the options to a command or to a group of its options."""
    parser.add_argument(
        "--package-dir", action="append", default=[], metavar="DIR",
        help="where package:// mesh paths are looked up first; repeatable",
    )  # fmt: skip
    parser.add_argument("--srdf", metavar="FILE", help="SRDF that belongs to the URDF")
    parser.add_argument(
        "--tool-frame", action="append", default=[], metavar="LINK | NAME=LINK:x,y,z,r,p,y",
        help="frame that gets a gizmo; repeatable; the second form fixes a new frame to a link, "
        "in m and rad; default: the profile's, else the ends of the chains",
    )  # fmt: skip
    parser.add_argument(
        "--hold", action="append", default=[], metavar="JOINT=VALUE", type=joint_value("--hold"),
        help="take a joint out of the model and hold it there, in rad or m; repeatable",
    )  # fmt: skip
    parser.add_argument(
        "--example", default="", metavar="NAME",
        help="start with an example session of the profile: standing (g1, talos),"
        " driving (tiago_dual)",
    )  # fmt: skip
    parser.add_argument(
        "--floating-base", action="store_true", help="let the root link float (free flyer)"
    )


def robot_request(options: argparse.Namespace, source: str, **more: Any) -> RobotRequest:
    """Return what the options ask for.

    Args:
        options: What was parsed.
        source: The robot.
        more: Other fields of the request.

    Raises:
        UsageError: If a joint is held twice or at no finite position.
    """
    from workbench.model.request import RobotRequest

    hold = dict(options.hold)
    if len(hold) != len(options.hold):
        raise UsageError("a joint is named twice", field="--hold", expected="each joint once")
    return RobotRequest(
        source=source,
        package_dirs=tuple(options.package_dir),
        srdf=options.srdf,
        tool_frames=tuple(options.tool_frame),
        hold=hold,
        example=options.example,
        floating_base=options.floating_base,
        **more,
    )


def refuse_robot_options(
    options: argparse.Namespace, session: str, more: Mapping[str, object]
) -> None:
    """Raise UsageError for an option that a session file settles.

    Args:
        options: What was parsed.
        session: What brings the session, as the message calls it.
        more: Values of further options, by name.
    """
    given = {name: getattr(options, place) for name, place in _OPTIONS.items()}
    for name, value in {**more, **given}.items():
        if value:
            raise UsageError(
                f"cannot be used with {session}", field=name,
                expected="the session file alone: it names the robot and how to read it",
            )  # fmt: skip
