"""From the settings to what one tick needs."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.config.settings import Settings
from workbench.ik.types import TickInputs
from workbench.poses import Pose


def enabled_targets(settings: Settings) -> dict[str, Pose]:
    """Return the target of each tool frame that is switched on, in the robot's order."""
    return {
        frame: target.transform_target_to_world
        for frame, target in settings.targets.items()
        if target.enabled
    }


def tick_inputs(settings: Settings, targets: Mapping[str, Pose] | None = None) -> TickInputs:
    """Return a tick's inputs.

    Args:
        settings: What is in force.
        targets: Targets that stand in for those of the settings (while one glides).
    """
    return TickInputs(
        config=settings.kinematics,
        dt=settings.dt,
        targets=enabled_targets(settings) if targets is None else targets,
        held_joints=settings.held_joints,
        velocity_caps=settings.velocity_caps,
    )
