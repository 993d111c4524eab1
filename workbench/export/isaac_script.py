"""A program that builds Isaac Sim's ``PinkIKController`` with the tuned values.

It also runs where Isaac Sim is not installed, against the controller of the same shape that the
workbench has.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workbench.config.limits import VelocityLimitSpec
from workbench.config.tasks_spec import Spec
from workbench.export.barrier_code import barriers_code, written_barriers
from workbench.export.dimos_config import header_of
from workbench.export.helper_code import (
    NAME_LINKS_ALONE,
    PER_JOINT,
    ROTATION_OF,
    WITH_POSITIONS,
    helper,
)
from workbench.export.losses import (
    lost_base,
    lost_entries,
    lost_followers,
    lost_holds,
    lost_mode,
    lost_positions,
)
from workbench.export.pink_model_code import PINK_WORDS, add_tools_code, has_namesakes
from workbench.export.python_text import call, comment, fitted, mapping, names, number, path, text
from workbench.export.stack_plan import FramePlan, StackPlan, home_of, plan_stack
from workbench.export.subject import QUATERNION_ORDER, ExportSubject, robot_of_program
from workbench.export.task_code import (
    can_write,
    needs_home,
    needs_per_joint,
    needs_rotation,
    task_code,
)
from workbench.model.description import RobotDescription

_IMPORTS = """
try:
    import isaacsim.robot_motion.experimental.motion_generation as mg
    import warp
    from isaacsim.robot_motion.pink import PinkIKController, PinkRobot, load_pink_robot

    def array(values: object) -> object:
        \"\"\"Return numbers as Isaac Sim takes them.\"\"\"
        return warp.array(np.asarray(values, dtype=np.float32))

except ImportError:
    import workbench.isaac as mg
    from workbench.isaac import PinkIKController, PinkRobot, load_pink_robot

    def array(values: object) -> object:
        \"\"\"Return numbers as the workbench takes them.\"\"\"
        return np.asarray(values, dtype=np.float32)
"""


def isaac_losses(subject: ExportSubject) -> tuple[str, ...]:
    """Return what the controller cannot express."""
    settings, plan = subject.settings, plan_stack(subject)
    kept: list[Spec] = [*plan.tool_specs, *(spec for spec in plan.extras if can_write(spec))]
    kept += [spec for spec in settings.limits if isinstance(spec, VelocityLimitSpec)]
    kept += written_barriers(settings.barriers)
    postures = [posture for posture in plan.postures if not posture.name]
    robot = robot_of_program(subject)
    return (
        *lost_positions(robot),
        *lost_followers(robot),
        *lost_base(robot),
        *lost_holds(subject),
        *lost_entries(subject, kept),
        # The mode "isaac" is this controller.
        *(lost_mode(subject) if settings.mode != "isaac" else ()),
        *(
            f"joint_limit_posture_margin {number(posture.margin)}: the posture is not moved away "
            "from joint limits"
            for posture in postures
            if posture.margin
        ),
        *(
            []
            if settings.kinematics.safety_break
            else ["safety_break off: a configuration outside its limits gets no step"]
        ),
    )


def isaac_notes(subject: ExportSubject) -> tuple[str, ...]:
    """Return what else whoever runs it has to know."""
    lines = [
        f"{QUATERNION_ORDER} in this file and in Isaac Sim",
        f"tuned at {subject.settings.rate_hz:g} Hz: DT has to be the step of the simulation",
        "the controller pulls to the posture at its reset, with the frame task's gain; the "
        "workbench pulls to the present posture, which weighs motion alone",
    ]
    robot = subject.robot
    if robot is not None and robot.held_joints:
        held = ", ".join(joint.name for joint in robot.held_joints)
        lines.append(f"the controller moves all joints, also those held here: {held}")
    return tuple(lines)


def isaac_script(subject: ExportSubject) -> str:
    """Return the program."""
    robot, plan = robot_of_program(subject), plan_stack(subject)
    body = "".join(
        f"\n\n{item.strip()}\n"
        for item in (
            *_helpers(plan, robot), _extra_tasks(subject, plan), _build(subject, plan, robot),
            _main(plan),
        )
        if item
    )  # fmt: skip
    standard = ["import sys", "from pathlib import Path"]
    if "math." in body:
        standard.insert(0, "import math")
    libraries = ["import numpy as np"]
    libraries += ["import pink"] if "pink.Configuration" in body else []
    libraries += ["import pink.barriers"] if "pink.barriers." in body else []
    libraries += ["import pink.tasks"] if "pink.tasks." in body else []
    libraries += ["import pinocchio"]
    parts = [
        '"""Isaac Sim\'s PinkIKController with the values that were tuned in IK Workbench."""',
        comment(_header(subject)),
        "from __future__ import annotations",
        "\n".join(standard),
        "\n".join(libraries),
        _IMPORTS.strip() + "\n",
        _constants(subject, plan, robot),
    ]
    ending = '\n\nif __name__ == "__main__":\n    main()\n'
    return "\n\n".join(parts) + "\n" + body + ending


