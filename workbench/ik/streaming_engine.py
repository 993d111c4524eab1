"""Streaming control for the loop: who may command, what is measured, and what a tick did.

The order of the checks is that of DimOS's control tasks. An emergency stop, another owner of the
joints, disengagement, a stale target and missing or invalid feedback clear command and history;
the next command then starts from the measured positions. A failed solve and an invalid target give
no command and keep them.

The plain config is solved for as DimOS does; where the lists of tasks, limits and barriers add to
it, they are part of every step.

Where nothing outside measures, a simulated arm stands between the command and the measured state.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pinocchio
from numpy.typing import NDArray

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.streaming import StreamingConfig
from workbench.errors import WorkbenchError
from workbench.ik import failures
from workbench.ik.listed_step import ListedStep, has_lists
from workbench.ik.pose_tasks import PostureShape
from workbench.ik.readings import joints_at_limit, placed, tool_result
from workbench.ik.simulated_arm import SimulatedArm
from workbench.ik.streaming import NextPositions, StreamingSolver
from workbench.ik.streaming_types import (
    StreamingInputs,
    StreamingState,
    StreamingStep,
    StreamingTickResult,
)
from workbench.ik.types import SolveStatus, TickInputs, ToolResult
from workbench.model.collision import CollisionModel
from workbench.model.controlled import controlled_from_robot
from workbench.model.robot import Robot
from workbench.poses import Pose, frozen_array

Vector = NDArray[np.float64]

_PLAIN = PostureShape()
_OK = SolveStatus()


class _Outcome(NamedTuple):
    """What a tick did: a step where one was taken, and whether command and history survive."""

    state: StreamingState
    status: SolveStatus = _OK
    step: StreamingStep | None = None
    keeps_command: bool = False


class StreamingEngine:
    """Drives a robot's joints by streaming commands; an ``Engine`` for the loop.

    Used by one thread at a time. Everything that a tick returns is frozen.
    """

    def __init__(self, robot: Robot, shape: PostureShape = _PLAIN) -> None:
        """Start at the robot's home, disengaged.

        Args:
            robot: The robot; its model is shared, a copy of it is the engine's own.
            shape: What the robot's own tuning changes about the posture.

        Raises:
            RobotError: If the shape names a joint that the robot does not have.
        """
        self._robot = robot
        self._shape = shape
        self._names = robot.description.joint_names
        self._data = robot.model.createData()
        self._frame_ids = {
            name: robot.model.getFrameId(name) for name in robot.description.tool_frames
        }
        self._config, self._streaming = PinkKinematicsConfig(), StreamingConfig()
        self._base = Pose()
        self._solver = self._new_solver()
        home = robot.positions_from_q(robot.home_q)
        self._arm = SimulatedArm(home, continuous=self._solver.robot.is_continuous)
        self._last_measured = self._arm.measured
        self._last_command: Vector | None = None
        self._listed: ListedStep | None = None
        self._collision: CollisionModel | None = None

    @property
    def robot(self) -> Robot:
        """The robot that this engine moves."""
        return self._robot

    @property
    def q(self) -> Vector:
        """Configuration of the command, or of the measured state without one; shape (nq,)."""
        return self._q(self._shown())

    @property
    def arm(self) -> SimulatedArm:
        """The simulated arm."""
        return self._arm

    def set_collision(self, collision: CollisionModel | None) -> None:
        """Hand over the hulls of the robot's links, which self-collision barriers need.

        Args:
            collision: Made from the robot in a job; None while there are none.
        """
        self._collision = collision
        if self._listed is not None:
            self._listed.set_collision(collision)

    def set_positions(
        self, positions: Mapping[str, float], transform_base_to_world: Pose | None = None
    ) -> None:
        """Put the simulated arm, by joint names, at positions in rad or m; clears the command.

        Positions are clamped into the limits; joints that are not named stay.

        Args:
            positions: Positions by joint name.
            transform_base_to_world: Where a floating base is put, which streaming does not move.

        Raises:
            SolverError: If there is no such joint or a position is not finite; nothing has moved.
        """
        values = placed(self._names, self._shown(), positions)
        base = transform_base_to_world
        if base is not None and self._robot.description.floating_base and base != self._base:
            self._base = base
            self._solver = self._new_solver()
        robot = self._solver.robot
        self._arm.place(np.minimum(np.maximum(values, robot.lower), robot.upper))
        self._last_measured = self._arm.measured
        self._clear()

    def tick(self, inputs: TickInputs) -> StreamingTickResult:
        """Take one step, if anything allows one, and let the simulated arm follow.

        Args:
            inputs: What this tick depends on; plain :class:`TickInputs` mean engaged, with the
                default bounds and an ideal arm.
        """
        started = time.perf_counter()
        inputs = _streaming_inputs(inputs)
        if not 0.0 < inputs.dt < math.inf:
            refused = _Outcome("failed", failures.step_refused(inputs.dt), keeps_command=True)
            return self._result(refused, inputs, None, self._shown(), started)
        self._arm.configure(inputs.arm)
        measured = self._measured(inputs)
        before = self._shown()
        outcome = self._outcome(inputs, measured)
        if not outcome.keeps_command:
            self._clear()
        if outcome.state == "emergency_stop":
            self._arm.stop()
        command = None if outcome.step is None else outcome.step.command
        if command is not None:
            self._last_command = command
        if inputs.measured is None:
            self._arm.step(command, inputs.dt)
        return self._result(outcome, inputs, measured, before, started)

    def observe(self, inputs: TickInputs) -> StreamingTickResult:
        """Return the present state and errors without moving."""
        inputs = _streaming_inputs(inputs)
        state: StreamingState = "tracking" if inputs.engaged else "disengaged"
        if inputs.emergency_stop:
            state = "emergency_stop"
        started = time.perf_counter()
        measured, before = self._measured(inputs), self._shown()
        return self._result(_Outcome(state, _OK), inputs, measured, before, started)

    def _outcome(self, inputs: StreamingInputs, measured: Vector | None) -> _Outcome:
        """Decide about this tick, and take a step if nothing is in its way."""
        idle = _idle(inputs)
        if idle is not None:
            return idle
        if measured is None:
            status = SolveStatus(
                "feedback_invalid",
                "There is no measured position of "
                + ", ".join(name for name in self._names if name not in (inputs.measured or {}))
                + ".",
                "Commands start again from the measured state when it is back.",
            )
            return _Outcome("feedback_missing", status)
        targets = {name: pose for name, pose in inputs.targets.items() if pose is not None}
        solve = self._solve_with_lists(inputs) if has_lists(inputs) else None
        try:
            self._solver.configure(
                inputs.config,
                inputs.streaming,
                held=inputs.held_joints,
                velocity_limits=inputs.velocity_caps,
            )
            step = self._solver.step(targets, measured, inputs.dt, solve)
        except WorkbenchError as error:
            status = SolveStatus("infeasible", f"{error}.", "Change that setting.")
            return _Outcome("settings_refused", status, keeps_command=True)
        if step.command is not None:
            return _Outcome("tracking", step.status, step, keeps_command=True)
        if not step.feedback_valid:
            return _Outcome("feedback_invalid", step.status)
        return _Outcome("failed", step.status, keeps_command=True)

    def _solve_with_lists(self, inputs: StreamingInputs) -> NextPositions:
        if self._listed is None:
            self._listed = ListedStep(self._robot, self._collision)
        listed = self._listed
        return lambda start: listed.next_positions(start, inputs, self._base)

    def _measured(self, inputs: StreamingInputs) -> Vector | None:
        """Return the measured positions in the description's order; None where one is missing."""
        if inputs.measured is None:
            measured = self._arm.measured
        elif any(name not in inputs.measured for name in self._names):
            return None
        else:
            measured = frozen_array([inputs.measured[name] for name in self._names])
        if np.isfinite(measured).all():
            self._last_measured = measured
        return measured

    def _clear(self) -> None:
        self._solver.reset()
        self._last_command = None

    def _shown(self) -> Vector:
        """Return the positions of the command, or the measured ones without a command."""
        return self._last_measured if self._last_command is None else self._last_command

    def _new_solver(self) -> StreamingSolver:
        robot = controlled_from_robot(self._robot, self._base)
        return StreamingSolver(robot, self._config, self._streaming, self._shape)

    def _q(self, positions: Vector) -> Vector:
        return frozen_array(self._robot.q_from_positions(positions, self._base))

    def _result(
        self,
        outcome: _Outcome,
        inputs: StreamingInputs,
        measured: Vector | None,
        before: Vector,
        started: float,
    ) -> StreamingTickResult:
        positions = self._shown()
        step = outcome.step or StreamingStep(outcome.status)
        command = step.command
        velocities = np.zeros(len(positions))
        if command is not None:
            velocities = (command - before) / inputs.dt
        q = self._q(positions)
        return StreamingTickResult(
            status=outcome.status,
            q=q,
            positions=positions,
            velocities=frozen_array(velocities),
            transform_base_to_world=self._base,
            tools=self._tools(q, inputs.targets),
            solve_time_s=time.perf_counter() - started,
            saturated_velocity=step.at_velocity_step,
            at_limit=joints_at_limit(self._robot.description.joints, positions),
            state=outcome.state,
            command=command,
            measured=measured,
            measured_q=self._q(self._last_measured),
            at_tracking_window=step.at_tracking_window,
            at_margin=step.at_margin,
        )

    def _tools(self, q: Vector, targets: Mapping[str, Pose | None]) -> tuple[ToolResult, ...]:
        pinocchio.framesForwardKinematics(self._robot.model, self._data, q)
        results = []
        for name, number in self._frame_ids.items():
            numbers = pinocchio.SE3ToXYZQUAT(self._data.oMf[number])
            pose = Pose.from_trusted_xyz_xyzw(numbers)
            results.append(tool_result(name, pose, targets.get(name)))
        return tuple(results)


def _idle(inputs: StreamingInputs) -> _Outcome | None:
    """Return why there is nothing to command in this tick, or None."""
    timeout = inputs.streaming.timeout
    invalid = [name for name, pose in inputs.targets.items() if pose is None]
    outcome: _Outcome | None = None
    if inputs.emergency_stop:
        outcome = _Outcome("emergency_stop")
    elif inputs.preempted_by:
        outcome = _Outcome("preempted")
    elif not inputs.engaged:
        outcome = _Outcome("disengaged")
    elif invalid:
        outcome = _Outcome("no_target", failures.targets_refused(invalid), keeps_command=True)
    elif not inputs.targets:
        outcome = _Outcome("no_target", keeps_command=True)
    elif timeout > 0.0 and not inputs.target_age_s <= timeout:
        # Written so that an age that is no number is not fresh either.
        outcome = _Outcome("stale")
    return outcome


def _streaming_inputs(inputs: TickInputs) -> StreamingInputs:
    if isinstance(inputs, StreamingInputs):
        return inputs
    return StreamingInputs(**{name: getattr(inputs, name) for name in TickInputs.__annotations__})
