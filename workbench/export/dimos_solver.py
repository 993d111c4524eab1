"""A ``PinkPoseTargetSolver`` for DimOS's streaming tasks, with the parameters that go with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.config.tasks import TaskSpec
from workbench.config.tasks_spec import Spec
from workbench.config.tasks_values_space import AxisCost
from workbench.export.dimos_config import blueprint_fields, header_of
from workbench.export.helper_code import PER_JOINT, ROTATION_OF, WITH_POSITIONS, helper
from workbench.export.losses import (
    lost_caps,
    lost_entries,
    lost_holds,
    lost_model,
    lost_planning,
)
from workbench.export.python_text import (
    block,
    call,
    comment,
    mapping,
    names,
    number,
    text,
    value,
)
from workbench.export.stack_plan import PosturePlan, StackPlan, home_of, plan_stack
from workbench.export.subject import QUATERNION_ORDER, ExportSubject
from workbench.export.task_code import (
    can_write,
    needs_home,
    needs_per_joint,
    needs_rotation,
    per_joint_code,
    task_code,
)

CLASS_NAME = "TunedPinkPoseTargetSolver"


def solver_losses(subject: ExportSubject) -> tuple[str, ...]:
    """Return what a solver class and its parameters cannot hold."""
    plan = plan_stack(subject)
    kept: list[Spec] = [*plan.tool_specs, *plan.posture_specs[:1], *_extras(plan)]
    return (
        *lost_model(subject.robot),
        *lost_holds(subject),
        *lost_caps(subject),
        *lost_entries(subject, kept),
        *lost_planning(subject),
    )


def solver_notes(subject: ExportSubject) -> tuple[str, ...]:
    """Return what else whoever runs it has to know."""
    return (
        f"{QUATERNION_ORDER} in this file; DimOS's messages name x, y, z and w",
        f"tuned at {subject.settings.rate_hz:g} Hz: set the coordinator's rate",
        "joints are named as in the URDF: rename them where the coordinator names them otherwise",
    )


def dimos_solver(subject: ExportSubject) -> str:
    """Return the module's source."""
    plan = plan_stack(subject)
    body = _helpers(plan) + _class(subject, plan)
    standard = ["import math"] if "math." in body else []
    standard += ["from collections.abc import Mapping"] if "Mapping[" in body else []
    libraries = ["import numpy as np"] if "np." in body else []
    libraries += ["import pink"] if "pink." in body else []
    libraries += ["import pinocchio"] if "pinocchio." in body else []
    libraries += [
        "from dimos.control.tasks.pose_target_ik import PinkPoseTargetSolver",
        "from dimos.manipulation.planning.kinematics.config import PinkKinematicsConfig",
    ]
    parts = [
        '"""A Pink solver for DimOS\'s streaming tasks, tuned with IK Workbench."""',
        comment(_header(subject)),
        "from __future__ import annotations",
        "\n".join(standard),
        "\n".join(libraries),
        _constants(subject, plan),
    ]
    return "\n\n".join(part for part in parts if part) + "\n" + body


def _header(subject: ExportSubject) -> Iterator[str]:
    yield f"for DimOS {subject.dimos_version}"
    yield from header_of(subject)
    yield from solver_notes(subject)
    losses = solver_losses(subject)
    if losses:
        yield "not in this file:"
        yield from (f"- {line}" for line in losses)
    yield "Give the class to a streaming task:"
    yield (
        "teleop_ik_task(hardware, robot_model=..., bindings=..., name=..., "
        f"solver_type={CLASS_NAME}, params=PARAMS)"
    )


def _constants(subject: ExportSubject, plan: StackPlan) -> str:
    robot = subject.robot
    lines = []
    if robot is not None:
        lines += [
            f"JOINT_NAMES = {names(robot.joint_names)}",
            f"TARGET_FRAMES = {names(subject.tool_frames)}",
        ]
    fields = [f"{name}={value(item)}" for name, item in _fields(subject, plan).items()]
    lines.append(f"PINK = {call('PinkKinematicsConfig', fields)}")
    streaming = subject.settings.streaming.model_dump()
    params = mapping(streaming).replace("{\n", '{\n    "pink": PINK,\n', 1)
    lines.append(f"PARAMS = {params}")
    if needs_home(_extras(plan)):
        lines.append(f"HOME = {mapping(home_of(subject))}")
    posture = _posture(plan)
    if posture is not None and posture.target is not None:
        lines.append(f"POSTURE = {mapping(dict(posture.target))}")
    return "\n".join(lines)


