"""From the settings to what one tick needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from workbench.config.settings import Settings
from workbench.ik.streaming_types import StreamingInputs
from workbench.ik.types import EngineKind, TickInputs
from workbench.live.controls import HardwareControls
from workbench.poses import Pose


def engine_kind(settings: Settings) -> EngineKind:
    """Return which engine ticks under these settings; planning looks on with the live one."""
    if settings.mode in ("streaming", "isaac"):
        return settings.mode
    return settings.solve_with


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
        tasks=settings.tasks,
        limits=settings.limits,
        barriers=settings.barriers,
        home=settings.home,
        home_base=settings.home_base,
    )


def streaming_inputs(
    inputs: TickInputs, settings: Settings, controls: HardwareControls, now_s: float
) -> StreamingInputs:
    """Return a tick's inputs with what the streaming engine needs besides.

    Args:
        inputs: What every engine needs.
        settings: What is in force.
        controls: What the buttons say.
        now_s: Time by the session's clock.
    """
    plain = {item.name: getattr(inputs, item.name) for item in fields(TickInputs)}
    return StreamingInputs(
        **plain,
        streaming=settings.streaming,
        arm=settings.simulated_arm,
        engaged=controls.engaged,
        emergency_stop=controls.emergency_stop,
        target_age_s=controls.target_age_s(now_s),
    )
