"""Tasks on the joints themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from workbench.config.fields import FieldSpec
from workbench.config.tasks_fields import (
    Hard,
    OwnGain,
    OwnLmDamping,
    PerJointCost,
    PlainCost,
)
from workbench.config.tasks_spec import TaskSpec
from workbench.config.tasks_values import FieldProblem, NumberValue
from workbench.config.tasks_values_joints import (
    JointNumbers,
    JointNumbersValue,
    Relation,
    RelationsValue,
)


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
