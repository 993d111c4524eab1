"""Pink code for the entries of the task list that Pink itself can do.

The lines build ``tasks[NAME] = pink.tasks.X(...)``. They read a name ``model`` and, for targets
that are "where it is at home", a name ``home``: Pink's configuration at the home posture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.tasks import (
    ComTaskSpec,
    DampingTaskSpec,
    FrameTaskSpec,
    LinearHolonomicTaskSpec,
    ManipulabilityTaskSpec,
    OmniwheelTaskSpec,
    RelativeFrameTaskSpec,
    RollingTaskSpec,
    TaskSpec,
)
from workbench.config.tasks_values_joints import JointCost
from workbench.export.python_text import (
    block,
    call,
    fitted,
    mapping,
    number,
    text,
    transform,
)
from workbench.poses import Pose


@dataclass(frozen=True)
class Dialect:
    """How a library spells what the code needs.

    Attributes:
        tasks: Prefix of the tasks' classes.
        transform: A rigid transform from ``rotation_of(wxyz)`` and a position, as a format.
        neutral: Its neutral configuration of ``model``.
        act_inverse: Its product of an inverse and another transform.
    """

    tasks: str = "pink.tasks"
    transform: str = "pinocchio.SE3"
    neutral: str = "pinocchio.neutral(model)"
    act_inverse: str = "actInv"


PINK = Dialect()
PINKER = Dialect("pinker.tasks", "kinematics.SE3", "kinematics.neutral(model)", "act_inv")


def can_write(spec: TaskSpec) -> bool:
    """Whether an entry has code here."""
    in_the_world = isinstance(spec, ManipulabilityTaskSpec) and spec.reference == "world"
    return type(spec) in _WRITERS and not spec.constrains and not in_the_world


def needs_home(specs: Iterable[TaskSpec]) -> bool:
    """Whether one of the entries has a target that is where it is at home."""
    return any(getattr(spec, "target", 0) is None for spec in specs)


def needs_rotation(specs: Iterable[TaskSpec]) -> bool:
    """Whether one of the entries has a pose as its target."""
    return any(isinstance(getattr(spec, "target", None), Pose) for spec in specs)


def needs_per_joint(specs: Iterable[TaskSpec]) -> bool:
    """Whether one of the entries has a number for each joint."""
    return any(
        isinstance(spec, LinearHolonomicTaskSpec) or isinstance(getattr(spec, "cost", 0), Mapping)
        for spec in specs
    )


def task_code(
    spec: TaskSpec, config: PinkKinematicsConfig, key: str, indent: int, dialect: Dialect = PINK
) -> str:
    """Return the lines that build an entry's task.

    Args:
        spec: An entry for which :func:`can_write` holds.
        config: The twelve fields, whose gain and damping an entry may share.
        key: Key of the task in ``tasks``.
        indent: Indentation of the lines.
        dialect: How the library spells it.
    """
    lines = _WRITERS[type(spec)](spec, config, f"tasks[{text(key)}]", dialect, indent)
    margin = " " * indent
    return "".join(f"{margin}{line}\n" for line in lines)


def per_joint_code(cost: JointCost, indent: int) -> str:
    """Return a cost for all joints, or one for each by name, as an expression."""
    if isinstance(cost, Mapping):
        return call("per_joint", ["model", mapping(dict(cost), indent + 4)], indent)
    return number(float(cost))


def _shared(spec: Any, config: PinkKinematicsConfig) -> tuple[str, str]:
    gain = config.gain if spec.gain is None else spec.gain
    damping = config.lm_damping if spec.lm_damping is None else spec.lm_damping
    return f"gain={number(gain)}", f"lm_damping={number(damping)}"


def _frame(
    spec: FrameTaskSpec, config: PinkKinematicsConfig, name: str, dialect: Dialect, indent: int
) -> list[str]:
    made = call(
        f"{dialect.tasks}.FrameTask",
        [
            text(spec.frame), fitted("position_cost=", spec.position_cost, indent + 4),
            fitted("orientation_cost=", spec.orientation_cost, indent + 4), *_shared(spec, config),
        ],
        indent,
    )  # fmt: skip
    if spec.target is None:
        target = f"home.get_transform_frame_to_world({text(spec.frame)})"
        return [f"{name} = {made}", _set(name, [target], indent)]
    return [
        f"{name} = {made}",
        _set(name, [transform(dialect.transform, spec.target, indent + 4)], indent),
    ]


def _relative_frame(
    spec: RelativeFrameTaskSpec, config: PinkKinematicsConfig, name: str, dialect: Dialect,
    indent: int,
) -> list[str]:  # fmt: skip
    made = call(
        f"{dialect.tasks}.RelativeFrameTask",
        [
            text(spec.frame), text(spec.root),
            fitted("position_cost=", spec.position_cost, indent + 4),
            fitted("orientation_cost=", spec.orientation_cost, indent + 4), *_shared(spec, config),
        ],
        indent,
    )  # fmt: skip
    if spec.target is not None:
        return [
            f"{name} = {made}",
            _set(name, [transform(dialect.transform, spec.target, indent + 4)], indent),
        ]
    return [f"{name} = {made}", f"{name}.set_target_from_configuration(home)"]


def _com(
    spec: ComTaskSpec, config: PinkKinematicsConfig, name: str, dialect: Dialect, indent: int
) -> list[str]:
    made = call(
        f"{dialect.tasks}.ComTask",
        [fitted("cost=", spec.cost, indent + 4), *_shared(spec, config)],
        indent,
    )
    if spec.target is None:
        return [f"{name} = {made}", f"{name}.set_target_from_configuration(home)"]
    target = call("np.array", [block(spec.target, indent + 8)], indent + 4)
    return [f"{name} = {made}", _set(name, [target], indent)]


def _damping(
    spec: DampingTaskSpec, config: PinkKinematicsConfig, name: str, dialect: Dialect, indent: int
) -> list[str]:
    made = f"{name} = {dialect.tasks}.DampingTask(cost=0.0)"
    return [made, f"{name}.cost = {per_joint_code(spec.cost, indent)}"]


def _manipulability(
    spec: ManipulabilityTaskSpec, config: PinkKinematicsConfig, name: str, dialect: Dialect,
    indent: int,
) -> list[str]:  # fmt: skip
    arguments = [
        text(spec.frame), "model", f"cost={number(spec.cost)}",
        f"lm_damping={number(spec.lm_damping)}", f"gain={number(spec.gain)}",
        f"manipulability_rate={number(spec.rate)}",
    ]  # fmt: skip
    if spec.axes != "all":
        arguments.append(f"mask={text(spec.axes)}")
    return [f"{name} = {call(f'{dialect.tasks}.ManipulabilityTask', arguments, indent)}"]


def _linear(
    spec: LinearHolonomicTaskSpec, config: PinkKinematicsConfig, name: str, dialect: Dialect,
    indent: int,
) -> list[str]:  # fmt: skip
    inner = " " * (indent + 12)
    rows = "".join(
        f"{inner}{per_joint_code(equation.coefficients, indent + 12)},\n"
        for equation in spec.equations
    )
    values = [equation.value for equation in spec.equations]
    matrix = call("np.array", [f"[\n{rows}{' ' * (indent + 8)}]"], indent + 4)
    made = call(
        f"{dialect.tasks}.LinearHolonomicTask",
        [
            matrix, call("np.array", [block(values, indent + 8)], indent + 4),
            dialect.neutral, f"cost={number(spec.cost)}", f"lm_damping={number(spec.lm_damping)}",
            f"gain={number(spec.gain)}",
        ],
        indent,
    )  # fmt: skip
    return [f"{name} = {made}"]


def _wheel(
    spec: RollingTaskSpec | OmniwheelTaskSpec, config: PinkKinematicsConfig, name: str,
    dialect: Dialect, indent: int,
) -> list[str]:  # fmt: skip
    kind = "RollingTask" if isinstance(spec, RollingTaskSpec) else "OmniwheelTask"
    arguments = [
        text(spec.hub_frame), text(spec.floor_frame), number(spec.wheel_radius_m),
        fitted("", spec.cost, indent + 4), f"gain={number(spec.gain)}",
        f"lm_damping={number(spec.lm_damping)}",
    ]  # fmt: skip
    return [f"{name} = {call(f'{dialect.tasks}.{kind}', arguments, indent)}"]


def _set(name: str, arguments: list[str], indent: int) -> str:
    return call(f"{name}.set_target", arguments, indent)


_WRITERS: dict[type[TaskSpec], Callable[..., list[str]]] = {
    FrameTaskSpec: _frame,
    RelativeFrameTaskSpec: _relative_frame,
    ComTaskSpec: _com,
    DampingTaskSpec: _damping,
    ManipulabilityTaskSpec: _manipulability,
    LinearHolonomicTaskSpec: _linear,
    RollingTaskSpec: _wheel,
    OmniwheelTaskSpec: _wheel,
}
