"""Programs that run by themselves: load the robot, track a circle, print the error.

One for Pink and one for Pinker, which is Pink without Pinocchio and spells some names differently.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from workbench.config.limits import ConfigurationLimitSpec, VelocityLimitSpec
from workbench.config.tasks_spec import Spec
from workbench.export.barrier_code import barriers_code, written_barriers
from workbench.export.dimos_config import header_of
from workbench.export.helper_code import (
    HOLD_JOINTS,
    INWARD,
    NAME_LINKS_ALONE,
    PER_JOINT,
    ROTATION_OF,
    SOLVE,
    SPARSE_SOLVERS,
    WITH_POSITIONS,
    helper,
)
from workbench.export.losses import (
    lost_entries,
    lost_followers,
    lost_mode,
)
from workbench.export.pink_model_code import (
    PINK_WORDS,
    PINKER_WORDS,
    Words,
    has_namesakes,
    load_model_code,
    taken_out,
)
from workbench.export.python_text import (
    block,
    call,
    comment,
    fitted,
    mapping,
    names,
    number,
    path,
    text,
)
from workbench.export.stack_plan import PosturePlan, StackPlan, home_of, plan_stack
from workbench.export.subject import QUATERNION_ORDER, ExportSubject, robot_of_program
from workbench.export.task_code import (
    can_write,
    needs_per_joint,
    needs_rotation,
    per_joint_code,
    task_code,
)
from workbench.model.description import Joint, RobotDescription

CIRCLE_RADIUS_M = 0.04
CIRCLE_TICKS = 300

_FAR = 1e4
"""Stands in for the missing one of two limits, which Pink would drop together."""


def pink_losses(subject: ExportSubject) -> tuple[str, ...]:
    """Return what the program for Pink cannot hold."""
    return (*lost_entries(subject, _kept(subject)), *lost_mode(subject))


def pinker_losses(subject: ExportSubject) -> tuple[str, ...]:
    """Return what the program for Pinker cannot hold."""
    followers = lost_followers(robot_of_program(subject))
    return (
        *(f"{line}, which Pinker does not know: it is held where it starts" for line in followers),
        *pink_losses(subject),
    )


def script_notes(subject: ExportSubject) -> tuple[str, ...]:
    """Return what else whoever runs a program has to know."""
    return (
        f"{QUATERNION_ORDER} in this file; Pinocchio's vectors are x, y, z, w",
        f"tuned at {subject.settings.rate_hz:g} Hz: DT is the step of one tick",
    )


def pink_script(subject: ExportSubject) -> str:
    """Return the program for Pink."""
    return _script(subject, PINK_WORDS, pink_losses(subject))


def pinker_script(subject: ExportSubject) -> str:
    """Return the program for Pinker."""
    return _script(subject, PINKER_WORDS, pinker_losses(subject))


def _kept(subject: ExportSubject) -> list[Spec]:
    plan = plan_stack(subject)
    limits = (ConfigurationLimitSpec, VelocityLimitSpec)
    return [
        *plan.tool_specs, *plan.posture_specs, *(spec for spec in plan.extras if can_write(spec)),
        *(spec for spec in subject.settings.limits if isinstance(spec, limits)),
        *written_barriers(subject.settings.barriers),
    ]  # fmt: skip


def _script(subject: ExportSubject, words: Words, losses: tuple[str, ...]) -> str:
    robot, plan = robot_of_program(subject), plan_stack(subject)
    body = "".join(
        f"\n\n{item.strip()}\n"
        for item in (
            *_helpers(subject, plan, robot, words), load_model_code(robot, words),
            _make_tasks(subject, plan, words), _main(subject, plan, words),
        )
    )  # fmt: skip
    standard = ["import json", "import math", "import sys", "from pathlib import Path"]
    if "ElementTree." in body:
        standard.append("from xml.etree import ElementTree")
    parts = [
        f'"""Track a circle with {words.title}, with the stack that was tuned in IK Workbench."""',
        comment(_header(subject, losses)),
        "from __future__ import annotations",
        "\n".join(standard),
        "\n".join(_imports(body, words)),
        _constants(subject, plan, robot, words),
    ]
    ending = '\n\nif __name__ == "__main__":\n    main()\n'
    return "\n\n".join(parts) + "\n" + body + ending


def _imports(body: str, words: Words) -> list[str]:
    """Return the import lines of what is not Python's own."""
    lines = list(words.imports)
    if f"{words.package}.barriers." in body:
        lines.append(f"import {words.package}.barriers")
    if "csc_matrix(" in body:
        lines += ["import qpsolvers", "from scipy.sparse import csc_matrix"]
    return sorted(lines, key=lambda line: (line.startswith("from"), line))


def _header(subject: ExportSubject, losses: tuple[str, ...]) -> Iterator[str]:
    yield from header_of(subject)
    yield from script_notes(subject)
    if losses:
        yield "not in this file:"
        yield from (f"- {line}" for line in losses)
    yield "Another place of the URDF may be named on the command line."


