"""The session file (``*.workbench.yaml``): everything that makes a session, to go on from later.

A session file names the robot and how it was read, holds all settings, where the robot is, where
the camera looks from, and the grasps that are worked on. It is written and read whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import yaml

from workbench.config.document import PlainText, plain_scalar
from workbench.config.number_text import yaml_number_text
from workbench.config.profile import MeshUpAxis
from workbench.config.robot_pose import RobotPose
from workbench.config.sections import Section
from workbench.config.settings import Settings
from workbench.config.settings_file import (
    robot_pose_from_section,
    robot_pose_to_mapping,
    settings_from_section,
    settings_to_mapping,
)
from workbench.config.yaml_io import load_yaml
from workbench.errors import ConfigError, UsageError
from workbench.grasps.spec import GraspSpec
from workbench.live.grasp_session import (
    GRASPS_KEY,
    GraspsText,
    SavedGrasps,
    saved_grasps_from_section,
    saved_grasps_to_mapping,
)
from workbench.live.grasping import grasps_of
from workbench.model.request import RobotRequest

FORMAT_KEY = "workbench_session"
FORMAT_VERSION = 1
SUFFIX = ".workbench.yaml"

MAX_BYTES = 60_000_000
"""Size beyond which a session file is refused: a grasp file of 50 MB, and all else."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_GRASPS = "grasps"
_KEYS = (FORMAT_KEY, "robot", "settings", "pose", "camera", _GRASPS)
_ROBOT_KEYS = (
    "source", "example", "package_dirs", "srdf", "tool_frames", "hold", "floating_base",
    "mesh_up_axis", "name", "urdf_sha256",
)  # fmt: skip


@dataclass(frozen=True)
class CameraView:
    """Where a page looks from, in the world, m.

    Attributes:
        position: Where the camera is.
        look_at: The point that it looks at.
        up: What is up on the screen.
    """

    position: tuple[float, float, float]
    look_at: tuple[float, float, float]
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class SessionFile:
    """What a session file holds.

    Attributes:
        request: The robot, and how it was read.
        settings: All settings, without grasps.
        pose: Where the robot was; None for home.
        camera: Where the page looked from; None where nobody looked.
        robot: Name of the robot, for people.
        urdf_sha256: Digest of the URDF that the session was made with; empty for unknown.
        grasps: Grasps, their object, and what was looked at; None for none.
    """

    request: RobotRequest
    settings: Settings = field(default_factory=Settings)
    pose: RobotPose | None = None
    camera: CameraView | None = None
    robot: str = ""
    urdf_sha256: str = ""
    grasps: SavedGrasps | None = None


def write_session(
    session: SessionFile, grasps_text: Callable[[GraspSpec], str] | None = None
) -> str:
    """Return the file's text; the same session gives the same text.

    Args:
        session: What to write.
        grasps_text: Writes the grasps; one that is kept writes the same grasps once only.
    """
    request, saved = session.request, session.grasps
    document: dict[str, Any] = {
        FORMAT_KEY: FORMAT_VERSION,
        "robot": {
            "source": request.source,
            "example": request.example or None,
            "package_dirs": list(request.package_dirs),
            "srdf": request.srdf,
            "tool_frames": list(request.tool_frames),
            "hold": dict(request.hold),
            "floating_base": request.floating_base,
            "mesh_up_axis": request.mesh_up_axis,
            "name": session.robot or None,
            "urdf_sha256": session.urdf_sha256 or None,
        },
        "settings": settings_to_mapping(session.settings),
    }
    if session.pose is not None:
        document["pose"] = robot_pose_to_mapping(session.pose)
    if session.camera is not None:
        document["camera"] = {
            key: list(getattr(session.camera, key)) for key in ("position", "look_at", "up")
        }
    if saved is not None:
        document[_GRASPS] = saved_grasps_to_mapping(saved)
    title = "# IK Workbench session. Units are m and rad, quaternions are w, x, y, z.\n"
    text = title + yaml.dump(
        document, Dumper=_Dumper, sort_keys=False, default_flow_style=None, allow_unicode=False,
        width=100,
    )  # fmt: skip
    if saved is None:
        return text
    # The grasps end the last section, in the layout of their own files.
    grasps_text = GraspsText() if grasps_text is None else grasps_text
    return f"{text}  {GRASPS_KEY}:\n{grasps_text(grasps_of(saved.scene))}"


