"""Does Pinker do with a robot and its settings what Pink does? Three courses tell.

Each side drives a robot of its own along the same targets, from the same start: by that q is
compared, and that is timed. The QPs are compared apart from it, at the configurations that Pink
went through, into which both are put: so differences of q do not add up in them.

A QP says exactly what a step shall be only where its Hessian is far from singular. Without damping
a redundant arm leaves a direction open, and the answer then hangs on the last bits: q may part
although the QPs are the same. That is why both are judged, and why the Hessian's condition is told.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pinocchio
import qpsolvers
from numpy.typing import NDArray

from workbench.errors import SolverError
from workbench.ik.parity_courses import Course, courses
from workbench.ik.parity_library import Library, pink_library, pinker_library
from workbench.ik.parity_side import Side
from workbench.ik.pinker_model import pinker_model
from workbench.ik.solvers import quiet_exit_warnings
from workbench.ik.stack import TaskStack
from workbench.ik.types import RobotPose, TickInputs
from workbench.poses import Pose

if TYPE_CHECKING:
    from workbench.model.robot import Robot
    from workbench.model.structure import Structure

Vector = NDArray[np.float64]

SAME_QP = 1e-9
"""QPs are the same when no number differs by more than this share of the largest in its part."""

SAME_Q = 1e-6
"""Configurations are the same when no coordinate differs by more, rad or m."""

_PARTS = {"H": "P", "c": "q", "G": "G", "h": "h", "A": "A", "b": "b"}
"""The parts of a QP, and what qpsolvers calls them."""

_SCALES = (("H", "c"), ("G", "h"), ("A", "b"))
"""Parts that have a unit in common: a difference counts by the largest number in either."""


@dataclass(frozen=True)
class CourseResult:
    """What came out on one course.

    Attributes:
        course: Its name.
        differences: Largest difference of a number in H, c, G, h, A and b; zero where neither side
            has such a part, infinite where one has it in another shape.
        qp_difference: The largest as a share of the largest number in H and c, in G and h, or in A
            and b, whichever it belongs to.
        q_difference: Largest difference of a coordinate of q during the run, rad or m.
        q_difference_at_end: The same after the last tick.
        failed_ticks: Ticks without a step, by library.
        failures_agree: Whether both sides failed on the same ticks.
        step_s: Median time of a step, s, by library, and ``fast`` where that way is not Pink's own.
        hessian_condition: Largest condition number of H.
        ticks: How many ticks were taken.
    """

    course: str
    differences: Mapping[str, float]
    qp_difference: float
    q_difference: float
    q_difference_at_end: float
    failed_ticks: Mapping[str, int]
    failures_agree: bool
    step_s: Mapping[str, float]
    hessian_condition: float
    ticks: int

    @property
    def same_qp(self) -> bool:
        """Whether the QPs are the same."""
        return self.qp_difference <= SAME_QP

    @property
    def same_way(self) -> bool:
        """Whether the robots were in the same place all the way."""
        return self.q_difference <= SAME_Q

    @property
    def never_moved(self) -> bool:
        """Whether a side found no step on any tick, so that no ways are compared."""
        return self.ticks in self.failed_ticks.values()

    @property
    def same(self) -> bool:
        """Whether all is the same, and there was something to compare."""
        agree = self.failures_agree and not self.never_moved
        return agree and self.same_qp and self.same_way


@dataclass(frozen=True)
class ParityResult:
    """What came out.

    Attributes:
        versions: Versions of both libraries, by package.
        courses: What came out on each course.
    """

    versions: Mapping[str, str]
    courses: tuple[CourseResult, ...]

    @property
    def same(self) -> bool:
        """Whether all is the same on every course."""
        return all(result.same for result in self.courses)


def compare_with_pinker(
    robot: Robot,
    structure: Structure,
    inputs: TickInputs,
    start: RobotPose,
    *,
    ticks: int,
    seed: int,
) -> ParityResult:
    """Drive a robot along the courses with both libraries.

    Args:
        robot: The robot; without mimic joints, which Pinker does not know.
        structure: What it was made from.
        inputs: Settings and step, with what both libraries have only; a frame takes part when it
            is among the targets, wherever that is.
        start: Where it starts; moved inside the limits.
        ticks: Length of each course.
        seed: Seed of the random walk.

    Raises:
        SolverError: If Pinker is not installed, no frame takes part, or the inputs name what the
            robot does not have.
        RobotError: If Pinker cannot read the robot.
    """
    pink, pinker = pink_library(), pinker_library()
    quiet_exit_warnings()
    if not inputs.targets:
        raise SolverError("no tool frame is switched on", field=robot.description.name)
    q = robot.q_from_positions(start.positions, start.transform_base_to_world)
    stack = TaskStack(robot, q)
    q = stack.bounds.clamp(q)
    stack.configuration.update(q)
    stack.update(inputs)
    if stack.held.outside is not None:
        held = stack.held.outside
        raise SolverError(
            "is held outside its limits", field=f"held_joints.{held.name}", value=held.position
        )
    stack.follow_posture()
    stack.entries.prepare(inputs.dt)
    peer = pinker_model(structure, robot.model, stack.bounds.velocity_caps)

    def side(library: Library) -> Side:
        model = robot.model.copy() if library is pink else peer
        return Side(library, model, stack, inputs, q)

    tools = {
        frame: Pose.from_se3(stack.configuration.get_transform_frame_to_world(frame))
        for frame in inputs.targets
    }
    results = tuple(
        _run(course, robot.model, (pink, pinker), side)
        for course in courses(tools, ticks, inputs.dt, seed)
    )
    return ParityResult({**pink.versions, **pinker.versions}, results)


@dataclass(eq=False)
class _Track:
    """Where one side went.

    Attributes:
        places: Configuration and last velocity before each tick, and after the last one.
        failed: Which ticks had no step.
        seconds: Time of each tick.
    """

    places: list[tuple[Vector, Vector]]
    failed: list[bool]
    seconds: list[float]


def _run(
    course: Course,
    model: pinocchio.Model,
    libraries: tuple[Library, Library],
    side: Callable[[Library], Side],
) -> CourseResult:
    pink, pinker = libraries
    sides = {library.name: side(library) for library in libraries}
    fast = side(pink)
    if fast.solve_fast():
        sides["fast"] = fast
    tracks = _drive(sides, course)
    ours, theirs = tracks[pink.name], tracks[pinker.name]
    distances = [
        float(np.abs(pinocchio.difference(model, a, b)).max(initial=0.0))
        for (a, _), (b, _) in zip(ours.places, theirs.places, strict=True)
    ]
    differences, share, condition = _compare_qps(side(pink), side(pinker), course, ours)
    return CourseResult(
        course=course.name,
        differences=differences,
        qp_difference=share,
        q_difference=max(distances),
        q_difference_at_end=distances[-1],
        failed_ticks={library.name: sum(tracks[library.name].failed) for library in libraries},
        failures_agree=ours.failed == theirs.failed,
        step_s={name: statistics.median(track.seconds) for name, track in tracks.items()},
        hessian_condition=condition,
        ticks=len(course.targets),
    )


def _drive(sides: Mapping[str, Side], course: Course) -> dict[str, _Track]:
    """Let every side take its steps, in turns: what else the machine does meets all alike."""
    tracks = {
        name: _Track([(side.configuration.q, side.velocity)], [], [])
        for name, side in sides.items()
    }
    order = list(sides)
    for tick, targets in enumerate(course.targets):
        # To and fro, so that nobody always finds the memory as another left it.
        for name in reversed(order) if tick % 2 else order:
            side = sides[name]
            track, placements = tracks[name], _placements(side, targets)
            # The thread's own time, so that other programs do not count.
            began = time.thread_time()
            side.set_targets(placements)
            took_step = side.step()
            track.seconds.append(time.thread_time() - began)
            track.failed.append(not took_step)
            track.places.append((side.configuration.q, side.velocity))
    return tracks


def _placements(side: Side, targets: Mapping[str, Any]) -> dict[str, Any]:
    return {frame: side.library.placement(pose) for frame, pose in targets.items()}


def _compare_qps(
    pink: Side, pinker: Side, course: Course, track: _Track
) -> tuple[dict[str, float], float, float]:
    """Return the largest differences by part, the largest share, and H's worst condition."""
    differences = dict.fromkeys(_PARTS, 0.0)
    largest = dict.fromkeys(_PARTS, 0.0)
    condition = 1.0
    for targets, (q, velocity) in zip(course.targets, track.places[:-1], strict=True):
        problems = []
        for side in (pink, pinker):
            side.place(q, velocity)
            side.set_targets(_placements(side, targets))
            problems.append(side.build())
        for part, name in _PARTS.items():
            difference, number = _part_difference(*(getattr(qp, name) for qp in problems))
            differences[part] = max(differences[part], difference)
            largest[part] = max(largest[part], number)
        condition = max(condition, _condition(problems[0]))
    return differences, _share(differences, largest, _SCALES), condition


