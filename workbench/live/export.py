"""The exported file: twelve fields, and in comments everything else that an engineer must know.

Every way out (download, HTTP, save) calls :func:`export_text`, so that the same settings give the
same bytes. What the YAML cannot hold is listed, one line each: a consumer that loads the file gets
the twelve fields only, and whoever tuned a joint cap or held a joint has to set that there by hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.config.kinematics_file import ExportHeader, write_kinematics
from workbench.config.settings import Settings
from workbench.live import export_notes
from workbench.live.state import SessionState
from workbench.live.versions import package_versions
from workbench.model.description import Joint, RobotDescription
from workbench.poses import Pose

_SAME_POSITION = 1e-9


def export_text(state: SessionState) -> str:
    """Return the file's text for the settings in force.

    Depends on the state and the installed packages alone: no clock is read.
    """
    description, settings = state.bundle.description, state.settings
    title = description.title
    name = description.name
    header = ExportHeader(
        robot=name if title in ("", name) else f"{name} ({title})",
        urdf_sha256=description.urdf_sha256,
        tool_frames=description.tool_frames,
        rate_hz=settings.rate_hz,
        versions=package_versions(settings.kinematics.solver),
        changed_at=state.config_changed_at,
        not_in_yaml=tuple(_what_the_yaml_cannot_hold(description, settings)),
    )
    return write_kinematics(settings.kinematics, header)


def _what_the_yaml_cannot_hold(description: RobotDescription, settings: Settings) -> Iterator[str]:
    yield from _frames(description, settings)
    yield from _held_in_the_model(description)
    yield from _held_on_the_page(description, settings)
    yield from _velocity_caps(description, settings)
    yield from _followers(description)
    if description.floating_base:
        yield "the base floats: the model has six more degrees of freedom than joints"
    yield from _home(description, settings)
    yield from export_notes.entries(settings)
    yield from export_notes.groups(settings)
    if settings.mode != "live":
        yield f"mode: {settings.mode}"
    if not settings.glide:
        yield "glide off: targets were followed in the steps in which they came"


def _frames(description: RobotDescription, settings: Settings) -> Iterator[str]:
    for tool in description.defined_tools:
        xyz = ", ".join(_number(value) for value in tool.pose.translation)
        rpy = ", ".join(_number(value) for value in tool.pose.rpy)
        yield (
            f"tool frame {tool.name} is not in the URDF: it is fixed to link {tool.link} "
            f"at xyz [{xyz}] m, rpy [{rpy}] rad"
        )
    for frame, target in settings.targets.items():
        if not target.enabled:
            yield f"tool frame {frame} is switched off: it has no task"


def _held_in_the_model(description: RobotDescription) -> Iterator[str]:
    for held in description.held_joints:
        if abs(held.position - held.neutral) > _SAME_POSITION:
            yield (
                f"joint {held.name} is held at {_number(held.position)} (rad or m), "
                f"not at neutral ({_number(held.neutral)}) where DimOS holds it"
            )


def _held_on_the_page(description: RobotDescription, settings: Settings) -> Iterator[str]:
    for name, position in settings.held_joints.items():
        unit = _unit(description, name)
        yield f"joint {name} was held at {_number(position)} {unit} while tuning"


def _velocity_caps(description: RobotDescription, settings: Settings) -> Iterator[str]:
    for joint in description.joints:
        cap = settings.velocity_caps.get(joint.name)
        if cap is not None and cap != joint.velocity_limit:
            yield (
                f"velocity cap of joint {joint.name}: {_number(cap)} {joint.unit}/s, "
                f"in place of {_origin_of_limit(joint)}"
            )
        elif joint.velocity_limit_is_default:
            yield (
                f"velocity cap of joint {joint.name}: {_number(joint.velocity_limit)} "
                f"{joint.unit}/s, a default because the URDF gives none"
            )


def _origin_of_limit(joint: Joint) -> str:
    value = f"{_number(joint.velocity_limit)} {joint.unit}/s"
    return f"the default of {value}" if joint.velocity_limit_is_default else f"the URDF's {value}"


def _followers(description: RobotDescription) -> Iterator[str]:
    for follower in description.followers:
        if follower.in_model:
            yield (
                f"joint {follower.name} follows {follower.leader} in the model; "
                "DimOS solves for it as a joint of its own"
            )


def _home(description: RobotDescription, settings: Settings) -> Iterator[str]:
    if dict(settings.home) != dict(description.home):
        positions = ", ".join(f"{name} {_number(at)}" for name, at in settings.home.items())
        yield f"home set on the page (rad or m): {positions}"
    if settings.home_base != Pose():
        place = ", ".join(_number(value) for value in settings.home_base.translation)
        turn = ", ".join(_number(value) for value in settings.home_base.wxyz)
        yield f"home of the floating base: position [{place}] m, wxyz [{turn}]"


def _unit(description: RobotDescription, name: str) -> str:
    try:
        return description.joint(name).unit
    except KeyError:
        return "rad or m"


def _number(value: float) -> str:
    """Return a number with as many digits as a person needs to set it again, and no ``-0``."""
    return f"{round(value, 9) + 0.0:.6g}"
