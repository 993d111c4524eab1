"""Streaming control as DimOS does it: one bounded QP step a tick, from the last accepted command.

The rules are those of DimOS 0.0.15's ``PinkPoseTargetSolver``. The first command starts from the
measured positions, every further one from the command before. A failed step gives no command and
leaves command and history as they are; :meth:`StreamingSolver.reset` clears both.

Continuous joints are commanded as angles in (-pi, pi], as DimOS commands them: a command does not
pass the seam at pi, because the way across it looks like a whole turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.streaming import StreamingConfig
from workbench.ik import failures
from workbench.ik.command_filter import (
    CommandEnvelope,
    EmptyEnvelopeError,
    IncrementAverage,
    filtered_command,
)
from workbench.ik.pose_tasks import PoseTasks, PostureShape
from workbench.ik.streaming_types import StreamingStep
from workbench.ik.types import SolveStatus
from workbench.model.controlled import ControlledRobot
from workbench.poses import Pose, frozen_array

Vector = NDArray[np.float64]
NextPositions = Callable[[Vector], tuple[Vector | None, SolveStatus]]
"""From positions to step from, to where the step leads; None and why when it fails."""

_PLAIN = PostureShape()


class StreamingSolver:
    """The command trajectory of one robot. Used by one thread at a time."""

    def __init__(
        self,
        robot: ControlledRobot,
        config: PinkKinematicsConfig,
        streaming: StreamingConfig,
        shape: PostureShape = _PLAIN,
    ) -> None:
        """Start without a command.

        Args:
            robot: The robot; attributes are hung on its model.
            config: The twelve settings.
            streaming: Bounds of the commands.
            shape: What the robot's own tuning changes about the posture.

        Raises:
            ConfigError: If the bounds do not fit the robot.
            RobotError: If the shape names a joint that is not controlled.
        """
        self._robot = robot
        self._envelope = CommandEnvelope(robot, streaming)
        self._streaming = streaming
        self._config = config
        self._tasks = PoseTasks(robot, config, shape)
        self._increments = IncrementAverage()
        self._held: Mapping[str, float] = {}
        self._velocity_limits: Mapping[str, float] = {}
        self._command: Vector | None = None

    @property
    def robot(self) -> ControlledRobot:
        """The robot that the commands are for."""
        return self._robot

    @property
    def command(self) -> Vector | None:
        """The last accepted command, shape (n,), read-only; None before the first."""
        return self._command

    @property
    def tasks(self) -> PoseTasks:
        """Pink's objects that the steps use."""
        return self._tasks

    def configure(
        self,
        config: PinkKinematicsConfig,
        streaming: StreamingConfig,
        *,
        held: Mapping[str, float] | None = None,
        velocity_limits: Mapping[str, float] | None = None,
    ) -> None:
        """Take over settings; command and history stay, and so does everything on an error.

        Args:
            config: The twelve settings.
            streaming: Bounds of the commands.
            held: Joints that are held by a hard constraint, by name, with their position.
            velocity_limits: Velocity limits that replace the robot's, by joint name.

        Raises:
            ConfigError: If the bounds do not fit the robot.
            SolverError: If a joint shall be held outside its limits.
            RobotError: If there is no such joint.
        """
        held, velocity_limits = held or {}, velocity_limits or {}
        limits_changed = velocity_limits != self._velocity_limits
        envelope = self._envelope
        if streaming is not self._streaming or limits_changed:
            envelope = CommandEnvelope(self._robot, streaming, velocity_limits)
        if held != self._held:
            self._tasks.hold(held)
            self._held = dict(held)
        if limits_changed:
            self._tasks.set_velocity_limits(velocity_limits)
            self._velocity_limits = dict(velocity_limits)
        if config is not self._config:
            self._tasks.configure(config)
            self._config = config
        self._envelope, self._streaming = envelope, streaming

    def reset(self) -> None:
        """Clear command and history: the next command starts from the measured positions."""
        self._command = None
        self._increments.clear()

    def step(
        self,
        targets: Mapping[str, Pose],
        measured: Vector,
        dt: float,
        solve: NextPositions | None = None,
    ) -> StreamingStep:
        """Take one step from the last accepted command.

        Args:
            targets: Target pose in the world by frame name; at least one.
            measured: Measured positions in the order of commands, rad or m, shape (n,).
            dt: Time since the last tick, s.
            solve: Solves for the next positions in place of the plain config's QP.

        Raises:
            RobotError: If there is no such frame.
        """
        if not 0.0 < dt < math.inf:
            return StreamingStep(failures.step_refused(dt))
        if not targets:
            return StreamingStep(
                SolveStatus("target_invalid", "There is no target.", "Switch a target on.")
            )
        refusal = self._refused_feedback(measured)
        if refusal is not None:
            return StreamingStep(refusal, feedback_valid=False)
        previous = measured if self._command is None else self._command
        start = self._envelope.inside(previous)
        candidate, status = solve(start) if solve else self._solve(start, targets, dt)
        if candidate is None:
            return StreamingStep(status)
        try:
            command, increment = filtered_command(
                candidate, previous, measured, dt,
                cutoff_hz=self._streaming.joint_command_filter_cutoff_hz,
                envelope=self._envelope, increments=self._increments,
            )  # fmt: skip
        except EmptyEnvelopeError as error:
            return StreamingStep(self._contradiction(error))
        self._command = frozen_array(command)
        self._increments.keep(increment)
        return self._accepted(self._command, previous, measured, dt)

    def _solve(
        self, start: Vector, targets: Mapping[str, Pose], dt: float
    ) -> tuple[Vector | None, SolveStatus]:
        """Return where one step of the plain config's QP leads, or None and why it failed."""
        tasks, robot = self._tasks, self._robot
        tasks.aim(targets)
        tasks.configuration.update(robot.q_from_positions(start))
        tasks.follow_posture(tasks.configuration.q)
        q, status = tasks.step(dt)
        return (None if q is None else robot.positions_from_q(q)), status

    def _accepted(
        self, command: Vector, previous: Vector, measured: Vector, dt: float
    ) -> StreamingStep:
        step, window, margin = (
            tuple(name for name, at in zip(self._robot.joint_names, mask, strict=True) if at)
            if mask.any()
            else ()
            for mask in self._envelope.active(command, previous, measured, dt)
        )
        return StreamingStep(SolveStatus(), command, True, step, window, margin)

    def _refused_feedback(self, measured: Vector) -> SolveStatus | None:
        finite = np.isfinite(measured)
        if not finite.all():
            name = self._robot.joint_names[int(finite.argmin())]
            return SolveStatus(
                "feedback_invalid",
                f"The measured position of joint {name} is not a finite number.",
                "Commands start again from the measured state when its encoder is back.",
            )
        tolerance = self._streaming.feedback_limit_tolerance
        outside = self._robot.outside_limits(measured, tolerance)
        if outside is None:
            return None
        name, position, lower, upper = outside
        limit, side = (lower, "below its lower") if position < lower else (upper, "above its upper")
        return SolveStatus(
            "feedback_invalid",
            f"Joint {name} is measured at {position:.6g}, {side} limit {limit:.6g} by more than "
            f"the tolerance {tolerance:g}.",
            "Bring the joint inside, or raise feedback_limit_tolerance if it is encoder noise.",
        )

    def _contradiction(self, error: EmptyEnvelopeError) -> SolveStatus:
        name = self._robot.joint_names[error.index]
        return SolveStatus(
            "infeasible",
            f"The bounds leave the command of joint {name} no position: at least "
            f"{error.lower:.6g} and at most {error.upper:.6g}.",
            "Raise max_command_tracking_error_deg or the joint's velocity cap, lower "
            "command_limit_margin, or disengage and engage again.",
        )
