"""``PinkIKController``: one tick of differential IK in the shape of Isaac Sim's Pink extension.

It is closed-loop: every step starts from the estimated state. What it means differs from the
workbench's own loop in more than names: the posture's target is where the controller was reset,
the gain applies to the posture task as well, and limits are Pink's defaults.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from workbench.ik.isaac_stack import SOLVE_FAILURES, IsaacCosts, IsaacStack
from workbench.isaac.arguments import cost_argument, number_argument, step_argument
from workbench.isaac.base_controller import BaseController
from workbench.isaac.host_array import flat_array
from workbench.isaac.impl.utils import (
    isaac_sim_position_quaternion_to_se3,
    map_joint_positions_to_pinocchio,
    map_pinocchio_velocity_to_joint_state,
)
from workbench.isaac.robots import PinkRobot
from workbench.isaac.states import RobotState, SpatialState, checked_space

if TYPE_CHECKING:
    from workbench.ik import isaac_stack

Vector = NDArray[np.float64]
PreStep = Callable[[Any, RobotState | None], object]
"""Called with Pink's configuration and the setpoint before every solve."""

_log = logging.getLogger(__name__)


class PinkIKController(BaseController):
    """A reactive controller: estimated state and setpoint in, desired state out."""

    def __init__(
        self,
        pink_robot: PinkRobot,
        robot_joint_space: Sequence[str],
        robot_site_space: Sequence[str],
        *,
        tool_frame: str | None = None,
        position_cost: ArrayLike = 1.0,
        orientation_cost: ArrayLike = 1.0,
        posture_cost: float | None = 1e-3,
        damping: float = 1e-12,
        gain: float = 1.0,
        lm_damping: float = 0.0,
        solver: str = "osqp",
        extra_tasks: Iterable[Any] | None = None,
        extra_limits: Iterable[Any] | None = None,
        extra_barriers: Iterable[Any] | None = None,
        pre_step_callback: PreStep | None = None,
        dt: float,
    ) -> None:
        """Build the tasks; :meth:`reset` comes before the first :meth:`forward`.

        Numbers may come as anything array-like, also as objects with ``.numpy()``.

        Args:
            pink_robot: The robot.
            robot_joint_space: Names of all its joints, in the simulation's order.
            robot_site_space: Names of all its sites, the tool frame among them.
            tool_frame: Frame that is moved; None takes the model's last one.
            position_cost: cost/m; one number, or one for each axis of the frame.
            orientation_cost: cost/rad; one number, or one for each axis of the frame.
            posture_cost: cost/rad; 0 or None leaves the posture task out.
            damping: Tikhonov regularisation of the QP.
            gain: Share of the error that a step removes, of frame and posture task; 0 to 1.
            lm_damping: Levenberg-Marquardt damping of the frame task.
            solver: QP solver.
            extra_tasks: Pink tasks that are solved for as well.
            extra_limits: Pink limits on top of position and velocity limits.
            extra_barriers: Pink barriers.
            pre_step_callback: Called before every solve, after the configuration and the targets
                were updated, with Pink's configuration and the setpoint.
            dt: Length of a step, s.

        Raises:
            ValueError: If a controlled joint is not in the joint space, the tool frame is not in
                the site space or not in the model, a cost has a wrong size, or a number is
                negative, not finite, or beyond its bounds.
        """
        joint_space = checked_space(robot_joint_space, "robot_joint_space")
        site_space = checked_space(robot_site_space, "robot_site_space")
        missing = [name for name in pink_robot.controlled_joint_names if name not in joint_space]
        if missing:
            raise ValueError(
                f"robot_joint_space: the controlled joints {missing} are not in {list(joint_space)}"
            )
        frames = [frame.name for frame in pink_robot.model.frames]
        self._tool_frame = frames[-1] if tool_frame is None else tool_frame
        if self._tool_frame not in site_space:
            raise ValueError(
                f"tool_frame: {self._tool_frame!r} is not in robot_site_space {list(site_space)}"
            )
        if self._tool_frame not in frames:
            raise ValueError(
                f"tool_frame: the model has no frame {self._tool_frame!r}; it has {frames}"
            )
        self._robot = pink_robot
        self._joint_space = list(joint_space)
        self._dt = step_argument(dt, "dt")
        self._pre_step_callback = pre_step_callback
        costs = IsaacCosts(
            position_cost=cost_argument(position_cost, "position_cost"),
            orientation_cost=cost_argument(orientation_cost, "orientation_cost"),
            posture_cost=(
                None if posture_cost is None else number_argument(posture_cost, "posture_cost")
            ),
            damping=number_argument(damping, "damping"),
            gain=number_argument(gain, "gain", highest=1.0),
            lm_damping=number_argument(lm_damping, "lm_damping"),
            solver=solver,
        )
        self._stack = IsaacStack(
            self._tool_frame, costs, extra_tasks or (), extra_limits or (), extra_barriers or ()
        )

    def get_frame_task(self) -> isaac_stack.FrameTask:
        """Return Pink's task of the tool frame, to be configured from outside."""
        return self._stack.frame_task

    def get_posture_task(self) -> isaac_stack.PostureTask | None:
        """Return Pink's posture task, or None when there is none."""
        return self._stack.posture_task

    def reset(
        self,
        estimated_state: RobotState,
        setpoint_state: RobotState | None,
        t: float,
        **kwargs: Any,
    ) -> bool:
        """Start from a state: its posture and tool pose become the targets.

        Args:
            estimated_state: Where the robot is; all controlled joints need a position.
            setpoint_state: Without effect.
            t: Without effect.
            **kwargs: Without effect.

        Returns:
            False, and :meth:`forward` returns None from then on, when positions are missing or
            not finite.
        """
        positions = self._controlled_positions(estimated_state)
        if positions is None or not np.isfinite(positions).all():
            self._stack.configuration = None
            return False
        robot = self._robot
        self._stack.start(
            robot.model, robot.data, self._configuration(positions, robot.q0),
            robot.collision_model, robot.collision_data,
        )  # fmt: skip
        return True

    def forward(
        self,
        estimated_state: RobotState,
        setpoint_state: RobotState | None,
        t: float,
        **kwargs: Any,
    ) -> RobotState | None:
        """Take a step from the estimated state towards the setpoint.

        A pose of the tool frame moves its target. A position alone moves the target's position;
        its orientation becomes the one that the tool has now. Positions of all controlled joints
        become the posture's target.

        Args:
            estimated_state: Where the robot is; all controlled joints need a position.
            setpoint_state: Where it shall go; None goes on with the targets so far.
            t: Without effect.
            **kwargs: Without effect.

        Returns:
            Positions and velocities of the controlled joints; None before :meth:`reset`, when
            positions are missing, and when there is no step (a warning says why).

        Raises:
            ValueError: If a setpoint is no pose, or not finite; the targets stay as they were.
        """
        configuration = self._stack.configuration
        positions = self._controlled_positions(estimated_state)
        if configuration is None or positions is None:
            return None
        if not np.isfinite(positions).all():
            self._no_step(t, ArithmeticError(f"joint positions are not finite: {positions}"))
            return None
        configuration.update(self._configuration(positions, configuration.q))
        if setpoint_state is not None:
            self._follow(setpoint_state)
        if self._pre_step_callback is not None:
            self._pre_step_callback(configuration, setpoint_state)
        try:
            velocity = self._stack.solve(self._dt)
        except SOLVE_FAILURES as error:
            self._no_step(t, error)
            return None
        q = configuration.q
        configuration.integrate_inplace(velocity, self._dt)
        return RobotState(
            joints=map_pinocchio_velocity_to_joint_state(
                velocity, self._robot.model, self._robot.controlled_joint_names, self._joint_space,
                self._dt, q, positions,
            )
        )  # fmt: skip

    def _no_step(self, t: float, error: Exception) -> None:
        """Say why a step was not taken."""
        _log.warning("no step at t = %s s: %s", t, error)

    def _controlled_positions(self, state: RobotState) -> Vector | None:
        """Return the positions of the controlled joints, in their order; None if one is missing."""
        joints = state.joints
        if joints is None or joints.positions is None:
            return None
        by_name = dict(zip(joints.position_names, flat_array(joints.positions), strict=True))
        names = self._robot.controlled_joint_names
        if not all(name in by_name for name in names):
            return None
        return np.array([by_name[name] for name in names])

    def _configuration(self, positions: Vector, base: Vector) -> Vector:
        return map_joint_positions_to_pinocchio(
            self._robot.controlled_joint_names, positions, self._robot.model, base
        )

    def _follow(self, setpoint: RobotState) -> None:
        """Take over what a setpoint says; raises ValueError, before anything is taken."""
        joints = self._controlled_positions(setpoint)
        if joints is not None and not np.isfinite(joints).all():
            raise ValueError(f"setpoint: joint positions are not finite: {joints}")
        target = self._tool_target(setpoint)
        if target is not None:
            self._stack.frame_task.set_target(target)
        posture = self._stack.posture_task
        if posture is not None and joints is not None:
            posture.set_target(self._configuration(joints, self._robot.q0))

    def _tool_target(self, setpoint: RobotState) -> pin.SE3 | None:
        """Return where a setpoint wants the tool frame; None where it does not say."""
        frame = self._tool_frame
        position = None if setpoint.sites is None else _site_position(setpoint.sites, frame)
        if position is None or setpoint.sites is None:
            return None
        orientation = _site_orientation(setpoint.sites, frame)
        if orientation is not None:
            return isaac_sim_position_quaternion_to_se3(position, orientation)
        # The extension reads the target's orientation from a private attribute that this Pink does
        # not have, and falls back to where the tool is; its records say so too.
        configuration = self._stack.configuration
        assert configuration is not None
        rotation = configuration.get_transform_frame_to_world(frame).rotation
        if not np.isfinite(position).all():
            raise ValueError(f"setpoint: the position of {frame} is not finite: {position}")
        return pin.SE3(rotation, position)


def _site_position(sites: SpatialState, frame: str) -> Vector | None:
    if sites.positions is None or frame not in sites.position_names:
        return None
    return flat_array(sites.positions[sites.position_names.index(frame)])


def _site_orientation(sites: SpatialState, frame: str) -> Vector | None:
    if sites.orientations is None or frame not in sites.orientation_names:
        return None
    return flat_array(sites.orientations[sites.orientation_names.index(frame)])
