"""The tasks, limits and barriers of a stack, made anew with the classes of Pink or of Pinker.

The task stack holds Pink's objects and some of its own that are quicker or do more. Here the
numbers are taken out of them and put into a library's plain classes: both sides of a comparison
come from the same stack, and neither has anything that the library itself does not have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pink
from numpy.typing import NDArray
from pink.barriers import Barrier, BodySphericalBarrier, PositionBarrier
from pink.limits import AccelerationLimit, FloatingBaseVelocityLimit, Limit
from pink.tasks import (
    ComTask,
    DampingTask,
    FrameTask,
    JointCouplingTask,
    JointVelocityTask,
    LinearHolonomicTask,
    LowAccelerationTask,
    ManipulabilityTask,
    OmniwheelTask,
    PostureTask,
    RelativeFrameTask,
    RollingTask,
    Task,
)

from workbench.ik.bounds import JointBounds
from workbench.ik.extra_tasks import HardTask
from workbench.ik.parity_library import Library

Vector = NDArray[np.float64]


def remade_task(task: Task, library: Library, home: Any, ours: pink.Configuration) -> Any:
    """Return a library's own task with the numbers of one of the stack's.

    Args:
        task: A task of a kind that both libraries have, or one of them as a hard task, whose
            step is set by whoever uses it.
        library: The library.
        home: The library's configuration at the start.
        ours: The stack's configuration.
    """
    if isinstance(task, HardTask):
        inner = remade_task(task.task, library, home, ours)
        return HardTask(task.name, inner, task.rows, task.speeds)
    if isinstance(task, JointVelocityTask):
        made = library.package.tasks.JointVelocityTask(cost=0.0)
        made.set_target(np.array(task.compute_error(ours)), 1.0)
    else:
        kind = next(base for base in type(task).__mro__ if base in _TASKS)
        made = _TASKS[kind](task, library, home)
    made.cost = _copied(task.cost)
    made.gain, made.lm_damping = task.gain, task.lm_damping
    return made


def remade_bounds(bounds: JointBounds, library: Library, model: Any) -> list[Any]:
    """Return a library's own position and velocity limits."""
    limits = library.package.limits
    return [
        limits.ConfigurationLimit(model, bounds.position_gain),
        limits.VelocityLimit(model, np.array(bounds.velocity_caps)),
    ]


def remade_limit(limit: Limit, library: Library, model: Any) -> Any:
    """Return a library's own limit with the numbers of one of the stack's."""
    limits = library.package.limits
    if isinstance(limit, FloatingBaseVelocityLimit):
        return limits.FloatingBaseVelocityLimit(
            model, None, np.array(limit.linear_max), np.array(limit.angular_max)
        )
    assert isinstance(limit, AccelerationLimit)
    accelerations = np.full(model.nv, np.inf)
    accelerations[limit.indices] = limit.a_max
    return limits.AccelerationLimit(model, accelerations)


def remade_barrier(barrier: Barrier, library: Library) -> Any:
    """Return a library's own barrier with the numbers of one of the stack's."""
    barriers = library.package.barriers
    options = {
        "gain": np.array(barrier.gain),
        "safe_displacement_gain": barrier.safe_displacement_gain,
    }
    if isinstance(barrier, PositionBarrier):
        return barriers.PositionBarrier(
            barrier.frame, indices=list(barrier.indices), p_min=_copied(barrier.p_min),
            p_max=_copied(barrier.p_max), **options,
        )  # fmt: skip
    assert isinstance(barrier, BodySphericalBarrier)
    return barriers.BodySphericalBarrier(barrier.frames, barrier.d_min, **options)


def _copied(value: Any) -> Any:
    return np.array(value) if isinstance(value, np.ndarray) else value


def _frame(task: FrameTask, library: Library, home: Any) -> Any:
    made = library.package.tasks.FrameTask(task.frame, 0.0, 0.0)
    if task.transform_target_to_world is not None:
        made.set_target(library.placement(task.transform_target_to_world))
    return made


def _relative_frame(task: RelativeFrameTask, library: Library, home: Any) -> Any:
    made = library.package.tasks.RelativeFrameTask(task.frame, task.root, 0.0, 0.0)
    made.set_target(library.placement(task.transform_target_to_root))
    return made


def _posture(task: PostureTask, library: Library, home: Any) -> Any:
    made = library.package.tasks.PostureTask(cost=0.0)
    made.set_target(home.q if task.target_q is None else task.target_q)
    return made


def _com(task: ComTask, library: Library, home: Any) -> Any:
    made = library.package.tasks.ComTask(cost=0.0)
    assert task.target_com is not None
    made.set_target(np.array(task.target_com))
    return made


def _damping(task: DampingTask, library: Library, home: Any) -> Any:
    return library.package.tasks.DampingTask(cost=0.0)


def _low_acceleration(task: LowAccelerationTask, library: Library, home: Any) -> Any:
    return library.package.tasks.LowAccelerationTask(cost=0.0)


def _manipulability(task: ManipulabilityTask, library: Library, home: Any) -> Any:
    made = library.package.tasks.ManipulabilityTask(
        task.frame,
        home.model,
        reference_frame=getattr(library.kinematics.ReferenceFrame, task.reference_frame.name),
        manipulability_rate=task.manipulability_rate,
    )
    made.mask = _copied(task.mask)
    return made


def _joint_coupling(task: JointCouplingTask, library: Library, home: Any) -> Any:
    return library.package.tasks.JointCouplingTask(
        list(task.joint_names), list(task.ratios), 0.0, home
    )


def _linear_holonomic(task: LinearHolonomicTask, library: Library, home: Any) -> Any:
    return library.package.tasks.LinearHolonomicTask(
        np.array(task.A), np.array(task.b), np.array(task.q_0)
    )


def _wheel(task: RollingTask, library: Library, home: Any) -> Any:
    kind = getattr(library.package.tasks, type(task).__name__)
    return kind(task.hub_frame, task.floor_frame, task.wheel_radius, None)


_TASKS: dict[type[Task], Callable[[Any, Library, Any], Any]] = {
    FrameTask: _frame,
    RelativeFrameTask: _relative_frame,
    PostureTask: _posture,
    ComTask: _com,
    DampingTask: _damping,
    LowAccelerationTask: _low_acceleration,
    ManipulabilityTask: _manipulability,
    JointCouplingTask: _joint_coupling,
    LinearHolonomicTask: _linear_holonomic,
    RollingTask: _wheel,
    OmniwheelTask: _wheel,
}
