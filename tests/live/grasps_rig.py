"""Grasps on a box for the gantry, whose tool is where its joints are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from tests.live.live_fakes import FakePool, Rig, at
from workbench.grasps.reach_task import ReachTask
from workbench.grasps.spec import GraspSpec
from workbench.live.grasp_edits import load_grasps, set_in_scene
from workbench.live.grasping import Grasping, GraspState
from workbench.live.jobs import Jobs
from workbench.live.reach import ReachChecks


def three_grasps(gripper_frame: str | None = "left") -> GraspSpec:
    """Return grasps 0.1, 0.2 and 0.3 m along x of the object, the last one the best."""
    grasps = GraspSpec.empty(object_frame="/World/crate", gripper_frame="left")
    for number in (1, 2, 3):
        grasps = grasps.with_pose(
            f"grasp_{number}", at(0.1 * number), confidence=0.3 * number,
            cspace_position={"finger": 0.01}, pregrasp_cspace_position={"finger": 0.04},
        )  # fmt: skip
    if gripper_frame != "left":
        header = {key: value for key, value in grasps.header.items() if key != "gripper_frame"}
        data = {**header, "grasps": grasps.get_grasp_dicts()}
        if gripper_frame is not None:
            data["gripper_frame"] = gripper_frame
        grasps = GraspSpec(data)
    return grasps


class GraspRig(Rig):
    """A session with three grasps on a crate at x = 0.4 m; jobs run when they are told to."""

    def __init__(self) -> None:
        super().__init__()
        self.grasping = Grasping()
        self.waiting: list[Callable[[], None]] = []
        self.jobs = Jobs(lambda: self.session.state.epoch, spawn=self._spawn)
        self.pools: list[FakePool] = []
        self.failures: list[Exception] = []
        self.reach = ReachChecks(
            self.session, self.jobs, self.grasping, failed=self.failures.append,
            make_pool=self._make_pool,
        )  # fmt: skip
        load_grasps(self.session, "crate.yaml", three_grasps())
        set_in_scene(self.session, transform_object_to_world=at(0.4), label="put the crate")

    @property
    def states(self) -> dict[str, GraspState]:
        return self.grasping.view.states(self.session.state)

    @property
    def scene(self) -> Any:
        return self.settings.grasp_scene

    @property
    def asked(self) -> list[ReachTask]:
        return [task for pool in self.pools for task in pool.asked]

    def rest(self, seconds: float = 1.0) -> None:
        """Let time pass, and what is due begin and end."""
        self.clock.advance(seconds)
        self.reach.step()
        self.run_jobs()

    def run_jobs(self) -> None:
        jobs, self.waiting = self.waiting, []
        for job in jobs:
            job()

    def move(self, x: float) -> None:
        set_in_scene(self.session, transform_object_to_world=at(x))

    def _make_pool(self, start: Any) -> Any:
        self.pools.append(FakePool(start))
        return cast(Any, self.pools[-1])

    def _spawn(self, _title: str, run: Callable[[], None]) -> None:
        self.waiting.append(run)
