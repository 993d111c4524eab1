"""A small robot to draw, a session about it, and a look at what viser would send."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import viser
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from viser import _messages

from tests.live.live_fakes import (
    FakeClock,
    FakeEngine,
    fake_converge,
    fake_health,
    fake_plan,
    make_fake_engine,
    make_fake_hulls,
)
from workbench.config.settings import Settings, ToolTarget
from workbench.ik.types import ToolResult
from workbench.live.bundle import RobotBundle
from workbench.live.session import Session
from workbench.live.snapshot import StateSnapshot, Status, Timing, ToolState
from workbench.model.collision_pairs import ClosestPair
from workbench.model.description import Joint, Link, RobotDescription, Shape
from workbench.poses import Pose, frozen_array, wxyz_from_rotation_vector

patient = hypothesis_settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""For property tests: a busy machine decides nothing."""

JOINTS = ("shoulder", "elbow", "slide")
TOOLS = ("hand", "camera")
LIFT = Pose(np.array([0.0, 0.0, 0.5]), wxyz_from_rotation_vector([0.0, 0.3, 0.0]))
"""Placement of the fixed link ``mast`` on the base."""

LINKS = (
    Link("base", None, None, moves=False, translates=False),
    Link("mast", "base", "mast_joint", moves=False, translates=False),
    Link("upper", "mast", "shoulder", moves=True, translates=False),
    Link("lower", "upper", "elbow", moves=True, translates=False),
    Link("lamp", "lower", "lamp_joint", moves=False, translates=False, missing_files=("lamp.stl",)),
    Link("jaw", "lamp", "slide", moves=True, translates=True),
)


def cube(link: str, **changes: Any) -> Shape:
    """Return a cube of 20 cm on a link."""
    corners = [[x, y, z] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7],
             [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]  # fmt: skip
    shape = Shape(
        link, Pose(), np.array(corners, dtype=np.float32), np.array(faces, dtype=np.uint32)
    )
    return replace(shape, **changes)


def description(name: str = "crane", **changes: Any) -> RobotDescription:
    """Return a robot with two joints that turn and one that slides."""
    engine_free = RobotDescription(
        name=name, title=name, source=name, urdf_path=f"/{name}.urdf", urdf_sha256="0",
        joints=tuple(Joint(joint, "revolute", -2.0, 2.0, 1.0) for joint in JOINTS),
        held_joints=(), followers=(), gripper_joints=(), tool_frames=TOOLS, frames=(),
        home=dict.fromkeys(JOINTS, 0.0), defaults=Settings().kinematics, floating_base=False,
        links=LINKS, visuals=(cube("base"), cube("mast"), cube("lower"), cube("jaw")),
        collisions=(cube("upper"),), size_m=1.2,
    )  # fmt: skip
    return replace(engine_free, **changes)


class CranePicture:
    """Both joints turn about z; the slide moves along x."""

    def local_placements(
        self,
        positions: np.ndarray,
        transform_base_to_world: Pose,
        fingers: Mapping[str, float] | None = None,
    ) -> np.ndarray:
        shoulder, elbow, slide = positions
        return np.array(
            [
                row(transform_base_to_world),
                row(LIFT),
                row(Pose(np.array([0.0, 0.0, 0.2]), wxyz_from_rotation_vector([0, 0, shoulder]))),
                row(Pose(np.array([0.4, 0.0, 0.0]), wxyz_from_rotation_vector([0, 0, elbow]))),
                row(Pose(np.array([0.3, 0.0, 0.1]))),
                row(Pose(np.array([0.1 + slide, 0.0, 0.0]))),
            ]
        )


def row(pose: Pose) -> list[float]:
    return [*pose.translation.tolist(), *pose.wxyz.tolist()]


def placements(shoulder: float = 0.0, elbow: float = 0.0, slide: float = 0.0) -> np.ndarray:
    return CranePicture().local_placements(np.array([shoulder, elbow, slide]), Pose())


def at(x: float, y: float = 0.0, z: float = 0.0) -> Pose:
    return Pose(np.array([x, y, z]))


