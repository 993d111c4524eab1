"""Makes the objects and grasps that come with the workbench.

Run from the top of the repository: ``python -m tests.grasps.make_shipped``. Poses come from simple
rules (where to hold, from where to come, along which line to close); how far the fingers close, and
where the middle between them is, comes from the object's surface between the pads. A grasp that
touches anything on its way is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import cos, pi, radians, sin

import numpy as np
import trimesh
from numpy.typing import ArrayLike

from tests.grasps.panda_hand import (
    OPEN_M,
    PAD_FACE_M,
    TIP_OF_HAND_M,
    PandaHand,
    Target,
    between_the_pads,
)
from workbench.grasps.spec import GraspSpec
from workbench.grasps.writing import grasps_to_text
from workbench.poses import Pose, wxyz_from_rotation
from workbench.resources import resource_folder

_CLEARANCE_M = 0.00005
_RETREAT_M = 0.1


@dataclass(frozen=True)
class Hold:
    """A rule for one grasp.

    Attributes:
        name: Its name.
        at: Where the middle of the pads shall be, in the object frame, m.
        approach: Direction in which the hand comes.
        closing: Direction from the right finger to the left one.
        spare_m: How far the fingers open beyond contact before the grasp.
    """

    name: str
    at: ArrayLike
    approach: ArrayLike
    closing: ArrayLike
    spare_m: float = OPEN_M


# Objects: base on z = 0, in metres ---------------------------------------------------------------


def box() -> trimesh.Trimesh:
    """A carton of 50 x 70 x 120 mm."""
    mesh = trimesh.creation.box(extents=(0.05, 0.07, 0.12))
    mesh.apply_translation((0.0, 0.0, 0.06))
    return mesh


def bottle() -> trimesh.Trimesh:
    """A bottle, 64 mm wide, with a neck of 26 mm."""
    shoulder = [(0.013 + 0.019 * cos(t), 0.14 + 0.03 * sin(t)) for t in np.linspace(0, pi / 2, 7)]
    profile = [(0.0, 0.0), (0.029, 0.0), (0.032, 0.003), *shoulder, (0.013, 0.21), (0.0, 0.21)]
    return trimesh.creation.revolve(profile, sections=48)


def mug() -> trimesh.Trimesh:
    """A mug, 70 mm wide and 90 mm high, with a handle on the side of positive x."""
    profile = [
        (0.0, 0.0), (0.032, 0.0), (0.035, 0.003), (0.035, 0.088), (0.033, 0.09), (0.031, 0.088),
        (0.031, 0.006), (0.0, 0.006),
    ]  # fmt: skip
    body = trimesh.creation.revolve(profile, sections=64)
    arc = [
        (0.04 + 0.025 * cos(t), 0.048 + 0.025 * sin(t)) for t in np.linspace(pi / 2, -pi / 2, 17)
    ]
    path = np.array([(x, 0.0, z) for x, z in [(0.033, 0.073), *arc, (0.033, 0.023)]])
    mesh = trimesh.util.concatenate([body, _tube(path, 0.005)])
    assert isinstance(mesh, trimesh.Trimesh)
    return mesh


def bowl() -> trimesh.Trimesh:
    """A bowl, 140 mm wide and 55 mm high, with a wall of 4 mm."""
    angles = np.linspace(0.0, pi / 2, 13)
    outer = [(0.03 + 0.04 * sin(t), 0.055 - 0.055 * cos(t)) for t in angles]
    inner = [(0.028 + 0.038 * sin(t), 0.055 - 0.051 * cos(t)) for t in angles[::-1]]
    return trimesh.creation.revolve([(0.0, 0.0), *outer, *inner, (0.0, 0.004)], sections=64)


def _tube(path: np.ndarray, radius: float, sides: int = 16) -> trimesh.Trimesh:
    """Return a closed round tube along a path in the x-z plane."""
    tangents = np.gradient(path, axis=0)
    tangents[0], tangents[-1] = (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    across = np.array([0.0, 1.0, 0.0])
    turns = np.linspace(0.0, 2 * pi, sides, endpoint=False)
    rings = [
        point + radius * (np.cos(turns)[:, None] * across + np.sin(turns)[:, None] * up)
        for point, up in zip(path, np.cross(tangents, across), strict=True)
    ]
    vertices = np.concatenate([*rings, path[:1], path[-1:]])
    faces = []
    for ring in range(len(path) - 1):
        for side in range(sides):
            a, b = ring * sides + side, ring * sides + (side + 1) % sides
            faces += [(a, b, b + sides), (a, b + sides, a + sides)]
    first, last = len(vertices) - 2, len(vertices) - 1
    end = (len(path) - 1) * sides
    for side in range(sides):
        following = (side + 1) % sides
        faces += [(first, following, side), (last, end + side, end + following)]
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    mesh.fix_normals()
    return mesh


# Rules -------------------------------------------------------------------------------------------


def _around(degrees: float) -> np.ndarray:
    return np.array([cos(radians(degrees)), sin(radians(degrees)), 0.0])


UP = np.array([0.0, 0.0, 1.0])


def box_holds() -> Iterator[Hold]:
    """From above over both widths, from the four sides, and slanting."""
    for number, degrees in enumerate((0, 180)):
        yield Hold(f"top_narrow_{number}", (0.0, 0.0, 0.103), -UP, _around(degrees))
        yield Hold(f"top_wide_{number}", (0.0, 0.0, 0.103), -UP, _around(degrees + 90))
    yield Hold("top_narrow_left", (0.0, 0.02, 0.103), -UP, _around(0))
    yield Hold("top_narrow_right", (0.0, -0.02, 0.103), -UP, _around(0))
    for degrees, depth in ((0, 0.012), (90, 0.022), (180, 0.012), (270, 0.022)):
        side = _around(degrees)
        for height in (0.05, 0.085):
            name = f"side_{degrees}_at_{height * 1000:.0f}_mm"
            yield Hold(name, side * depth + UP * height, -side, _around(degrees + 90))
        slanting = -(side + UP) / np.sqrt(2.0)
        at = side * (depth - 0.004) + UP * 0.103
        yield Hold(f"slanting_{degrees}", at, slanting, _around(degrees + 90))


def bottle_holds() -> Iterator[Hold]:
    """Around the body at three heights, slanting, and at the neck from above and the side."""
    for degrees, height in zip(range(0, 360, 45), (0.07, 0.1, 0.055, 0.085) * 2, strict=True):
        name = f"body_{degrees}_at_{height * 1000:.0f}_mm"
        yield Hold(name, UP * height, -_around(degrees), _around(degrees + 90))
    for degrees in (0, 90, 180, 270):
        tilt = radians(30)
        approach = -cos(tilt) * _around(degrees) - sin(tilt) * UP
        at = UP * 0.1 + _around(degrees) * 0.016
        yield Hold(f"slanting_{degrees}", at, approach, _around(degrees + 90))
    for degrees in (0, 60, 120, 180):
        yield Hold(f"neck_top_{degrees}", UP * 0.197, -UP, _around(degrees))
    for degrees in (45, 135, 225, 315):
        yield Hold(f"neck_side_{degrees}", UP * 0.193, -_around(degrees), _around(degrees + 90))


def mug_holds() -> Iterator[Hold]:
    """One finger inside the rim, both around the handle, both around the body."""
    for degrees in (60, 90, 135, 180, 225, 270, 300):
        outwards = _around(degrees)
        at = outwards * 0.033 + UP * 0.083
        yield Hold(f"rim_{degrees}", at, -UP, outwards, spare_m=0.008)
    for tilt in (-30, 0, 30):
        approach = -cos(radians(tilt)) * _around(0) - sin(radians(tilt)) * UP
        middle = np.array([0.04, 0.0, 0.048]) - 0.025 * approach
        for flip in (0, 1):
            name = f"handle_{tilt:+d}_{flip}".replace("+", "plus_").replace("-", "minus_")
            yield Hold(name, middle, approach, _around(90 + 180 * flip))
    for degrees in (100, 140, 180, 220, 260):
        side = _around(degrees)
        yield Hold(f"body_{degrees}", UP * 0.045, -side, _around(degrees + 90))


def bowl_holds() -> Iterator[Hold]:
    """One finger inside the rim, straight from above or slanting inwards."""
    for number, degrees in enumerate(range(0, 360, 24)):
        outwards = _around(degrees)
        tilt = radians((0, 10, 20)[number % 3])
        approach = -cos(tilt) * UP - sin(tilt) * outwards
        closing = cos(tilt) * outwards - sin(tilt) * UP
        at = outwards * 0.0675 + UP * 0.049
        yield Hold(f"rim_{degrees}", at, approach, closing, spare_m=0.012)


@dataclass(frozen=True)
class Recipe:
    """How an object and its grasps are made, and where it is in front of a Panda."""

    build: Callable[[], trimesh.Trimesh]
    holds: Callable[[], Iterator[Hold]]
    position: tuple[float, float, float]
    yaw_deg: float = 0.0

    @property
    def pose(self) -> Pose:
        """Of the object in the robot's world."""
        return Pose.from_xyz_rpy(self.position, (0.0, 0.0, radians(self.yaw_deg)))


