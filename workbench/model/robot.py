"""A loaded robot: its Pinocchio model, its looks, and the way from joint names to q and back.

Outside this room a joint is a name with one number. Only here is it known that a continuous joint
takes two entries of q (cosine and sine), that a floating base takes seven, and that a mimic joint
takes none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from workbench.errors import RobotError, did_you_mean
from workbench.model.describe import description_of
from workbench.model.description import RobotDescription
from workbench.model.extent import size_m
from workbench.model.joint_plan import JointPlan
from workbench.model.links import build_links
from workbench.model.looks import Looks, load_looks
from workbench.model.picture import LinkPicture
from workbench.model.pinocchio_model import (
    add_tool_frames,
    build_model,
    joint_ids,
    set_limits,
)
from workbench.model.request import RobotRequest
from workbench.model.structure import read_structure
from workbench.poses import Pose, frozen_array

Vector = NDArray[np.float64]
Progress = Callable[[float, str], None]


@dataclass(frozen=True, eq=False)
class Robot:
    """A robot, ready to be solved for and drawn. Everything may be read from any thread.

    Nobody may change ``model`` (Pink sets attributes on it: give it a copy); data of the model is
    made by whoever computes with it.

    Attributes:
        description: The robot in plain values.
        model: The reduced model. Its limits are those in force, all velocity caps positive.
        picture: Places the links.
        idx_q: Where each joint of the description starts in q, shape (n,), read-only.
        idx_v: Where each joint of the description is in v, shape (n,), read-only.
        home_q: The home configuration, base at the world's origin, shape (nq,), read-only.
        velocity_caps: Cap of each tangent coordinate, rad/s or m/s, shape (nv,), read-only.
    """

    description: RobotDescription
    model: pin.Model
    picture: LinkPicture
    idx_q: NDArray[np.int64] = field(init=False)
    idx_v: NDArray[np.int64] = field(init=False)
    home_q: Vector = field(init=False)
    velocity_caps: Vector = field(init=False)
    _is_continuous: NDArray[np.bool_] = field(init=False, repr=False)
    _continuous_q: NDArray[np.int64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Precompute where everything is in q and v."""
        ids = joint_ids(self.model)
        joints = [self.model.joints[ids[name]] for name in self.description.joint_names]
        put = object.__setattr__
        put(self, "idx_q", _frozen_indices([joint.idx_q for joint in joints]))
        put(self, "idx_v", _frozen_indices([joint.idx_v for joint in joints]))
        put(self, "_is_continuous", np.array([joint.nq == 2 for joint in joints], dtype=bool))
        put(self, "_continuous_q", self.idx_q[self._is_continuous])
        put(self, "velocity_caps", frozen_array(self.model.upperVelocityLimit))
        put(self, "home_q", frozen_array(self.q_from_positions(self.description.home)))

    def joint_index(self, name: str) -> int:
        """Return the place of a joint in the description.

        Raises:
            RobotError: If there is no such joint, with the nearest names.
        """
        names = self.description.joint_names
        if name not in names:
            raise RobotError("there is no such joint", field=name,
                             expected=did_you_mean(name, names))  # fmt: skip
        return names.index(name)

    def positions_from_q(self, q: Vector) -> Vector:
        """Return the joint positions in the description's order, rad or m, shape (n,).

        Those of continuous joints lie in (-pi, pi].

        Args:
            q: Configuration, shape (nq,).
        """
        q = np.asarray(q, dtype=np.float64)
        positions = q[self.idx_q]
        if len(self._continuous_q):
            cosine, sine = q[self._continuous_q], q[self._continuous_q + 1]
            positions[self._is_continuous] = np.arctan2(sine, cosine)
        return positions

    def q_from_positions(
        self, positions: Mapping[str, float] | Sequence[float] | Vector, base: Pose | None = None
    ) -> Vector:
        """Return the configuration for joint positions, shape (nq,).

        Args:
            positions: By name, where joints that are not named are at home; or in the
                description's order, shape (n,). In rad or m.
            base: Pose of the root link in the world; identity by default. Without a floating base
                it has no effect.

        Raises:
            RobotError: If a name is not that of a joint.
            ValueError: If the number of positions is wrong.
        """
        if isinstance(positions, Mapping):
            values = np.array([self.description.home[n] for n in self.description.joint_names])
            for name, position in positions.items():
                values[self.joint_index(name)] = position
        else:
            values = np.asarray(positions, dtype=np.float64)
        if values.shape != self.idx_q.shape:
            raise ValueError(f"expected {len(self.idx_q)} positions, got shape {values.shape}")
        q = pin.neutral(self.model)
        q[self.idx_q] = values
        if len(self._continuous_q):
            angles = values[self._is_continuous]
            q[self._continuous_q], q[self._continuous_q + 1] = np.cos(angles), np.sin(angles)
        if base is not None and self.description.floating_base:
            q[:3], q[3:7] = base.translation, base.xyzw
        return q

    def velocities_from_v(self, v: Vector) -> Vector:
        """Return the joint velocities in the description's order, rad/s or m/s, shape (n,)."""
        return np.asarray(v, dtype=np.float64)[self.idx_v]

    def v_from_velocities(self, velocities: Vector) -> Vector:
        """Return the tangent vector, shape (nv,), for joint velocities; the base stands still."""
        v = np.zeros(self.model.nv)
        v[self.idx_v] = velocities
        return v

    def base_pose(self, q: Vector) -> Pose:
        """Return the pose of the root link in the world."""
        if not self.description.floating_base:
            return Pose()
        return Pose.from_xyzw(q[:3], q[3:7])


