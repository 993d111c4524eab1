"""Published URDFs with everything that makes loading hard, against Pinocchio's own reading."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from workbench.model.packages import example_robot_data
from workbench.model.picture import LinkPicture
from workbench.model.pinocchio_model import build_model, joint_ids, set_limits, write_position
from workbench.model.request import RobotRequest
from workbench.model.structure import Structure, read_structure

FOLDER = example_robot_data()
assert FOLDER is not None
ROBOTS = FOLDER / "robots"

URDFS = {
    "panda": "panda_description/urdf/panda.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "talos_full": "talos_data/robots/talos_full_v2.urdf",
    "tiago_pro": "tiago_pro_description/robots/tiago_pro.urdf",
    "tiago_dual": "tiago_description/robots/tiago_dual.urdf",
    "romeo": "romeo_description/urdf/romeo.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "g1": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
}


@pytest.mark.parametrize("name", sorted(URDFS))
def test_model_and_picture_agree_with_pinocchio_s_own_reading(name: str) -> None:
    path = str(ROBOTS / URDFS[name])
    structure = read_structure(RobotRequest(path))
    plan = structure.plan
    model = build_model(structure.urdf, plan.followers, plan.locked, floating_base=False)
    set_limits(model, plan.limits, floating_base=False)
    picture = LinkPicture(
        structure.urdf.element, [joint.name for joint in plan.joints],
        {joint.name: joint.position for joint in plan.held}, plan.followers,
    )  # fmt: skip
    random = np.random.default_rng(7)
    positions = dict(plan.home)
    out_of_model = {f.leader for f in plan.followers if not f.in_model}
    for joint in plan.joints:
        if joint.name not in out_of_model:  # there the model stays at home, as it is remarked
            low = -2.0 if joint.lower is None else joint.lower
            high = 2.0 if joint.upper is None else joint.upper
            positions[joint.name] = float(random.uniform(low, high))

    theirs, data = _their_reading(path, structure, positions)
    q = pin.neutral(model)
    ids = joint_ids(model)
    for joint_name, position in positions.items():
        write_position(q, model.joints[ids[joint_name]], position)
    ours = model.createData()
    pin.framesForwardKinematics(model, ours, q)
    values = np.array([positions[joint.name] for joint in plan.joints])
    drawn = picture.world_placements(values)
    for link, matrix in zip(picture.link_names, drawn, strict=True):
        expected = data.oMf[theirs.getFrameId(link, pin.FrameType.BODY)].homogeneous
        np.testing.assert_allclose(matrix, expected, atol=1e-9, err_msg=link)
        frame = model.getFrameId(link)
        np.testing.assert_allclose(ours.oMf[frame].homogeneous, expected, atol=1e-9, err_msg=link)
    assert model.nv == len(plan.joints)
    assert (model.upperVelocityLimit > 0).all()


def _their_reading(path: str, structure: Structure, positions: dict[str, float]) -> Any:
    """Return model and data as Pinocchio reads the file itself, every mimic joint a free one."""
    model = pin.buildModelFromUrdf(path)
    everything = {**structure.plan.locked, **positions}
    for follower in structure.plan.followers:
        leader = everything[follower.leader]
        everything[follower.name] = follower.multiplier * leader + follower.offset
    q = pin.neutral(model)
    for joint_name, position in everything.items():
        write_position(q, model.joints[model.getJointId(joint_name)], position)
    assert set(model.names) - {"universe"} == set(everything)
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    return model, data


def test_followers_that_pinocchio_cannot_carry_are_those_before_their_leader() -> None:
    plan = read_structure(RobotRequest(str(ROBOTS / URDFS["talos_full"]))).plan
    left_out = {follower.name for follower in plan.followers if not follower.in_model}
    assert "gripper_left_inner_double_joint" in left_out
    assert "gripper_left_motor_single_joint" not in left_out


@pytest.mark.parametrize(
    ("urdf", "tools"),
    [
        (URDFS["panda"], ("panda_hand_tcp",)),
        (URDFS["kinova"], ("j2s6s200_end_effector",)),
        ("ur_description/urdf/ur5_robot.urdf", ("tool0",)),
        ("xarm_description/urdf/xarm7.urdf", ("link_eef",)),
        ("so_arm_description/urdf/so101.urdf", ("gripper_frame_link",)),
        (URDFS["g1"], ("left_ankle_roll_link", "right_ankle_roll_link", "left_hand_palm_link",
                       "right_hand_palm_link")),
        (URDFS["tiago_dual"], ("head_2_link", "hand_left_tool_link", "hand_right_tool_link")),
    ],
)  # fmt: skip
def test_bare_urdfs_get_the_tool_frames_that_an_engineer_would_pick(
    urdf: str, tools: tuple[str, ...]
) -> None:
    structure = read_structure(RobotRequest(str(ROBOTS / urdf)))
    assert tuple(tool.name for tool in structure.tools) == tools


def test_the_kinematic_length_is_that_of_the_arm() -> None:
    structure = read_structure(RobotRequest(str(ROBOTS / URDFS["panda"])))
    assert 0.9 < structure.urdf.reach_m < 1.7
