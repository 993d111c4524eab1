"""A robot that needs no robot library: a gantry whose tool is where its joints are.

Three prismatic joints x, y, z move the tools ``left`` and ``right`` together (``right`` hangs
1 m to the right of ``left``); orientation cannot change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.planning import PlanningConfig
from workbench.config.robot_pose import RobotPose
from workbench.config.settings import Settings, ToolTarget
from workbench.grasps.reach_task import ReachTask
from workbench.grasps.reach_types import GraspTarget, ReachResult
from workbench.ik.health_table import HealthRow, HealthTable
from workbench.ik.plan_types import PlanResult
from workbench.ik.types import (
    ConvergenceResult,
    EngineKind,
    SolveStatus,
    TickInputs,
    TickResult,
    ToolResult,
)
from workbench.live.bundle import RobotBundle
from workbench.live.loop import Loop
from workbench.live.session import Session
from workbench.model.collision_pairs import LeftOutPair, PairSelection
from workbench.model.description import Joint, RobotDescription
from workbench.poses import Pose, frozen_array

JOINTS: tuple[str, ...] = ("x", "y", "z")
OFFSETS = {"left": Pose(), "right": Pose(np.array([0.0, -1.0, 0.0]))}


class FakeClock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s

    def advance(self, seconds: float) -> None:
        self.now_s += seconds

    def utc(self) -> datetime:
        return datetime(2030, 1, 1, tzinfo=UTC) + timedelta(seconds=self.now_s)


def at(x: float, y: float = 0.0, z: float = 0.0) -> Pose:
    return Pose(np.array([x, y, z]))


def tool_poses(positions: Mapping[str, float]) -> dict[str, Pose]:
    tip = at(*(positions[joint] for joint in JOINTS))
    return {frame: tip @ offset for frame, offset in OFFSETS.items()}


def fake_frame_poses(pose: RobotPose, frames: Sequence[str]) -> dict[str, Pose]:
    """Tools are where the joints are; every other link stays at the origin."""
    positions = {**dict.fromkeys(JOINTS, 0.0), **pose.positions}
    tools = tool_poses(positions)
    return {frame: tools.get(frame, Pose()) for frame in frames}


def fake_centre_of_mass(pose: RobotPose) -> tuple[float, float, float]:
    return pose.positions["x"], 0.25, 0.5


def tool_results(
    positions: Mapping[str, float], targets: Mapping[str, Pose | None]
) -> tuple[ToolResult, ...]:
    results = []
    for frame, pose in tool_poses(positions).items():
        target = targets.get(frame)
        errors = (None, None) if target is None else pose.distance_to(target)
        results.append(ToolResult(frame, pose, target, *errors))
    return tuple(results)


class FakeEngine:
    """Moves towards the first enabled target by ``gain`` a tick, inside the limits of 1 m."""

    def __init__(self) -> None:
        self.kind: EngineKind = "pink"
        self.q = np.zeros(3)
        self.ticks: list[TickInputs] = []
        self.observed: list[TickInputs] = []
        self.commands: list[dict[str, float]] = []
        self.next_status = SolveStatus()
        self.raises: Exception | None = None
        self.velocities: Callable[[int], np.ndarray] | None = None
        self.on_tick: Callable[[], None] | None = None
        self.transform_base_to_world = Pose()

    def tick(self, inputs: TickInputs) -> TickResult:
        self.ticks.append(inputs)
        if self.on_tick is not None:
            self.on_tick()
        if self.raises is not None:
            raise self.raises.with_traceback(None)
        before = self.q.copy()
        if self.next_status.ok:
            for frame, target in inputs.targets.items():
                if target is not None:
                    goal = target.translation - OFFSETS[frame].translation
                    step = inputs.config.gain * (goal - self.q)
                    self.q = np.clip(self.q + step, -1.0, 1.0)
                    break
        velocities = (self.q - before) / inputs.dt
        if self.velocities is not None:
            velocities = self.velocities(len(self.ticks))
        return self._result(inputs, velocities, self.next_status)

    def observe(self, inputs: TickInputs) -> TickResult:
        self.observed.append(inputs)
        if self.raises is not None:
            raise self.raises.with_traceback(None)
        return self._result(inputs, np.zeros(3), SolveStatus())

    def set_positions(
        self, positions: Mapping[str, float], transform_base_to_world: Pose | None = None
    ) -> None:
        self.commands.append(dict(positions))
        if transform_base_to_world is not None:
            self.transform_base_to_world = transform_base_to_world
        for name, position in positions.items():
            self.q[JOINTS.index(name)] = position

    def _result(
        self, inputs: TickInputs, velocities: np.ndarray, status: SolveStatus
    ) -> TickResult:
        positions = dict(zip(JOINTS, self.q.tolist(), strict=True))
        return TickResult(
            status=status,
            q=frozen_array(self.q),
            positions=frozen_array(self.q),
            velocities=frozen_array(velocities),
            transform_base_to_world=self.transform_base_to_world,
            tools=tool_results(positions, inputs.targets),
            solve_time_s=1e-4,
            at_limit=tuple(name for name, position in positions.items() if abs(position) > 0.98),
        )


class FakePicture:
    def local_placements(
        self,
        positions: np.ndarray,
        transform_base_to_world: Pose,
        fingers: Mapping[str, float] | None = None,
    ) -> np.ndarray:
        return np.zeros((0, 7))


def fake_converge(
    inputs: TickInputs, start: RobotPose, keep_going: Callable[[int], bool]
) -> ConvergenceResult:
    """Arrive after ten iterations, or stop where it is told to."""
    done = 0
    while done < 10 and keep_going(done):
        done += 1
    target = next(pose for pose in inputs.targets.values() if pose is not None)
    goal = dict(zip(JOINTS, target.translation.tolist(), strict=True))
    reached = done == 10
    return ConvergenceResult(
        converged=reached,
        iterations=done,
        position_error_m=0.0 if reached else 1.0,
        orientation_error_rad=0.0,
        pose=replace(start, positions=goal) if reached else start,
        status=SolveStatus(),
    )


def make_fake_engine(kind: EngineKind) -> FakeEngine:
    engine = FakeEngine()
    engine.kind = kind
    return engine


class FakeHulls:
    """Hulls of a robot whose links are all too near each other."""

    def selection(self, minimum_distance_m: float) -> PairSelection:
        pair = LeftOutPair("base", "arm", "close_at_home", "At home they touch.", 0.0)
        return PairSelection(minimum_distance_m, (), (pair,), np.zeros(0, dtype=np.int64))


def make_fake_hulls(report: Callable[[float, str], None]) -> FakeHulls:
    report(0.5, "half of the hulls")
    return FakeHulls()


def fake_plan(
    inputs: TickInputs,
    planning: PlanningConfig,
    start: RobotPose,
    keep_going: Callable[[int, int], bool],
) -> PlanResult:
    """Go straight to the first target in five steps, at the second attempt."""
    target = next(pose for pose in inputs.targets.values() if pose is not None)
    begin = np.array([start.positions[name] for name in JOINTS])
    path = []
    for iteration in range(5):
        if not keep_going(2, iteration):
            return PlanResult("CANCELLED", "Cancelled.", iteration, 2, 2, 1.0, 0.0, None, ())
        path.append(begin + (iteration + 1) / 5 * (target.translation - begin))
    if np.abs(path[-1]).max() > 1.0:
        text = "The target is not reached in 5 iterations."
        return PlanResult("NO_SOLUTION", text, 5, planning.max_attempts, 1, 1.0, 0.0, None, ())
    return PlanResult(
        "SUCCESS", "Every frame is at its target.", 5, 2, 2, 0.0, 0.0, path[-1], tuple(path)
    )


def fake_health(
    inputs: TickInputs, start: RobotPose, keep_going: Callable[[int, int], bool]
) -> HealthTable:
    """Find that proxqp fails at 500 Hz and nothing else does."""
    rows = []
    for number, (solver, rate_hz) in enumerate(
        (solver, rate_hz) for rate_hz in (100.0, 500.0) for solver in ("daqp", "proxqp")
    ):
        if not keep_going(number, 4):
            return HealthTable(tuple(rows), complete=False)
        failures = 7 if (solver, rate_hz) == ("proxqp", 500.0) else 0
        cause = "No solution." if failures else ""
        rows.append(HealthRow(solver, rate_hz, 500, failures, cause, 0.2, 0.4, 0.0))
    return HealthTable(tuple(rows))


def fake_reach() -> Callable[[ReachTask], tuple[ReachResult, ...]]:
    """Reach what is at most a metre from the origin; the second attempt does it beyond 0.8 m."""

    def work(task: ReachTask) -> tuple[ReachResult, ...]:
        return tuple(reach_result(target, with_path=task.with_paths) for target in task.targets)

    return work


def reach_result(target: GraspTarget, *, with_path: bool = False) -> ReachResult:
    distance = float(np.linalg.norm(target.grasp.translation))
    if distance > 1.0:
        text = f"{1000 * (distance - 1.0):.0f} mm left: joint y is at its limit."
        return ReachResult(target.name, "not_reached", text, 5, distance - 1.0, 0.0, "y", 0.0)
    before, after = (tuple(pose.translation.tolist()) for pose in (target.pregrasp, target.grasp))
    path = tuple(
        tuple((np.array(before) + share * (np.array(after) - before)).tolist())
        for share in (0.25, 0.5, 0.75, 1.0)
    )
    state = "reached" if distance < 0.8 else "reached_with_retry"
    return ReachResult(
        target.name, state, "Reached.", 1 if state == "reached" else 2, 5e-4, 1e-3, None, 0.25,
        0.125, 1.0, 0.5, after, before, approach_path=path if with_path else (),
    )  # fmt: skip


class FakePool:
    """Does in this process, at once, what others do in theirs."""

    def __init__(self, start: Callable[[], Callable[[ReachTask], tuple[ReachResult, ...]]]) -> None:
        self.work = start()
        self.asked: list[ReachTask] = []
        self.stopped = False

    def run(
        self,
        tasks: Sequence[ReachTask],
        done: Callable[[ReachTask, tuple[ReachResult, ...]], None],
        keep_going: Callable[[], bool] = lambda: True,
    ) -> bool:
        for task in tasks:
            if not keep_going():
                return False
            self.asked.append(task)
            done(task, self.work(task))
        return True

    def stop(self, timeout_s: float = 0.5) -> None:
        self.stopped = True


def fake_bundle(
    name: str = "gantry",
    engine: FakeEngine | None = None,
    *,
    sha256: str | None = None,
    floating_base: bool = False,
) -> RobotBundle:
    description = RobotDescription(
        name=name,
        title=name.title(),
        source=f"{name}.urdf",
        urdf_path=f"/robots/{name}.urdf",
        urdf_sha256=sha256 or f"sha of {name}",
        joints=(
            *(Joint(joint, "prismatic", -1.0, 1.0, 2.0) for joint in JOINTS[:2]),
            Joint(JOINTS[2], "continuous", None, None, 2.0),
        ),
        held_joints=(),
        followers=(),
        gripper_joints=(),
        tool_frames=tuple(OFFSETS),
        frames=("base", *OFFSETS),
        home=dict.fromkeys(JOINTS, 0.0),
        defaults=PinkKinematicsConfig(solver="daqp", lm_damping=10.0),
        floating_base=floating_base,
        links=(),
    )
    return RobotBundle(
        description=description,
        engine=engine or FakeEngine(),
        picture=FakePicture(),
        tool_poses=tool_poses,
        converge=fake_converge,
        make_engine=make_fake_engine,
        plan=fake_plan,
        check_health=fake_health,
        make_hulls=make_fake_hulls,
        frame_poses=fake_frame_poses,
        centre_of_mass=fake_centre_of_mass,
        start_reach=fake_reach,
    )


def start_settings(bundle: RobotBundle) -> Settings:
    home = bundle.description.home
    targets = {
        frame: ToolTarget(pose, enabled=frame == "left") for frame, pose in tool_poses(home).items()
    }
    return Settings(kinematics=bundle.defaults, targets=targets, home=home)


class Rig:
    """A session on a fake robot and a fake clock."""

    def __init__(self, *, floating_base: bool = False) -> None:
        self.clock = FakeClock()
        self.engine = FakeEngine()
        self.bundle = fake_bundle(engine=self.engine, floating_base=floating_base)
        self.session = Session(
            self.bundle,
            start_settings(self.bundle),
            clock=self.clock,
            now_utc=self.clock.utc,
        )

    @property
    def settings(self) -> Settings:
        return self.session.state.settings

    def set_gain(self, gain: float, gesture: str | None = None) -> None:
        self.session.edit(
            None, lambda settings: settings.with_kinematics(gain=gain), gesture=gesture
        )

    def target(self, frame: str = "left") -> Pose:
        return self.settings.targets[frame].transform_target_to_world

    def type_target(self, pose: Pose, frame: str = "left") -> None:
        self.session.edit(None, lambda settings: settings.with_target(frame, pose))

    def drag_to(self, pose: Pose, frame: str = "left", client: int = 1) -> None:
        assert self.session.begin_drag(frame, client)
        assert self.session.drag(frame, client, pose)
        self.session.end_drag(frame, client)


def commanded(rig: Rig) -> Mapping[str, float] | None:
    """Take the loop's inputs and return the joint positions that it is told to go to."""
    command = rig.session.take_inputs().command
    return None if command is None else command.pose.positions


def loop_of(rig: Rig) -> Loop:
    """Return a loop that ticks when a test says so."""
    return Loop(rig.session, now_utc=rig.clock.utc)


def reload(rig: Rig, bundle: RobotBundle, epoch: int | None = None) -> bool:
    """Put a robot in the place of itself, with the settings as they are."""
    return rig.session.reload_bundle(
        bundle, rig.session.present_pose(), lambda settings: settings,
        epoch=rig.session.state.epoch if epoch is None else epoch,
    )  # fmt: skip