def read_session(source: Path | str | bytes, *, name: str) -> SessionFile:
    """Read a session.

    Args:
        source: A file's path, or the text itself.
        name: How messages call the file.

    Raises:
        ConfigError: With path, line, key, value and what would be right. Whether the names in it
            exist is known only when its robot is loaded.
    """
    top = Section(load_yaml(source, name=name, max_bytes=MAX_BYTES))
    if FORMAT_KEY not in top:
        raise ConfigError(
            "is no session file", path=name, field=FORMAT_KEY,
            expected=f"{FORMAT_KEY}: {FORMAT_VERSION} at the top",
        )  # fmt: skip
    version = top.mapping[FORMAT_KEY]
    if isinstance(version, bool) or version != FORMAT_VERSION:
        raise top.error(
            "is not a version that this program reads", FORMAT_KEY, value=version,
            expected=str(FORMAT_VERSION),
        )  # fmt: skip
    top.refuse_unknown(_KEYS)
    robot = top.section("robot")
    robot.refuse_unknown(_ROBOT_KEYS)
    return SessionFile(
        request=_request(robot),
        settings=settings_from_section(top.section("settings"))
        if "settings" in top
        else Settings(),
        pose=robot_pose_from_section(top.section("pose")) if "pose" in top else None,
        camera=_camera(top.section("camera")) if "camera" in top else None,
        robot=robot.text("name", robot.text("source")),
        urdf_sha256=robot.optional_text("urdf_sha256") or "",
        grasps=saved_grasps_from_section(top.section(_GRASPS)) if _GRASPS in top else None,
    )


def _request(robot: Section) -> RobotRequest:
    axis = robot.choice("mesh_up_axis", ("y", "z"), "z") if "mesh_up_axis" in robot else None
    try:
        return RobotRequest(
            source=robot.text("source"),
            example=robot.optional_text("example") or "",
            package_dirs=robot.texts("package_dirs"),
            srdf=robot.optional_text("srdf"),
            tool_frames=robot.texts("tool_frames"),
            hold=robot.numbers_by_name("hold"),
            floating_base=robot.switch("floating_base", False),
            mesh_up_axis=cast(MeshUpAxis | None, axis),
        )
    except UsageError as error:
        raise robot.error(
            error.message, "hold", value=error.value, expected=error.expected
        ) from error


def _camera(section: Section) -> CameraView:
    section.refuse_unknown(("position", "look_at", "up"))
    position = section.vector("position", 3)
    look_at = section.vector("look_at", 3)
    if position == look_at:
        raise section.error(
            "is where the camera is", "look_at", value=list(look_at), expected="another point"
        )
    up = section.vector("up", 3, (0.0, 0.0, 1.0))
    if not any(up):
        raise section.error("is no direction", "up", value=list(up), expected="a direction")
    return CameraView(
        cast(tuple[float, float, float], position),
        cast(tuple[float, float, float], look_at),
        cast(tuple[float, float, float], up),
    )


class _Dumper(yaml.SafeDumper):
    """Writes numbers so that YAML 1.1 and 1.2 readers see the same ones, and no aliases."""

    def ignore_aliases(self, data: object) -> bool:
        """Write a value out wherever it stands."""
        return True


def _represent_float(dumper: yaml.SafeDumper, value: float) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:float", yaml_number_text(value))


def _represent_text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    # YAML 1.1 and 1.2 readers agree on quoted text, and on plain words that are no other type.
    is_word = _WORD.fullmatch(value) is not None and isinstance(plain_scalar(value), PlainText)
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=None if is_word else '"')


_Dumper.add_representer(float, _represent_float)
_Dumper.add_representer(str, _represent_text)
