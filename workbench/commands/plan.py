"""``workbench plan``: plan for a robot, or replay a planning record."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.argument_parser import (
    ROBOT_HELP,
    ArgumentParser,
    each_once,
    joint_value,
    number,
    whole_number,
)
from workbench.commands.reference_arithmetic import fix_arithmetic, run_again
from workbench.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from workbench.config.kinematics import PinkKinematicsConfig
    from workbench.config.planning import PlanningConfig
    from workbench.config.settings import Settings
    from workbench.ik.planning import PlanResult
    from workbench.model.controlled import ControlledRobot
    from workbench.model.structure import Structure
    from workbench.poses import Pose

LARGEST_DIFFERENCE = 1e-6
"""Positions that differ by more than this, rad or m, are not the same."""

_TARGET_FORM = "FRAME=x,y,z,qw,qx,qy,qz"
_PLANNING_OPTIONS = {
    "position_tolerance_m": "--position-tolerance",
    "orientation_tolerance_rad": "--orientation-tolerance",
    "max_attempts": "--attempts",
    "seed": "--seed",
}


def add_parser(commands: argparse._SubParsersAction[ArgumentParser]) -> None:
    """Add the command to the command line."""
    plan = commands.add_parser(
        "plan",
        help="plan to targets, or replay a planning record",
        description="Search, as DimOS's planning does, for joint positions that bring frames to "
        "their targets, and print JSON; exit status 1 when there are none. Lists of tasks, limits "
        "and barriers stay out, as in DimOS. With --record, replay the attempts of a record and "
        "compare status, iterations and positions.",
        allow_abbrev=False,
    )
    plan.set_defaults(run=run)
    what = plan.add_mutually_exclusive_group(required=True)
    what.add_argument("--robot", metavar="ROBOT", help=ROBOT_HELP)
    what.add_argument("--record", metavar="RECORD.json", help="planning record to replay")
    plan.add_argument("--out", metavar="FILE", help="write what comes out to FILE")
    plan.add_argument(
        "--target", action="append", default=[], metavar=_TARGET_FORM, type=_target,
        help="target of a frame in the world, in m, and its quaternion; repeatable",
    )  # fmt: skip
    plan.add_argument(
        "--start", action="append", default=[], metavar="JOINT=VALUE", type=joint_value("--start"),
        help="where a joint starts, in rad or m; repeatable; default: its home",
    )  # fmt: skip
    plan.add_argument(
        "--hold", action="append", default=[], metavar="JOINT=VALUE", type=joint_value("--hold"),
        help="hold a joint there by a hard constraint, in rad or m; repeatable",
    )  # fmt: skip
    plan.add_argument(
        "--config", metavar="FILE",
        help="PinkKinematicsConfig, or a session, whose held joints, velocity limits, tolerances, "
        "attempts and seed then count as well; default: the profile's",
    )  # fmt: skip
    plan.add_argument(
        "--seed", type=whole_number("--seed"), metavar="N", help="seed of the retries; default: 0"
    )
    plan.add_argument(
        "--attempts", type=whole_number("--attempts"), metavar="N",
        help="attempts at most; default: 10",
    )  # fmt: skip
    plan.add_argument(
        "--position-tolerance", type=number("--position-tolerance"), metavar="M",
        help="in m; default: 0.001",
    )  # fmt: skip
    plan.add_argument(
        "--orientation-tolerance", type=number("--orientation-tolerance"), metavar="RAD",
        help="in rad; default: 0.01",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Plan or replay, and print; returns the exit status."""
    if options.record is None:
        return _plan(options)
    for name in ("target", "start", "hold", "config", "seed", "attempts", "position_tolerance",
                 "orientation_tolerance"):  # fmt: skip
        if getattr(options, name) not in (None, []):
            raise UsageError(
                "does not go with --record, which holds it itself",
                field=f"--{name.replace('_', '-')}",
            )
    if not fix_arithmetic():
        out = [] if options.out is None else [f"--out={options.out}"]
        return run_again(["plan", f"--record={options.record}", *out])
    return _replay(options)


def _replay(options: argparse.Namespace) -> int:
    from workbench.commands.planning_record import (
        read_planning_record,
        replay_planning,
        write_planning_record,
    )

    record = read_planning_record(Path(options.record))
    replay = replay_planning(record)
    if options.out is not None:
        write_planning_record(options.out, record, replay)
    if not replay.compared:
        print(f"nothing to compare: the record holds no outcomes; {len(replay.results)} attempts")
        return 0
    place = "" if replay.first_different is None else f" (first other: {replay.first_different})"
    print(
        f"largest difference {replay.largest_difference:.3g} rad; "
        f"same status {replay.same_status} of {replay.compared}, "
        f"same iterations {replay.same_iterations} of {replay.compared}{place}"
    )
    same = replay.same_status == replay.same_iterations == replay.compared
    return 0 if same and replay.largest_difference <= LARGEST_DIFFERENCE else 1


