"""Settings and robots that the tests of the ways out share."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from workbench.config.limits import (
    BodySphericalBarrierSpec,
    ConfigurationLimitSpec,
    PositionBarrierSpec,
    VelocityLimitSpec,
)
from workbench.config.settings import Settings
from workbench.config.streaming import StreamingConfig
from workbench.config.tasks import (
    ComTaskSpec,
    DampingTaskSpec,
    FrameTaskSpec,
    LinearHolonomicTaskSpec,
    ManipulabilityTaskSpec,
    PostureTaskSpec,
    RelativeFrameTaskSpec,
)
from workbench.config.tasks_values_joints import Relation
from workbench.export.subject import ExportSubject
from workbench.model.describe import describe_robot
from workbench.model.description import RobotDescription
from workbench.model.request import RobotRequest
from workbench.poses import Pose


@cache
def robot(name: str) -> RobotDescription:
    return describe_robot(RobotRequest(name))


def plain_subject(name: str) -> ExportSubject:
    """Only the twelve fields, as the robot's profile sets them."""
    found = robot(name)
    return ExportSubject(Settings(kinematics=found.defaults), found, {"pin": "4.1.0"})


def rich_subject(name: str) -> ExportSubject:
    """Something of everything that the programs can hold."""
    found = robot(name)
    tool, other, joints = found.tool_frames[0], found.frames[3], found.joint_names
    settings = Settings(
        kinematics=found.defaults.with_values(joint_limit_posture_margin=0.1),
        rate_hz=60.0,
        velocity_caps={joints[0]: 0.5},
        tasks=(
            FrameTaskSpec(
                name="tool", frame=tool, position_cost=(1.0, 2.0, 3.0), orientation_cost=0.5,
                gain=0.7,
            ),
            PostureTaskSpec(
                name="calm",
                cost={name: 0.01 * (index + 1) for index, name in enumerate(joints)},
                target={joints[1]: 0.2},
                margin=0.05,
                gain=0.3,
            ),
            FrameTaskSpec(name='the "elbow"', frame=other, position_cost=0.1, orientation_cost=0.0),
            FrameTaskSpec(
                name="there", frame=other, position_cost=0.01, orientation_cost=0.001,
                target=Pose(np.array([0.1, 0.2, 0.3]), np.array([0.9, 0.1, 0.2, 0.3])),
            ),
            RelativeFrameTaskSpec(
                name="near", frame=tool, root=other, position_cost=0.01, orientation_cost=0.01
            ),
            ComTaskSpec(name="balance", cost=(0.05, 0.02, 0.0)),
            ComTaskSpec(name="above", cost=0.001, target=(0.0, 0.0, 1.0)),
            DampingTaskSpec(name="slow", cost={name: 0.02 for name in joints}),
            ManipulabilityTaskSpec(name="open", frame=tool, axes="position", cost=0.001),
            LinearHolonomicTaskSpec(
                name="together",
                equations=(Relation({joints[0]: 1.0, joints[1]: -0.5}, 0.1),),
                cost=0.01,
            ),
        ),
        limits=(
            ConfigurationLimitSpec(name="ends", gain=0.3),
            VelocityLimitSpec(name="speeds", share=0.8),
        ),
        barriers=(
            PositionBarrierSpec(
                name="box", frame=tool, minimum=(-2.0, None, None), maximum=(None, 2.0, 1.0)
            ),
            BodySphericalBarrierSpec(
                name="apart", frame=tool, other_frame=other, minimum_distance_m=0.05, gain=20.0,
                safe_displacement_gain=0.5,
            ),
        ),
        streaming=StreamingConfig(
            max_joint_velocity_rad_s=2.0,
            joint_velocity_limits_rad_s={joints[0]: 0.5},
            joint_command_filter_cutoff_hz=None,
        ),
    )  # fmt: skip
    return replace(plain_subject(name), settings=settings)
