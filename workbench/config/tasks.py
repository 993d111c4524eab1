"""The entries of the task list: Pink's whole vocabulary, and two kinds that it lacks.

The list adds to what the twelve fields define by themselves (a frame task for every tool, a
posture task), with two exceptions: an entry of kind ``frame`` whose frame is a tool frame takes
the place of that tool's frame task and keeps following its gizmo; an entry of kind ``posture``
takes the place of the posture task.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workbench.config.sections import Section
from workbench.config.tasks_joints import (
    DampingTaskSpec,
    JointCouplingTaskSpec,
    JointLimitTaskSpec,
    JointVelocityTaskSpec,
    LinearHolonomicTaskSpec,
    LowAccelerationTaskSpec,
    PostureTaskSpec,
)
from workbench.config.tasks_space import (
    ClosedChainTaskSpec,
    ComTaskSpec,
    FrameTaskSpec,
    ManipulabilityTaskSpec,
    RelativeFrameTaskSpec,
)
from workbench.config.tasks_spec import (
    TaskSpec,
    checked_list,
    spec_from_mapping,
    spec_to_mapping,
    specs_from_section,
)
from workbench.config.tasks_wheels import WORLD_FRAME, OmniwheelTaskSpec, RollingTaskSpec

__all__ = [
    "TASK_KINDS",
    "WORLD_FRAME",
    "ClosedChainTaskSpec",
    "ComTaskSpec",
    "DampingTaskSpec",
    "FrameTaskSpec",
    "JointCouplingTaskSpec",
    "JointLimitTaskSpec",
    "JointVelocityTaskSpec",
    "LinearHolonomicTaskSpec",
    "LowAccelerationTaskSpec",
    "ManipulabilityTaskSpec",
    "OmniwheelTaskSpec",
    "PostureTaskSpec",
    "RelativeFrameTaskSpec",
    "RollingTaskSpec",
    "TaskSpec",
    "checked_tasks",
    "task_from_mapping",
    "task_to_mapping",
    "tasks_from_section",
]

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
