"""The command ``workbench``: parse, call, print.

Heavy imports (viser, Pinocchio, the solvers) happen inside the commands, so that ``--help`` and
mistakes on the command line answer at once.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence

from workbench import __version__
from workbench.argument_parser import ROBOT_HELP, ArgumentParser, number, whole_number
from workbench.commands import export, parity, plan, reach, stream
from workbench.commands.robot_options import (
    add_robot_options,
    refuse_robot_options,
    robot_request,
)
from workbench.errors import UsageError, WorkbenchError

EXIT_OK = 0
EXIT_PROBLEM = 1
EXIT_USAGE = 2

DEFAULT_PORT = 8080
DEFAULT_HOST = "127.0.0.1"
DEFAULT_ROBOT = "panda"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status.

    Args:
        arguments: Words after the program's name; None takes them from ``sys.argv``.
    """
    try:
        options = build_parser().parse(arguments)
        return options.run(options)
    except WorkbenchError as error:
        print(f"workbench: {error}", file=sys.stderr)
        return EXIT_USAGE
    except BrokenPipeError:
        # The reader of a pipe went away; stdout must not complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_PROBLEM
    except KeyboardInterrupt:
        return EXIT_OK


def build_parser() -> ArgumentParser:
    """Return the parser of all commands."""
    parser = ArgumentParser(
        prog="workbench",
        description="Tune differential inverse kinematics by hand, in a browser.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"workbench {__version__}")
    commands = parser.add_commands()
    _add_serve(commands)
    _add_robots(commands)
    _add_doctor(commands)
    stream.add_parser(commands)
    plan.add_parser(commands)
    reach.add_parser(commands)
    export.add_parser(commands)
    parity.add_parser(commands)
    return parser


def _add_serve(commands: argparse._SubParsersAction[ArgumentParser]) -> None:
    serve = commands.add_parser(
        "serve",
        help="show a robot in the browser and tune it",
        description="Serve the page for one robot: a profile's name, the path of a URDF or xacro "
        "file, or robot_descriptions:NAME.",
        allow_abbrev=False,
    )
    serve.set_defaults(run=_run_serve)
    serve.add_argument(
        "robot", nargs="?", default=None, metavar="ROBOT",
        help=f"{ROBOT_HELP}; default: panda",
    )  # fmt: skip

    robot = serve.add_argument_group("robot")
    add_robot_options(robot)
    robot.add_argument(
        "--mesh-up-axis", choices=("z", "y"), default=None,
        help="y turns COLLADA meshes that are really Y-up; default: the profile's, else z",
    )  # fmt: skip

    config = serve.add_argument_group("configuration")
    config.add_argument("--config", metavar="FILE", help="PinkKinematicsConfig to start with")
    config.add_argument(
        "--session", metavar="FILE", help="session file to go on with; it names the robot"
    )
    restore = config.add_mutually_exclusive_group()
    restore.add_argument(
        "--restore", action="store_true", default=None,
        help="open the session that an unclean end left behind",
    )  # fmt: skip
    restore.add_argument("--no-restore", action="store_false", dest="restore", help="delete it")
    config.add_argument("--save-to", metavar="FILE", help='file that "Save" on the page writes')
    config.add_argument(
        "--rate", type=number("--rate"), default=None, metavar="HZ",
        help="ticks per second, 10 to 500",
    )  # fmt: skip

    grasps = serve.add_argument_group("grasps")
    grasps.add_argument(
        "--grasps", metavar="FILE",
        help="isaac_grasp file to start with, or the name of one that is shipped: mug",
    )  # fmt: skip
    grasps.add_argument(
        "--object", metavar="MESH",
        help="mesh of the object that the grasps are on; default: the file that they name, where "
        "it lies beside them",
    )  # fmt: skip
    grasps.add_argument(
        "--gripper", metavar="PATH", help="URDF of a gripper that the robot does not have"
    )
    grasps.add_argument(
        "--gripper-frame", metavar="LINK",
        help="link of --gripper that grasps are relative to; default: its root",
    )  # fmt: skip

    server = serve.add_argument_group("server")
    server.add_argument(
        "--host", default=DEFAULT_HOST, help=f"address to bind; default: {DEFAULT_HOST}"
    )
    server.add_argument(
        "--port", type=whole_number("--port"), default=DEFAULT_PORT,
        help=f"port to bind, 0 for any free one; default: {DEFAULT_PORT}",
    )  # fmt: skip
    server.add_argument("--no-browser", action="store_true", help="do not open a browser")
    server.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME[:PORT]",
        help="further name under which the page may be reached; repeatable",
    )  # fmt: skip
    server.add_argument(
        "--token", default=None,
        help="secret that the page asks for; made at start when another address than loopback "
        "is bound",
    )  # fmt: skip
    server.add_argument("--read-only", action="store_true", help="let everybody look, nobody turn")