# Constants -----------------------------------------------------------------------------------


def _constants(
    subject: ExportSubject, plan: StackPlan, robot: RobotDescription, words: Words
) -> str:
    settings = subject.settings
    caps = settings.velocity_caps
    limits = {
        joint.name: _limit_row(joint, caps.get(joint.name, joint.velocity_limit))
        for joint in robot.joints
    }
    held = taken_out(robot, words)
    lines = [
        f"URDF = {path(Path(robot.urdf_path))}",
        f"DT = {number(settings.dt)}  # s",
        f"TICKS = {CIRCLE_TICKS}  # once round the circle",
        f"RADIUS = {number(CIRCLE_RADIUS_M)}  # m",
        f"SOLVER = {text(settings.kinematics.solver)}",
        f"DAMPING = {number(settings.kinematics.damping)}",
        f"SAFETY_BREAK = {settings.kinematics.safety_break}",
        f"POSITION_LIMIT_GAIN = {number(plan.position_limit_gain)}",
        f"VELOCITY_SHARE = {number(plan.velocity_share)}",
        f"TOOL_FRAMES = {names(subject.tool_frames)}",
        "# Lower and upper position limit, rad or m, and velocity limit of each joint.",
        f"LIMITS = {mapping(limits)}",
        "# Where the robot starts, rad or m.",
        f"HOME = {mapping({name: home_of(subject)[name] for name in robot.joint_names})}",
    ]
    if held:
        lines += [
            "# Joints that are taken out of the model, and where they stay, rad or m.",
            f"HELD = {mapping(held)}",
        ]
    if settings.held_joints:
        lines.append(f"KEPT_STILL = {names(settings.held_joints)}")
    followers = [follower.name for follower in robot.followers if follower.in_model]
    if followers and not words.is_pinker:
        lines.append(f"MIMIC_JOINTS = {names(followers)}")
    for index, posture in enumerate(plan.postures):
        if posture.target is not None:
            lines.append(f"POSTURE_{index} = {mapping(dict(posture.target))}")
    return "\n".join(lines)


def _limit_row(joint: Joint, velocity: float) -> list[float]:
    lower, upper = joint.lower, joint.upper
    if lower is None and upper is None:
        return [-float("inf"), float("inf"), velocity]
    return [-_FAR if lower is None else lower, _FAR if upper is None else upper, velocity]


# Functions -----------------------------------------------------------------------------------


def _helpers(
    subject: ExportSubject, plan: StackPlan, robot: RobotDescription, words: Words
) -> Iterator[str]:
    extras = [spec for spec in plan.extras if can_write(spec)]
    if needs_rotation(extras) or robot.defined_tools:
        yield helper(ROTATION_OF)
    by_joint = any(isinstance(posture.cost, Mapping) for posture in plan.postures)
    if by_joint or needs_per_joint(extras):
        yield helper(PER_JOINT, pinker=words.is_pinker)
    yield helper(WITH_POSITIONS, pinker=words.is_pinker)
    if any(item.margin > 0.0 and item.target is None for item in plan.postures):
        yield helper(INWARD, pinker=words.is_pinker)
    if has_namesakes(robot):
        yield helper(NAME_LINKS_ALONE, pinker=words.is_pinker)
    if words.is_pinker and taken_out(robot, words):
        yield HOLD_JOINTS
    solver = subject.settings.kinematics.solver
    if solver in SPARSE_SOLVERS:
        # OSQP announces at every call that it will raise by default some day, unless told not to.
        yield SOLVE.replace("{options}", ", raise_error=False" if solver == "osqp" else "")


def _make_tasks(subject: ExportSubject, plan: StackPlan, words: Words) -> str:
    config, package = subject.settings.kinematics, words.package
    code = ""
    for frame in plan.frames:
        made = call(
            f"{package}.tasks.FrameTask",
            [
                text(frame.frame), fitted("position_cost=", frame.position_cost, 8),
                fitted("orientation_cost=", frame.orientation_cost, 8),
                f"lm_damping={number(frame.lm_damping)}", f"gain={number(frame.gain)}",
            ],
            4,
        )  # fmt: skip
        code += f"    tasks[{text('frame/' + frame.frame)}] = {made}\n"
    for index, posture in enumerate(plan.postures):
        code += _posture(index, posture, package)
    for spec in plan.extras:
        if can_write(spec):
            code += task_code(spec, config, f"extra/{spec.name}", 4, words.dialect)
    model = "    model = home.model\n" if "model" in code else ""
    return (
        f"def make_tasks(home: {package}.Configuration) -> dict[str, {package}.Task]:\n"
        '    """Return the tasks; targets that are not given are where things are at home."""\n'
        f"{model}    tasks: dict[str, {package}.Task] = {{}}\n{code}    return tasks\n"
    )


