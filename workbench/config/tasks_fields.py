"""Fields that several kinds of task share: costs, gains, dampings, frames, targets."""

from __future__ import annotations

from typing import Annotated

from workbench.config.fields import FieldSpec
from workbench.config.tasks_values import NameValue, NumberValue, SwitchValue
from workbench.config.tasks_values_joints import JointCost, JointNumbersValue
from workbench.config.tasks_values_space import AxisCost, AxisNumbersValue, PoseValue
from workbench.poses import Pose

_FARTHEST_M = 1000.0

PositionCost = Annotated[
    AxisCost,
    FieldSpec(
        label="position cost",
        unit="cost/m",
        help="Weight of a position error; one number, or one for each axis of the frame.",
        minimum=0.0,
        scale="logarithmic",
        slider=(1e-3, 1e2),
    ),
    AxisNumbersValue(),
]
OrientationCost = Annotated[
    AxisCost,
    FieldSpec(
        label="orientation cost",
        unit="cost/rad",
        help="Weight of an orientation error; one number, or one for each axis of the frame.",
        minimum=0.0,
        scale="logarithmic",
        slider=(1e-3, 1e2),
    ),
    AxisNumbersValue(),
]
_JOINT_COST = FieldSpec(
    label="cost",
    unit="cost/rad or cost/m",
    help="Weight of each joint's error; one number for all, or one for each joint.",
    minimum=0.0,
    scale="logarithmic",
    slider=(1e-6, 1e2),
)
PerJointCost = Annotated[JointCost, _JOINT_COST, JointNumbersValue(scalar=True, complete=True)]
PlainCost = Annotated[
    float,
    FieldSpec(
        label="cost",
        unit="cost",
        help="Weight of this task's error; only ratios between costs matter.",
        minimum=0.0,
        scale="logarithmic",
        slider=(1e-3, 1e2),
    ),
    NumberValue(),
]
SharedGain = Annotated[
    float | None,
    FieldSpec(
        label="gain",
        unit="per step",
        help="Share of the error that one step removes; empty means the gain of the config.",
        minimum=0.0,
        minimum_excluded=True,
        maximum=1.0,
        slider=(0.01, 1.0),
    ),
    NumberValue(optional=True),
]
SharedLmDamping = Annotated[
    float | None,
    FieldSpec(
        label="LM damping",
        unit="1",
        help="Levenberg-Marquardt damping of this task, which grows with its squared error; empty "
        "means that of the config.",
        minimum=0.0,
        scale="logarithmic",
        slider=(1e-8, 1e2),
    ),
    NumberValue(optional=True),
]
OwnGain = Annotated[
    float,
    FieldSpec(
        label="gain",
        unit="per step",
        help="Share of the error that one step removes.",
        minimum=0.0,
        minimum_excluded=True,
        maximum=1.0,
        slider=(0.01, 1.0),
    ),
    NumberValue(),
]
OwnLmDamping = Annotated[
    float,
    FieldSpec(
        label="LM damping",
        unit="1",
        help="Levenberg-Marquardt damping of this task, which grows with its squared error.",
        minimum=0.0,
        scale="logarithmic",
        slider=(1e-8, 1e2),
    ),
    NumberValue(),
]
Hard = Annotated[
    bool,
    FieldSpec(
        label="hard",
        unit="",
        help="A constraint instead of a cost: every step obeys it, on the axes whose cost is not "
        "zero. A large error is removed in steps of at most 0.25 m/s and 0.5 rad/s. Hard tasks "
        "that contradict each other leave no step at all.",
    ),
    SwitchValue(),
]
Frame = Annotated[
    str,
    FieldSpec(label="frame", unit="", help="The frame that is meant: a link or a tool frame."),
    NameValue(of="frame"),
]
OtherFrame = Annotated[
    str, FieldSpec(label="other frame", unit="", help="The second frame."), NameValue(of="frame")
]
_POSE = FieldSpec(
    label="target",
    unit="m",
    help="Where the frame shall be; empty means where it is at home.",
    minimum=-_FARTHEST_M,
    maximum=_FARTHEST_M,
    slider=(-2.0, 2.0),
)
TargetPose = Annotated[Pose | None, _POSE, PoseValue(optional=True)]