def turned_about_z(angle: float) -> Pose:
    return Pose(np.zeros(3), wxyz_from_rotation_vector([0.0, 0.0, angle]))


def tool_poses(_positions: Mapping[str, float]) -> dict[str, Pose]:
    return {frame: at(0.5, 0.1 * number) for number, frame in enumerate(TOOLS)}


def bundle(robot: RobotDescription | None = None) -> RobotBundle:
    return RobotBundle(
        robot or description(),
        FakeEngine(),
        make_fake_engine,
        CranePicture(),
        tool_poses,
        fake_converge,
        fake_plan,
        fake_health,
        make_fake_hulls,
        lambda _pose, frames: {frame: Pose() for frame in frames},
        lambda _pose: (0.0, 0.0, 0.0),
    )


def settings(robot: RobotDescription | None = None) -> Settings:
    robot = robot or description()
    targets = {frame: ToolTarget(pose) for frame, pose in tool_poses({}).items()}
    return Settings(targets={frame: targets[frame] for frame in robot.tool_frames}, home=robot.home)


def session() -> Session:
    clock = FakeClock()
    return Session(bundle(), settings(), clock=clock, now_utc=clock.utc)


def tool_state(
    frame: str, tool: Pose, target: Pose | None, *, code: Any = "ok", enabled: bool = True
) -> ToolState:
    errors = (None, None) if target is None else tool.distance_to(target)
    return ToolState(
        ToolResult(frame, tool, target, *errors), enabled, None if target is None else code == "ok",
        None if target is None else code,
    )  # fmt: skip


def snapshot(
    positions: tuple[float, float, float] = (0.0, 0.0, 0.0),
    *,
    epoch: int = 1,
    time_s: float = 0.0,
    tools: tuple[ToolState, ...] | None = None,
    closest_pair: ClosestPair | None = None,
) -> StateSnapshot:
    if tools is None:
        tools = tuple(tool_state(frame, pose, pose) for frame, pose in tool_poses({}).items())
    return StateSnapshot(
        epoch=epoch, tick=1, settings_version=1, time_s=time_s, rate_hz=100.0, paused=False,
        q=frozen_array(positions), positions=frozen_array(positions), velocities=np.zeros(3),
        transform_base_to_world=Pose(), tools=tools, status=Status("ok", "reached"),
        timing=Timing(0.0, 0.0, 0.0, 0), closest_pair=closest_pair,
    )  # fmt: skip


class Outbox:
    """What a server has queued for all pages since the last look."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._buffer = server._websock_server.get_message_buffer()
        self._seen = self._buffer.message_counter

    def new(self) -> list[Any]:
        """Return the messages since the last call; of those that replace each other the last."""
        first, self._seen = self._seen, self._buffer.message_counter
        messages = self._buffer.message_from_id
        return [messages[number] for number in range(first, self._seen) if number in messages]


class Hand:
    """A page that drags gizmos: what it sends goes through viser's own handlers, in order."""

    def __init__(self, server: viser.ViserServer, client: int = 1) -> None:
        self._server = server
        self.client = client

    def start(self, name: str) -> None:
        message = _messages.TransformControlsDragStartMessage(name)
        self._run(self._server.scene._handle_transform_controls_drag_start(self._id, message))

    def move(self, name: str, pose: Pose) -> None:
        message = _messages.TransformControlsUpdateMessage(
            name,
            tuple(pose.wxyz.tolist()),
            tuple(pose.translation.tolist()),
        )
        self._run(self._server.scene._handle_transform_controls_updates(self._id, message))

    def end(self, name: str) -> None:
        message = _messages.TransformControlsDragEndMessage(name)
        self._run(self._server.scene._handle_transform_controls_drag_end(self._id, message))

    @property
    def _id(self) -> Any:
        return self.client

    def _run(self, coroutine: Coroutine[Any, Any, None]) -> None:
        loop = self._server.get_event_loop()
        asyncio.run_coroutine_threadsafe(coroutine, loop).result(timeout=10.0)
