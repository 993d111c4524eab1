"""``workbench reach``: which grasps of a file a robot reaches, as a table or as JSON."""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import replace
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
from workbench.config.grasp_scene import APPROACH_AXES, FARTHEST_OBJECT_M
from workbench.errors import GraspError, UsageError, did_you_mean

if TYPE_CHECKING:
    from workbench.config.settings import Settings
    from workbench.grasps.reach_task import ReachQuestion
    from workbench.grasps.reach_types import GraspTarget, ReachResult, ReachSettings
    from workbench.grasps.spec import GraspSpec
    from workbench.model.request import RobotRequest
    from workbench.model.structure import Structure
    from workbench.poses import Pose

DEFAULT_ROBOT = "panda"
EXIT_INTERRUPTED = 130
"""What a shell reports of a program that Ctrl+C has ended: this check says nothing of grasps."""

_OPTIONS = {
    "standoff_m": "--standoff", "max_attempts": "--attempts", "seed": "--seed",
}  # fmt: skip


def add_parser(commands: argparse._SubParsersAction[ArgumentParser]) -> None:
    """Add the command to the command line."""
    reach = commands.add_parser(
        "reach",
        help="tell which grasps of an isaac_grasp file a robot reaches",
        description="Plan to every grasp, best first, drive the straight approach, and print how "
        "it went, as a table or as JSON; exit status 1 when fewer than --min-reached are reached.",
        allow_abbrev=False,
    )
    reach.set_defaults(run=run)
    reach.add_argument(
        "grasps", metavar="GRASPS.yaml", help="isaac_grasp file, or one that is shipped: mug"
    )
    reach.add_argument(
        "--robot", metavar="ROBOT",
        help=f"{ROBOT_HELP}; "
        f"default: the session's, else {DEFAULT_ROBOT}",
    )  # fmt: skip
    reach.add_argument(
        "--object-position", metavar="x,y,z", type=_numbers("--object-position", 3),
        help="where the object is in the world, in m; default: where the file has it",
    )  # fmt: skip
    reach.add_argument(
        "--object-wxyz", metavar="w,x,y,z", type=_numbers("--object-wxyz", 4),
        help="its orientation as a quaternion; default: that of the file",
    )  # fmt: skip
    reach.add_argument(
        "--config", metavar="FILE",
        help="PinkKinematicsConfig, or a session (*.workbench.yaml) with its home, held joints, "
        "caps, streaming bounds and lists; default: the robot's own",
    )  # fmt: skip
    reach.add_argument(
        "--hold", action="append", default=[], metavar="JOINT=VALUE", type=joint_value("--hold"),
        help="hold a joint there by a hard constraint, in rad or m; repeatable",
    )  # fmt: skip
    reach.add_argument(
        "--gripper-link", metavar="LINK",
        help="link of the robot that the file's gripper frame is; default: the one of that name",
    )  # fmt: skip
    reach.add_argument(
        "--standoff", type=number("--standoff"), default=0.1, metavar="M",
        help="how far before the grasp the straight approach begins, in m; default: 0.1",
    )  # fmt: skip
    reach.add_argument(
        "--approach-axis", choices=tuple(APPROACH_AXES), default="+z",
        help="direction of the approach in the gripper's frame; default: +z",
    )  # fmt: skip
    reach.add_argument(
        "--attempts", type=whole_number("--attempts"), default=5, metavar="N",
        help="attempts at most for each grasp; default: 5",
    )  # fmt: skip
    reach.add_argument(
        "--seed", type=whole_number("--seed"), default=0, metavar="N",
        help="seed of the retries; default: 0",
    )  # fmt: skip
    reach.add_argument(
        "--min-reached", type=whole_number("--min-reached"), default=0, metavar="N",
        help="fewer than this many reached grasps are exit status 1; default: 0",
    )  # fmt: skip
    reach.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(options: argparse.Namespace) -> int:
    """Check all grasps and print; returns the exit status."""
    from workbench.grasps.files import read_grasp_files
    from workbench.grasps.reach_task import ReachQuestion
    from workbench.grasps.reach_types import grasp_targets
    from workbench.model.structure import read_structure

    how = _reach_settings(options)
    spec = read_grasp_files(options.grasps).grasps
    object_pose = _object_pose(options, spec)
    session, request = _session(options)
    structure = read_structure(request)
    settings = _settings(options, session, structure)
    question = ReachQuestion.of(settings, _gripper_link(options, spec, structure), how)
    targets = grasp_targets(spec, object_pose, how)
    note = question.rules.left_out
    if note:
        print(f"note: {note}", file=sys.stderr)
    results = _check(request, question, targets)
    if results is None:
        print("workbench: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    reached = sum(result.is_reached for result in results)
    if options.json:
        document = _document(
            spec, results, grasps=str(options.grasps), robot=request.source,
            gripper_link=question.frame, held_joints=dict(question.rules.held_joints), note=note,
            object={
                "position": object_pose.translation.tolist(), "wxyz": object_pose.wxyz.tolist(),
            },
        )  # fmt: skip
        print(json.dumps(document, indent=2))
    else:
        _print_table(spec, results)
        print(f"{reached} of {len(results)} grasps reached")
    return 0 if reached >= options.min_reached else 1


def _check(
    request: RobotRequest, question: ReachQuestion, targets: tuple[GraspTarget, ...]
) -> list[ReachResult] | None:
    """Return the results, best grasp first; None where somebody has pressed Ctrl+C."""
    from workbench.grasps.reach_task import ReachTask
    from workbench.grasps.reach_worker import start_reach_work
    from workbench.live.workers import WorkerPool

    found: dict[str, ReachResult] = {}

    def done(_task: ReachTask, results: tuple[ReachResult, ...]) -> None:
        found.update({result.name: result for result in results})

    pool: WorkerPool[ReachTask, tuple[ReachResult, ...]] = WorkerPool(start_reach_work, (request,))
    try:
        pool.run([ReachTask(question, (target,)) for target in targets], done)
    except KeyboardInterrupt:
        return None
    finally:
        pool.stop()
    return [found[target.name] for target in targets]


def _reach_settings(options: argparse.Namespace) -> ReachSettings:
    from workbench.grasps.reach_types import ReachSettings

    if options.min_reached < 0:
        raise UsageError(
            "is out of range", field="--min-reached", value=options.min_reached,
            expected="0 or more",
        )  # fmt: skip
    try:
        return ReachSettings(
            standoff_m=options.standoff, approach=APPROACH_AXES[options.approach_axis],
            max_attempts=options.attempts, seed=options.seed,
        )  # fmt: skip
    except GraspError as error:
        raise UsageError(
            error.message, field=_OPTIONS[error.field or ""], value=error.value,
            expected=error.expected,
        ) from error  # fmt: skip


def _session(options: argparse.Namespace) -> tuple[Settings | None, RobotRequest]:
    """Return the settings of ``--config``, and the robot that is meant."""
    from workbench.commands.export import read_source
    from workbench.model.request import RobotRequest

    if options.config is None:
        return None, RobotRequest(options.robot or DEFAULT_ROBOT)
    settings, request = read_source(Path(options.config), options.robot)
    return settings, request or RobotRequest(DEFAULT_ROBOT)


def _settings(
    options: argparse.Namespace, session: Settings | None, structure: Structure
) -> Settings:
    from workbench.config.settings import Settings
    from workbench.model.describe import default_kinematics

    settings = session or Settings(kinematics=default_kinematics(structure.source.profile))
    joints = {joint.name: joint for joint in structure.plan.joints}
    held = each_once(options.hold, "--hold")
    for name, position in held.items():
        if name not in joints:
            raise UsageError(
                "there is no such joint", field="--hold", value=name,
                expected=did_you_mean(name, joints),
            )  # fmt: skip
        lower, upper = joints[name].lower, joints[name].upper
        if lower is not None and upper is not None and not lower <= position <= upper:
            raise UsageError(
                "is outside the joint's limits", field=f"--hold {name}", value=position,
                expected=f"a position in [{lower:.6g}, {upper:.6g}]",
            )  # fmt: skip
    return replace(settings, held_joints={**settings.held_joints, **held})


def _object_pose(options: argparse.Namespace, spec: GraspSpec) -> Pose:
    from workbench.poses import Pose

    pose = spec.object_pose
    if options.object_position is None and pose is None:
        raise UsageError(
            "the file does not say where the object is", field="--object-position",
            expected="x,y,z in m",
        )  # fmt: skip
    default = Pose() if pose is None else pose
    # An orientation belongs to a position: one that was given stands upright.
    default_wxyz = default.wxyz if options.object_position is None else Pose().wxyz
    try:
        pose = Pose(
            default.translation if options.object_position is None else options.object_position,
            default_wxyz if options.object_wxyz is None else options.object_wxyz,
        )
    except ValueError as error:
        raise UsageError(f"is no rotation: {error}", field="--object-wxyz") from error
    for axis, coordinate in zip("xyz", pose.translation.tolist(), strict=True):
        if abs(coordinate) > FARTHEST_OBJECT_M:
            raise UsageError(
                "is too far away", field=f"--object-position {axis}", value=coordinate,
                expected=f"at most {FARTHEST_OBJECT_M:g} m from the origin",
            )  # fmt: skip
    return pose


def _gripper_link(options: argparse.Namespace, spec: GraspSpec, structure: Structure) -> str:
    from workbench.grasps.gripper import match_frame

    links = structure.urdf.links
    if options.gripper_link is not None:
        if options.gripper_link not in links:
            raise UsageError(
                "there is no such link", field="--gripper-link", value=options.gripper_link,
                expected=did_you_mean(options.gripper_link, links),
            )  # fmt: skip
        return options.gripper_link
    match = match_frame(spec.gripper_frame, links, [tool.link for tool in structure.tools])
    if match.frame is None:
        raise GraspError(
            match.text, field="gripper_frame", path=options.grasps,
            expected=f"--gripper-link, such as {', '.join(match.candidates[:3])}",
        )  # fmt: skip
    return match.frame


def _document(spec: GraspSpec, results: list[ReachResult], **asked: object) -> dict[str, Any]:
    return {
        **asked,
        "reached": sum(result.is_reached for result in results),
        "results": {
            result.name: {
                "state": result.state,
                "text": result.text,
                "confidence": spec[result.name].effective_confidence,
                "attempts": result.attempts,
                "position_error_m": result.position_error_m,
                "orientation_error_rad": result.orientation_error_rad,
                "limiting_joint": result.limiting_joint,
                "limit_margin": result.limit_margin,
                "manipulability": result.manipulability,
                "approach_share": result.approach_share,
                "approach_s": result.approach_s,
                "solve_s": result.solve_s,
            }
            for result in results
        },
    }


def _print_table(spec: GraspSpec, results: list[ReachResult]) -> None:
    shown = {result.name: _printable(result.name) for result in results}
    width = max((len(name) for name in shown.values()), default=0)
    for result in results:
        confidence = spec[result.name].effective_confidence
        margin = "" if result.limit_margin is None else f"{100 * result.limit_margin:3.0f} % margin"
        print(
            f"{shown[result.name]:{width}}  {confidence:5.3f}  {result.state:18}  "
            f"{1e3 * result.position_error_m:7.2f} mm  "
            f"{math.degrees(result.orientation_error_rad):6.2f} deg  {margin:12}  {result.text}"
        )


def _printable(name: str) -> str:
    """Return a name as a terminal may have it: without characters that steer it."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name)


def _numbers(option: str, count: int) -> Any:
    def read(text: str) -> tuple[float, ...]:
        try:
            values = tuple(float(part) for part in text.split(","))
        except ValueError:
            values = ()
        if len(values) != count or not all(map(math.isfinite, values)):
            raise UsageError(
                f"is not {count} numbers with commas between them", field=option, value=text
            )
        return values

    return read
