"""Drives exported DimOS solver classes in a process of its own: cases in, commands out, as JSON."""

from __future__ import annotations

import importlib.util
import json
import sys
from typing import Any

from dimos.control.tasks.pose_target_ik import PoseTargetIKTaskConfig
from dimos.manipulation.planning.spec.config import RobotModelConfig
from dimos.msgs.geometry_msgs.PoseStamped import PoseStamped
from dimos.msgs.geometry_msgs.Quaternion import Quaternion
from dimos.msgs.geometry_msgs.Vector3 import Vector3
from dimos.msgs.sensor_msgs.JointState import JointState
from dimos.robot.assets.model import RobotModel


def exported_module(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("exported", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def commands(case: dict[str, Any]) -> list[list[float]]:
    module = exported_module(case["module"])
    model = RobotModel(case["urdf"]).with_default_joint_acceleration_limit(10.0)
    solver = module.TunedPinkPoseTargetSolver(
        PoseTargetIKTaskConfig(
            joint_names=module.JOINT_NAMES,
            robot_model=RobotModelConfig(
                model=model, joint_names=module.JOINT_NAMES, base_link=case["base_link"]
            ),
            target_frames=module.TARGET_FRAMES,
            **module.PARAMS,
        )
    )
    measured, found = list(case["start"]), []
    for targets in case["ticks"]:
        poses = {
            frame: PoseStamped(position=Vector3(*xyz), orientation=Quaternion(*xyzw))
            for frame, (xyz, xyzw) in targets.items()
        }
        state = JointState(name=list(module.JOINT_NAMES), position=measured)
        command = list(solver.step(poses, state, case["dt"]).position)
        found.append(command)
        # The arm goes half of the way in every tick.
        measured = [0.5 * (here + there) for here, there in zip(measured, command, strict=True)]
    return found


if __name__ == "__main__":
    print(json.dumps([commands(case) for case in json.load(sys.stdin)]))
