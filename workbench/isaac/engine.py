"""The page's robot driven by ``PinkIKController``: what the same values do in Isaac Sim.

The controller knows one tool frame; the first one whose target is on is followed. Its simulation
is ideal here: what a step asks for is the next estimated state.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.errors import SolverError, did_you_mean
from workbench.ik import failures
from workbench.ik.isaac_stack import OutsideLimits
from workbench.ik.readings import joints_at_limit, placed, tool_result
from workbench.ik.types import SolveStatus, TickInputs, TickResult, ToolResult
from workbench.isaac.controller import PinkIKController
from workbench.isaac.host_array import flat_array
from workbench.isaac.robots import PinkRobot
from workbench.isaac.states import JointState, RobotState, SpatialState
from workbench.model.robot import Robot
from workbench.poses import Pose, frozen_array

Vector = NDArray[np.float64]

_OK = SolveStatus()


class IsaacEngine:
    """Follows one tool frame's target with Isaac Sim's controller; an ``Engine`` for the loop.

    Used by one thread at a time. Everything that a tick returns is frozen.
    """

    def __init__(self, robot: Robot) -> None:
        """Start at the robot's home.

        Args:
            robot: The robot; a copy of its model is the engine's own.
        """
        self._robot = robot
        self._names = list(robot.description.joint_names)
        self._frames = list(robot.description.tool_frames)
        self._model = robot.model.copy()
        self._data = self._model.createData()
        self._frame_ids = {name: self._model.getFrameId(name) for name in self._frames}
        self._positions = frozen_array(robot.positions_from_q(robot.home_q))
        self._base = Pose()
        self._controller: _Controller | None = None
        self._built_for: tuple[PinkKinematicsConfig, float, str] | None = None

    def set_positions(
        self, positions: Mapping[str, float], transform_base_to_world: Pose | None = None
    ) -> None:
        """Put joints, by name, at positions in rad or m, clamped into the limits.

        The next tick resets the controller there, so that its posture is this one.

        Raises:
            SolverError: If there is no such joint or a position is not finite; nothing has moved.
        """
        values = self._inside_limits(placed(self._names, self._positions, positions))
        if transform_base_to_world is not None and self._robot.description.floating_base:
            self._base = transform_base_to_world
        self._positions = frozen_array(values)
        self._built_for = None

    def tick(self, inputs: TickInputs) -> TickResult:
        """Take one step towards the target of the first tool frame that has one."""
        started = time.perf_counter()
        if not 0.0 < inputs.dt < math.inf:
            return self._result(inputs, failures.step_refused(inputs.dt), None, started)
        invalid = [name for name, pose in inputs.targets.items() if pose is None]
        if invalid:
            return self._result(inputs, failures.targets_refused(invalid), None, started)
        frame, target = next(iter(inputs.targets.items()), (None, None))
        if frame is None or target is None:
            return self._result(inputs, _OK, None, started)
        if frame not in self._frames:
            raise SolverError(
                "there is no such tool frame", field=frame,
                expected=did_you_mean(frame, self._frames),
            )  # fmt: skip
        controller = self._controller_for(inputs, frame)
        step = controller.forward(self._estimated(), self._setpoint(frame, target), 0.0)
        if step is None or step.joints is None or step.joints.positions is None:
            return self._result(inputs, self._no_step(controller.error, inputs), None, started)
        by_name = dict(
            zip(step.joints.position_names, flat_array(step.joints.positions), strict=True)
        )
        # osqp may step over a limit by some 1e-3; from there Pink would refuse every further step.
        after = self._inside_limits(np.array([by_name[name] for name in self._names]))
        before, self._positions = self._positions, frozen_array(after)
        velocities = frozen_array((self._positions - before) / inputs.dt)
        return self._result(inputs, _OK, velocities, started)

    def observe(self, inputs: TickInputs) -> TickResult:
        """Return the present state and errors without moving."""
        return self._result(inputs, _OK, None, time.perf_counter())

    def _inside_limits(self, positions: Vector) -> Vector:
        """Return positions, shape (n,) in rad or m, clamped into the limits of their joints."""
        joints = self._robot.description.joints
        lower = [-math.inf if joint.lower is None else joint.lower for joint in joints]
        upper = [math.inf if joint.upper is None else joint.upper for joint in joints]
        return np.clip(positions, lower, upper)

    def _no_step(self, error: Exception, inputs: TickInputs) -> SolveStatus:
        """Return the status of a tick whose controller took no step."""
        if isinstance(error, OutsideLimits):
            below = error.value < error.lower
            limit = error.lower if below else error.upper
            return SolveStatus(
                "outside_limits",
                f"Joint {self._joint_of_coordinate(error.joint)} is at {error.value:.6g}, "
                f"{'below its lower' if below else 'above its upper'} limit {limit:.6g}; "
                "the arm holds.",
                "Put it inside its limits.",
            )
        return failures.solver_failure(error, self._names, inputs.config.solver, inputs.dt)

    def _joint_of_coordinate(self, index: int) -> str:
        """Return the name of the joint that a coordinate of q belongs to."""
        return next(
            name
            for name, joint in zip(self._model.names, self._model.joints, strict=True)
            if joint.idx_q <= index < joint.idx_q + joint.nq
        )

    def _controller_for(self, inputs: TickInputs, frame: str) -> _Controller:
        """Return the controller for these values, reset where the robot is when it is a new one."""
        wanted = (inputs.config, inputs.dt, frame)
        if self._controller is None or self._built_for != wanted:
            config = inputs.config
            robot = PinkRobot(
                directory=Path(self._robot.description.urdf_path).parent,
                model=self._model,
                data=self._model.createData(),
                controlled_joint_names=self._names,
                q0=self._robot.q_from_positions(self._positions, self._base),
            )
            self._controller = _Controller(
                robot, self._names, self._frames, tool_frame=frame,
                position_cost=config.position_cost, orientation_cost=config.orientation_cost,
                posture_cost=config.posture_cost, damping=config.damping, gain=config.gain,
                lm_damping=config.lm_damping, solver=config.solver, dt=inputs.dt,
            )  # fmt: skip
            self._controller.reset(self._estimated(), None, 0.0)
            self._built_for = wanted
        return self._controller

    def _estimated(self) -> RobotState:
        return RobotState(
            joints=JointState.from_name(self._names, positions=(self._names, self._positions))
        )

    def _setpoint(self, frame: str, target: Pose) -> RobotState:
        position, wxyz = target.translation[None, :], target.wxyz[None, :]
        return RobotState(
            sites=SpatialState.from_name(
                self._frames, positions=([frame], position), orientations=([frame], wxyz)
            )
        )

    def _result(
        self, inputs: TickInputs, status: SolveStatus, velocities: Vector | None, started: float
    ) -> TickResult:
        q = frozen_array(self._robot.q_from_positions(self._positions, self._base))
        # Nothing is asked of the other frames: they count as switched off.
        followed = next(iter(inputs.targets), None)
        pin.framesForwardKinematics(self._model, self._data, q)
        return TickResult(
            status=status,
            q=q,
            positions=self._positions,
            velocities=(
                frozen_array(np.zeros(len(self._names))) if velocities is None else velocities
            ),
            transform_base_to_world=self._base,
            tools=tuple(
                self._tool(name, pose if name == followed else None)
                for name, pose in ((name, inputs.targets.get(name)) for name in self._frames)
            ),
            solve_time_s=time.perf_counter() - started,
            at_limit=joints_at_limit(self._robot.description.joints, self._positions),
        )

    def _tool(self, name: str, target: Pose | None) -> ToolResult:
        numbers = pin.SE3ToXYZQUAT(self._data.oMf[self._frame_ids[name]])
        pose = Pose.from_trusted_xyz_xyzw(numbers)
        return tool_result(name, pose, target)


class _Controller(PinkIKController):
    """Isaac Sim's controller, which keeps why there was no step in place of logging it."""

    error: Exception = RuntimeError("no step was taken")

    def _no_step(self, t: float, error: Exception) -> None:
        self.error = error