def _fields(subject: ExportSubject, plan: StackPlan) -> dict[str, object]:
    """Return DimOS's fields, with those of an entry that stands in for the posture task."""
    posture = _posture(plan)
    if posture is None or not posture.name:
        return blueprint_fields(subject)
    costs = posture.cost.values() if isinstance(posture.cost, Mapping) else [posture.cost]
    # DimOS builds the task that the class changes only where the cost is not zero.
    changed = {"posture_cost": max(costs, default=0.0)}
    if posture.target is None:
        changed["joint_limit_posture_margin"] = posture.margin
    kinematics = subject.settings.kinematics.with_values(**changed)
    return blueprint_fields(
        replace(subject, settings=replace(subject.settings, kinematics=kinematics))
    )


def _posture(plan: StackPlan) -> PosturePlan | None:
    """Return the posture task that becomes DimOS's own."""
    return plan.postures[0] if plan.postures else None


def _extras(plan: StackPlan) -> list[TaskSpec]:
    return [spec for spec in plan.extras if can_write(spec)]


def _class(subject: ExportSubject, plan: StackPlan) -> str:
    doc = '    """DimOS\'s streaming solver with the task stack of the workbench."""\n'
    methods = _create_tasks(subject, plan) + _update_posture(plan)
    return f"\n\nclass {CLASS_NAME}(PinkPoseTargetSolver):\n{doc}{methods}"


def _create_tasks(subject: ExportSubject, plan: StackPlan) -> str:
    config, extras, posture = subject.settings.kinematics, _extras(plan), _posture(plan)
    lines = []
    for frame in plan.frames:
        if not frame.differs_from(config):
            continue
        lines += [
            f"task = tasks.get({text('frame/' + frame.frame)})",
            "if task is not None:",
            f"    task.set_position_cost({_cost(frame.position_cost)})",
            f"    task.set_orientation_cost({_cost(frame.orientation_cost)})",
            f"    task.gain = {number(frame.gain)}",
            f"    task.lm_damping = {number(frame.lm_damping)}",
        ]
    if posture is not None and not posture.is_plain:
        lines += [
            'posture = tasks["posture/current"]',
            f"posture.cost = {per_joint_code(posture.cost, 8)}",
            f"posture.gain = {number(posture.gain)}",
            f"posture.lm_damping = {number(posture.lm_damping)}",
        ]
    code = "".join(f"        {line}\n" for line in lines)
    if needs_home(extras):
        at_home = call("with_positions", ["model", "pinocchio.neutral(model)", "HOME"], 12)
        made = call("pink.Configuration", ["model", "model.createData()", at_home], 8)
        code += f"        home = {made}\n"
    code += "".join(task_code(spec, config, f"extra/{spec.name}", 8) for spec in extras)
    if not code:
        return ""
    model = "        model = configuration.model\n" if "model" in code else ""
    return (
        "\n    def _create_tasks(\n"
        "        self,\n"
        "        configuration: pink.Configuration,\n"
        "        target_frames: tuple[str, ...],\n"
        "    ) -> dict[str, pink.Task]:\n"
        '        """Build DimOS\'s tasks, then change and add what was tuned."""\n'
        "        tasks = super()._create_tasks(configuration, target_frames)\n"
        f"{model}{code}        return tasks\n"
    )


def _cost(cost: AxisCost) -> str:
    """Return a cost as the argument of a call that stands 12 columns in."""
    if isinstance(cost, Sequence):
        return f"\n                {block(cost, 16)},\n            "
    return number(cost)


def _update_posture(plan: StackPlan) -> str:
    posture = _posture(plan)
    if posture is None or posture.target is None:
        return ""
    return (
        "\n    def _update_current_posture_target(\n"
        "        self,\n"
        "        tasks: Mapping[str, pink.Task],\n"
        "        configuration: pink.Configuration,\n"
        "    ) -> None:\n"
        '        """Pull to the fixed posture instead of the present one."""\n'
        "        model, q = configuration.model, configuration.q\n"
        '        tasks["posture/current"].set_target(with_positions(model, q, POSTURE))\n'
    )


def _helpers(plan: StackPlan) -> str:
    extras, posture = _extras(plan), _posture(plan)
    found = []
    if needs_rotation(extras):
        found.append(helper(ROTATION_OF))
    if needs_per_joint(extras) or (posture is not None and isinstance(posture.cost, Mapping)):
        found.append(helper(PER_JOINT))
    if needs_home(extras) or (posture is not None and posture.target is not None):
        found.append(helper(WITH_POSITIONS))
    return "".join(f"\n{item}" for item in found)