SHIPPED = {
    "bottle": Recipe(bottle, bottle_holds, (0.6, 0.0, 0.15)),
    "bowl": Recipe(bowl, bowl_holds, (0.45, -0.15, 0.25)),
    "box": Recipe(box, box_holds, (0.55, 0.0, 0.15), 90.0),
    "mug": Recipe(mug, mug_holds, (0.45, -0.15, 0.3), -135.0),
}


# Grasps ------------------------------------------------------------------------------------------


def grasp_pose(hand: PandaHand, target: Target, hold: Hold) -> tuple[Pose, float, float] | None:
    """Return pose of the hand and finger joints closed and open, or None if it does not hold."""
    z = np.asarray(hold.approach, dtype=np.float64)
    y = np.asarray(hold.closing, dtype=np.float64)
    wxyz = wxyz_from_rotation(np.stack([np.cross(y, z), y, z], axis=1))
    at = np.asarray(hold.at, dtype=np.float64) - TIP_OF_HAND_M * z
    window = min(hold.spare_m + 0.01, OPEN_M)
    held = between_the_pads(target, Pose(at, wxyz), window)
    if not len(held.faces):
        return None
    low, high = held.bounds[:, 1]
    # Adding zero makes 0.0 of -0.0.
    pose = Pose(np.round(at + 0.5 * (low + high) * y, 6) + 0.0, np.round(wxyz, 8) + 0.0)
    closed = round(0.5 * (high - low) + PAD_FACE_M + _CLEARANCE_M, 5)
    opened = round(min(closed + hold.spare_m, OPEN_M), 5)
    if closed + 0.0005 > OPEN_M:
        return None
    path = np.linspace(0.0, _RETREAT_M, 21)
    if any(hand.touches(target, _back(pose, distance), opened) for distance in path):
        return None
    if hand.touches(target, pose, closed):
        return None
    return pose, closed, opened


