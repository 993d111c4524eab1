"""How programs for Pink and for Pinker spell what they need, and how each loads its robot."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.config.profile import ToolFrame
from workbench.export.python_text import call, number, text, transform
from workbench.export.task_code import PINK, PINKER, Dialect
from workbench.model.description import RobotDescription
from workbench.model.limits import BASE_VELOCITY_M_S, BASE_VELOCITY_RAD_S


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
    if robot.floating_base and not words.is_pinker:
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


def has_namesakes(robot: RobotDescription) -> bool:
    """Tell whether a joint is called like a link or a tool frame, as Pinocchio allows."""
    names = {*robot.frames, *(tool.name for tool in robot.defined_tools)}
    return any(link.joint in names for link in robot.links)


def add_tools_code(robot: RobotDescription, words: Words) -> str:
    """Return the lines that add the tool frames which the URDF does not have to ``model``."""
    return "".join(_tool(tool, words) for tool in robot.defined_tools)


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
    if mimics:
        arguments.append("mimic=True")
    lines.append(f"model = {source}({', '.join(arguments)})")
    if robot.held_joints:
        lines += [
            "held_q = with_positions(model, pinocchio.neutral(model), HELD)",
            "held_ids = sorted(model.getJointId(name) for name in HELD)",
            *(["name_links_alone(model, held_ids)"] if has_namesakes(robot) else []),
            "model = pinocchio.buildReducedModel(model, held_ids, held_q)",
        ]
    if has_namesakes(robot):
        lines.append("name_links_alone(model)")
    return "".join(f"    {line}\n" for line in lines)


def _build_pinker(robot: RobotDescription) -> str:
    lines = ["root = ElementTree.parse(urdf).getroot()"]
    if robot.held_joints:
        lines += [
            'for joint in root.findall("joint"):',
            '    if joint.get("name") in HELD:',
            '        joint.set("type", "fixed")',
        ]
    lines += [
        'xml = ElementTree.tostring(root, encoding="unicode")',
        "model = build_model_from_xml(xml)",
    ]
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
