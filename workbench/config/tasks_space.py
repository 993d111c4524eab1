"""Tasks that want frames, or the centre of mass, to be somewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from workbench.config.fields import FieldSpec
from workbench.config.tasks_fields import (
    Frame,
    Hard,
    OrientationCost,
    OtherFrame,
    OwnGain,
    OwnLmDamping,
    PlainCost,
    PositionCost,
    SharedGain,
    SharedLmDamping,
    TargetPose,
)
from workbench.config.tasks_spec import TaskSpec
from workbench.config.tasks_values import ChoiceValue, FieldProblem, NameValue, NumberValue
from workbench.config.tasks_values_space import (
    AxisCost,
    AxisNumbersValue,
    Point,
    PointValue,
    PoseValue,
)
from workbench.poses import Pose


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


def _same_frame(first: str, second: str, field: str) -> FieldProblem | None:
    if first != second:
        return None
    return FieldProblem("is the same frame", field, value=second, expected="another frame")