def _plan(options: argparse.Namespace) -> int:
    targets = each_once(options.target, "--target")
    if not targets:
        raise UsageError("no target is given", field="--target", expected=_TARGET_FORM)
    start, held = each_once(options.start, "--start"), each_once(options.hold, "--hold")
    from workbench.ik.planning import Planner
    from workbench.model.controlled import controlled_from_request
    from workbench.model.request import RobotRequest

    settings = _settings(options)
    planning = _planning(options, settings)
    robot, structure = controlled_from_request(RobotRequest(options.robot))
    config = _config(settings, structure)
    poses = _poses(targets, robot)
    seed = _start(start, robot)
    if settings is not None:
        held = {**settings.held_joints, **held}
        if settings.tasks or settings.limits or settings.barriers:
            print("note: plans leave lists of tasks, limits and barriers out", file=sys.stderr)
    velocity_limits = {} if settings is None else settings.velocity_caps
    planner = Planner(robot, config, planning)
    result = planner.plan(poses, seed, held=held, velocity_limits=velocity_limits)
    text = json.dumps(_outcome(result, robot, options.robot, planning), indent=2)
    if options.out is None:
        print(text)
    else:
        try:
            Path(options.out).write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise UsageError(
                f"cannot be written: {error.strerror}", path=options.out, field="--out"
            ) from error
        print(f"{result.status}: {result.message}")
    return 0 if result.succeeded else 1


def _settings(options: argparse.Namespace) -> Settings | None:
    """Return what --config holds; None without it."""
    from workbench.commands.export import read_source

    return None if options.config is None else read_source(Path(options.config), None)[0]


def _planning(options: argparse.Namespace, settings: Settings | None) -> PlanningConfig:
    from workbench.config.planning import PlanningConfig
    from workbench.errors import ConfigError

    given = {
        name: getattr(options, option.removeprefix("--").replace("-", "_"))
        for name, option in _PLANNING_OPTIONS.items()
    }
    values = {} if settings is None else settings.planning.model_dump()
    values |= {name: value for name, value in given.items() if value is not None}
    try:
        return PlanningConfig.checked(**values)
    except ConfigError as error:
        error.field = _PLANNING_OPTIONS[error.field or ""]
        raise


def _config(settings: Settings | None, structure: Structure) -> PinkKinematicsConfig:
    from workbench.model.describe import default_kinematics

    if settings is not None:
        return settings.kinematics
    return default_kinematics(structure.source.profile)


def _poses(targets: dict[str, tuple[float, ...]], robot: ControlledRobot) -> dict[str, Pose]:
    from workbench.poses import Pose

    poses = {}
    for frame, numbers in targets.items():
        robot.require_frame(frame)
        try:
            poses[frame] = Pose(numbers[:3], numbers[3:])  # pyright: ignore[reportArgumentType]
        except ValueError as error:
            raise UsageError(
                f"is no pose: {error}", field=f"--target {frame}", expected=_TARGET_FORM
            ) from error
    return poses


def _start(positions: dict[str, float], robot: ControlledRobot) -> NDArray[np.float64]:
    """Return where the first attempt starts, in the order of commands, rad or m, shape (n,)."""
    from workbench.ik.bounds import LIMIT_TOLERANCE

    seed = robot.vector(positions)
    for name, position in positions.items():
        index = robot.joint_index(name)
        lower, upper = float(robot.lower[index]), float(robot.upper[index])
        if not lower - LIMIT_TOLERANCE <= position <= upper + LIMIT_TOLERANCE:
            raise UsageError(
                "is outside the joint's limits", field=f"--start {name}", value=position,
                expected=f"a position in [{lower:.6g}, {upper:.6g}]",
            )  # fmt: skip
    return seed


def _outcome(
    result: PlanResult, robot: ControlledRobot, name: str, planning: PlanningConfig
) -> dict[str, Any]:
    # A failed solve counts, as in DimOS, as no iterations and no errors: nothing was measured.
    measured = result.succeeded or result.iterations > 0
    return {
        "robot": name,
        "status": result.status,
        "message": result.message,
        "attempt": result.attempt,
        "attempts": result.attempts,
        "iterations": result.iterations,
        "position_error_m": result.position_error_m if measured else None,
        "orientation_error_rad": result.orientation_error_rad if measured else None,
        "seed": planning.seed,
        "positions": None if result.positions is None else robot.by_name(result.positions),
    }


def _target(text: str) -> tuple[str, tuple[float, ...]]:
    frame, separator, numbers = text.partition("=")
    try:
        values = tuple(float(number) for number in numbers.split(","))
    except ValueError:
        values = ()
    if not separator or not frame or len(values) != 7 or not all(map(math.isfinite, values)):
        raise UsageError(f"is not {_TARGET_FORM}", field="--target", value=text)
    return frame, values
