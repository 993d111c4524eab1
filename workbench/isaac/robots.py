"""Loading robots as Isaac Sim's Pink extension loads them: the URDF as it stands.

Unlike :func:`workbench.model.robot.load_robot`, nothing is held, locked or corrected: every joint
that moves is controlled, mimic joints are joints of their own, limits are the file's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from workbench.errors import WorkbenchError, did_you_mean
from workbench.model.packages import FileFinder
from workbench.model.profile_files import profile_names
from workbench.model.request import RobotRequest
from workbench.model.sources import find_source

SUPPORTED_ALIASES = {"franka": "panda"}
"""Isaac Sim's names of robots that have another one here."""

_PACKAGE_URI = re.compile(r"package://([^/\"'<>\s]+)/")


@dataclass
class PinkRobot:
    """A robot for Pink.

    Attributes:
        directory: Folder that holds the URDF.
        model: Its Pinocchio model.
        data: Data of the model.
        controlled_joint_names: Joints that are solved for, in the model's order.
        collision_model: Its collision bodies and the pairs that count; None when not loaded.
        collision_data: Data of the collision model.
        q0: Configuration that fills in for what is not known, shape (nq,); neutral by default.
    """

    directory: Path
    model: pin.Model
    data: pin.Data
    controlled_joint_names: list[str]
    collision_model: pin.GeometryModel | None = None
    collision_data: pin.GeometryData | None = None
    q0: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        """Fill in the neutral configuration."""
        if np.size(self.q0) == 0:
            self.q0 = np.array(pin.neutral(self.model))


def load_pink_robot(
    urdf_path: Path | str,
    package_dirs: list[str] | None = None,
    srdf_path: Path | str | None = None,
    build_collision_model: bool = False,
) -> PinkRobot:
    """Load a robot from a URDF.

    Args:
        urdf_path: The URDF.
        package_dirs: Folders that hold the packages which ``package://`` names, for the collision
            meshes; by default the URDF's own folder. Where a package is not there, it is looked
            for around the URDF, in the ROS paths and in the example-robot-data package.
        srdf_path: SRDF whose disabled pairs of links do not count for self-collision.
        build_collision_model: Whether to load collision bodies; a barrier against self-collision
            needs them.

    Raises:
        FileNotFoundError: If a file does not exist.
        ValueError: If Pinocchio cannot read the URDF, one of its collision meshes, or the SRDF.
    """
    urdf = _existing(Path(urdf_path))
    srdf = None if srdf_path is None else _existing(Path(srdf_path))
    try:
        model = pin.buildModelFromUrdf(str(urdf))
        geometry = _collision_model(model, urdf, package_dirs) if build_collision_model else None
    except (ValueError, RuntimeError) as error:
        raise ValueError(f"{urdf} is refused by Pinocchio: {error}") from error
    if geometry is not None and srdf is not None:
        try:
            pin.removeCollisionPairs(model, geometry, str(srdf))
        except (ValueError, RuntimeError) as error:
            raise ValueError(f"{srdf} is refused by Pinocchio: {error}") from error
    return PinkRobot(
        directory=urdf.parent,
        model=model,
        data=model.createData(),
        controlled_joint_names=_moving_joints(model),
        collision_model=geometry,
        collision_data=None if geometry is None else pin.GeometryData(geometry),
        q0=np.array(pin.neutral(model)),
    )


def load_pink_supported_robot(robot_name: str) -> PinkRobot:
    """Load the URDF of a robot profile; with collision bodies where the profile has an SRDF.

    Args:
        robot_name: Name of a profile, or ``franka`` for the Panda.

    Raises:
        FileNotFoundError: If there is no such profile, or its files are not installed.
        ValueError: If its URDF cannot be used.
    """
    known = (*profile_names(), *SUPPORTED_ALIASES)
    if robot_name not in known:
        raise FileNotFoundError(
            f"there is no supported robot {robot_name!r}; expected "
            f"{did_you_mean(str(robot_name), known)}"
        )
    try:
        source = find_source(RobotRequest(SUPPORTED_ALIASES.get(robot_name, robot_name)))
    except WorkbenchError as error:
        raise FileNotFoundError(f"the robot {robot_name!r} cannot be loaded: {error}") from error
    return load_pink_robot(
        source.file.path, srdf_path=source.srdf, build_collision_model=source.srdf is not None
    )


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    return path


def _moving_joints(model: pin.Model) -> list[str]:
    """Return the joints that have a place in q: mimic joints of Pinocchio have none."""
    return [
        name
        for name, joint in list(zip(model.names, model.joints, strict=True))[1:]
        if joint.nq > 0
    ]


def _collision_model(
    model: pin.Model, urdf: Path, package_dirs: list[str] | None
) -> pin.GeometryModel:
    folders = [str(urdf.parent)] if package_dirs is None else [str(item) for item in package_dirs]
    finder = FileFinder(urdf, [folder for folder in folders if Path(folder).is_dir()])
    text = urdf.read_text(encoding="utf-8", errors="replace")
    for package in dict.fromkeys(_PACKAGE_URI.findall(text)):
        folders += [str(folder.parent) for folder in finder.package_folders(package)]
    geometry = pin.buildGeomFromUrdf(
        model, str(urdf), pin.GeometryType.COLLISION, package_dirs=list(dict.fromkeys(folders))
    )
    geometry.addAllCollisionPairs()
    return geometry