def _add_robots(commands: argparse._SubParsersAction[ArgumentParser]) -> None:
    robots = commands.add_parser(
        "robots", help="list the robot profiles", description="List the robot profiles.",
        allow_abbrev=False,
    )  # fmt: skip
    robots.add_argument("--json", action="store_true", help="print JSON instead of a table")
    robots.set_defaults(run=_run_robots)


def _add_doctor(commands: argparse._SubParsersAction[ArgumentParser]) -> None:
    doctor = commands.add_parser(
        "doctor", help="check this installation",
        description="Print versions, solvers, browser and port; exit status 1 when something "
        "would keep the workbench from running.",
        allow_abbrev=False,
    )  # fmt: skip
    doctor.add_argument(
        "--port", type=whole_number("--port"), default=DEFAULT_PORT, help="port to look at"
    )
    doctor.set_defaults(run=_run_doctor)


def _run_serve(options: argparse.Namespace) -> int:
    if options.session is not None or options.restore:
        _refuse_robot_options(options)
    if options.object is not None and options.grasps is None:
        raise UsageError("needs grasps on it", field="--object", expected="--grasps FILE as well")
    if options.gripper_frame is not None and options.gripper is None:
        raise UsageError(
            "needs a gripper", field="--gripper-frame", expected="--gripper PATH as well"
        )
    from workbench.ui.app import AppOptions, run_app
    from workbench.ui.server import ServerOptions

    request = robot_request(
        options, options.robot or DEFAULT_ROBOT, mesh_up_axis=options.mesh_up_axis
    )
    server = ServerOptions(
        host=options.host,
        port=options.port,
        allowed_hosts=tuple(options.allow_host),
        token=options.token,
        read_only=options.read_only,
    )
    return run_app(
        request,
        server,
        AppOptions(
            config_path=options.config,
            save_to=options.save_to,
            rate_hz=options.rate,
            session_path=options.session,
            restore=options.restore,
            grasps_path=options.grasps,
            object_path=options.object,
            gripper_path=options.gripper,
            gripper_frame=options.gripper_frame,
            open_browser=not options.no_browser,
        ),
    )


def _refuse_robot_options(options: argparse.Namespace) -> None:
    """Raise UsageError for an option that a session file settles."""
    session = "--restore" if options.session is None else "--session"
    if options.session is not None and options.restore:
        raise UsageError("cannot be used with --session", field="--restore")
    more = {"ROBOT": options.robot, "--mesh-up-axis": options.mesh_up_axis}
    refuse_robot_options(options, session, more)


def _run_robots(options: argparse.Namespace) -> int:
    from workbench.model.catalog import profile_summaries

    summaries = profile_summaries()
    if options.json:
        print(json.dumps(summaries, indent=2))
        return EXIT_OK
    widths = {key: max(len(str(row[key])) for row in summaries) for key in ("name", "title")}
    for row in summaries:
        print(
            f"{row['name']:{widths['name']}}  {row['title']:{widths['title']}}  "
            f"{len(row['joints']):2d} joints  tools: {', '.join(row['tool_frames'])}  "
            f"[{row['source']}]"
        )
    return EXIT_OK


def _run_doctor(options: argparse.Namespace) -> int:
    from workbench.doctor import examine

    report = examine(port=options.port)
    for line in report.lines:
        print(line)
    return EXIT_OK if report.healthy else EXIT_PROBLEM


if __name__ == "__main__":
    raise SystemExit(main())
