"""Which grasps a Panda reaches: told by forward kinematics, not by the planner's word."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.streaming import StreamingConfig
from workbench.errors import GraspError, RobotError
from workbench.grasps import GraspSpec, import_grasps_from_file
from workbench.grasps.approach import ARRIVED_M, ARRIVED_RAD, Line
from workbench.grasps.arm import ReachingArm, rotation_angle
from workbench.grasps.reach import ReachChecker, check_grasp, check_grasps
from workbench.grasps.reach_types import (
    GraspTarget,
    ReachResult,
    ReachSettings,
    grasp_targets,
)
from workbench.grasps.shipped import shipped_grasps, shipped_names
from workbench.model.controlled import ControlledRobot, controlled_from_request
from workbench.model.request import RobotRequest
from workbench.poses import Pose, wxyz_from_rotation_vector

FRAME = "panda_hand"
SETTINGS = ReachSettings()
DOWN = np.array([0.0, 1.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def panda() -> ControlledRobot:
    return controlled_from_request(RobotRequest("panda"))[0]


@pytest.fixture(scope="module")
def config() -> PinkKinematicsConfig:
    return PinkKinematicsConfig(solver="daqp", gain=0.5, lm_damping=0.2, damping=5e-3)


@pytest.fixture(scope="module")
def checker(panda: ControlledRobot, config: PinkKinematicsConfig) -> ReachChecker:
    return ReachChecker(panda, config, FRAME)


def from_above(x: float, y: float, z: float, name: str = "top") -> GraspTarget:
    grasp = Pose(np.array([x, y, z]), DOWN)
    return GraspTarget(name, grasp, grasp @ SETTINGS.retreat)


def placement(robot: ControlledRobot, positions: tuple[float, ...]) -> pin.SE3:
    """Where the frame is, by Pinocchio alone."""
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, robot.q_from_positions(np.array(positions)))
    return data.oMf[robot.model.getFrameId(FRAME)]


def distance_to(robot: ControlledRobot, positions: tuple[float, ...], pose: Pose) -> float:
    return float(np.linalg.norm(placement(robot, positions).translation - pose.translation))


# Results -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", shipped_names())
def test_most_of_the_shipped_grasps_are_reached_where_their_file_has_the_object(
    panda: ControlledRobot, checker: ReachChecker, name: str
) -> None:
    spec = import_grasps_from_file(shipped_grasps(name).grasps)
    assert spec.object_pose is not None
    targets = grasp_targets(spec, spec.object_pose, SETTINGS)
    results = list(check_grasps(checker, targets))
    assert [result.name for result in results] == list(spec.ranking)
    reached = [result for result in results if result.is_reached]
    assert len(reached) >= 0.6 * len(results)
    for target, result in zip(targets, results, strict=True):
        found = placement(panda, result.positions)
        wanted = pin.SE3(target.grasp.rotation, target.grasp.translation)
        error_m = float(np.linalg.norm(found.translation - wanted.translation))
        error_rad = float(np.linalg.norm(pin.log3(found.rotation.T @ wanted.rotation)))
        assert result.position_error_m == pytest.approx(error_m, abs=1e-9)
        assert result.orientation_error_rad == pytest.approx(error_rad, abs=1e-6)
        assert (np.array(result.positions) >= panda.lower - 1e-8).all()
        assert (np.array(result.positions) <= panda.upper + 1e-8).all()
        if result.is_reached:
            assert error_m <= ARRIVED_M
            assert error_rad <= ARRIVED_RAD
            assert distance_to(panda, result.pregrasp_positions, target.pregrasp) <= 1e-3
            assert result.state == ("reached" if result.attempts == 1 else "reached_with_retry")
            assert result.approach_share == 1.0
            assert 0.4 <= result.approach_s <= 1.4


def test_the_same_grasp_gives_the_same_result_whatever_came_before(
    panda: ControlledRobot, config: PinkKinematicsConfig
) -> None:
    targets = [from_above(0.45, 0.1, 0.3, "near"), from_above(0.3, -0.6, 0.6, "far")]
    one = [ReachChecker(panda, config, FRAME).check(target) for target in targets]
    checker = ReachChecker(panda, config, FRAME)
    backwards = [checker.check(target) for target in reversed(targets)]
    assert one == backwards[::-1]
    assert check_grasp(panda, config, FRAME, targets[0]) == one[0]


def test_out_of_reach_is_said_with_what_is_left(
    panda: ControlledRobot, checker: ReachChecker
) -> None:
    target = from_above(1.2, 0.0, 0.3)
    result = checker.check(target)
    assert result.state == "not_reached"
    assert result.attempts == SETTINGS.max_attempts
    assert result.position_error_m > 0.1
    assert result.position_error_m == pytest.approx(
        distance_to(panda, result.positions, target.grasp)
    )
    assert "mm and" in result.text
    assert result.approach_share is None


def test_the_joint_that_holds_the_arm_back_is_named(
    panda: ControlledRobot, checker: ReachChecker
) -> None:
    # A hand that looks forward asks for a wrist that is turned too far.
    forward = Pose(np.array([0.5, 0.0, 0.4]), wxyz_from_rotation_vector([0.0, np.pi / 2, 0.0]))
    result = checker.check(GraspTarget("forward", forward, forward @ SETTINGS.retreat))
    assert result.state == "not_reached"
    assert result.limiting_joint is not None
    assert f"joint {result.limiting_joint} is at its limit" in result.text
    index = panda.joint_index(result.limiting_joint)
    position = result.positions[index]
    room = min(position - panda.lower[index], panda.upper[index] - position)
    assert room == pytest.approx(0.0, abs=1e-3)
    assert result.limit_margin == pytest.approx(0.0, abs=1e-3)


def test_a_joint_at_its_limit_holds_back_on_one_side_only(panda: ControlledRobot) -> None:
    arm = ReachingArm(panda, FRAME)
    positions = np.array(panda.home)
    positions[6] = panda.upper[6]
    rotation, translation = arm.placement(positions)
    here = Pose.from_se3(pin.SE3(rotation, translation))
    further = here @ Pose(wxyz=wxyz_from_rotation_vector([0.0, 0.0, 0.3]))
    back = here @ Pose(wxyz=wxyz_from_rotation_vector([0.0, 0.0, -0.3]))
    assert arm.limiting_joint(positions, further) == "panda_joint7"
    assert arm.limiting_joint(positions, back) is None


def test_a_further_attempt_may_find_what_the_first_did_not(
    panda: ControlledRobot, config: PinkKinematicsConfig, checker: ReachChecker
) -> None:
    spec = import_grasps_from_file(shipped_grasps("bottle").grasps)
    assert spec.object_pose is not None
    single = ReachChecker(panda, config, FRAME, replace(SETTINGS, max_attempts=1))
    retried = 0
    for target in grasp_targets(spec, spec.object_pose, SETTINGS):
        once, often = single.check(target), checker.check(target)
        if often.state == "reached_with_retry":
            retried += 1
            assert not once.is_reached
            assert 1 < often.attempts <= SETTINGS.max_attempts
            assert f"attempt {often.attempts}" in often.text
            same = GraspTarget(target.name, target.grasp, target.pregrasp)
            assert ReachChecker(panda, config, FRAME).check(same) == often
        else:
            assert once.is_reached == often.is_reached
    assert retried >= 1


def test_an_approach_that_begins_out_of_reach_fails_there(checker: ReachChecker) -> None:
    reachable = from_above(0.45, 0.0, 0.3).grasp
    beyond = Pose(np.array([1.5, 0.0, 0.3]), DOWN)
    result = checker.check(GraspTarget("from_beyond", reachable, beyond))
    assert result.state == "approach_fails"
    assert result.approach_share == 0.0
    assert "where it would begin is not reached" in result.text
    assert result.pregrasp_positions == ()


def test_an_approach_that_is_too_slow_is_told_how_far_it_came(
    panda: ControlledRobot, config: PinkKinematicsConfig
) -> None:
    slow = StreamingConfig(max_joint_velocity_rad_s=0.05)
    once = replace(SETTINGS, max_attempts=1)
    target = from_above(0.45, 0.0, 0.3)
    result = ReachChecker(panda, config, FRAME, once, streaming=slow).check(target)
    assert result.state == "approach_fails"
    assert result.approach_share is not None
    assert 0.0 < result.approach_share < 1.0
    assert result.approach_s > 0.0
    assert result.pregrasp_positions != ()


def test_an_approach_that_leaves_its_line_is_stopped(
    panda: ControlledRobot, config: PinkKinematicsConfig
) -> None:
    start = from_above(0.45, 0.0, 0.3).grasp
    sweep = GraspTarget("turn", start, start @ Pose(wxyz=np.array([0.7, 0.0, 0.0, 0.7])))
    once = replace(SETTINGS, max_attempts=1)
    result = ReachChecker(panda, config, FRAME, once).check(sweep)
    assert result.state == "approach_fails"
    assert "leaves the line by" in result.text


def test_a_command_filter_that_lags_takes_the_hand_off_the_line(
    panda: ControlledRobot, config: PinkKinematicsConfig
) -> None:
    home = Pose.from_se3(placement(panda, tuple(panda.home.tolist())))
    target = GraspTarget("home", home, home @ SETTINGS.retreat)
    once = replace(SETTINGS, max_attempts=1)
    results = [
        ReachChecker(
            panda, config, FRAME, once,
            streaming=StreamingConfig(joint_command_filter_cutoff_hz=cutoff_hz),
        ).check(target)
        for cutoff_hz in (5.0, 1000.0)
    ]  # fmt: skip
    assert [result.state for result in results] == ["approach_fails", "reached"]
    assert "leaves the line by 5." in results[0].text
    assert "behind its setpoint" in results[0].text


def test_links_that_touch_are_no_solution(
    panda: ControlledRobot, config: PinkKinematicsConfig
) -> None:
    asked: list[int] = []

    def touching(positions: np.ndarray) -> tuple[str, str] | None:
        asked.append(len(positions))
        return "panda_hand", "panda_link2"

    result = ReachChecker(panda, config, FRAME, touching=touching).check(from_above(0.45, 0, 0.3))
    assert result.state == "not_reached"
    assert result.text == "It cannot be held: panda_hand touches panda_link2 there."
    assert result.attempts == SETTINGS.max_attempts
    assert set(asked) == {7}


def test_links_that_touch_on_the_way_end_the_approach(
    panda: ControlledRobot, config: PinkKinematicsConfig
) -> None:
    calls: Iterator[tuple[str, str] | None] = iter([None, None, None, ("a", "b")])
    once = replace(SETTINGS, max_attempts=1)
    checker = ReachChecker(panda, config, FRAME, once, touching=lambda positions: next(calls))
    result = checker.check(from_above(0.45, 0.0, 0.3))
    assert result.state == "approach_fails"
    assert "a touches b" in result.text
    assert result.approach_share is not None
    assert 0.0 < result.approach_share < 0.5


def test_checks_are_made_one_by_one_as_asked_for(checker: ReachChecker) -> None:
    taken: list[str] = []

    def targets() -> Iterator[GraspTarget]:
        for name in ("a", "b", "c"):
            taken.append(name)
            yield from_above(0.45, 0.0, 0.3, name)

    results = check_grasps(checker, targets())
    assert next(results).name == "a"
    assert taken == ["a"]


def test_a_result_crosses_processes(checker: ReachChecker) -> None:
    result = checker.check(from_above(0.45, 0.0, 0.3))
    assert isinstance(result, ReachResult)
    assert pickle.loads(pickle.dumps(result)) == result
    target = from_above(0.45, 0.0, 0.3)
    assert pickle.loads(pickle.dumps((target, SETTINGS))) == (target, SETTINGS)


def test_a_frame_that_is_not_there_is_refused(
    panda: ControlledRobot, config: PinkKinematicsConfig
) -> None:
    with pytest.raises(RobotError, match="perhaps panda_hand"):
        ReachChecker(panda, config, "panda_hnd")


# Targets -------------------------------------------------------------------------------------


def two_grasps() -> GraspSpec:
    spec = GraspSpec.empty(object_frame="o", gripper_frame="g")
    for name, confidence, z in (("low", 0.2, 0.1), ("high", 0.9, 0.2)):
        spec = spec.with_pose(
            name, Pose(np.array([0.0, 0.0, z]), DOWN), confidence=confidence,
            cspace_position={}, pregrasp_cspace_position={},
        )  # fmt: skip
    return spec


def test_targets_follow_the_object_best_first() -> None:
    spec = two_grasps()
    moved = Pose(np.array([0.5, 0.0, 0.0]))
    targets = grasp_targets(spec, moved, SETTINGS)
    assert [target.name for target in targets] == ["high", "low"]
    assert targets[0].grasp.translation == pytest.approx([0.5, 0.0, 0.2])
    # The gripper looks down, so that the approach begins above.
    assert targets[0].pregrasp.translation == pytest.approx([0.5, 0.0, 0.3])


def test_standoff_and_axis_can_be_set() -> None:
    sideways = ReachSettings(standoff_m=0.05, approach=(2.0, 0.0, 0.0))
    target = grasp_targets(two_grasps(), Pose(), sideways)[1]
    assert target.pregrasp.translation == pytest.approx([-0.05, 0.0, 0.1])


def test_a_fixed_transform_leads_from_the_files_frame_to_the_robots() -> None:
    tip = Pose(np.array([0.0, 0.0, 0.1]))
    target = grasp_targets(two_grasps(), Pose(), SETTINGS, tip)[1]
    assert target.grasp.translation == pytest.approx([0.0, 0.0, 0.0])
    assert target.pregrasp.translation == pytest.approx([0.0, 0.0, 0.1])


def test_a_pregrasp_pose_of_the_file_comes_first() -> None:
    data = {
        "format": "isaac_grasp", "format_version": 1.0,
        "grasps": {
            "a": {
                "position": [0.0, 0.0, 0.1], "orientation": {"w": 1.0, "xyz": [0.0, 0.0, 0.0]},
                "pregrasp_position": [0.0, 0.3, 0.1],
            }
        },
    }  # fmt: skip
    target = grasp_targets(GraspSpec(data), Pose(np.array([1.0, 0.0, 0.0])), SETTINGS)[0]
    assert target.pregrasp.translation == pytest.approx([1.0, 0.3, 0.1])


@pytest.mark.parametrize(
    "wrong",
    [
        {"standoff_m": -0.1}, {"standoff_m": float("inf")}, {"approach": (0.0, 0.0, 0.0)},
        {"approach": (float("nan"), 0.0, 1.0)}, {"max_attempts": 0}, {"speed_m_s": 0.0},
        {"rate_hz": float("nan")},
    ],
)  # fmt: skip
def test_settings_out_of_range_are_refused(wrong: dict) -> None:
    with pytest.raises(GraspError):
        ReachSettings(**wrong)


# Pieces --------------------------------------------------------------------------------------


def test_a_line_knows_how_far_off_it_a_pose_is() -> None:
    line = Line(Pose(), Pose(np.array([0.0, 0.0, 0.2])))
    assert line.length_m == pytest.approx(0.2)
    assert line.at(0.25).translation == pytest.approx([0.0, 0.0, 0.05])
    tilted = Pose(wxyz=wxyz_from_rotation_vector([0.1, 0.0, 0.0])).rotation
    done, off_m, off_rad = line.deviation(tilted, np.array([0.003, 0.004, 0.1]))
    assert (done, off_m, off_rad) == pytest.approx((0.5, 0.005, 0.1))
    # Short of the beginning and beyond the end count as off the line.
    assert line.deviation(np.eye(3), np.array([0.0, 0.0, -0.01]))[:2] == pytest.approx((0.0, 0.01))
    assert line.deviation(np.eye(3), np.array([0.0, 0.0, 0.21]))[:2] == pytest.approx((1.0, 0.01))


def test_a_line_that_turns_is_followed_as_it_turns() -> None:
    end = Pose(np.array([0.0, 0.0, 0.2]), wxyz_from_rotation_vector([0.0, 0.0, 1.0]))
    line = Line(Pose(), end)
    halfway = line.at(0.5)
    assert halfway.is_close(Pose().interpolate(end, 0.5))
    assert line.deviation(halfway.rotation, halfway.translation)[2] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.5, 3.1, np.pi])
def test_angles_between_rotations_are_exact_at_both_ends(angle: float) -> None:
    rotation = Pose(wxyz=wxyz_from_rotation_vector([0.0, angle, 0.0])).rotation
    assert rotation_angle(np.eye(3), rotation) == pytest.approx(angle, rel=1e-6, abs=1e-15)


def test_a_joint_in_the_middle_of_its_range_holds_nothing_back(panda: ControlledRobot) -> None:
    arm = ReachingArm(panda, FRAME)
    far = Pose(np.array([3.0, 0.0, 0.0]))
    assert arm.limiting_joint(np.array(panda.home), far) is None
    assert arm.manipulability(np.array(panda.home)) > 0.01
    middle = 0.5 * (panda.lower + panda.upper)
    assert arm.limit_margin(middle) == pytest.approx(0.5)
