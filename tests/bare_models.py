"""Every profile's robot without its looks: a model is loaded in a moment, meshes are not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.model.pinocchio_model import (
    add_tool_frames,
    build_model,
    joint_ids,
    set_limits,
    write_position,
)
from workbench.model.request import RobotRequest
from workbench.model.structure import Structure, read_structure
from workbench.resources import resource_folder

PROFILES = tuple(sorted(path.stem for path in resource_folder("robots").glob("*.yaml")))


@dataclass(frozen=True, eq=False)
class BareModel:
    """A robot as the solver knows it."""

    structure: Structure
    model: pinocchio.Model
    frames: tuple[str, ...]
    home_q: np.ndarray

    @property
    def velocity_caps(self) -> np.ndarray:
        return self.model.upperVelocityLimit

    @property
    def config(self) -> PinkKinematicsConfig:
        """The profile's settings."""
        profile = self.structure.source.profile
        assert profile is not None
        return profile.kinematics

    def placements(self, q: np.ndarray) -> dict[str, pinocchio.SE3]:
        """Return where the tool frames are at a configuration."""
        data = self.model.createData()
        pinocchio.framesForwardKinematics(self.model, data, q)
        return {frame: data.oMf[self.model.getFrameId(frame)].copy() for frame in self.frames}


def bare_model(name: str, *, floating_base: bool = False) -> BareModel:
    structure = read_structure(RobotRequest(name, floating_base=floating_base))
    plan, floating = structure.plan, structure.floating_base
    model = build_model(structure.urdf, plan.followers, plan.locked, floating_base=floating)
    set_limits(model, plan.limits, floating_base=floating)
    add_tool_frames(model, structure.tools)
    home_q, ids = pinocchio.neutral(model), joint_ids(model)
    for joint, position in plan.home.items():
        write_position(home_q, model.joints[ids[joint]], position)
    return BareModel(structure, model, tuple(tool.name for tool in structure.tools), home_q)
