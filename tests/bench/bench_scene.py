"""The scene against Pinocchio's own ``ViserVisualizer``: bytes and time a frame, and the start.

Both draw the same URDF with the same meshes on servers of their own, in one process, frame by
frame in turns. The messages of a frame are packed as viser packs them for the wire.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pinocchio as pin
import viser
import zstandard
from numpy.typing import NDArray
from pinocchio.visualize import ViserVisualizer
from viser.infra import Message

from workbench.model.request import RobotRequest
from workbench.model.robot import Robot, load_robot
from workbench.poses import Pose
from workbench.ui.scene import SceneView

ROBOTS = ("panda", "g1")
FRAMES = 300
WARM_UP_FRAMES = 20
STARTS = 3
BYTES_GOAL = 0.5
TIME_GOAL = 0.6
START_GOAL = 1.0
_WINDOW_MESSAGES = 128
_ALIGNMENT = 8


def measure() -> list[dict[str, Any]]:
    """Measure all robots."""
    return [row for name in ROBOTS for row in (*_measure_frames(name), _measure_start(name))]


# Frames ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Frame:
    """What one frame cost."""

    time_s: float
    size_bytes: int
    messages: int


class _Ours:
    """The workbench's scene, driven as the scene's thread drives it."""

    def __init__(self, robot: Robot) -> None:
        self.server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
        self._robot = robot
        positions = np.zeros(len(robot.description.joints))
        placements = robot.picture.local_placements(positions, Pose())
        self.view = SceneView(self.server, robot.description, placements, epoch=1)
        self.view.show()

    def draw(self, positions: NDArray[np.float64]) -> None:
        moves = self.view.moves(self._robot.picture.local_placements(positions, Pose()))
        assert moves is not None
        with self.server.atomic():
            self.view.send(moves)
        self.server.flush()


class _Theirs:
    """Pinocchio's visualizer, driven as its own examples drive it, or in one batch."""

    def __init__(self, urdf: str, package_dirs: Sequence[str], *, batch: bool) -> None:
        self.server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
        self._batch = batch
        self.visualizer = _pinocchio_scene(self.server, urdf, package_dirs)
        self._model = self.visualizer.model
        self._neutral = pin.neutral(self._model)

    def configuration(self, names: Sequence[str], positions: NDArray[np.float64]) -> Any:
        q = self._neutral.copy()
        for name, position in zip(names, positions, strict=True):
            joint = self._model.joints[self._model.getJointId(name)]
            if joint.nq == 2:
                q[joint.idx_q : joint.idx_q + 2] = np.cos(position), np.sin(position)
            else:
                q[joint.idx_q] = position
        return q

    def draw(self, q: NDArray[np.float64]) -> None:
        if not self._batch:
            self.visualizer.display(q)
            return
        with self.server.atomic():
            self.visualizer.display(q)


def _measure_frames(name: str) -> list[dict[str, Any]]:
    """Let every joint of the URDF swing, and compare frame by frame."""
    robot, package_dirs = _whole_robot(name)
    urdf = robot.description.urdf_path
    ours = _Ours(robot)
    plain = _Theirs(urdf, package_dirs, batch=False)
    batched = _Theirs(urdf, package_dirs, batch=True)
    names = robot.description.joint_names
    frames: dict[str, list[_Frame]] = {"ours": [], "plain": [], "batched": []}
    try:
        for number in range(WARM_UP_FRAMES + FRAMES):
            positions = _swing(number, robot)
            q = plain.configuration(names, positions)
            for key, draw, argument, server in (
                ("ours", ours.draw, positions, ours.server),
                ("plain", plain.draw, q, plain.server),
                ("batched", batched.draw, q, batched.server),
            ):
                frame = _timed_frame(server, draw, argument)
                if number >= WARM_UP_FRAMES:
                    frames[key].append(frame)
    finally:
        for server in (ours.server, plain.server, batched.server):
            server.stop()
    sizes = {key: statistics.median(frame.size_bytes for frame in frames[key]) for key in frames}
    times = {key: statistics.median(frame.time_s for frame in frames[key]) for key in frames}
    counts = {key: frames[key][-1].messages for key in frames}
    return [
        _ratio(
            f"bytes a frame against ViserVisualizer, {name}",
            sizes["ours"] / sizes["plain"],
            BYTES_GOAL,
            f"{sizes['ours']:.0f} against {sizes['plain']:.0f} bytes, "
            f"{counts['ours']} against {counts['plain']} messages, {len(names)} joints move",
        ),
        _ratio(
            f"time a frame against ViserVisualizer, {name}",
            times["ours"] / times["plain"],
            TIME_GOAL,
            f"{1e6 * times['ours']:.0f} against {1e6 * times['plain']:.0f} us, ratio "
            f"{times['ours'] / times['batched']:.2f} if that one is batched, n {FRAMES}",
        ),
    ]


