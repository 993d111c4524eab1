"""A program for the extension, of which only the import lines are changed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

PROGRAM = '''
import isaacsim.robot_motion.experimental.motion_generation as mg
import numpy as np
import pink.limits
from isaacsim.robot_motion.pink import PinkIKController, load_pink_supported_robot
from isaacsim.robot_motion.pink.impl.utils import se3_to_isaac_sim_position_quaternion
from pink.tasks import RelativeFrameTask


class Array:
    """Has nothing but what Warp's arrays are read through."""

    def __init__(self, values):
        self.values = np.asarray(values, dtype=np.float32)

    def numpy(self):
        return self.values


class Reach(mg.BaseController):
    """A controller of somebody's own, around the extension's."""

    def __init__(self, inner, goal):
        self.inner, self.goal = inner, goal

    def reset(self, estimated_state, setpoint_state, t, **kwargs):
        return self.inner.reset(estimated_state, setpoint_state, t, **kwargs)

    def forward(self, estimated_state, setpoint_state, t, **kwargs):
        return self.inner.forward(estimated_state, self.goal, t, **kwargs)


robot = load_pink_supported_robot("franka")
dof_names = ["cart", *robot.controlled_joint_names]
relative = RelativeFrameTask("panda_link4", "panda_link0", position_cost=0.01, orientation_cost=0.0)
calls = []


def before_step(configuration, setpoint_state):
    relative.set_target_from_configuration(configuration)
    calls.append(setpoint_state)


inner = PinkIKController(
    pink_robot=robot, robot_joint_space=dof_names, robot_site_space=["camera", "panda_hand"],
    tool_frame="panda_hand", position_cost=[2.0, 2.0, 2.0], orientation_cost=0.5,
    posture_cost=1e-3, damping=1e-10, gain=0.8, lm_damping=1e-4, solver="osqp",
    extra_tasks=[relative],
    extra_limits=[pink.limits.AccelerationLimit(robot.model, np.full(9, 90.0))],
    extra_barriers=None, pre_step_callback=before_step, dt=1.0 / 60.0,
)
positions = np.array([0.5, 0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8, 0.02, 0.02])


def estimated():
    joints = mg.JointState.from_name(
        robot_joint_space=dof_names, positions=(dof_names, Array(positions[None, :])),
        velocities=(dof_names, Array(np.zeros((1, 10)))), efforts=None,
    )
    return mg.RobotState(joints=joints)


assert inner.forward(estimated_state=estimated(), setpoint_state=None, t=0.0) is None
assert inner.reset(estimated_state=estimated(), setpoint_state=None, t=0.0) is True
begin, wxyz = se3_to_isaac_sim_position_quaternion(inner.get_frame_task().transform_target_to_world)
wanted = begin + [0.05, 0.1, -0.05]
goal = mg.RobotState(
    sites=mg.SpatialState.from_name(
        spatial_space=["camera", "panda_hand"], positions=(["panda_hand"], Array([wanted])),
        orientations=(["panda_hand"], Array([wxyz])),
    )
)
controller = Reach(inner, goal)
for tick in range(60):
    command = controller.forward(estimated(), None, tick / 60.0, simulation="running")
    assert command.joints.position_names == command.joints.velocity_names == dof_names[1:]
    assert command.sites is None and command.joints.efforts is None
    positions[1:] = command.joints.positions.numpy()
assert calls and all(setpoint is goal for setpoint in calls)
inner.reset(estimated(), None, 2.0)
reached, _ = se3_to_isaac_sim_position_quaternion(inner.get_frame_task().transform_target_to_world)
print(np.linalg.norm(reached - wanted))
'''


def test_it_runs_and_says_nothing_on_stderr(tmp_path: Path) -> None:
    place = r"isaacsim\.robot_motion\.(?:experimental\.motion_generation|pink)\b"
    program = tmp_path / "program.py"
    program.write_text(re.sub(place, "workbench.isaac", PROGRAM))
    done = subprocess.run(
        [sys.executable, "-W", "error", str(program)], check=False, capture_output=True, text=True,
        cwd=tmp_path, env={"PATH": "", "PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert float(done.stdout) < 5e-3
