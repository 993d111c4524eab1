from __future__ import annotations

from workbench.model.request import RobotRequest
from workbench.model.robot import load_robot


def test_a_tool_is_moved_by_the_joints_between_it_and_the_root_alone():
    description = load_robot(RobotRequest("dual_arm_7dof")).description
    left, right = (description.joints_before(f"{side}_hand") for side in ("left", "right"))
    assert left == {f"left_joint{number}" for number in range(1, 8)}
    assert right == {f"right_joint{number}" for number in range(1, 8)}
    assert description.joints_before("nothing") == frozenset()


def test_a_frame_fixed_to_a_link_is_moved_by_what_moves_the_link():
    request = RobotRequest("ur5", tool_frames=("tip=tool0:0,0,0.1,0,0,0",))
    description = load_robot(request).description
    assert description.joints_before("tip") == set(description.joint_names)
