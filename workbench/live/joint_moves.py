"""Moving one joint by hand: the posture that the arm prefers, or the robot itself.

While the loop follows targets, a joint cannot simply be put somewhere: the next tick would take it
back. What can be moved is the target of the posture task. An entry of kind ``posture`` in the task
list holds it; the first move makes one, with the weight of the plain posture task, starting from
where the robot is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workbench.config.settings import Settings
from workbench.config.tasks import PostureTaskSpec, TaskSpec
from workbench.live.checks import checked_positions
from workbench.live.session import Session
from workbench.live.state import SessionState

POSTURE_NAME = "posture"
DEFAULT_POSTURE_COST = 1e-3
"""Weight of a new posture task where the plain one is switched off: a target without weight would
move nothing."""


def moves_robot(state: SessionState) -> bool:
    """Tell whether moving a joint moves the robot itself, and not the posture that it prefers.

    It does where no tick takes it back: paused, while plans are made, and with Isaac Sim's
    controller, whose posture is wherever the robot is put.
    """
    return state.paused or state.settings.mode in ("planning", "isaac")


def move_joint(
    session: Session, joint: str, position: float, *,
    gesture: str | None = None, epoch: int | None = None,
) -> None:  # fmt: skip
    """Move a joint, or its posture target, to a position; clamped into the limits.

    Args:
        session: The session.
        joint: Name of the joint.
        position: Position in rad or m.
        gesture: As for :meth:`~workbench.live.session_core.SessionCore.edit`.
        epoch: The robot that is meant; nothing happens when another one has come.

    Raises:
        ConfigError: If there is no such joint, or the position is not finite.
    """
    state = session.state
    if epoch not in (None, state.epoch):
        return
    goal = checked_positions({joint: position}, state.description)
    unit = state.description.joint(joint).unit
    words = f"{joint} to {goal[joint]:.3f} {unit}"
    if moves_robot(state):
        session.command_positions(f"move {words}", goal, gesture=gesture, epoch=state.epoch)
        return
    present = session.present_positions()
    session.edit(
        f"posture of {words}",
        lambda settings: with_posture_target(settings, goal, present),
        gesture=gesture,
        epoch=state.epoch,
    )


def release_joints(session: Session) -> None:
    """Hold no joint any more."""
    session.edit("let all joints go", lambda settings: replace(settings, held_joints={}))


def free_posture(session: Session) -> None:
    """Make the posture task in force want nothing but what is present, as the plain one does."""

    def change(settings: Settings) -> Settings:
        tasks = tuple(
            replace(spec, target="present")
            if isinstance(spec, PostureTaskSpec) and spec.enabled
            else spec
            for spec in settings.tasks
        )
        return replace(settings, tasks=tasks)

    session.edit("let the posture go", change)


def posture_goals(settings: Settings) -> Mapping[str, float]:
    """Return where the posture task in force wants each joint, by name, rad or m.

    Empty where it wants nothing but what is present, as the plain posture task does.
    """
    for spec in settings.tasks:
        if isinstance(spec, PostureTaskSpec) and spec.enabled and spec.target != "present":
            return _target_positions(spec, settings)
    return {}


def with_posture_target(
    settings: Settings, goal: Mapping[str, float], present: Mapping[str, float]
) -> Settings:
    """Return the settings with some joints' posture target elsewhere.

    The first posture entry that is switched on takes it; without one, the first that is switched
    off is switched on again; without any, one is added.

    Args:
        settings: What is in force.
        goal: Where the joints shall go, by name, rad or m.
        present: Where all joints are; the target of those that had none.
    """
    postures = [spec for spec in settings.tasks if isinstance(spec, PostureTaskSpec)]
    entry = next((spec for spec in postures if spec.enabled), postures[0] if postures else None)
    if entry is None:
        cost = settings.kinematics.posture_cost
        added = PostureTaskSpec(
            name=_free_name(settings.tasks),
            cost=cost if cost > 0.0 else DEFAULT_POSTURE_COST,
            target={**present, **goal},
            margin=settings.kinematics.joint_limit_posture_margin,
        )
        return replace(settings, tasks=(*settings.tasks, added))
    before = _target_positions(entry, settings) if entry.enabled else {}
    moved = replace(entry, enabled=True, target={**present, **before, **goal})
    tasks = tuple(moved if spec is entry else spec for spec in settings.tasks)
    return replace(settings, tasks=tasks)


def _target_positions(spec: PostureTaskSpec, settings: Settings) -> Mapping[str, float]:
    if isinstance(spec.target, Mapping):
        return {**settings.home, **spec.target}
    return settings.home if spec.target == "home" else {}


def _free_name(tasks: tuple[TaskSpec, ...]) -> str:
    taken = {spec.name for spec in tasks}
    name, number = POSTURE_NAME, 2
    while name in taken:
        name, number = f"{POSTURE_NAME} {number}", number + 1
    return name
