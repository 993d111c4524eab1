"""The entries of the task list: Pink's whole vocabulary, and two kinds that it lacks.

The list adds to what the twelve fields define by themselves (a frame task for every tool, a
posture task), with two exceptions: an entry of kind ``frame`` whose frame is a tool frame takes
the place of that tool's frame task and keeps following its gizmo; an entry of kind ``posture``
takes the place of the posture task.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from workbench.config.fields import FieldSpec
from workbench.config.sections import Section
from workbench.config.tasks_fields import (
    Frame,
    Hard,
    OrientationCost,
    OtherFrame,
    OwnGain,
    OwnLmDamping,
    PerJointCost,
    PlainCost,
    PositionCost,
    SharedGain,
    SharedLmDamping,
    TargetPose,
)
from workbench.config.tasks_spec import (
    Spec,
    checked_list,
    spec_from_mapping,
    spec_to_mapping,
    specs_from_section,
)
from workbench.config.tasks_values import (
    AxisCost,
    AxisNumbersValue,
    ChoiceValue,
    FieldProblem,
    JointNumbers,
    JointNumbersValue,
    NameValue,
    NumberValue,
    Point,
    PointValue,
    PoseValue,
    Relation,
    RelationsValue,
)
from workbench.poses import Pose

WORLD_FRAME = "universe"
"""Pinocchio's name for the world's own frame."""


@dataclass(frozen=True, kw_only=True)
class TaskSpec(Spec):
    """An entry of the task list."""

    @property
    def constrains(self) -> bool:
        """Whether it is a hard constraint."""
        return bool(getattr(self, "hard", False))


@dataclass(frozen=True, kw_only=True)
class FrameTaskSpec(TaskSpec):
    """A frame shall take a pose in the world.

    Attributes:
        frame: The frame. A tool frame's target is its gizmo's.
        position_cost: Weight of the position error, cost/m, in the frame's axes.
        orientation_cost: Weight of the orientation error, cost/rad, in the frame's axes.
        gain: None for the config's.
        lm_damping: None for the config's.
        target: Pose of the target in the world for a frame that is no tool frame; None is where
            the frame is at home.
        hard: Whether it is a constraint.
    """

    kind: ClassVar[str] = "frame"
    title: ClassVar[str] = "Frame"
    summary: ClassVar[str] = "A frame takes a pose in the world; per axis, soft or hard."

    frame: Frame
    position_cost: PositionCost = 1.0
    orientation_cost: OrientationCost = 1.0
    gain: SharedGain = None
    lm_damping: SharedLmDamping = None
    target: TargetPose = None
    hard: Hard = False


@dataclass(frozen=True, kw_only=True)
class RelativeFrameTaskSpec(TaskSpec):
    """A frame shall take a pose in another, moving frame.

    Attributes:
        frame: The frame.
        root: The frame that the target is fixed to.
        position_cost: Weight of the position error, cost/m, in the frame's axes.
        orientation_cost: Weight of the orientation error, cost/rad, in the frame's axes.
        gain: None for the config's.
        lm_damping: None for the config's.
        target: Pose of the target in the root frame; None is what it is at home.
        hard: Whether it is a constraint.
    """

    kind: ClassVar[str] = "relative_frame"
    title: ClassVar[str] = "Relative frame"
    summary: ClassVar[str] = "A frame keeps a pose with respect to another frame that moves."

    frame: Frame
    root: Annotated[
        str,
        FieldSpec(label="root frame", unit="", help="The frame that the target is fixed to."),
        NameValue(of="frame"),
    ]
    position_cost: PositionCost = 1.0
    orientation_cost: OrientationCost = 1.0
    gain: SharedGain = None
    lm_damping: SharedLmDamping = None
    target: TargetPose = None
    hard: Hard = False

    def _contradiction(self) -> FieldProblem | None:
        return _same_frame(self.frame, self.root, "root")


@dataclass(frozen=True, kw_only=True)
class PostureTaskSpec(TaskSpec):
    """The joints shall take a posture.

    Attributes:
        cost: Weight of the joints' errors.
        target: ``present`` (DimOS's meaning: the present configuration at every step), ``home``,
            or positions by joint name, rad or m; joints that are not named are at home.
        margin: The target keeps this far away from the joint limits, rad or m.
        gain: Share of the error that one step removes.
        lm_damping: LM damping.
    """

    kind: ClassVar[str] = "posture"
    title: ClassVar[str] = "Posture"
    summary: ClassVar[str] = "The joints take a posture, each with its own weight."

    cost: PerJointCost = 1e-3
    target: Annotated[
        str | JointNumbers,
        FieldSpec(
            label="target",
            unit="rad or m",
            help="Posture to take. The present one, as DimOS means it, weighs motion alone; only "
            "that one can be exported.",
        ),
        JointNumbersValue(
            words=(
                ("present", "the present configuration at every step, as DimOS does it"),
                ("home", "the home posture"),
            )
        ),
    ] = "present"
    margin: Annotated[
        float,
        FieldSpec(
            label="inward margin",
            unit="rad or m",
            help="Keeps the posture's target this far away from the joint limits.",
            minimum=0.0,
            slider=(0.0, 0.5),
        ),
        NumberValue(),
    ] = 0.0
    gain: OwnGain = 1.0
    lm_damping: OwnLmDamping = 0.0


@dataclass(frozen=True, kw_only=True)
class ComTaskSpec(TaskSpec):
    """The centre of mass shall be at a point of the world.

    Attributes:
        cost: Weight of its error, cost/m, in the world's axes.
        target: The point, m; None is where the centre of mass is at home.
        gain: None for the config's.
        lm_damping: None for the config's.
        hard: Whether it is a constraint.
    """

    kind: ClassVar[str] = "com"
    title: ClassVar[str] = "Centre of mass"
    summary: ClassVar[str] = "The centre of mass stays at a point, or over one (z cost 0)."

    cost: Annotated[
        AxisCost,
        FieldSpec(
            label="cost",
            unit="cost/m",
            help="Weight of its error; one number, or one for each axis of the world.",
            minimum=0.0,
            scale="logarithmic",
            slider=(1e-3, 1e2),
        ),
        AxisNumbersValue(),
    ] = 1.0
    target: Annotated[
        Point | None,
        FieldSpec(
            label="target",
            unit="m",
            help="Where the centre of mass shall be; empty means where it is at home.",
            minimum=-1000.0,
            maximum=1000.0,
            slider=(-2.0, 2.0),
        ),
        PointValue(optional=True),
    ] = None
    gain: SharedGain = None
    lm_damping: SharedLmDamping = None
    hard: Hard = False


@dataclass(frozen=True, kw_only=True)
class DampingTaskSpec(TaskSpec):
    """Every joint's motion costs something.

    Attributes:
        cost: Weight of the joints' motion.
    """

    kind: ClassVar[str] = "damping"
    title: ClassVar[str] = "Damping"
    summary: ClassVar[str] = "Joint motion costs something: calmer, slower."

    cost: PerJointCost = 0.1


@dataclass(frozen=True, kw_only=True)
class LowAccelerationTaskSpec(TaskSpec):
    """Every joint shall move as it did in the step before.

    Attributes:
        cost: Weight of the change of the joints' motion.
    """

    kind: ClassVar[str] = "low_acceleration"
    title: ClassVar[str] = "Low acceleration"
    summary: ClassVar[str] = "Joints keep the velocity of the step before: smoother."

    cost: PerJointCost = 0.1


@dataclass(frozen=True, kw_only=True)
class ManipulabilityTaskSpec(TaskSpec):
    """A frame shall stay away from singular postures.

    Attributes:
        frame: The frame.
        axes: Motions of the frame that count.
        rate: Growth of the manipulability that one step aims at.
        cost: Weight.
        reference: Whose axes the motions are named in.
        gain: Share of the rate.
        lm_damping: LM damping.
    """

    kind: ClassVar[str] = "manipulability"
    title: ClassVar[str] = "Manipulability"
    summary: ClassVar[str] = "The arm keeps away from singular postures."

    frame: Frame
    axes: Annotated[
        str,
        FieldSpec(label="motions", unit="", help="Motions of the frame that shall stay possible."),
        ChoiceValue(
            choices=(
                ("all", "all six: needs six joints or more"),
                ("position", "the three translations"),
                ("orientation", "the three rotations"),
                ("planar_xy", "translations along x and y"),
            )
        ),
    ] = "all"
    rate: Annotated[
        float,
        FieldSpec(
            label="rate",
            unit="per step",
            help="Growth of the manipulability that one step aims at.",
            minimum=0.0,
            scale="logarithmic",
            slider=(1e-4, 1.0),
        ),
        NumberValue(),
    ] = 0.1
    cost: PlainCost = 0.1
    reference: Annotated[
        str,
        FieldSpec(label="axes of", unit="", help="Whose axes the motions are named in."),
        ChoiceValue(choices=(("local", "the frame"), ("world", "the world"))),
    ] = "local"
    gain: OwnGain = 1.0
    lm_damping: OwnLmDamping = 0.0


@dataclass(frozen=True, kw_only=True)
class JointVelocityTaskSpec(TaskSpec):
    """The joints shall move at given velocities.

    Attributes:
        velocities: Velocity by joint name, rad/s or m/s; joints that are not named stand still.
        cost: Weight of the joints' errors.
    """

    kind: ClassVar[str] = "joint_velocity"
    title: ClassVar[str] = "Joint velocity"
    summary: ClassVar[str] = "Joints move at given velocities."

    velocities: Annotated[
        JointNumbers,
        FieldSpec(
            label="velocities",
            unit="rad/s or m/s",
            help="Velocity of each joint; joints that are not named shall stand still.",
            slider=(-2.0, 2.0),
        ),
        JointNumbersValue(minimum_count=1),
    ]
    cost: PerJointCost = 0.1


@dataclass(frozen=True, kw_only=True)
class JointCouplingTaskSpec(TaskSpec):
    """The weighted sum of some joints' positions shall be zero.

    Attributes:
        ratios: Weight by joint name.
        cost: Weight of the sum.
        gain: Share of the error that one step removes.
        lm_damping: LM damping.
        hard: Whether it is a constraint.
    """

    kind: ClassVar[str] = "joint_coupling"
    title: ClassVar[str] = "Joint coupling"
    summary: ClassVar[str] = "Joints move in a fixed ratio: the weighted sum stays zero."

    ratios: Annotated[
        JointNumbers,
        FieldSpec(
            label="ratios",
            unit="1",
            help="Weights whose sum with the joints' positions shall be zero: {a: 1, b: -2} "
            "makes a twice b.",
            slider=(-5.0, 5.0),
        ),
        JointNumbersValue(minimum_count=2),
    ]
    cost: PlainCost = 1.0
    gain: OwnGain = 1.0
    lm_damping: OwnLmDamping = 0.0
    hard: Hard = False

    def _contradiction(self) -> FieldProblem | None:
        if any(self.ratios.values()):
            return None
        return FieldProblem(
            "are all zero", "ratios", expected="at least one number that is not zero"
        )


@dataclass(frozen=True, kw_only=True)
class LinearHolonomicTaskSpec(TaskSpec):
    """Linear equations between the joints' positions shall hold.

    Attributes:
        equations: The equations.
        cost: Weight of their errors.
        gain: Share of the error that one step removes.
        lm_damping: LM damping.
        hard: Whether they are constraints.
    """

    kind: ClassVar[str] = "linear_holonomic"
    title: ClassVar[str] = "Linear equations"
    summary: ClassVar[str] = "Weighted sums of joint positions keep given values."

    equations: Annotated[
        tuple[Relation, ...],
        FieldSpec(
            label="equations", unit="rad or m", help="Weighted sums of joint positions, and values."
        ),
        RelationsValue(),
    ]
    cost: PlainCost = 1.0
    gain: OwnGain = 1.0
    lm_damping: OwnLmDamping = 0.0
    hard: Hard = False


_HUB = FieldSpec(label="hub frame", unit="", help="A frame at the hub, which turns with the wheel.")
_FLOOR = FieldSpec(
    label="floor frame",
    unit="",
    help=f"The frame whose xy plane is the floor; {WORLD_FRAME} is the world.",
)
_RADIUS = FieldSpec(
    label="wheel radius",
    unit="m",
    help="Distance from the hub to the rim.",
    minimum=0.0,
    minimum_excluded=True,
    maximum=100.0,
    slider=(0.01, 1.0),
)
_ROLLING_COST = FieldSpec(
    label="cost",
    unit="cost/m",
    help="Weight of slipping along x and y and of leaving the floor along z; the floor's axes.",
    minimum=0.0,
    scale="logarithmic",
    slider=(1e-3, 1e2),
)


@dataclass(frozen=True, kw_only=True)
class RollingTaskSpec(TaskSpec):
    """A wheel shall roll on the floor without slipping.

    Attributes:
        hub_frame: A frame at the hub, which turns with the wheel.
        wheel_radius_m: Distance from the hub to the rim.
        floor_frame: The frame whose xy plane is the floor.
        cost: Weight of slipping and of leaving the floor, cost/m.
        gain: Share of the distance from the floor that one step removes.
        lm_damping: LM damping.
        hard: Whether it is a constraint.
    """

    kind: ClassVar[str] = "rolling"
    title: ClassVar[str] = "Rolling wheel"
    summary: ClassVar[str] = "A wheel rolls on the floor without slipping."

    hub_frame: Annotated[str, _HUB, NameValue(of="frame")]
    wheel_radius_m: Annotated[float, _RADIUS, NumberValue()]
    floor_frame: Annotated[str, _FLOOR, NameValue(of="frame")] = WORLD_FRAME
    cost: Annotated[AxisCost, _ROLLING_COST, AxisNumbersValue()] = 1.0
    gain: OwnGain = 1.0
    lm_damping: OwnLmDamping = 0.0
    hard: Hard = False


@dataclass(frozen=True, kw_only=True)
class OmniwheelTaskSpec(TaskSpec):
    """An omniwheel shall roll on the floor; it may slip sideways.

    Attributes:
        hub_frame: A frame at the hub, which turns with the wheel.
        wheel_radius_m: Distance from the hub to the rim.
        floor_frame: The frame whose xy plane is the floor; the wheel rolls along its x axis.
        cost: Weight of slipping along x and of leaving the floor, cost/m.
        gain: Share of the distance from the floor that one step removes.
        lm_damping: LM damping.
        hard: Whether it is a constraint.
    """

    kind: ClassVar[str] = "omniwheel"
    title: ClassVar[str] = "Omniwheel"
    summary: ClassVar[str] = "A wheel rolls along the floor's x axis and may slip along y."

    hub_frame: Annotated[str, _HUB, NameValue(of="frame")]
    wheel_radius_m: Annotated[float, _RADIUS, NumberValue()]
    floor_frame: Annotated[str, _FLOOR, NameValue(of="frame")] = WORLD_FRAME
    cost: Annotated[
        float | tuple[float, float], _ROLLING_COST, AxisNumbersValue(axes=("x", "z"))
    ] = 1.0
    gain: OwnGain = 1.0
    lm_damping: OwnLmDamping = 0.0
    hard: Hard = False


@dataclass(frozen=True, kw_only=True)
class JointLimitTaskSpec(TaskSpec):
    """A soft joint limit: a joint beyond its limit, moved inward by a margin, is pushed back.

    Attributes:
        cost: Weight of the joints' errors.
        margin: How far inward the limits are moved, rad or m.
        gain: Share of the error that one step removes.
        lm_damping: LM damping.
    """

    kind: ClassVar[str] = "joint_limit"
    title: ClassVar[str] = "Soft joint limit"
    summary: ClassVar[str] = "Joints that come close to a limit are pushed back; no effect inside."

    cost: PerJointCost = 1.0
    margin: Annotated[
        float,
        FieldSpec(
            label="margin",
            unit="rad or m",
            help="The push begins this far inside each joint limit.",
            minimum=0.0,
            slider=(0.0, 0.5),
        ),
        NumberValue(),
    ] = 0.1
    gain: OwnGain = 1.0
    lm_damping: OwnLmDamping = 0.0


@dataclass(frozen=True, kw_only=True)
class ClosedChainTaskSpec(TaskSpec):
    """Two frames of the robot shall be held together, which closes a kinematic loop.

    Attributes:
        frame: The first frame.
        other_frame: The second frame.
        holds: ``point`` holds the origins together, ``pose`` the orientations as well.
        offset: Where the second frame belongs, in the first one; of a point only its position.
        position_cost: Weight of the distance, cost/m: in the world's axes for a point, in the
            second frame's for a pose.
        orientation_cost: Weight of the angle, cost/rad; without effect on a point.
        gain: None for the config's.
        lm_damping: None for the config's.
        hard: Whether it is a constraint.
    """

    kind: ClassVar[str] = "closed_chain"
    title: ClassVar[str] = "Closed chain"
    summary: ClassVar[str] = "Two frames are held together, at a point or with their orientation."

    frame: Frame
    other_frame: OtherFrame
    holds: Annotated[
        str,
        FieldSpec(label="holds", unit="", help="What is held together."),
        ChoiceValue(
            choices=(("point", "the origins"), ("pose", "the origins and the orientations"))
        ),
    ] = "point"
    offset: Annotated[
        Pose,
        FieldSpec(
            label="offset",
            unit="m",
            help="Where the second frame belongs, in the first one.",
            minimum=-100.0,
            maximum=100.0,
            slider=(-1.0, 1.0),
        ),
        PoseValue(),
    ] = Pose()  # noqa: RUF009  (frozen)
    position_cost: PositionCost = 1.0
    orientation_cost: OrientationCost = 1.0
    gain: SharedGain = None
    lm_damping: SharedLmDamping = None
    hard: Hard = True

    def _contradiction(self) -> FieldProblem | None:
        return _same_frame(self.frame, self.other_frame, "other_frame")


TASK_KINDS: dict[str, type[TaskSpec]] = {
    kind.kind: kind
    for kind in (
        FrameTaskSpec,
        RelativeFrameTaskSpec,
        PostureTaskSpec,
        ComTaskSpec,
        DampingTaskSpec,
        LowAccelerationTaskSpec,
        ManipulabilityTaskSpec,
        JointVelocityTaskSpec,
        JointCouplingTaskSpec,
        LinearHolonomicTaskSpec,
        OmniwheelTaskSpec,
        RollingTaskSpec,
        JointLimitTaskSpec,
        ClosedChainTaskSpec,
    )
}
"""Every kind of task by its name in files, in the order of the page's chooser."""


def task_from_mapping(section: Section) -> TaskSpec:
    """Read a task; raises ConfigError with path, line, key, value and what would be right."""
    return spec_from_mapping(section, TASK_KINDS)


def task_to_mapping(spec: TaskSpec) -> dict[str, Any]:
    """Return a task as plain values for a file."""
    return spec_to_mapping(spec)


def tasks_from_section(section: Section, key: str = "tasks") -> tuple[TaskSpec, ...]:
    """Read a list of tasks; absent means none. Raises ConfigError."""
    return specs_from_section(section, key, TASK_KINDS)


def checked_tasks(specs: Iterable[object]) -> tuple[TaskSpec, ...]:
    """Return tasks as a tuple; raises ConfigError for a name that is given twice."""
    return checked_list(specs, TaskSpec, "tasks")


def _same_frame(first: str, second: str, field: str) -> FieldProblem | None:
    if first != second:
        return None
    return FieldProblem("is the same frame", field, value=second, expected="another frame")
