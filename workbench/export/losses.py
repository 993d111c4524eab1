"""What an export cannot express, one sentence for each thing.

Only what makes a robot move differently is a loss. What belongs to the page (whether targets glide,
where they are) is not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from workbench.config.checked import CheckedSettings
from workbench.config.tasks_spec import Spec
from workbench.export.subject import ExportSubject
from workbench.model.description import RobotDescription

_SAME_POSITION = 1e-9


def lost_entries(subject: ExportSubject, kept: Collection[Spec] = ()) -> Iterator[str]:
    """Name the enabled tasks, limits and barriers that are not among those kept."""
    settings = subject.settings
    for spec in (*settings.tasks, *settings.limits, *settings.barriers):
        if spec.enabled and not any(spec is other for other in kept):
            what = {"tasks": "task", "limits": "limit", "barriers": "barrier"}[spec.group]
            yield f"{what} {spec.name} ({spec.title.lower()}){_hard(spec)}"


def lost_streaming(subject: ExportSubject) -> Iterator[str]:
    """Name the bounds of streaming commands that are not DimOS's defaults."""
    yield from _changed("streaming", subject.settings.streaming)


def lost_planning(subject: ExportSubject) -> Iterator[str]:
    """Name the settings of the planning mode that are not DimOS's defaults."""
    yield from _changed("planning", subject.settings.planning)


def lost_mode(subject: ExportSubject) -> Iterator[str]:
    """Say that a program takes plain steps where another mode was tuned."""
    if subject.settings.mode != "live":
        yield f"mode {subject.settings.mode}: the program takes the plain steps of the live loop"


def lost_holds(subject: ExportSubject) -> Iterator[str]:
    """Name the joints that were held on the page."""
    for name, position in subject.settings.held_joints.items():
        yield f"joint {name} was held at {_number(position)} {_unit(subject, name)} while tuning"


def lost_caps(subject: ExportSubject) -> Iterator[str]:
    """Name the velocity caps that DimOS, which reads the URDF alone, does not know."""
    caps = subject.settings.velocity_caps
    for name, cap in caps.items():
        yield f"velocity cap of joint {name}: {_number(cap)} {_unit(subject, name)}/s"
    for joint in () if subject.robot is None else subject.robot.joints:
        if joint.velocity_limit_is_default and joint.name not in caps:
            yield (
                f"velocity cap of joint {joint.name}: {_number(joint.velocity_limit)} "
                f"{joint.unit}/s, a default because the URDF gives none"
            )


def lost_model(robot: RobotDescription | None) -> Iterator[str]:
    """Say where DimOS's or Isaac Sim's model of the robot is another one than the workbench's."""
    if robot is None:
        return
    yield from lost_tools(robot)
    yield from lost_positions(robot)
    yield from lost_followers(robot)
    yield from lost_base(robot)


def lost_tools(robot: RobotDescription) -> Iterator[str]:
    """Name the tool frames that the URDF does not have."""
    for tool in robot.defined_tools:
        xyz = ", ".join(_number(value) for value in tool.pose.translation)
        rpy = ", ".join(_number(value) for value in tool.pose.rpy)
        yield (
            f"tool frame {tool.name} is not in the URDF: it is fixed to link {tool.link} "
            f"at xyz [{xyz}] m, rpy [{rpy}] rad"
        )


def lost_positions(robot: RobotDescription) -> Iterator[str]:
    """Name the joints that are held elsewhere than at neutral."""
    for held in robot.held_joints:
        if abs(held.position - held.neutral) > _SAME_POSITION:
            yield (
                f"joint {held.name} is held at {_number(held.position)} (rad or m), "
                f"not at neutral ({_number(held.neutral)})"
            )


def lost_followers(robot: RobotDescription) -> Iterator[str]:
    """Name the mimic joints that follow in the model."""
    for follower in robot.followers:
        if follower.in_model:
            yield f"joint {follower.name} follows {follower.leader}: it is a mimic joint"


def lost_base(robot: RobotDescription) -> Iterator[str]:
    """Say that the base floats."""
    if robot.floating_base:
        yield "the base floats: the model has six more degrees of freedom than joints"


def _changed(group: str, settings: CheckedSettings) -> Iterator[str]:
    defaults = type(settings)()
    for name in type(settings).model_fields:
        if name == "seed":  # DimOS draws its retries from NumPy's own generator
            continue
        found, default = getattr(settings, name), getattr(defaults, name)
        if found != default:
            shown = dict(found) if name.endswith("limits_rad_s") else found
            yield f"{group} setting {name}: {shown} instead of {default or 'none'}"


def _hard(spec: Spec) -> str:
    return ", a hard constraint" if getattr(spec, "hard", False) else ""


def _unit(subject: ExportSubject, joint: str) -> str:
    try:
        return "rad or m" if subject.robot is None else subject.robot.joint(joint).unit
    except KeyError:
        return "rad or m"


def _number(value: float) -> str:
    return f"{round(value, 9) + 0.0:.6g}"
