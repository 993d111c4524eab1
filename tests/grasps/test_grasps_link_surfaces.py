"""Collision meshes as they are: what is in a hole touches nothing, what is in the walls does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from tests.robots_inline import joint, limit, robot, write_urdf
from workbench.grasps.link_surfaces import winding_number
from workbench.grasps.touching import TouchingLinks
from workbench.model.collision import build_collision_model
from workbench.model.request import RobotRequest
from workbench.model.robot import load_robot

RING_AT_M = 0.5


def shape(link: str, geometry: str) -> str:
    return f'<link name="{link}"><collision><geometry>{geometry}</geometry></collision></link>'


@pytest.mark.parametrize("peg", ["mesh", "primitive"])
def test_a_peg_in_the_hole_of_a_ring_touches_it_only_in_its_walls(tmp_path: Path, peg: str) -> None:
    trimesh.creation.annulus(r_min=0.1, r_max=0.2, height=0.1).export(tmp_path / "ring.stl")
    trimesh.creation.icosphere(radius=0.01).export(tmp_path / "peg.stl")
    inside = '<mesh filename="peg.stl"/>' if peg == "mesh" else '<sphere radius="0.01"/>'
    text = robot(
        shape("ring", '<mesh filename="ring.stl"/>'), shape("peg", inside),
        joint("stand", "fixed", child="ring", xyz=f"{RING_AT_M} 0 0", inside=""),
        joint("slide", "prismatic", child="peg", axis="1 0 0", xyz="0 0 0", inside=limit(-1, 1)),
        links="base",
    )  # fmt: skip
    loaded = load_robot(RobotRequest(write_urdf(tmp_path, text)))
    touching = TouchingLinks(loaded, build_collision_model(loaded))
    walls = {"away": 0.0, "at the wall": 0.3, "in the wall": 0.35, "in the hole": RING_AT_M}
    found = {where: touching(np.array([at])) is not None for where, at in walls.items()}
    assert found == {"away": False, "at the wall": True, "in the wall": True, "in the hole": False}


def test_a_surface_goes_once_around_what_is_in_it() -> None:
    box = trimesh.creation.box(extents=(1.0, 2.0, 3.0))
    triangles = np.asarray(box.triangles, dtype=np.float64)
    assert winding_number(triangles, np.array([0.4, 0.9, -1.4])) == pytest.approx(1.0)
    assert winding_number(triangles, np.array([0.6, 0.0, 0.0])) == pytest.approx(0.0, abs=1e-9)
