"""How programs for Pink and for Pinker spell what they need, and how each loads its robot."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.config.profile import ToolFrame
from workbench.export.python_text import call, names, number, text, transform
from workbench.export.task_code import PINK, PINKER, Dialect
from workbench.model.description import RobotDescription
from workbench.model.limits import BASE_VELOCITY_M_S, BASE_VELOCITY_RAD_S

_WIDTH = 84


@dataclass(frozen=True)
class Words:
    """How one of the two libraries spells what the program needs.

    Attributes:
        title: Its name, for people.
        package: Its package.
        kinematics: Name of the module that has the models.
        imports: Import lines.
        dialect: How tasks are spelt.
        lower: Attribute of lower position limits.
        upper: Attribute of upper position limits.
        velocity: Attribute of velocity limits.
        create_data: Method that makes a model's data.
        parent_joint: Attribute of a frame's joint.
        frame_id: Method that finds a frame.
        add_frame: Method that adds a frame.
        joint_id: Method that finds a joint.
        frame_type: Type of a frame that is added.
    """

    title: str
    package: str
    kinematics: str
    imports: tuple[str, ...]
    dialect: Dialect
    lower: str
    upper: str
    velocity: str
    create_data: str
    parent_joint: str
    frame_id: str
    add_frame: str
    joint_id: str
    frame_type: str

    @property
    def is_pinker(self) -> bool:
        """Whether it is Pinker."""
        return self.package == "pinker"


PINK_WORDS = Words(
    "Pink", "pink", "pinocchio",
    (
        "import numpy as np", "import pink", "import pink.limits", "import pink.tasks",
        "import pinocchio",
    ),
    PINK, "lowerPositionLimit", "upperPositionLimit", "upperVelocityLimit", "createData",
    "parentJoint", "getFrameId", "addFrame", "getJointId", "pinocchio.FrameType.OP_FRAME",
)  # fmt: skip
PINKER_WORDS = Words(
    "Pinker", "pinker", "kinematics",
    (
        "import numpy as np", "import pinker", "import pinker.limits", "import pinker.tasks",
        "from pinker import kinematics", "from pinker.kinematics.urdf import build_model_from_xml",
    ),
    PINKER, "lower_position_limit", "upper_position_limit", "velocity_limit", "create_data",
    "parent_joint", "get_frame_id", "add_frame", "get_joint_id", "kinematics.FrameType.OP_FRAME",
)  # fmt: skip


def load_model_code(robot: RobotDescription, words: Words) -> str:
    """Return the function that loads the URDF and brings the limits in force."""
    build = _build_pinker(robot) if words.is_pinker else _build_pink(robot)
    tools = add_tools_code(robot, words)
    base = ""
    if robot.floating_base:
        base = (
            f"    velocity[:3] = {number(BASE_VELOCITY_M_S)}  # m/s\n"
            f"    velocity[3:6] = {number(BASE_VELOCITY_RAD_S)}  # rad/s\n"
        )
    return (
        f"def load_model(urdf: Path) -> {words.kinematics}.Model:\n"
        '    """Return the joints that are solved for, with the limits in force."""\n'
        f"{build}"
        f"    lower = np.array(model.{words.lower})\n"
        f"    upper = np.array(model.{words.upper})\n"
        f"    velocity = np.array(model.{words.velocity})\n"
        f"{base}"
        "    for name, (low, high, speed) in LIMITS.items():\n"
        f"        joint = model.joints[model.{words.joint_id}(name)]\n"
        "        velocity[joint.idx_v] = speed * VELOCITY_SHARE\n"
        "        if joint.nq == 1:\n"
        "            lower[joint.idx_q], upper[joint.idx_q] = low, high\n"
        f"    model.{words.lower} = lower\n"
        f"    model.{words.upper} = upper\n"
        f"    model.{words.velocity} = velocity\n"
        f"{tools}"
        "    return model\n"
    )


def taken_out(robot: RobotDescription, words: Words) -> dict[str, float]:
    """Return the joints that are no part of the program's model, and where they stay, rad or m.

    Mimic joints that Pinocchio cannot carry are among them, and for Pinker, which knows none, all
    mimic joints: they stay where they start.
    """
    positions = {held.name: held.position for held in robot.held_joints}
    for follower in robot.followers:
        if words.is_pinker or not follower.in_model:
            leader = robot.home[follower.leader]
            positions[follower.name] = follower.multiplier * leader + follower.offset
    return positions


def has_namesakes(robot: RobotDescription) -> bool:
    """Tell whether a joint is called like a link or a tool frame, as Pinocchio allows."""
    return bool(_namesakes(robot))


def add_tools_code(robot: RobotDescription, words: Words) -> str:
    """Return the lines that add the tool frames which the URDF does not have to ``model``."""
    return "".join(_tool(tool, words) for tool in robot.defined_tools)


def _namesakes(robot: RobotDescription) -> list[str]:
    """Return the names of joints that a link or a tool frame has as well."""
    frames = {*robot.frames, *(tool.name for tool in robot.defined_tools)}
    joints = (link.joint for link in robot.links if link.joint is not None)
    return [joint for joint in joints if joint in frames]


def _root_joint_name(robot: RobotDescription) -> str:
    """Return a name for the joint of a floating base that the URDF leaves free."""
    taken = {*robot.frames, *(link.joint for link in robot.links)}
    name = "root_joint"
    while name in taken:
        name += "_"
    return name


def _build_pink(robot: RobotDescription) -> str:
    mimics = any(follower.in_model for follower in robot.followers)
    lines = []
    if mimics:
        lines += [
            "root = ElementTree.parse(urdf).getroot()",
            'for joint in root.findall("joint"):',
            '    mimic = joint.find("mimic")',
            '    if mimic is not None and joint.get("name") not in MIMIC_JOINTS:',
            "        joint.remove(mimic)",
            'xml = ElementTree.tostring(root, encoding="unicode")',
        ]
    source = "pinocchio.buildModelFromXML" if mimics else "pinocchio.buildModelFromUrdf"
    arguments = ["xml" if mimics else "str(urdf)"]
    if robot.floating_base:
        arguments.append("pinocchio.JointModelFreeFlyer()")
        if _root_joint_name(robot) != "root_joint":
            arguments.append(text(_root_joint_name(robot)))
    if mimics:
        arguments.append("mimic=True")
    whole = f"model = {source}({', '.join(arguments)})"
    lines.append(whole if len(whole) <= _WIDTH else f"model = {call(source, arguments, 4)}")
    held = taken_out(robot, PINK_WORDS)
    if held:
        lines += [
            "held_q = with_positions(model, pinocchio.neutral(model), HELD)",
            "held_ids = sorted(model.getJointId(name) for name in HELD)",
        ]
        if has_namesakes(robot):
            lines.append("name_links_alone(model)")
        hidden = [name for name in _namesakes(robot) if name in held]
        if hidden:
            lines += [
                f"for name in {names(hidden, 4)}:",
                '    model.names[model.getJointId(name)] += " (joint)"',
            ]
        lines.append("model = pinocchio.buildReducedModel(model, held_ids, held_q)")
    if has_namesakes(robot):
        lines.append("name_links_alone(model)")
    return "".join(f"    {line}\n" for line in lines)


def _build_pinker(robot: RobotDescription) -> str:
    lines = ["root = ElementTree.parse(urdf).getroot()"]
    if taken_out(robot, PINKER_WORDS):
        lines.append("hold_joints(root)")
    base = ", kinematics.JointModelFreeFlyer()" if robot.floating_base else ""
    lines += [
        'xml = ElementTree.tostring(root, encoding="unicode")',
        f"model = build_model_from_xml(xml{base})",
    ]
    if robot.floating_base and _root_joint_name(robot) != "root_joint":
        lines.append(f"model.names[1] = {text(_root_joint_name(robot))}")
    if has_namesakes(robot):
        lines.append("name_links_alone(model)")
    return "".join(f"    {line}\n" for line in lines)


def _tool(tool: ToolFrame, words: Words) -> str:
    placement = transform(words.dialect.transform, tool.pose, 4)
    frame = call(
        f"{words.kinematics}.Frame",
        [
            text(tool.name), f"link.{words.parent_joint}", "link_id",
            "link.placement * tool_to_link", words.frame_type,
        ],
        8,
    )  # fmt: skip
    return (
        f"    link_id = model.{words.frame_id}({text(tool.link)})\n"
        "    link = model.frames[link_id]\n"
        f"    tool_to_link = {placement}\n"
        f"    model.{words.add_frame}(\n        {frame},\n    )\n"
    )
