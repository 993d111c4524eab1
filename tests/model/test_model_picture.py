"""The picture's own forward kinematics, held against Pinocchio's."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import RobotError
from workbench.model.description import Follower
from workbench.model.links import build_links
from workbench.model.picture import LinkPicture
from workbench.poses import Pose

MOVABLE = ("revolute", "continuous", "prismatic")

CHAIN = """
<robot name="chain">
  <link name="base"/><link name="arm"/><link name="slide"/><link name="tip"/>
  <joint name="turn" type="revolute">
    <origin xyz="0.1 0 0.2" rpy="0.3 -0.2 1.1"/><axis xyz="0 3 4"/>
    <parent link="base"/><child link="arm"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
  <joint name="push" type="prismatic">
    <origin xyz="0 0 0.1" rpy="0 0.5 0"/><axis xyz="1 0 1"/>
    <parent link="arm"/><child link="slide"/><limit lower="0" upper="1" effort="1" velocity="1"/>
  </joint>
  <joint name="spin" type="continuous">
    <parent link="slide"/><child link="tip"/>
  </joint>
</robot>
"""


def example_robot(path: str) -> Path:
    name = f"share/example-robot-data/robots/{path}"
    for file in importlib.metadata.files("example-robot-data") or ():
        if str(file).endswith(name):
            return Path(str(file.locate()))
    raise FileNotFoundError(path)


def pinocchio_frames(
    urdf: str, positions: dict[str, float], base: Pose | None = None
) -> dict[str, np.ndarray]:
    """Placement of every link in the world, with mimic joints as independent ones."""
    model = pin.buildModelFromXML(urdf)
    q = pin.neutral(model)
    for name, position in positions.items():
        joint = model.joints[model.getJointId(name)]
        is_continuous = joint.nq == 2
        q[joint.idx_q : joint.idx_q + joint.nq] = (
            [np.cos(position), np.sin(position)] if is_continuous else position
        )
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    placement = np.eye(4) if base is None else base.matrix
    return {
        frame.name: placement @ data.oMf[index].homogeneous
        for index, frame in enumerate(model.frames)
        if frame.type == pin.FrameType.BODY
    }


def movable_joints(robot_element: ElementTree.Element) -> list[str]:
    return [
        joint.get("name", "")
        for joint in robot_element.findall("joint")
        if joint.get("type") in MOVABLE
    ]


@pytest.mark.parametrize(
    "path",
    [
        "panda_description/urdf/panda.urdf",
        "baxter_description/urdf/baxter.urdf",
        "talos_data/robots/talos_reduced.urdf",
        "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
        "tiago_description/robots/tiago_dual.urdf",
    ],
)
def test_every_link_is_where_pinocchio_puts_it(path: str) -> None:
    urdf = example_robot(path).read_text()
    element = ElementTree.fromstring(urdf)
    names = movable_joints(element)
    picture = LinkPicture(element, names)
    random = np.random.default_rng(7)
    base = Pose(random.normal(size=3), random.normal(size=4))
    for _ in range(3):
        positions = random.uniform(-3.0, 3.0, len(names))
        expected = pinocchio_frames(urdf, dict(zip(names, positions, strict=True)), base)
        actual = picture.world_placements(positions, base)
        for name, placement in zip(picture.link_names, actual, strict=True):
            np.testing.assert_allclose(placement, expected[name], atol=1e-9, err_msg=name)


def test_rows_are_in_the_order_of_the_scenes_links() -> None:
    element = ElementTree.fromstring(CHAIN)
    links = build_links(element, ("turn",))
    assert LinkPicture(element, ()).link_names == tuple(link.name for link in links)


def test_the_root_row_is_the_pose_of_the_base() -> None:
    picture = LinkPicture(ElementTree.fromstring(CHAIN), ("turn",))
    base = Pose(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.0, 0.0]))
    row = picture.local_placements(np.zeros(1), base)[0]
    np.testing.assert_array_equal(row, [*base.translation, *base.wxyz])


@given(
    turn=st.floats(-3, 3),
    push=st.floats(-1, 1),
    multiplier=st.floats(-2, 2),
    offset=st.floats(-1, 1),
)
@settings(max_examples=25, deadline=None)
def test_a_held_joint_stays_and_a_follower_follows(
    turn: float, push: float, multiplier: float, offset: float
) -> None:
    picture = LinkPicture(
        ElementTree.fromstring(CHAIN),
        ("turn",),
        held={"push": push},
        followers=[Follower("spin", "turn", multiplier, offset, in_model=False)],
    )
    expected = pinocchio_frames(
        CHAIN, {"turn": turn, "push": push, "spin": multiplier * turn + offset}
    )
    actual = picture.world_placements(np.array([turn]))
    for name, placement in zip(picture.link_names, actual, strict=True):
        np.testing.assert_allclose(placement, expected[name], atol=1e-12)


def test_a_chain_of_followers_is_followed_to_its_leader() -> None:
    picture = LinkPicture(
        ElementTree.fromstring(CHAIN),
        ("turn",),
        followers=[
            Follower("spin", "push", 2.0, 0.1, in_model=True),
            Follower("push", "turn", -3.0, 0.2, in_model=True),
        ],
    )
    push = -3.0 * 0.4 + 0.2
    expected = pinocchio_frames(CHAIN, {"turn": 0.4, "push": push, "spin": 2.0 * push + 0.1})
    tip = picture.world_placements(np.array([0.4]))[picture.link_names.index("tip")]
    np.testing.assert_allclose(tip, expected["tip"], atol=1e-12)


def test_a_follower_of_a_held_leader_stands_where_the_leader_puts_it() -> None:
    picture = LinkPicture(
        ElementTree.fromstring(CHAIN),
        (),
        held={"turn": 0.5},
        followers=[Follower("push", "turn", 2.0, -0.3, in_model=False)],
    )
    expected = pinocchio_frames(CHAIN, {"turn": 0.5, "push": 0.7})
    slide = picture.world_placements(np.zeros(0))[picture.link_names.index("slide")]
    np.testing.assert_allclose(slide, expected["slide"], atol=1e-12)


def test_quaternions_are_of_length_one() -> None:
    picture = LinkPicture(ElementTree.fromstring(CHAIN), ("turn", "push", "spin"))
    placements = picture.local_placements(np.array([2.0, 0.3, -9.0]), Pose())
    np.testing.assert_allclose(np.linalg.norm(placements[:, 3:], axis=1), 1.0, atol=1e-12)


def test_two_frames_do_not_share_memory() -> None:
    picture = LinkPicture(ElementTree.fromstring(CHAIN), ("turn",))
    first = picture.local_placements(np.zeros(1), Pose())
    before = first.copy()
    picture.local_placements(np.ones(1), Pose())
    np.testing.assert_array_equal(first, before)


def test_followers_in_a_circle_are_refused() -> None:
    followers = [
        Follower("turn", "spin", 1.0, 0.0, in_model=False),
        Follower("spin", "turn", 1.0, 0.0, in_model=False),
    ]
    with pytest.raises(RobotError, match="circle"):
        LinkPicture(ElementTree.fromstring(CHAIN), (), followers=followers)


def test_an_axis_of_length_zero_is_refused_with_the_joints_name() -> None:
    element = ElementTree.fromstring(CHAIN.replace('xyz="0 3 4"', 'xyz="0 0 0"'))
    with pytest.raises(RobotError, match="turn: has an axis of length zero"):
        LinkPicture(element, ("turn",))


def test_a_wrong_number_of_positions_is_refused() -> None:
    picture = LinkPicture(ElementTree.fromstring(CHAIN), ("turn",))
    with pytest.raises(ValueError, match="expected 1 positions"):
        picture.local_placements(np.zeros(2), Pose())
