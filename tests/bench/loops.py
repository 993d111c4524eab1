"""What the measurements of a step share: one loop for Pink and its kin, and how turns are timed.

Loops that are compared run in short turns one after the other, and the figure is the median of the
ratios of neighbouring turns. Time is the thread's own processor time, so that other programs count
for neither side.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pinocchio

from workbench.config.kinematics import PinkKinematicsConfig

DT = 0.01
TICKS_A_POSE = 5
TICKS_A_TURN = 100
WARM_UP_TURNS = 3

Loop = Callable[[], None]


def take_turns(loops: Mapping[str, Loop], turns: int) -> dict[str, list[float]]:
    """Return the seconds that a tick of each loop took, for every turn."""
    seconds: dict[str, list[float]] = {name: [] for name in loops}
    for turn in range(WARM_UP_TURNS + turns):
        for name, loop in loops.items():
            began = time.thread_time()
            for _ in range(TICKS_A_TURN):
                loop()
            if turn >= WARM_UP_TURNS:
                seconds[name].append((time.thread_time() - began) / TICKS_A_TURN)
    return seconds


def circle(starts: Mapping[str, pinocchio.SE3]) -> list[dict[str, pinocchio.SE3]]:
    """Return one lap of a circle of 3 cm radius for every frame, 40 poses."""
    lap = []
    for step in range(40):
        phase = 2 * math.pi * step / 40
        offset = 0.03 * np.array([0.0, math.sin(phase), 1 - math.cos(phase)])
        lap.append(
            {
                frame: pinocchio.SE3(start.rotation, start.translation + offset)
                for frame, start in starts.items()
            }
        )
    return lap


def bare_loop(
    library: Any,
    configuration: Any,
    config: PinkKinematicsConfig,
    lap: Sequence[Mapping[str, Any]],
    solve_ik: Callable[..., np.ndarray],
    **options: Any,
) -> Loop:
    """Return a loop as one writes it with Pink: targets, posture, solve, integrate.

    Args:
        library: ``pink.tasks`` or what has the same classes.
        configuration: Where to start; moved by the loop.
        config: Costs, gain, dampings and solver.
        lap: Targets by frame, each kept for a few ticks, again and again.
        solve_ik: Who solves.
        options: Passed to it.
    """
    frame_tasks = {
        frame: library.FrameTask(
            frame, config.position_cost, config.orientation_cost,
            lm_damping=config.lm_damping, gain=config.gain,
        )
        for frame in lap[0]
    }  # fmt: skip
    tasks = list(frame_tasks.values())
    posture = library.PostureTask(config.posture_cost)
    if config.posture_cost > 0:
        tasks.append(posture)
    count = 0

    def tick() -> None:
        nonlocal count
        if count % TICKS_A_POSE == 0:
            for frame, target in lap[count // TICKS_A_POSE % len(lap)].items():
                frame_tasks[frame].set_target(target)
        posture.set_target_from_configuration(configuration)
        velocity = solve_ik(
            configuration, tasks, DT, solver=config.solver, damping=config.damping,
            safety_break=config.safety_break, **options,
        )  # fmt: skip
        configuration.integrate_inplace(velocity, DT)
        count += 1

    return tick