def _part_difference(ours: Vector | None, theirs: Vector | None) -> tuple[float, float]:
    """Return the largest difference of two arrays, and the largest finite number in the first."""
    if ours is None or theirs is None:
        return 0.0 if ours is theirs else math.inf, 0.0
    if ours.shape != theirs.shape:
        return math.inf, 0.0
    with np.errstate(invalid="ignore"):
        gaps = np.abs(ours - theirs)
    # The same infinity, or no number on both sides, is no difference.
    gaps[(ours == theirs) | (np.isnan(ours) & np.isnan(theirs))] = 0.0
    gaps[np.isnan(gaps)] = math.inf
    finite = np.abs(ours[np.isfinite(ours)])
    return float(gaps.max(initial=0.0)), float(finite.max(initial=0.0))


def _share(
    differences: Mapping[str, float],
    largest: Mapping[str, float],
    scales: Sequence[tuple[str, str]],
) -> float:
    shares = [0.0]
    for parts in scales:
        difference = max(differences[part] for part in parts)
        scale = max(largest[part] for part in parts)
        if difference > 0.0:
            shares.append(difference / scale if scale > 0.0 else math.inf)
    return max(shares)


def _condition(problem: qpsolvers.Problem) -> float:
    """Return the condition number of a QP's Hessian, infinite for what is singular or no number."""
    hessian = np.asarray(problem.P)
    if not hessian.size or not np.isfinite(hessian).all():
        return math.inf if hessian.size else 1.0
    try:
        with np.errstate(all="ignore"):
            values = np.linalg.eigvalsh(hessian)
    except np.linalg.LinAlgError:
        return math.inf
    return float(values[-1] / values[0]) if values[0] > 0.0 else math.inf
