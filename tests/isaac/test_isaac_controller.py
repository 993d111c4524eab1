"""The controller: when it has a step, what the setpoints mean, what may be added."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pink
import pink.barriers
import pink.limits
import pink.tasks
import pytest

from workbench.isaac import (
    BaseController,
    JointState,
    PinkIKController,
    PinkRobot,
    RobotState,
    SpatialState,
    load_pink_robot,
    load_pink_supported_robot,
)

TOOL = "panda_hand"
START = [0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8, 0.02, 0.02]


@pytest.fixture(scope="module")
def panda() -> PinkRobot:
    robot = load_pink_supported_robot("franka")
    return load_pink_robot(robot.directory / "panda.urdf")


def joints_at(robot: PinkRobot, positions: list[float]) -> RobotState:
    names = robot.controlled_joint_names
    return RobotState(joints=JointState.from_name(names, positions=(names, positions)))


def tool_at(position: Any, wxyz: Any = None) -> RobotState:
    orientations = None if wxyz is None else ([TOOL], [wxyz])
    return RobotState(
        sites=SpatialState.from_name(
            [TOOL, "camera"], positions=([TOOL], [position]), orientations=orientations
        )
    )


def controller_of(robot: PinkRobot, **arguments: Any) -> PinkIKController:
    arguments = {"tool_frame": TOOL, "dt": 1 / 60, "solver": "daqp", **arguments}
    return PinkIKController(robot, robot.controlled_joint_names, [TOOL, "camera"], **arguments)


def started(robot: PinkRobot, **arguments: Any) -> PinkIKController:
    controller = controller_of(robot, **arguments)
    assert controller.reset(joints_at(robot, START), None, 0.0)
    return controller


def step(
    controller: PinkIKController, robot: PinkRobot, setpoint: RobotState | None = None
) -> np.ndarray[Any, Any]:
    state = controller.forward(joints_at(robot, START), setpoint, 0.0)
    assert state is not None and state.joints is not None
    assert state.joints.velocities is not None
    return state.joints.velocities.numpy()


def target_of(controller: PinkIKController) -> Any:
    return controller.get_frame_task().transform_target_to_world


def test_it_is_a_controller_in_isaac_sims_sense(panda: PinkRobot) -> None:
    assert isinstance(controller_of(panda), BaseController)


def test_there_is_no_step_before_a_reset(panda: PinkRobot) -> None:
    assert controller_of(panda).forward(joints_at(panda, START), None, 0.0) is None


def test_a_reset_without_all_positions_fails_and_stops_the_controller(panda: PinkRobot) -> None:
    controller = started(panda)
    names = panda.controlled_joint_names
    some = JointState.from_name(names, positions=(names[:3], START[:3]))
    assert not controller.reset(RobotState(joints=some), None, 0.0)
    assert controller.forward(joints_at(panda, START), None, 0.0) is None
    assert not controller.reset(RobotState(), None, 0.0)


def test_a_step_needs_all_positions(panda: PinkRobot) -> None:
    controller = started(panda)
    assert controller.forward(RobotState(), None, 0.0) is None
    speeds = JointState.from_name(["panda_joint1"], velocities=(["panda_joint1"], [0.0]))
    assert controller.forward(RobotState(joints=speeds), None, 0.0) is None


def test_without_a_setpoint_it_stays_where_it_was_reset(panda: PinkRobot) -> None:
    assert np.abs(step(started(panda), panda)).max() < 1e-6


def test_a_pose_is_followed_and_stays_the_target(panda: PinkRobot) -> None:
    controller = started(panda)
    target = target_of(controller).translation + np.array([0.0, 0.01, 0.0])
    first = step(controller, panda, tool_at(target, [0.0, 1.0, 0.0, 0.0]))
    again = step(controller, panda, None)
    assert np.abs(first).max() > 0.1
    np.testing.assert_array_equal(first, again)
    np.testing.assert_allclose(target_of(controller).translation, target, atol=1e-6)


def test_a_position_alone_leaves_the_orientation_where_the_tool_has_it(panda: PinkRobot) -> None:
    controller = started(panda)
    before = target_of(controller).copy()
    step(controller, panda, tool_at([0.4, 0.1, 0.5]))
    np.testing.assert_allclose(target_of(controller).rotation, before.rotation, atol=1e-12)
    np.testing.assert_allclose(target_of(controller).translation, [0.4, 0.1, 0.5], atol=1e-6)


def test_the_pose_of_another_site_changes_nothing(panda: PinkRobot) -> None:
    controller = started(panda)
    elsewhere = SpatialState.from_name(
        [TOOL, "camera"], positions=(["camera"], [[9.0, 9.0, 9.0]]),
        orientations=([TOOL], [[1.0, 0.0, 0.0, 0.0]]),
    )  # fmt: skip
    assert np.abs(step(controller, panda, RobotState(sites=elsewhere))).max() < 1e-6


def test_joint_positions_become_the_target_of_the_posture(panda: PinkRobot) -> None:
    controller = started(panda, posture_cost=0.1)
    wanted = [0.3, *START[1:]]
    speeds = step(controller, panda, joints_at(panda, wanted))
    posture = controller.get_posture_task()
    assert posture is not None and posture.target_q is not None
    np.testing.assert_allclose(posture.target_q, wanted, atol=1e-6)
    assert np.abs(speeds).max() > 1e-3


def test_some_joint_positions_are_no_posture(panda: PinkRobot) -> None:
    controller = started(panda, posture_cost=0.1)
    one = JointState.from_name(["panda_joint1"], positions=(["panda_joint1"], [1.0]))
    assert np.abs(step(controller, panda, RobotState(joints=one))).max() < 1e-6


@pytest.mark.parametrize("cost", [0.0, None])
def test_the_posture_task_can_be_left_out(panda: PinkRobot, cost: float | None) -> None:
    assert controller_of(panda, posture_cost=cost).get_posture_task() is None


def test_costs_may_be_given_for_each_axis(panda: PinkRobot) -> None:
    controller = controller_of(panda, position_cost=[1, 2, 3], orientation_cost=2)
    np.testing.assert_array_equal(controller.get_frame_task().cost, [1, 2, 3, 2, 2, 2])
    with pytest.raises(ValueError, match="position_cost: expected one number or three"):
        controller_of(panda, position_cost=[1, 2])


def test_extra_tasks_are_solved_for(panda: PinkRobot) -> None:
    fast = pink.tasks.JointVelocityTask(cost=10.0)
    fast.set_target(np.full(9, 0.2), 1 / 60)
    assert np.abs(step(started(panda, extra_tasks=[fast]), panda)).max() > 0.01


def test_extra_limits_add_to_the_position_and_velocity_limits(panda: PinkRobot) -> None:
    far = tool_at([0.4, 0.4, 0.4], [0, 1, 0, 0])
    plain = step(started(panda), panda, far)
    caps = panda.model.upperVelocityLimit
    assert np.abs(plain).max() > 0.9 * caps.max()
    slow = pink.limits.AccelerationLimit(panda.model, np.full(9, 60.0))
    limited = step(started(panda, extra_limits=[slow]), panda, far)
    # The first step of an acceleration limit starts from rest: 60 rad/s2 for 1/60 s.
    assert np.abs(limited).max() < 1.0 + 1e-3
    loose = pink.limits.AccelerationLimit(panda.model, np.full(9, 1e5))
    np.testing.assert_allclose(
        step(started(panda, extra_limits=[loose]), panda, far), plain, atol=1e-3
    )


def test_barriers_hold_the_tool_back(panda: PinkRobot) -> None:
    controller = started(panda)
    ceiling = float(target_of(controller).translation[2])
    up = tool_at([*target_of(controller).translation[:2], ceiling + 0.1], [0, 1, 0, 0])
    barrier = pink.barriers.PositionBarrier(TOOL, indices=[2], p_max=np.array([ceiling]))
    free = step(controller, panda, up)
    held = step(started(panda, extra_barriers=[barrier]), panda, up)
    jacobian = pink.Configuration(
        panda.model, panda.data, np.array(START)
    ).get_frame_jacobian(TOOL)  # fmt: skip
    down = target_of(controller).rotation[2]
    assert down @ (jacobian @ free)[:3] > 0.1
    assert down @ (jacobian @ held)[:3] < 1e-3


def test_the_callback_sees_the_state_and_the_setpoint_before_the_solve(panda: PinkRobot) -> None:
    seen: list[Any] = []

    def look(configuration: pink.Configuration, setpoint: RobotState | None) -> None:
        seen.append((configuration.q.copy(), setpoint, target_of(controller)))

    controller = controller_of(panda, pre_step_callback=look)
    controller.reset(joints_at(panda, START), None, 0.0)
    assert not seen
    setpoint = tool_at([0.4, 0.1, 0.5], [0, 1, 0, 0])
    step(controller, panda, setpoint)
    q, given, target = seen[0]
    np.testing.assert_allclose(q, START, atol=1e-6)
    assert given is setpoint
    np.testing.assert_allclose(target.translation, [0.4, 0.1, 0.5], atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"solver": "no_such_solver"}, "no_such_solver"),
        ({"extra_tasks": [pink.tasks.ComTask(cost=1.0)]}, "no step"),
    ],
)
def test_a_step_that_cannot_be_solved_for_is_none_with_a_warning(
    panda: PinkRobot, arguments: Any, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    controller = started(panda, **arguments)
    assert controller.forward(joints_at(panda, START), None, 1.5) is None
    assert message in caplog.text and "1.5" in caplog.text


def test_outside_its_limits_the_robot_gets_no_step(
    panda: PinkRobot, caplog: pytest.LogCaptureFixture
) -> None:
    controller = started(panda)
    assert controller.forward(joints_at(panda, [4.0, *START[1:]]), None, 0.0) is None
    assert "limit" in caplog.text


def test_osqp_says_nothing_on_the_terminal(
    panda: PinkRobot, capfd: pytest.CaptureFixture[str]
) -> None:
    controller = started(panda, solver="osqp")
    for _ in range(3):
        step(controller, panda, tool_at([0.4, 0.1, 0.5], [0, 1, 0, 0]))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("joint_space", "site_space", "frame", "complaint"),
    [
        (["panda_joint1"], [TOOL], TOOL, "controlled joints"),
        (None, ["camera"], TOOL, "robot_site_space"),
        (None, ["elbow"], "elbow", "model has no frame"),
    ],
)
def test_names_that_do_not_fit_the_robot_are_refused(
    panda: PinkRobot, joint_space: Any, site_space: list[str], frame: str, complaint: str
) -> None:
    joint_space = joint_space or panda.controlled_joint_names
    with pytest.raises(ValueError, match=complaint):
        PinkIKController(panda, joint_space, site_space, tool_frame=frame, dt=0.01)


def test_the_models_last_frame_is_the_tool_where_none_is_named(panda: PinkRobot) -> None:
    last = panda.model.frames[-1].name
    controller = PinkIKController(panda, panda.controlled_joint_names, [last], dt=0.01)
    assert controller.get_frame_task().frame == last


def test_a_larger_joint_space_gets_commands_for_the_controlled_joints_alone(
    panda: PinkRobot,
) -> None:
    arm = panda.controlled_joint_names[:7]
    robot = PinkRobot(panda.directory, panda.model, panda.data, arm)
    space = ["lift", *panda.controlled_joint_names]
    controller = PinkIKController(robot, space, [TOOL], tool_frame=TOOL, solver="daqp", dt=0.01)
    where = RobotState(joints=JointState.from_name(space, positions=(space, [0.5, *START])))
    assert controller.reset(where, None, 0.0)
    state = controller.forward(where, None, 0.0)
    assert state is not None and state.joints is not None
    assert state.joints.position_names == arm


def test_the_step_has_to_be_given(panda: PinkRobot) -> None:
    with pytest.raises(TypeError, match="dt"):
        PinkIKController(panda, panda.controlled_joint_names, [TOOL])  # pyright: ignore[reportCallIssue]


@pytest.mark.parametrize("name", ["franka", "panda", "ur10"])
def test_robots_are_found_by_isaac_sims_names_and_ours(name: str) -> None:
    robot = load_pink_supported_robot(name)
    assert len(robot.controlled_joint_names) == robot.model.nq == robot.model.nv
    np.testing.assert_array_equal(robot.q0, np.zeros(robot.model.nq))


def test_a_robot_with_an_srdf_comes_with_the_pairs_that_may_collide() -> None:
    robot = load_pink_supported_robot("panda")
    assert robot.collision_model is not None and robot.collision_data is not None
    everything = load_pink_robot(robot.directory / "panda.urdf", build_collision_model=True)
    assert everything.collision_model is not None
    pairs = len(robot.collision_model.collisionPairs)
    assert 0 < pairs < len(everything.collision_model.collisionPairs)


def test_unknown_robots_and_missing_files_are_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="perhaps franka"):
        load_pink_supported_robot("frank")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        load_pink_robot(tmp_path / "nowhere.urdf")
    panda = load_pink_supported_robot("panda").directory / "panda.urdf"
    with pytest.raises(FileNotFoundError, match=r"nowhere\.srdf"):
        load_pink_robot(panda, srdf_path=tmp_path / "nowhere.srdf")


def test_what_is_no_urdf_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text("<robot name='x'>")
    with pytest.raises(ValueError, match="is refused by Pinocchio"):
        load_pink_robot(path)
