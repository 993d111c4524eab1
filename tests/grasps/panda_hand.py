"""The Panda's hand as solids, to find out by geometry whether a grasp holds an object.

Numbers and meshes are those of the URDF in example-robot-data: the hand as the convex hull of its
collision mesh, each finger as its four collision boxes, of which the last is the rubber tip.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import coal
import numpy as np
import trimesh

from workbench.model.description import Shape
from workbench.model.request import RobotRequest
from workbench.model.shapes import load_shapes
from workbench.model.structure import read_structure
from workbench.poses import Pose

TIP_OF_HAND_M = 0.1034
"""From the hand's frame to the middle of the pads, along z."""

PAD_HALF_WIDTH_M = 0.00875
PAD_LOW_M, PAD_HIGH_M = 0.0584 + 0.036, 0.0584 + 0.0545
"""Where the pads begin and end along z of the hand."""

PAD_FACE_M = 0.00002
"""How far the pads reach across the middle when the fingers are at zero."""

OPEN_M = 0.04

_FINGERS = {"panda_leftfinger": 1.0, "panda_rightfinger": -1.0}


class Target:
    """An object to hold: its mesh, and the same for distances."""

    def __init__(self, mesh: trimesh.Trimesh) -> None:
        self.mesh = mesh
        self.solid = _bounding_volumes(mesh)

    @classmethod
    def read(cls, path: Path) -> Target:
        mesh = trimesh.load_mesh(path, process=False)
        assert isinstance(mesh, trimesh.Trimesh)
        return cls(mesh)


class PandaHand:
    """Hand and fingers, in the frame ``panda_hand``."""

    @cached_property
    def _solids(self) -> dict[str, list[tuple[Any, Pose]]]:
        structure = read_structure(RobotRequest("panda"))
        loaded = load_shapes(structure.urdf.element, "collision", structure.files.resolve)
        solids: dict[str, list[tuple[Any, Pose]]] = {"panda_hand": [], **{f: [] for f in _FINGERS}}
        for shape in loaded.shapes:
            if shape.link in solids:
                solids[shape.link].append((_solid(shape), shape.pose))
        return solids

    def _placed(self, link: str, hand: Pose, opening_m: float) -> Iterator[tuple[Any, Pose]]:
        offset = Pose()
        if link in _FINGERS:
            offset = Pose(np.array([0.0, _FINGERS[link] * opening_m, 0.0584]))
        for solid, pose in self._solids[link]:
            yield solid, hand @ offset @ pose

    def palm_distance_m(self, target: Target, hand: Pose) -> float:
        """Return the distance of the hand without its fingers from the object."""
        return min(_distance(target, *placed) for placed in self._placed("panda_hand", hand, 0.0))

    def touches(self, target: Target, hand: Pose, opening_m: float) -> bool:
        """Tell whether hand or fingers reach into the object."""
        return any(
            _collide(target, *placed)
            for link in self._solids
            for placed in self._placed(link, hand, opening_m)
        )

    def pad_distances_m(self, target: Target, hand: Pose, opening_m: float) -> list[float]:
        """Return the distance of each rubber tip, left and right, from the object."""
        return [
            _distance(target, *list(self._placed(finger, hand, opening_m))[-1])
            for finger in _FINGERS
        ]


def between_the_pads(target: Target, hand: Pose, opening_m: float = OPEN_M) -> trimesh.Trimesh:
    """Return the part of the object's surface between the pads, in the hand's frame."""
    vertices, faces = hand.inverse().act(target.mesh.vertices), np.asarray(target.mesh.faces)
    for normal, origin in (
        ((1, 0, 0), (-PAD_HALF_WIDTH_M, 0, 0)), ((-1, 0, 0), (PAD_HALF_WIDTH_M, 0, 0)),
        ((0, 1, 0), (0, -opening_m, 0)), ((0, -1, 0), (0, opening_m, 0)),
        ((0, 0, 1), (0, 0, PAD_LOW_M)), ((0, 0, -1), (0, 0, PAD_HIGH_M)),
    ):  # fmt: skip
        if len(faces):
            vertices, faces, _ = trimesh.intersections.slice_faces_plane(
                vertices, faces, np.array(normal, dtype=np.float64), np.array(origin)
            )
    return trimesh.Trimesh(vertices, faces, process=False)


def _solid(shape: Shape) -> Any:
    if shape.primitive is not None:
        return coal.Box(*shape.primitive.sizes)
    hull = trimesh.convex.convex_hull(np.asarray(shape.vertices, dtype=np.float64))
    return coal.Convex(*_points_and_triangles(hull))


def _bounding_volumes(mesh: trimesh.Trimesh) -> Any:
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.faces), len(mesh.vertices))
    model.addVertices(np.asarray(mesh.vertices, dtype=np.float64))
    model.addTriangles(np.asarray(mesh.faces, dtype=np.int64))
    model.endModel()
    return model


def _points_and_triangles(mesh: trimesh.Trimesh) -> tuple[Any, Any]:
    points = coal.StdVec_Vec3s()
    points.extend(list(np.asarray(mesh.vertices, dtype=np.float64)))
    triangles = coal.StdVec_Triangle()
    triangles.extend([coal.Triangle(*(int(i) for i in face)) for face in mesh.faces])
    return points, triangles


def _distance(target: Target, solid: Any, pose: Pose) -> float:
    result = coal.DistanceResult()
    coal.distance(
        target.solid, coal.Transform3s(), solid, _transform(pose), coal.DistanceRequest(), result
    )
    return float(result.min_distance)


def _collide(target: Target, solid: Any, pose: Pose) -> bool:
    result = coal.CollisionResult()
    return bool(
        coal.collide(
            target.solid, coal.Transform3s(), solid, _transform(pose), coal.CollisionRequest(),
            result,
        )
    )  # fmt: skip


def _transform(pose: Pose) -> Any:
    return coal.Transform3s(pose.rotation, pose.translation)
