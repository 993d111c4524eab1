"""A robot with everything that runs it, swapped whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.planning import PlanningConfig
from workbench.config.robot_pose import RobotPose
from workbench.grasps.glyphs import GlyphShape
from workbench.grasps.gripper import FingerJoint
from workbench.grasps.reach_task import ReachWork
from workbench.ik.health_table import HealthTable
from workbench.ik.plan_types import PlanResult
from workbench.ik.types import ConvergenceResult, Engine, EngineKind, TickInputs
from workbench.model.collision_pairs import PairSelection
from workbench.model.description import RobotDescription, Shape
from workbench.poses import Pose


class Picture(Protocol):
    """Places the picture's links; used by the scene's thread alone."""

    def local_placements(
        self,
        positions: NDArray[np.float64],
        transform_base_to_world: Pose,
        fingers: Mapping[str, float] | None = None,
    ) -> NDArray[np.float64]:
        """Return each link's placement in its parent link.

        Args:
            positions: Joint positions in the description's order, shape (n,).
            transform_base_to_world: Pose of the root link.
            fingers: Where fingers are that nobody solves for, by name, rad or m; those that are
                not named are where they are held.

        Returns:
            One row a link in the description's order: x, y, z in m, then the quaternion w, x, y,
            z; shape (number of links, 7). The root's row is its pose in the world.
        """
        ...


class Hulls(Protocol):
    """Convex hulls of a robot's links, for self-collision barriers; an engine takes them."""

    def selection(self, minimum_distance_m: float) -> PairSelection:
        """Return which pairs of links are kept apart, and which are not and why."""
        ...


class Gripper(Protocol):
    """The part of a robot, or a URDF of its own, that grasps: below one frame all that moves."""

    @property
    def frame(self) -> str:
        """The link that grasps are relative to."""
        ...

    @property
    def fingers(self) -> tuple[FingerJoint, ...]:
        """Its joints."""
        ...

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Its visual shapes."""
        ...

    def link_poses(self, positions: Mapping[str, float]) -> Mapping[str, Pose]:
        """Return where each link is in the frame, with fingers by name, in rad or m."""
        ...

    def glyph_shape(self, positions: Mapping[str, float]) -> GlyphShape:
        """Return lines that stand for it."""
        ...

    def half_openings(self, many_positions: Sequence[Mapping[str, float]]) -> NDArray[np.float64]:
        """Return half the gap between the fingertips for many finger positions, in m."""
        ...


FreeMove = Callable[
    [Mapping[str, float], Mapping[str, float], Callable[[], bool]], Sequence[Mapping[str, float]]
]


@dataclass(frozen=True, eq=False)
class RobotBundle:
    """One loaded robot: complete before anybody sees it, dropped whole when another comes.

    Attributes:
        description: The robot in plain values.
        engine: The live loop's engine; the loop thread alone uses it.
        make_engine: Makes an engine of another kind, at home.
        picture: Places the links; the scene's thread alone uses it.
        tool_poses: Forward kinematics: poses of the tool frames, by name, at joint positions, by
            name. Thread-safe.
        converge: Iterates to convergence from a pose; calls its last argument with
            the iteration count and stops early when that returns False. Thread-safe.
        plan: Plans from a pose to the targets; calls its last argument with attempt and iteration
            and stops early when that returns False. Thread-safe.
        check_health: Drives the robot from a pose with every solver at several rates; calls its
            last argument with runs done and runs in all and stops early when that returns False.
            Thread-safe.
        make_hulls: Makes what self-collision barriers need, reporting progress to its argument.
        frame_poses: Poses in the world of any frames, by name, where the robot is. Thread-safe.
        centre_of_mass: The centre of mass in the world, m, where the robot is. Thread-safe.
        start_reach: Called in a process of its own, where it loads the robot again; returns what
            checks grasps there. None where grasps cannot be checked.
        free_move: Returns the corners of a way between two postures, by joint name, on which no
            links touch; gives up when its last argument returns False. Thread-safe. None where
            nobody can look.
        gripper: Cuts out the gripper at a link; raises a WorkbenchError. None where that is not
            possible.
    """

    description: RobotDescription
    engine: Engine
    make_engine: Callable[[EngineKind], Engine]
    picture: Picture
    tool_poses: Callable[[Mapping[str, float]], Mapping[str, Pose]]
    converge: Callable[[TickInputs, RobotPose, Callable[[int], bool]], ConvergenceResult]
    plan: Callable[[TickInputs, PlanningConfig, RobotPose, Callable[[int, int], bool]], PlanResult]
    check_health: Callable[[TickInputs, RobotPose, Callable[[int, int], bool]], HealthTable]
    make_hulls: Callable[[Callable[[float, str], None]], Hulls]
    frame_poses: Callable[[RobotPose, Sequence[str]], Mapping[str, Pose]]
    centre_of_mass: Callable[[RobotPose], tuple[float, float, float]]
    start_reach: Callable[[], ReachWork] | None = None
    gripper: Callable[[str], Gripper] | None = None
    free_move: FreeMove | None = None

    @property
    def defaults(self) -> PinkKinematicsConfig:
        """The profile's tuned config."""
        return self.description.defaults