def _posture(index: int, posture: PosturePlan, package: str) -> str:
    name = f'tasks["posture/{index}"]'
    made = call(
        f"{package}.tasks.PostureTask",
        ["cost=0.0", f"lm_damping={number(posture.lm_damping)}", f"gain={number(posture.gain)}"],
        4,
    )
    lines = [f"{name} = {made}", f"{name}.cost = {per_joint_code(posture.cost, 4)}"]
    if posture.target is not None:
        lines.append(f"{name}.set_target(with_positions(model, home.q, POSTURE_{index}))")
    return "".join(f"    {line}\n" for line in lines)


def _main(subject: ExportSubject, plan: StackPlan, words: Words) -> str:
    robot, settings, package = robot_of_program(subject), subject.settings, words.package
    kinematics = words.kinematics
    lines = [
        "urdf = Path(sys.argv[1]) if len(sys.argv) > 1 else URDF",
        "model = load_model(urdf)",
        f"q = with_positions(model, {kinematics}.neutral(model), HOME)",
    ]
    if robot.floating_base:
        base = settings.home_base
        lines += [
            "# Where the base is, m, and its quaternion x, y, z, w.",
            f"q[:7] = {block([*base.translation.tolist(), *base.xyzw.tolist()], 4)}",
        ]
    lines += [
        f"configuration = {package}.Configuration(model, model.{words.create_data}(), q)",
        "tasks = make_tasks(configuration)",
        "limits = [",
        f"    {package}.limits.ConfigurationLimit(model, POSITION_LIMIT_GAIN),",
        f"    {package}.limits.VelocityLimit(model),",
        "]",
        "starts = {}",
        "for frame in TOOL_FRAMES:",
        "    starts[frame] = configuration.get_transform_frame_to_world(frame).copy()",
    ]
    if settings.held_joints:
        lines += [
            f"rows = [model.joints[model.{words.joint_id}(n)].idx_v for n in KEPT_STILL]",
            f"still = {package}.tasks.LinearHolonomicTask(",
            "    np.eye(model.nv)[rows],",
            "    np.zeros(len(rows)),",
            "    configuration.q,",
            ")",
        ]
    has_barriers = bool(written_barriers(settings.barriers))
    if has_barriers:
        lines.append(f"barriers = {barriers_code(settings.barriers, package, 4)}")
    present = [i for i, posture in enumerate(plan.postures) if posture.target is None]
    lines += [
        "for tick in range(1, TICKS + 1):",
        "    angle = 2.0 * math.pi * tick / TICKS",
        "    step = RADIUS * np.array([0.0, math.sin(angle), 1.0 - math.cos(angle)])",
        "    for frame, start in starts.items():",
        f"        target = {kinematics}.SE3(start.rotation, start.translation + step)",
        '        tasks[f"frame/{frame}"].set_target(target)',
    ]
    for index in present:
        margin = plan.postures[index].margin
        posture = (
            f"inward(model, configuration.q, {number(margin)})" if margin else "configuration.q"
        )
        lines.append(f'    tasks["posture/{index}"].set_target({posture})')
    arguments = ["configuration", "list(tasks.values())", "DT", "damping=DAMPING", "limits=limits"]
    if has_barriers:
        arguments.append("barriers=barriers")
    if settings.held_joints:
        arguments.append("constraints=[still]")
    if settings.kinematics.solver in SPARSE_SOLVERS:
        lines += [
            "    configuration.check_limits(safety_break=SAFETY_BREAK)",
            f"    problem = {call(f'{package}.build_ik', arguments, 8)}",
            "    velocity = solve(problem) / DT",
        ]
    else:
        arguments += ["solver=SOLVER", "safety_break=SAFETY_BREAK"]
        lines.append(f"    velocity = {call(f'{package}.solve_ik', arguments, 8)}")
    lines += [
        f"    q = {kinematics}.integrate(model, configuration.q, velocity * DT)",
        "    # Solvers meet limits to a tolerance; the rest would add up.",
        f"    q = np.clip(q, model.{words.lower}, model.{words.upper})",
        "    configuration.update(q)",
        "for frame in TOOL_FRAMES:",
        '    error = tasks[f"frame/{frame}"].compute_error(configuration)',
        "    position, orientation = np.linalg.norm(error[:3]), np.linalg.norm(error[3:])",
        '    print(f"{frame}: {position:.3g} m, {orientation:.3g} rad from its target")',
        "ends = {}",
        "for name in HOME:",
        f"    joint = model.joints[model.{words.joint_id}(name)]",
        "    here = configuration.q[joint.idx_q : joint.idx_q + joint.nq]",
        "    ends[name] = float(here[0] if joint.nq == 1 else math.atan2(here[1], here[0]))",
        'print("q:", json.dumps(ends))',
    ]
    code = "".join(f"    {line}\n" for line in lines)
    return f'def main() -> None:\n    """Track the circle once; print where that ends."""\n{code}'
