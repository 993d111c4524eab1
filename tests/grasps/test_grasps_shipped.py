"""The grasps that come with the workbench hold their objects: found out by geometry."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from tests.grasps.make_shipped import SHIPPED, object_text
from tests.grasps.panda_hand import OPEN_M, PAD_FACE_M, PandaHand, Target, between_the_pads
from workbench.errors import UsageError
from workbench.grasps import import_grasps_from_file
from workbench.grasps.grasp import Grasp
from workbench.grasps.objects import load_object
from workbench.grasps.shipped import shipped_grasps, shipped_names
from workbench.poses import Pose

PAD_TOUCHES_WITHIN_M = 5e-4
PALM_CLEAR_BY_M = 2e-3
STEEPEST_CONTACT_RAD = np.deg2rad(30.0)


@pytest.fixture(scope="module")
def hand() -> PandaHand:
    return PandaHand()


@pytest.fixture(scope="module", params=shipped_names())
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def target(name: str) -> Target:
    return Target.read(shipped_grasps(name).mesh)


def faults(hand: PandaHand, target: Target, grasp: Grasp, pose: Pose) -> list[str]:
    """Return in words why the hand at a pose does not hold the object as the grasp says."""
    closed = grasp.cspace_position["panda_finger_joint1"]
    opened = grasp.pregrasp_cspace_position["panda_finger_joint1"]
    found = []
    if grasp.cspace_position["panda_finger_joint2"] != closed or not 0.0 < closed < opened:
        found.append("the fingers do not close")
    if opened > OPEN_M:
        found.append("the fingers open too wide")
    if hand.palm_distance_m(target, pose) < PALM_CLEAR_BY_M:
        found.append("the palm is not clear")
    if hand.touches(target, pose, closed):
        found.append("something reaches into the object")
    if max(hand.pad_distances_m(target, pose, closed)) > PAD_TOUCHES_WITHIN_M:
        found.append("a pad does not touch")
    if not has_contact_on_both_sides(target, pose, closed):
        found.append("the pads have nothing between them")
    for distance in np.linspace(0.0, 0.1, 9):
        back = pose @ Pose(np.array([0.0, 0.0, -distance]))
        if hand.touches(target, back, opened):
            found.append(f"open fingers touch {distance * 1000:.0f} mm before the grasp")
    return found


def has_contact_on_both_sides(target: Target, pose: Pose, closed_m: float) -> bool:
    """Tell whether each pad meets a surface that faces it."""
    part = between_the_pads(target, pose, closed_m + PAD_TOUCHES_WITHIN_M)
    centres, normals = part.triangles_center, part.face_normals
    for side in (1.0, -1.0):
        reach = (
            side * part.triangles[:, :, 1].max(axis=1)
            if side > 0
            else -part.triangles[:, :, 1].min(axis=1)
        )
        is_near = reach >= closed_m - PAD_FACE_M - PAD_TOUCHES_WITHIN_M
        is_facing = side * normals[:, 1] >= np.cos(STEEPEST_CONTACT_RAD)
        if not (is_near & is_facing & (side * centres[:, 1] > -closed_m)).any():
            return False
    return True


def test_there_is_something_to_choose_from() -> None:
    assert set(shipped_names()) == set(SHIPPED)
    assert {"mug", "box", "bottle", "bowl"} <= set(shipped_names())
    with pytest.raises(UsageError, match="perhaps mug"):
        shipped_grasps("mugg")


def test_every_grasp_holds_the_object(hand: PandaHand, target: Target, name: str) -> None:
    spec = import_grasps_from_file(shipped_grasps(name).grasps)
    assert spec.remarks == ()
    found = {grasp.name: faults(hand, target, grasp, grasp.pose) for grasp in spec}
    assert {key: value for key, value in found.items() if value} == {}


def test_the_check_sees_a_grasp_that_is_off(hand: PandaHand, target: Target, name: str) -> None:
    grasp = next(iter(import_grasps_from_file(shipped_grasps(name).grasps)))
    for off in ((0.0, 0.003, 0.0), (0.0, 0.0, 0.09), (0.0, 0.0, -0.15)):
        assert faults(hand, target, grasp, grasp.pose @ Pose(np.array(off)))


def test_the_grasps_are_varied_and_rated(name: str) -> None:
    spec = import_grasps_from_file(shipped_grasps(name).grasps)
    assert 8 <= len(spec) <= 20
    approaches = {tuple(np.round(grasp.pose.rotation[:, 2], 1)) for grasp in spec}
    assert len(approaches) >= 4
    assert all(0.0 < grasp.effective_confidence <= 1.0 for grasp in spec)
    assert len({grasp.confidence for grasp in spec}) >= 3


def test_file_object_and_place_belong_together(name: str) -> None:
    files = shipped_grasps(name)
    spec = import_grasps_from_file(files.grasps)
    assert (spec.object_frame, spec.gripper_frame) == (name, "panda_hand")
    assert spec.object_file == files.mesh.name
    assert spec.object_pose is not None
    shipped = load_object(files.mesh, name=files.mesh.name)
    assert shipped.unit_question is None
    assert shipped.size_m <= 0.25


def test_the_mesh_is_what_its_recipe_makes(name: str, target: Target) -> None:
    made = SHIPPED[name].build()
    assert len(made.faces) == len(target.mesh.faces)
    assert np.abs(made.vertices - target.mesh.vertices).max() <= 1e-6
    assert object_text(name, made).count("\nf ") == len(made.faces)
    assert isinstance(made, trimesh.Trimesh)
    assert made.bounds[0][2] == pytest.approx(0.0)
