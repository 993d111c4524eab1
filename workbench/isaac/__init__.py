"""Isaac Sim's Pink extension, its names and its results, without Isaac Sim.

Code that was written for ``isaacsim.robot_motion.pink`` and for the states and the controller
protocol of ``isaacsim.robot_motion.experimental.motion_generation`` runs here with its import
lines changed to ``workbench.isaac``.
"""

from workbench.isaac.base_controller import BaseController
from workbench.isaac.controller import PinkIKController
from workbench.isaac.impl.utils import (
    isaac_sim_position_quaternion_to_se3,
    map_joint_positions_to_pinocchio,
    map_pinocchio_velocity_to_joint_state,
    se3_to_isaac_sim_position_quaternion,
)
from workbench.isaac.robots import PinkRobot, load_pink_robot, load_pink_supported_robot
from workbench.isaac.states import JointState, RobotState, RootState, SpatialState

__all__ = [
    "BaseController",
    "JointState",
    "PinkIKController",
    "PinkRobot",
    "RobotState",
    "RootState",
    "SpatialState",
    "isaac_sim_position_quaternion_to_se3",
    "load_pink_robot",
    "load_pink_supported_robot",
    "map_joint_positions_to_pinocchio",
    "map_pinocchio_velocity_to_joint_state",
    "se3_to_isaac_sim_position_quaternion",
]
