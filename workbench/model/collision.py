"""Builds what self-collision avoidance needs of a robot: convex hulls, and the pairs that matter.

Slow enough (a tenth of a second to a second) to be made in a job of its own after a robot was
loaded; nothing else needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from workbench.errors import RobotError, did_you_mean
from workbench.model.collision_hulls import bounding_sphere, convex_geometry, grouped_by_element
from workbench.model.collision_pairs import LeftOutPair, LinkPair, PairSelection
from workbench.model.description import Remark, RobotDescription
from workbench.model.robot import Robot
from workbench.model.srdf import DisabledPair, read_disabled_pairs
from workbench.poses import frozen_array

Progress = Callable[[float, str], None]

HOME_MARGIN = 1.5
"""Pairs closer at home than this many smallest distances are left out: kept apart, they would
hold the robot where it starts, or leave it no way to move at all."""

_TOLERANCE_M = 1e-10
_TOUCHING_M = 1e-5
_NAMED_LINKS = 6


@dataclass(frozen=True, eq=False)
class CollisionModel:
    """The hulls of a robot. Everything may be read from any thread; nobody may change it.

    Attributes:
        geometry: The hulls on the joints of the robot's model, and the pairs of hulls that may be
            kept apart. Whoever computes distances makes data of it.
        links: Name of the link of each geometry object.
        centres: Centre of a sphere around each geometry object, in the frame of its joint, m,
            shape (k, 3), read-only.
        radii: Radius of that sphere, m, shape (k,), read-only.
        candidates: Pairs of links that may be kept apart, by distance at home.
        left_out: Pairs that are left out whatever the smallest distance.
        remarks: What there is to say: links without collision geometry, links in the SRDF that the
            robot does not have, meshes without volume.
    """

    geometry: pin.GeometryModel
    links: tuple[str, ...]
    centres: NDArray[np.float64]
    radii: NDArray[np.float64]
    candidates: tuple[LinkPair, ...]
    left_out: tuple[LeftOutPair, ...]
    remarks: tuple[Remark, ...]

    def selection(self, minimum_distance_m: float) -> PairSelection:
        """Return which pairs are kept apart, and which are not for being too close at home.

        Args:
            minimum_distance_m: Smallest distance that will be asked for, at least 0.
        """
        # Hulls that touch at home are left out even where no distance is asked for.
        threshold = max(HOME_MARGIN * minimum_distance_m, _TOUCHING_M)
        kept = tuple(pair for pair in self.candidates if pair.distance_at_home_m >= threshold)
        close = tuple(
            _close_at_home(pair, threshold) for pair in self.candidates[: -len(kept) or None]
        )
        indices = np.array(sorted(i for pair in kept for i in pair.shape_pairs), dtype=np.int64)
        indices.setflags(write=False)
        return PairSelection(minimum_distance_m, kept, (*close, *self.left_out), indices)

    def create_data(self) -> pin.GeometryData:
        """Return data for one thread to compute distances with.

        They are computed to 1e-10 m. At coal's own 1e-6 m the direction of a distance, which its
        derivative hangs on, is off by some percent.
        """
        return _precise_data(self.geometry)


def build_collision_model(robot: Robot, *, progress: Progress | None = None) -> CollisionModel:
    """Make the hulls of a robot's collision shapes and decide which pairs may be kept apart.

    Hulls follow the robot's model: a mimic joint that is held there stays there, even where the
    picture moves it. Meshes that were thinned out to be drawn are hulled as they are drawn.

    Args:
        robot: The robot, as loaded; its meshes are not read again.
        progress: Called now and then with the share done, in [0, 1], and what is being done. An
            exception that it raises ends the work.

    Raises:
        RobotError: If the robot has no collision geometry, a hull cannot be made, or its SRDF
            cannot be read.
    """
    report = progress or (lambda share, text: None)
    description = robot.description
    report(0.0, "reading the disabled pairs")
    disabled = () if description.srdf_path is None else read_disabled_pairs(
        Path(description.srdf_path)
    )  # fmt: skip
    geometry = pin.GeometryModel()
    flat: list[str] = []
    groups = grouped_by_element(description.collisions)
    if not groups:
        raise RobotError(
            "has no collision geometry, so that no links can be kept apart",
            path=description.urdf_path, field=description.name,
            expected="<collision> elements whose shapes can be read",
        )  # fmt: skip
    links: list[str] = []
    for number, shapes in enumerate(groups):
        link, pose = shapes[0].link, shapes[0].pose
        report(0.9 * number / len(groups), f"hull of {link}")
        convex, is_flat = convex_geometry(shapes)
        if is_flat:
            flat.append(link)
        frame_id = robot.model.getFrameId(link, pin.FrameType.BODY)
        frame = robot.model.frames[frame_id]
        placement = frame.placement * pin.SE3(pose.rotation, pose.translation)
        name = f"{link} {shapes[0].element}"
        geometry.addGeometryObject(
            pin.GeometryObject(name, frame.parentJoint, frame_id, placement, convex)
        )
        links.append(link)

    report(0.9, "distances at home")
    left_out = _add_pairs(robot, geometry, links, disabled)
    centres, radii = _spheres(geometry)
    model = CollisionModel(
        geometry=geometry,
        links=tuple(links),
        centres=centres,
        radii=radii,
        candidates=_measured_at_home(robot, geometry, links),
        left_out=left_out,
        remarks=tuple(_remarks(description, links, flat, disabled)),
    )
    report(1.0, "ready")
    return model


def _precise_data(geometry: pin.GeometryModel) -> pin.GeometryData:
    data = geometry.createData()
    for request in data.distanceRequests:
        request.gjk_tolerance = _TOLERANCE_M
    return data


def _add_pairs(
    robot: Robot, geometry: pin.GeometryModel, links: list[str], disabled: tuple[DisabledPair, ...]
) -> tuple[LeftOutPair, ...]:
    """Add a collision pair for every two shapes that may be kept apart; return the others."""
    shapes: dict[str, list[int]] = {}
    for index, link in enumerate(links):
        shapes.setdefault(link, []).append(index)
    joints = {
        link: geometry.geometryObjects[found[0]].parentJoint for link, found in shapes.items()
    }
    reasons = {frozenset((pair.link_a, pair.link_b)): pair.reason for pair in disabled}
    before = _links_before(robot.description, set(shapes))
    left_out = []
    names = list(shapes)
    for number, link_b in enumerate(names):
        for link_a in names[:number]:
            if joints[link_a] == joints[link_b]:
                reason, text = "rigid", "No joint that is solved for lies between them."
            elif link_a == before.get(link_b) or link_b == before.get(link_a):
                reason, text = "neighbours", "They are neighbours."
            elif (word := reasons.get(frozenset((link_a, link_b)))) is not None:
                reason = "srdf"
                text = f"The SRDF disables them ({word})." if word else "The SRDF disables them."
            else:
                for first in shapes[link_a]:
                    for second in shapes[link_b]:
                        geometry.addCollisionPair(pin.CollisionPair(first, second))
                continue
            left_out.append(LeftOutPair(link_a, link_b, reason, text))
    return tuple(left_out)


def _links_before(description: RobotDescription, with_shapes: set[str]) -> Mapping[str, str]:
    """Return the next link towards the root that has collision geometry, by link."""
    before: dict[str, str] = {}
    for link in description.links:  # parents come first
        if link.parent is None:
            continue
        if link.parent in with_shapes:
            before[link.name] = link.parent
        elif link.parent in before:
            before[link.name] = before[link.parent]
    return before


def _spheres(geometry: pin.GeometryModel) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    centres, radii = [], []
    for shape in geometry.geometryObjects:
        centre, radius = bounding_sphere(shape.geometry)
        centres.append(shape.placement.act(centre))
        radii.append(radius)
    return frozen_array(centres), frozen_array(radii)


def _measured_at_home(
    robot: Robot, geometry: pin.GeometryModel, links: list[str]
) -> tuple[LinkPair, ...]:
    data = _precise_data(geometry)
    pin.computeDistances(robot.model, robot.model.createData(), geometry, data, robot.home_q)
    found: dict[tuple[str, str], list[int]] = {}
    for index, pair in enumerate(geometry.collisionPairs):
        found.setdefault((links[pair.first], links[pair.second]), []).append(index)
    pairs = [
        LinkPair(
            *names, min(data.distanceResults[index].min_distance for index in indices),
            tuple(indices),
        )
        for names, indices in found.items()
    ]  # fmt: skip
    return tuple(sorted(pairs, key=lambda pair: pair.distance_at_home_m))


def _close_at_home(pair: LinkPair, threshold_m: float) -> LeftOutPair:
    distance = pair.distance_at_home_m
    text = (
        f"At home they overlap by {-1e3 * distance:.1f} mm."
        if distance < 0.0
        else f"At home they are only {1e3 * distance:.1f} mm apart;"
        f" kept apart are those with {1e3 * threshold_m:.1f} mm or more."
    )
    return LeftOutPair(pair.link_a, pair.link_b, "close_at_home", text, distance)


def _remarks(
    description: RobotDescription,
    links: list[str],
    flat: list[str],
    disabled: tuple[DisabledPair, ...],
) -> list[Remark]:
    remarks = []
    known = set(description.frames)
    unknown = {
        name: pair.line
        for pair in reversed(disabled)
        for name in (pair.link_b, pair.link_a)
        if name not in known
    }
    if unknown:
        first = next(reversed(unknown))
        remarks.append(
            Remark(
                "srdf_unknown_link",
                f"The SRDF disables pairs of links that the robot does not have: "
                f"{_listed(list(reversed(unknown)))}. {first} is named in line {unknown[first]} "
                f"of {description.srdf_path}; the robot has {did_you_mean(first, known)}.",
                "warning",
                first,
            )
        )
    bare = dict.fromkeys(shape.link for shape in description.visuals)
    bare = [link for link in bare if link not in links]
    if bare:
        remarks.append(
            Remark(
                "no_collision_shape",
                f"Nothing keeps these links from colliding, for they have no collision geometry: "
                f"{_listed(bare)}.",
                "info",
                bare[0],
            )
        )
    if flat:
        remarks.append(
            Remark(
                "flat_collision_mesh",
                f"Collision meshes without volume count as 0.1 mm thick: {_listed(flat)}.",
                "info",
                flat[0],
            )
        )
    return remarks


def _listed(names: list[str]) -> str:
    more = len(names) - _NAMED_LINKS
    return ", ".join(names[:_NAMED_LINKS]) + (f" and {more} more" if more > 0 else "")