def load_robot(request: RobotRequest, *, progress: Progress | None = None) -> Robot:
    """Load a robot; nothing of it is kept when that fails.

    Args:
        request: What to load.
        progress: Called now and then with the share done, in [0, 1], and what is being done. An
            exception that it raises ends the loading.

    Raises:
        RobotError: If the robot cannot be loaded, in one sentence.
        UsageError: If there is no such profile, or an option does not fit.
        ConfigError: If the profile cannot be used.
    """
    report = progress or (lambda share, text: None)
    report(0.0, "reading the robot")
    structure = read_structure(request)
    urdf, plan = structure.urdf, structure.plan

    report(0.05, "building the model")
    floating_base = structure.floating_base
    model = build_model(urdf, plan.followers, plan.locked, floating_base=floating_base)
    set_limits(model, plan.limits, floating_base=floating_base)
    add_tool_frames(model, structure.tools)
    looks = load_looks(
        urdf, structure.files, structure.mesh_up_axis,
        lambda part, text: report(0.1 + 0.85 * part, text),
    )  # fmt: skip

    report(0.95, "putting it together")
    held = {joint.name: joint.position for joint in plan.held}
    # Nobody solves for them, but grasps open and close them in the picture.
    fingers = [name for name in structure.gripper_joints if name in held]
    picture = LinkPicture(
        urdf.element, [joint.name for joint in plan.joints], held, plan.followers, fingers
    )
    description = replace(
        description_of(structure),
        links=build_links(urdf.element, plan.moving.union(fingers), floating_base, looks.missing),
        visuals=looks.visuals,
        collisions=looks.collisions,
        remarks=(*structure.remarks, *looks.remarks),
        size_m=_size_at_home(picture, plan, looks),
        # The first inertia is what is fixed to the world.
        mass_kg=float(sum(inertia.mass for inertia in list(model.inertias)[1:])),
    )
    robot = Robot(description, model, picture)
    report(1.0, "ready")
    return robot


def _size_at_home(picture: LinkPicture, plan: JointPlan, looks: Looks) -> float:
    home = np.array([plan.home[joint.name] for joint in plan.joints])
    matrices = picture.world_placements(home)
    poses = {
        name: Pose.from_matrix(matrix)
        for name, matrix in zip(picture.link_names, matrices, strict=True)
    }
    return size_m(poses, looks.visuals or looks.collisions, looks.oversized)


def _frozen_indices(indices: Sequence[int]) -> NDArray[np.int64]:
    array = np.array(indices, dtype=np.int64)
    array.setflags(write=False)
    return array