def _whole_robot(name: str) -> tuple[Robot, tuple[str, ...]]:
    """Load a profile's URDF without the joints that the profile holds."""
    urdf = load_robot(RobotRequest(name)).description.urdf_path
    # The packages of example-robot-data are named from the folder above its own.
    package_dir = urdf.split("/example-robot-data/")[0]
    request = RobotRequest(urdf, package_dirs=(package_dir,))
    return load_robot(request), (package_dir,)


def _swing(number: int, robot: Robot) -> NDArray[np.float64]:
    """Return joint positions that all differ from those of the frame before."""
    joints = robot.description.joints
    phases = 0.05 * number * (1.0 + 0.1 * np.arange(len(joints))) + np.arange(len(joints))
    spans = np.array(
        [
            0.4 * (joint.upper - joint.lower)
            if joint.lower is not None and joint.upper is not None
            else 1.0
            for joint in joints
        ]
    )
    middles = np.array(
        [
            0.5 * (joint.upper + joint.lower)
            if joint.lower is not None and joint.upper is not None
            else 0.0
            for joint in joints
        ]
    )
    return middles + spans * np.sin(phases)


def _timed_frame(server: viser.ViserServer, draw: Callable[[Any], None], argument: Any) -> _Frame:
    buffer = server._websock_server.get_message_buffer()
    first = buffer.message_counter
    began = time.perf_counter()
    draw(argument)
    ended = time.perf_counter()
    messages = [buffer.message_from_id[number] for number in range(first, buffer.message_counter)]
    return _Frame(ended - began, wire_size(messages), len(messages))


def wire_size(messages: Sequence[Message]) -> int:
    """Return how many bytes viser sends for messages: windows of at most 128, each compressed."""
    size = 0
    for start in range(0, len(messages), _WINDOW_MESSAGES):
        window = messages[start : start + _WINDOW_MESSAGES]
        arrays: list[memoryview] = []
        document = {
            "messages": tuple(message.as_serializable_dict(arrays) for message in window),
            "timestampSec": time.perf_counter(),
            "binaryBufferLengths": tuple(array.nbytes for array in arrays),
        }
        packed = zstandard.ZstdCompressor(level=1).compress(msgspec.msgpack.encode(document))
        size += 16 + len(packed)
        for array in arrays:
            size += -size % _ALIGNMENT + array.nbytes
    return size


# Start -----------------------------------------------------------------------------------


def _measure_start(name: str) -> dict[str, Any]:
    """Time the way from a URDF to a complete scene, in turns."""
    robot, package_dirs = _whole_robot(name)
    urdf = robot.description.urdf_path
    request = RobotRequest(urdf, package_dirs=package_dirs)

    def ours(server: viser.ViserServer) -> None:
        loaded = load_robot(request)
        positions = loaded.positions_from_q(loaded.home_q)
        placements = loaded.picture.local_placements(positions, Pose())
        SceneView(server, loaded.description, placements, epoch=1).show()

    def theirs(server: viser.ViserServer) -> None:
        visualizer = _pinocchio_scene(server, urdf, package_dirs)
        visualizer.display(pin.neutral(visualizer.model))

    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(STARTS):
        for key, start in (("ours", ours), ("theirs", theirs)):
            server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
            began = time.perf_counter()
            start(server)
            times[key].append(time.perf_counter() - began)
            server.stop()
    medians = {key: statistics.median(values) for key, values in times.items()}
    return _ratio(
        f"start to first complete scene against ViserVisualizer, {name}",
        medians["ours"] / medians["theirs"],
        START_GOAL,
        f"{medians['ours']:.2f} against {medians['theirs']:.2f} s, n {STARTS}",
    )


def _pinocchio_scene(
    server: viser.ViserServer, urdf: str, package_dirs: Sequence[str]
) -> ViserVisualizer:
    model, collisions, visuals = pin.buildModelsFromUrdf(urdf, package_dirs=list(package_dirs))
    visualizer = ViserVisualizer(model, collisions, visuals)
    visualizer.initViewer(viewer=server, loadModel=True)
    return visualizer


def _ratio(name: str, value: float, goal: float, details: str) -> dict[str, Any]:
    return {
        "name": name,
        "value": value,
        "unit": "ratio",
        "goal": goal,
        "met": value <= goal,
        "details": details,
    }
