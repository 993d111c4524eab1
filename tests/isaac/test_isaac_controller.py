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

from tests.isaac.warp_like import WarpLike
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
from workbench.model.packages import example_robot_data

TOOL = "panda_hand"
JOINTS = [*(f"panda_joint{n}" for n in range(1, 8)), "panda_finger_joint1", "panda_finger_joint2"]
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


@pytest.mark.parametrize(
    "axes", [[1, 2, 3], (1.0, 2.0, 3.0), np.array([1, 2, 3]), WarpLike([1, 2, 3])]
)
def test_costs_may_be_given_for_each_axis(panda: PinkRobot, axes: Any) -> None:
    controller = controller_of(panda, position_cost=axes, orientation_cost=2)
    np.testing.assert_array_equal(controller.get_frame_task().cost, [1, 2, 3, 2, 2, 2])


@pytest.mark.parametrize(
    "one", [1, np.float32(1.0), [1.0], np.array(1), WarpLike(1), WarpLike([1])]
)
def test_every_number_may_come_as_an_array_of_one(panda: PinkRobot, one: Any) -> None:
    names = ("position_cost", "orientation_cost", "posture_cost", "damping", "gain", "lm_damping")
    for name in names:
        as_array = step(started(panda, **{name: one}), panda, tool_at([0.4, 0.1, 0.5]))
        as_float = step(started(panda, **{name: 1.0}), panda, tool_at([0.4, 0.1, 0.5]))
        np.testing.assert_array_equal(as_array, as_float)
    assert np.isfinite(step(started(panda, dt=one), panda, tool_at([0.4, 0.1, 0.5]))).all()


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        (name, wrong)
        for name, wrongs in {
            "position_cost": (-1.0, [1, 2], [1, 2, -3], [], None, "1", {}),
            "orientation_cost": (-1.0, [1, 2, 3, 4]),
            "posture_cost": (-1.0, [1, 2, 3], "1"),
            "damping": (-1e-9, [1, 2]),
            "gain": (1.001, -0.1, [0.5, 0.5], None),
            "lm_damping": (-1.0, None),
            "dt": (0.0, -0.01, None, [0.1, 0.1]),
        }.items()
        for wrong in (float("nan"), float("inf"), WarpLike([float("nan")]), *wrongs)
    ],
)
def test_numbers_that_no_step_could_be_taken_with_are_refused(
    panda: PinkRobot, name: str, wrong: Any
) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        controller_of(panda, **{name: wrong})


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_positions_that_are_no_numbers_start_and_move_nothing(
    panda: PinkRobot, bad: float, caplog: pytest.LogCaptureFixture, capfd: Any
) -> None:
    controller = started(panda)
    setpoint = tool_at([0.4, 0.1, 0.5], [0, 1, 0, 0])
    wanted = step(started(panda), panda, setpoint)
    lost = joints_at(panda, [*START[:2], bad, *START[3:]])
    assert controller.forward(lost, None, 2.5) is None
    assert "not finite" in caplog.text and "2.5" in caplog.text
    np.testing.assert_array_equal(step(controller, panda, setpoint), wanted)
    assert controller.reset(lost, None, 0.0) is False
    assert controller.forward(joints_at(panda, START), setpoint, 0.0) is None
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "setpoint",
    [
        tool_at([float("nan"), 0.1, 0.5]),
        tool_at([0.4, float("inf"), 0.5], [0, 1, 0, 0]),
        tool_at([0.4, 0.1, 0.5], [0, float("nan"), 0, 0]),
        tool_at([0.4, 0.1, 0.5], [0, 0, 0, 0]),
        RobotState(
            joints=JointState.from_name(JOINTS, positions=(JOINTS, [float("nan")] * 9)),
            sites=tool_at([0.4, 0.1, 0.5], [0, 1, 0, 0]).sites,
        ),
    ],
    ids=["position", "position of a pose", "orientation", "zero quaternion", "posture"],
)
def test_a_setpoint_that_is_no_pose_leaves_the_targets_as_they_were(
    panda: PinkRobot, setpoint: RobotState
) -> None:
    controller = started(panda)
    with pytest.raises(ValueError, match=r"finite|length zero"):
        controller.forward(joints_at(panda, START), setpoint, 0.0)
    assert np.abs(step(controller, panda)).max() < 1e-6


def test_a_continuous_joint_goes_on_counting_its_turns() -> None:
    folder = example_robot_data()
    assert folder is not None
    robot = load_pink_robot(folder / "robots" / "kinova_description" / "robots" / "kinova.urdf")
    names, frame = robot.controlled_joint_names, robot.model.frames[-1].name
    endless = next(n for n in names if robot.model.joints[robot.model.getJointId(n)].nq == 2)
    turns = 4 * np.pi
    found = {}
    for extra in (0.0, turns):
        controller = PinkIKController(robot, names, [frame], solver="daqp", dt=0.05)
        where = [3.1 + extra if name == endless else 2.0 for name in names]
        state = RobotState(joints=JointState.from_name(names, positions=(names, where)))
        assert controller.reset(state, None, 0.0)
        goal = target_of(controller).copy()
        goal.translation += np.array([0.05, 0.05, 0.05])
        controller.get_frame_task().set_target(goal)
        after = controller.forward(state, None, 0.0)
        assert after is not None and after.joints is not None
        assert after.joints.positions is not None
        found[extra] = float(after.joints.positions[names.index(endless)])
    assert found[0.0] != pytest.approx(3.1, abs=1e-3)
    assert found[turns] == pytest.approx(found[0.0] + turns, abs=1e-5)


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
        ([*JOINTS, "panda_joint1"], [TOOL], TOOL, "given twice"),
        ("panda_joint1", [TOOL], TOOL, "list of names"),
        (None, TOOL, TOOL, "list of names"),
        (None, ["camera"], TOOL, "robot_site_space"),
        (None, ["elbow"], "elbow", "model has no frame"),
    ],
)
def test_names_that_do_not_fit_the_robot_are_refused(
    panda: PinkRobot, joint_space: Any, site_space: Any, frame: str, complaint: str
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
    panda = load_pink_supported_robot("panda").directory / "panda.urdf"
    with pytest.raises(ValueError, match=r"robot\.urdf is refused by Pinocchio"):
        load_pink_robot(panda, srdf_path=path, build_collision_model=True)
