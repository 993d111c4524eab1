"""``Settings``: everything on the page that can be undone, as one frozen value.

The session swaps one ``Settings`` for another; the loop reads the newest one once a tick. What is
not undoable (pause, camera, panels, which robot) is not here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from workbench.config.fields import FieldSpec
from workbench.config.frozen import frozen_mapping
from workbench.config.grasp_scene import GraspScene
from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.limits import (
    BarrierSpec,
    LimitSpec,
    checked_barriers,
    checked_limits,
)
from workbench.config.planning import PlanningConfig
from workbench.config.robot_pose import RobotPose
from workbench.config.simulated_arm import SimulatedArmConfig
from workbench.config.streaming import StreamingConfig
from workbench.config.tasks import TaskSpec, checked_tasks
from workbench.errors import ConfigError
from workbench.poses import Pose

Mode = Literal["live", "streaming", "planning", "isaac"]
SolveWith = Literal["pink", "fast"]
"""Who solves a step: Pink's own ``solve_ik``, or our faster way to the same answer."""

FARTHEST_TARGET_M = 1000.0
"""No coordinate of a target may be larger."""


@dataclass(frozen=True)
class ToolTarget:
    """Where one tool frame shall go, and whether it shall go there at all.

    Attributes:
        transform_target_to_world: The target pose.
        enabled: False leaves the frame's task out of the stack and hides its gizmo.
    """

    transform_target_to_world: Pose
    enabled: bool = True

    def __post_init__(self) -> None:
        """Refuse a target so far away that the numbers of a solve lose their meaning.

        Raises:
            ConfigError: With the coordinate and what would be right.
        """
        position = self.transform_target_to_world.translation
        for axis, coordinate in zip("xyz", position.tolist(), strict=True):
            if abs(coordinate) > FARTHEST_TARGET_M:
                raise ConfigError(
                    "is too far away", field=axis, value=coordinate,
                    expected=f"at most {FARTHEST_TARGET_M:g} m from the origin",
                )  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """All that a person can turn and undo.

    Attributes:
        kinematics: The twelve fields that are exported.
        rate_hz: Ticks per second of the loop.
        mode: What drives the robot.
        solve_with: Who solves live ticks: Pink, or the same problem assembled by this program.
        glide: Whether the target glides between the 20 poses a second that a drag sends.
        targets: Target of each tool frame, by frame name, in the robot's order.
        home: Joint positions, by joint name, that "home" goes to; rad or m.
        home_base: Pose of the root link in the world that "home" sends a floating base to.
        held_joints: Joints that are held where they are, by name, with the position in rad or m.
        velocity_caps: Velocity limits that replace the robot's, by joint name, rad/s or m/s.
        named_poses: Poses of the robot that were given a name.
        tasks: Tasks that add to those of the twelve fields, or take their place.
        limits: Limits that add to those of positions and velocities.
        barriers: Barriers.
        streaming: Bounds of the commands of the streaming mode.
        planning: When a plan has arrived, and how often it is tried.
        simulated_arm: What stands between the streaming mode's command and the measured state.
        grasp_scene: Grasps on an object; None as long as none are loaded.
    """

    kinematics: PinkKinematicsConfig = field(default_factory=PinkKinematicsConfig)
    rate_hz: Annotated[
        float,
        FieldSpec(
            unit="Hz",
            help="Ticks per second of the loop, and so the step that it integrates with. Set it "
            "to the rate of the system that will run the tuned values.",
            minimum=10.0,
            maximum=500.0,
            slider=(10.0, 500.0),
        ),
    ] = 100.0
    mode: Mode = "live"
    solve_with: SolveWith = "pink"
    glide: bool = True
    targets: Mapping[str, ToolTarget] = field(default_factory=dict)
    home: Mapping[str, float] = field(default_factory=dict)
    home_base: Pose = field(default_factory=Pose)
    held_joints: Mapping[str, float] = field(default_factory=dict)
    velocity_caps: Mapping[str, float] = field(default_factory=dict)
    named_poses: Mapping[str, RobotPose] = field(default_factory=dict)
    tasks: tuple[TaskSpec, ...] = ()
    limits: tuple[LimitSpec, ...] = ()
    barriers: tuple[BarrierSpec, ...] = ()
    streaming: StreamingConfig = field(default_factory=StreamingConfig)
    planning: PlanningConfig = field(default_factory=PlanningConfig)
    simulated_arm: SimulatedArmConfig = field(default_factory=SimulatedArmConfig)
    grasp_scene: GraspScene | None = None

    def __post_init__(self) -> None:
        """Freeze the mappings and refuse what is out of range.

        Raises:
            ConfigError: With the field, its value and what would be right.
        """
        for name in ("targets", "home", "held_joints", "velocity_caps", "named_poses"):
            object.__setattr__(self, name, frozen_mapping(getattr(self, name)))
        object.__setattr__(self, "tasks", checked_tasks(self.tasks))
        object.__setattr__(self, "limits", checked_limits(self.limits))
        object.__setattr__(self, "barriers", checked_barriers(self.barriers))
        object.__setattr__(self, "rate_hz", checked_number(Settings, "rate_hz", self.rate_hz))
        for name, choices in (("mode", get_args(Mode)), ("solve_with", get_args(SolveWith))):
            if getattr(self, name) not in choices:
                raise ConfigError(
                    "is not a choice", field=name, value=getattr(self, name),
                    expected="one of " + ", ".join(choices),
                )  # fmt: skip
        if not isinstance(self.glide, bool):
            raise ConfigError("is neither true nor false", field="glide", value=self.glide)
        for name in ("home", "held_joints", "velocity_caps"):
            for joint, number in getattr(self, name).items():
                if not _is_finite_number(number):
                    raise ConfigError(
                        "is not a finite number", field=f"{name}.{joint}", value=number
                    )
        for joint, cap in self.velocity_caps.items():
            if cap <= 0:
                raise ConfigError(
                    "is no velocity limit", field=f"velocity_caps.{joint}", value=cap,
                    expected="a number > 0 (hold the joint to keep it still)",
                )  # fmt: skip

    @property
    def dt(self) -> float:
        """Length of a tick in s, which the live loop integrates with."""
        return 1.0 / self.rate_hz

    def with_kinematics(self, **values: object) -> Settings:
        """Return a copy with some of the twelve fields changed; raises ConfigError."""
        return replace(self, kinematics=self.kinematics.with_values(**values))

    @cached_property
    def as_exported(self) -> Settings:
        """A copy without all that an export does not tell.

        Not told are where targets are, poses that were given a name, grasps, entries that are
        switched off, and which of two ways to the same answer is taken.
        """
        return replace(
            self,
            solve_with="pink",
            targets={name: ToolTarget(Pose(), item.enabled) for name, item in self.targets.items()},
            named_poses={},
            grasp_scene=None,
            tasks=tuple(spec for spec in self.tasks if spec.enabled),
            limits=tuple(spec for spec in self.limits if spec.enabled),
            barriers=tuple(spec for spec in self.barriers if spec.enabled),
        )

    def with_target(
        self, frame: str, pose: Pose | None = None, *, enabled: bool | None = None
    ) -> Settings:
        """Return a copy with one frame's target moved, or switched on or off.

        Raises:
            ConfigError: If there is no such frame.
        """
        if frame not in self.targets:
            raise ConfigError("there is no such tool frame", field=frame)
        old = self.targets[frame]
        new = ToolTarget(
            old.transform_target_to_world if pose is None else pose,
            old.enabled if enabled is None else enabled,
        )
        return replace(self, targets={**self.targets, frame: new})


@cache
def settings_spec(model: type[Any], name: str) -> FieldSpec:
    """Return the spec of a field of :class:`Settings`.

    Raises:
        KeyError: If the field has none.
    """
    hint = get_type_hints(model, include_extras=True)[name]
    if get_origin(hint) is Annotated:
        for item in get_args(hint):
            if isinstance(item, FieldSpec):
                return item
    raise KeyError(f"{model.__name__}.{name} has no FieldSpec")


def checked_number(model: type[Any], name: str, value: object) -> float:
    """Return the value as a float inside the field's range.

    Raises:
        ConfigError: With the field, its value and what would be right.
    """
    spec = settings_spec(model, name)
    if not _is_finite_number(value) or not spec.allows(float(value)):  # pyright: ignore[reportArgumentType]
        raise ConfigError("is out of range", field=name, value=value, expected=spec.range_text)
    return float(value)  # pyright: ignore[reportArgumentType]


def _is_finite_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


SETTINGS_FIELDS: tuple[str, ...] = tuple(item.name for item in fields(Settings))
