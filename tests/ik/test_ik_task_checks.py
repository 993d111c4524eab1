"""What a robot cannot have is refused before any tick, in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ik.engines import load, positions_of
from tests.ik.listed import HUBS, WHEEL_RADIUS_M, every_kind, floating_g1, panda, wheeled_tiago
from tests.robots_inline import GRIPPER, SIX_AXIS_ARM, joint, limit
from tests.robots_inline import robot as urdf
from workbench.config.limits import (
    AccelerationLimitSpec,
    FloatingBaseVelocityLimitSpec,
    PositionBarrierSpec,
    SelfCollisionBarrierSpec,
)
from workbench.config.tasks import (
    ClosedChainTaskSpec,
    ComTaskSpec,
    FrameTaskSpec,
    LinearHolonomicTaskSpec,
    ManipulabilityTaskSpec,
    OmniwheelTaskSpec,
    PostureTaskSpec,
    RelativeFrameTaskSpec,
    RollingTaskSpec,
    TaskSpec,
)
from workbench.config.tasks_values_joints import Relation
from workbench.errors import ConfigError
from workbench.ik.forward import tool_poses
from workbench.ik.reach_bounds import joints_between, joints_to_root, nearest_approach_m
from workbench.ik.task_checks import check_barriers, check_limits, check_tasks, known_frames
from workbench.ik.tick import LiveEngine
from workbench.poses import Pose


def refused(check: Any, specs: Any, description: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        check(specs, description)
    return str(caught.value)


@pytest.mark.parametrize("make", [panda, floating_g1])
def test_every_kind_fits_a_robot_that_can_have_it(make: Any) -> None:
    tasks = [spec for spec in every_kind(make()) if spec.kind not in ("rolling", "omniwheel")]
    tasks = [spec for spec in tasks if not isinstance(spec, ClosedChainTaskSpec)]
    check_tasks(tasks, make().description)


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (FrameTaskSpec(name="a", frame="panda_hand_tpc"), "a.frame: there is no such frame"),
        (FrameTaskSpec(name="a", frame="universe"), "there is no such frame"),
        (
            RelativeFrameTaskSpec(name="a", frame="panda_link7", root="panda_lnk1"),
            "a.root: there is no such frame (got 'panda_lnk1'); expected perhaps panda_link1",
        ),
        (
            PostureTaskSpec(name="a", cost={f"panda_joint{n}": 1.0 for n in range(1, 7)}),
            "a.cost: has 6 numbers for 7 joints: none for panda_joint7",
        ),
        (
            PostureTaskSpec(name="a", target={"panda_joint8": 1.0}),
            "a.target.panda_joint8: there is no such joint",
        ),
        (
            LinearHolonomicTaskSpec(
                name="a", equations=(Relation({"panda_joint1": 1}), Relation({"x": 1}))
            ),
            "a.equations[1].x: there is no such joint",
        ),
        (
            ManipulabilityTaskSpec(name="a", frame="panda_link4"),
            "a.axes: asks for 6 motions of a frame that 4 joints move",
        ),
        (
            RollingTaskSpec(name="a", hub_frame="panda_link4", wheel_radius_m=0.1),
            "tasks.a: needs a floating base",
        ),
        (
            ClosedChainTaskSpec(name="a", frame="panda_hand", other_frame="panda_hand_tcp"),
            "cannot meet panda_hand: no joint moves one against the other",
        ),
        (
            ClosedChainTaskSpec(
                name="a",
                frame="panda_link0",
                other_frame="panda_hand_tcp",
                offset=Pose.from_xyz_rpy((2.0, 0, 0), (0, 0, 0)),
            ),
            "cannot meet panda_link0: they stay at least",
        ),
    ],
)
def test_what_does_not_fit_is_refused(task: TaskSpec, words: str) -> None:
    assert words in refused(check_tasks, [task], panda().description)


def test_two_tasks_of_one_tool_are_refused_unless_one_is_off() -> None:
    tool = panda().description.tool_frames[0]
    first = FrameTaskSpec(name="first", frame=tool)
    second = FrameTaskSpec(name="second", frame=tool)
    words = refused(check_tasks, [first, second], panda().description)
    assert "second.frame: is the tool frame of first already" in words
    off = FrameTaskSpec(name="second", frame=tool, enabled=False)
    check_tasks([first, off], panda().description)


def test_wheels_have_to_turn(tmp_path: Path) -> None:
    tiago = wheeled_tiago(tmp_path).description
    wheels = [
        RollingTaskSpec(name="roll", hub_frame=HUBS[0], wheel_radius_m=WHEEL_RADIUS_M),
        OmniwheelTaskSpec(name="omni", hub_frame=HUBS[1], wheel_radius_m=WHEEL_RADIUS_M),
    ]
    check_tasks(wheels, tiago)
    caster = RollingTaskSpec(name="a", hub_frame="caster_front_left_1_link", wheel_radius_m=0.1)
    words = refused(check_tasks, [caster], tiago)
    assert "does not turn: joint caster_front_left_1_joint is held" in words
    rigid = RollingTaskSpec(name="a", hub_frame=tiago.links[0].name, wheel_radius_m=0.1)
    assert "no joint moves it" in refused(check_tasks, [rigid], tiago)


def test_a_robot_without_masses_has_no_centre_of_mass(tmp_path: Path) -> None:
    description = load(tmp_path, SIX_AXIS_ARM).description
    words = refused(check_tasks, [ComTaskSpec(name="com")], description)
    assert "tasks.com: needs a centre of mass" in words
    check_tasks([ComTaskSpec(name="com", enabled=False)], description)


def test_limits_and_barriers_are_checked(tmp_path: Path) -> None:
    fixed = load(tmp_path, SIX_AXIS_ARM).description
    base = FloatingBaseVelocityLimitSpec(name="base")
    assert "needs a floating base" in refused(check_limits, [base], fixed)
    wrong = AccelerationLimitSpec(name="a", acceleration={"elbw": 1.0})
    assert "a.acceleration.elbw: there is no such joint" in refused(check_limits, [wrong], fixed)
    bodies = SelfCollisionBarrierSpec(name="bodies")
    assert "needs collision geometry" in refused(check_barriers, [bodies], fixed)
    check_barriers([bodies], panda().description)
    wall = PositionBarrierSpec(name="wall", frame="tol", minimum=(0.0, None, None))
    assert "perhaps tool" in refused(check_barriers, [wall], fixed)


# How near two frames can come ------------------------------------------------------------------

FINGERS = urdf(
    joint("left", parent="palm", child="a", xyz="0 0.1 0", axis="1 0 0", inside=limit(-3, 3)),
    joint("right", parent="palm", child="b", xyz="0 -0.1 0", axis="1 0 0", inside=limit(-3, 3)),
    joint("tip_a", "fixed", parent="a", child="ta", xyz="0 0 0.07", inside=""),
    joint("tip_b", "fixed", parent="b", child="tb", xyz="0 0 0.08", inside=""),
    links="palm a b ta tb",
)


def test_fingers_that_are_too_short_cannot_meet(tmp_path: Path) -> None:
    description = load(tmp_path, FINGERS).description
    assert nearest_approach_m("ta", "tb", Pose(), description) == pytest.approx(0.05)
    chain = ClosedChainTaskSpec(name="c", frame="ta", other_frame="tb")
    assert "at least 0.05 m apart" in refused(check_tasks, [chain], description)
    longer = Pose.from_xyz_rpy((0, 0, 0.06), (0, 0, 0))
    assert nearest_approach_m("ta", "tb", longer, description) == pytest.approx(0.0, abs=1e-12)


def test_joints_between_and_to_the_root(tmp_path: Path) -> None:
    description = load(tmp_path, GRIPPER).description
    assert joints_to_root("left", description) == ("jaw", "lift", "shoulder")
    assert joints_between("left", "palm", description) == ("jaw",)
    assert joints_between("left", "right", description) == ("jaw",), "the follower is its leader"
    assert set(known_frames(description)) == {"base", "upper", "palm", "left", "right"}


@given(
    st.lists(st.floats(-1.9, 1.9), min_size=6, max_size=6),
    st.lists(st.floats(-0.5, 0.5), min_size=3, max_size=3),
)
def test_no_posture_brings_frames_nearer_than_the_bound(
    tmp_path_factory: pytest.TempPathFactory, values: list[float], offset: list[float]
) -> None:
    robot = arm_with_tools(tmp_path_factory)
    engine = LiveEngine(robot)
    engine.set_positions(dict(zip(robot.description.joint_names, values, strict=True)))
    at = tool_poses(robot, positions_of(engine))
    shift = Pose.from_xyz_rpy(offset, (0, 0, 0))
    distance, _ = (at["low"] @ shift).distance_to(at["high"])
    assert nearest_approach_m("low", "high", shift, robot.description) <= distance + 1e-9


_ARMS: dict[str, Any] = {}


def arm_with_tools(factory: pytest.TempPathFactory) -> Any:
    if not _ARMS:
        tools = ("low=column:0.1,0,0,0,0,0", "high=tool:0,0.2,0,0,0,0")
        _ARMS["arm"] = load(factory.mktemp("arm"), SIX_AXIS_ARM, tools=tools)
    return _ARMS["arm"]