def _header(subject: ExportSubject) -> Iterator[str]:
    yield from header_of(subject)
    yield from isaac_notes(subject)
    losses = isaac_losses(subject)
    if losses:
        yield "not in this file:"
        yield from (f"- {line}" for line in losses)
    yield "Another place of the URDF may be named on the command line."


def _constants(subject: ExportSubject, plan: StackPlan, robot: RobotDescription) -> str:
    settings = subject.settings
    speeds = {
        joint.name: settings.velocity_caps.get(joint.name, joint.velocity_limit)
        * plan.velocity_share
        for joint in robot.joints
    }
    home = home_of(subject)
    start = {name: home[name] for name in robot.joint_names}
    start.update({held.name: held.position for held in robot.held_joints})
    return "\n".join(
        [
            f"URDF = {path(Path(robot.urdf_path))}",
            f"TOOL_FRAMES = {names(subject.tool_frames)}",
            f"DT = {number(settings.dt)}  # s",
            "# Velocity limit of each joint, rad/s or m/s.",
            f"VELOCITY_LIMITS = {mapping(speeds)}",
            "# Where the robot starts, rad or m.",
            f"HOME = {mapping(start)}",
        ]
    )


def _helpers(plan: StackPlan, robot: RobotDescription) -> Iterator[str]:
    extras = [spec for spec in plan.extras if can_write(spec)]
    if has_namesakes(robot):
        yield helper(NAME_LINKS_ALONE)
    if needs_rotation(extras) or robot.defined_tools:
        yield helper(ROTATION_OF)
    if needs_per_joint(extras):
        yield helper(PER_JOINT)
    if needs_home(extras):
        yield helper(WITH_POSITIONS)


def _frame_call(frame: FramePlan) -> str:
    return call(
        "pink.tasks.FrameTask",
        [
            text(frame.frame), fitted("position_cost=", frame.position_cost, 8),
            fitted("orientation_cost=", frame.orientation_cost, 8),
            f"lm_damping={number(frame.lm_damping)}", f"gain={number(frame.gain)}",
        ],
        4,
    )  # fmt: skip


def _extra_tasks(subject: ExportSubject, plan: StackPlan) -> str:
    """Return the function that builds what the controller does not build itself."""
    others = plan.frames[1:]
    extras = [spec for spec in plan.extras if can_write(spec)]
    if not others and not extras:
        return ""
    code = ""
    if needs_home(extras):
        at_home = call("with_positions", ["model", "pinocchio.neutral(model)", "HOME"], 8)
        code += f"    home = {call('pink.Configuration', ['model', 'robot.data', at_home], 4)}\n"
    for frame in others:
        code += f"    tasks[{text('frame/' + frame.frame)}] = {_frame_call(frame)}\n"
    config = subject.settings.kinematics
    code += "".join(task_code(spec, config, f"extra/{spec.name}", 4) for spec in extras)
    model = "    model = robot.model\n" if "model" in code else ""
    unused = "" if model or "robot" in code else "    del robot\n"
    return (
        "def extra_tasks(robot: PinkRobot) -> dict[str, pink.tasks.Task]:\n"
        '    """Return the tasks on top of the first tool frame\'s and the posture\'s."""\n'
        f"{unused}{model}    tasks: dict[str, pink.tasks.Task] = {{}}\n{code}    return tasks\n"
    )