def _back(pose: Pose, distance_m: float) -> Pose:
    return pose @ Pose(np.array([0.0, 0.0, -distance_m]))


def confidence(target: Target, pose: Pose, closed_m: float) -> float:
    """Rate a grasp: near the middle of the object's mass, with fingers that are not wide open."""
    tip = pose.act([0.0, 0.0, TIP_OF_HAND_M])
    offset = float(np.linalg.norm(tip - target.mesh.centroid))
    return round(float(np.clip(1.0 - 4.0 * offset - 4.0 * closed_m, 0.05, 1.0)), 3)


def make(name: str) -> tuple[trimesh.Trimesh, GraspSpec]:
    """Return an object and its grasps."""
    recipe = SHIPPED[name]
    mesh = recipe.build()
    target, hand = Target(mesh), PandaHand()
    spec = GraspSpec(
        {
            "format": "isaac_grasp", "format_version": 1.0,
            "object_frame": name, "gripper_frame": "panda_hand",
            "object_file": f"{name}.obj", "grasps": {},
        }
    ).with_object_pose(recipe.pose)  # fmt: skip
    for hold in recipe.holds():
        found = grasp_pose(hand, target, hold)
        if found is None:
            print(f"{name}: {hold.name} does not hold")
            continue
        pose, closed, opened = found
        spec = spec.with_pose(
            hold.name, pose, confidence=confidence(target, pose, closed),
            cspace_position=_fingers(closed), pregrasp_cspace_position=_fingers(opened),
        )  # fmt: skip
    return mesh, spec


def _fingers(position: float) -> dict[str, float]:
    return {"panda_finger_joint1": position, "panda_finger_joint2": position}


def object_text(name: str, mesh: trimesh.Trimesh) -> str:
    """Return a mesh as a Wavefront file."""
    lines = [f"# {name}, made for IK Workbench; metres", f"o {name}"]
    lines += [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in mesh.vertices]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh.faces]
    return "\n".join(lines).replace("-0.000000", "0.000000") + "\n"


def main() -> None:
    """Write all files."""
    folder = resource_folder("grasps")
    for name in SHIPPED:
        mesh, spec = make(name)
        (folder / f"{name}.obj").write_text(object_text(name, mesh))
        (folder / f"{name}.yaml").write_text(grasps_to_text(spec))
        print(f"{name}: {len(mesh.faces)} faces, {len(spec)} grasps")


if __name__ == "__main__":
    main()
