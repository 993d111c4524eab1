"""``workbench parity``: does Pinker do with this robot and these settings what Pink does?"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.argument_parser import ROBOT_HELP, ArgumentParser, number, whole_number
from workbench.commands.robot_options import (
    add_robot_options,
    refuse_robot_options,
    robot_request,
)
from workbench.errors import UsageError

if TYPE_CHECKING:
    from workbench.config.settings import Settings
    from workbench.ik.parity import CourseResult, ParityResult
    from workbench.ik.parity_losses import CommonEntries
    from workbench.ik.types import TickInputs
    from workbench.model.description import RobotDescription
    from workbench.model.request import RobotRequest

TICKS = (10, 100_000)
"""Fewest and most ticks of a course."""

_HEADER = (
    "course", "H", "c", "G, h", "A, b", "relative", "on the way", "at the end", "Pink", "Pinker",
    "Pinker / Pink", "fast",
)  # fmt: skip
_IN_QP = "largest difference of the QPs"
_IN_Q = "of q, rad or m"
_TIMES = "median time of a step, us"
_LINE = "{:12} {:>8} {:>8} {:>8} {:>8} {:>9}  {:>10} {:>10}  {:>6} {:>6} {:>13} {:>6}"


def add_parser(commands: argparse._SubParsersAction[ArgumentParser]) -> None:
    """Add the command to the command line."""
    parity = commands.add_parser(
        "parity",
        help="compare Pink and Pinker on a robot and its settings",
        description="Run the same tasks, targets and configurations through Pink and through "
        "Pinker, on a step, a circle and a random walk of the targets; print the largest "
        "differences of the QP and of q, and how long a step takes. Exit status 1 when a number "
        "of a QP differs by more than 1e-9 of the largest, or q by more than 1e-6 rad or m. "
        "Pinker comes with `pip install 'ik-workbench[peers]'` and needs a C compiler.",
        allow_abbrev=False,
    )
    parity.set_defaults(run=run)
    parity.add_argument(
        "--robot", metavar="ROBOT",
        help=f"{ROBOT_HELP}; default: the session's",
    )  # fmt: skip
    parity.add_argument(
        "--config", metavar="FILE",
        help="PinkKinematicsConfig as YAML or JSON, or a session (*.workbench.yaml); default: the "
        "robot's own",
    )  # fmt: skip
    parity.add_argument(
        "--rate", type=number("--rate"), metavar="HZ",
        help="ticks per second, 10 to 500; default: the session's, else 100",
    )  # fmt: skip
    parity.add_argument(
        "--ticks", type=whole_number("--ticks"), default=200, metavar="N",
        help="length of each course; default: 200",
    )  # fmt: skip
    parity.add_argument(
        "--seed", type=whole_number("--seed"), default=0, metavar="N",
        help="seed of the random walk; default: 0",
    )  # fmt: skip
    parity.add_argument("--json", action="store_true", help="print JSON instead of a table")
    add_robot_options(parity.add_argument_group("robot"))


def run(options: argparse.Namespace) -> int:
    """Compare and print; returns the exit status."""
    _check(options)
    from workbench.commands.export import read_source
    from workbench.export.names_check import check_names
    from workbench.export.subject import ExportSubject
    from workbench.ik.parity import compare_with_pinker
    from workbench.ik.parity_losses import common_entries, without_mimic
    from workbench.ik.pinker_model import import_pinker
    from workbench.ik.types import RobotPose
    from workbench.model.robot import load_robot
    from workbench.model.structure import read_structure

    import_pinker()  # before anything is loaded for nothing
    settings, session_request = (
        (None, None) if options.config is None else read_source(Path(options.config), None)
    )
    request = _request(options, session_request)
    request, mimics = without_mimic(request, read_structure(request))
    structure, robot = read_structure(request), load_robot(request)
    if settings is None or session_request is None:
        settings = _starting_settings(robot.description, settings)
    if options.rate is not None:
        settings = replace(settings, rate_hz=options.rate)
    check_names(ExportSubject(settings, robot.description))
    common = common_entries(settings.tasks, settings.limits, settings.barriers)
    result = compare_with_pinker(
        robot,
        structure,
        _inputs(settings, common, robot.description),
        RobotPose({**settings.home, **settings.held_joints}, settings.home_base),
        ticks=options.ticks,
        seed=options.seed,
    )
    asked = _Asked(
        robot.description, settings, (*mimics, *common.left_out), _remarks(settings, common)
    )
    if options.json:
        print(json.dumps(_document(options, asked, result), indent=2))
    else:
        print("\n".join(_lines(options, asked, result)))
    return 0 if result.same else 1


@dataclass(frozen=True)
class _Asked:
    """What was compared.

    Attributes:
        robot: The robot.
        settings: The settings, before anything was left out.
        left_out: One sentence for each thing that was.
        remarks: One for each that is compared otherwise than the workbench solves it.
    """

    robot: RobotDescription
    settings: Settings
    left_out: tuple[str, ...]
    remarks: tuple[str, ...]


def _check(options: argparse.Namespace) -> None:
    fewest, most = TICKS
    if not fewest <= options.ticks <= most:
        raise UsageError(
            "is out of range", field="--ticks", value=options.ticks,
            expected=f"{fewest} to {most}",
        )  # fmt: skip
    if options.seed < 0:
        raise UsageError(
            "is out of range", field="--seed", value=options.seed, expected="0 or more"
        )


def _request(options: argparse.Namespace, session: RobotRequest | None) -> RobotRequest:
    """Return the robot that is meant; the command line's goes before the session's.

    Where it only names the session's own robot, what the session says about that robot stays.
    """
    from workbench.model.request import RobotRequest

    if options.robot is not None:
        asked_for = robot_request(options, options.robot)
        names_the_same = session is not None and asked_for == RobotRequest(session.source)
        return session if session is not None and names_the_same else asked_for
    if session is None:
        raise UsageError(
            "no robot is named", field="--robot", expected="a profile, or the path of a URDF"
        )
    refuse_robot_options(options, f"the session {options.config}", {})
    return session


def _starting_settings(robot: RobotDescription, found: Settings | None) -> Settings:
    """Return what a robot starts with, with the twelve fields of a file where there is one."""
    from workbench.config.settings import Settings

    example = robot.example
    kinematics = robot.defaults if found is None else found.kinematics
    if example is None:
        return Settings(kinematics=kinematics)
    return Settings(
        kinematics=kinematics, tasks=example.tasks, limits=example.limits,
        barriers=example.barriers,
    )  # fmt: skip


def _inputs(settings: Settings, common: CommonEntries, robot: RobotDescription) -> TickInputs:
    from workbench.ik.types import TickInputs
    from workbench.poses import Pose

    targets = settings.targets
    return TickInputs(
        config=settings.kinematics,
        dt=settings.dt,
        # Which frames have a task; the courses say where they go.
        targets={
            frame: Pose()
            for frame in robot.tool_frames
            if frame not in targets or targets[frame].enabled
        },
        held_joints=settings.held_joints,
        velocity_caps=settings.velocity_caps,
        tasks=common.tasks,
        limits=common.limits,
        barriers=common.barriers,
        home=settings.home,
        home_base=settings.home_base,
    )


def _remarks(settings: Settings, common: CommonEntries) -> tuple[str, ...]:
    if settings.mode == "live":
        return common.remarks
    return (
        *common.remarks, f"mode {settings.mode}: the plain steps of the live loop are compared",
    )  # fmt: skip


# Printing ------------------------------------------------------------------------------------


def _document(options: argparse.Namespace, asked: _Asked, result: ParityResult) -> dict[str, Any]:
    from workbench.ik.parity import SAME_Q, SAME_QP

    return {
        "robot": asked.robot.name,
        "tool_frames": list(asked.robot.tool_frames),
        "floating_base": asked.robot.floating_base,
        "config": options.config,
        "solver": asked.settings.kinematics.solver,
        "rate_hz": asked.settings.rate_hz,
        "ticks": options.ticks,
        "seed": options.seed,
        "versions": dict(result.versions),
        "left_out": list(asked.left_out),
        "remarks": list(asked.remarks),
        "tolerance": {"qp_relative": SAME_QP, "q": SAME_Q},
        "same": result.same,
        "courses": {course.course: _course_document(course) for course in result.courses},
    }


def _course_document(course: CourseResult) -> dict[str, Any]:
    return {
        "same": course.same,
        "qp_difference": {part: _finite(value) for part, value in course.differences.items()},
        "qp_relative_difference": _finite(course.qp_difference),
        "q_difference": course.q_difference,
        "q_difference_at_end": course.q_difference_at_end,
        "failed_ticks": dict(course.failed_ticks),
        "hessian_condition": _finite(course.hessian_condition),
        "step_s": dict(course.step_s),
    }


def _finite(number: float) -> float | None:
    """Return a number as JSON has it: there is no infinity."""
    return number if math.isfinite(number) else None


def _lines(options: argparse.Namespace, asked: _Asked, result: ParityResult) -> Iterator[str]:
    from workbench.ik.parity import SAME_Q, SAME_QP

    settings = asked.settings
    joints = f"{len(asked.robot.joints)} joints"
    base = " on a floating base" if asked.robot.floating_base else ""
    yield (
        f"{asked.robot.name}, {joints}{base}, solver {settings.kinematics.solver}: three courses "
        f"of {options.ticks} ticks at {settings.rate_hz:g} Hz, seed {options.seed}"
    )
    yield ", ".join(f"{name} {version}" for name, version in result.versions.items())
    yield from (f"left out on both sides: {line}" for line in asked.left_out)
    yield from (f"compared otherwise: {line}" for line in asked.remarks)
    yield ""
    yield f"{'':12} {_IN_QP:^45}  {_IN_Q:^21}  {_TIMES:^34}".rstrip()
    yield _LINE.format(*_HEADER)
    for course in result.courses:
        yield _line(course)
    yield ""
    for course in result.courses:
        yield from _troubles(course, settings.kinematics.solver)
    yield (
        f"{'the same' if result.same else 'NOT THE SAME'}: QPs to {SAME_QP:g} of their largest "
        f"number, q to {SAME_Q:g} rad or m"
    )


def _line(course: CourseResult) -> str:
    parts, step_s = course.differences, course.step_s
    pink, pinker, fast = step_s["Pink"], step_s["Pinker"], step_s.get("fast")
    return _LINE.format(
        course.course, _small(parts["H"]), _small(parts["c"]),
        _small(max(parts["G"], parts["h"])), _small(max(parts["A"], parts["b"])),
        _small(course.qp_difference), _small(course.q_difference),
        _small(course.q_difference_at_end), f"{1e6 * pink:.0f}", f"{1e6 * pinker:.0f}",
        f"{pinker / pink:.2f}", "-" if fast is None else f"{1e6 * fast:.0f}",
    )  # fmt: skip


def _small(number: float) -> str:
    return "0" if number == 0.0 else f"{number:.1e}"


def _troubles(course: CourseResult, solver: str) -> Iterator[str]:
    """Say what is behind a difference of q, as far as the numbers tell."""
    failed = course.failed_ticks
    if any(failed.values()):
        counts = ", ".join(f"{name} on {count}" for name, count in failed.items())
        same = "the same ones" if course.failures_agree else "NOT THE SAME ONES"
        yield f"{course.course}: {solver} found no step ({counts} of {course.ticks} ticks, {same})"
    if course.never_moved and course.failures_agree:
        yield f"{course.course}: there was no way to compare, which does not count as the same"
    if course.same_qp and course.failures_agree and not course.same_way:
        yield (
            f"{course.course}: the QPs are the same, {solver}'s answers are not: H has the "
            f"condition number {course.hessian_condition:.0e}, so that the last bits decide; more "
            "damping or a posture cost settles it, and an active-set solver such as daqp answers "
            "more exactly"
        )