def _build(subject: ExportSubject, plan: StackPlan, robot: RobotDescription) -> str:
    config, first = subject.settings.kinematics, plan.frames[0]
    posture = next((item for item in plan.postures if not item.name), None)
    cost = 0.0 if posture is None else config.posture_cost
    has_more = bool(plan.frames[1:]) or any(can_write(spec) for spec in plan.extras)
    arguments = [
        "robot", "joint_space", "TOOL_FRAMES", f"tool_frame={text(first.frame)}",
        fitted("position_cost=", first.position_cost, 8),
        fitted("orientation_cost=", first.orientation_cost, 8), f"posture_cost={number(cost)}",
        f"damping={number(config.damping)}", f"gain={number(first.gain)}",
        f"lm_damping={number(first.lm_damping)}", f"solver={text(config.solver)}",
    ]  # fmt: skip
    lines = []
    if has_more:
        lines.append("tasks = extra_tasks(robot)")
        arguments.append("extra_tasks=list(tasks.values())")
    if written_barriers(subject.settings.barriers):
        barriers = barriers_code(subject.settings.barriers, "pink", 8)
        arguments.append(f"extra_barriers={barriers}")
    if plan.frames[1:]:
        lines += [
            "",
            "def aim(configuration: pink.Configuration, setpoint: mg.RobotState | None) -> None:",
            "    for frame in TOOL_FRAMES[1:]:",
            '        task = tasks[f"frame/{frame}"]',
            "        sites = None if setpoint is None else setpoint.sites",
            "        if sites is not None and frame in sites.orientation_names:",
            "            at = sites.position_names.index(frame)",
            "            w, x, y, z = sites.orientations.numpy()[at].astype(float)",
            "            turn = pinocchio.Quaternion(w, x, y, z).normalized().matrix()",
            "            place = sites.positions.numpy()[at].astype(float)",
            "            task.set_target(pinocchio.SE3(turn, place))",
            "        elif task.transform_target_to_world is None:",
            "            task.set_target_from_configuration(configuration)",
            "",
        ]
        arguments.append("pre_step_callback=aim")
    arguments.append("dt=DT")
    lines.append(f"return {call('PinkIKController', arguments, 4)}")
    code = "".join(f"    {line}\n" if line else "\n" for line in lines)
    return (
        "def build_controller(robot: PinkRobot, joint_space: list[str]) -> PinkIKController:\n"
        '    """Return the controller for a robot whose simulated joints are named in order."""\n'
        "    model = robot.model\n"
        "    limits = np.array(model.upperVelocityLimit)\n"
        "    for name, limit in VELOCITY_LIMITS.items():\n"
        "        limits[model.joints[model.getJointId(name)].idx_v] = limit\n"
        "    model.upperVelocityLimit = limits\n"
        f"{_frames_code(robot)}{code}"
    )


def _frames_code(robot: RobotDescription) -> str:
    """Return the lines that give the model the frames which the URDF does not have."""
    code = "    name_links_alone(model)\n" if has_namesakes(robot) else ""
    if not robot.defined_tools:
        return code
    return f"{code}{add_tools_code(robot, PINK_WORDS)}    robot.data = model.createData()\n"


def _main(plan: StackPlan) -> str:
    count = len(plan.frames)
    return f'''
def inside(model: pinocchio.Model, name: str, position: float) -> float:
    """Return a position where the joint's end stops would keep it."""
    joint = model.joints[model.getJointId(name)]
    if joint.nq != 1:
        return position
    lower = model.lowerPositionLimit[joint.idx_q]
    return min(max(position, lower), model.upperPositionLimit[joint.idx_q])


def main() -> None:
    """Move the first tool 5 cm up, as a perfect robot would follow; print the error."""
    robot = load_pink_robot(Path(sys.argv[1]) if len(sys.argv) > 1 else URDF)
    names = robot.controlled_joint_names
    controller = build_controller(robot, names)
    here = array([HOME.get(name, 0.0) for name in names])
    state = mg.RobotState(joints=mg.JointState.from_name(names, (names, here)))
    if not controller.reset(state, None, 0.0):
        raise SystemExit("the state does not name all joints")
    target = controller.get_frame_task().transform_target_to_world.copy()
    x, y, z, w = pinocchio.Quaternion(target.rotation).coeffs()
    target.translation += np.array([0.0, 0.0, 0.05])
    frames = TOOL_FRAMES[:1]
    setpoint = mg.RobotState(
        sites=mg.SpatialState.from_name(
            TOOL_FRAMES,
            (frames, array([target.translation])),
            (frames, array([[w, x, y, z]])),
        ),
    )
    for tick in range(300):
        wanted = controller.forward(state, setpoint, tick * DT)
        if wanted is None:
            raise SystemExit(f"no step at tick {{tick}}")
        pairs = zip(names, wanted.joints.positions.numpy(), strict=True)
        here = array([inside(robot.model, name, float(at)) for name, at in pairs])
        state = mg.RobotState(joints=mg.JointState.from_name(names, (names, here)))
    q = pinocchio.neutral(robot.model)
    for name, position in zip(names, wanted.joints.positions.numpy(), strict=True):
        joint = robot.model.joints[robot.model.getJointId(name)]
        ends = [position] if joint.nq == 1 else [np.cos(position), np.sin(position)]
        q[joint.idx_q : joint.idx_q + joint.nq] = ends
    pinocchio.framesForwardKinematics(robot.model, robot.data, q)
    tool = robot.data.oMf[robot.model.getFrameId(TOOL_FRAMES[0])]
    error = np.linalg.norm(tool.translation - target.translation)
    print(f"{{TOOL_FRAMES[0]}}: {{error:.3g}} m from its target; {count} tool frame(s)")
'''
