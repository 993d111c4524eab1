"""The values that go into a tick and come out of it; no Pink here.

``live/`` drives any object that has :class:`Engine`'s ``tick``: the live task stack, and later the
streaming solver, the planner or the Isaac-shaped controller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.config.frozen import frozen_mapping
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.limits import BarrierSpec, LimitSpec
from workbench.config.robot_pose import RobotPose
from workbench.config.tasks import TaskSpec
from workbench.model.collision_pairs import ClosestPair
from workbench.poses import Pose

SolveCode = Literal[
    "ok", "solver_failed", "infeasible", "target_invalid", "outside_limits", "velocity_exceeded",
    "feedback_invalid",
]  # fmt: skip

EngineKind = Literal["pink", "fast", "streaming", "isaac"]
"""What drives the robot: a live engine by who solves, streaming, or Isaac's controller."""

# One object each, so that inputs without a home of their own compare equal by identity.
_NO_JOINTS: Mapping[str, float] = frozen_mapping()
_AT_ORIGIN = Pose()


@dataclass(frozen=True, eq=False)
class TickInputs:
    """All that one tick depends on besides the engine's own configuration q.

    Attributes:
        config: The twelve settings.
        dt: Step in s.
        targets: Target pose in the world of each enabled tool frame. A target may be None when
            what came in is no pose (NaN): the tick then holds q and says so.
        held_joints: Position (rad or m) at which a joint is held by a hard constraint, by name.
        velocity_caps: Velocity limits that replace the robot's, by joint name.
        tasks: Tasks that add to those of the config, or take their place.
        limits: Limits that add to those of positions and velocities.
        barriers: Barriers.
        home: Joint positions of the home posture, by name, rad or m; joints that are not named are
            at the robot's own home.
        home_base: Pose of the root link there.
    """

    config: PinkKinematicsConfig
    dt: float
    targets: Mapping[str, Pose | None]
    held_joints: Mapping[str, float] = field(default_factory=dict)
    velocity_caps: Mapping[str, float] = field(default_factory=dict)
    tasks: tuple[TaskSpec, ...] = ()
    limits: tuple[LimitSpec, ...] = ()
    barriers: tuple[BarrierSpec, ...] = ()
    home: Mapping[str, float] = field(default_factory=lambda: _NO_JOINTS)
    home_base: Pose = _AT_ORIGIN


@dataclass(frozen=True)
class SolveStatus:
    """How a solve went: data, never an exception.

    Attributes:
        code: ``ok`` or the kind of failure.
        cause: What happened, one sentence for the user; empty when ok.
        remedy: What would help, one sentence; empty when ok.
    """

    code: SolveCode = "ok"
    cause: str = ""
    remedy: str = ""

    @property
    def ok(self) -> bool:
        """Whether a new command came out."""
        return self.code == "ok"


@dataclass(frozen=True, eq=False)
class ToolResult:
    """Where one tool frame is after a tick, and how far from its target.

    Attributes:
        frame: Name of the frame.
        transform_tool_to_world: Its pose.
        transform_target_to_world: Its target; None when disabled or invalid.
        position_error_m: Distance of the origins, None without a target.
        orientation_error_rad: Angle between them in [0, pi], None without a target.
    """

    frame: str
    transform_tool_to_world: Pose
    transform_target_to_world: Pose | None
    position_error_m: float | None
    orientation_error_rad: float | None


@dataclass(frozen=True, eq=False)
class TickResult:
    """The outcome of one tick. On failure q is the last good one and the velocity is zero.

    Attributes:
        status: How the solve went.
        q: Configuration after the tick, shape (nq,), read-only.
        positions: Joint positions in the description's order, rad or m, shape (n,), read-only.
        velocities: Joint velocities in the same order, rad/s or m/s, shape (n,), read-only.
        transform_base_to_world: Pose of the root link (moves with a floating base only).
        tools: One entry for every tool frame, enabled or not.
        solve_time_s: Time that the tick took.
        saturated_velocity: Names of the joints at their velocity limit.
        at_limit: Names of the joints within 2 % of their range of a position limit.
        closest_pair: The two links that are nearest each other, while a self-collision barrier is
            on.
    """

    status: SolveStatus
    q: NDArray[np.float64]
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    transform_base_to_world: Pose
    tools: tuple[ToolResult, ...]
    solve_time_s: float
    saturated_velocity: tuple[str, ...] = ()
    at_limit: tuple[str, ...] = ()
    closest_pair: ClosestPair | None = None


class Engine(Protocol):
    """What the loop drives. Used by one thread at a time."""

    def tick(self, inputs: TickInputs) -> TickResult:
        """Take one step from the engine's present configuration."""
        ...

    def set_positions(
        self, positions: Mapping[str, float], transform_base_to_world: Pose | None = None
    ) -> None:
        """Put joints, by name, at positions in rad or m, clamped into the limits.

        Clears whatever the engine remembers of the past. Unnamed joints stay, and so does a
        floating base for which no pose is given; a fixed base stays in any case.
        """
        ...

    def observe(self, inputs: TickInputs) -> TickResult:
        """Return the present state and errors without moving (paused, or after a failure)."""
        ...


@dataclass(frozen=True)
class ConvergenceResult:
    """Outcome of "solve to convergence".

    Attributes:
        converged: Whether every enabled tool came within the tolerances.
        iterations: Steps taken.
        position_error_m: Largest position error at the end.
        orientation_error_rad: Largest orientation error at the end.
        pose: Joint positions and base at the end.
        status: How the last solve went.
    """

    converged: bool
    iterations: int
    position_error_m: float
    orientation_error_rad: float
    pose: RobotPose
    status: SolveStatus
